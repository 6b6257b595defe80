import pytest

from envfactory_resources.clients.fake_messages.replies import ErrorReply, SlowReply, TextReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.errors import (
    AuthenticationRefusedError,
    ModelOverloadedError,
    ModelUnreachableError,
    RateLimitedError,
    RequestRejectedError,
)
from envfactory_resources.clients.language_model.language_model import LanguageModel

HELLO = [{"role": "user", "content": "Hello"}]


def test_a_busy_endpoint_is_asked_again_and_the_attempts_are_counted(connect):
    script = [
        ScriptLine(ErrorReply(429)),
        ScriptLine(ErrorReply(529)),
        ScriptLine(TextReply("At last")),
    ]
    with FakeMessages(script) as fake:
        model = connect(fake, max_retries=2)
        reply = model.complete("user", "", HELLO, max_tokens=9)

    assert (reply.text, reply.usage.attempts) == ("At last", 3)
    assert model.ledger.by_role()["user"].attempt_count == 3


@pytest.mark.parametrize(
    ("status", "error", "attempts", "advice"),
    [
        (429, RateLimitedError, 2, "Lower max_concurrency"),
        (529, ModelOverloadedError, 2, "Raise max_retries or try later"),
        (500, ModelOverloadedError, 2, "Raise max_retries or try later"),
        (400, RequestRejectedError, 1, "Correct the request"),
        (404, RequestRejectedError, 1, "Check the model name"),
        (307, RequestRejectedError, 1, "redirects are not taken"),
        (401, AuthenticationRefusedError, 1, "Check api_key"),
    ],
)
def test_a_failure_is_typed_and_says_what_to_do(connect, status, error, attempts, advice):
    with FakeMessages([ScriptLine(ErrorReply(status, "No way."), times=None)]) as fake:
        model = connect(fake, max_retries=1)
        with pytest.raises(error) as caught:
            model.complete("judge", "", HELLO, max_tokens=9)

    assert str(caught.value).startswith(
        f"Role 'judge': model 'fake-1' at {model.base_url} failed after {attempts} attempt"
    )
    assert f"with status {status}: No way. " in str(caught.value)
    assert advice in str(caught.value)
    assert (caught.value.status, caught.value.usage.attempts) == (status, attempts)


def test_an_endpoint_that_stays_silent_is_unreachable(connect):
    with FakeMessages([ScriptLine(SlowReply(TextReply("Zzz"), 60.0))]) as fake:
        model = connect(fake, max_retries=0, timeout_seconds=0.05)
        with pytest.raises(ModelUnreachableError, match=r"no answer within 0\.05 s"):
            model.complete("user", "", HELLO, max_tokens=9)


def test_an_address_where_nothing_runs_is_unreachable(tmp_path):
    with FakeMessages([]) as gone:
        url = gone.url
    with (
        LanguageModel(model="m", base_url=url, cache_dir=tmp_path, max_retries=0) as model,
        pytest.raises(ModelUnreachableError, match=r"Connection refused.*Check base_url"),
    ):
        model.complete("user", "", HELLO, max_tokens=9)


def test_an_answer_to_a_malformed_conversation_reaches_the_caller(connect):
    with FakeMessages([]) as fake:
        model = connect(fake)
        with pytest.raises(RequestRejectedError, match="roles alternate"):
            model.complete("user", "", HELLO * 2, max_tokens=9)
