import pytest

from envfactory_assets.stages.evaluation.attempts import (
    EvaluatedAttempt,
    read_attempts,
    write_attempts,
)
from envfactory_assets.stages.evaluation.error_classes import ErrorClass
from envfactory_assets.stages.evaluation.picture import draw_evaluation
from envfactory_assets.stages.evaluation.report import report_rows


def attempt(task, reward, decoding="greedy", sample=0, **more):
    given = {
        "policy": "after_sft",
        "row_id": f"{task}/0",
        "task_id": task,
        "domain": "travel",
        "environment_ids": ("travel.hotel_booking",),
        "split": "test_chains",
        "difficulty": "easy",
        "sample": sample,
        "decoding": decoding,
        "reward": reward,
        "trajectory": reward,
        "state": reward,
        "length": None if reward is None else 0.0,
        "format": None if reward is None else 0.0,
        "error_classes": (),
        "explanation": (),
        "fault": "broke" if reward is None else None,
        "calls": 1,
        "format_errors": 0,
        "is_cut": False,
        "completion": "",
    }
    return EvaluatedAttempt(**{**given, **more})


def sampled(task, *rewards, **more):
    return [attempt(task, reward, "sampled", n, **more) for n, reward in enumerate(rewards)]


def rows(attempts, k=2, policies=None):
    found = report_rows(attempts, policies or {"after_sft": "sft-1"}, k, seed=0)
    return {(row.stage, row.split, row.slice_by, row.slice): row for row in found}


ALL = ("after_sft", "all", "all", "all")


def test_the_reward_is_that_of_the_likeliest_tokens_and_pass_at_k_that_of_the_samples():
    row = rows([attempt("a", 1.0), attempt("b", 0.5), *sampled("a", 1.0, 0.0), *sampled("b", 0.0)])[
        ALL
    ]

    assert (row.policy, row.task_count, row.attempt_count, row.sample_count) == ("sft-1", 2, 2, 2)
    assert row.reward == pytest.approx(0.75)
    assert row.solved_share == 0.5
    assert row.pass_1 == pytest.approx(0.25)
    assert row.pass_k == pytest.approx(1.0), "task b has too few samples to say"


def test_samples_alone_give_the_reward_too():
    row = rows(sampled("a", 1.0, 0.0))[ALL]

    assert row.reward == row.pass_1 == 0.5
    assert row.pass_k == 1.0


def test_a_fault_is_counted_and_in_no_mean():
    row = rows([attempt("a", 1.0), attempt("b", None)])[ALL]

    assert row.reward == 1.0
    assert row.fault_count == 1


def test_there_are_rows_by_split_domain_difficulty_and_error():
    wrong = {"error_classes": (ErrorClass.WRONG_TOOL, ErrorClass.REDUNDANT)}
    found = rows(
        [
            attempt("a", 1.0),
            attempt("b", 0.2, domain="finance", difficulty="hard", **wrong),
            attempt("c", 0.0, split="test_environments", **wrong),
        ]
    )

    assert [key[1:] for key in found] == [
        ("all", "all", "all"),
        ("test_chains", "all", "all"),
        ("test_environments", "all", "all"),
        ("all", "domain", "finance"),
        ("all", "domain", "travel"),
        ("all", "difficulty", "easy"),
        ("all", "difficulty", "hard"),
        ("all", "error_class", "wrong_tool"),
        ("all", "error_class", "redundant"),
    ]
    row = found["after_sft", "all", "error_class", "wrong_tool"]
    assert row.share == pytest.approx(2 / 3)
    assert row.share_low < row.share < row.share_high
    assert row.reward == pytest.approx(0.1)
    assert row.pass_1 is None


def test_intervals_draw_the_turns_of_a_conversation_together():
    """Ten turns that are all alike in two conversations are two observations, not twenty."""
    alike = [
        attempt(task, reward, row_id=f"{task}/{turn}")
        for task, reward in (("a", 1.0), ("b", 0.0))
        for turn in range(10)
    ]
    row = rows(alike)[ALL]

    assert (row.reward, row.reward_low, row.reward_high) == (0.5, 0.0, 1.0)


def test_policies_come_in_the_order_of_the_report():
    attempts = [attempt("a", 1.0), attempt("a", 0.0, policy="before_training")]
    found = rows(attempts, policies={"before_training": "random", "after_sft": "sft-1"})

    assert [key[0] for key in found if key[1:] == ALL[1:]] == ["before_training", "after_sft"]


def test_attempts_are_read_as_they_were_written(tmp_path):
    attempts = [attempt("a", 1.0), attempt("b", None)]
    write_attempts(attempts, tmp_path)

    assert read_attempts(tmp_path) == attempts


def test_the_picture_can_be_drawn_of_anything():
    found = list(rows([attempt("a", 1.0), *sampled("a", 0.0, 1.0)]).values())

    assert draw_evaluation(found).startswith(b"\x89PNG")
    assert draw_evaluation([]).startswith(b"\x89PNG")
