import pytest

from envfactory_assets.stages.trajectories.judge import RuleJudge
from envfactory_assets.stages.trajectories.model_judge import ModelJudge
from envfactory_assets.stages.trajectories.simulated_user import NOTHING_TO_ADD
from envfactory_resources.clients.fake_messages.replies import RefusalReply, StructuredReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages


def conversation(*pairs):
    return [{"role": role, "content": content} for role, content in pairs]


SHORT = conversation(("user", "Book it."), ("assistant", "I booked it."))
ASKING = conversation(
    ("user", "Book it."),
    ("assistant", "Are you sure?"),
    ("user", NOTHING_TO_ADD),
    ("assistant", "I booked it."),
)


def ratings(**given):
    listed = [
        {"number": int(number[1:]), "reason": "as it reads", "rating": rating}
        for number, rating in given.items()
    ]
    return StructuredReply({"ratings": listed})


@pytest.fixture
def rate(model_at):
    """Rate two conversations by a script; return the ratings and the requests."""

    def run(*replies):
        with FakeMessages([ScriptLine(reply) for reply in replies]) as fake:
            judge = ModelJudge(model_at(fake))
            return judge.rate(["Book it."], [SHORT, ASKING]), fake.requests

    return run


def test_every_conversation_is_rated_side_by_side(rate):
    given, requests = rate(ratings(n1=9, n2=4))

    assert given == [0.9, 0.4]
    assert requests[0].role == "judge"
    assert "Conversation 1:" in requests[0].last_user
    assert "Conversation 2:" in requests[0].last_user


@pytest.mark.parametrize("useless", [ratings(n1=9), ratings(n1=9, n2=11), ratings(n1=9, n3=4)])
def test_a_rating_that_is_missing_or_out_of_range_is_asked_for_once_more(rate, useless):
    given, requests = rate(useless, ratings(n2=5))

    assert given == [0.9, 0.5]
    assert len(requests) == 2


def test_the_rules_rate_where_the_judge_contradicts_itself(rate):
    both = {"number": 1, "reason": "hm", "rating": 3}
    torn = StructuredReply({"ratings": [both, {**both, "rating": 8}]})

    given, _ = rate(torn, RefusalReply())

    assert given == RuleJudge().rate(["Book it."], [SHORT, ASKING])


def test_the_rules_mark_a_needless_question_down():
    short, asking = RuleJudge().rate(["Book it."], [SHORT, ASKING])

    assert asking < short == 1.0
