import pytest

from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.model_reviewer import ModelReviewer
from envfactory_assets.stages.tool_graphs.review import RuleReviewer
from envfactory_assets.stages.tool_graphs.similarity import Candidate
from envfactory_resources.clients.fake_messages.replies import StructuredReply, TextReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages

JUDGE = "You review a graph"
COMPLETE = "You complete a graph"
NOTHING = StructuredReply({"feeds": [], "orders": []})


@pytest.fixture
def tools(make_tool):
    return [
        make_tool(
            "inn__find",
            inputs={"town": "Town"},
            outputs={"inns[].inn_id": "Id of the inn", "inns[].name": "Name of the inn"},
        ),
        make_tool("inn__show", inputs={"inn_id": "Id of the inn"}, outputs={"story": "Its story"}),
        make_tool(
            "inn__book",
            "write",
            inputs={"inn_id": "Id of the inn", "wish?": "Wish", "nights": ("integer", "Nights")},
        ),
    ]


@pytest.fixture
def candidates(tools):
    """Pairs that similarity proposed: the id for booking, and a name as a wish."""
    find, _, book = tools
    return [
        Candidate(find.outputs[0], book.inputs[0], 0.95),
        Candidate(find.outputs[1], book.inputs[1], 0.86),
    ]


@pytest.fixture
def labels(tools):
    return RuleLabeller().label(tools)


def verdicts(*items):
    return StructuredReply(
        {"verdicts": [{"number": n, "keep": keep, "reason": why} for n, keep, why in items]}
    )


def feed(source, target, reason="needed"):
    (source_tool, source_parameter), (target_tool, target_parameter) = source, target
    return {
        "source_tool": source_tool,
        "source_parameter": source_parameter,
        "target_tool": target_tool,
        "target_parameter": target_parameter,
        "reason": reason,
    }


def order(first, later):
    return {"first_tool": first, "later_tool": later, "reason": f"{first} opens it"}


GOOD = verdicts((1, True, "the inn found is booked"), (2, False, "a wish is free"), (3, True, "ok"))


def pairs(items):
    return [(item.source.key, item.target.key) for item in items]


def test_the_model_keeps_and_prunes_with_its_own_reasons(model_at, tools, labels, candidates):
    script = [ScriptLine(GOOD, system=JUDGE), ScriptLine(NOTHING, system=COMPLETE)]
    with FakeMessages(script) as fake:
        reviewer = ModelReviewer(model_at(fake))
        review = reviewer.review(tools, labels, candidates)

    assert [(item.kept, item.reason) for item in review.judged] == [
        (True, "the inn found is booked"),
        (False, "a wish is free"),
    ]
    assert pairs(review.added) == [(("inn__find", "inns[].inn_id"), ("inn__show", "inn_id"))]
    assert review.added[0].reason == "missed by similarity: ok"
    assert reviewer.made_by == "graph_reviewer:fake-1"
    assert fake.requests[0].role == "graph_reviewer"
    assert "2. output of inn__find: inns[].name" in fake.requests[0].last_user


def test_a_rerun_asks_nothing_and_reviews_the_same(model_at, tools, labels, candidates):
    script = [ScriptLine(GOOD, system=JUDGE), ScriptLine(NOTHING, system=COMPLETE)]
    with FakeMessages(script) as fake:
        first = ModelReviewer(model_at(fake)).review(tools, labels, candidates)
        assert ModelReviewer(model_at(fake)).review(tools, labels, candidates) == first


def test_a_feed_without_a_verdict_is_asked_about_again_and_then_judged_by_rules(
    model_at, tools, labels, candidates
):
    script = [
        ScriptLine(
            verdicts((1, True, "fits"), (9, True, "no such feed"), (3, True, "")), system=JUDGE
        ),
        ScriptLine(verdicts((3, False, "nobody does that"), (1, False, "no")), system=JUDGE),
        ScriptLine(NOTHING, system=COMPLETE),
    ]
    with FakeMessages(script) as fake:
        review = ModelReviewer(model_at(fake)).review(tools, labels, candidates)

    by_rules = RuleReviewer().review(tools, labels, candidates).judged[1]
    assert review.judged[0].reason == "fits"
    assert review.judged[1].kept == by_rules.kept
    assert review.judged[1].reason == (f"by rules, as the model gave no verdict: {by_rules.reason}")
    [fed] = review.added
    assert fed.reason.startswith("missed by similarity: by rules, as the model kept no source")
    again = next(item for item in fake.requests[1:] if JUDGE in item.system).last_user
    assert "2. output" in again
    assert "1. output" not in again


def test_missing_feeds_and_orders_are_added_and_what_names_nothing_known_is_counted(
    model_at, tools, labels, candidates
):
    name, story = ("inn__find", "inns[].name"), ("inn__show", "story")
    wish, nights = ("inn__book", "wish"), ("inn__book", "nights")
    missing = {
        "feeds": [
            feed(story, wish, "people wish what they read"),
            feed(story, wish),
            feed(name, wish),
            feed(story, nights),
            feed(("inn__find", "inns[].stars"), wish),
            feed(story, ("inn__show", "inn_id")),
        ],
        "orders": [
            order("inn__show", "inn__burn"),
            order("inn__find", "inn__book"),
            order("inn__book", "inn__show"),
            order("inn__book", "inn__show"),
            order("inn__show", "inn__show"),
        ],
    }
    script = [
        ScriptLine(GOOD, system=JUDGE),
        ScriptLine(StructuredReply(missing), system=COMPLETE),
    ]
    with FakeMessages(script) as fake:
        reviewer = ModelReviewer(model_at(fake))
        review = reviewer.review(tools, labels, candidates)

    assert pairs(review.added)[1:] == [(story, wish)]
    assert review.added[1].reason == "missed by similarity: people wish what they read"
    assert [(item.source_tool, item.target_tool) for item in review.precedences] == [
        ("inn__book", "inn__show")
    ]
    assert reviewer.ignored == {
        "already_judged": 2,
        "types_differ": 1,
        "unknown_leaf": 1,
        "feeds_itself": 1,
        "unknown_tools": 2,
        "already_fed": 1,
        "order_repeated_or_reversed": 1,
    }


def test_without_a_usable_completion_the_orders_of_the_rules_stand(model_at, make_tool):
    tools = [
        make_tool("inn__show_guest", inputs={"guest_id": "Id of the guest"}),
        make_tool("inn__move_guest", "write", inputs={"guest_id": "Id of the guest"}),
    ]
    labels = RuleLabeller().label(tools)
    (expected,) = RuleReviewer().review(tools, labels, []).precedences
    with FakeMessages([ScriptLine(TextReply("Hm."), system=COMPLETE, times=2)]) as fake:
        review = ModelReviewer(model_at(fake)).review(tools, labels, [])

    (found,) = review.precedences
    assert (found.source_tool, found.target_tool) == ("inn__show_guest", "inn__move_guest")
    assert found.reason == f"by rules, as the model gave no answer: {expected.reason}"
    assert fake.unplayed == []


def test_links_between_domains_are_judged_and_none_are_made_up(model_at, make_tool):
    tools = [
        make_tool("post__people", outputs={"people[].email": "E-mail address"}, domain="lifestyle"),
        make_tool("desk__invite", "write", inputs={"guest_email": "E-mail address of the guest"}),
    ]
    labels = RuleLabeller().label(tools)
    link = Candidate(tools[0].outputs[0], tools[1].inputs[0], 0.9)
    with FakeMessages([ScriptLine(verdicts((1, True, "a contact is invited")))]) as fake:
        review = ModelReviewer(model_at(fake)).review_links(tools, labels, [link])

    assert [(item.kept, item.reason) for item in review.judged] == [(True, "a contact is invited")]
    assert (review.added, review.precedences) == ((), ())
    assert len(fake.requests) == 1


def test_an_input_that_only_a_tool_can_give_is_never_left_without_a_source(
    model_at, tools, labels, candidates
):
    nothing = verdicts((1, False, "no"), (2, False, "no"), (3, False, "no"))
    script = [ScriptLine(nothing, system=JUDGE), ScriptLine(NOTHING, system=COMPLETE)]
    with FakeMessages(script) as fake:
        review = ModelReviewer(model_at(fake)).review(tools, labels, candidates)

    assert [item.kept for item in review.judged] == [True, False]
    assert review.judged[0].reason.startswith("by rules, as the model kept no source of this input")
    assert pairs(review.added) == [(("inn__find", "inns[].inn_id"), ("inn__show", "inn_id"))]
