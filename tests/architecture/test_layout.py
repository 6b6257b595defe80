"""Where things stand and how files are named."""

import ast
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PACKAGES = ("sandboxes", "envfactory_resources", "envfactory_assets", "rl_jobs")
DRAWERS = {"utils", "util", "helpers", "helper", "misc", "manager", "managers", "base", "common"}
STAGES = CHECKOUT / "envfactory_assets" / "stages"


def sources(*folders):
    return [path for folder in folders for path in sorted((CHECKOUT / folder).rglob("*.py"))]


def name_of(path):
    return path.relative_to(CHECKOUT).as_posix()


def tree(path):
    return ast.parse(path.read_text())


def imported(path):
    """Return every module that a file imports, inside functions too."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{each.name}" for each in node.names)}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return found


def test_no_file_is_a_drawer():
    paths = sources(*PACKAGES, "benchmarks", "tests")
    drawers = [
        name_of(path)
        for path in paths
        if DRAWERS & {part for piece in path.relative_to(CHECKOUT).parts for part in words(piece)}
    ]

    assert drawers == []


def words(piece):
    return piece.removesuffix(".py").split("_")


def test_every_package_says_what_is_here_and_imports_nothing():
    silent = [
        name_of(path)
        for path in sources(*PACKAGES)
        if path.name == "__init__.py"
        and (ast.get_docstring(tree(path)) is None or len(tree(path).body) != 1)
    ]

    assert silent == []


def test_every_module_begins_with_a_docstring():
    silent = [name_of(path) for path in sources(*PACKAGES) if not ast.get_docstring(tree(path))]

    assert silent == []


def test_nothing_is_printed_past_the_console_of_a_command_line():
    printing = {
        name_of(path)
        for path in sources(*PACKAGES)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
    }

    assert printing == set()


def test_a_stage_has_one_name_everywhere():
    def modules(folder):
        return {path.stem for path in sources(f"envfactory_assets/{folder}")} - {"__init__"}

    stages = {path.name for path in STAGES.iterdir() if (path / "__init__.py").exists()}
    checks = modules("checks") - {"suite", "expectations", "outcomes", "memory"}
    assets = modules("assets") - {"session_catalog"}
    assert assets == checks
    assert assets <= stages


def test_prompts_are_text_files_beside_their_code():
    prompts = sorted(CHECKOUT.glob("envfactory_assets/stages/*/prompts/*"))

    assert prompts
    assert {path.suffix for path in prompts} == {".txt"}
    for path in prompts:
        code = "".join(file.read_text() for file in path.parents[1].glob("*.py"))
        assert path.name in code or f'"{path.stem}"' in code, f"{name_of(path)} is not used"


def test_no_prompt_stands_in_code():
    address = re.compile(r"\b(You are|Your task|You will)\b")
    prompting = [
        f"{name_of(path)}: {node.value[:60]}"
        for path in sources("envfactory_assets", "envfactory_resources", "rl_jobs")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and len(node.value) > 200
        and address.search(node.value)
    ]

    assert prompting == []


def stage_imports(module):
    """Return every stage module that a module reaches."""
    seen, waiting = set(), [module]
    while waiting:
        path = CHECKOUT.joinpath(*waiting.pop().split(".")).with_suffix(".py")
        for name in imported(path):
            is_module = CHECKOUT.joinpath(*name.split(".")).with_suffix(".py").exists()
            if is_module and name.startswith("envfactory_assets.") and name not in seen:
                seen.add(name)
                waiting.append(name)
    return {name for name in seen if name.startswith("envfactory_assets.stages.")}


@pytest.mark.parametrize(
    "stage",
    [
        "proposals",
        "attempts",
        "environments",
        "tool_graphs",
        "chains",
        "queries",
        "trajectories",
        "datasets",
    ],
)
def test_a_code_version_covers_every_stage_that_the_rows_depend_on(stage):
    module = f"envfactory_assets.assets.{stage}"
    path = CHECKOUT / "envfactory_assets" / "assets" / f"{stage}.py"
    covered = {
        argument.value
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "code_version"
        for argument in node.args
    }
    missing = {
        name
        for name in stage_imports(module)
        if not any(name == package or name.startswith(f"{package}.") for package in covered)
    }

    assert missing == set()
