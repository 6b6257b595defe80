"""A small environment in a coder's hand, an endpoint that plays coder and tester, a verifier."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.attempts.loop import attempt_environment
from envfactory_assets.stages.attempts.model_coder import ModelCoder
from envfactory_assets.stages.attempts.model_tester import ModelTester
from envfactory_assets.stages.attempts.settings import GenerationSettings
from envfactory_assets.stages.attempts.verifier import Look
from envfactory_assets.stages.model_role import ModelRole
from envfactory_resources.clients.fake_messages.replies import StructuredReply, TextReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.language_model.language_model import LanguageModel
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session
from sandboxes.verification.verify import verify

MEETING_ROOMS = Path(__file__).parent / "meeting_rooms"


class DirectVerifier:
    """Runs code in this process: fit for the code of these tests only, which we wrote."""

    def __init__(self):
        self.verified = []
        self._reports = {}

    def verify(self, source, *, measures_mutation):
        key = (source.environment_id, source.source_hash, measures_mutation)
        self.verified.append(source)
        if key not in self._reports:
            self._reports[key] = verify(
                self._catalog(source), source.environment_id, mutation=measures_mutation
            )
        return self._reports[key]

    def look(self, source, seeds):
        environment = self._catalog(source).load(source.environment_id)
        return Look(
            tools=tuple(json.loads(tool.schema_text()) for tool in environment.tools.values()),
            states={
                seed: self._scenario(source, seed).states[source.environment_id] for seed in seeds
            },
        )

    def open(self, source, seed):
        return Session.open(self._scenario(source, seed), self._catalog(source))

    def _scenario(self, source, seed):
        return Scenario.draw(self._catalog(source), [source.environment_id], seed)

    def _catalog(self, source):
        return Catalog([source.model_copy(update={"origin": "shipped"})])


@pytest.fixture(scope="session")
def direct_verifier():
    """One for all tests, so that a text is put through the gates once."""
    return DirectVerifier()


@pytest.fixture(scope="session")
def proposal():
    return EnvironmentProposal.model_validate_json((MEETING_ROOMS / "proposal.json").read_text())


@pytest.fixture(scope="session")
def good():
    """The file of a coder who got everything right."""
    return (MEETING_ROOMS / "meeting_rooms.py").read_text()


@pytest.fixture(scope="session")
def cases():
    """The cases of a tester who got everything right."""
    return json.loads((MEETING_ROOMS / "cases.json").read_text())


@pytest.fixture(scope="session")
def changed(good):
    """Make a variant of the good file: texts in it are replaced, each of which must be there."""

    def make(*replacements):
        text = good
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        return text

    return make


@pytest.fixture(scope="session")
def lines():
    """Lines of a script, as the two roles speak them."""

    def coder_says(text, **conditions):
        return ScriptLine(TextReply(text), role="coder", **conditions)

    def coder_hands_in(code, **conditions):
        return coder_says(f"Here it is.\n\n```python\n{code}```\n", **conditions)

    def coder_is(reply, **conditions):
        return ScriptLine(reply, role="coder", **conditions)

    def tester_is(reply, **conditions):
        return ScriptLine(reply, role="tester", **conditions)

    def tester_hands_in(cases, **conditions):
        return ScriptLine(StructuredReply({"cases": cases}), role="tester", **conditions)

    def tester_judges(*judgements, **conditions):
        value = {"judgements": list(judgements)}
        return ScriptLine(StructuredReply(value), role="tester", **conditions)

    return SimpleNamespace(**locals())


@pytest.fixture
def model_at(tmp_path):
    """Make a model of a fake endpoint; replies are kept for the test, connections are closed."""
    models = []

    def at(fake, **settings):
        models.append(
            LanguageModel(
                model="fake-1", base_url=fake.url, cache_dir=tmp_path / "replies", **settings
            )
        )
        return models[-1]

    yield at
    for model in models:
        model.close()


@pytest.fixture
def roles_at(model_at):
    """Make a coder and a tester that one model plays."""

    def at(fake, settings, **options):
        model = model_at(fake, **options)
        return (
            ModelCoder(ModelRole(model, "coder", settings.coder_max_tokens)),
            ModelTester(ModelRole(model, "tester", settings.tester_max_tokens), settings),
        )

    return at


@pytest.fixture
def attempt(roles_at, proposal, direct_verifier, tmp_path):
    """Carry the proposal through the rounds, coder and tester played by the fake endpoint."""

    def run(fake, *, verifier=direct_verifier, **settings):
        chosen = GenerationSettings(**{"measures_mutation": False} | settings)
        coder, tester = roles_at(fake, chosen)
        scratch = tmp_path / "scratch"
        return attempt_environment(proposal, coder, tester, verifier, chosen, scratch)

    return run


@pytest.fixture(scope="session")
def shipped_proposal():
    """Make the proposal that a shipped environment would have come from, and its tools."""

    def make(environment_id):
        tools = [
            json.loads(tool.schema_text())
            for tool in Catalog.discover().load(environment_id).tools.values()
        ]
        domain, name = environment_id.split(".")
        proposed = [
            {
                "name": tool["name"].split("__")[1],
                "description": tool["description"],
                "operation": "read" if tool["effect"] == "read" else "update",
                "entity": None,
                "effect": tool["effect"],
                "input_schema": tool["input_schema"],
                "output_schema": tool["output_schema"],
            }
            for tool in tools
        ]
        field = {"name": "name", "type": "text", "description": "Name"}
        made = EnvironmentProposal.model_validate_json(
            json.dumps(
                {
                    "environment_id": environment_id,
                    "domain": domain,
                    "name": name,
                    "service": "A service.",
                    "rationale": "",
                    "entities": [{"name": "hotel", "description": "A hotel", "fields": [field]}],
                    "tools": proposed,
                    "rules": [],
                    "sources": [],
                    "origin": "generated",
                    "made_by": "test",
                }
            )
        )
        return tools, made

    return make
