import json
import logging
import traceback

import pytest

from envfactory_resources.clients.fake_messages.replies import ErrorReply, TextReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.errors import (
    AuthenticationRefusedError,
    ModelSettingsError,
    RequestRejectedError,
)
from envfactory_resources.clients.language_model.language_model import LanguageModel

KEY = "sk-secret-0123456789"
HELLO = [{"role": "user", "content": "Hello"}]


@pytest.fixture
def hostile_environment(monkeypatch, tmp_path):
    """Everything that the SDK would take credentials, addresses or headers from."""
    profiles = tmp_path / "profiles"
    (profiles / "configs").mkdir(parents=True)
    profile = {"base_url": "http://127.0.0.1:9", "workspace_id": "theirs"}
    (profiles / "configs" / "default.json").write_text(json.dumps(profile))
    for name, value in {
        "ANTHROPIC_API_KEY": "env-key",
        "ANTHROPIC_AUTH_TOKEN": "env-token",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "ANTHROPIC_CUSTOM_HEADERS": "x-api-key: env-key\nauthorization: env\nx-extra: env",
        "ANTHROPIC_CONFIG_DIR": str(profiles),
        "ANTHROPIC_PROFILE": "default",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "ALL_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("hostile_environment")
def test_the_environment_changes_nothing_that_is_sent(connect):
    with FakeMessages([ScriptLine(TextReply("Hi"))], api_key=KEY) as fake:
        connect(fake).complete("user", "", HELLO, max_tokens=9)

    headers = fake.requests[0].headers
    assert headers["x-api-key"] == KEY
    assert headers["authorization"] == f"Bearer {KEY}"
    assert "env" not in {*headers.values()}
    assert "x-extra" not in headers


@pytest.mark.usefixtures("hostile_environment")
def test_a_server_that_needs_no_key_gets_none(connect):
    with FakeMessages([ScriptLine(TextReply("Hi"))]) as fake:
        connect(fake, api_key=None).complete("user", "", HELLO, max_tokens=9)

    assert not {"x-api-key", "authorization"} & fake.requests[0].headers.keys()


def test_the_key_is_in_no_error_log_or_file(connect, tmp_path, caplog):
    script = [
        ScriptLine(TextReply("Hi"), sequence=1),
        ScriptLine(ErrorReply(401, f"invalid x-api-key {KEY}")),
    ]
    with FakeMessages(script) as fake, caplog.at_level(logging.DEBUG):
        model = connect(fake)
        model.complete("user", "", HELLO, max_tokens=9)
        with pytest.raises(AuthenticationRefusedError) as caught:
            model.complete("user", "Other", HELLO, max_tokens=9)

    files = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    shown = "".join(traceback.format_exception(caught.value))
    assert "invalid x-api-key [key]" in shown
    assert files
    assert caplog.text
    assert all(KEY not in text for text in (shown, repr(model), caplog.text, *files))
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_a_redirect_does_not_carry_the_key_to_another_address(tmp_path, httpserver):
    with FakeMessages([ScriptLine(TextReply("Hi"))]) as elsewhere:
        location = {"location": f"{elsewhere.url}/v1/messages"}
        httpserver.expect_request("/v1/messages").respond_with_data(status=307, headers=location)
        url = httpserver.url_for("").rstrip("/")
        with (
            LanguageModel(model="m", base_url=url, api_key=KEY, cache_dir=tmp_path) as model,
            pytest.raises(RequestRejectedError, match="redirects are not taken"),
        ):
            model.complete("user", "", HELLO, max_tokens=9)

    assert elsewhere.requests == []


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"model": " "}, "model is empty"),
        ({"base_url": None, "api_key": None}, "api_key is missing"),
        ({"api_key": f"{KEY}\n"}, "api_key holds a space, a line break"),
        ({"base_url": "localhost:8000"}, "'http://localhost:8000'"),
        ({"base_url": "http://localhost:8000/v1/"}, "leave the '/v1' out"),
        ({"base_url": f"http://me:{KEY}@localhost"}, "base_url carries a user name"),
        ({"max_retries": -1}, "max_retries is -1"),
        ({"timeout_seconds": 0}, "timeout_seconds is 0"),
        ({"max_concurrency": 0}, "max_concurrency is 0"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_at_once_without_the_key(tmp_path, settings, fault):
    given = {"model": "m", "base_url": "http://localhost:1", "cache_dir": tmp_path, **settings}

    with pytest.raises(ModelSettingsError, match=fault) as caught:
        LanguageModel(**given)

    assert KEY not in str(caught.value)
