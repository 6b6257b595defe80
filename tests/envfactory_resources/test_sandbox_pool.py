import shutil

import pytest

from envfactory_assets.records.environments import EnvironmentRecord
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.confinement.confined_environment import ConfinedEnvironment
from sandboxes.core.catalog import SHIPPED_ROOT


@pytest.fixture
def pool(tmp_path):
    for domain in ("travel", "finance"):
        shutil.copytree(SHIPPED_ROOT / domain, tmp_path / "tree" / domain)
    return SandboxPool(shipped=tmp_path / "tree", unreviewed=tmp_path / "pool")


def record(source, *, verified=True, **more):
    values = {
        "environment_id": source.environment_id,
        "domain": source.domain.value,
        "origin": source.origin,
        "description": "",
        "source_hash": source.source_hash,
        "verified": verified,
        "tool_count": 1,
        "write_tool_count": 1,
        "case_count": 0,
        "mutation_score": None,
        "findings": (),
        "tools": (),
        "source": "",
        "made_by": "test",
    }
    return EnvironmentRecord(**{**values, **more})


def ids(catalog):
    return [source.environment_id for source in catalog.sources]


def test_the_shipped_pool_holds_an_environment_for_every_domain():
    assert len({source.domain for source in SandboxPool().discover().sources}) == 7


def test_generated_and_imported_environments_stand_beside_shipped_ones(pool, tmp_path):
    for origin, domain, name in (("generated", "office", "printer"), ("imported", "travel", "bus")):
        folder = tmp_path / "pool" / origin / domain
        folder.mkdir(parents=True)
        (folder / f"{name}.py").write_text("")
    origins = {source.environment_id: source.origin for source in pool.discover().sources}

    assert origins == {
        "finance.payments": "shipped",
        "office.printer": "generated",
        "travel.bus": "imported",
        "travel.hotel_booking": "shipped",
    }


def test_only_what_passed_verification_is_used(pool):
    payments, hotel = pool.discover().sources
    records = [record(payments, verified=False), record(hotel)]

    assert ids(pool.verified(records)) == ["travel.hotel_booking"]


def test_what_changed_since_its_verification_is_not_used(pool):
    records = [record(source) for source in pool.discover().sources]
    file = pool.shipped / "travel" / "hotel_booking.py"
    file.write_text(f"{file.read_text()}# One word more.\n")

    assert ids(pool.verified(records)) == ["finance.payments"]


def test_changed_cases_count_as_a_change_too(pool):
    records = [record(source) for source in pool.discover().sources]
    file = pool.shipped / "travel" / "hotel_booking.cases.json"
    file.write_text(f"{file.read_text()}\n")

    assert ids(pool.verified(records)) == ["finance.payments"]


def test_what_was_verified_and_removed_is_not_missed(pool):
    records = [record(source) for source in pool.discover().sources]
    shutil.rmtree(pool.shipped / "travel")

    assert ids(pool.verified(records)) == ["finance.payments"]


def test_what_nobody_reviewed_runs_confined(pool, tmp_path):
    folder = tmp_path / "pool" / "generated"
    shutil.copytree(pool.shipped / "travel", folder / "travel")
    shutil.rmtree(pool.shipped / "travel")
    catalog = pool.discover()

    assert issubclass(catalog.load("travel.hotel_booking"), ConfinedEnvironment)
    assert not issubclass(catalog.load("finance.payments"), ConfinedEnvironment)
