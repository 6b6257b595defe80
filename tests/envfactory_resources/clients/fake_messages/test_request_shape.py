import pytest

from envfactory_resources.clients.fake_messages.errors import RequestShapeError
from envfactory_resources.clients.fake_messages.request_shape import check_request

USER = {"role": "user", "content": "Hello"}
CALL = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "t1", "name": "a", "input": {}}],
}
RESULT = {
    "role": "user",
    "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "done"}],
}
TOOL = {"name": "shop__search", "input_schema": {"type": "object", "properties": {}}}


def request(**changes):
    return {"model": "m", "max_tokens": 10, "messages": [USER], **changes}


@pytest.mark.parametrize(
    "accepted",
    [
        request(),
        request(messages=[USER, CALL, RESULT]),
        request(tools=[TOOL], tool_choice={"type": "tool", "name": "shop__search"}),
        request(tools=[{"type": "web_search_20250305", "name": "web_search"}]),
        request(system=[{"type": "text", "text": "Be brief.", "cache_control": {}}]),
    ],
)
def test_a_request_the_real_endpoint_takes_is_returned_unchanged(accepted):
    assert check_request(accepted) == accepted


@pytest.mark.parametrize(
    ("refused", "fault"),
    [
        ([], "body: must be a JSON object"),
        (request(model=""), "model: "),
        (request(max_tokens=0), "max_tokens: "),
        (request(messages=[]), "messages: "),
        (request(messages=[{"role": "user", "content": ""}]), "messages.0.content"),
        (request(messages=[USER, USER]), "messages.1.role: got 'user', expected 'assistant'"),
        (request(messages=[CALL]), "messages.0.role: got 'assistant', expected 'user'"),
        (request(messages=[USER, CALL, USER]), r"tool results for \[\], but .* calls \['t1'\]"),
        (request(messages=[RESULT]), r"tool results for \['t1'\], but .* calls \[\]"),
        (request(stream=True), "stream: "),
        (request(temperature=3.0), "temperature: "),
        (request(tools=[TOOL, TOOL]), "names must be unique"),
        (request(tools=[{**TOOL, "name": "shop.search"}]), "tools.0.name: "),
        (request(tools=[{"name": "a", "input_schema": {"type": "string"}}]), "expected 'object'"),
        (
            request(tools=[{"name": "a", "input_schema": {"type": "object", "required": "x"}}]),
            r"tools.a.input_schema: .* at \$.required",
        ),
        (request(tool_choice={"type": "tool", "name": "b"}), "'b' is none of the tools"),
    ],
)
def test_a_request_the_real_endpoint_refuses_is_refused_with_the_place(refused, fault):
    with pytest.raises(RequestShapeError, match=fault):
        check_request(refused)
