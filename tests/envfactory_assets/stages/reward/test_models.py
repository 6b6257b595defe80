import pytest
from pydantic import TypeAdapter

from envfactory_assets.stages.reward.errors import InvalidReferenceError
from envfactory_assets.stages.reward.models import Reference, ReferenceCall
from envfactory_assets.stages.reward.scoring import evaluate

CALL = ReferenceCall("look", {"hotel_id": "HT-1"}, "read")


def test_a_reference_survives_json_also_after_it_was_used(reference, attempt, trip):
    original = reference(*trip, after={2: [1]}, masked={0: ["stars"]})
    evaluate(original, attempt(trip[2], trip[2]))
    adapter = TypeAdapter(Reference)
    read_back = adapter.validate_json(adapter.dump_json(original))
    assert read_back == original
    assert evaluate(read_back, attempt(*trip)).total == 1.0


def test_a_reference_without_calls_must_be_a_refusal():
    with pytest.raises(InvalidReferenceError, match="is_refusal=True"):
        Reference((), {}, {})
    assert Reference((), {}, {}, is_refusal=True).calls == ()


def test_a_refusal_may_not_change_a_state():
    with pytest.raises(InvalidReferenceError, match="a refusal and yet changes"):
        Reference((), {"e": {"k": 1}}, {"e": {"k": 2}}, is_refusal=True)


def test_a_call_cannot_come_after_a_later_one_or_itself():
    later = ReferenceCall("look", {}, "read", after=(1,))
    with pytest.raises(InvalidReferenceError, match="0 to 0, are allowed"):
        Reference((CALL, later), {}, {})


def test_the_first_call_comes_after_nothing():
    with pytest.raises(InvalidReferenceError, match="none is allowed"):
        Reference((ReferenceCall("look", {}, "read", after=(0,)),), {}, {})


def test_both_states_hold_the_same_environments():
    with pytest.raises(InvalidReferenceError, match=r"starts with \['a'\] and ends with \['b'\]"):
        Reference((CALL,), {"a": {}}, {"b": {}})


def test_an_order_reaches_through_the_calls_between():
    calls = (
        CALL,
        ReferenceCall("a", {}, "read", after=(0,)),
        ReferenceCall("b", {}, "read", (), (1,)),
    )
    assert Reference(calls, {}, {}).ancestors == (frozenset(), frozenset({0}), frozenset({0, 1}))
