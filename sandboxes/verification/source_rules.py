"""What the source of an environment may not do, read from its syntax tree before it is imported.

The rules keep honest environments deterministic: imports come from a short list of names; there is
no clock, global randomness, file, network, salted hash or object address; nothing depends on the
order of a set. They also close the known ways around that list (`reach_rules`,
`annotation_rules`), so that a file which means harm is mostly found out unread. They are no
protection from one: there are ways that nobody has listed, and that takes confinement.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sandboxes.verification.allowed_names import ALLOWED_NAMES, FORBIDDEN_BUILTINS
from sandboxes.verification.annotation_rules import misused_annotations
from sandboxes.verification.reach_rules import Parents, bound_modules, is_argument, reach_rules

_CORE = "sandboxes.core."
ALLOWED_MODULES = frozenset(name for name in ALLOWED_NAMES if "." not in name)
ALLOWED_CORE_MODULES = frozenset(
    name.removeprefix(_CORE) for name in ALLOWED_NAMES if name.startswith(_CORE)
)
FORBIDDEN_NAMES = FORBIDDEN_BUILTINS | {"__builtins__", "__import__"}
FORBIDDEN_CALLS = frozenset({"hash", "id"})
FORBIDDEN_METHODS = frozenset({"now", "today", "utcnow", "uuid1", "uuid4"})
_ALLOWED = f"no import but of {', '.join(sorted(ALLOWED_MODULES))} and sandboxes.core"
_ORDER_FREE = frozenset({"all", "any", "frozenset", "len", "max", "min", "set", "sorted", "sum"})
_ORDERED = frozenset({"enumerate", "iter", "list", "next", "tuple"})
_SET_OPERATORS = (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)


@dataclass(frozen=True, slots=True)
class Violation:
    """One place where a source breaks a rule.

    Attributes:
        line: Line of the file.
        tool: Name of the tool method it stands in; None outside of tools.
        got: The code that breaks the rule.
        rule: What the rule asks for.
        may_import: Whether the file can be imported all the same.
    """

    line: int
    tool: str | None
    got: str
    rule: str
    may_import: bool = False


def violations(tree: ast.Module) -> list[Violation]:
    """Return every place where a source breaks a rule, in order of line."""
    tools = list(_tool_methods(tree))
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    sets = _SetReader(tree)
    reader = _Reader(_imported_names(tree), bound_modules(tree), sets, parents)
    rules = [(node, *broken) for node in ast.walk(tree) for broken in reader.broken_rules(node)]
    rules += [
        (node, "annotations that name types and hold no code", False)
        for node in misused_annotations(tree)
    ]
    found = [
        Violation(line, _tool_at(line, tools), ast.unparse(node)[:120], rule, may_import)
        for node, rule, may_import in rules
        if (line := getattr(node, "lineno", 0))
    ]
    return sorted(found, key=lambda violation: violation.line)


def _tool_methods(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(map(_marks_tool, node.decorator_list)):
            yield node


def _marks_tool(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id == "tool"


def _tool_at(line: int, tools: list[ast.FunctionDef]) -> str | None:
    for tool in tools:
        if tool.lineno <= line <= (tool.end_lineno or tool.lineno):
            return tool.name
    return None


@dataclass(frozen=True, slots=True)
class _Reader:
    forbidden: frozenset[str]
    modules: Mapping[str, str]
    sets: "_SetReader"
    parents: Parents

    def broken_rules(self, node: ast.AST) -> Iterator[tuple[str, bool]]:
        """Yield the rules that a node breaks, and whether the file can be imported all the same."""
        reached = list(reach_rules(node, self.modules, self.parents))
        yield from ((rule, False) for rule in reached)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((rule, False) for rule in _import_rules(node))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in self.forbidden and not is_argument(node, self.parents):
                yield f"no use of {node.id}", False
        elif isinstance(node, ast.Call) and not reached:
            yield from ((rule, False) for rule in _call_rules(node))
        if self.sets.is_order_used(node, self.parents):
            yield "no dependence on the order of a set; sort it", True


def _imported_names(tree: ast.Module) -> frozenset[str]:
    """Return the names that imports bind against the rules."""
    return frozenset(
        (alias.asname or alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and any(_import_rules(node))
        for alias in node.names
    )


def _import_rules(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        wrong = [
            alias.name
            for alias in node.names
            if alias.name not in ALLOWED_NAMES or alias.name.startswith(_CORE)
        ]
        if wrong:
            yield _ALLOWED
        return
    names = ALLOWED_NAMES.get(node.module or "") if node.level == 0 else None
    if names is None:
        yield _ALLOWED
        return
    for alias in node.names:
        if alias.name not in names and node.module == "random":
            yield "no chance but from the random.Random that scenario() is given"
        elif alias.name not in names:
            yield f"no {alias.name} of {node.module}; allowed: {', '.join(sorted(names))}"


def _call_rules(node: ast.Call) -> Iterator[str]:
    called = node.func
    if isinstance(called, ast.Name) and called.id in FORBIDDEN_CALLS:
        yield f"no {called.id}(), which differs between processes"
    if isinstance(called, ast.Attribute) and called.attr in FORBIDDEN_METHODS:
        yield "no clock or id but the session's (self.clock)"
    if ast.unparse(called) in ("random.Random", "Random") and not node.args:
        yield "no random.Random without a seed"


class _SetReader:
    """Tells which expressions are sets, and where their order is used."""

    def __init__(self, tree: ast.Module) -> None:
        self._set_names = {
            (function, target.id)
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef)
            for node in ast.walk(function)
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name) and self._is_set_display(node.value)
        }

    def is_order_used(self, node: ast.AST, parents: Parents) -> bool:
        if isinstance(node, ast.For):
            return self._is_set(node.iter, parents)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
            over_set = any(self._is_set(part.iter, parents) for part in node.generators)
            return over_set and not _is_order_free(parents.get(node))
        if not isinstance(node, ast.Call) or not node.args:
            return False
        is_join = isinstance(node.func, ast.Attribute) and node.func.attr == "join"
        is_ordered = isinstance(node.func, ast.Name) and node.func.id in _ORDERED
        return (is_join or is_ordered) and self._is_set(node.args[0], parents)

    def _is_set(self, node: ast.expr, parents: Parents) -> bool:
        if self._is_set_display(node):
            return True
        if not isinstance(node, ast.Name):
            return False
        above: ast.AST | None = node
        while above is not None:
            if (above, node.id) in self._set_names:
                return True
            above = parents.get(above)
        return False

    def _is_set_display(self, node: ast.expr) -> bool:
        if isinstance(node, (ast.Set, ast.SetComp)):
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, _SET_OPERATORS):
            return self._is_set_display(node.left) or self._is_set_display(node.right)
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("set", "frozenset")
        )


def _is_order_free(node: ast.AST | None) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in _ORDER_FREE
    )
