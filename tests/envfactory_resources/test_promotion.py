import shutil

import pytest

from envfactory_assets.records.attempts import NO_TOKENS, EnvironmentAttempt
from envfactory_assets.stages.attempts.candidates import cases_text
from envfactory_resources.errors import ConfigurationError
from envfactory_resources.promotion import demote, is_promoted, promote
from envfactory_resources.sandbox_pool import SandboxPool
from sandboxes.core.catalog import SHIPPED_ROOT, source_hash

CODE = '"""Rooms."""\n'


@pytest.fixture
def pool(tmp_path):
    """A reviewed tree with one environment, and no environment that was made here."""
    (tmp_path / "tree").mkdir()
    shutil.copytree(SHIPPED_ROOT / "travel", tmp_path / "tree" / "travel")
    return SandboxPool(shipped=tmp_path / "tree", unreviewed=tmp_path / "pool")


@pytest.fixture
def attempt(tmp_path):
    """Make an attempt whose hash is that of its files."""

    def make(environment_id="office.rooms", code=CODE, **changes):
        place = tmp_path / "candidate" / "rooms.py"
        place.parent.mkdir(exist_ok=True)
        place.write_text(code)
        place.with_suffix(".cases.json").write_text(cases_text(({"name": "a case"},)))
        row = EnvironmentAttempt(
            attempt_id=f"{environment_id}#1",
            environment_id=environment_id,
            domain=environment_id.split(".")[0],
            round=1,
            origin="generated",
            outcome="accepted",
            reason="Every gate passes.",
            is_final=True,
            source=code,
            source_diff="",
            cases=({"name": "a case"},),
            source_hash=source_hash(place),
            findings=(),
            case_verdicts=(),
            mutation_score=None,
            usage=NO_TOKENS,
            made_by="coder:test",
            tested_by="tester:test",
        )
        return row.model_copy(update=changes)

    return make


def test_an_accepted_environment_becomes_files_with_the_hash_that_was_accepted(pool, attempt):
    row = attempt()
    assert not is_promoted(pool, row)
    path = promote(pool, row)

    assert path == pool.unreviewed / "generated" / "office" / "rooms.py"
    assert pool.discover().source("office.rooms").source_hash == row.source_hash
    assert is_promoted(pool, row)


def test_a_later_version_replaces_the_files(pool, attempt):
    promote(pool, attempt())
    row = attempt(code='"""Rooms, better."""\n')

    assert "better" in promote(pool, row).read_text()
    assert is_promoted(pool, row)


def test_a_reviewed_environment_moves_among_the_reviewed_ones(pool, attempt):
    promote(pool, attempt())
    path = promote(pool, attempt(), is_reviewed=True)

    assert path == pool.shipped / "office" / "rooms.py"
    assert pool.discover().source("office.rooms").origin == "shipped"
    assert not (pool.unreviewed / "generated" / "office" / "rooms.py").exists()


def test_what_was_not_accepted_never_becomes_a_file(pool, attempt):
    row = attempt(outcome="failed_gates", reason="3 findings (state).")
    with pytest.raises(ConfigurationError, match=r"'failed_gates', and only .* 3 findings"):
        promote(pool, row)

    assert not pool.unreviewed.exists()


def test_a_name_that_tools_of_another_environment_carry_is_refused(pool, attempt):
    with pytest.raises(ConfigurationError, match=r"travel\.hotel_booking .* has its short name"):
        promote(pool, attempt("office.hotel_booking"))


def test_a_text_that_lost_its_hash_on_the_way_is_refused(pool, attempt):
    with pytest.raises(ConfigurationError, match="another hash as a file"):
        promote(pool, attempt(source_hash="0" * 64))

    assert [path for path in pool.unreviewed.rglob("*") if path.is_file()] == []


def test_an_environment_is_taken_out_of_the_pool_again(pool, attempt):
    promote(pool, attempt())
    demote(pool, "office.rooms")

    assert [source.environment_id for source in pool.discover().sources] == ["travel.hotel_booking"]


def test_a_reviewed_environment_cannot_be_taken_out(pool):
    with pytest.raises(ConfigurationError, match=r"no environment of the pool; there are none"):
        demote(pool, "travel.hotel_booking")
