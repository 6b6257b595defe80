import pytest

from envfactory_assets.stages.queries.adjustments import (
    adjustable_texts,
    adjusted,
    unfit_replacement,
)
from envfactory_assets.stages.queries.binding import bind_chain
from envfactory_assets.stages.queries.settings import QuerySettings
from sandboxes.core.json_paths import text_leaves


@pytest.fixture(scope="module")
def task(whole_pipeline, shipped):
    """A stay: search hotels, list rooms, book one."""
    return bind_chain(whole_pipeline.stay(), shipped, QuerySettings())


def test_only_prose_that_the_calls_do_not_speak_of_may_be_adjusted(task):
    found = adjustable_texts(task, 50)

    assert found
    said = [str(leaf) for call in task.calls for _, leaf in text_leaves(dict(call.arguments))]
    for item in found:
        assert len(item.text.split()) >= 3
        assert not any(item.text in text for text in said)


def test_an_adjusted_text_is_in_the_scenario_and_every_call_still_succeeds(task, shipped):
    old = adjustable_texts(task, 1)[0]

    changed, reason = adjusted(task, {old.place: "Calm and bright, we came back twice."}, shipped)

    assert reason == ""
    assert "Calm and bright" in str(changed.scenario.states)
    assert old.text not in str(changed.scenario.states)
    assert [call.arguments for call in changed.calls] == [call.arguments for call in task.calls]
    assert old.text in str(task.scenario.states)


def test_a_value_that_the_state_model_does_not_take_is_refused(task, shipped):
    room = next(iter(task.scenario.states["travel.hotel_booking"]["rooms"]))
    place = ("travel.hotel_booking", "rooms", room, "kind")

    changed, reason = adjusted(task, {place: "a palace of one's own"}, shipped)

    assert changed is None
    assert "does not fit its model" in reason


def test_an_adjustment_that_takes_away_what_a_call_needs_is_refused(task, shipped):
    searched = task.calls[0].arguments["city"]
    hotels = task.scenario.states["travel.hotel_booking"]["hotels"]
    places = {
        ("travel.hotel_booking", "hotels", key, "city"): "Somewhere Else Entirely"
        for key, hotel in hotels.items()
        if hotel["city"] == searched
    }

    changed, reason = adjusted(task, places, shipped)

    assert changed is None
    assert "would no longer find" in reason


def test_addresses_and_names_of_one_word_stay_as_they_are(task):
    for item in adjustable_texts(task, 200):
        assert "@" not in item.text
        assert " " in item.text


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("A calm place, we came back.", ""),
        ("Nice.", "no text of about the same length and kind"),
        ("Calm " * 60, "no text of about the same length and kind"),
        ("Ask for room 4711 at the desk.", "makes up '4711'"),
        ("Much better than {hotel}, I think.", "which the task speaks of"),
        ("{other}", "stands elsewhere already"),
    ],
)
def test_a_replacement_must_not_blur_what_the_task_points_at(task, new, reason):
    old, other = "Quiet rooms and kind staff.", adjustable_texts(task, 9)[-1].text
    [hotel] = [
        way.text
        for argument in task.calls[1].provenance
        for way in argument.referents
        if way.kind == "label"
    ][:1]

    found = unfit_replacement(old, new.format(hotel=hotel, other=other), task)

    assert reason in found
    assert bool(reason) == bool(found)
