import pytest

from envfactory_assets.records.trajectories import FilteredTrajectory
from envfactory_assets.stages.trajectories.recorded import replays_as_recorded
from sandboxes.core.canonical import content_hash
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session

HOTEL = "travel.hotel_booking"


@pytest.fixture(scope="module")
def catalog():
    return Catalog.discover().restricted_to([HOTEL])


@pytest.fixture(scope="module")
def row(catalog):
    """A row whose reference saves one hotel as a favourite."""
    scenario = Scenario.draw(catalog, [HOTEL], seed=0)
    hotel = next(iter(scenario.states[HOTEL]["hotels"]))
    tool = "hotel_booking__save_favorite"
    session = Session.open(scenario, catalog)
    record = session.call(tool, {"hotel_id": hotel, "note": "by the sea"})
    assert record.ok, record.error
    states = dict(session.states())
    return FilteredTrajectory(
        trajectory_id="task/direct",
        task_id="task",
        domain="travel",
        environment_ids=(HOTEL,),
        turns=1,
        messages=(),
        reward=1.0,
        reward_trajectory=1.0,
        reward_state=1.0,
        reward_length=0.0,
        reward_format=0.0,
        kept=True,
        drop_reason=None,
        made_by="test",
        queries=("Save it.",),
        disclosures=(),
        scenario=scenario.model_dump(mode="json"),
        tools=(),
        reference_calls=({"tool": tool, "arguments": record.bound, "turn": 0},),
        end_states=states,
        end_state_hash=content_hash(states),
        replays=True,
        do_nothing_reward=0.0,
        removed_steps=0,
        difficulty="easy",
        solved_share=1.0,
    )


def test_a_row_that_tells_the_truth_replays(row, catalog):
    assert replays_as_recorded(row, catalog)


def test_a_row_without_its_call_does_not_replay(row, catalog):
    assert not replays_as_recorded(row.model_copy(update={"reference_calls": ()}), catalog)


def test_a_call_that_is_refused_does_not_replay(row, catalog):
    (call,) = row.reference_calls
    refused = {**call, "arguments": {"hotel_id": "H-0"}}
    calls = (call, refused)

    assert not replays_as_recorded(row.model_copy(update={"reference_calls": calls}), catalog)


def test_a_recorded_state_that_is_another_is_found(row, catalog):
    states = {HOTEL: {**row.end_states[HOTEL], "favorites": {}}}
    told = {"end_states": states, "end_state_hash": content_hash(states)}

    assert not replays_as_recorded(row.model_copy(update=told), catalog)


def test_a_hash_that_is_not_of_the_states_is_found(row, catalog):
    assert not replays_as_recorded(row.model_copy(update={"end_state_hash": "0"}), catalog)


def test_an_environment_that_is_not_verified_now_replays_nothing(row):
    assert not replays_as_recorded(row, Catalog([]))
