"""Refinement switched off: requests stay as they were drafted."""

from collections.abc import Sequence

from envfactory_assets.records.queries import DraftQuery, RefinedQuery
from sandboxes.core.catalog import Catalog

_DRAFTED = tuple(name for name in DraftQuery.model_fields if name != "made_by")


def unrefined(draft: DraftQuery) -> RefinedQuery:
    """Return a turn as it was drafted: nothing tried, nothing kept back."""
    return RefinedQuery(
        **{name: getattr(draft, name) for name in _DRAFTED},
        made_by=NoRefiner.made_by,
        refined_text=draft.draft_text,
        operations=(),
        disclosures=(),
    )


class NoRefiner:
    """Plays the refiner where refinement is off."""

    made_by = "refiner:off"
    max_concurrency = 1

    def refine(self, drafts: Sequence[DraftQuery], catalog: Catalog) -> list[RefinedQuery]:
        """Return the turns of one task as they were drafted, in order."""
        del catalog  # Nothing is tried, so nothing is checked against it.
        return [unrefined(draft) for draft in drafts]
