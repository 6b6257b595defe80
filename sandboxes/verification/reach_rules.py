"""What the source of an environment may reach, read from its syntax tree.

The rules close the known ways from an allowed import to the interpreter: modules that hold other
modules, attributes named by text, classes made by `type(…)`, frames, and the double-underscore
names behind all of them.
"""

import ast
import re
from collections.abc import Iterator, Mapping

from sandboxes.verification.allowed_names import (
    ALLOWED_NAMES,
    FORBIDDEN_ARGUMENTS,
    FORBIDDEN_ATTRIBUTES,
    FORBIDDEN_BUILTINS,
)

_BY_NAME = frozenset({"getattr", "hasattr", "setattr"})
_FORMAT_FIELD = re.compile(r"\{[^{}]*__")
_DUNDER = "no double-underscore names"

Parents = Mapping[ast.AST, ast.AST]


def bound_modules(tree: ast.Module) -> dict[str, str]:
    """Return the allowed modules that imports bind, by the name they are bound to."""
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.split(".")[0]
                bound[alias.asname or name] = name
        elif isinstance(node, ast.ImportFrom) and node.module == "collections":
            bound |= {
                alias.asname or "abc": "collections.abc"
                for alias in node.names
                if alias.name == "abc"
            }
    return {name: module for name, module in bound.items() if module in ALLOWED_NAMES}


def reach_rules(node: ast.AST, modules: Mapping[str, str], parents: Parents) -> Iterator[str]:
    """Yield the rules that a node breaks by reaching for what it may not."""
    if any(_is_dunder(name) for name in _names(node)):
        yield _DUNDER
    elif isinstance(node, ast.Name):
        yield from _name_rules(node, modules, parents)
    elif isinstance(node, ast.Attribute):
        yield from _attribute_rules(node, modules)
    elif isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg in FORBIDDEN_ARGUMENTS:
                yield f"no argument {keyword.arg}"
    elif isinstance(node, ast.Constant) and node.value in FORBIDDEN_ARGUMENTS:
        yield f"no argument {node.value}"
    elif isinstance(node, ast.Constant) and _FORMAT_FIELD.search(str(node.value)):
        yield _DUNDER


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the identifiers that a node itself holds."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Call(keywords=keywords):
            yield from (keyword.arg or "" for keyword in keywords)
        case ast.MatchClass(kwd_attrs=names):
            yield from names
        case ast.MatchAs(name=name) | ast.MatchStar(name=name) if name:
            yield name
        case _:
            return


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def is_argument(name: ast.Name, parents: Parents) -> bool:
    """Return whether a name is an argument of a function around it: a field called `type`, say."""
    below: ast.AST = name
    above = parents.get(name)
    while above is not None:
        if isinstance(above, (ast.FunctionDef, ast.Lambda)):
            body = above.body if isinstance(above.body, list) else [above.body]
            named = (*above.args.posonlyargs, *above.args.args, *above.args.kwonlyargs)
            if below in body and any(each.arg == name.id for each in named):
                return True
        below, above = above, parents.get(above)
    return False


def _name_rules(node: ast.Name, modules: Mapping[str, str], parents: Parents) -> Iterator[str]:
    if not isinstance(node.ctx, ast.Load) or is_argument(node, parents):
        return
    parent = parents.get(node)
    if node.id in FORBIDDEN_BUILTINS:
        yield f"no use of {node.id}"
    elif node.id in modules and not isinstance(parent, ast.Attribute):
        yield f"no use of the module {node.id} but as {node.id}.name"
    elif node.id in _BY_NAME and not _is_plain_access(node, parent):
        yield f"no {node.id} but with an attribute's name as plain text"
    elif node.id == "type" and not _is_plain_type(node, parent):
        yield "no type() but of one value, to compare it"


def _is_plain_access(node: ast.Name, parent: ast.AST | None) -> bool:
    if not (isinstance(parent, ast.Call) and parent.func is node and len(parent.args) > 1):
        return False
    name = parent.args[1]
    return (
        isinstance(name, ast.Constant)
        and isinstance(name.value, str)
        and not name.value.startswith("_")
        and name.value not in FORBIDDEN_ATTRIBUTES
    )


def _is_plain_type(node: ast.Name, parent: ast.AST | None) -> bool:
    if isinstance(parent, ast.Subscript):
        return parent.value is node
    if not (isinstance(parent, ast.Call) and parent.func is node):
        return False
    return len(parent.args) == 1 and not parent.keywords


def _attribute_rules(node: ast.Attribute, modules: Mapping[str, str]) -> Iterator[str]:
    module = _module_of(node.value, modules)
    if module is not None and node.attr not in ALLOWED_NAMES[module]:
        if module == "random":
            yield "no chance but from the random.Random that scenario() is given"
        else:
            yield f"no {module}.{node.attr}; allowed: {', '.join(sorted(ALLOWED_NAMES[module]))}"
    elif node.attr in FORBIDDEN_ATTRIBUTES:
        yield f"no access to {node.attr}"


def _module_of(node: ast.expr, modules: Mapping[str, str]) -> str | None:
    """Return the module that an expression names: `re`, or `collections.abc`."""
    if isinstance(node, ast.Name):
        return modules.get(node.id)
    if isinstance(node, ast.Attribute):
        below = f"{_module_of(node.value, modules)}.{node.attr}"
        return below if below in ALLOWED_NAMES else None
    return None
