import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import UnknownEnvironmentError
from sandboxes.core.scenario import Scenario


def test_one_seed_gives_one_scenario(notes: Catalog) -> None:
    one, again, other = (Scenario.draw(notes, ["office.notes"], seed) for seed in (3, 3, 4))
    assert one == again
    assert one.hash == again.hash
    assert one.hash != other.hash


def test_a_state_does_not_depend_on_what_is_drawn_with_it() -> None:
    catalog = Catalog.discover()
    hotel, calendar = "travel.hotel_booking", "office.calendar"
    alone = Scenario.draw(catalog, [hotel], seed=5)
    together = Scenario.draw(catalog, [calendar, hotel], seed=5)
    assert together.states[hotel] == alone.states[hotel]


def test_every_environment_of_a_scenario_starts_at_its_moment() -> None:
    catalog = Catalog.discover()
    ids = [source.environment_id for source in catalog.sources]
    scenario = Scenario.draw(catalog, ids, seed=1)
    assert {state["clock"]["now"] for state in scenario.states.values()} == {scenario.start}


def test_a_scenario_of_an_unknown_environment_is_refused(notes: Catalog) -> None:
    with pytest.raises(UnknownEnvironmentError):
        Scenario.draw(notes, ["office.diary"], seed=0)
