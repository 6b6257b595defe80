"""Adding a tool to a draft with everything it needs: the recursion of the topology sampler."""

import random
from dataclasses import dataclass, field

from envfactory_assets.stages.chains.compiled_graph import CompiledGraph, Need
from envfactory_assets.stages.chains.draft import Draft
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.chains.trial import Experience

_READ_WEIGHT = 4.0
_WRITE_WEIGHT = 1.0
_FEEDER_TRIES = 3


@dataclass(frozen=True, slots=True)
class Demand:
    """One input that must take one output, whatever chance says."""

    path: str
    source_tool: int
    source_path: str


@dataclass(slots=True)
class _Pending:
    """A tool whose inputs are being met, before it becomes a step.

    Attributes:
        tool: The tool.
        level: How many levels below a goal it stands.
        demand: An input that must be fed in one way.
        bound: Inputs met by outputs: path, source step, source leaf.
        said: Inputs met by the user.
    """

    tool: int
    level: int
    demand: Demand | None
    bound: list[tuple[str, int, str]] = field(default_factory=list[tuple[str, int, str]])
    said: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Requirements:
    """Adds tools to drafts so that every step's inputs are given when its turn comes.

    Attributes:
        graph: Where the tools come from.
        settings: Limits and probabilities.
        rng: The only source of chance.
        uses: How often each tool stands in the chains so far; rare ones are preferred.
        experience: What trials have shown of bindings.
        waiting: The tools whose inputs are being met, goal first.
    """

    graph: CompiledGraph
    settings: SamplerSettings
    rng: random.Random
    uses: list[int]
    experience: Experience = field(default_factory=Experience)
    waiting: list[int] = field(default_factory=list[int])

    def add(self, draft: Draft, tool: int, demand: Demand | None = None) -> str:
        """Append a goal and its prerequisites, or nothing.

        Args:
            draft: The chain so far.
            tool: The goal.
            demand: One of the goal's inputs and what must feed it.

        Returns:
            Why it cannot be added, or an empty text.
        """
        self.waiting.clear()
        mark = draft.mark()
        reason = self._add(draft, _Pending(tool, 0, demand))
        if reason:
            draft.return_to(mark)
        return reason

    def _add(self, draft: Draft, pending: _Pending) -> str:
        reason = self._limit(draft, pending.tool)
        if reason:
            return reason
        self.waiting.append(pending.tool)
        required = self.graph.tools[pending.tool].required
        reason = (
            self._meet_demand(draft, pending)
            or self._meet_group(draft, required, pending)
            or self._meet_optional(draft, pending)
        )
        self.waiting.pop()
        if reason:
            return reason
        step = draft.append(pending.tool, pending.level)
        draft.bindings += [(step, path, source, leaf) for path, source, leaf in pending.bound]
        draft.externals += [(step, path) for path in pending.said]
        return ""

    def _limit(self, draft: Draft, tool: int) -> str:
        taken = draft.tools + self.waiting
        if len(taken) >= self.settings.max_tools:
            return f"needs more than {self.settings.max_tools} tools"
        tools = self.graph.tools
        environments = {tools[index].environment_id for index in taken}
        environments.add(tools[tool].environment_id)
        if len(environments) > self.settings.max_environments:
            return f"needs more than {self.settings.max_environments} environments"
        return ""

    def _meet_optional(self, draft: Draft, pending: _Pending) -> str:
        """Meet some optional inputs; one that nothing gives is left out with its group.

        Returns:
            Why the group of an input that is in demand cannot be met, or an empty text.
        """
        demanded = pending.demand.path if pending.demand else None
        for group in self.graph.tools[pending.tool].optional:
            is_demanded = any(need.path == demanded for need in group)
            skips = self.rng.random() < self.settings.skip_optional_probability
            if skips and not is_demanded:
                continue
            mark, bound, said = draft.mark(), len(pending.bound), len(pending.said)
            reason = self._meet_group(draft, group, pending)
            if reason and is_demanded:
                return reason
            if reason:
                draft.return_to(mark)
                del pending.bound[bound:], pending.said[said:]
        return ""

    def _meet_group(self, draft: Draft, group: tuple[Need, ...], pending: _Pending) -> str:
        for need in group:
            reason = self._meet(draft, need, pending)
            if reason:
                return reason
        return ""

    def _meet(self, draft: Draft, need: Need, pending: _Pending) -> str:
        """Give one input its value: from a fresh prerequisite, an earlier step, or the user."""
        if pending.demand is not None and pending.demand.path == need.path:
            return ""
        ready = self._ready(draft, need, pending)
        can_do_without = bool(ready) or need.is_external
        wants_more = self.rng.random() < self.settings.extra_prerequisite_probability
        if wants_more or not can_do_without:
            reason = self._feed(draft, need, pending)
            if not reason or not can_do_without:
                return reason
        binds = self.settings.bind_external_probability
        if ready and (not need.is_external or self.rng.random() < binds):
            step, leaf = self._choose(draft, ready, need, pending)
            pending.bound.append((need.path, step, leaf))
        else:
            pending.said.append(need.path)
        return ""

    def _meet_demand(self, draft: Draft, pending: _Pending) -> str:
        demand = pending.demand
        if demand is None:
            return ""
        if demand.source_tool not in draft.tools:
            reason = self._add(draft, _Pending(demand.source_tool, pending.level + 1, None))
            if reason:
                return reason
        # The latest step of that tool, so that a repeated tool is bound to the step before it.
        step = len(draft.tools) - 1 - draft.tools[::-1].index(demand.source_tool)
        pending.bound.append((demand.path, step, demand.source_path))
        return ""

    def _ready(self, draft: Draft, need: Need, pending: _Pending) -> list[tuple[int, str]]:
        """Return the outputs of earlier steps that can give an input.

        A single value that another input of the same call already takes is no choice: a transfer
        from an account to itself.
        """
        if not need.feeders:
            return []
        taken = {
            (step, leaf) for _, step, leaf in pending.bound if "[]" not in leaf and "{}" not in leaf
        }
        return [
            (step, leaf)
            for step, tool in enumerate(draft.tools)
            if tool in need.feeders
            for leaf in need.feeders[tool]
            if (step, leaf) not in taken
        ]

    def _feed(self, draft: Draft, need: Need, pending: _Pending) -> str:
        """Add a fresh prerequisite that gives an input, and bind it."""
        name = self.graph.tools[pending.tool].name
        if not need.feeders:
            return f"{name} needs {need.path!r}, which no tool gives"
        left = self.settings.max_depth - pending.level - 1
        candidates = [
            tool
            for tool in need.feeders
            if self.graph.depths[tool] <= left
            and tool not in self.waiting
            and tool not in draft.tools
        ]
        reason = f"{name} needs {need.path!r}, which no tool gives within the depth limit"
        for _ in range(min(_FEEDER_TRIES, len(candidates))):
            feeder = self._pick(candidates, need, pending)
            mark = draft.mark()
            reason = self._add(draft, _Pending(feeder, pending.level + 1, None))
            if not reason:
                leaf = self.rng.choice(need.feeders[feeder])
                pending.bound.append((need.path, len(draft.tools) - 1, leaf))
                return ""
            draft.return_to(mark)
            candidates.remove(feeder)
        return reason

    def _choose(
        self, draft: Draft, ready: list[tuple[int, str]], need: Need, pending: _Pending
    ) -> tuple[int, str]:
        """Choose among earlier outputs: those about the same thing first, then promising ones."""
        if len(ready) == 1:
            return ready[0]
        related = _related_steps(draft, pending)
        if related:
            ready = [option for option in ready if option[0] in related] or ready
        weights = [
            self.experience.weight((draft.tools[step], leaf, pending.tool, need.path))
            for step, leaf in ready
        ]
        return self.rng.choices(ready, weights)[0]

    def _pick(self, candidates: list[int], need: Need, pending: _Pending) -> int:
        if len(candidates) == 1:
            return candidates[0]
        weights = [
            (_WRITE_WEIGHT if self.graph.tools[tool].writes else _READ_WEIGHT)
            / (1 + self.uses[tool])
            * max(
                self.experience.weight((tool, leaf, pending.tool, need.path))
                for leaf in need.feeders[tool]
            )
            for tool in candidates
        ]
        return self.rng.choices(candidates, weights)[0]


def _related_steps(draft: Draft, pending: _Pending) -> set[int]:
    """Return the steps whose results speak of what the call is bound to already.

    An order's line belongs to the order: the step that gave the order, and the steps that were
    bound to that step's output.
    """
    if not pending.bound:
        return set()
    given = {(step, leaf) for _, step, leaf in pending.bound}
    about = {target for target, _, step, leaf in draft.bindings if (step, leaf) in given}
    return about | {step for step, _ in given}
