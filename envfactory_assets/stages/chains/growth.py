"""Growing one chain: first goal, merged branches, steps that follow along the edges."""

import random
from collections.abc import Sequence

from envfactory_assets.stages.chains.compiled_graph import CompiledGraph, Successor
from envfactory_assets.stages.chains.draft import Draft
from envfactory_assets.stages.chains.requirements import Demand, Requirements
from envfactory_assets.stages.chains.settings import SamplerSettings

_WRITE_PREFERENCE = 3.0


class Grower:
    """Grows the chains of one domain on one graph, rare tools and tools that write first."""

    def __init__(
        self, graph: CompiledGraph, settings: SamplerSettings, rng: random.Random, domain: str
    ) -> None:
        """Work out once where chains may start and what may follow.

        Args:
            graph: The domain's tools, and those of other domains that links may reach.
            settings: Limits and probabilities.
            rng: The only source of chance.
            domain: Whose tools may be goals; others come in as prerequisites or along links.
        """
        tools = graph.tools
        own = [index for index, tool in enumerate(tools) if tool.domain == domain]
        self.graph = graph
        self.uses = [0] * len(tools)
        self.requirements = Requirements(graph, settings, rng, self.uses)
        self._domain = domain
        self._settings = settings
        self._rng = rng
        self._goals = own
        self._writing_goals = [index for index in own if tools[index].writes]
        self._reachable = [index for index in own if graph.depths[index] <= settings.max_depth]
        reachable = set(self._reachable)
        self._successors: list[list[Successor]] = [
            [item for item in tool.successors if item.tool in reachable] for tool in tools
        ]
        self.links = [
            link
            for link in graph.links
            if domain in (tools[link.source_tool].domain, tools[link.target_tool].domain)
        ]

    @property
    def has_goals(self) -> bool:
        """Whether the domain has any tool."""
        return bool(self._goals)

    @property
    def can_write(self) -> bool:
        """Whether a tool of the domain that writes can have its inputs met."""
        return any(self.graph.tools[index].writes for index in self._reachable)

    def writes(self, draft: Draft) -> bool:
        """Whether a step of a draft writes."""
        return any(self.graph.tools[tool].writes for tool in draft.tools)

    def strayed(self, draft: Draft) -> str:
        """Return why a draft does not belong to the domain, or an empty text.

        Tools of other domains are there for what a link hands over; cutting may have taken the
        other end away.
        """
        domains = [self.graph.tools[tool].domain for tool in draft.tools]
        if self._domain not in domains:
            return f"no tool of {self._domain} is left"
        is_linked = any(domains[target] != domains[step] for target, _, step, _ in draft.bindings)
        if len(set(domains)) > 1 and not is_linked:
            return "nothing joins the tools of the two domains any more"
        return ""

    def identity(self, draft: Draft) -> tuple[object, ...]:
        """Return what makes two chains duplicates: the same tools, bound the same way."""
        names = tuple(self.graph.tools[tool].name for tool in draft.tools)
        return names, tuple(sorted(draft.bindings))

    def grow(self, draft: Draft, *, crosses: bool, must_write: bool) -> str:
        """Fill an empty draft.

        Args:
            draft: The draft.
            crosses: Start from a cross-domain link.
            must_write: Start from a goal that writes.

        Returns:
            Why the first goal cannot be met, or an empty text.
        """
        reason = self._add_first_goal(draft, crosses=crosses, must_write=must_write)
        if reason:
            return reason
        longest = self._settings.max_tools
        length = self._rng.randint(min(self._settings.min_tools, longest), longest)
        for _ in range(self._rng.randint(1, self._settings.max_branches) - 1):
            if len(draft.tools) < length:
                self._add_branch(draft)
        self.extend(draft, length)
        return ""

    def extend(self, draft: Draft, length: int) -> None:
        """Add tools that follow from the steps until a draft is long enough or none follows."""
        while len(draft.tools) < length and self._extend(draft):
            pass

    def _add_first_goal(self, draft: Draft, *, crosses: bool, must_write: bool) -> str:
        if crosses:
            link = self._rng.choice(self.links)
            goal = link.target_tool
            demand = Demand(link.target_path, link.source_tool, link.source_path)
            reason = self.requirements.add(draft, goal, demand)
        else:
            goal = self._pick(self._writing_goals if must_write else self._goals)
            reason = self.requirements.add(draft, goal)
        if reason:
            # A goal that cannot be met is not tried over and over.
            self.uses[goal] += 1
        else:
            draft.goals.append(len(draft.tools) - 1)
        return reason

    def _add_branch(self, draft: Draft) -> None:
        goals = [tool for tool in self._reachable if tool not in draft.tools]
        if goals and not self.requirements.add(draft, self._pick(goals)):
            draft.goals.append(len(draft.tools) - 1)

    def _extend(self, draft: Draft) -> bool:
        """Add one tool that follows from a step, the latest that has any; say whether it went."""
        for step in range(len(draft.tools) - 1, -1, -1):
            source = draft.tools[step]
            followers = [
                item for item in self._successors[source] if _may_follow(draft, step, item)
            ]
            if not followers:
                continue
            target = self._pick(sorted({item.tool for item in followers}))
            follower = self._rng.choice([item for item in followers if item.tool == target])
            if not self.requirements.add(draft, target, self._demand_of(source, follower)):
                return True
        return False

    def _demand_of(self, source: int, follower: Successor) -> Demand | None:
        """Return the input that must take the output which led here.

        An input that only tools give is bound anyway, and better with a view to the others.
        """
        if not follower.target_path:
            return None
        needs = self.graph.tools[follower.tool].required
        is_internal = any(
            need.path == follower.target_path and not need.is_external for need in needs
        )
        if is_internal and follower.tool != source:
            return None
        return Demand(follower.target_path, source, follower.source_path)

    def _pick(self, candidates: Sequence[int]) -> int:
        tools = self.graph.tools
        weights = [
            (_WRITE_PREFERENCE if tools[tool].writes else 1.0) / (1 + self.uses[tool])
            for tool in candidates
        ]
        return self._rng.choices(candidates, weights)[0]


def _may_follow(draft: Draft, step: int, item: Successor) -> bool:
    if item.tool not in draft.tools:
        return True
    # Only a listing that narrows itself may come twice, and only once more.
    narrows_itself = item.tool == draft.tools[step] and bool(item.target_path)
    return narrows_itself and draft.tools.count(item.tool) == 1
