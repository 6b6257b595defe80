import random

import pytest

from envfactory_assets.stages.trajectories.proofs import (
    Recording,
    masked_arguments,
    partial_order,
)
from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import ToolCall


@pytest.fixture
def order(shelf, shelf_scenario, calls_of):
    def run(*pairs):
        return partial_order(Recording.of(shelf_scenario, calls_of(*pairs), shelf))

    return run


@pytest.fixture
def masks(shelf, shelf_scenario, calls_of):
    def run(*pairs, perturbations=12):
        recording = Recording.of(shelf_scenario, calls_of(*pairs), shelf)
        return masked_arguments(recording, perturbations, random.Random(0))

    return run


def test_independent_writes_may_be_made_in_any_order_though_their_ids_differ(order):
    assert order(("add_item", {"title": "Vase"}), ("add_item", {"title": "Lamp"})) == [(), ()]


def test_a_call_comes_after_the_one_that_created_what_it_names(order):
    found = order(
        ("add_item", {"title": "Vase"}),
        ("add_item", {"title": "Lamp"}),
        ("rename_item", {"item_id": "IT-4", "title": "Clock"}),
    )
    assert found == [(), (), (1,)]


def test_writes_whose_order_shows_in_the_end_state_are_ordered(order):
    tag = [
        ("tag_item", {"item_id": item, "tag": tag}) for item, tag in (("IT-1", "a"), ("IT-1", "b"))
    ]

    assert order(*tag) == [(), (0,)]
    assert order(tag[0], ("tag_item", {"item_id": "IT-2", "tag": "b"})) == [(), ()]


def test_a_read_that_would_show_something_else_is_ordered(order):
    add = ("add_item", {"title": "Vase"})

    assert order(("find_items", {}), add) == [(), (0,)]
    assert order(add, ("find_items", {})) == [(), (0,)]
    assert order(add, ("find_items", {"min_price": 10, "max_price": 0})) == [(), ()]


def test_a_call_comes_after_the_read_that_showed_what_it_names(order):
    found = order(("find_items", {}), ("tag_item", {"item_id": "IT-2", "tag": "red"}))
    assert found == [(), (0,)]


def test_an_argument_that_no_value_makes_matter_is_masked_and_the_others_are_not(masks):
    """Nothing costs 10 or less, so `min_price` filters nothing out; `max_price` may hide all."""
    tag = ("tag_item", {"item_id": "IT-1", "tag": "red"})

    assert masks(("find_items", {"min_price": 3, "max_price": 400}), tag) == [("min_price",), ()]


def test_a_filter_that_hides_only_what_nobody_takes_is_masked_where_no_value_hides_more(masks):
    tag = ("tag_item", {"item_id": "IT-1", "tag": "red"})

    assert masks(("find_items", {"min_price": 3}), tag)[0] == ("min_price",)
    assert masks(("find_items", {"max_price": 70}), tag)[0] == ()
    assert masks(("find_items", {"max_price": 70}))[0] == ()


def test_what_was_written_is_not_masked_until_it_is_overwritten(masks):
    add = ("add_item", {"title": "Vase"})

    assert masks(add) == [()]
    assert masks(add, ("rename_item", {"item_id": "IT-3", "title": "Lamp"}))[0] == ("title",)


def test_identifiers_are_never_masked(masks):
    assert masks(("rename_item", {"item_id": "IT-1", "title": "Vase"})) == [()]


def changed(row, index, name, value):
    """Return a task's reference calls with one argument changed."""
    return [
        ToolCall(
            tool=call["tool"],
            arguments={**call["arguments"], name: value} if number == index else call["arguments"],
        )
        for number, call in enumerate(row.reference_calls)
    ]


def test_every_mask_of_the_pipeline_holds_for_every_value(pipeline):
    masked = 0
    for row in pipeline.filtered:
        scenario = Scenario.model_validate(row.scenario)
        for index, call in enumerate(row.reference_calls):
            tool = pipeline.catalog.tools[call["tool"]]
            values = ArgumentValues(tool, scenario.states, random.Random(1))
            for leaf in tool.inputs:
                if leaf.path not in call["masked"]:
                    continue
                masked += 1
                for value in values.candidates(leaf):
                    again = Recording.of(
                        scenario, changed(row, index, leaf.path, value), pipeline.catalog
                    )
                    assert again.replay.is_clean
                    assert again.replay.states == row.end_states
    assert masked > 0


def test_required_arguments_of_writes_matter(pipeline):
    for row in pipeline.filtered:
        for call in row.reference_calls:
            if call["effect"] == "write":
                assert call["masked"] == []
