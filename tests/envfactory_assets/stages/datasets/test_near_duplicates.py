import random
from typing import get_args

from envfactory_assets.records.datasets import Split
from envfactory_assets.stages.datasets.near_duplicates import Asked, near_duplicates

REQUEST = (
    "Please find hotels in Lisbon from 2026-05-01 to 2026-05-04 for at most 120 a night, book the "
    "cheapest room of the best one for Ann Lee, and then tell me when I can still cancel it."
)
NEARLY = REQUEST.replace("Please find", "Could you find")
OTHER_VALUES = REQUEST.replace("Lisbon", "Oslo").replace("120", "90").replace("Ann Lee", "Bo Ito")


def found(*tasks):
    return near_duplicates(tasks, within=0.8, across=0.6)


def test_the_same_problem_in_nearly_the_same_words_is_kept_once():
    first, second = Asked("a", "train", REQUEST, "p"), Asked("b", "train", NEARLY, "p")

    [(task_id, duplicate)] = found(second, first).items()
    assert (task_id, duplicate.of_task, duplicate.is_across) == ("b", "a", False)
    assert 0.8 <= duplicate.similarity < 1


def test_the_same_words_over_another_scenario_or_with_other_calls_are_another_problem():
    assert found(Asked("a", "train", REQUEST, "p"), Asked("b", "train", REQUEST, "q")) == {}


def test_the_same_problem_in_other_words_stays():
    """What a person can say in several ways is worth hearing in several ways."""
    other = "Book me something cheap in Lisbon for Ann Lee, the first four days of May 2026."

    assert found(Asked("a", "train", REQUEST, "p"), Asked("b", "train", other, "p")) == {}


def test_across_splits_the_words_alone_decide():
    tested, trained = Asked("z", "test_chains", REQUEST, "p"), Asked("a", "train", NEARLY, "q")

    [(task_id, duplicate)] = found(trained, tested).items()
    assert (task_id, duplicate.of_task, duplicate.is_across) == ("a", "z", True)


def test_every_split_has_its_rank():
    rows = [Asked(split, split, REQUEST, split) for split in get_args(Split)]

    assert len(found(*rows)) == len(rows) - 1


def test_a_test_keeps_its_row_whichever_comes_first():
    rows = [
        Asked("a", "train", REQUEST, "p"),
        Asked("b", "validation", REQUEST, "q"),
        Asked("c", "test_chains", REQUEST, "r"),
        Asked("d", "test_environments", REQUEST, "s"),
    ]

    assert {task_id: item.of_task for task_id, item in found(*rows).items()} == {
        "a": "d",
        "b": "d",
        "c": "d",
    }


def test_one_template_with_other_values_is_no_duplicate_even_across_splits():
    tested, trained = (
        Asked("z", "test_chains", REQUEST, "p"),
        Asked("a", "train", OTHER_VALUES, "q"),
    )

    assert found(tested, trained) == {}


def test_a_dropped_row_drops_no_other():
    """The row in the middle is like both of its neighbours, and they are not like each other."""
    said = [f"word{number}" for number in range(48)]
    rows = [
        Asked("a", "test_chains", " ".join(said[:40]), "p"),
        Asked("b", "validation", " ".join(said[4:44]), "q"),
        Asked("c", "train", " ".join(said[8:48]), "r"),
    ]

    assert set(near_duplicates(rows, within=0.8, across=0.7)) == {"b"}


def test_the_order_of_the_rows_does_not_matter():
    rng = random.Random(1)
    splits = ("train", "validation", "test_chains")
    rows = [
        Asked(
            f"t{number:03}", rng.choice(splits), f"{REQUEST} {rng.randrange(9)}", f"p{number % 7}"
        )
        for number in range(60)
    ]
    expected = found(*rows)
    rng.shuffle(rows)

    assert len(expected) > 20
    assert found(*rows) == expected
