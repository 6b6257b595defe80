import hashlib

import pytest

from envfactory_assets.stages.environments.describing import (
    finding_lines,
    first_findings,
    verify_domain,
)
from sandboxes.confinement.loading import load_confined
from sandboxes.core.catalog import Catalog

HEAD = '''"""Lights: one of them."""

import random
from typing import Annotated

from pydantic import Field

from sandboxes.core.clock import Clock
from sandboxes.core.environment import Environment
from sandboxes.core.state import State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World


class LightsState(State):
    is_on: bool


class Light(Result):
    is_on: bool = Field(description="Whether it is on")
'''
LIGHTS = '''

class Lights(Environment[LightsState]):
    """Switch a light."""

    @tool(effect="write")
    def switch(
        self, is_on: Annotated[bool, Field(description="Whether it shall be on")]
    ) -> Light:
        """Switch the light."""
        self.state.is_on = is_on
        return Light(is_on=is_on)

    @tool(effect="read")
    def look(self) -> Light:
        """Look at the light."""
        return Light(is_on=self.state.is_on)

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> LightsState:
        return LightsState(clock=Clock(now=world.now), is_on=False)
'''
CASES = """[
  {"name": "The light goes on", "complexity": "simple", "seed": 0, "calls": [
    {"tool": "switch", "arguments": {"is_on": true}, "expect": "ok", "result": {"is_on": true}},
    {"tool": "look", "arguments": {}, "expect": "ok", "result": {"is_on": true}}]},
  {"name": "A light cannot be half on", "complexity": "boundary", "seed": 0, "calls": [
    {"tool": "switch", "arguments": {"is_on": "half"}, "expect": "refused", "error": "is_on"}]},
  {"name": "The light goes on and off", "complexity": "medium", "seed": 0, "calls": [
    {"tool": "switch", "arguments": {"is_on": true}, "expect": "ok"},
    {"tool": "switch", "arguments": {"is_on": false}, "expect": "ok"},
    {"tool": "look", "arguments": {}, "expect": "ok", "result": {"is_on": false}}]},
  {"name": "Looking changes nothing", "complexity": "complex", "seed": 0, "calls": [
    {"tool": "look", "arguments": {}, "expect": "ok", "result": {"is_on": false}},
    {"tool": "switch", "arguments": {"is_on": true}, "expect": "ok"},
    {"tool": "look", "arguments": {}, "expect": "ok", "result": {"is_on": true}}]}
]"""


@pytest.fixture
def verified(tmp_path):
    """Verify one file of a domain, given as text or bytes, and return its rows."""

    def run(source, cases=CASES, origin="shipped"):
        folder = tmp_path / "utilities"
        folder.mkdir(exist_ok=True)
        content = source if isinstance(source, bytes) else source.encode()
        (folder / "lights.py").write_bytes(content)
        (folder / "lights.cases.json").write_text(cases)
        catalog = Catalog.discover([(tmp_path, origin)], load_confined)
        return verify_domain(catalog, "utilities", mutation=False)

    return run


def test_a_row_describes_the_environment_and_its_verification(verified):
    (row,) = verified(HEAD + LIGHTS)

    assert (row.environment_id, row.domain, row.origin) == (
        "utilities.lights",
        "utilities",
        "shipped",
    )
    assert row.description == "Switch a light."
    assert (row.tool_count, row.write_tool_count, row.case_count) == (2, 1, 4)
    assert [tool["name"] for tool in row.tools] == ["lights__switch", "lights__look"]
    assert row.source == HEAD + LIGHTS
    assert row.source_hash == hashlib.sha256((HEAD + LIGHTS + "\0" + CASES).encode()).hexdigest()
    assert row.mutation_score is None
    assert row.verified, row.findings
    assert finding_lines([row]) == []


def test_an_environment_that_nobody_reviewed_has_the_same_row_but_for_its_origin(verified):
    (reviewed,) = verified(HEAD + LIGHTS)
    (unreviewed,) = verified(HEAD + LIGHTS, origin="imported")

    assert unreviewed == reviewed.model_copy(update={"origin": "imported"})


@pytest.mark.parametrize("origin", ["shipped", "generated"])
@pytest.mark.parametrize(
    "source",
    [
        "def broken(:",
        HEAD + "\nraise RuntimeError('at import')\n",
        HEAD,
        HEAD + LIGHTS + LIGHTS.replace("class Lights", "class MoreLights"),
        "import socket\n" + HEAD + LIGHTS,
        HEAD + LIGHTS.replace(") -> Light:", "):", 1),
        HEAD + LIGHTS.replace("is_on=False)", "is_on='maybe')"),
        b"\xff\xfe\x00 not text",
        "",
    ],
)
def test_a_malformed_file_gives_an_unverified_row_with_findings(verified, source, origin):
    (row,) = verified(source, origin=origin)

    assert not row.verified
    assert row.findings
    assert row.environment_id == "utilities.lights"
    assert first_findings([row]) == finding_lines([row])[:1]
    assert finding_lines([row])[0].startswith("utilities.lights: ")


def test_malformed_cases_give_an_unverified_row(verified):
    (row,) = verified(HEAD + LIGHTS, cases="[{]")

    assert not row.verified
    assert row.case_count == 0
    assert row.tool_count == 2


def test_a_file_that_must_not_run_is_not_run(verified, tmp_path):
    """What breaks the rules on imports is described from its text alone."""
    trace = tmp_path / "ran"
    line = f"import pathlib\npathlib.Path({str(trace)!r}).write_text('')\n"
    (row,) = verified(line + HEAD + LIGHTS)

    assert not row.verified
    assert (row.tool_count, row.description) == (0, "")
    assert not trace.exists()


def test_a_domain_without_environments_has_no_rows(verified, tmp_path):
    verified(HEAD + LIGHTS)
    catalog = Catalog.discover([(tmp_path, "shipped")])

    assert verify_domain(catalog, "travel", mutation=False) == []
