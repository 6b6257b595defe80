import subprocess
import sys

import pytest

from sandboxes.confinement.server import main, pool_catalog, verified_hashes
from sandboxes.core.errors import UnverifiedEnvironmentError

HOTELS = "travel.hotel_booking"


@pytest.fixture
def pool(tmp_path, lamps):
    lamps("raise KeyError")
    (tmp_path / "pool").mkdir()
    (tmp_path / "generated").mkdir()
    (tmp_path / "utilities").rename(tmp_path / "generated" / "utilities")
    return tmp_path


def test_what_fails_the_gates_is_not_served(pool, capsys):
    catalog = pool_catalog(pool)

    with pytest.raises(UnverifiedEnvironmentError, match=r"utilities\.lamps fails the gates"):
        verified_hashes(catalog, ["utilities.lamps"])
    assert verified_hashes(catalog, [HOTELS]) == {HOTELS: catalog.source(HOTELS).source_hash}
    with pytest.raises(SystemExit, match="2"):
        main([HOTELS, "utilities.lamps", "--pool", str(pool)])
    assert "fails the gates" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_named(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([HOTELS, "--pool", str(tmp_path / "nowhere")])
    assert "There is no folder" in capsys.readouterr().err


def test_what_passes_the_gates_may_be_served(unreviewed):
    source = unreviewed.source(HOTELS)

    assert verified_hashes(unreviewed, [HOTELS]) == {HOTELS: source.source_hash}


def test_a_pool_is_verified_from_the_command_line(pool):
    command = [sys.executable, "-m", "sandboxes.confinement", str(pool)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stdout.startswith("utilities.lamps: interface ")
    assert "lamps__misbehave" in done.stdout
