"""The topology-aware sampler: chains in which every input can be had."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.tool_graphs import CrossDomainLink, ToolGraphEdge, ToolParameter
from envfactory_assets.stages.chains.compiled_graph import CompiledGraph
from envfactory_assets.stages.chains.draft import ChainOrigin, Draft, SampleOutcome, as_record
from envfactory_assets.stages.chains.growth import Grower
from envfactory_assets.stages.chains.settings import SamplerSettings
from envfactory_assets.stages.chains.trial import ChainTrial
from envfactory_assets.stages.chains.turns import split_turns

_READ_ONLY_REASON = "reads only, beyond the share of such chains"
_DUPLICATE_REASON = "the same tools with the same bindings again"
_MAX_TRIALS = 4
_REGROWING = 2


def sample_chains(
    parameters: Sequence[ToolParameter],
    edges: Sequence[ToolGraphEdge],
    links: Sequence[CrossDomainLink],
    settings: SamplerSettings,
    seed: int,
    domain: str,
    trial: ChainTrial | None = None,
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
        trial: Carries each chain out before it is taken; a step that never succeeds is cut out
            with all that rests on it, and its bindings become less likely. Without one, a
            satisfiable chain may still be refused by the rules of its service.
    """
    own = [row for row in parameters if row.domain == domain]
    within = CompiledGraph.compile(own, [edge for edge in edges if edge.domain == domain])
    across = CompiledGraph.compile(parameters, edges, links)
    rng = random.Random(f"chains:{domain}:{seed}")
    return _Sample(
        settings=settings,
        rng=rng,
        origin=ChainOrigin(domain, seed, "topology"),
        within=Grower(within, settings, rng, domain),
        across=Grower(across, settings, rng, domain),
        trial=trial,
    ).draw()


@dataclass(slots=True)
class _Sample:
    """The drawing of one domain's chains."""

    settings: SamplerSettings
    rng: random.Random
    origin: ChainOrigin
    within: Grower
    across: Grower
    trial: ChainTrial | None
    seen: set[object] = field(default_factory=set[object])
    rejections: Counter[str] = field(default_factory=Counter[str])
    read_only: int = 0

    def draw(self) -> SampleOutcome:
        wanted = self.settings.chains_per_domain
        limit = wanted * self.settings.attempts_per_chain
        attempts = 0
        chains: list[tuple[SampledChain, bool]] = []
        while self.within.has_goals and len(chains) < wanted and attempts < limit:
            attempts += 1
            crosses = bool(self.across.links) and (
                self.rng.random() < self.settings.cross_domain_probability
            )
            grower = self.across if crosses else self.within
            draft = Draft()
            reason = grower.grow(draft, crosses=crosses, must_write=not self._may_read_only())
            taken = reason or self._take(draft, grower)
            if isinstance(taken, str):
                self.rejections[taken] += 1
            else:
                chains.append(taken)
        return SampleOutcome(
            chains=tuple(self._within_share(chains)),
            rejections=dict(sorted(self.rejections.items())),
            attempts=attempts,
        )

    def _take(self, draft: Draft, grower: Grower) -> tuple[SampledChain, bool] | str:
        """Return the row of a draft and whether it writes, or why it is no chain."""
        failure = ""
        length = len(draft.tools)
        for number in range(_MAX_TRIALS):
            reason = self._unfit(draft, grower)
            if reason:
                return failure or reason
            self.seen.add(grower.identity(draft))
            chain = as_record(
                draft, split_turns(len(draft.tools), self.rng), grower.graph, self.origin
            )
            failing = self.trial.failing_step(chain) if self.trial else None
            if self.trial:
                grower.requirements.experience.note(draft, failing)
            if failing is None:
                return self._count(chain, draft, grower)
            failure = f"{chain.tools[failing]} never succeeds after the steps before it"
            draft = draft.without(failing)
            if number < _REGROWING:
                grower.extend(draft, length)
        return failure

    def _count(
        self, chain: SampledChain, draft: Draft, grower: Grower
    ) -> tuple[SampledChain, bool]:
        for tool in draft.tools:
            grower.uses[tool] += 1
        writes = grower.writes(draft)
        self.read_only += not writes
        return chain, writes

    def _unfit(self, draft: Draft, grower: Grower) -> str:
        if len(draft.tools) < self.settings.min_tools:
            return f"shorter than {self.settings.min_tools} tools"
        if reason := grower.strayed(draft):
            return reason
        if not grower.writes(draft) and not self._may_read_only():
            return _READ_ONLY_REASON
        if grower.identity(draft) in self.seen:
            return _DUPLICATE_REASON
        return ""

    def _may_read_only(self) -> bool:
        allowed = self.settings.max_read_only_share * self.settings.chains_per_domain
        return not self.within.can_write or self.read_only + 1 <= allowed

    def _within_share(self, chains: Sequence[tuple[SampledChain, bool]]) -> list[SampledChain]:
        """Drop the latest read-only chains of a sample that came out smaller than asked for."""
        share = self.settings.max_read_only_share
        if not self.within.can_write or share == 1:
            return [chain for chain, _ in chains]
        writing = sum(writes for _, writes in chains)
        allowed = math.floor(writing * share / (1 - share) + 1e-9)
        kept: list[SampledChain] = []
        for chain, writes in chains:
            if not writes and allowed <= 0:
                self.rejections[_READ_ONLY_REASON] += 1
                continue
            allowed -= not writes
            kept.append(chain)
        return kept
