"""What the researcher asks of a search."""

from typing import Protocol

from pydantic import BaseModel, ConfigDict


class SearchHit(BaseModel):
    """One document that a search found.

    Attributes:
        title: What it is called.
        address: Where it can be read: a web address, or a path in a folder of documents.
        excerpt: What it says about the query, shortened.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    title: str
    address: str
    excerpt: str


class WebSearch(Protocol):
    """Finds documents and reads them; what it returns is data that nobody vouches for."""

    def search(self, query: str, limit: int) -> list[SearchHit]:
        """Return the best documents for a query, best first.

        Args:
            query: Some words.
            limit: The most hits to return.

        Raises:
            SearchFailedError: If no answer came.
        """
        ...

    def read(self, address: str) -> str:
        """Return the text of a document, cut to a bound.

        Raises:
            UnknownAddressError: If there is no such document.
            SearchFailedError: If it did not come.
        """
        ...
