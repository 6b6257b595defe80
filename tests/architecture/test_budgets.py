"""Sizes that keep the code readable: files, functions, asset bodies."""

import ast
from pathlib import Path
from statistics import median

from sandboxes.core.domain import Domain

CHECKOUT = Path(__file__).parents[2]
PACKAGES = ("sandboxes", "envfactory_resources", "envfactory_assets", "rl_jobs")
DOMAINS = {domain.value for domain in Domain}
FILE_LINES, ENVIRONMENT_LINES, TEST_LINES, MEDIAN_LINES = 400, 600, 500, 150
FUNCTION_LINES, LEVELS, ASSET_LINES = 40, 3, 25

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def sources(*folders):
    return [path for folder in folders for path in sorted((CHECKOUT / folder).rglob("*.py"))]


def name_of(path):
    return path.relative_to(CHECKOUT).as_posix()


def line_count(path):
    return len(path.read_text().splitlines())


def functions(path):
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, Function)]


def body_lines(function):
    """Count the lines of a body, its docstring aside."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def levels(node, level=0):
    """Count how deep blocks stand in each other; `elif` is no level of its own."""
    deepest = level
    for child in ast.iter_child_nodes(node):
        if isinstance(child, SCOPES):
            continue
        is_elif = isinstance(node, ast.If) and isinstance(child, ast.If) and [child] == node.orelse
        deeper = level + (isinstance(child, BLOCKS) and not is_elif)
        deepest = max(deepest, levels(child, deeper))
    return deepest


def file_budget(path):
    if path.is_relative_to(CHECKOUT / "tests"):
        return TEST_LINES
    is_environment = path.parent.parent.name == "sandboxes" and path.parent.name in DOMAINS
    return ENVIRONMENT_LINES if is_environment else FILE_LINES


def is_asset(function):
    return any(
        ast.unparse(decorator).startswith("dg.asset(") for decorator in function.decorator_list
    )


def test_no_file_is_too_long():
    long = {
        name_of(path): line_count(path)
        for path in sources(*PACKAGES, "benchmarks", "tests")
        if line_count(path) > file_budget(path)
    }

    assert long == {}


def test_most_files_are_short():
    lengths = [line_count(path) for path in sources(*PACKAGES) if path.name != "__init__.py"]

    assert median(lengths) <= MEDIAN_LINES


def test_no_function_is_too_long():
    long = {
        f"{name_of(path)}: {function.name}": body_lines(function)
        for path in sources(*PACKAGES)
        for function in functions(path)
        if body_lines(function) > FUNCTION_LINES
    }

    assert long == {}


def test_no_function_is_nested_too_deep():
    deep = {
        f"{name_of(path)}: {function.name}": levels(function)
        for path in sources(*PACKAGES)
        for function in functions(path)
        if levels(function) > LEVELS
    }

    assert deep == {}


def test_assets_wire_and_leave_the_thinking_to_stages():
    bodies = {
        f"{path.stem}: {function.name}": body_lines(function)
        for path in sources("envfactory_assets/assets")
        for function in functions(path)
        if is_asset(function)
    }

    assert len(bodies) >= 11
    assert {name: lines for name, lines in bodies.items() if lines > ASSET_LINES} == {}
