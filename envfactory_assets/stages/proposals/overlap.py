"""How much of a proposal is there already: tools of the same meaning, each counted once.

Two tools are the same when the embedding of `name: description` says so; the best assignment
pairs them one to one. The overlap is the share of the proposal's tools that find a partner.

The thresholds were set on paraphrased copies of the seven shipped environments and on neighbouring
services (an auction house beside the shop, flights beside hotels), the last step with a second set
in view: with the packaged model all 12 copies reach an overlap of 0.5 or more, none of 17 neighbours more than
0.44 (`benchmarks/proposal_overlap.py` measures it anew). A hashing model knows no
paraphrases: it finds copies in much the same words only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.proposals.identifiers import spoken
from envfactory_resources.clients.embedding.embedding_model import EmbeddingModel
from envfactory_resources.clients.embedding.model_source import PACKAGED_MODEL
from envfactory_resources.clients.embedding.similarity_threshold import similarity_threshold
from sandboxes.core.catalog import Catalog, Origin

TOOL_THRESHOLDS: Mapping[str, float] = MappingProxyType({PACKAGED_MODEL: 0.55, "hashing-256": 0.5})
DUPLICATE_OVERLAP = 0.5
_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Service:
    """What a service offers, for comparing.

    Attributes:
        environment_id: The environment, there or proposed.
        tools: Descriptions by name.
        origin: Origin of the environment, or of the proposal.
    """

    environment_id: str
    tools: Mapping[str, str]
    origin: Origin = "shipped"

    def is_made_from(self, proposal: EnvironmentProposal) -> bool:
        """Whether this environment is what became of a proposal."""
        return (self.environment_id, self.origin) == (proposal.environment_id, proposal.origin)


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of a proposal is there already.

    Attributes:
        share: Share of its tools that the nearest service has, in [0, 1].
        nearest: The environment id of that service; None when none has any.
        pairs: The tools that are the same, proposed and there.
    """

    share: float
    nearest: str | None
    pairs: tuple[tuple[str, str], ...]

    @property
    def is_duplicate(self) -> bool:
        """Whether too little of it is new."""
        return self.share >= DUPLICATE_OVERLAP


NO_OVERLAP = Overlap(0.0, None, ())


class _Solver(Protocol):
    """The best assignment, which carries no types of its own."""

    def __call__(
        self, worth: npt.NDArray[np.float64], *, maximize: bool
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]: ...


class OverlapMeasure:
    """Compares services by the meaning of their tools."""

    def __init__(
        self, model: EmbeddingModel, thresholds: Mapping[str, float] | None = None
    ) -> None:
        """Take what measures.

        Args:
            model: What measures similarity.
            thresholds: From which cosine on two tools are the same, by model id; they win over
                the measured ones.

        Raises:
            UnknownThresholdError: If neither knows the model.
        """
        self._model = model
        self._threshold = similarity_threshold(
            model.model_id, {**TOOL_THRESHOLDS, **(thresholds or {})}
        )

    def overlap(self, service: Service, others: Iterable[Service]) -> Overlap:
        """Return the overlap with that one of some services that has most of it."""
        found = (self._with(service, other) for other in others)
        # The first of equals, so that the order of the others decides.
        return max(found, key=lambda overlap: overlap.share, default=NO_OVERLAP)

    def _with(self, service: Service, other: Service) -> Overlap:
        # Imported here: loading definitions must not pay for it.
        from scipy import optimize

        if not service.tools or not other.tools:
            return NO_OVERLAP
        cosines = self._vectors(service) @ self._vectors(other).T
        same = cosines >= self._threshold
        # One more pair outweighs any gain in similarity.
        worth = np.where(same, 1.0, 0.0) + cosines / (10 * min(cosines.shape))
        solve = cast("_Solver", optimize.linear_sum_assignment)  # pyright: ignore[reportUnknownMemberType]
        rows, columns = solve(worth, maximize=True)
        names, other_names = list(service.tools), list(other.tools)
        chosen: list[tuple[int, int]] = list(zip(rows.tolist(), columns.tolist(), strict=True))
        pairs = tuple(
            (names[row], other_names[column]) for row, column in chosen if same[row, column]
        )
        share = round(len(pairs) / len(names), _DECIMALS)
        return Overlap(share, other.environment_id, pairs) if pairs else NO_OVERLAP

    def _vectors(self, service: Service) -> npt.NDArray[np.float64]:
        texts = [f"{spoken(name)}: {said}" for name, said in service.tools.items()]
        return np.asarray(self._model.encode(texts), dtype=np.float64)


def pool_services(catalog: Catalog) -> list[Service]:
    """Return every environment of a catalog as a service, in order of id.

    Raises:
        SandboxError: If an environment cannot be loaded.
    """
    found: list[Service] = []
    for source in catalog.sources:
        tools = catalog.load(source.environment_id).tools.values()
        described = {tool.name: tool.description for tool in tools}
        found.append(Service(source.environment_id, described, source.origin))
    return found


def service_of(proposal: EnvironmentProposal) -> Service:
    """Return a proposal as a service."""
    tools = {tool.name: tool.description for tool in proposal.tools}
    return Service(proposal.environment_id, tools, proposal.origin)


def mark_duplicates(
    proposals: Sequence[EnvironmentProposal], pool: Sequence[Service], measure: OverlapMeasure
) -> list[EnvironmentProposal]:
    """Return the proposals with their overlap, those marked that the pool or an earlier one has.

    Args:
        proposals: In order of precedence: an earlier one makes a later one a duplicate.
        pool: What is there; what was made from a proposal does not count against it.
        measure: What measures.
    """
    earlier: list[Service] = []
    marked: list[EnvironmentProposal] = []
    for proposal in proposals:
        service = service_of(proposal)
        others = [item for item in pool if not item.is_made_from(proposal)]
        overlap = measure.overlap(service, [*others, *earlier])
        changes: dict[str, object] = {"overlap": overlap.share, "nearest": overlap.nearest}
        if overlap.is_duplicate:
            changes |= {
                "status": "duplicate",
                "status_reason": _reason(overlap, len(service.tools)),
            }
        else:
            earlier.append(service)
        marked.append(proposal.model_copy(update=changes))
    return marked


def _reason(overlap: Overlap, tool_count: int) -> str:
    examples = ", ".join(f"{own} is {other}" for own, other in overlap.pairs[:3])
    return (
        f"{overlap.nearest} has {len(overlap.pairs)} of its {tool_count} tools already "
        f"({examples}); {DUPLICATE_OVERLAP:.0%} make a duplicate."
    )
