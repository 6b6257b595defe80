import inspect
import random

import pytest

from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import ScenarioError
from sandboxes.core.scenario import Scenario
from sandboxes.core.served_tool import mcp_input_schemas
from sandboxes.core.session import Session
from sandboxes.core.world import World

DIRECT = Catalog.discover()
SHIPPED = [source.environment_id for source in DIRECT.sources]
HOTELS = "travel.hotel_booking"


@pytest.fixture(params=SHIPPED)
def environment_id(request):
    return request.param


def spoilt(arguments, rng):
    """Return wrong arguments: one missing, one too many, one of another type, or one unknown."""
    name = rng.choice([*arguments, "page"])
    changed = dict(arguments)
    match rng.randrange(4):
        case 0:
            changed.pop(name, None)
        case 1:
            changed["undeclared"] = 1
        case 2:
            changed[name] = {"a": [float("nan"), None, "\ud800"]}
        case _:
            changed[name] = "unknown-0"
    return changed


def drawn_calls(session, rng, count):
    """Yield calls that fit the state as it stands, every third of them spoilt."""
    for number in range(count):
        tool = rng.choice(session.tools)
        arguments = ArgumentValues(tool, session.states(), rng).draw()
        yield tool.wire_name, spoilt(arguments, rng) if number % 3 == 2 else arguments
    yield "no_such__tool", {}


def test_a_confined_environment_describes_itself_like_a_direct_one(unreviewed, environment_id):
    direct, confined = DIRECT.load(environment_id), unreviewed.load(environment_id)

    assert confined.environment_id() == environment_id
    assert confined.__name__ == direct.__name__
    assert inspect.getdoc(confined) == inspect.getdoc(direct)
    assert list(confined.tools) == list(direct.tools)
    assert mcp_input_schemas(confined) == mcp_input_schemas(direct)
    for name, tool in direct.tools.items():
        other = confined.tools[name]
        assert other.schema_text() == tool.schema_text()
        assert other.as_function() == tool.as_function()
        assert (other.actor, other.phrasings, other.inputs, other.outputs) == (
            tool.actor,
            tool.phrasings,
            tool.inputs,
            tool.outputs,
        )


def test_scenarios_are_drawn_alike_and_the_generator_moves_on(unreviewed, environment_id):
    generators = random.Random(7), random.Random(7)
    states = [
        catalog.load(environment_id).scenario(World.draw(3), rng)
        for catalog, rng in zip((DIRECT, unreviewed), generators, strict=True)
    ]

    assert states[0].dump() == states[1].dump()
    assert states[0].hash() == states[1].hash()
    assert generators[0].random() == generators[1].random()


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_calls_come_to_the_same(unreviewed, environment_id, seed):
    scenario = Scenario.draw(DIRECT, [environment_id], seed)
    direct, confined = (Session.open(scenario, found) for found in (DIRECT, unreviewed))
    rng = random.Random(f"{environment_id}:{seed}")
    for tool, arguments in drawn_calls(direct, rng, 60):
        made, again = direct.call(tool, arguments), confined.call(tool, arguments)
        assert repr(again) == repr(made)
        assert again.reply() == made.reply()
        assert confined.snapshot() == direct.snapshot()

    assert any(record.ok and record.effect == "write" for record in direct.log)
    assert any(not record.ok and record.bound is not None for record in direct.log)
    assert confined.counters() == direct.counters()
    assert confined.close() == direct.close()


def test_time_copies_and_restored_states_behave_alike(unreviewed):
    ends = []
    for catalog in (DIRECT, unreviewed):
        session = Session.open(Scenario.draw(catalog, [HOTELS], 1), catalog)
        before = session.snapshot()
        session.advance("2027-12-01T09:00")
        fork = session.fork()
        found = fork.call("hotel_booking__list_bookings", {})
        booking_id = found.result["bookings"][0]["booking_id"]
        fork.call("hotel_booking__cancel_booking", {"booking_id": booking_id})
        later = fork.scenario(9)
        moved = session.snapshot()
        session.restore(before)
        ends.append((fork.snapshot(), moved, session.snapshot(), later, found))
        with pytest.raises(ScenarioError, match="cannot go to 2020"):
            session.advance("2020-01-01T09:00")

    assert repr(ends[0]) == repr(ends[1])


def test_a_state_that_does_not_fit_is_refused_in_the_same_words(unreviewed):
    scenario = Scenario.draw(DIRECT, [HOTELS], 0)
    scenario.states[HOTELS]["hotels"] = {"HT-1": {"name": "{braces}", "stars": "5"}}
    refusals = []
    for catalog in (DIRECT, unreviewed):
        with pytest.raises(ScenarioError) as refusal:
            Session.open(scenario, catalog)
        refusals.append(str(refusal.value))

    assert refusals[0] == refusals[1]


def test_a_state_that_the_environment_writes_otherwise_is_put_into_its_form(unreviewed):
    scenario = Scenario.draw(DIRECT, [HOTELS], 0)
    room = next(iter(scenario.states[HOTELS]["rooms"].values()))
    room["price"] = 80
    direct, confined = (Session.open(scenario, found) for found in (DIRECT, unreviewed))

    assert confined.snapshot() == direct.snapshot()
    assert b'"price":80.0' in confined.snapshot()[HOTELS]


def test_sessions_of_both_kinds_of_environment_are_one_session(unreviewed):
    mixed = Catalog(
        [DIRECT.source("office.calendar"), unreviewed.source("lifestyle.messenger")],
        unreviewed.load_unreviewed,
    )
    ids = ["office.calendar", "lifestyle.messenger"]
    scenario = Scenario.draw(mixed, ids, 4)

    assert scenario == Scenario.draw(DIRECT, ids, 4)
    assert [tool.wire_name for tool in Session.open(scenario, mixed).tools] == [
        tool.wire_name for tool in Session.open(scenario, DIRECT).tools
    ]
