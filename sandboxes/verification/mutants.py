"""Small faults for the code of an environment, each one change of its syntax tree."""

import ast
import copy
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

_FLIPS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
_SHIFTS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
_SWAPPED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_SHOWN_LENGTH = 70

Slot = tuple[ast.AST | list[ast.AST], str | int, ast.AST]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a syntax tree.

    Attributes:
        line: Line of the change.
        mutation: The code before and after.
        function: Name of the function that holds it; empty for a constant of the module.
        may_loop: Whether that function holds a `while`, which the change may make endless.
    """

    line: int
    mutation: str
    function: str
    may_loop: bool
    _slot: Slot
    _replacement: ast.AST

    @contextmanager
    def applied(self) -> Generator[None, None, None]:
        """Hold the change in the tree for the duration of the block."""
        self._put(self._replacement)
        try:
            yield
        finally:
            self._put(self._slot[2])

    def _put(self, node: ast.AST) -> None:
        holder, key, _ = self._slot
        if isinstance(holder, list):
            holder[cast("int", key)] = node
        else:
            setattr(holder, cast("str", key), node)


def mutants(tree: ast.Module, roots: set[str]) -> list[Mutant]:
    """Return every small fault for the functions that some functions come to use.

    Args:
        tree: The module.
        roots: Names of the functions to start from, an environment's tools. What they use, by
            name, is mutated too, with the numbers the module names; `scenario` is not.
    """
    functions = _reached(tree, roots)
    found = [mutant for function in functions for mutant in _in_function(function)]
    used = {name for function in functions for name in _names(function)}
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            targets = {target.id for target in statement.targets if isinstance(target, ast.Name)}
            if targets & used:
                slot: Slot = (statement, "value", statement.value)
                found.extend(_mutant(slot, new, None) for new in _constants(statement.value))
    return sorted(found, key=lambda mutant: mutant.line)


def _reached(tree: ast.Module, roots: set[str]) -> list[ast.FunctionDef]:
    defined = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    reached: list[ast.FunctionDef] = []
    wanted = set(roots)
    while True:
        fresh = [
            function
            for function in defined
            if function.name in wanted and function.name != "scenario" and function not in reached
        ]
        if not fresh:
            return reached
        reached.extend(fresh)
        wanted |= {name for function in fresh for name in _names(function)}


def _names(function: ast.FunctionDef) -> set[str]:
    inside = [node for statement in function.body for node in ast.walk(statement)]
    names = {node.id for node in inside if isinstance(node, ast.Name)}
    return names | {node.attr for node in inside if isinstance(node, ast.Attribute)}


def _in_function(function: ast.FunctionDef) -> Iterator[Mutant]:
    body = cast("list[ast.AST]", function.body)
    for index, statement in enumerate(body):
        slot: Slot = (body, index, statement)
        for inner in (slot, *_slots_below(statement)):
            for replacement in _replacements(inner[2]):
                yield _mutant(inner, replacement, function)
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    if not returns and len(body) > 1:
        yield _mutant((body, 0, body[0]), ast.Return(value=None), function)


def _slots_below(node: ast.AST) -> Iterator[Slot]:
    if isinstance(node, (ast.Raise, ast.JoinedStr)):
        return
    for name, value in ast.iter_fields(node):
        if name == "annotation":
            continue
        children: list[Slot] = []
        if isinstance(value, list):
            items = cast("list[ast.AST]", value)
            children = [(items, index, item) for index, item in enumerate(items)]
        elif isinstance(value, ast.AST):
            children = [(node, name, value)]
        for slot in children:
            yield slot
            yield from _slots_below(slot[2])


def _mutant(slot: Slot, replacement: ast.AST, function: ast.FunctionDef | None) -> Mutant:
    old = cast("ast.expr", slot[2])
    ast.copy_location(replacement, old)
    ast.fix_missing_locations(replacement)
    inside = ast.walk(function) if function else ()
    return Mutant(
        line=old.lineno,
        mutation=_described(old, replacement),
        function=function.name if function else "",
        may_loop=any(isinstance(node, ast.While) for node in inside),
        _slot=slot,
        _replacement=replacement,
    )


def _described(old: ast.AST, replacement: ast.AST) -> str:
    if isinstance(replacement, ast.For):
        return f"{_shown(old)} … ends after its first round"
    if isinstance(replacement, ast.Return):
        return "returns at once"
    return f"{_shown(old)} → {_shown(replacement)}"


def _shown(node: ast.AST) -> str:
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.stmt):
        yield from _statements(node)
    elif isinstance(node, ast.Compare):
        yield from _comparisons(node)
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.BoolOp(op=swapped, values=node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield copy.copy(node.operand)
    elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield ast.BinOp(left=node.left, op=_ARITHMETIC[type(node.op)](), right=node.right)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(test=node.test, body=node.orelse, orelse=node.body)
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.Call):
        yield from _calls(node)


def _statements(node: ast.stmt) -> Iterator[ast.AST]:
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    is_store = isinstance(node, ast.Assign) and any(
        isinstance(part, (ast.Attribute, ast.Subscript))
        for target in node.targets
        for part in ast.walk(target)
    )
    if is_call or is_store or isinstance(node, (ast.AugAssign, ast.Delete, ast.Raise)):
        yield ast.Pass()
    elif isinstance(node, ast.Continue):
        yield ast.Break()
    elif isinstance(node, ast.If) and not isinstance(node.test, (ast.Compare, ast.UnaryOp)):
        negated = ast.UnaryOp(op=ast.Not(), operand=node.test)
        yield ast.If(test=negated, body=node.body, orelse=node.orelse)
    elif isinstance(node, ast.For):
        once = [*node.body, ast.Break()]
        yield ast.For(target=node.target, iter=node.iter, body=once, orelse=node.orelse)


def _comparisons(node: ast.Compare) -> Iterator[ast.AST]:
    for index, operator in enumerate(node.ops):
        for table in (_FLIPS, _SHIFTS):
            if type(operator) in table:
                operators = [*node.ops]
                operators[index] = table[type(operator)]()
                yield ast.Compare(left=node.left, ops=operators, comparators=node.comparators)


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(value=not value)
    elif isinstance(value, (int, float)):
        yield ast.Constant(value=value + 1)
        if value > 0:
            yield ast.Constant(value=value - 1)


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    is_sort = isinstance(node.func, ast.Attribute) and node.func.attr == "sort"
    if name in _SWAPPED_CALLS:
        func = ast.Name(id=_SWAPPED_CALLS[name], ctx=ast.Load())
        yield ast.Call(func=func, args=node.args, keywords=node.keywords)
    if name == "sorted" or is_sort:
        rest = [keyword for keyword in node.keywords if keyword.arg != "reverse"]
        turned = [] if len(rest) < len(node.keywords) else [_reverse()]
        yield ast.Call(func=node.func, args=node.args, keywords=[*rest, *turned])


def _reverse() -> ast.keyword:
    return ast.keyword(arg="reverse", value=ast.Constant(value=True))
