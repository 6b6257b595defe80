"""Documents as proposals: each makes one, or is refused with a reason."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.proposals.document_errors import DocumentError
from envfactory_assets.stages.proposals.documents import (
    Document,
    DocumentKind,
    RefusedDocument,
    read_documents,
)
from envfactory_assets.stages.proposals.import_settings import ImportSettings
from envfactory_assets.stages.proposals.mcp_tools import proposal_of_mcp_tools
from envfactory_assets.stages.proposals.openapi import proposal_of_openapi
from envfactory_assets.stages.proposals.tool_metadata import proposal_of_tool_metadata

_READERS: dict[DocumentKind, Callable[[Document, ImportSettings], EnvironmentProposal]] = {
    "openapi": proposal_of_openapi,
    "mcp_tools": proposal_of_mcp_tools,
    "tool_metadata": proposal_of_tool_metadata,
}


@dataclass(frozen=True, slots=True)
class ImportedProposals:
    """What came of the documents of a domain.

    Attributes:
        proposals: One for each document that could be read, by address.
        refused: The other documents.
    """

    proposals: tuple[EnvironmentProposal, ...]
    refused: tuple[RefusedDocument, ...]


def import_folder(
    folder: Path, domain: str, settings: ImportSettings | None = None
) -> ImportedProposals:
    """Return what comes of the documents that lie in `<folder>/<domain>`."""
    found = read_documents(folder, domain, settings)
    imported = import_documents(found.documents, settings)
    return ImportedProposals(imported.proposals, (*found.refused, *imported.refused))


def import_documents(
    documents: Iterable[Document], settings: ImportSettings | None = None
) -> ImportedProposals:
    """Return what comes of documents; a broken one stops no other."""
    proposals: list[EnvironmentProposal] = []
    refused: list[RefusedDocument] = []
    for document in documents:
        try:
            proposals.append(proposal_of(document, settings or ImportSettings()))
        except DocumentError as error:
            refused.append(RefusedDocument(document.address, str(error)))
    return ImportedProposals(tuple(proposals), tuple(refused))


def proposal_of(document: Document, settings: ImportSettings) -> EnvironmentProposal:
    """Return the proposal that a document makes.

    Raises:
        DocumentError: None can be made of it.
    """
    return _READERS[document.kind](document, settings)
