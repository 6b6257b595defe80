"""The whole file of an environment, put together from its parts."""

import re
from collections.abc import Iterable, Iterator

from envfactory_assets.stages.attempts.builder.blueprint import Blueprint
from envfactory_assets.stages.attempts.builder.declarations import (
    alias_lines,
    entity_lines,
    list_lines,
    result_lines,
    state_lines,
)
from envfactory_assets.stages.attempts.builder.layout import docstring
from envfactory_assets.stages.attempts.builder.lookups import lookup_lines
from envfactory_assets.stages.attempts.builder.scenario_source import (
    constant_lines,
    helper_lines,
    scenario_lines,
    table_lines,
)
from envfactory_assets.stages.attempts.builder.tool_methods import tool_lines


def module_source(blueprint: Blueprint) -> str:
    """Return the Python text of an environment."""
    body = [*_classes(blueprint), *_environment(blueprint), *_below(blueprint)]
    text = "\n".join(body)
    below = "\n".join(["", *helper_lines(text)])
    text = f"{text}{below}".rstrip("\n")
    types = list(alias_lines(blueprint))
    text = "\n".join([*types, text])
    head = "\n".join(_head(blueprint, text))
    return f"{head}\n\n{text}\n"


def _head(blueprint: Blueprint, body: str) -> Iterator[str]:
    yield from docstring(blueprint.service, 0)
    yield ""
    yield "import random"
    typing = [name for name in ("Annotated", "Literal") if _uses(body, name)]
    yield f"from typing import {', '.join(typing)}"
    yield ""
    yield "from pydantic import Field"
    yield ""
    marks = [name for name in ("Identifier", "Label") if f"{name}(" in body]
    yield f"from sandboxes.core.annotations import {', '.join(marks)}"
    times = [name for name in ("Clock", "Day", "Moment", "add_days") if _uses(body, name)]
    yield f"from sandboxes.core.clock import {', '.join(times)}"
    yield "from sandboxes.core.environment import Environment"
    if "ToolError(" in body:
        yield "from sandboxes.core.errors import ToolError"
    yield "from sandboxes.core.state import Entity, State"
    yield "from sandboxes.core.tool import Result, tool"
    yield "from sandboxes.core.world import World"


def _uses(body: str, name: str) -> bool:
    return re.search(rf"(?<![\w.\"]){name}(?=[\[\](), |:]|$)", body, re.MULTILINE) is not None


def _classes(blueprint: Blueprint) -> Iterator[str]:
    shown = {tool.table.entity for tool in blueprint.tools}
    listed = {tool.table.entity for tool in blueprint.tools if tool.kind == "list"}
    blocks: list[Iterable[str]] = [entity_lines(table, blueprint) for table in blueprint.tables]
    blocks.append(state_lines(blueprint))
    for table in blueprint.tables:
        if table.entity in shown:
            blocks.append(result_lines(table, blueprint))
        if table.entity in listed:
            blocks.append(list_lines(table))
    for block in blocks:
        yield from ("", "", *block)


def _environment(blueprint: Blueprint) -> Iterator[str]:
    yield from ("", "", f"class {blueprint.class_name}(Environment[{blueprint.state_class}]):")
    yield from docstring(blueprint.service, 1)
    for tool in blueprint.tools:
        yield from ("", *tool_lines(tool, blueprint))
    yield ""
    yield from lookup_lines(blueprint)
    yield from scenario_lines(blueprint)


def _below(blueprint: Blueprint) -> Iterator[str]:
    constants = list(constant_lines(blueprint))
    if constants:
        yield from ("", "", *constants)
    for table in blueprint.tables:
        yield from ("", "", *table_lines(table, blueprint))
