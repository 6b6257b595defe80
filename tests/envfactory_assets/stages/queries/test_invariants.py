import pytest

from envfactory_assets.records.queries import Disclosure
from envfactory_assets.stages.queries.invariants import QueryContext, internal_ids_of, violations

RESULTS = ({"hotels": [{"hotel_id": "HT-1", "city": "Oslo"}]}, {})


def context(history="", used_before=()):
    return QueryContext(
        history=history,
        results=RESULTS,
        internal_ids=frozenset({"HT-1"}),
        tool_names=frozenset({"hotel_booking__save_favorite", "save_favorite"}),
        used_before={1: used_before},
    )


@pytest.fixture
def calls(wording):
    """A call that takes an entity from a list and a note from the user."""
    hotel = wording.taken(
        "hotel_id",
        "HT-1",
        "0:hotels[0].hotel_id",
        "hotel",
        ("label", "Casa Azul"),
        ("extremum", "the cheapest hotel"),
    )
    note = wording.said("note", "for work")
    return (wording.clause(1, "hotel_booking__save_favorite", "save", hotel, note).call,)


def wrong(text, calls, known, *disclosures):
    return violations(text, calls, disclosures, known)


@pytest.mark.parametrize(
    "text", ["Save Casa Azul for work.", "Save the cheapest hotel, FOR WORK, please."]
)
def test_a_text_that_says_everything_holds(calls, text):
    assert wrong(text, calls, context()) == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Save Casa Azul (HT-1) for work.", "It says the internal id 'HT-1'."),
        ("save_favorite Casa Azul for work.", "It names the tool 'save_favorite'."),
        ("Save a hotel for work.", "Step 1 takes hotel_id from a list, and nobody says which."),
        ("Save Casa Azul.", "Step 1 needs note = 'for work', which nobody says."),
        ("", "The text has 0 characters; 1 to 1200 are allowed."),
    ],
)
def test_what_is_missing_or_leaked_is_said(calls, text, sentence):
    assert sentence in wrong(text, calls, context())


def test_values_may_be_said_earlier_disclosed_or_seen(calls, wording):
    disclosure = Disclosure(step=1, path="note", topic="note", value="for work", answer="For work.")
    seen = wording.clause(1, "s__do", "stay", wording.said("city", "Oslo")).call

    assert wrong("Save Casa Azul.", calls, context(history="It is for work.")) == []
    assert wrong("Save Casa Azul.", calls, context(), disclosure) == []
    assert wrong("Stay there.", (seen,), context()) == []


def test_an_entity_that_was_used_before_needs_no_name(calls):
    assert wrong("Save it, for work.", calls, context(used_before=("HT-1",))) == []


def test_internal_ids_are_those_of_scenario_and_results_but_not_what_people_say(pipeline):
    query = pipeline.refined[0]
    found = internal_ids_of(
        {"hotels": {"HT-7": {}}, "booking": "BK-3"},
        query.calls,
        [{"hotels": [{"hotel_id": "odd id", "name": "Casa"}]} for _ in query.calls],
        pipeline.catalog,
    )
    assert {"HT-7", "BK-3", "odd id"} <= found
    assert not {"Casa", "Lisbon"} & found


def test_every_refined_query_of_the_pipeline_leaks_nothing(pipeline):
    names = set(pipeline.catalog.tools) | {
        tool.name for tool in pipeline.catalog.tools.values() if "_" in tool.name
    }
    prefixes = ("HT-", "RM-", "BK-", "EV-", "CV-", "MS-", "MR-")
    for query in pipeline.refined:
        answers = [item.answer for item in query.disclosures]
        for text in (query.draft_text, query.refined_text, query.plan, *answers):
            assert not [name for name in names if name in text]
            assert not [prefix for prefix in prefixes if prefix in text]


def test_what_the_user_does_needs_no_mention_but_may_leak_nothing(calls):
    by_user = tuple(call.model_copy(update={"actor": "user"}) for call in calls)
    assert wrong("Let me know when it is my turn.", by_user, context()) == []
    assert wrong("Let me know about HT-1.", by_user, context()) == [
        "It says the internal id 'HT-1'."
    ]
