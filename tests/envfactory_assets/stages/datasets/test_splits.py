from collections import Counter

from envfactory_assets.stages.datasets.splits import split_of

ENVIRONMENTS = ("travel.hotel_booking",)


def test_a_task_with_a_held_out_environment_is_never_trained_on():
    pair = ("office.calendar", "travel.hotel_booking")
    for number in range(200):
        tools = (f"tool_{number}",)
        assert split_of(tools, pair, ["office.calendar"]) == "test_environments"
        assert split_of(tools, ENVIRONMENTS, ["office.calendar"]) != "test_environments"


def test_the_same_tools_fall_into_the_same_split():
    assert split_of(["a", "b"], ENVIRONMENTS, []) == split_of(("a", "b"), ENVIRONMENTS, [])
    assert split_of(["a", "b"], ENVIRONMENTS, ["x.y"]) == split_of(["a", "b"], ENVIRONMENTS, [])


def test_splits_are_stable_over_versions():
    """Tasks that were trained on must not become test tasks: these three are pinned."""
    found = [split_of((f"tool_{number}",), ENVIRONMENTS, ()) for number in (0, 1, 7)]
    assert found == ["train", "test_chains", "validation"]


def test_most_tasks_are_trained_on_and_every_split_gets_some():
    splits = Counter(split_of((f"tool_{n}", "b"), ENVIRONMENTS, ()) for n in range(1000))

    assert 700 < splits["train"] < 800
    assert 110 < splits["test_chains"] < 190
    assert 60 < splits["validation"] < 140
