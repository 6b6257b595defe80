import pytest

from envfactory_assets.stages.queries.adjustments import adjustable_texts
from envfactory_assets.stages.queries.binding import bind_chain
from envfactory_assets.stages.queries.model_planner import ModelPlanner
from envfactory_assets.stages.queries.planner import persona_of
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_resources.clients.fake_messages.replies import RefusalReply, StructuredReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages

STORY = "An old friend is in town and they want to spend a quiet weekend away."


@pytest.fixture(scope="module")
def task(whole_pipeline, shipped):
    return bind_chain(whole_pipeline.stay(), shipped, QuerySettings())


def told(story=STORY, manner="friendly and brief", replacements=()):
    listed = [{"number": number, "text": text} for number, text in replacements]
    return StructuredReply({"manner": manner, "story": story, "replacements": listed})


@pytest.fixture
def planned(model_at, task, shipped):
    """Plan the stay by a script; return the plan and the requests."""

    def run(*replies):
        with FakeMessages([ScriptLine(reply) for reply in replies]) as fake:
            return ModelPlanner(model_at(fake)).plan(task, shipped), fake.requests

    return run


def test_a_story_and_a_manner_are_told_without_touching_the_calls(planned, task):
    plan, requests = planned(told())

    assert plan.story == STORY
    assert plan.persona == f"{persona_of(task)}; friendly and brief"
    assert plan.task == task
    assert requests[0].role == "scenario_planner"
    assert "hotel_booking__" not in requests[0].last_user


def test_a_text_is_adjusted_and_the_note_says_so(planned, task):
    old = adjustable_texts(task, 1)[0].text
    plan, _ = planned(told(replacements=[(1, "Calm and bright, a good base."), (99, "Nothing")]))

    assert "Calm and bright" in str(plan.task.scenario.states)
    assert plan.notes == (
        f"{old!r} now says 'Calm and bright, a good base.'.",
        "There is no text 99 to adjust.",
    )


@pytest.mark.parametrize(
    ("story", "fault"),
    [
        ("They will use search_hotels for it.", "names the tool 'search_hotels'"),
        ("They think of HT-3 for it.", "says the id 'HT-3'"),
        ("They have 4711 euros left for it.", "makes up '4711'"),
        ("It is a long story. " * 40, "at most 600"),
    ],
)
@pytest.mark.parametrize("is_mended", [True, False])
def test_a_story_that_cannot_stand_is_asked_for_once_more_then_left_out(
    planned, story, fault, is_mended
):
    plan, requests = planned(told(story), told(STORY if is_mended else story))

    assert fault in requests[1].last_user
    assert plan.story == (STORY if is_mended else "")
    assert len(plan.notes) == (1 if is_mended else 2)
    assert fault in plan.notes[-1]


def test_useless_answers_leave_the_plan_of_the_rules(planned, task):
    plan, _ = planned(RefusalReply(), RefusalReply())

    assert (plan.task, plan.persona, plan.story) == (task, persona_of(task), "")
    assert plan.notes == ("A plan was of no use: RefusedReplyError.",) * 2
