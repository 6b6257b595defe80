"""An OpenAPI 3 document as a proposal."""

import re
from collections.abc import Iterator
from dataclasses import replace

from envfactory_assets.records.proposals import EnvironmentProposal, Operation
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.document_errors import DocumentError
from envfactory_assets.stages.proposals.documents import Document
from envfactory_assets.stages.proposals.identifiers import (
    plain_sentence,
    snake_name,
    spoken,
    unique_name,
)
from envfactory_assets.stages.proposals.import_settings import ImportSettings
from envfactory_assets.stages.proposals.json_values import object_of, text_of
from envfactory_assets.stages.proposals.keys import key_of
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.openapi_messages import Message, MessageReader
from envfactory_assets.stages.proposals.openapi_paths import (
    METHODS,
    Method,
    PathReading,
    read_path,
    segments_of,
)
from envfactory_assets.stages.proposals.proposal_writing import Service, write_proposal
from envfactory_assets.stages.proposals.schema_inlining import SchemaInliner
from envfactory_assets.stages.proposals.source_tools import SourceTool


def proposal_of_openapi(document: Document, settings: ImportSettings) -> EnvironmentProposal:
    """Return the proposal that an OpenAPI 3 document makes.

    Raises:
        DocumentError: The document is none, or describes no operation that can be taken.
    """
    content = object_of(document.content)
    _check_version(content)
    open_points = OpenPoints()
    inliner = SchemaInliner(content, open_points)
    paths = object_of(content.get("paths"))
    tools = tuple(_OperationReader(inliner, open_points).tools(paths))
    if not tools:
        raise DocumentError(
            f"The document has no operation to take: {len(paths)} paths, all without a usable "
            "GET, POST, PUT, PATCH or DELETE."
        )
    _note_surroundings(content, open_points)
    info = object_of(content.get("info"))
    service = Service.of(document, text_of(info.get("title")), text_of(info.get("description")))
    return write_proposal(service, tools, settings, open_points)


def _check_version(content: JsonObject) -> None:
    version = content.get("openapi")
    if "swagger" in content:
        raise DocumentError(
            f"The document is Swagger {content['swagger']!r}; convert it to OpenAPI 3 first."
        )
    if not isinstance(version, str) or not version.startswith("3."):
        raise DocumentError(
            f"The document is no OpenAPI 3: its member 'openapi' is {version!r:.40}; expected a "
            "version such as '3.0.3' or '3.1.0'."
        )
    if not object_of(content.get("paths")):
        raise DocumentError("The document has no paths, so there is nothing a tool could do.")


def _note_surroundings(content: JsonObject, open_points: OpenPoints) -> None:
    components = object_of(content.get("components"))
    schemes = object_of(components.get("securitySchemes"))
    if schemes or content.get("security"):
        open_points.add("Authentication is left out", ", ".join(sorted(schemes)[:8]))
    webhooks = object_of(content.get("webhooks"))
    for name in webhooks:
        open_points.add("Webhooks are left out", name[:60])


class _OperationReader:
    def __init__(self, inliner: SchemaInliner, open_points: OpenPoints) -> None:
        self._inliner = inliner
        self._open_points = open_points
        self._names: set[str] = set()

    def tools(self, paths: JsonObject) -> Iterator[SourceTool]:
        for path, value in paths.items():
            item = self._inliner.target(value)
            for method in METHODS:
                operation = object_of(item.get(method))
                source = f"{method.upper()} {path[:120]}"
                if operation.get("deprecated") is True:
                    self._open_points.add("Deprecated operations are left out", source)
                elif operation:
                    yield self._tool(method, path, operation, item, source)

    def _tool(
        self, method: Method, path: str, operation: JsonObject, item: JsonObject, source: str
    ) -> SourceTool:
        lost = OpenPoints()
        messages = MessageReader(self._inliner, lost)
        message = messages.message(operation, item.get("parameters"), source)
        result = messages.result(operation, source)
        if operation.get("callbacks"):
            lost.add("Callbacks are left out", source)
        operation_id = text_of(operation.get("operationId"))
        reading = read_path(method, path, operation_id, result, has_body=message.has_body)
        arguments = tuple(
            replace(one, refers=reading.owners.get(one.name)) if one.place == "path" else one
            for one in message.arguments
        )
        name = _tool_name(method, path, operation_id)
        kind, key = _settled(reading, replace(message, arguments=arguments))
        prose = text_of(operation.get("summary")) or text_of(operation.get("description"))
        is_read = method == "get" or kind in ("list", "search", "read")
        return SourceTool(
            source=source,
            name=unique_name(name, self._names),
            description=plain_sentence(prose) or f"{spoken(name).capitalize()}.",
            operation=kind,
            entity=reading.entity,
            effect="read" if is_read else "write",
            arguments=arguments,
            result=result,
            key=key,
            lost=lost.pairs(),
        )


def _settled(reading: PathReading, message: Message) -> tuple[Operation, str | None]:
    """Return the operation and its key; what cannot be addressed or sent is of no known kind."""
    kind, key = reading.operation, reading.key
    if kind == "update" and key is None and reading.entity:
        bodies = [one for one in message.arguments if one.place == "body"]
        key = key_of(bodies, reading.entity) if len(bodies) > 1 else None
    if kind in ("read", "update", "delete") and key not in [one.name for one in message.arguments]:
        return "other", None
    if kind in ("create", "update") and not message.is_whole:
        return "other", key
    return kind, key


def _tool_name(method: Method, path: str, operation_id: str) -> str:
    """Return a name from the operation's id, else from its method and path."""
    mangled = f"{re.sub(r'[^A-Za-z0-9_]', '_', path)}_{method}"
    if operation_id.endswith(mangled) and len(operation_id) > len(mangled):
        operation_id = operation_id[: -len(mangled)]
    if snake_name(operation_id):
        return snake_name(operation_id)
    steps = segments_of(path)
    words = [f"by_{step.text}" if step.is_parameter else step.text for step in steps]
    return snake_name("_".join([method, *words])) or method
