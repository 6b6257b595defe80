import pytest

from envfactory_assets.stages.reward.values import ids_in, looks_like_id, rename, values_agree


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        ("Paris", "  paris "),
        ("New  York", "new york"),
        (5, 5.0),
        (5, "5"),
        ("12.50", 12.5),
        (0.1 + 0.2, 0.3),
        (None, None),
        (True, True),
        (["ana", "Bo"], ["bo", "ana"]),
        ([1, {"a": "X"}], [1.0, {"a": "x"}]),
        ({"a": 1, "b": None}, {"b": None, "a": 1}),
    ],
)
def test_values_that_mean_the_same_agree(expected, given):
    assert values_agree(expected, given)
    assert values_agree(given, expected)


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        ("Paris", "Lisbon"),
        (5, 6),
        (5, "five"),
        (1, True),
        (False, None),
        ("", None),
        (10**17, 10**17 + 1),
        ([1, 2], [2, 1]),
        (["a", "a"], ["a", "b"]),
        (["a"], ["a", "a"]),
        ({"a": 1}, {"a": 1, "b": None}),
        ("1", "1.0"),
    ],
)
def test_values_that_mean_something_else_do_not(expected, given):
    assert not values_agree(expected, given)
    assert not values_agree(given, expected)


def test_ids_are_found_in_keys_whole_texts_and_words_of_text():
    value = {"BK-1": ["BK-2", {"text": "Now BK-3, not BK-31 or XBK-4."}]}
    assert list(ids_in(value, {"BK-1", "BK-2", "BK-3", "BK-4"})) == ["BK-1", "BK-2", "BK-3"]


def test_renaming_swaps_ids_wherever_they_stand_as_whole_words():
    value = {"BK-1": "BK-2", "text": "BK-1 and BK-2; BK-12 stays", "list": ["BK-2"]}
    assert rename(value, {"BK-1": "BK-2", "BK-2": "BK-1"}) == {
        "BK-2": "BK-1",
        "text": "BK-2 and BK-1; BK-12 stays",
        "list": ["BK-1"],
    }


@pytest.mark.parametrize(
    ("value", "is_id"),
    [("BK-12", True), ("order-line-3", True), ("2026-03-02", False), ("BK", False), (12, False)],
)
def test_the_form_of_a_session_id_is_told_from_dates_and_words(value, is_id):
    assert looks_like_id(value) is is_id
