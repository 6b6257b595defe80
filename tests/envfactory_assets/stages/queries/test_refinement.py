import pytest

from envfactory_assets.stages.queries.drafting import ClauseWriter
from envfactory_assets.stages.queries.refinement import (
    RuleRefiner,
    query_violations,
    refine_all,
)
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.queries.wording import mentions

NAMES = ("action_compression", "implicit_reference", "ambiguity", "goal_expansion")


def calibrated(**probabilities):
    return QuerySettings(**{**dict.fromkeys(NAMES, 0.0), **probabilities})


@pytest.fixture(scope="module")
def always(pipeline):
    """The tasks of the pipeline with every refinement tried on every turn."""
    settings = calibrated(**dict.fromkeys(NAMES, 1.0))
    return refine_all(pipeline.drafts, pipeline.catalog, RuleRefiner(settings))


def test_with_refinement_off_the_drafts_stay_as_they_are(pipeline):
    rows = refine_all(pipeline.drafts, pipeline.catalog, RuleRefiner(calibrated()))

    for draft, row in zip(pipeline.drafts, rows, strict=True):
        assert row.refined_text == draft.draft_text
        assert (row.operations, row.disclosures) == ((), ())


def test_with_certainty_every_refinement_is_tried_on_every_turn(always):
    for row in always:
        assert tuple(operation.name for operation in row.operations) == NAMES


def test_every_refinement_is_kept_somewhere(always):
    kept = {item.name for row in always for item in row.operations if item.applied}
    assert kept == set(NAMES)


def test_operations_are_recorded_as_a_path_from_the_draft_to_the_request(always):
    for row in always:
        text = row.draft_text
        for operation in row.operations:
            assert operation.before == text
            assert operation.applied == (operation.after != operation.before)
            assert operation.reason
            text = operation.after
        assert row.refined_text == text


def test_every_value_is_found_or_disclosed(always, pipeline):
    for turns in pipeline.by_task(always).values():
        assert query_violations(turns, pipeline.catalog) == []


def test_what_is_kept_back_is_nowhere_in_the_task_so_far(always, pipeline):
    kept_back = 0
    for turns in pipeline.by_task(always).values():
        heard = ""
        for row in turns:
            heard += f"\n{row.refined_text}"
            for item in row.disclosures:
                kept_back += 1
                assert not mentions(heard, item.value)
                assert mentions(item.answer, item.value)
            heard += "\n".join(item.answer for item in row.disclosures)
    assert kept_back >= 8


def test_only_ambiguity_keeps_something_back(pipeline):
    settings = calibrated(action_compression=1.0, implicit_reference=1.0, goal_expansion=1.0)
    rows = refine_all(pipeline.drafts, pipeline.catalog, RuleRefiner(settings))

    assert not any(row.disclosures for row in rows)


def test_the_rest_of_the_draft_is_kept(always, pipeline):
    for draft, row in zip(pipeline.drafts, always, strict=True):
        same = draft.model_dump(exclude={"made_by"})
        assert row.model_dump(include=same.keys()) == same
        assert row.made_by == "refiner:rules"


class CarelessWriter(ClauseWriter):
    """Says which booking it is about only where it shows it, and speaks of `it` afterwards."""

    def word(self, task_id, turns, catalog):
        """Word the turns, the last clause of each without its arguments."""
        worded = super().word(task_id, turns, catalog)
        for turn in worded:
            if len(turn.clauses) > 1:
                last = turn.clauses[-1]
                blank = type(last)(last.call, "cancel it", {})
                object.__setattr__(turn, "clauses", (*turn.clauses[:-1], blank))
        return worded


def test_a_refinement_that_would_break_an_invariant_is_undone_and_says_why(whole_pipeline):
    chain = whole_pipeline.chain(
        "careless",
        "travel",
        (
            "hotel_booking__list_bookings",
            "hotel_booking__get_booking",
            "hotel_booking__cancel_booking",
        ),
        {"1.booking_id": "0:bookings[].booking_id", "2.booking_id": "1:booking_id"},
        "",
        (1, 2),
    )
    pipeline = whole_pipeline.run_pipeline([chain], calibrated())
    refiner = RuleRefiner(calibrated(action_compression=1.0), CarelessWriter())
    row = refine_all(pipeline.drafts, pipeline.catalog, refiner)[1]

    (operation,) = row.operations
    assert not operation.applied
    assert operation.before == operation.after == row.refined_text
    assert operation.reason == (
        "Undone: Step 1 takes booking_id from a list, and nobody says which."
    )


def test_rules_leave_a_draft_alone_that_they_did_not_word(pipeline):
    turns = next(iter(pipeline.by_task(pipeline.drafts).values()))
    free = [row.model_copy(update={"made_by": "query_writer:somebody"}) for row in turns]

    rows = RuleRefiner(calibrated(goal_expansion=1.0)).refine(free, pipeline.catalog)

    assert [row.refined_text for row in rows] == [row.draft_text for row in free]
    assert not any(item.applied for row in rows for item in row.operations)
    assert "free text" in rows[0].operations[0].reason


def test_a_violation_of_a_stored_query_is_found(pipeline):
    turns = next(rows for rows in pipeline.refined_by_task().values() if len(rows[0].calls) == 2)
    spoiled = turns[0].model_copy(update={"refined_text": "Do it for HT-1."})

    found = query_violations([spoiled, *turns[1:]], pipeline.catalog)
    assert any(sentence.startswith("Step 0 needs") for sentence in found)
