import pytest

from envfactory_assets.stages.trajectories.alternatives import alternative_references
from envfactory_assets.stages.trajectories.reference import build_reference
from envfactory_assets.stages.trajectories.settings import TrajectorySettings

LOOK = ("find_items", {})
RENAME = ("rename_item", {"item_id": "IT-1", "title": "Vase"})


@pytest.fixture
def alternatives(shelf, shelf_scenario, calls_of):
    """Compare attempts with a reference that looks at the shelf and renames the box."""
    calls = calls_of(LOOK, RENAME)
    reference, _ = build_reference(shelf_scenario, calls, shelf, TrajectorySettings(), "t")

    def find(*attempts):
        made = {f"t/{number}": calls_of(*pairs) for number, pairs in enumerate(attempts)}
        found = alternative_references(reference, made, shelf)
        return [(item["trajectory_id"], len(item["calls"])) for item in found]

    return find


def test_another_way_to_the_same_states_and_results_is_kept_once(alternatives):
    wider = ("find_items", {"max_price": 400})

    assert alternatives((wider, RENAME), (RENAME, wider), (wider, RENAME)) == [("t/0", 2)]


@pytest.mark.parametrize(
    "attempt",
    [
        (LOOK, RENAME),
        (LOOK, RENAME, RENAME),
        (LOOK, ("rename_item", {"item_id": "IT-1", "title": "Lamp"}), RENAME),
        (RENAME,),
        (("find_items", {"max_price": 70}), RENAME),
        (LOOK, ("rename_item", {"item_id": "IT-2", "title": "Vase"})),
        (LOOK, RENAME, ("add_item", {"title": "Pen"})),
        (LOOK, ("rename_item", {"item_id": "IT-9", "title": "Vase"}), RENAME),
    ],
    ids=[
        "the same",
        "twice",
        "a detour",
        "no look",
        "another look",
        "another item",
        "more",
        "a refusal",
    ],
)
def test_what_is_the_same_or_comes_to_something_else_is_none(alternatives, attempt):
    assert alternatives(attempt) == []
