import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandboxes.core.catalog import Catalog, Origin, source_hash
from sandboxes.core.domain import Domain
from sandboxes.core.environment import AnyEnvironment
from sandboxes.core.errors import (
    EnvironmentSourceError,
    UnknownEnvironmentError,
    UnreviewedEnvironmentError,
)


def pool(root: Path, **files: str) -> Catalog:
    """Write environment files, `domain__name` = source, and discover them."""
    for key, text in files.items():
        domain, name = key.split("__")
        (root / domain).mkdir(exist_ok=True)
        (root / domain / f"{name}.py").write_text(text)
    return Catalog.discover([(root, "shipped")])


@pytest.fixture
def source_text(notes_root: Path) -> str:
    return (notes_root / "office" / "notes.py").read_text()


def test_environments_are_found_by_where_their_files_stand(
    tmp_path: Path, source_text: str
) -> None:
    catalog = pool(
        tmp_path, travel__memos=source_text, office__notes=source_text, elsewhere__notes=""
    )
    assert [source.environment_id for source in catalog.sources] == ["office.notes", "travel.memos"]
    assert [source.origin for source in catalog.in_domain("travel")] == ["shipped"]
    assert catalog.environment_of("memos__add_note") == "travel.memos"
    assert "memos__add_note" in catalog.tools


def test_every_domain_ships_an_environment() -> None:
    assert {source.domain for source in Catalog.discover().sources} == set(Domain)


def test_discovery_imports_nothing(tmp_path: Path) -> None:
    catalog = pool(tmp_path, office__notes="raise RuntimeError('imported')")
    assert len(catalog.sources) == 1


def test_two_environments_of_one_short_name_are_refused(tmp_path: Path, source_text: str) -> None:
    with pytest.raises(EnvironmentSourceError, match=r"share the short name 'notes'; rename"):
        pool(tmp_path, office__notes=source_text, travel__notes=source_text)


def test_an_environment_cannot_take_the_place_of_another(tmp_path: Path, source_text: str) -> None:
    pool(tmp_path, office__notes=source_text)
    with pytest.raises(EnvironmentSourceError, match=r"two environments 'office.notes' \(shipped"):
        Catalog.discover([(tmp_path, "shipped"), (tmp_path, "generated")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def broken(:", "does not import: SyntaxError"),
        ("import no_such_module", "does not import: ModuleNotFoundError"),
        ("x = 1", "defines 0 environments; a file defines one"),
    ],
)
def test_a_malformed_file_gives_one_error_that_names_it(
    tmp_path: Path, text: str, message: str
) -> None:
    catalog = pool(tmp_path, office__notes=text)
    with pytest.raises(EnvironmentSourceError, match=f"office.notes {message}"):
        catalog.load("office.notes")


def test_a_file_that_changed_after_discovery_is_not_loaded(
    tmp_path: Path, source_text: str
) -> None:
    catalog = pool(tmp_path, office__notes=source_text)
    (tmp_path / "office" / "notes.py").write_text(source_text + "\n# changed\n")
    with pytest.raises(EnvironmentSourceError, match="changed on disk after it was discovered"):
        catalog.load("office.notes")
    assert Catalog.discover([(tmp_path, "shipped")]).load("office.notes")


def test_the_hash_covers_the_declared_cases(tmp_path: Path, source_text: str) -> None:
    pool(tmp_path, office__notes=source_text)
    path = tmp_path / "office" / "notes.py"
    before = source_hash(path)
    path.with_suffix(".cases.json").write_text("[]")
    assert source_hash(path) != before


def test_an_unknown_environment_is_named_with_those_there_are(notes: Catalog) -> None:
    with pytest.raises(UnknownEnvironmentError, match=r"'office.x'; available: office.notes\."):
        notes.load("office.x")
    with pytest.raises(UnknownEnvironmentError, match="is named 'x'"):
        notes.environment_of("x__add_note")


def test_a_catalog_can_be_restricted_to_some_environments(tmp_path: Path, source_text: str) -> None:
    catalog = pool(tmp_path, office__notes=source_text, travel__memos=source_text)
    only = catalog.restricted_to(["travel.memos"])
    assert [source.environment_id for source in only.sources] == ["travel.memos"]
    with pytest.raises(UnknownEnvironmentError):
        only.load("office.notes")


def test_environments_of_one_file_name_in_two_pools_do_not_mix(
    tmp_path: Path, source_text: str
) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = pool(tmp_path / "one", office__notes=source_text)
    two = pool(tmp_path / "two", office__notes=source_text.replace("Keep notes", "Keep memos"))
    assert one.load("office.notes").__doc__ == "Keep notes."
    assert two.load("office.notes").__doc__ == "Keep memos."


@pytest.mark.parametrize("origin", ["generated", "imported"])
def test_code_that_nobody_reviewed_is_never_imported(tmp_path: Path, origin: Origin) -> None:
    pool(tmp_path, office__notes="raise SystemExit('imported')")
    catalog = Catalog.discover([(tmp_path, origin)])
    with pytest.raises(UnreviewedEnvironmentError, match=r"nobody has reviewed its code"):
        catalog.load("office.notes")


def test_what_loads_unreviewed_environments_is_passed_on(notes: Catalog, notes_root: Path) -> None:
    environment = notes.load("office.notes")
    found = Catalog.discover([(notes_root, "imported")], load_unreviewed=lambda source: environment)
    assert found.restricted_to(["office.notes"]).load("office.notes") is environment


def test_threads_that_ask_at_the_same_moment_get_one_class(notes_root: Path) -> None:
    catalog = Catalog.discover([(notes_root, "shipped")])
    together = threading.Barrier(8)

    def load(_: int) -> type[AnyEnvironment]:
        together.wait(timeout=60)
        return catalog.load("office.notes")

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(load, range(8)))) == 1
