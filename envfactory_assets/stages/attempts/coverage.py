"""What the declared cases of an environment must have, and what some cases lack of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from sandboxes.core.tool import Tool
from sandboxes.verification.cases import Case, Complexity

COMPLEXITIES: tuple[Complexity, ...] = get_args(Complexity)


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is lacking.

    Attributes:
        complexities: Kinds of cases that there are none of.
        outcomes: Tools by short name and the outcome (`ok`, `refused`) that no case expects of it.
    """

    complexities: tuple[Complexity, ...]
    outcomes: tuple[tuple[str, str], ...]

    def __bool__(self) -> bool:
        """Whether anything is lacking."""
        return bool(self.complexities or self.outcomes)

    def describe(self) -> str:
        """Return what is lacking in one line."""
        kinds = [f"a {kind} case" for kind in self.complexities]
        calls = [f"a call of {tool} with expect {outcome!r}" for tool, outcome in self.outcomes]
        return "; ".join([*kinds, *calls])


def takes_id(tool: Tool) -> bool:
    """Return whether a tool takes an id that only another tool can give."""
    return any(p.identifier is not None and not p.speakable for p in tool.inputs)


def gaps(tools: Sequence[Tool], cases: Sequence[Case]) -> Gaps:
    """Return what cases lack: a kind, a call that is carried out, a refusal of an id."""
    kinds = {case.complexity for case in cases}
    seen = {(call.tool, call.expect) for case in cases for call in case.calls}
    return Gaps(
        complexities=tuple(kind for kind in COMPLEXITIES if kind not in kinds),
        outcomes=tuple(
            (tool.name, outcome)
            for tool in tools
            for outcome in (("ok", "refused") if takes_id(tool) else ("ok",))
            if (tool.name, outcome) not in seen
        ),
    )


def closing(cases: Sequence[Case], gap: Gaps) -> tuple[Case, ...]:
    """Return those of some cases that close a gap, each gap once."""
    kinds, outcomes = set[str](gap.complexities), set(gap.outcomes)
    chosen: list[Case] = []
    for case in cases:
        closed = {(call.tool, call.expect) for call in case.calls} & outcomes
        if closed or case.complexity in kinds:
            chosen.append(case)
            kinds.discard(case.complexity)
            outcomes -= closed
    return tuple(chosen)
