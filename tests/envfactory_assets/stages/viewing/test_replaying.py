import pytest

from envfactory_assets.stages.viewing.replaying import Replayed, parsed
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session

SAVE = "hotel_booking__save_favorite"
SWITCH_ON = "phone__switch_on"


@pytest.fixture(scope="module")
def scenario(shipped):
    return Scenario.draw(shipped, ["travel.hotel_booking"], 7)


@pytest.fixture
def saved(scenario, shipped):
    """The arguments of a call that saves a favorite, and its reply."""
    hotel = next(iter(scenario.states["travel.hotel_booking"]["hotels"]))
    arguments = {"hotel_id": hotel, "note": "for the anniversary trip"}
    return arguments, Session.open(scenario, shipped).call(SAVE, arguments).reply()


def test_a_call_says_what_it_changed(scenario, shipped, saved):
    seen = Replayed(scenario.model_dump(), shipped).run(SAVE, *saved)

    assert (seen.effect, seen.ok) == ("write", True)
    assert [change["what"] for change in seen.changes] == ["Favorites"]


def test_a_refused_call_changed_nothing(scenario, shipped):
    arguments = {"hotel_id": "HT-999"}
    reply = Session.open(scenario, shipped).call(SAVE, arguments).reply()
    seen = Replayed(scenario.model_dump(), shipped).run(SAVE, arguments, reply)

    assert (seen.effect, seen.ok, seen.changes) == ("write", False, [])


def test_what_changed_cannot_be_told_once_a_call_gives_something_else(scenario, shipped, saved):
    replayed = Replayed(scenario.model_dump(), shipped)

    other = replayed.run(SAVE, saved[0], '{"saved":"otherwise"}')
    after = replayed.run(SAVE, *saved)
    assert (other.effect, other.ok, other.changes) == ("write", True, None)
    assert (after.ok, after.changes) == (True, None)


def test_what_changed_cannot_be_told_without_the_environment(scenario, saved):
    seen = Replayed(scenario.model_dump(), Catalog([])).run(SAVE, *saved)

    assert (seen.ok, seen.changes) == (True, None)


def test_arguments_that_are_no_object_were_never_run(scenario, shipped):
    seen = Replayed(scenario.model_dump(), shipped).run(SAVE, '{"hotel_id": ', "Not JSON.")

    assert (seen.ok, seen.changes) == (False, [])


@pytest.mark.parametrize("text", ["no JSON", '{"a": NaN}', "[" * 100_000])
def test_a_text_that_is_no_json_stays_a_text(text):
    assert parsed(text) == text


def test_what_only_the_user_can_do_is_run_again_as_the_user(phone, phone_scenario):
    changed = {"name": "", "before": False, "after": True}

    called = Replayed(phone_scenario, phone).run(SWITCH_ON, {}, '{"is_on":true}', "user")
    done = Replayed(phone_scenario, phone).act(SWITCH_ON, {}, ok=True)
    assert [change["fields"] for change in called.changes] == [[changed]]
    assert (done.changes, done.reply) == (called.changes, '{"is_on":true}')


def test_what_the_user_did_otherwise_than_recorded_cannot_be_told(phone, phone_scenario):
    failed = Replayed(phone_scenario, phone).act(SWITCH_ON, {}, ok=False)
    strange = Replayed(phone_scenario, phone).act("phone__throw", {}, ok=True)

    assert (failed.ok, failed.changes, failed.reply) == (False, [], "")
    assert (strange.ok, strange.changes) == (True, None)
