from envfactory_assets.stages.trajectories.replaying import (
    identifier_arguments,
    renamed,
    replay_calls,
)


def test_a_replay_tells_outcomes_and_created_ids_in_the_order_of_the_calls(
    shelf, shelf_scenario, calls_of
):
    calls = calls_of(
        ("add_item", {"title": "Vase"}), ("find_items", {}), ("add_item", {"title": "Lamp"})
    )
    found = replay_calls(shelf_scenario, calls, shelf)

    assert found.is_clean
    assert found.produced == (("IT-3",), (), ("IT-4",))
    assert found.states["utilities.shelf"]["items"]["IT-4"]["title"] == "Lamp"


def test_in_another_order_a_call_names_what_its_source_creates_now(shelf, shelf_scenario, calls_of):
    calls = calls_of(
        ("add_item", {"title": "Vase"}),
        ("add_item", {"title": "Lamp"}),
        ("rename_item", {"item_id": "IT-3", "title": "Clock"}),
    )
    first = replay_calls(shelf_scenario, calls, shelf)
    again = replay_calls(shelf_scenario, calls, shelf, (1, 0, 2), first.produced)

    assert again.produced[:2] == (("IT-4",), ("IT-3",))
    items = again.states["utilities.shelf"]["items"]
    assert (items["IT-3"]["title"], items["IT-4"]["title"]) == ("Lamp", "Clock")
    assert again.records[2].arguments["item_id"] == "IT-4"


def test_a_replay_with_a_refused_call_is_not_clean(shelf, shelf_scenario, calls_of):
    calls = calls_of(("rename_item", {"item_id": "IT-9", "title": "Vase"}))
    found = replay_calls(shelf_scenario, calls, shelf)

    assert not found.is_clean
    assert found.states == shelf_scenario.states


def test_ids_are_renamed_as_whole_texts_and_as_keys():
    value = {"IT-1": {"next": "IT-1", "note": "IT-1 is old", "all": ["IT-1", 3]}}

    assert renamed(value, {"IT-1": "IT-2"}) == {
        "IT-2": {"next": "IT-2", "note": "IT-1 is old", "all": ["IT-2", 3]}
    }


def test_identifiers_that_people_say_are_no_ids(shipped):
    assert identifier_arguments(shipped.tools["calendar__invite_guest"]) == ("event_id",)
