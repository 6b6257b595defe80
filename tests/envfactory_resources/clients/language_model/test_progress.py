import logging

import pytest

from envfactory_resources.clients.language_model.progress import LOGGER_NAME, Progress, map_telling


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.INFO, LOGGER_NAME)
    return lambda: [record.getMessage() for record in caplog.records]


def advance(seconds_each, count, total):
    """Advance some steps of equal length."""
    moments = iter([0.0] + [seconds_each * (number + 1) for number in range(count)])
    progress = Progress("candidates[travel]", "attempts", total, clock=lambda: next(moments))
    for _ in range(count):
        progress.advance()


@pytest.mark.parametrize(
    ("seconds_each", "expected"),
    [
        (15.0, "candidates[travel]: 1 of 9 attempts, about 2 min left"),
        (5.0, "candidates[travel]: 3 of 9 attempts, about 30 s left"),
        (3600.0, "candidates[travel]: 1 of 9 attempts, about 8 h left"),
    ],
)
def test_a_line_says_how_much_is_done_and_how_long_the_rest_takes(lines, seconds_each, expected):
    advance(seconds_each, 4, 9)

    assert lines()[0] == expected


def test_lines_come_at_intervals_and_not_for_every_step(lines):
    advance(1.0, 60, 100)

    assert [line.split()[1] for line in lines()] == ["15", "30", "45", "60"]


def test_what_is_done_soon_and_the_end_are_told_nowhere(lines):
    advance(1.0, 10, 10)
    advance(20.0, 1, 1)

    assert lines() == []


def test_results_keep_the_order_of_the_items():
    doubled = map_telling(
        lambda n: 2 * n, range(50), max_concurrency=8, what="numbers", unit="numbers"
    )

    assert doubled == [2 * number for number in range(50)]
