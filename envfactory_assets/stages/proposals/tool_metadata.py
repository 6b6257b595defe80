"""A published metadata file, `{class_name, description, tools}`, as a proposal."""

from collections.abc import Iterator

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.document_errors import DocumentError
from envfactory_assets.stages.proposals.documents import Document
from envfactory_assets.stages.proposals.identifiers import name_words
from envfactory_assets.stages.proposals.import_settings import ImportSettings
from envfactory_assets.stages.proposals.json_values import list_of, object_of, text_of
from envfactory_assets.stages.proposals.listed_tools import (
    ListedTool,
    schema_of_members,
    source_tools,
)
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.proposal_writing import Service, write_proposal


def proposal_of_tool_metadata(document: Document, settings: ImportSettings) -> EnvironmentProposal:
    """Return the proposal that a metadata file makes.

    Raises:
        DocumentError: The document is no such file, or lists no tool.
    """
    open_points = OpenPoints()
    content = object_of(document.content)
    tools = source_tools(tuple(_listed(content)), open_points)
    if not tools:
        raise DocumentError(
            "The document lists no tool; expected an object with 'class_name', 'description' and "
            "a list 'tools', each with 'name', 'description', 'input_schema' and 'output_schema'."
        )
    title = " ".join(name_words(text_of(content.get("class_name")))).capitalize()
    service = Service.of(document, title, text_of(content.get("description")))
    return write_proposal(service, tools, settings, open_points)


def _listed(content: JsonObject) -> Iterator[ListedTool]:
    for value in list_of(content.get("tools")):
        tool = object_of(value)
        yield ListedTool(
            name=text_of(tool.get("name")),
            description=text_of(tool.get("description")),
            input_schema=schema_of_members(tool.get("input_schema")),
            output_schema=schema_of_members(tool.get("output_schema")),
        )
