import pytest

from envfactory_assets.stages.evaluation.error_classes import error_classes
from envfactory_assets.stages.reward.models import (
    Attempt,
    AttemptedCall,
    Reference,
    ReferenceCall,
)
from envfactory_assets.stages.reward.scoring import evaluate

SHELF = "utilities.shelf"
CLOCK = {"now": "2026-03-02T09:00", "counters": {}}
BEFORE = {SHELF: {"clock": CLOCK, "items": {"box": "old", "jar": "old"}}}
AFTER = {SHELF: {"clock": CLOCK, "items": {"box": "new", "jar": "old"}}}
DAMAGED = {SHELF: {"clock": CLOCK, "items": {"box": "new", "jar": "gone"}}}
LOOK = ReferenceCall("shelf__look", {"item": "box"}, "read")
RENAME = ReferenceCall("shelf__rename", {"item": "box", "title": "new"}, "write", after=(0,))
REFERENCE = Reference((LOOK, RENAME), BEFORE, AFTER)


def call(tool, ok=True, effect="read", actor="agent", **arguments):
    bound = arguments if ok else None
    error = None if ok else "No such item."
    return AttemptedCall(f"shelf__{tool}", arguments, bound, ok, effect, error, (), actor)


LOOKED = call("look", item="box")
RENAMED = call("rename", effect="write", item="box", title="new")


def classes(*calls, states=BEFORE, reference=REFERENCE, format_errors=0, is_cut=False):
    attempt = Attempt(calls, states, format_errors)
    reward = evaluate(reference, attempt)
    return [item.value for item in error_classes(reference, attempt, reward, is_cut=is_cut)]


def test_a_solved_attempt_has_no_class():
    assert classes(LOOKED, RENAMED, states=AFTER) == []


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ((), ["missing_call"]),
        ((LOOKED,), ["missing_call"]),
        ((LOOKED, call("count")), ["wrong_tool"]),
        ((LOOKED, call("rename", ok=False, effect="write", item="vase")), ["refused"]),
        ((LOOKED, call("rename", effect="write", item="box", title="neu")), ["wrong_argument"]),
    ],
)
def test_what_stands_for_a_reference_call_says_what_went_wrong(calls, expected):
    assert classes(*calls) == expected


def test_one_wrong_tool_stands_for_one_missing_call():
    assert classes(call("count")) == ["missing_call", "wrong_tool"]


def test_the_right_call_at_the_wrong_time_is_out_of_order():
    assert "out_of_order" in classes(RENAMED, LOOKED, states=AFTER)


def test_calls_that_cost_are_redundant():
    assert classes(LOOKED, *[call("look", item="jar")] * 4, RENAMED, states=AFTER) == ["redundant"]


def test_what_cannot_be_read_and_what_was_cut_off_are_said_beside_the_rest():
    assert classes(format_errors=1, is_cut=True) == ["missing_call", "format", "step_limit"]


def test_damage_is_a_class_of_its_own():
    found = classes(
        LOOKED, RENAMED, call("rename", effect="write", item="jar", title="gone"), states=DAMAGED
    )
    assert "damage" in found


def test_a_step_of_the_user_that_nobody_asked_for():
    own = ReferenceCall("shelf__sign", {"item": "box"}, "write", actor="user")
    reference = Reference((LOOK, own), BEFORE, AFTER)

    assert classes(LOOKED, reference=reference) == ["user_not_asked"]


def test_doing_what_was_to_be_declined():
    reference = Reference((), BEFORE, BEFORE, is_refusal=True)

    assert classes(RENAMED, states=AFTER, reference=reference) == ["done_all_the_same"]
