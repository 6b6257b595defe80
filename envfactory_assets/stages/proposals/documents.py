"""Documents that a team has: files `<domain>/<name>.<kind>.json` below one folder."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal, NoReturn, cast, get_args

from pydantic import JsonValue

from envfactory_assets.stages.proposals.document_errors import DocumentError
from envfactory_assets.stages.proposals.import_settings import ImportSettings

DocumentKind = Literal["openapi", "mcp_tools", "tool_metadata"]
KINDS: tuple[DocumentKind, ...] = get_args(DocumentKind)
ENDINGS = ("json", "yaml", "yml")

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_DEEPEST = 120
_MOST_VALUES = 4_000_000


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    Attributes:
        kind: What it is written in.
        domain: The domain that its environment will belong to.
        name: The short name that its environment will have.
        content: What it says.
        address: Where it lies, below the folder of documents.
    """

    kind: DocumentKind
    domain: str
    name: str
    content: JsonValue
    address: str


@dataclass(frozen=True, slots=True)
class RefusedDocument:
    """A document that gives no proposal.

    Attributes:
        address: Where it lies, below the folder of documents.
        reason: Why, as one sentence for people.
    """

    address: str
    reason: str


@dataclass(frozen=True, slots=True)
class DocumentsFound:
    """What a folder holds.

    Attributes:
        documents: Those that can be read, by address.
        refused: Those that cannot.
    """

    documents: tuple[Document, ...]
    refused: tuple[RefusedDocument, ...]


def read_documents(
    folder: Path, domain: str, settings: ImportSettings | None = None
) -> DocumentsFound:
    """Read the documents of one domain; a broken one is refused and stops no other."""
    settings = settings or ImportSettings()
    documents: list[Document] = []
    refused: list[RefusedDocument] = []
    addresses: dict[str, str] = {}
    for path in _files(folder / domain):
        address = f"{domain}/{path.name}"
        try:
            document = read_document(path, domain, settings)
        except DocumentError as error:
            refused.append(RefusedDocument(address, str(error)))
            continue
        first = addresses.setdefault(document.name, address)
        if first == address:
            documents.append(document)
        else:
            reason = f"The name {document.name!r} is taken by {first!r}; rename one of the files."
            refused.append(RefusedDocument(address, reason))
    return DocumentsFound(tuple(documents), tuple(refused))


def read_document(path: Path, domain: str, settings: ImportSettings) -> Document:
    """Read one file.

    Raises:
        DocumentError: Its name, its size or its text is not one of a document.
    """
    parts = path.name.split(".")
    if len(parts) != 3 or parts[1] not in KINDS or parts[2] not in ENDINGS:
        raise DocumentError(
            f"{path.name!r} is no name of a document; expected <name>.<kind>.<ending> with kind "
            f"one of {list(KINDS)} and ending one of {list(ENDINGS)}."
        )
    if not _NAME.fullmatch(parts[0]) or not _NAME.fullmatch(domain):
        raise DocumentError(
            f"{domain!r} and {parts[0]!r} must be snake-case names, for they become the id of an "
            "environment: lower-case letters, digits and underscores."
        )
    content = parse(_text(path, settings.max_document_bytes), is_yaml=parts[2] != "json")
    return Document(parts[1], domain, parts[0], content, f"{domain}/{path.name}")


def parse(text: str, *, is_yaml: bool) -> JsonValue:
    """Return the JSON value that a text says.

    Raises:
        DocumentError: The text is no JSON (no YAML), or says what JSON cannot.
    """
    try:
        loaded = _yaml(text) if is_yaml else json.loads(text, parse_constant=_refuse_constant)
        return _Plain().value(loaded, 0)
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"Not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from error
    except RecursionError as error:
        raise DocumentError("The document is nested too deeply to read.") from error
    except ValueError as error:
        raise DocumentError(f"Not readable: {error}.") from error


def _files(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.is_file() and not path.name.startswith("."):
            yield path


def _text(path: Path, max_bytes: int) -> str:
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise DocumentError(f"The file has {size} bytes; at most {max_bytes} are read.")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(f"The file is not UTF-8 text (byte {error.start}).") from error
    except OSError as error:
        raise DocumentError(f"The file cannot be read: {error.strerror}.") from error


def _refuse_constant(constant: str) -> NoReturn:
    raise DocumentError(f"Not JSON: {constant} is no JSON number.")


def _yaml(text: str) -> object:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return cast("object", yaml.load(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise DocumentError(f"Not YAML: {error.problem}{where}.") from error
    except yaml.YAMLError as error:
        raise DocumentError(f"Not YAML: {' '.join(str(error).split())}.") from error


class _Plain:
    """Turns what a loader gives into plain JSON values, within bounds (YAML aliases multiply)."""

    def __init__(self) -> None:
        self._count = 0

    def value(self, loaded: object, depth: int) -> JsonValue:
        self._count += 1
        if depth > _DEEPEST:
            raise DocumentError(f"The document is nested deeper than {_DEEPEST} levels.")
        if self._count > _MOST_VALUES:
            raise DocumentError(f"The document holds more than {_MOST_VALUES} values.")
        if isinstance(loaded, dict):
            members = cast("dict[object, object]", loaded)
            return {_key(key): self.value(item, depth + 1) for key, item in members.items()}
        if isinstance(loaded, list | tuple | set):
            items = cast("list[object]", loaded)
            return [self.value(item, depth + 1) for item in items]
        if loaded is None or isinstance(loaded, bool | int):
            return loaded
        if isinstance(loaded, float):
            return loaded if math.isfinite(loaded) else None
        # YAML reads days and moments as objects; their text is what a JSON file would have.
        text = loaded.isoformat() if isinstance(loaded, date) else str(loaded)
        return text.encode("utf-8", "replace").decode("utf-8")


def _key(key: object) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return str(key).encode("utf-8", "replace").decode("utf-8")
