import pytest

from envfactory_assets.stages.viewing.corpus import Corpus
from envfactory_assets.stages.viewing.task_view import task_view


def tasks(page):
    return [page.data[f"task-{number}"] for number in range(len(page.data["index"]["tasks"]))]


def calls_of(task, items):
    return [task["calls"][item["call"]] for item in items if "call" in item]


def test_every_writing_call_of_a_reference_shows_what_it_changed(page):
    writes = [
        call
        for task in tasks(page)
        for call in calls_of(task, task["conversation"])
        if call["effect"] == "write"
    ]

    assert writes
    assert [call for call in writes if not call["changes"]] == []


def test_every_attempt_can_be_read_with_its_refused_calls(page):
    refused = 0
    for task in tasks(page):
        for attempt in task["attempts"]:
            calls = calls_of(task, attempt["conversation"] or task["conversation"])
            refused += sum(not call["ok"] for call in calls)
            assert len(calls) == attempt["calls"]

    assert refused


def test_an_attempt_that_is_the_reference_is_not_stored_twice(page):
    kept = [each for task in tasks(page) for each in task["attempts"] if not each["drop_reason"]]

    assert any(each["conversation"] is None for each in kept)


def test_a_failed_attempt_says_what_it_did_wrong_and_a_kept_one_has_nothing_to_say(page):
    attempts = [each for task in tasks(page) for each in task["attempts"]]
    failed = [each for each in attempts if each["drop_reason"] == "does_not_solve_the_task"]

    assert failed
    assert [each["id"] for each in failed if not each["why"]] == []
    assert [each["why"] for each in attempts if not each["drop_reason"] and each["why"]] == []


def test_masks_and_order_stand_on_the_calls_they_are_of(page, made):
    for task in tasks(page):
        row = next(row for row in made.filtered if row.task_id == task["id"])
        shown = [item for item in task["conversation"] if "call" in item]
        expected = [(list(call["masked"]), list(call["after"])) for call in row.reference_calls]
        assert [(item.get("masked", []), item.get("after", [])) for item in shown] == expected


def test_refinements_show_the_text_before_and_after_only_where_it_changed(page):
    operations = [
        operation
        for task in tasks(page)
        for turn in task["turns"]
        for operation in turn["operations"]
    ]

    assert any(operation["applied"] for operation in operations)
    for operation in operations:
        assert operation["applied"] == ("before" in operation)
        assert operation["reason"]


def test_ids_that_are_shown_have_the_names_people_know_them_by(page):
    task = next(task for task in tasks(page) if "travel.hotel_booking" in task["environments"])

    assert any(key.startswith("HT-") for key in task["names"])
    assert not any(name.startswith("HT-") for name in task["names"].values())


def test_no_state_is_in_the_page(page):
    assert '"counters"' not in page.text
    assert '"end_states"' not in page.text


@pytest.fixture
def unsolved(made):
    """A task that no attempt solves: the best of them is shown, and the plan."""
    row = made.filtered[0]
    idle = next(
        each
        for each in made.candidates
        if each.task_id == row.task_id and each.solver_policy == "idle"
    )
    dropped = row.model_copy(
        update={
            "messages": idle.messages,
            "kept": False,
            "drop_reason": "no_candidate_solves_the_task",
            "replays": False,
        }
    )
    [task] = Corpus(filtered=[dropped], candidates=[idle], queries=made.refined).tasks()
    return task


def test_a_task_that_nothing_solves_shows_what_it_was_built_for(unsolved, made):
    view = task_view(unsolved, made.catalog)

    assert view["drop_reason"] == "no_candidate_solves_the_task"
    assert [call["tool"] for call in view["plan"]] == [
        call["tool"] for call in unsolved.filtered.reference_calls
    ]
    assert view["split"] is None


def test_a_reference_without_queries_and_attempts_is_still_shown(made):
    [task] = Corpus(filtered=made.filtered[:1]).tasks()
    view = task_view(task, made.catalog)

    assert [turn["text"] for turn in view["turns"]] == list(made.filtered[0].queries)
    assert view["attempts"] == []
