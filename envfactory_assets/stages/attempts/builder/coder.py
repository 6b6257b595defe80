"""The coder that asks no model: it builds what create, read, update, delete and list can say."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.attempts.authors import Draft, Judged
from envfactory_assets.stages.attempts.builder.blueprint import Blueprint
from envfactory_assets.stages.attempts.builder.cases import write_cases
from envfactory_assets.stages.attempts.builder.module_source import module_source
from envfactory_assets.stages.attempts.builder.planning import plan
from sandboxes.confinement.inspection import inspect
from sandboxes.core.catalog import EnvironmentSource, source_hash
from sandboxes.core.parameters import JsonObject

MADE_BY = "coder:rules"
MOST_LINES = 600
_CASE_SEEDS = (0,)

StateReader = Callable[[EnvironmentSource, Sequence[int]], Mapping[int, JsonObject]]


def confined_states(source: EnvironmentSource, seeds: Sequence[int]) -> Mapping[int, JsonObject]:
    """Return the states that scenarios start from, drawn in a confined process.

    Raises:
        ConfinementUnavailableError: If nothing on this machine can confine it.
    """
    return inspect(source, seeds).states


class RuleCoder:
    """Builds environments without a model; the same proposal gives the same file and cases."""

    made_by = MADE_BY

    def __init__(self, read_states: StateReader = confined_states) -> None:
        """Take what draws the scenarios that the test cases are written on."""
        self._read_states = read_states

    def write(self, proposal: EnvironmentProposal, earlier: Sequence[Judged]) -> Draft:
        """Build what can be built of a proposal; it knows nothing better than an earlier draft.

        Raises:
            UnsupportedProposalError: If nothing can be built.
        """
        del earlier
        blueprint, text = build(proposal)
        with tempfile.TemporaryDirectory() as folder:
            source = _written(Path(folder), proposal, text)
            states = self._read_states(source, _CASE_SEEDS)
        return Draft(source=text, cases=write_cases(blueprint, states), left_out=blueprint.left_out)


def build(proposal: EnvironmentProposal) -> tuple[Blueprint, str]:
    """Return what is built of a proposal and its text, with as many tools as a file may hold.

    Raises:
        UnsupportedProposalError: If nothing can be built.
    """
    blueprint = plan(proposal)
    text = module_source(blueprint)
    while text.count("\n") > MOST_LINES and len(blueprint.tools) > 1:
        blueprint = plan(proposal, most_tools=len(blueprint.tools) - 1)
        text = module_source(blueprint)
    return blueprint, text


def _written(folder: Path, proposal: EnvironmentProposal, text: str) -> EnvironmentSource:
    path = folder / proposal.domain / f"{proposal.environment_id.split('.')[-1]}.py"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return EnvironmentSource(
        environment_id=proposal.environment_id,
        path=path,
        origin=proposal.origin,
        source_hash=source_hash(path),
    )
