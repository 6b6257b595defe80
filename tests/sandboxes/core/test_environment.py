import random

import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.core.environment import Environment
from sandboxes.core.errors import EnvironmentSourceError
from sandboxes.core.state import State
from sandboxes.core.world import World


def test_an_environment_is_named_after_where_its_file_stands(notes: Catalog) -> None:
    environment = notes.load("office.notes")
    assert environment.environment_name() == "notes"
    assert environment.environment_id() == "office.notes"
    assert list(environment.tools)[:2] == ["add_note", "list_notes"]


def test_an_environment_without_a_state_model_is_refused() -> None:
    with pytest.raises(EnvironmentSourceError, match="Nameless names no state model"):
        type("Nameless", (Environment,), {})


def test_an_environment_that_draws_no_scenario_says_so() -> None:
    class Bare(Environment[State]):
        pass

    with pytest.raises(NotImplementedError, match="Bare draws no scenario"):
        Bare.scenario(World.draw(0), random.Random(0))
