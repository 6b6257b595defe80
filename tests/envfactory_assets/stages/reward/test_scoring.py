"""The cases that fool the published reward, and what ours pays for them."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from envfactory_assets.stages.reward.errors import SessionMismatchError
from envfactory_assets.stages.reward.models import Attempt, AttemptedCall
from envfactory_assets.stages.reward.requested_calls import attempted_calls_from_messages
from envfactory_assets.stages.reward.scoring import evaluate
from envfactory_assets.stages.reward.settings import RewardSettings

DOCUMENT = Path(__file__).parents[4] / "docs" / "reward.md"
STRICT = RewardSettings(form="strict")
READS = [("search", {"city": "Paris"}), ("look", {"hotel_id": "HT-1"})]
ORDER = {1: [0], 2: [1], 3: [2]}
LOOK = ("look", {"hotel_id": "HT-2"})
ANNOTATE = ("annotate", {"booking_id": "BK-1", "note": "late"})


@pytest.fixture(scope="module")
def cheats(reference, attempt, trip):
    """Attempts that must not pay: without work, with invented arguments, with damage."""
    whole, reads = reference(*trip, after=ORDER), reference(*READS)
    search = reference(READS[0])
    refusal = reference(is_refusal=True)
    invented = {"city": "Paris", "vip": True}
    let_through = AttemptedCall("search", invented, {**invented, "stars": 3}, True, "read")
    text = '<tool_call>{"name": "look", "arguments": {"hotel_id": "HT-1"}}</tool_call>'
    messages = [
        {"role": "assistant", "content": f"<think>{text}</think>", "reasoning_content": text},
        {"role": "tool", "content": text, "tool_calls": [{"function": {"name": "look"}}]},
    ]
    written = [
        (call.tool, call.arguments) for call in attempted_calls_from_messages(messages).calls
    ]
    return {
        "no tool call": (whole, attempt()),
        "no tool call, read-only reference": (reads, attempt()),
        "one irrelevant call, read-only reference": (reads, attempt(LOOK)),
        "one failing call, read-only reference": (reads, attempt(("look", {"hotel_id": "HT-9"}))),
        "right calls and damage in another environment": (reference(*trip[:3]), attempt(*trip)),
        "right read-only calls and damage": (reads, attempt(*READS, trip[3])),
        "invented argument, refused by the session": (search, attempt(("search", invented))),
        "invented argument, let through by another session": (
            search,
            Attempt((let_through,), attempt().end_states),
        ),
        "call only in the thinking text or in a tool result": (reads, attempt(*written)),
        "refusal task, a write": (refusal, attempt(("cancel", {"booking_id": "BK-1"}))),
    }


@pytest.fixture(scope="module")
def flawed(reference, attempt, trip):
    """Attempts that are right in part."""
    whole = reference(*trip, after=ORDER)
    chain = reference(trip[2], ANNOTATE, after={1: [0]})
    refused = attempt(("cancel", {"booking_id": "BK-7"}))
    return {
        "dependent calls reversed, same end state": (chain, attempt(ANNOTATE, trip[2])),
        "3 of 4 reference calls right": (whole, attempt(*trip[:3])),
        "2 of 3 reference calls right": (reference(*trip[:3]), attempt(trip[0], trip[2])),
        "5 redundant calls": (whole, attempt(*[LOOK] * 5, *trip)),
        "10 redundant calls": (whole, attempt(*[LOOK] * 10, *trip)),
        "refusal task, a write that was refused": (reference(is_refusal=True), refused),
    }


@pytest.fixture(scope="module")
def right(reference, attempt, trip):
    """Attempts that are right, some in other ways than the reference."""
    whole = reference(*trip, after=ORDER)
    any_search = ("search", {"city": "x", "stars": 1})
    masked = reference(any_search, READS[0], masked={0: ["city", "stars"]})
    other = ("book", {"hotel_id": "HT-2", "guest": "Cy"})
    spelled = [
        ("search", {"city": "PARIS"}),
        trip[1],
        ("book", {"hotel_id": "HT-1", "guest": " bo ", "nights": "2"}),
        trip[3],
    ]
    default_given = [("search", {"city": "Paris", "stars": 3}), *trip[1:]]
    return {
        "the reference itself": (whole, attempt(*trip)),
        "1 redundant call": (whole, attempt(LOOK, *trip)),
        "masked argument with a correct assignment": (
            masked,
            attempt(READS[0], ("search", {"city": "Lisbon"})),
        ),
        "default value given instead of omitted": (whole, attempt(*default_given)),
        '"2" for 2, "PARIS" for "Paris"': (whole, attempt(*spelled)),
        "two created records in the other order": (
            reference(trip[2], other),
            attempt(other, trip[2]),
        ),
        "refusal task, nothing done": (reference(is_refusal=True), attempt()),
    }


@pytest.fixture(scope="module")
def cases(cheats, flawed, right):
    """The reward of every case of the document's table, by the name it has there."""
    return {name: evaluate(*pair) for name, pair in (cheats | flawed | right).items()}


@pytest.mark.parametrize(
    "name",
    [
        "no tool call",
        "no tool call, read-only reference",
        "one irrelevant call, read-only reference",
        "one failing call, read-only reference",
        "invented argument, refused by the session",
        "call only in the thinking text or in a tool result",
        "refusal task, a write",
    ],
)
def test_a_cheat_pays_nothing(cases, name):
    assert cases[name].total == 0.0


def test_a_right_attempt_earns_everything(cases, right):
    assert {name: cases[name].total for name in right} == dict.fromkeys(right, 1.0)
    assert {name: cases[name].explanation for name in right} == dict.fromkeys(right, ())


def test_damage_elsewhere_costs_more_than_leaving_a_call_out(cases):
    damaged = cases["right calls and damage in another environment"]
    clean = cases["2 of 3 reference calls right"]
    assert damaged.is_damaged
    assert damaged.state == 0.0
    assert damaged.total < clean.total < 1.0
    assert damaged.total < cases["3 of 4 reference calls right"].total
    assert cases["right read-only calls and damage"].total <= 0.25


def test_invented_arguments_are_not_free_where_a_session_lets_them_through(cases):
    assert 0.0 < cases["invented argument, let through by another session"].total <= 0.5


def test_reversed_dependent_calls_lose_credit_although_the_state_is_right(cases):
    reward = cases["dependent calls reversed, same end state"]
    assert reward.state == 1.0
    assert reward.trajectory == 0.5


def test_a_correct_assignment_is_found_for_a_masked_reference(cases):
    reward = cases["masked argument with a correct assignment"]
    assert reward.trajectory == 1.0
    assert [(pair.reference, pair.attempted) for pair in reward.matched] == [(0, 1), (1, 0)]


def test_some_right_calls_earn_some_of_the_trajectory(cases):
    assert cases["2 of 3 reference calls right"].trajectory == pytest.approx(2 / 3)
    assert cases["3 of 4 reference calls right"].trajectory == 0.75


def test_redundant_calls_cost_more_the_more_there_are(cases):
    names = ["1 redundant call", "5 redundant calls", "10 redundant calls"]
    totals = [cases[name].total for name in names]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] == 1.0
    assert 0.0 < totals[2] < totals[1] < 1.0


def test_swapped_ids_of_two_created_records_are_the_same_state(cases):
    assert cases["two created records in the other order"].state == 1.0


def test_a_refused_write_on_a_refusal_task_is_between_nothing_and_a_write(cases):
    tried = cases["refusal task, a write that was refused"].total
    assert cases["refusal task, a write"].total < tried < 1.0


def test_the_document_states_the_figures_of_every_case(cases):
    rows = re.findall(r"^\| (.+?) \| [^|]+ \| (\d\.\d\d) \|", DOCUMENT.read_text(), re.MULTILINE)
    documented = {name.replace("`", ""): figure for name, figure in rows}
    assert documented == {name: f"{reward.total:.2f}" for name, reward in cases.items()}


def test_a_right_outcome_by_other_calls_earns_the_state(reference, attempt):
    booked = reference(("book", {"hotel_id": "HT-1", "guest": "Bo"}), ANNOTATE)
    detour = attempt(
        ("annotate", {"booking_id": "BK-1", "note": "x"}),
        ("annotate", {"booking_id": "BK-1", "note": "late"}),
        ("book", {"hotel_id": "HT-1", "guest": "Bo"}),
    )
    assert evaluate(booked, detour).total == 1.0


def test_strict_pays_for_all_calls_or_none(reference, attempt, trip):
    whole = reference(*trip)
    assert evaluate(whole, attempt(*trip), STRICT).total == 1.0
    partial = evaluate(whole, attempt(*trip[:3]), STRICT)
    assert (partial.trajectory, partial.state, partial.total) == (0.0, 0.0, 0.0)
    damaged = evaluate(whole, attempt(*trip, ANNOTATE), STRICT)
    assert damaged.total == 0.0


def test_malformed_calls_cost_a_little_each_up_to_a_cap(reference, attempt, trip):
    whole = reference(*trip)
    totals = [evaluate(whole, attempt(*trip, format_errors=n)).total for n in (0, 1, 3, 50)]
    assert totals == pytest.approx([1.0, 0.95, 0.85, 0.8])


def test_alpha_weighs_trajectory_against_state(reference, attempt, trip):
    whole, some = reference(*trip[:3]), attempt(trip[2])
    only_calls = evaluate(whole, some, RewardSettings(alpha=1.0))
    only_state = evaluate(whole, some, RewardSettings(alpha=0.0))
    assert only_calls.total == pytest.approx(1 / 3)
    assert only_state.total == 1.0


def test_an_attempt_of_other_environments_is_refused_and_not_scored(reference, trip):
    with pytest.raises(SessionMismatchError, match=r"ends with \['office.calendar'\]"):
        evaluate(reference(*trip), Attempt((), {"office.calendar": {}}))


def test_the_explanation_names_what_is_wrong(reference, attempt, trip):
    whole = reference(*trip, after=ORDER)
    wrong = attempt(trip[2], trip[0], ("look", {"hotel_id": "HT-9"}), ANNOTATE)
    sentences = " ".join(evaluate(whole, wrong).explanation)
    assert "Reference call 1 (look) was refused." in sentences
    assert "Reference call 3 (send) was not made." in sentences
    assert "bookings/BK-1/note is 'late'; the reference leaves it as it was." in sentences
    assert "messages/MS-2/text is as it was" in sentences


def test_the_explanation_is_bounded(reference, attempt, trip):
    wrong = attempt(*[("book", {"hotel_id": "HT-2", "guest": "Zoe"})] * 30)
    settings = RewardSettings(explained_differences=2)
    assert len(evaluate(reference(*trip), wrong, settings).explanation) <= 2 + 1 + 2


def by_user(attempted):
    return replace(attempted, actor="user")


@pytest.fixture
def annotated(reference, attempt):
    """A task of three calls of which the user makes the last: look, book, annotate the booking."""
    calls = [
        ("look", {"hotel_id": "HT-1"}),
        ("book", {"hotel_id": "HT-1", "guest": "Bo"}),
        ("annotate", {"booking_id": "BK-2", "note": "late"}),
    ]
    whole = reference(*calls, after={1: [0], 2: [1]})
    with_user = (*whole.calls[:2], replace(whole.calls[2], actor="user"))
    ran = attempt(*calls)
    return replace(whole, calls=with_user), ran


def test_the_users_calls_are_not_the_agents_to_make(annotated):
    whole, ran = annotated
    done = replace(ran, calls=(*ran.calls[:2], by_user(ran.calls[2])))
    reward = evaluate(whole, done)
    assert (reward.total, reward.trajectory, reward.state, reward.redundant) == (1.0, 1.0, 1.0, ())


def test_without_the_user_the_state_is_missed(annotated, attempt):
    whole, ran = annotated
    alone = attempt(*((call.tool, call.arguments) for call in ran.calls[:2]))
    reward = evaluate(whole, alone, STRICT)
    assert (reward.trajectory, reward.state, reward.unmatched) == (1.0, 0.0, (2,))
    assert "The user was not brought to do reference call 2 (annotate)." in reward.explanation


def test_an_agents_call_does_not_stand_for_the_users(annotated):
    whole, ran = annotated
    reward = evaluate(whole, ran)
    assert reward.unmatched == (2,)
    assert reward.redundant == (2,)


def test_what_the_user_did_in_vain_costs_the_agent_nothing(annotated):
    whole, ran = annotated
    refused = by_user(replace(ran.calls[2], ok=False, bound=None))
    calls = (refused, refused, refused, refused, *ran.calls[:2], by_user(ran.calls[2]))
    assert evaluate(whole, replace(ran, calls=calls)).total == 1.0


def test_where_the_user_does_everything_getting_it_done_is_all(annotated, reference, attempt):
    whole = reference(ANNOTATE)
    of_user = replace(whole, calls=(replace(whole.calls[0], actor="user"),))
    ran = attempt(ANNOTATE)
    done = replace(ran, calls=(by_user(ran.calls[0]),))
    assert evaluate(of_user, done).total == 1.0
    assert evaluate(of_user, attempt()).total == 0.0
