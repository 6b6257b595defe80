import ast
import json
from collections.abc import Callable
from pathlib import Path

from sandboxes.core.catalog import Catalog
from sandboxes.verification.cases import load_cases
from sandboxes.verification.mutants import mutants
from sandboxes.verification.mutation import MutationOutcome, measure_mutation
from sandboxes.verification.report import Report
from sandboxes.verification.subject import Subject

HOTEL = "travel.hotel_booking"


def measure(catalog: Catalog) -> MutationOutcome:
    source = catalog.source(HOTEL)
    return measure_mutation(catalog.load(HOTEL), Subject.read(source), load_cases(source), seed=0)


def weakened(copy_of_hotel: Callable[..., Catalog], tmp_path: Path) -> Catalog:
    """Give a copy with the first five of its cases only."""
    copy_of_hotel()
    path = tmp_path / "travel" / "hotel_booking.cases.json"
    path.write_text(json.dumps(json.loads(path.read_text())[:5]))
    return Catalog.discover([(tmp_path, "shipped")])


def test_weak_cases_let_faults_survive_and_these_are_listed(
    copy_of_hotel: Callable[..., Catalog], tmp_path: Path
) -> None:
    catalog = weakened(copy_of_hotel, tmp_path)
    outcome = measure(catalog)
    assert 0 < outcome.score < 0.9
    assert len(outcome.survivors) == 10
    lines = catalog.source(HOTEL).path.read_text().splitlines()
    assert all(0 < survivor.line <= len(lines) for survivor in outcome.survivors)
    assert outcome == measure(catalog)


def test_the_declared_cases_notice_most_faults(report_on: Callable[..., Report]) -> None:
    report = report_on(mutation=True)
    assert report.passed
    assert report.mutation_score >= 0.9


def test_no_score_is_measured_while_a_case_fails(report_on: Callable[..., Report]) -> None:
    report = report_on(("if days_left < hotel.free", "if days_left <= hotel.free"), mutation=True)
    assert report.mutation_score is None


def mutations(body: str) -> set[str]:
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    return {mutant.mutation for mutant in mutants(ast.parse(f"def f(x):\n{indented}"), {"f"})}


def test_each_kind_of_fault_is_made() -> None:
    assert {"x < 3 → x >= 3", "x < 3 → x <= 3", "3 → 4", "3 → 2"} == mutations("return x < 3")
    assert "x and y → x or y" in mutations("return x and y")
    assert "not x → x" in mutations("return not x")
    assert mutations("self.check(x)\nreturn x") == {"self.check(x) → pass"}
    assert "raise ToolError('no') → pass" in mutations("raise ToolError('no')")
    assert mutations("return sorted(x)") == {"sorted(x) → sorted(x, reverse=True)"}
    assert mutations("for y in x:\n    pass\nreturn x") == {
        "for y in x: … ends after its first round"
    }
    assert "returns at once" in mutations("a = x\nb = a")
    assert mutations("return f'{x + 1}'") == set()


def test_only_what_tools_come_to_use_is_mutated() -> None:
    tree = ast.parse(
        "LIMIT = 3\n"
        "UNUSED = 4\n"
        "def buy(x):\n    return check(x)\n"
        "def check(x):\n    return x < LIMIT\n"
        "def scenario(x):\n    return x > 9\n"
        "def fill(x):\n    return x > 8\n"
    )
    found = {(mutant.function, mutant.mutation) for mutant in mutants(tree, {"buy"})}
    assert found == {
        ("", "3 → 4"),
        ("", "3 → 2"),
        ("check", "x < LIMIT → x >= LIMIT"),
        ("check", "x < LIMIT → x <= LIMIT"),
    }


def test_a_mutant_leaves_the_tree_as_it_was() -> None:
    tree = ast.parse("def f(x):\n    return x < 3")
    before = ast.unparse(tree)
    for mutant in mutants(tree, {"f"}):
        with mutant.applied():
            assert ast.unparse(tree) != before
        assert ast.unparse(tree) == before


def test_a_fault_that_may_make_a_loop_endless_is_marked() -> None:
    text = (
        "def f(x):\n    while x < 3:\n        x += 1\n    return g(x)\ndef g(x):\n    return x + 1"
    )
    marks = {mutant.function: mutant.may_loop for mutant in mutants(ast.parse(text), {"f"})}
    assert marks == {"f": True, "g": False}
