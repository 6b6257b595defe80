"""What holds for every reference and every attempt, searched by hypothesis.

A plan is a list of pieces of work; each piece is one or more calls, and `{new}` in an argument
stands for the booking that the piece made. Pieces do not depend on one another.
"""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envfactory_assets.stages.reward.models import Attempt
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.reward.settings import RewardSettings
from envfactory_assets.stages.reward.values import rename

HOTELS = "travel.hotel_booking"
QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
BOTH_FORMS = pytest.mark.parametrize("form", ["strict", "partial"])

guests = st.sampled_from(["Bo", "Cy", "Di"])
book = st.builds(lambda guest: ("book", {"hotel_id": "HT-1", "guest": guest}), guests)
note = st.builds(lambda text: ("annotate", {"booking_id": "{new}", "note": text}), guests)
tell = st.builds(lambda to: ("send", {"to": to, "text": "You got {new}."}), guests)
read = st.sampled_from([("search", {"city": "Paris"}), ("look", {"hotel_id": "HT-2"})])
pieces = st.one_of(
    st.tuples(book),
    st.tuples(book, note),
    st.tuples(book, tell),
    st.tuples(book, note, tell),
    st.tuples(read),
)
plans = st.lists(pieces, min_size=1, max_size=4)
failing = st.sampled_from([("look", {"hotel_id": "HT-9"}), ("fly", {}), ("search", {"town": "x"})])
damaging = st.sampled_from(
    [
        ("book", {"hotel_id": "HT-2", "guest": "Zoe"}),
        ("annotate", {"booking_id": "BK-1", "note": "damaged"}),
        ("cancel", {"booking_id": "BK-1"}),
    ]
)


def calls_of(plan):
    """Return the calls of a plan, with the ids that the session will give out."""
    found, made = [], 1
    for piece in plan:
        made += sum(tool == "book" for tool, _ in piece)
        found.extend((tool, rename_new(arguments, f"BK-{made}")) for tool, arguments in piece)
    return found


def rename_new(arguments, key):
    return {name: value.replace("{new}", key) for name, value in arguments.items()}


def order_within(plan):
    """Return the partial order of a plan: each call of a piece comes after the one before."""
    after, index = {}, 0
    for piece in plan:
        after.update({index + step: [index + step - 1] for step in range(1, len(piece))})
        index += len(piece)
    return after


@QUICK
@given(plans, st.lists(pieces | st.tuples(failing | damaging), max_size=5), st.integers(0, 9))
@BOTH_FORMS
def test_the_total_lies_between_0_and_1(form, reference, attempt, wanted, done, format_errors):
    reward = evaluate(
        reference(*calls_of(wanted)),
        attempt(*calls_of(done), format_errors=format_errors),
        RewardSettings(form=form),
    )
    assert 0.0 <= reward.total <= 1.0
    assert 0.0 <= reward.trajectory <= 1.0
    assert 0.0 <= reward.state <= 1.0


@QUICK
@given(plans)
@BOTH_FORMS
def test_a_reference_earns_everything_against_itself(form, reference, attempt, plan):
    calls = calls_of(plan)
    whole = reference(*calls, after=order_within(plan))
    assert evaluate(whole, attempt(*calls), RewardSettings(form=form)).total == 1.0


@QUICK
@given(plans, st.data())
@pytest.mark.parametrize("knows_produced", [True, False])
def test_permuting_independent_pieces_changes_nothing(
    knows_produced, reference, attempt, plan, data
):
    permuted = data.draw(st.permutations(plan))
    whole = reference(*calls_of(plan), after=order_within(plan))
    reward = evaluate(whole, attempt(*calls_of(permuted), knows_produced=knows_produced))
    assert reward.total == 1.0


@QUICK
@given(plans, st.lists(pieces, max_size=4), damaging, st.integers(0, 4))
@BOTH_FORMS
def test_adding_a_damaging_write_never_raises_the_total(
    form, reference, attempt, wanted, done, damage, position
):
    whole = reference(*calls_of(wanted), after=order_within(wanted))
    damaged = [*done[:position], (damage,), *done[position:]]
    weights = RewardSettings(form=form)
    before = evaluate(whole, attempt(*calls_of(done)), weights)
    after = evaluate(whole, attempt(*calls_of(damaged)), weights)
    assert after.is_damaged
    assert after.total <= before.total


@QUICK
@given(plans, st.lists(pieces, min_size=1, max_size=4), st.data())
def test_renaming_created_ids_changes_nothing(reference, attempt, wanted, done, data):
    whole = reference(*calls_of(wanted))
    original = attempt(*calls_of(done))
    created = [key for key in original.end_states[HOTELS]["bookings"] if key != "BK-1"]
    names = dict(zip(created, data.draw(st.permutations(created)), strict=True))
    renamed = Attempt(
        tuple(
            replace(
                call,
                arguments=rename(call.arguments, names),
                bound=rename(call.bound, names) if call.ok else None,
                produced=tuple(names.get(key, key) for key in call.produced),
            )
            for call in original.calls
        ),
        {key: rename(state, names) for key, state in original.end_states.items()},
    )
    before, after = evaluate(whole, original), evaluate(whole, renamed)
    assert after.total == pytest.approx(before.total)
    assert (after.trajectory, after.state) == pytest.approx((before.trajectory, before.state))
