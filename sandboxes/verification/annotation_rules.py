"""Annotations name types and hold no code: Pydantic evaluates the ones that are given as text.

A type is a builtin one, a name of an import, a class of the file, an alias of types, or these put
together. Anything else in an annotation could turn into a text that is evaluated; so could an
attribute of a class.
"""

import ast
from collections.abc import Iterator

_BUILTIN_TYPES = frozenset(
    [
        "bool",
        "bytes",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "object",
        "set",
        "str",
        "tuple",
        "type",
        "None",
    ]
)


def misused_annotations(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the annotations that hold something else than types."""
    types = _type_names(tree)
    for annotation in _annotations(tree):
        if not _is_type(annotation, types):
            yield annotation


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.AnnAssign, ast.arg)) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns is not None:
            yield node.returns


def _type_names(tree: ast.Module) -> frozenset[str]:
    """Return the names that stand for types wherever they are bound; modules end in a dot."""
    types = set(_BUILTIN_TYPES)
    aliases: list[tuple[str, ast.expr]] = []
    bound_otherwise: set[str] = set()
    assigned: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            types.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            types |= {f"{alias.asname or alias.name}{_dot(alias)}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names = [alias.asname or alias.name.split(".")[0] for alias in node.names]
            types |= {f"{name}{below}" for name in names for below in (".", ".abc.")}
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            aliases.append((node.targets[0].id, node.value))
            assigned.add(node.targets[0])
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            aliases.append((node.target.id, node.value))
            assigned.add(node.target)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in assigned:
            bound_otherwise.add(node.id)
    for name, value in aliases:
        (types if _is_type(value, frozenset(types)) else bound_otherwise).add(name)
    return frozenset(types - bound_otherwise)


def _dot(alias: ast.alias) -> str:
    return "." if alias.name == "abc" else ""


def _is_type(node: ast.expr, types: frozenset[str]) -> bool:
    match node:
        case ast.Name(id=name):
            return name in types
        case ast.Constant(value=value):
            return value is None or value is Ellipsis or value in types
        case ast.Attribute(value=owner):
            return f"{ast.unparse(owner)}." in types
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_type(left, types) and _is_type(right, types)
        case ast.Subscript(value=base, slice=inside):
            return _is_type(base, types) and _are_types(_last_name(base), inside, types)
        case _:
            return False


def _are_types(base: str, inside: ast.expr, types: frozenset[str]) -> bool:
    """Return whether what stands in the brackets of a type is types, where it is read as such."""
    if base == "Literal":
        return True
    parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
    if base == "Annotated":
        parts = parts[:1]
    flat = [
        item for part in parts for item in (part.elts if isinstance(part, ast.List) else [part])
    ]
    return all(_is_type(part, types) for part in flat)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
