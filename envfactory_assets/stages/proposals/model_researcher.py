"""The researcher as a language model plays it."""

from collections.abc import Sequence
from typing import Literal

from envfactory_assets.records.proposals import EnvironmentProposal, ProposalSource
from envfactory_assets.stages.attempts.token_counts import counted
from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.proposals.coverage import Coverage
from envfactory_assets.stages.proposals.coverage_text import coverage_text
from envfactory_assets.stages.proposals.draft_faults import draft_faults
from envfactory_assets.stages.proposals.proposal_draft import ProposalDraft, proposal_of
from envfactory_assets.stages.proposals.research_conversation import ResearchConversation
from envfactory_assets.stages.proposals.research_settings import ResearchSettings
from envfactory_assets.stages.proposals.researcher import DroppedProposal, Research
from envfactory_assets.stages.proposals.search_tools import (
    ClientSearch,
    EndpointSearch,
    NoSearch,
    SearchTools,
)
from envfactory_assets.stages.proposals.seen_pages import SeenPages
from envfactory_assets.stages.tool_graphs.descriptions import bullets
from envfactory_resources.clients.language_model.usage import Usage
from envfactory_resources.clients.web_search.web_search import WebSearch

_DEFAULT_SETTINGS = ResearchSettings()


class ModelResearcher:
    """Proposes services by asking a model that searches and reads; one conversation a proposal.

    Conversations follow each other, since each is told what the ones before proposed.
    """

    def __init__(
        self,
        role: ModelRole,
        search: WebSearch | Literal["endpoint"] | None,
        settings: ResearchSettings = _DEFAULT_SETTINGS,
    ) -> None:
        """Take who is asked and what it searches with.

        Args:
            role: The researcher and its model.
            search: Whom to search with; `endpoint` for Anthropic's own tools; None for none, so
                that no proposal has sources.
            settings: The bounds of a conversation.
        """
        self._role = role
        self._search = search
        self._settings = settings

    @property
    def made_by(self) -> str:
        """Role and model."""
        return self._role.made_by

    def propose(
        self,
        domain: str,
        coverage: Coverage,
        count: int,
        earlier: Sequence[EnvironmentProposal] = (),
    ) -> Research:
        """Propose up to `count` services, one after the other.

        An endpoint that cannot be reached ends it; what was proposed before is kept.

        Raises:
            RequestError: If the endpoint refuses the key or the request.
        """
        proposals: list[EnvironmentProposal] = []
        dropped: list[DroppedProposal] = []
        notes: list[str] = []
        usages: list[Usage] = []
        for number in range(1, count + 1):
            known = [*earlier, *proposals]
            search = self._search_tools()
            taken = _taken_names(coverage, known)
            conversation = ResearchConversation(
                self._role, search, self._settings, lambda draft, taken=taken: _faults(draft, taken)
            )
            question = _question(coverage, known, taken, number, count)
            ended = conversation.run(question)
            usages += conversation.usages
            if isinstance(ended, DroppedProposal):
                dropped.append(ended)
                if ended.reason == "unreachable":
                    break
            else:
                sources, unseen = _sources(ended, search.seen)
                notes += [f"{domain}.{ended.name}: {said}" for said in unseen]
                proposals.append(proposal_of(ended, domain, self.made_by, sources))
        return Research(tuple(proposals), tuple(dropped), tuple(notes), counted(usages))

    def _search_tools(self) -> SearchTools:
        if self._search is None:
            return NoSearch()
        if isinstance(self._search, str):
            return EndpointSearch(self._settings)
        return ClientSearch(self._search, self._settings)


def _taken_names(coverage: Coverage, known: Sequence[EnvironmentProposal]) -> list[str]:
    ids = [*coverage.elsewhere, *(item.environment_id for item in coverage.environments)]
    return sorted({item.split(".")[1] for item in ids} | {item.name for item in known})


def _faults(draft: ProposalDraft, taken: Sequence[str]) -> list[str]:
    faults = draft_faults(draft)
    if draft.name in taken:
        faults.insert(0, f"The name {draft.name!r} is taken; choose another service, or name.")
    return faults


def _question(
    coverage: Coverage,
    known: Sequence[EnvironmentProposal],
    taken: Sequence[str],
    number: int,
    count: int,
) -> str:
    parts = [coverage_text(coverage)]
    if known:
        listed = bullets(
            f"{item.name}: {item.service} Tools: {', '.join(tool.name for tool in item.tools)}."
            for item in known
        )
        parts.append(f"Proposed already, so propose something else:\n{listed}")
    parts.append(f"Names that are taken: {', '.join(taken) or 'none'}.")
    parts.append(f"Make proposal {number} of {count} for the domain {coverage.domain}.")
    return "\n\n".join(parts)


def _sources(draft: ProposalDraft, seen: SeenPages) -> tuple[tuple[ProposalSource, ...], list[str]]:
    """Return the sources that were really seen, each once, and what is to be said of the rest."""
    kept: dict[str, ProposalSource] = {}
    unseen: list[str] = []
    for source in draft.sources:
        title = seen.title_of(source.address)
        if title is None:
            unseen.append(
                f"the source {source.address[:200]!r} is left out, as no search found it and it "
                "was not read."
            )
        else:
            address = source.address.strip()
            kept.setdefault(address, ProposalSource(title=source.title or title, address=address))
    return tuple(kept.values()), unseen
