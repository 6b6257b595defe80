import pytest

from sandboxes.core.json_paths import leaves_at, parent_of, place, text_leaves, value_at

RESULT = {
    "hotels": [{"id": "HT-1", "tags": ["a", "b"]}, {"id": "HT-2", "tags": [], "note": None}],
    "totals": {"a@example.com": 3, "BK-1": 4},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("hotels[1].id", [("hotels[1].id", "HT-2")]),
        ("hotels[].id", [("hotels[0].id", "HT-1"), ("hotels[1].id", "HT-2")]),
        ("hotels[].tags[]", [("hotels[0].tags[0]", "a"), ("hotels[0].tags[1]", "b")]),
        ("totals{}", [("totals{a@example.com}", 3), ("totals{BK-1}", 4)]),
        ("totals{a@example.com}", [("totals{a@example.com}", 3)]),
        ("hotels[7].id", []),
        ("hotels[].note", []),
        ("hotels[].id.length", []),
    ],
)
def test_a_path_names_its_leaves_with_their_own_paths(path: str, found: list) -> None:
    assert leaves_at(RESULT, path) == found


@pytest.mark.parametrize("path", ["hotels[].id", "hotels[].tags[]", "totals{}"])
def test_a_leafs_own_path_leads_back_to_it(path: str) -> None:
    found = leaves_at(RESULT, path)
    assert len(found) == 2
    assert [value_at(RESULT, where) for where, _ in found] == [value for _, value in found]


def test_one_value_is_read_and_none_where_there_is_none() -> None:
    assert value_at(RESULT, "hotels[0].id") == "HT-1"
    assert value_at(RESULT, "rooms[0].id") is None
    assert value_at(RESULT, "") == RESULT


def test_the_parent_is_what_holds_a_leaf() -> None:
    assert parent_of("hotels[1].id") == "hotels[1]"
    assert parent_of("city") == ""


def test_leaves_of_one_list_are_placed_into_one_item() -> None:
    arguments: dict = {}
    place(arguments, "guest.email", "a@example.com")
    place(arguments, "items[].sku", "S-1")
    place(arguments, "items[].count", 2)
    place(arguments, "tags[]", "red")
    assert arguments == {
        "guest": {"email": "a@example.com"},
        "items": [{"sku": "S-1", "count": 2}],
        "tags": ["red"],
    }


def test_every_leaf_is_told_with_the_last_key_above_it() -> None:
    found = list(text_leaves({"a": [{"b": 1}, {"b": None}], "c": ["x", "y"]}))
    assert found == [("b", 1), ("c", "x"), ("c", "y")]
