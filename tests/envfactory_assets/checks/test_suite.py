import dagster as dg
import pytest

from envfactory_assets.checks.expectations import (
    all_zero,
    mean_at_least,
    one_of,
    row_count,
    unique,
    within,
)
from envfactory_assets.checks.suite import run_suite

FRAME = {"id": ["a", "b", "c"], "reward": [0.2, 0.9, 1.0], "is_good": [True, True, False]}


def table_of(result):
    return result.metadata["expectations"].value


def test_a_table_that_meets_its_suite_passes():
    result = run_suite(FRAME, [row_count(1), unique("id"), within("reward", 0, 1)])

    assert result.passed
    assert result.description == "0 of 3 expectations missed on 3 rows."
    assert result.metadata["missed"].value == 0


@pytest.mark.parametrize(
    ("expectation", "sentence"),
    [
        (row_count(5), "rows: expected at least 5, got 3."),
        (within("reward", 0.5, 1), "reward: expected 0.5 to 1, got 0.2 in a."),
        (within("reward", None, 0.95), "reward: expected at most 0.95, got 1.0 in c."),
        (one_of("is_good", [True]), "is_good: expected True, got False in c."),
    ],
)
def test_a_critical_miss_is_an_error_that_names_rows_expected_and_actual(expectation, sentence):
    result = run_suite(FRAME, [unique("id"), expectation])

    assert not result.passed
    assert result.severity is dg.AssetCheckSeverity.ERROR
    assert result.description == f"1 of 2 expectations missed on 3 rows. {sentence}"
    _, expected, actual = sentence.rstrip(".").replace(", got ", ": expected ").split(": expected ")
    assert f"| {expected} | {actual} | critical |" in table_of(result)


def test_the_missed_expectations_stand_first():
    rows = table_of(run_suite(FRAME, [unique("id"), row_count(5)])).splitlines()[2:]

    assert [row[2:5].strip() for row in rows] == ["NO", "yes"]


def test_a_warning_alone_lets_the_table_pass_on_with_a_warning():
    result = run_suite(FRAME, [unique("id"), mean_at_least("reward", 0.9)])

    assert not result.passed
    assert result.severity is dg.AssetCheckSeverity.WARN
    assert "reward: expected a mean of at least 0.9, got 0.7" in result.description


def test_a_critical_miss_beside_a_warning_is_an_error():
    result = run_suite(FRAME, [row_count(5), mean_at_least("reward", 0.9)])

    assert result.severity is dg.AssetCheckSeverity.ERROR


def test_a_missing_value_is_a_miss():
    result = run_suite({"id": ["a", "b"], "reward": [None, 0.5]}, [within("reward", 0, 1)])

    assert not result.passed
    assert "1 missing values" in result.description


def test_many_bad_rows_are_counted_and_a_few_named():
    frame = {"id": [f"row{number}" for number in range(50)], "faults": [1] * 50}

    description = run_suite(frame, [all_zero("faults")]).description
    assert description.endswith("got 1 in row0, 1 in row1, 1 in row2 and 47 more.")


def test_an_id_that_comes_twice_is_named():
    description = run_suite({"id": ["a", "b", "a"]}, [unique("id")]).description

    assert description.endswith("id: expected no value twice, got a in a, a in a.")


def test_an_empty_table_misses_only_what_asks_for_rows():
    result = run_suite({"id": [], "reward": []}, [row_count(1), unique("id"), all_zero("reward")])

    assert result.metadata["missed"].value == 1
    assert "rows: expected at least 1, got 0." in result.description


def test_an_expectation_on_a_column_that_is_not_there_fails_and_says_so():
    result = run_suite(FRAME, [all_zero("nonsense")])

    assert not result.passed
    assert "nonsense" in result.description
    assert "an error" in result.description


def test_explanations_are_given_only_when_something_is_missed():
    assert "Mend it." not in run_suite(FRAME, [unique("id")], ["Mend it."]).description
    assert "Mend it." in run_suite(FRAME, [row_count(5)], ["Mend it."]).description
