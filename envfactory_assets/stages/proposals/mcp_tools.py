"""The tool list of an MCP server as a proposal."""

from collections.abc import Iterator

from pydantic import JsonValue

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.proposals.document_errors import DocumentError
from envfactory_assets.stages.proposals.documents import Document
from envfactory_assets.stages.proposals.import_settings import ImportSettings
from envfactory_assets.stages.proposals.json_values import list_of, object_of, text_of
from envfactory_assets.stages.proposals.listed_tools import ListedTool, source_tools
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.proposal_writing import Service, write_proposal


def proposal_of_mcp_tools(document: Document, settings: ImportSettings) -> EnvironmentProposal:
    """Return the proposal that an answer to `tools/list` makes.

    Raises:
        DocumentError: The document is no such answer, or lists no tool.
    """
    open_points = OpenPoints()
    content = object_of(document.content)
    tools = source_tools(tuple(_listed(document.content)), open_points)
    if not tools:
        raise DocumentError(
            "The document lists no tool; expected an object with a list 'tools', each with "
            "'name', 'description' and 'inputSchema', as a server answers 'tools/list'."
        )
    server = object_of(content.get("serverInfo"))
    title = text_of(server.get("title")) or text_of(server.get("name"))
    service = Service.of(document, title, text_of(content.get("instructions")))
    return write_proposal(service, tools, settings, open_points)


def _listed(content: JsonValue) -> Iterator[ListedTool]:
    answer = object_of(content)
    if "result" in answer:
        answer = object_of(answer["result"])
    for value in list_of(content) or list_of(answer.get("tools")):
        tool = object_of(value)
        annotations = object_of(tool.get("annotations"))
        read_only = annotations.get("readOnlyHint")
        if read_only is None and annotations.get("destructiveHint") is True:
            read_only = False
        described = text_of(tool.get("description")) or text_of(annotations.get("title"))
        yield ListedTool(
            name=text_of(tool.get("name")),
            description=described or text_of(tool.get("title")),
            input_schema=object_of(tool.get("inputSchema", tool.get("input_schema"))),
            output_schema=object_of(tool.get("outputSchema", tool.get("output_schema"))),
            is_read_only=read_only if isinstance(read_only, bool) else None,
        )
