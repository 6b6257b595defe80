import pytest

from envfactory_assets.stages.viewing.replaying import Replayed, parsed
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session

SAVE = "hotel_booking__save_favorite"
REFUSED = '{"error":"No."}'


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


PHONE = '''"""A phone."""

import random

from pydantic import Field

from sandboxes.core.clock import Clock
from sandboxes.core.environment import Environment
from sandboxes.core.state import State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World


class PhoneState(State):
    is_on: bool


class Switched(Result):
    is_on: bool = Field(description="Whether it is on")


class Phone(Environment[PhoneState]):
    """A phone in somebody's hand."""

    @tool(effect="write", actor="user")
    def switch_on(self) -> Switched:
        """Switch the phone on."""
        self.state.is_on = True
        return Switched(is_on=True)

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> PhoneState:
        """Draw a phone that is off."""
        return PhoneState(clock=Clock(now=world.now), is_on=False)
'''


def test_what_only_the_user_can_do_is_run_again_as_the_user(tmp_path):
    (tmp_path / "lifestyle").mkdir()
    (tmp_path / "lifestyle" / "phone.py").write_text(PHONE)
    catalog = Catalog.discover([(tmp_path, "shipped")])
    scenario = Scenario.draw(catalog, ["lifestyle.phone"], 1).model_dump()

    seen = Replayed(scenario, catalog).run("phone__switch_on", {}, '{"is_on":true}', "user")
    assert [change["fields"] for change in seen.changes] == [
        [{"name": "", "before": False, "after": True}]
    ]
