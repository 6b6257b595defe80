"""What the reward reads and returns.

Plain frozen dataclasses, not Pydantic models: a trainer builds them by the thousand from data that
the session has validated. Pydantic's `TypeAdapter(Reference)` writes and reads them as JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self

from pydantic import JsonValue

from envfactory_assets.stages.reward.changes import (
    States,
    states_equal,
)
from envfactory_assets.stages.reward.errors import InvalidReferenceError
from envfactory_assets.stages.reward.outcome import Outcome
from envfactory_assets.stages.reward.values import ids_in
from sandboxes.core.session import CallRecord

Effect = Literal["read", "write"]
Actor = Literal["agent", "user"]


@dataclass(frozen=True, slots=True)
class ReferenceCall:
    """One call of the reference.

    Attributes:
        tool: The wire name, `environment__tool`.
        arguments: The validated arguments with defaults filled in.
        effect: The tool's effect.
        masked: Names of arguments whose value does not matter.
        after: Indexes of the reference calls that must come before this one.
        produced: Ids that the call created.
        identifiers: Names of arguments declared as ids; those that look like ids need no mention.
        actor: Who makes it. What the user does an attempt need not do, only bring about.
    """

    tool: str
    arguments: Mapping[str, JsonValue]
    effect: Effect
    masked: tuple[str, ...] = ()
    after: tuple[int, ...] = ()
    produced: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    actor: Actor = "agent"


@dataclass(frozen=True)
class Reference:
    """The trajectory kept as ground truth, and the states it leads from and to.

    Attributes:
        calls: The calls in the order in which they were made.
        initial_states: The state of every environment of the session at its start.
        end_states: The same at its end.
        is_refusal: Whether writing nothing is right; the calls may then be empty.
    """

    calls: tuple[ReferenceCall, ...]
    initial_states: States
    end_states: States
    is_refusal: bool = False

    def __post_init__(self) -> None:
        """Refuse what no attempt could be scored against."""
        if not self.calls and not self.is_refusal:
            raise InvalidReferenceError(
                "The reference has no calls; give at least one, or mark it with is_refusal=True."
            )
        if self.initial_states.keys() != self.end_states.keys():
            raise InvalidReferenceError(
                f"The reference starts with {sorted(self.initial_states)} and ends with "
                f"{sorted(self.end_states)}; give both states of every environment."
            )
        if self.is_refusal and not states_equal(self.initial_states, self.end_states):
            raise InvalidReferenceError(
                "The reference is a refusal and yet changes a state; its end states must be its "
                "initial states."
            )
        for index, call in enumerate(self.calls):
            if not all(0 <= earlier < index for earlier in call.after):
                allowed = f"0 to {index - 1}, are" if index else "none is"
                raise InvalidReferenceError(
                    f"Reference call {index} ({call.tool!r}) comes after {call.after}; only calls "
                    f"before it, {allowed} allowed."
                )

    @cached_property
    def outcome(self) -> Outcome:
        """What the reference did to the states."""
        return Outcome.between(self.initial_states, self.end_states)

    @cached_property
    def mentioned(self) -> tuple[str, ...]:
        """The created ids that the arguments of the calls mention, in order."""
        created = self.outcome.created
        return tuple(
            dict.fromkeys(
                found
                for call in self.calls
                for value in call.arguments.values()
                for found in ids_in(value, created)
            )
        )

    @cached_property
    def ancestors(self) -> tuple[frozenset[int], ...]:
        """For each call the calls that must come before it, directly or not."""
        found: list[frozenset[int]] = []
        for call in self.calls:
            found.append(frozenset(call.after).union(*(found[index] for index in call.after)))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class AttemptedCall:
    """One call of an attempt and its outcome.

    Attributes:
        tool: The wire name that was called.
        arguments: The arguments as they were given.
        bound: The validated arguments with defaults filled in; None when they were refused.
        ok: Whether the call was carried out.
        effect: The tool's effect.
        error: The sentence the model got; None when the call was carried out.
        produced: Ids that the call created; they may be left out.
        actor: Who made it.
    """

    tool: str
    arguments: Mapping[str, JsonValue]
    bound: Mapping[str, JsonValue] | None
    ok: bool
    effect: Effect
    error: str | None = None
    produced: tuple[str, ...] = ()
    actor: Actor = "agent"

    @classmethod
    def of(cls, record: CallRecord, produced: tuple[str, ...] = ()) -> Self:
        """Return a call of a session, with the ids that it created where they are known."""
        return cls(
            tool=record.tool,
            arguments=record.arguments,
            bound=record.bound,
            ok=record.ok,
            effect=record.effect,
            error=record.error,
            produced=produced,
            actor=record.actor,
        )


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a policy or a solver did in its own session of the task.

    Attributes:
        calls: Every call in order, the refused ones too.
        end_states: The state of every environment at the end.
        format_errors: How many calls could not be read at all.
    """

    calls: tuple[AttemptedCall, ...]
    end_states: States
    format_errors: int = 0


@dataclass(frozen=True, slots=True)
class MatchedCall:
    """A reference call and the attempted call that stands for it.

    Attributes:
        reference: Index of the reference call.
        attempted: Index of the attempted call.
        credit: What the pair earns of a whole reference call, above 0 and at most 1.
    """

    reference: int
    attempted: int
    credit: float


@dataclass(frozen=True, slots=True)
class Reward:
    """The reward, its components, and why they are what they are.

    Attributes:
        total: alpha * trajectory + (1 - alpha) * state - length - format, in [0, 1].
        trajectory: How well the calls fit the reference, in [0, 1].
        state: How well the end states fit the reference, in [0, 1].
        length: The penalty for redundant calls.
        format: The penalty for malformed calls.
        matched: The pairs of the assignment, in order of the reference.
        unmatched: Indexes of the reference calls that nothing stands for.
        redundant: Indexes of the agent's calls that stand for nothing.
        is_damaged: Whether the attempt changed something that the reference left alone.
        explanation: Plain sentences, one a fault, a bounded number of them.
    """

    total: float
    trajectory: float
    state: float
    length: float
    format: float
    matched: tuple[MatchedCall, ...]
    unmatched: tuple[int, ...]
    redundant: tuple[int, ...]
    is_damaged: bool
    explanation: tuple[str, ...]
