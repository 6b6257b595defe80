"""The query writer: the role that words the drafts of a task."""

from collections.abc import Sequence
from typing import Protocol

from envfactory_assets.records.queries import DraftQuery
from sandboxes.core.catalog import Catalog


class QueryWriter(Protocol):
    """Words the turns of one task, given drafts that tools' phrasings word."""

    @property
    def made_by(self) -> str:
        """Who that is, for the rows: role and implementation."""
        ...

    @property
    def max_concurrency(self) -> int:
        """How many tasks may be worded at once."""
        ...

    def write(self, drafts: Sequence[DraftQuery], catalog: Catalog) -> list[DraftQuery]:
        """Return the drafts of one task in the writer's words; their plan stays what it is.

        Raises:
            LanguageModelError: If a model plays the role and cannot be reached.
        """
        ...


class RuleQueryWriter:
    """Leaves the drafts in the words of the tools' phrasings."""

    made_by = "query_writer:rules"
    max_concurrency = 1

    def write(self, drafts: Sequence[DraftQuery], catalog: Catalog) -> list[DraftQuery]:
        """Return the drafts as they are."""
        del catalog
        return list(drafts)
