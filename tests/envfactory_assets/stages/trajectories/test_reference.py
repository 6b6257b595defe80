import json

from envfactory_assets.stages.trajectories.reference import (
    build_reference,
    reference_from_json,
    reference_json,
)
from envfactory_assets.stages.trajectories.settings import TrajectorySettings


def built(shelf, scenario, calls):
    return build_reference(scenario, calls, shelf, TrajectorySettings(), "task")


def test_a_reference_holds_bound_arguments_order_masks_and_created_ids(
    shelf, shelf_scenario, calls_of
):
    calls = calls_of(
        ("find_items", {}),
        ("add_item", {"title": "Vase"}),
        ("tag_item", {"item_id": "IT-3", "tag": "red"}),
    )
    reference, replay = built(shelf, shelf_scenario, calls)
    find, add, tag = reference.calls

    assert find.arguments == {"min_price": 0, "max_price": 500}
    assert (add.produced, tag.after, tag.identifiers) == (("IT-3",), (0, 1), ("item_id",))
    assert reference.initial_states == shelf_scenario.states
    assert reference.end_states == replay.states != shelf_scenario.states


def test_a_reference_survives_json(shelf, shelf_scenario, calls_of):
    reference, _ = built(shelf, shelf_scenario, calls_of(("add_item", {"title": "Vase"})))

    assert reference_from_json(json.loads(json.dumps(reference_json(reference)))) == reference
