import re

import pytest

from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.model_labeller import ModelLabeller
from envfactory_resources.clients.fake_messages.replies import StructuredReply, TextReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages


@pytest.fixture
def tools(make_tool):
    return [
        make_tool("inn__find", inputs={"city": "City"}, outputs={"inns[].inn_id": "Id of the inn"}),
        make_tool("inn__book", "write", inputs={"inn_id": "Id of the inn", "nights?": "Nights"}),
    ]


def label(tool, parameter, source, reason="because"):
    return {"tool": tool, "parameter": parameter, "source": source, "reason": reason}


def labels(*items):
    return StructuredReply({"labels": list(items)})


ALL = (
    label("inn__find", "city", "external", "people name cities"),
    label("inn__book", "inn_id", "internal", "the service makes it up"),
    label("inn__book", "nights", "external", "people say how long"),
)


def test_every_input_is_labelled_in_one_request_that_shows_its_text(model_at, tools):
    with FakeMessages([ScriptLine(labels(*ALL), role="parameter_labeller")]) as fake:
        labeller = ModelLabeller(model_at(fake))
        found = labeller.label(tools)

    assert {key: given.source for key, given in found.items()} == {
        ("inn__find", "city"): "external",
        ("inn__book", "inn_id"): "internal",
        ("inn__book", "nights"): "external",
    }
    assert found["inn__book", "inn_id"].reason == "the service makes it up"
    assert labeller.made_by == "parameter_labeller:fake-1"
    (request,) = fake.requests
    assert "Inputs of inn__book:\n- inn_id (string): Id of the inn" in request.last_user
    assert "- nights (string, optional): Nights" in request.last_user


def test_a_rerun_asks_nothing_and_labels_the_same(model_at, tools):
    with FakeMessages([ScriptLine(labels(*ALL))]) as fake:
        first = ModelLabeller(model_at(fake)).label(tools)
        again = ModelLabeller(model_at(fake)).label(list(reversed(tools)))

    assert again == first


def test_an_input_that_the_model_leaves_out_twice_is_labelled_by_rules_and_says_so(model_at, tools):
    script = [
        ScriptLine(labels(ALL[0], label("inn__book", "inn", "external"))),
        ScriptLine(labels(ALL[1], label("inn__wreck", "nights", "external"))),
    ]
    with FakeMessages(script) as fake:
        found = ModelLabeller(model_at(fake)).label(tools)

    by_rules = RuleLabeller().label(tools)["inn__book", "nights"]
    assert found["inn__book", "inn_id"].reason == "the service makes it up"
    assert found["inn__book", "nights"].source == by_rules.source
    assert found["inn__book", "nights"].reason.startswith("by rules, as the model gave no label: ")
    assert set(found) == {("inn__find", "city"), ("inn__book", "inn_id"), ("inn__book", "nights")}
    second = fake.requests[1].last_user
    assert "- nights" in second
    assert "Inputs of inn__find" not in second


def test_a_label_without_a_reason_or_given_both_ways_is_asked_for_again(model_at, tools):
    both_ways = label("inn__book", "inn_id", "external")
    silent = label("inn__find", "city", "external", " ")
    script = [
        ScriptLine(labels(*ALL[1:], both_ways, silent)),
        ScriptLine(labels(ALL[0], ALL[1])),
    ]
    with FakeMessages(script) as fake:
        found = ModelLabeller(model_at(fake)).label(tools)

    assert found["inn__book", "inn_id"].source == "internal"
    assert found["inn__find", "city"].reason == "people name cities"
    assert fake.unplayed == []


def test_a_model_that_only_talks_leaves_every_label_to_rules(model_at, tools):
    with FakeMessages([ScriptLine(TextReply("Sure!"), times=None)]) as fake:
        found = ModelLabeller(model_at(fake)).label(tools)

    assert all(given.reason.startswith("by rules, ") for given in found.values())
    assert len(fake.requests) == 2


def test_many_tools_go_in_small_batches_of_one_environment(model_at, make_tool):
    tools = [make_tool(f"inn__act_{n:02d}", inputs={"city": "City"}) for n in range(9)]
    tools += [make_tool("shop__buy", inputs={"city": "City"})]

    def answer(request):
        names = re.findall(r"Inputs of (\w+):", request.last_user)
        return labels(*(label(name, "city", "external") for name in names))

    with FakeMessages([ScriptLine(answer, times=None)]) as fake:
        found = ModelLabeller(model_at(fake)).label(tools)

    assert len(found) == 10
    assert sorted(request.last_user.count("Inputs of") for request in fake.requests) == [1, 1, 8]
