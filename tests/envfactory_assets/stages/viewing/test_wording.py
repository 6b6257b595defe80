import pytest

from envfactory_assets.stages.viewing.wording import label_of, singular, tool_title


@pytest.mark.parametrize(
    ("table", "one"),
    [
        ("bookings", "Booking"),
        ("meeting_rooms", "Meeting room"),
        ("deliveries", "Delivery"),
        ("addresses", "Address"),
        ("courses", "Course"),
        ("people", "Person"),
        ("cart", "Cart"),
    ],
)
def test_an_entity_is_called_after_its_table(table, one):
    assert singular(table) == one


def test_a_tool_is_called_by_its_own_name_in_words():
    assert tool_title("hotel_booking__search_hotels") == "Search hotels"
    assert tool_title("no_such_form") == "No such form"


def test_an_entity_is_known_by_its_name_or_title_if_it_has_one():
    assert label_of({"title": "Standup", "city": "Lima"}) == "Standup"
    assert label_of({"city": "Lima"}) is None
    assert label_of("Lima") is None
