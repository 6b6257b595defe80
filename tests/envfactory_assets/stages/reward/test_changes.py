import pytest

from envfactory_assets.stages.reward.changes import ABSENT, changes_between, states_equal


def changed(old, new):
    found = changes_between({"e": {"k": old}}, {"e": {"k": new}})
    return {path[2:]: leaf for path, leaf in found.items()}


def test_only_changed_leaves_are_reported():
    assert changed({"a": {"x": 1, "y": 2}, "b": 3}, {"a": {"x": 1, "y": 9}, "b": 3}) == {
        ("a", "y"): 9
    }


def test_a_new_record_is_reported_leaf_by_leaf_and_a_removed_one_whole():
    record = {"guest": "Bo", "tags": []}
    assert changed({}, {"BK-1": record}) == {("BK-1", "guest"): "Bo", ("BK-1", "tags"): []}
    assert changed({"BK-1": record}, {}) == {("BK-1",): ABSENT}


def test_the_clock_is_no_outcome():
    before = {"e": {"clock": {"now": "a", "counters": {}}, "k": 1}}
    after = {"e": {"clock": {"now": "b", "counters": {"BK": 4}}, "k": 1}}
    assert changes_between(before, after) == {}
    assert states_equal(before, after)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["a", "b"], ["a", "b", "c"], {("c",): "c"}),
        (["a", "b"], ["b"], {("a",): ABSENT}),
        ([{"id": "x", "n": 1}], [{"id": "x", "n": 2}], {("x", "n"): 2}),
        ([{"id": "x"}, {"id": "y"}], [{"id": "y"}], {("x",): ABSENT}),
        ([1, 2, 3], [1, 5, 3], {(1,): 5}),
        ([1, 2], [1, 2, 2], {(2,): 2}),
        ([1, 2, 3], [1, 3], {(): [1, 3]}),
        ([2], [1, 2], {(): [1, 2]}),
        (["a", "b"], ["b", "a"], {(0,): "b", (1,): "a"}),
        (["a"], [], {("a",): ABSENT}),
        ([1], [], {(): []}),
    ],
)
def test_lists_are_taken_apart_as_far_as_their_elements_can_be_told_apart(old, new, expected):
    assert changed(old, new) == expected


def test_records_of_a_list_are_told_apart_by_the_id_named_like_the_list():
    old = {"messages": []}
    new = {"messages": [{"chat_id": "C-1", "message_id": "MS-1"}]}
    assert set(changed(old, new)) == {
        ("messages", "MS-1", "chat_id"),
        ("messages", "MS-1", "message_id"),
    }


@pytest.mark.parametrize(
    ("old", "new"), [({"a": 1}, {}), (None, {"a": 1}), ([1], {"a": 1}), ({"a": 1}, []), (None, {})]
)
def test_a_change_of_shape_is_never_lost(old, new):
    assert changed(old, new)


def test_a_removed_top_level_value_is_a_change():
    assert changes_between({"e": {"k": 1}}, {"e": {}}) == {("e", "k"): ABSENT}
