"""Keeping a document: a team's file, or a server's tool list, under the name that it is read by."""

import json
import os
from pathlib import Path

from pydantic import JsonValue

from envfactory_assets.stages.proposals.document_errors import DocumentError
from envfactory_assets.stages.proposals.documents import ENDINGS, DocumentKind, parse, read_document
from envfactory_assets.stages.proposals.import_settings import ImportSettings


def keep_document(
    folder: Path, domain: str, name: str, document: Path | dict[str, JsonValue]
) -> Path:
    """Write a document to `<folder>/<domain>/<name>.<kind>.<ending>` and return where it lies.

    Args:
        folder: The folder of all documents.
        domain: The domain that its environment will belong to.
        name: The short name that its environment will have.
        document: A file of any kind that can be read, or a server's tool list.

    Raises:
        DocumentError: If it is of no known kind, or the names are none of ours.
    """
    if isinstance(document, Path):
        text, ending = _text(document), document.suffix.removeprefix(".").lower()
        if ending not in ENDINGS:
            raise DocumentError(
                f"{document.name!r} ends in {ending!r}; a document ends in one of {list(ENDINGS)}."
            )
        content = parse(text, is_yaml=ending != "json")
    else:
        text, ending, content = json.dumps(document, indent=1, ensure_ascii=False), "json", document
    path = folder / domain / f"{name}.{kind_of(content)}.{ending}"
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
        read_document(path, domain, ImportSettings())
    except OSError as error:
        raise DocumentError(f"{path} cannot be written: {error.strerror or error}.") from error
    except DocumentError:
        path.unlink(missing_ok=True)
        raise
    return path


def kind_of(content: JsonValue) -> DocumentKind:
    """Return what a document is written in.

    Raises:
        DocumentError: If it is none of the known kinds.
    """
    if isinstance(content, dict):
        if "openapi" in content:
            return "openapi"
        tools = content.get("tools")
        first = tools[0] if isinstance(tools, list) and tools else None
        if isinstance(first, dict):
            return "mcp_tools" if "inputSchema" in first else "tool_metadata"
    if isinstance(content, list) and content and isinstance(content[0], dict):
        return "mcp_tools" if "inputSchema" in content[0] else "tool_metadata"
    raise DocumentError(
        "It is no OpenAPI 3 file (`openapi`), no tool list of an MCP server (`tools` with "
        "`inputSchema`) and no published metadata (`tools` with `input_schema`)."
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentError(f"{path} cannot be read: {error}.") from error
