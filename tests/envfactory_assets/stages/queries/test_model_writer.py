import pytest

from envfactory_assets.stages.queries.model_writer import ModelQueryWriter
from envfactory_resources.clients.fake_messages.replies import RefusalReply, StructuredReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages


@pytest.fixture
def drafts(pipeline):
    """The drafts of a task of one turn."""
    return next(rows for rows in pipeline.by_task(pipeline.drafts).values() if len(rows) == 1)


def says(text):
    return StructuredReply({"text": text})


@pytest.fixture
def written(model_at, pipeline):
    """Word drafts by a script; return the rows and the requests."""

    def run(drafts, *replies):
        with FakeMessages([ScriptLine(reply) for reply in replies]) as fake:
            return ModelQueryWriter(model_at(fake)).write(drafts, pipeline.catalog), fake.requests

    return run


def test_a_request_in_the_models_words_keeps_the_plan(written, drafts):
    text = f"Hey there! {drafts[0].draft_text} Thank you so much."
    told = drafts[0].model_copy(update={"story": "A friend comes to visit."})
    (row,), requests = written([told], says(text))

    assert (row.draft_text, row.made_by) == (text, "query_writer:fake-1")
    assert row.calls == drafts[0].calls
    assert row.notes == ()
    assert "A friend comes to visit." in requests[0].last_user
    assert not any(call.tool in requests[0].last_user for call in row.calls)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text, draft: f"{text} It is about HT-77.",
        lambda text, draft: "Please do what is needed.",
        lambda text, draft: f"{text} Use {draft.calls[0].tool}.",
    ],
)
@pytest.mark.parametrize("is_mended", [True, False])
def test_a_request_that_breaks_an_invariant_is_retried_then_the_rules_words_stay(
    written, drafts, spoil, is_mended
):
    bad = spoil(drafts[0].draft_text, drafts[0])
    good = f"Hello, {drafts[0].draft_text}"
    (row,), requests = written(drafts, says(bad), says(good if is_mended else bad))

    assert "It cannot stand" in requests[1].last_user
    assert row.draft_text == (good if is_mended else drafts[0].draft_text)
    assert row.made_by == ("query_writer:fake-1" if is_mended else "query_writer:rules")
    assert len(row.notes) == (1 if is_mended else 2)


def test_useless_replies_are_noted(written, drafts):
    (row,), _ = written(drafts, RefusalReply(), RefusalReply())

    assert row.draft_text == drafts[0].draft_text
    assert row.notes == ("A request was of no use: RefusedReplyError.",) * 2


def test_a_later_turn_knows_what_was_said_before(written, pipeline):
    turns = next(rows for rows in pipeline.by_task(pipeline.drafts).values() if len(rows) > 1)
    said = [f"Hi. {row.draft_text}" for row in turns]
    rows, requests = written(turns, *(says(text) for text in said))

    assert [row.draft_text for row in rows] == said
    assert f"Earlier message: {said[0]}" in requests[1].last_user
