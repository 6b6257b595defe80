"""Binding values: a chain is carried out forward on a scenario, so that its task is feasible."""

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.records.chains import Binding, SampledChain
from envfactory_assets.records.queries import PlannedArgument, PlannedCall
from envfactory_assets.stages.queries.binding_progress import BindingProgress, Item
from envfactory_assets.stages.queries.referents import noun_of
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.queries.spoken_values import spoken_value
from envfactory_assets.stages.queries.wording import words_of
from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.catalog import Catalog
from sandboxes.core.json_paths import leaves_at, place
from sandboxes.core.parameters import JsonObject, Parameter
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import CallRecord, Session
from sandboxes.core.tool import Tool

_REUSE_PROBABILITY = 0.85


@dataclass(frozen=True, slots=True)
class BoundTask:
    """A chain with values: what it does on one scenario.

    Attributes:
        task_id: Derived from the chain and the scenario's seed.
        chain: The chain.
        scenario: Where the session starts.
        calls: One planned call a step of the chain.
        results: What each call returned.
    """

    task_id: str
    chain: SampledChain
    scenario: Scenario
    calls: tuple[PlannedCall, ...]
    results: tuple[JsonObject, ...]


class InfeasibleChainError(Exception):
    """No scenario that was tried lets every step of a chain succeed."""

    def __init__(self, reason: str) -> None:
        """Note why, in the words that drop counts are kept under."""
        super().__init__(reason)
        self.reason = reason


def bind_chain(chain: SampledChain, catalog: Catalog, settings: QuerySettings) -> BoundTask:
    """Carry a chain out on scenarios until one lets every step succeed.

    Every write changes the state, every list that a later step picks from has an item, and every
    read that nothing builds on finds something.

    Raises:
        InfeasibleChainError: If no scenario of `settings.scenario_attempts` does.
    """
    reasons: Counter[str] = Counter()
    for attempt in range(settings.scenario_attempts):
        seed = _seed(chain.chain_id, settings.seed, attempt)
        scenario = Scenario.draw(catalog, chain.environment_ids, seed)
        progress = BindingProgress(Session.open(scenario, catalog), random.Random(seed))
        try:
            for step in range(len(chain.tools)):
                _bind_step(chain, step, catalog, progress, settings)
        except InfeasibleChainError as error:
            reasons[error.reason] += 1
            continue
        digest = hashlib.sha256(f"{chain.chain_id}:{scenario.hash}".encode()).hexdigest()
        return BoundTask(
            task_id=f"{chain.domain}-{digest[:12]}",
            chain=chain,
            scenario=scenario,
            calls=tuple(progress.calls),
            results=tuple(progress.results),
        )
    raise InfeasibleChainError(reasons.most_common(1)[0][0])


def _seed(chain_id: str, seed: int, attempt: int) -> int:
    digest = hashlib.sha256(f"{chain_id}:{seed}:{attempt}".encode()).digest()
    return int.from_bytes(digest[:4])


def _bind_step(
    chain: SampledChain,
    step: int,
    catalog: Catalog,
    progress: BindingProgress,
    settings: QuerySettings,
) -> None:
    tool = catalog.tools[chain.tools[step]]
    is_spoken = any(item.step == step for item in chain.externals)
    states = progress.session.states() if is_spoken else {}
    values = ArgumentValues(tool, states, progress.rng)
    for attempt in range(settings.step_attempts):
        planned = _draw_arguments(chain, step, tool, catalog, values, progress)
        arguments = _arguments_of(planned)
        before = progress.session.snapshot() if tool.effect == "write" else {}
        outcome = progress.session.call(tool.wire_name, arguments, tool.actor)
        if not outcome.ok or outcome.result is None:
            continue
        has_changed = tool.effect == "write" and before != progress.session.snapshot()
        is_choosy = attempt < settings.step_attempts * 3 // 4
        if _is_useful(chain, step, tool, outcome, has_changed) and not (
            is_choosy and _has_idle_filter(planned, tool, outcome, progress.session)
        ):
            progress.remember(planned, tool, arguments, outcome.result)
            return
        if has_changed:
            progress.session.restore(before)
    raise InfeasibleChainError(f"no_arguments_found:{tool.wire_name}")


def _arguments_of(planned: Sequence[PlannedArgument]) -> JsonObject:
    arguments: JsonObject = {}
    for argument in planned:
        place(arguments, argument.path, argument.value)
    return arguments


def _has_idle_filter(
    planned: Sequence[PlannedArgument], tool: Tool, outcome: CallRecord, session: Session
) -> bool:
    """Return whether a reading tool gives the same without one of the optional things said."""
    if tool.effect == "write":
        return False
    return any(
        session.call(
            tool.wire_name,
            _arguments_of([item for item in planned if item is not argument]),
            tool.actor,
        ).result
        == outcome.result
        for argument in planned
        if not argument.required and argument.source == "user"
    )


def _draw_arguments(
    chain: SampledChain,
    step: int,
    tool: Tool,
    catalog: Catalog,
    values: ArgumentValues,
    progress: BindingProgress,
) -> list[PlannedArgument]:
    planned: list[PlannedArgument] = []
    bindings = {item.target_parameter: item for item in chain.bindings if item.target_step == step}
    externals = {item.parameter for item in chain.externals if item.step == step}
    for parameter in tool.inputs:
        if parameter.path in bindings:
            planned.append(
                _from_result(bindings[parameter.path], parameter, catalog, progress, planned)
            )
        elif parameter.path in externals:
            said = progress.said.get((parameter.name, parameter.type))
            candidates = values.candidates(parameter)
            value = spoken_value(parameter, candidates, said, progress.rng)
            if value is None:
                raise InfeasibleChainError(f"no_value_for:{parameter.name}")
            planned.append(
                PlannedArgument(
                    path=parameter.path,
                    value=value,
                    source="user",
                    required=parameter.required,
                    noun=words_of(parameter.path),
                )
            )
    return planned


def _from_result(
    binding: Binding,
    parameter: Parameter,
    catalog: Catalog,
    progress: BindingProgress,
    taken: Sequence[PlannedArgument],
) -> PlannedArgument:
    call = progress.calls[binding.source_step]
    source_tool = catalog.tools[call.tool]
    pattern = binding.source_parameter
    found = progress.items_of(binding.source_step, pattern, source_tool)
    if not found:
        raise InfeasibleChainError(f"nothing_to_point_at:{call.tool}")
    found = _unlike_siblings(found, taken) or found
    key = (binding.source_step, pattern)
    again = [item for item in found if item[0] == progress.chosen.get(key)]
    if again and progress.rng.random() < _REUSE_PROBABILITY:
        found = again
    where, value, ways = progress.rng.choice(found)
    return PlannedArgument(
        path=parameter.path,
        value=value,
        source="result",
        required=parameter.required,
        source_step=binding.source_step,
        source_path=where,
        referents=tuple(ways),
        noun=noun_of(source_tool, pattern),
    )


def _unlike_siblings(found: list[Item], taken: Sequence[PlannedArgument]) -> list[Item]:
    """Return the items that the same call does not name already: a transfer joins two accounts."""
    used = [argument.value for argument in taken if argument.source == "result"]
    return [item for item in found if item[1] not in used]


def _is_useful(
    chain: SampledChain, step: int, tool: Tool, outcome: CallRecord, has_changed: bool
) -> bool:
    result = outcome.result or {}
    sources = [item.source_parameter for item in chain.bindings if item.source_step == step]
    if any(not leaves_at(result, path) for path in sources):
        return False
    if tool.effect == "write":
        return has_changed
    lists = [leaf.path for leaf in tool.outputs if leaf.is_list]
    return bool(sources) or not lists or any(leaves_at(result, path) for path in lists)
