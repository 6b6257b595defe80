import pytest

from envfactory_assets.stages.proposals.json_values import (
    list_of,
    number_of,
    object_of,
    spoken_text,
    text_of,
    texts_of,
)


def test_the_wrong_type_counts_as_absent():
    assert object_of([1]) == {}
    assert list_of({"a": 1}) == []
    assert text_of(3) == ""
    assert texts_of(["a", 1, None, "b"]) == ["a", "b"]


@pytest.mark.parametrize("value", [True, "3", None, float("inf"), 10**400, 1e300])
def test_what_is_no_usable_number_is_none(value):
    assert number_of(value) is None


def test_scalars_are_spoken_as_json_writes_them():
    assert [spoken_text(value) for value in (True, 3, "a", None, [1])] == ["true", "3", "a", "", ""]
