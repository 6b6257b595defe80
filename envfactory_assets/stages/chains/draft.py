"""A chain while it is being drawn, by the numbers of its compiled graph."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from envfactory_assets.records.chains import Binding, ExternalValue, SampledChain, SamplerName
from envfactory_assets.stages.chains.compiled_graph import CompiledGraph
from sandboxes.core.canonical import content_hash

MADE_BY = "rules"
_ID_LENGTH = 16

DraftBinding = tuple[int, str, int, str]
"""Target step and leaf, source step and leaf."""

Mark = tuple[int, int, int]
"""How long a draft was, to return to."""


@dataclass(slots=True)
class Draft:
    """The steps so far.

    Attributes:
        tools: The tool of each step.
        levels: How many levels below a goal each step was added.
        bindings: Inputs that take earlier outputs.
        externals: Inputs that the user says, by step and leaf.
        goals: The steps that are merged branches' goals.
    """

    tools: list[int] = field(default_factory=list[int])
    levels: list[int] = field(default_factory=list[int])
    bindings: list[DraftBinding] = field(default_factory=list[DraftBinding])
    externals: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    goals: list[int] = field(default_factory=list[int])

    def mark(self) -> Mark:
        """Return where the draft stands."""
        return len(self.tools), len(self.bindings), len(self.externals)

    def return_to(self, mark: Mark) -> None:
        """Forget every step since a mark."""
        tools, bindings, externals = mark
        del self.tools[tools:], self.levels[tools:]
        del self.bindings[bindings:], self.externals[externals:]

    def append(self, tool: int, level: int) -> int:
        """Add a step and return its place."""
        self.tools.append(tool)
        self.levels.append(level)
        return len(self.tools) - 1

    def key(self) -> tuple[tuple[int, ...], tuple[DraftBinding, ...]]:
        """Return what makes two chains duplicates: the same tools, bound the same way."""
        return tuple(self.tools), tuple(sorted(self.bindings))

    def depth(self) -> int:
        """Return the deepest level of prerequisites that the bindings still show."""
        runs = [0] * len(self.tools)
        for target, _, source, _ in sorted(self.bindings):
            runs[target] = max(runs[target], runs[source] + 1)
        return min(max(self.levels), max(runs))

    def without(self, step: int) -> "Draft":
        """Return this draft without one step and without all that rests on it."""
        gone = {step}
        for target, _, source, _ in sorted(self.bindings):
            if source in gone:
                gone.add(target)
        kept = [place for place in range(len(self.tools)) if place not in gone]
        new = {place: index for index, place in enumerate(kept)}
        return Draft(
            tools=[self.tools[place] for place in kept],
            levels=[self.levels[place] for place in kept],
            bindings=[
                (new[target], path, new[source], leaf)
                for target, path, source, leaf in self.bindings
                if target in new
            ],
            externals=[(new[place], path) for place, path in self.externals if place in new],
            goals=[new[place] for place in self.goals if place in new],
        )


@dataclass(frozen=True, slots=True)
class ChainOrigin:
    """What all chains of one sample share."""

    domain: str
    seed: int
    sampler: SamplerName


@dataclass(frozen=True, slots=True)
class SampleOutcome:
    """The chains of one domain, and what was rejected on the way.

    Attributes:
        chains: Distinct chains, in the order they were drawn; fewer than asked for when the
            graph holds no more or the attempts ran out.
        rejections: Attempts that gave no chain, counted by reason.
        attempts: How many attempts were made.
    """

    chains: tuple[SampledChain, ...]
    rejections: Mapping[str, int]
    attempts: int


def as_record(
    draft: Draft, turn_sizes: tuple[int, ...], graph: CompiledGraph, origin: ChainOrigin
) -> SampledChain:
    """Return the row of a finished draft."""
    tools = [graph.tools[tool] for tool in draft.tools]
    names = tuple(tool.name for tool in tools)
    bindings = sorted(draft.bindings)
    externals = sorted(draft.externals)
    return SampledChain(
        chain_id=chain_id(origin.domain, names, bindings, externals, turn_sizes),
        domain=origin.domain,
        environment_ids=tuple(sorted({tool.environment_id for tool in tools})),
        tools=names,
        bindings=tuple(
            Binding(
                target_step=target_step,
                target_parameter=target,
                source_step=source_step,
                source_parameter=source,
            )
            for target_step, target, source_step, source in bindings
        ),
        externals=tuple(ExternalValue(step=step, parameter=path) for step, path in externals),
        turn_sizes=turn_sizes,
        branch_count=max(1, len(draft.goals)),
        depth=draft.depth(),
        seed=origin.seed,
        sampler=origin.sampler,
        made_by=MADE_BY,
    )


def chain_id(
    domain: str,
    tools: tuple[str, ...],
    bindings: list[DraftBinding],
    externals: list[tuple[int, str]],
    turn_sizes: tuple[int, ...],
) -> str:
    """Return the id that a chain's content gives it; bindings and externals come sorted."""
    digest = content_hash(
        [
            domain,
            list(tools),
            [list(binding) for binding in bindings],
            [list(external) for external in externals],
            list(turn_sizes),
        ]
    )
    return f"chain-{digest[:_ID_LENGTH]}"
