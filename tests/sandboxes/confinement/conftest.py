from functools import cache
from pathlib import Path

import pytest

from sandboxes.confinement.confinement import Confinement
from sandboxes.confinement.limits import Limits
from sandboxes.confinement.mechanism import Mechanism
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
