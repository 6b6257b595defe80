import shutil
from functools import cache
from pathlib import Path

import pytest

from sandboxes.confinement.confinement import Confinement
from sandboxes.confinement.limits import Limits
from sandboxes.confinement.loading import load_confined
from sandboxes.confinement.mechanism import Mechanism
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import ConfinementUnavailableError

HERE = Path(__file__).parent


def hostile_confinement(mechanism, **limits):
    return Confinement(
        "hostile_host",
        Limits(**({"memory_bytes": 128 << 20, "wall_seconds": 20.0} | limits)),
        mechanisms=(mechanism,),
        search_path=(HERE,),
    )


@cache
def what_is_missing(mechanism):
    try:
        with Confinement(None, mechanisms=(mechanism,)) as confinement:
            confinement.mechanism()
    except ConfinementUnavailableError as error:
        return str(error)
    return ""


@pytest.fixture(params=list(Mechanism), scope="module")
def mechanism(request):
    if missing := what_is_missing(request.param):
        pytest.skip(missing)
    return request.param


@pytest.fixture(scope="module")
def confinement(mechanism):
    with hostile_confinement(mechanism) as confinement:
        yield confinement


@pytest.fixture(scope="module")
def landlock():
    if missing := what_is_missing(Mechanism.LANDLOCK):
        pytest.skip(missing)
    return Mechanism.LANDLOCK


@pytest.fixture
def worker(confinement):
    worker = confinement.start()
    yield worker
    worker.close()


@pytest.fixture
def make_confinement():
    """Confinements with limits of their own, closed after the test."""
    made = []

    def make(mechanism, **limits):
        made.append(hostile_confinement(mechanism, **limits))
        return made[-1]

    yield make
    for confinement in made:
        confinement.close()


@pytest.fixture(scope="session")
def unreviewed(tmp_path_factory):
    """Give the shipped environments, copied into a pool of generated ones."""
    root = tmp_path_factory.mktemp("pool")
    for source in Catalog.discover().sources:
        folder = root / source.domain.value
        folder.mkdir(exist_ok=True)
        shutil.copy(source.path, folder)
        shutil.copy(source.cases_path, folder)
    return Catalog.discover([(root, "generated")], load_confined)


LAMPS = '''
from typing import Annotated

from pydantic import Field

from sandboxes.core.annotations import Identifier
from sandboxes.core.clock import Clock
from sandboxes.core.environment import Environment
from sandboxes.core.errors import ToolError
from sandboxes.core.state import Entity, State
from sandboxes.core.tool import Result, tool

LampId = Annotated[str, Identifier("LampId")]


class Lamp(Entity):
    is_on: bool


class LampsState(State):
    lamps: dict[str, Lamp]


class LampShown(Result):
    lamp_id: LampId = Field(description="Id of the lamp")
    is_on: bool = Field(description="Whether it burns")


class Lamps(Environment[LampsState]):
    """Switch lamps."""

    @tool(effect="write")
    def switch(self, lamp_id: Annotated[LampId, Field(description="Lamp to switch")]) -> LampShown:
        """Switch a lamp on or off."""
        if lamp_id not in self.state.lamps:
            raise ToolError(f"There is no lamp {lamp_id!r}.")
        lamp = self.state.lamps[lamp_id]
        lamp.is_on = not lamp.is_on
        return LampShown(lamp_id=lamp_id, is_on=lamp.is_on)

    @tool(effect="write")
    def misbehave(self) -> LampShown:
        """Do what no tool may."""
        self.state.lamps.clear()
        MISBEHAVIOUR

    @classmethod
    def scenario(cls, world, rng):
        return LampsState(clock=Clock(now=world.now), lamps={"LP-1": Lamp(is_on=False)})
'''


@pytest.fixture
def lamps(tmp_path):
    """Give the source of an environment one tool of which misbehaves as told."""

    def source(misbehaviour="pass", head="", cases=None):
        folder = tmp_path / "utilities"
        folder.mkdir(exist_ok=True)
        code = head + LAMPS.replace("MISBEHAVIOUR", misbehaviour.replace("\n", "\n        "))
        (folder / "lamps.py").write_text(code)
        if cases is not None:
            (folder / "lamps.cases.json").write_text(cases)
        return Catalog.discover([(tmp_path, "generated")]).source("utilities.lamps")

    return source
