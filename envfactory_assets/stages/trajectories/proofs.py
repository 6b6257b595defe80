"""What is proven of a reference by replaying it: its partial order and its masked arguments."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from envfactory_assets.stages.reward.models import Reference, ReferenceCall
from envfactory_assets.stages.reward.state_equality import compare_states
from envfactory_assets.stages.trajectories.replaying import Replay, renamed, replay_calls
from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.catalog import Catalog
from sandboxes.core.json_paths import text_leaves
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall


@dataclass(frozen=True)
class Recording:
    """Calls as they were run from a scenario.

    Attributes:
        scenario: Where they start.
        calls: What was run.
        replay: What it gave.
        catalog: Holds the environments.
    """

    scenario: Scenario
    calls: tuple[ToolCall, ...]
    replay: Replay
    catalog: Catalog

    @classmethod
    def of(cls, scenario: Scenario, calls: Sequence[ToolCall], catalog: Catalog) -> "Recording":
        """Run calls from a scenario and record them."""
        return cls(scenario, tuple(calls), replay_calls(scenario, calls, catalog), catalog)

    @cached_property
    def needs(self) -> list[set[int]]:
        """For each call the earlier calls whose results it takes an id from.

        An id is taken from the call that created it, else from the first that showed it.
        """
        return [
            {
                source
                for _, value in text_leaves(dict(call.arguments))
                if (source := self._source_of(value, index)) is not None
            }
            for index, call in enumerate(self.calls)
        ]

    @cached_property
    def outcome(self) -> Reference:
        """The end states as a reference without order or masks, to compare other runs with."""
        return Reference(
            calls=tuple(
                ReferenceCall(tool=call.tool, arguments=record.bound or {}, effect=record.effect)
                for call, record in zip(self.calls, self.replay.records, strict=True)
            ),
            initial_states=self.scenario.states,
            end_states=self.replay.states,
        )

    def run(self, order: Sequence[int] | None = None) -> Replay | None:
        """Run the calls again in an order; None when one fails or the end states differ."""
        return self._run(self.calls, order)

    def run_changed(self, index: int, name: str, value: JsonValue) -> Replay | None:
        """Run with one argument changed; None when a call fails or the end states differ."""
        call = self.calls[index]
        changed = call.model_copy(update={"arguments": {**call.arguments, name: value}})
        calls = (*self.calls[:index], changed, *self.calls[index + 1 :])
        return self._run(calls, None)

    def _run(self, calls: Sequence[ToolCall], order: Sequence[int] | None) -> Replay | None:
        again = replay_calls(self.scenario, calls, self.catalog, order, self.replay.produced)
        same = again.is_clean and compare_states(self.outcome, again.states, 0).is_equal
        return again if same else None

    def _source_of(self, value: JsonValue, index: int) -> int | None:
        if not isinstance(value, str):
            return None
        for earlier in range(index):
            if value in self.replay.produced[earlier]:
                return earlier
        if not _looks_like_id(value):
            return None
        for earlier in range(index):
            shown = text_leaves(self.replay.records[earlier].result)
            if any(value == leaf for _, leaf in shown):
                return earlier
        return None


def partial_order(recording: Recording) -> list[tuple[int, ...]]:
    """Return for each call the calls that must come before it.

    These are the calls it takes ids from, and every call of the same environment that it cannot
    be swapped with: the replay in the other order fails or differs.
    """
    needs = [set(found) for found in recording.needs]
    for later in range(len(recording.calls)):
        for earlier in range(later):
            if earlier in needs[later] or not _may_interfere(recording, earlier, later):
                continue
            if not _can_swap(recording, needs, earlier, later):
                needs[later].add(earlier)
    return [tuple(sorted(found)) for found in needs]


def masked_arguments(
    recording: Recording, perturbations: int, rng: random.Random
) -> list[tuple[str, ...]]:
    """Return for each call the arguments whose value provably does not change the outcome.

    An argument is masked when every other value that was tried lets all calls succeed, leaves the
    same end states, still shows what later calls take from the result, and, where nothing is
    taken from it, gives the same result. Identifiers are never masked, and neither is what the user
    does: nobody but the user chooses it.

    Args:
        recording: The calls as they were run.
        perturbations: How many other values are tried.
        rng: Draws them.
    """
    masks: list[tuple[str, ...]] = []
    for index, call in enumerate(recording.calls):
        tool = recording.catalog.tools[call.tool]
        values = ArgumentValues(tool, recording.scenario.states, rng)
        masked: list[str] = []
        for parameter in tool.inputs:
            if parameter.path not in call.arguments or parameter.identifier:
                continue
            if call.actor == "user":
                continue
            own = call.arguments[parameter.path]
            others = [value for value in values.candidates(parameter) if value != own]
            tried = others[:perturbations]
            if tried and all(_is_same(recording, index, parameter.path, value) for value in tried):
                masked.append(parameter.path)
        masks.append(tuple(masked))
    return masks


def _may_interfere(recording: Recording, first: int, second: int) -> bool:
    one, other = recording.replay.records[first], recording.replay.records[second]
    same = one.tool.split("__")[0] == other.tool.split("__")[0]
    return same and "write" in (one.effect, other.effect)


def _can_swap(recording: Recording, needs: Sequence[set[int]], earlier: int, later: int) -> bool:
    order = _order_with_later_first(len(recording.calls), needs, earlier, later)
    swapped = recording.run(order) if order is not None else None
    if swapped is None:
        return False
    pairs = zip(recording.replay.produced, swapped.produced, strict=True)
    names = {new: old for olds, news in pairs for old, new in zip(olds, news, strict=False)}
    return all(
        _same_result(old.result, new.result, names)
        for old, new in zip(recording.replay.records, swapped.records, strict=True)
    )


def _same_result(old: JsonValue, new: JsonValue, names: Mapping[str, str]) -> bool:
    return renamed(new, names) == old


def _order_with_later_first(
    count: int, needs: Sequence[set[int]], earlier: int, later: int
) -> list[int] | None:
    """Return an order that keeps all needs and runs `later` before `earlier`; None without one."""
    required = _closure(needs, later)
    if earlier in required:
        return None
    moved = [index for index in range(count) if index in required or index < earlier]
    rest = [index for index in range(earlier, count) if index not in required and index != later]
    return [*moved, later, *rest]


def _closure(needs: Sequence[set[int]], index: int) -> set[int]:
    found: set[int] = set()
    waiting = list(needs[index])
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += needs[current]
    return found


def _is_same(recording: Recording, index: int, name: str, value: JsonValue) -> bool:
    attempt = recording.run_changed(index, name, value)
    if attempt is None:
        return False
    takers = [later for later, sources in enumerate(recording.needs) if index in sources]
    old, new = recording.replay.records[index].result, attempt.records[index].result
    if takers:
        shown = {str(leaf) for _, leaf in text_leaves(new)}
        if not all(_taken(recording.calls[later], old) <= shown for later in takers):
            return False
    elif new != old:
        return False
    following = range(index + 1, len(recording.calls))
    return all(
        attempt.records[later].result == recording.replay.records[later].result
        for later in following
    )


def _taken(call: ToolCall, result: JsonValue) -> set[str]:
    shown = {str(leaf) for _, leaf in text_leaves(result)}
    return {str(value) for _, value in text_leaves(dict(call.arguments))} & shown


def _looks_like_id(value: str) -> bool:
    return "-" in value and " " not in value and any(mark.isdigit() for mark in value)
