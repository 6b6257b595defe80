import json
import urllib.error
import urllib.request

import pytest

from envfactory_resources.clients.fake_messages.replies import (
    ErrorReply,
    RawReply,
    StructuredReply,
    TextReply,
    ToolCallsReply,
)
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages

HEADERS = {"anthropic-version": "2023-06-01", "x-envfactory-role": "judge"}
BODY = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hello"}]}


def post(url, body, headers=HEADERS):
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request) as response:
            return response.status, json.loads(response.read()), response.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read()), error.headers


def test_a_message_comes_in_the_wire_format_and_the_request_is_kept():
    with FakeMessages([ScriptLine(ToolCallsReply([("shop__buy", {"n": 2})], "Sure."))]) as fake:
        status, message, _ = post(f"{fake.url}/v1/messages", BODY)

    assert status == 200
    assert message["stop_reason"] == "tool_use"
    assert message["content"][0] == {"type": "text", "text": "Sure."}
    assert message["content"][1]["input"] == {"n": 2}
    assert message["usage"]["output_tokens"] > 0
    assert [(request.role, request.last_user) for request in fake.requests] == [("judge", "Hello")]
    assert fake.unplayed == []


def test_a_scripted_error_carries_status_type_and_waiting_time():
    with FakeMessages([ScriptLine(ErrorReply(529, "too busy", 1.5))]) as fake:
        status, body, headers = post(f"{fake.url}/v1/messages", BODY)

    assert (status, body["error"]) == (529, {"type": "overloaded_error", "message": "too busy"})
    assert (headers["retry-after"], headers["retry-after-ms"]) == ("1", "1500.0")


def test_a_raw_reply_goes_out_as_it_is():
    with FakeMessages([ScriptLine(RawReply('"odd"', "text/plain"))]) as fake:
        status, body, headers = post(f"{fake.url}/v1/messages", BODY)

    assert (status, body, headers["content-type"]) == (200, "odd", "text/plain")


@pytest.mark.parametrize(
    ("path", "headers", "body", "status", "said"),
    [
        ("/v1/complete", HEADERS, BODY, 404, "only /v1/messages"),
        ("/v1/messages", {}, BODY, 400, "anthropic-version"),
        ("/v1/messages", HEADERS, {**BODY, "max_tokens": 0}, 400, "max_tokens"),
        ("/v1/messages", HEADERS, {**BODY, "temperature": 0.5}, 400, "asks for no structured"),
    ],
)
def test_a_request_that_cannot_be_answered_gets_the_reason(path, headers, body, status, said):
    with FakeMessages([ScriptLine(StructuredReply({}))]) as fake:
        got_status, got, _ = post(f"{fake.url}{path}", body, headers)

    assert got_status == status
    assert said in got["error"]["message"]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"x-api-key": "right"}, 200),
        ({"authorization": "Bearer right"}, 200),
        ({"x-api-key": "wrong"}, 401),
        ({}, 401),
    ],
)
def test_a_fake_with_a_key_insists_on_it(sent, status):
    with FakeMessages([ScriptLine(TextReply("Hi"))], api_key="right") as fake:
        got, _, _ = post(f"{fake.url}/v1/messages", BODY, {**HEADERS, **sent})

    assert got == status


def test_the_url_outside_its_block_is_an_error():
    with pytest.raises(RuntimeError, match="inside `with FakeMessages"):
        _ = FakeMessages([]).url
