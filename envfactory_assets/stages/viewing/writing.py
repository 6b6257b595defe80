"""Writing the page: HTML, CSS, JavaScript and data in one file that needs nothing else."""

import base64
import hashlib
import html
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.reward.scoring import DEFAULT_SETTINGS
from envfactory_assets.stages.viewing.corpus import Corpus
from envfactory_assets.stages.viewing.index import index_entry, tool_names
from envfactory_assets.stages.viewing.task_view import task_view
from sandboxes.core.catalog import Catalog

_PAGE = Path(__file__).parent / "page"
_SCRIPTS = ("elements.js", "values.js", "differences.js", "calls.js", "task.js", "list.js")
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def write_viewer(path: Path, corpus: Corpus, catalog: Catalog) -> Path:
    """Write the page of a corpus and return its path; readers never see it half-written.

    The same rows and environments give the same bytes. It holds every trajectory, opens from the
    file system without a network, and runs no script but its own.

    Args:
        path: Where the page is written, ending in `.html`.
        corpus: The rows.
        catalog: Holds the environments, in which the calls are run again to see what they changed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    with temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(page_parts(corpus, catalog))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    return path


def page_parts(corpus: Corpus, catalog: Catalog) -> Iterator[str]:
    """Yield the text of the page, a task at a time."""
    tasks = corpus.tasks()
    head, _, tail = _resource("viewer.html").partition("{{data}}")
    script = _script()
    values = {
        "title": html.escape(corpus.title),
        "policy": _policy(script),
        "style": _resource("viewer.css"),
    }
    yield _PLACE.sub(lambda place: values[place[1]], head)
    index: JsonObject = {
        "title": corpus.title,
        "alpha": DEFAULT_SETTINGS.alpha,
        "tools": tool_names(tasks),
        "tasks": [index_entry(task) for task in tasks],
    }
    yield _data("index", index)
    for number, task in enumerate(tasks):
        yield _data(f"task-{number}", task_view(task, catalog))
    yield tail.replace("{{script}}", script)


def script_safe(value: JsonValue) -> str:
    """Return a value as JSON that a browser reads as data wherever it stands in a page."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _data(name: str, value: JsonObject) -> str:
    return f'<script type="application/json" id="{name}">{script_safe(value)}</script>\n'


def _policy(script: str) -> str:
    """Return what the browser may run: the page's own script, nothing from elsewhere."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )


def _script() -> str:
    parts = "\n".join(_resource(name) for name in _SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


@cache
def _resource(name: str) -> str:
    return (_PAGE / name).read_text(encoding="utf-8")
