from envfactory_assets.stages.viewing.changes import readable_changes

CLOCK = {"now": "2026-05-01T09:00", "counters": {"BK": 1}}


def changes(before, after):
    return readable_changes({"travel.hotel_booking": before}, {"travel.hotel_booking": after})


def test_a_changed_entity_says_what_it_is_and_which_of_its_values_changed():
    booking = {"status": "confirmed", "guests": 2}

    assert changes(
        {"bookings": {"BK-6": booking}},
        {"bookings": {"BK-6": {**booking, "status": "cancelled"}}},
    ) == [
        {
            "what": "Booking",
            "id": "BK-6",
            "label": None,
            "kind": "changed",
            "fields": [{"name": "status", "before": "confirmed", "after": "cancelled"}],
        }
    ]


def test_a_new_entity_is_shown_whole_and_by_name():
    event = {"title": "Standup", "guests": []}

    assert changes({"events": {}}, {"events": {"EV-1": event}}) == [
        {"what": "Event", "id": "EV-1", "label": "Standup", "kind": "added", "value": event}
    ]


def test_an_entity_that_is_gone_is_shown_as_it_was():
    [change] = changes({"events": {"EV-1": {"title": "Standup"}}}, {"events": {}})

    assert (change["kind"], change["value"]) == ("removed", {"title": "Standup"})


def test_an_id_with_dots_is_still_one_id():
    [change] = changes(
        {"contacts": {"a.b@mail.example": {"is_blocked": False}}},
        {"contacts": {"a.b@mail.example": {"is_blocked": True}}},
    )

    assert change["id"] == "a.b@mail.example"
    assert change["fields"] == [{"name": "is blocked", "before": False, "after": True}]


def test_plain_values_of_a_table_are_fields_of_the_table():
    [change] = changes({"cart": {"PR-1": 1, "PR-2": 2}}, {"cart": {"PR-1": 3, "PR-2": 2}})

    assert change["what"] == "Cart"
    assert change["fields"] == [{"name": "PR-1", "before": 1, "after": 3}]


def test_a_list_says_what_it_lost_and_gained():
    [change] = changes(
        {"events": {"EV-1": {"guests": ["ann", "bo", "bo"]}}},
        {"events": {"EV-1": {"guests": ["bo", "bo", "cy"]}}},
    )

    assert change["fields"] == [
        {"name": "guests", "kind": "removed", "value": "ann"},
        {"name": "guests", "kind": "added", "value": "cy"},
    ]


def test_a_list_in_another_order_is_shown_before_and_after():
    [change] = changes({"wishlist": ["PR-1", "PR-2"]}, {"wishlist": ["PR-2", "PR-1"]})

    assert change["fields"] == [{"name": "", "before": ["PR-1", "PR-2"], "after": ["PR-2", "PR-1"]}]


def test_an_entity_of_a_list_is_known_by_name():
    [change] = changes(
        {"contacts": [{"name": "Ann", "is_blocked": False}, {"name": "Bo", "is_blocked": False}]},
        {"contacts": [{"name": "Ann", "is_blocked": False}, {"name": "Bo", "is_blocked": True}]},
    )

    assert (change["what"], change["label"]) == ("Contact", "Bo")


def test_a_clock_that_gave_out_ids_is_no_change():
    later = {**CLOCK, "counters": {"BK": 2}}

    assert changes({"clock": CLOCK}, {"clock": later}) == []
