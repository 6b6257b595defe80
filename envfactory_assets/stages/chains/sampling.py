"""The topology-aware sampler: chains in which every input can be had."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.tool_graphs import CrossDomainLink, ToolGraphEdge, ToolParameter
from envfactory_assets.stages.chains.compiled_graph import CompiledGraph, Successor
from envfactory_assets.stages.chains.draft import ChainOrigin, Draft, SampleOutcome, as_record
from envfactory_assets.stages.chains.requirements import Demand, Requirements
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.chains.turns import split_turns

_WRITE_PREFERENCE = 3.0
_READ_ONLY_REASON = "reads only, beyond the share of such chains"
_DUPLICATE_REASON = "the same tools with the same bindings again"


def sample_chains(
    parameters: Sequence[ToolParameter],
    edges: Sequence[ToolGraphEdge],
    links: Sequence[CrossDomainLink],
    settings: SamplerSettings,
    seed: int,
    domain: str,
) -> SampleOutcome:
    """Draw the chains of one domain.

    A chain starts from goals of the domain, tools that write and tools rarely used so far first;
    their prerequisites are added recursively; then it grows along the edges. The same rows and
    seed give the same chains, in whatever order the rows come.

    Args:
        parameters: Labelled leaves of the domain's tools, and of those that links may reach.
        edges: Edges of the same tools; pruned ones are ignored.
        links: Cross-domain feeds; those whose tools have no parameters here are ignored.
        settings: How many, how long, how likely.
        seed: What the sample is drawn from.
        domain: Whose partition the chains are for.
    """
    own = [row for row in parameters if row.domain == domain]
    within = CompiledGraph.compile(own, [edge for edge in edges if edge.domain == domain])
    across = CompiledGraph.compile(parameters, edges, links)
    rng = random.Random(f"chains:{domain}:{seed}")
    return _Sample(
        domain=domain,
        settings=settings,
        rng=rng,
        origin=ChainOrigin(domain, seed, "topology"),
        within=_Walkable(within, settings, rng, domain),
        across=_Walkable(across, settings, rng, domain),
    ).draw()


class _Walkable:
    """A compiled graph with its goals, and how often each tool was used."""

    def __init__(
        self, graph: CompiledGraph, settings: SamplerSettings, rng: random.Random, domain: str
    ) -> None:
        self.graph = graph
        self.uses = [0] * len(graph.tools)
        self.requirements = Requirements(graph, settings, rng, self.uses)
        own = [index for index, tool in enumerate(graph.tools) if tool.domain == domain]
        self.goals = own
        self.writing_goals = [index for index in own if graph.tools[index].writes]
        self.reachable = [index for index in own if graph.depths[index] <= settings.max_depth]
        self.links = [
            link
            for link in graph.links
            if domain
            in (graph.tools[link.source_tool].domain, graph.tools[link.target_tool].domain)
        ]
        reachable = set(self.reachable)
        self.successors: list[list[Successor]] = [
            [item for item in tool.successors if item.tool in reachable] for tool in graph.tools
        ]
        self.can_write = any(graph.tools[index].writes for index in self.reachable)

    def writes(self, draft: Draft) -> bool:
        return any(self.graph.tools[tool].writes for tool in draft.tools)


@dataclass(slots=True)
class _Sample:
    """The drawing of one domain's chains."""

    domain: str
    settings: SamplerSettings
    rng: random.Random
    origin: ChainOrigin
    within: _Walkable
    across: _Walkable
    rejections: Counter[str] = field(default_factory=Counter[str])
    read_only: int = 0

    def draw(self) -> SampleOutcome:
        wanted = self.settings.chains_per_domain
        limit = wanted * self.settings.attempts_per_chain
        attempts = 0
        seen: set[object] = set()
        chains: list[tuple[SampledChain, bool]] = []
        while self.within.goals and len(chains) < wanted and attempts < limit:
            attempts += 1
            crosses = bool(self.across.links) and (
                self.rng.random() < self.settings.cross_domain_probability
            )
            place = self.across if crosses else self.within
            draft = Draft()
            reason = self._attempt(draft, place, crosses=crosses)
            key = (crosses, draft.key())
            if not reason and key in seen:
                reason = _DUPLICATE_REASON
            if reason:
                self.rejections[reason] += 1
                continue
            seen.add(key)
            for tool in draft.tools:
                place.uses[tool] += 1
            turn_sizes = split_turns(len(draft.tools), self.rng)
            writes = place.writes(draft)
            self.read_only += not writes
            chains.append((as_record(draft, turn_sizes, place.graph, self.origin), writes))
        return SampleOutcome(
            chains=tuple(self._within_share(chains)),
            rejections=dict(sorted(self.rejections.items())),
            attempts=attempts,
        )

    def _attempt(self, draft: Draft, place: _Walkable, *, crosses: bool) -> str:
        reason = self._add_first_goal(draft, place, crosses=crosses)
        if reason:
            return reason
        length = self.rng.randint(
            min(self.settings.min_tools, self.settings.max_tools), self.settings.max_tools
        )
        for _ in range(self.rng.randint(1, self.settings.max_branches) - 1):
            if len(draft.tools) >= length:
                break
            self._add_branch(draft, place)
        while len(draft.tools) < length and self._extend(draft, place):
            pass
        if len(draft.tools) < self.settings.min_tools:
            return f"shorter than {self.settings.min_tools} tools"
        if not place.writes(draft) and not self._may_read_only():
            return _READ_ONLY_REASON
        return ""

    def _may_read_only(self) -> bool:
        allowed = self.settings.max_read_only_share * self.settings.chains_per_domain
        return not self.within.can_write or self.read_only + 1 <= allowed

    def _add_first_goal(self, draft: Draft, place: _Walkable, *, crosses: bool) -> str:
        draft.branches = 1
        if crosses:
            link = self.rng.choice(place.links)
            demand = Demand(link.target_path, link.source_tool, link.source_path)
            return place.requirements.add(draft, link.target_tool, demand)
        goals = place.goals if self._may_read_only() else place.writing_goals
        goal = self._pick(goals, place)
        reason = place.requirements.add(draft, goal)
        if reason:
            # A goal that cannot be met is not tried over and over.
            place.uses[goal] += 1
        return reason

    def _add_branch(self, draft: Draft, place: _Walkable) -> None:
        goals = [tool for tool in place.reachable if tool not in draft.tools]
        if goals and not place.requirements.add(draft, self._pick(goals, place)):
            draft.branches += 1

    def _extend(self, draft: Draft, place: _Walkable) -> bool:
        """Add one tool that follows from a step, the latest that has any; say whether it went."""
        for step in range(len(draft.tools) - 1, -1, -1):
            source = draft.tools[step]
            followers = [
                item for item in place.successors[source] if self._may_follow(draft, step, item)
            ]
            if not followers:
                continue
            target = self._pick(sorted({item.tool for item in followers}), place)
            follower = self.rng.choice([item for item in followers if item.tool == target])
            demand = (
                Demand(follower.target_path, source, follower.source_path)
                if follower.target_path
                else None
            )
            if not place.requirements.add(draft, target, demand):
                return True
        return False

    def _may_follow(self, draft: Draft, step: int, item: Successor) -> bool:
        if item.tool not in draft.tools:
            return True
        # Only a listing that narrows itself may come twice, and only once more.
        return item.tool == draft.tools[step] and draft.tools.count(item.tool) == 1

    def _pick(self, candidates: Sequence[int], place: _Walkable) -> int:
        weights = [
            (_WRITE_PREFERENCE if place.graph.tools[tool].writes else 1.0) / (1 + place.uses[tool])
            for tool in candidates
        ]
        return self.rng.choices(candidates, weights)[0]

    def _within_share(self, chains: Sequence[tuple[SampledChain, bool]]) -> list[SampledChain]:
        """Drop the latest read-only chains of a sample that came out smaller than asked for."""
        if not self.within.can_write:
            return [chain for chain, _ in chains]
        share = self.settings.max_read_only_share
        writing = sum(writes for _, writes in chains)
        allowed = len(chains) if share == 1 else math.floor(writing * share / (1 - share) + 1e-9)
        kept: list[SampledChain] = []
        for chain, writes in chains:
            if not writes and allowed <= 0:
                self.rejections[_READ_ONLY_REASON] += 1
                continue
            allowed -= not writes
            kept.append(chain)
        return kept
