import math

import pytest
from pydantic import ValidationError

from sandboxes.core.clock import Clock
from sandboxes.core.state import Change, Entity, State, diff


class Item(Entity):
    name: str
    price: float


class Shop(State):
    items: dict[str, Item]


def shop(**items: Item) -> Shop:
    return Shop(clock=Clock(now="2026-03-02T09:00"), items=items)


def test_a_state_read_back_is_the_same_and_shares_nothing() -> None:
    before = shop(a=Item(name="Tea", price=2.5))
    again = Shop.load(before.dump())
    again.items["a"].name = "Coffee"
    assert before.items["a"].name == "Tea"
    assert Shop.load(before.dump()).dump() == before.dump()


def test_the_hash_does_not_depend_on_the_order_of_a_table() -> None:
    tea, milk = Item(name="Tea", price=2.5), Item(name="Milk", price=1.0)
    assert shop(a=tea, b=milk).hash() == shop(b=milk, a=tea).hash()
    assert shop(a=tea).hash() != shop(b=tea).hash()


@pytest.mark.parametrize(
    "fields", [{"name": "Tea", "price": "2.5"}, {"name": "Tea", "price": 1.0, "colour": "red"}]
)
def test_a_state_of_other_types_or_fields_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Item.model_validate(fields)


def test_a_price_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(ValidationError, match="finite"):
        Item(name="Tea", price=math.inf)


def test_a_diff_names_every_leaf_that_was_added_removed_or_changed() -> None:
    before = shop(a=Item(name="Tea", price=2.5), b=Item(name="Milk", price=1.0)).as_json()
    after = shop(a=Item(name="Tea", price=3.0), c=Item(name="Bread", price=1.0)).as_json()
    assert diff(before, after) == [
        Change(path="items.a.price", before=2.5, after=3.0, kind="changed"),
        Change(path="items.b", before={"name": "Milk", "price": 1.0}, after=None, kind="removed"),
        Change(path="items.c", before=None, after={"name": "Bread", "price": 1.0}, kind="added"),
    ]


def test_a_diff_numbers_list_items_and_takes_lists_of_other_lengths_whole() -> None:
    changes = diff({"a": [1, 2], "b": [1]}, {"a": [1, 3], "b": [1, 2]})
    assert [(change.path, change.after) for change in changes] == [("a[1]", 3), ("b", [1, 2])]


def test_a_diff_tells_true_from_one_wherever_it_stands() -> None:
    assert [change.path for change in diff({"a": [{"b": 1}]}, {"a": [{"b": True}]})] == ["a[0].b"]
    assert diff({"a": [1]}, {"a": [1]}) == []
