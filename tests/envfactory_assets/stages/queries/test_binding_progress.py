import random

import pytest

from envfactory_assets.stages.queries.binding_progress import BindingProgress
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session


@pytest.fixture
def files():
    """A listing of files in a session of the file store, noted as step 0."""
    catalog = Catalog.discover().restricted_to(["utilities.file_store"])
    scenario = Scenario.draw(catalog, ["utilities.file_store"], 0)
    progress = BindingProgress(Session.open(scenario, catalog), random.Random(0))
    found = progress.session.call("file_store__search_files", {})
    progress.remember((), catalog.tools["file_store__search_files"], {}, found.result)
    return progress, catalog


def ids(progress, catalog, step=0, pattern="files[].file_id"):
    tool = catalog.tools[progress.calls[step].tool]
    return [value for _, value, _ in progress.items_of(step, pattern, tool)]


def test_what_was_renamed_is_no_longer_found_under_its_old_name(files):
    progress, catalog = files
    before = ids(progress, catalog)
    rename = catalog.tools["file_store__rename_file"]
    for file_id in before:
        arguments = {"file_id": file_id, "new_name": "final version"}
        outcome = progress.session.call(rename.wire_name, arguments)
        if outcome.ok:
            break
    progress.remember((), rename, arguments, outcome.result)

    assert ids(progress, catalog) == [item for item in before if item != file_id]
    assert ids(progress, catalog, step=1, pattern="file_id") == [file_id]


def test_words_that_stand_for_something_else_are_no_way_to_point(files, wording):
    progress, catalog = files
    tool = catalog.tools["file_store__search_files"]
    where, value, ways = progress.items_of(0, "files[].file_id", tool)[1]
    other = wording.taken("file_id", "FI-other", "0:x", "file", ("label", ways[0].text))
    progress.remember((other,), tool, {}, {"files": []})

    found = {item[0]: item for item in progress.items_of(0, "files[].file_id", tool)}
    left = found[where][2] if where in found else []
    assert ways[0].kind == "label"
    assert left == [way for way in ways if way.kind != "label"]
    assert value != "FI-other"
