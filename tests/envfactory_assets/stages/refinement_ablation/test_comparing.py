import pytest

from envfactory_assets.stages.queries.refinement import RuleRefiner, refine_all
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.queries.unrefined import NoRefiner, unrefined
from envfactory_assets.stages.refinement_ablation.comparing import (
    CLARIFIED,
    EVERYWHERE,
    IMPLICIT,
    LENGTH,
    UNASKED,
    compare_refinement,
)
from envfactory_assets.stages.refinement_ablation.measuring import (
    implicit_references,
    measure_task,
)
from envfactory_assets.stages.refinement_ablation.picture import draw_ablation
from envfactory_assets.stages.trajectories.settings import TrajectorySettings

SETTINGS = TrajectorySettings()


@pytest.fixture(scope="module")
def rows(pipeline):
    return compare_refinement(pipeline.refined, pipeline.catalog, SETTINGS)


@pytest.fixture(scope="module")
def overall(rows):
    return {(row.measure, row.arm): row for row in rows if row.domain == EVERYWHERE}


def test_only_refined_requests_need_a_clarification(overall, pipeline):
    """That is found by talking; what the refinement recorded says the same."""
    kept_back = sum(bool(row.disclosures) for row in pipeline.refined)

    assert overall[CLARIFIED, "unrefined"].value == 0
    assert overall[CLARIFIED, "refined"].value == kept_back / len(pipeline.refined) > 0


def test_a_teacher_who_never_asks_solves_drafts_and_fails_refined_requests(overall):
    assert overall[UNASKED, "unrefined"].value == 1
    assert overall[UNASKED, "refined"].value < 1


def test_refined_requests_point_where_drafts_name(overall):
    assert overall[IMPLICIT, "refined"].low > overall[IMPLICIT, "unrefined"].high


def test_both_arms_are_the_same_tasks(rows):
    for row in rows:
        [other] = [
            item
            for item in rows
            if (item.domain, item.measure) == (row.domain, row.measure) and item.arm != row.arm
        ]
        assert (row.task_count, row.turn_count) == (other.task_count, other.turn_count)
        assert row.low - 1e-9 <= row.value <= row.high + 1e-9


def test_domains_add_up_to_all_of_them(rows):
    counts = {row.domain: row.turn_count for row in rows if row.measure == LENGTH}

    assert counts.pop(EVERYWHERE) == sum(counts.values())
    assert set(counts) == {"lifestyle", "office", "travel"}


def test_refinement_off_gives_the_unrefined_arm(pipeline):
    off = refine_all(pipeline.drafts, pipeline.catalog, NoRefiner())

    assert off == [unrefined(row) for row in pipeline.refined]
    assert [row.refined_text for row in off] == [row.draft_text for row in pipeline.drafts]


def test_probabilities_of_zero_give_the_same_texts(pipeline):
    zero = QuerySettings(implicit_reference=0, action_compression=0, ambiguity=0, goal_expansion=0)
    rows = refine_all(pipeline.drafts, pipeline.catalog, RuleRefiner(zero))

    assert [row.refined_text for row in rows] == [row.draft_text for row in pipeline.drafts]


def test_a_request_that_withholds_a_value_is_clarified_and_one_that_says_it_is_not(pipeline):
    turns = next(
        list(rows)
        for rows in pipeline.refined_by_task().values()
        if any(row.disclosures for row in rows)
    )
    refined = measure_task(turns, pipeline.catalog, SETTINGS)
    drafted = measure_task([unrefined(row) for row in turns], pipeline.catalog, SETTINGS)

    assert refined.clarified == sum(bool(row.disclosures) for row in turns)
    assert drafted.clarified == 0


def test_a_user_who_says_everything_at_once_is_measured_like_one_who_does_not(pipeline, rows):
    at_once = SETTINGS.model_copy(update={"mode": "non_conversational"})

    assert compare_refinement(pipeline.refined, pipeline.catalog, at_once) == rows


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Please cancel that booking.", 1),
        ("Please cancel THAT booking, and book the same city again.", 2),
        ("Please cancel the booking of the Riverside Lodge.", 0),
        ("Please cancel that bookings list.", 0),
    ],
)
def test_implicit_references_are_counted_in_the_text(pipeline, text, count):
    row = next(
        row
        for row in pipeline.refined
        if any(item.noun == "booking" for call in row.calls for item in call.provenance)
    )

    assert implicit_references(row.model_copy(update={"refined_text": text})) == count


def test_the_picture_is_a_png(rows):
    assert draw_ablation(rows).startswith(b"\x89PNG")
