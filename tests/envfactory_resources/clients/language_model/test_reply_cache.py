import subprocess
import sys

import pytest

from envfactory_resources.clients.fake_messages.replies import TextReply
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.bounded_map import map_bounded
from envfactory_resources.clients.language_model.errors import ReplyCacheError
from envfactory_resources.clients.language_model.reply import Reply
from envfactory_resources.clients.language_model.reply_cache import ReplyCache
from envfactory_resources.clients.language_model.usage import Usage

HELLO = [{"role": "user", "content": "Hello"}]
ECHO_COUNT = ScriptLine(lambda request: TextReply(f"reply {request.number}"), times=None)

CACHED_RUN = """
import sys, pathlib
from envfactory_resources.clients.language_model.language_model import LanguageModel
model = LanguageModel(
    model="fake-1", base_url="http://127.0.0.1:9", cache_dir=pathlib.Path(sys.argv[1])
)
hello = [{"role": "user", "content": "Hello"}]
print(model.complete("user", "", hello, max_tokens=9).text, "anthropic" in sys.modules)
"""


def test_a_rerun_reads_the_kept_reply_with_the_usage_it_had(connect):
    with FakeMessages([ECHO_COUNT]) as fake:
        first = connect(fake).complete("user", "", HELLO, max_tokens=9)
        again = connect(fake, api_key="other-key").complete("user", "", HELLO, max_tokens=9)

    assert len(fake.requests) == 1
    assert again.text == first.text
    assert again.usage == first.usage.model_copy(update={"from_cache": True})


def test_a_fully_cached_run_needs_neither_server_nor_sdk(connect, tmp_path):
    with FakeMessages([ECHO_COUNT]) as fake:
        connect(fake).complete("user", "", HELLO, max_tokens=9)

    ran = subprocess.run(
        [sys.executable, "-c", CACHED_RUN, str(tmp_path / "replies")],
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.strip() == "reply 1 False"


@pytest.mark.parametrize(
    "change",
    [
        {"system": "Be brief."},
        {"messages": [{"role": "user", "content": "Bye"}]},
        {"max_tokens": 10},
        {"temperature": 0.0},
        {"sample_index": 1},
        {"tools": [{"name": "a", "input_schema": {"type": "object"}}]},
    ],
)
def test_whatever_decides_the_answer_is_part_of_the_question(connect, change):
    asked = {"system": "", "messages": HELLO, "max_tokens": 9}
    with FakeMessages([ECHO_COUNT]) as fake:
        model = connect(fake)
        model.complete("user", **asked)
        other = model.complete("user", **{**asked, **change})

    assert other.text == "reply 2"


def test_who_asks_and_what_the_endpoint_may_cache_is_no_part_of_the_question(connect):
    with FakeMessages([ECHO_COUNT]) as fake:
        model = connect(fake)
        model.complete("user", "Hi", HELLO, max_tokens=9)
        other = model.complete("judge", "Hi", HELLO, max_tokens=9, prompt_cache="system")

    assert other.usage.from_cache


def test_threads_that_ask_the_same_at_once_pay_once(connect):
    with FakeMessages([ECHO_COUNT]) as fake:
        model = connect(fake, max_concurrency=4)
        replies = map_bounded(
            lambda _: model.complete("user", "", HELLO, max_tokens=9).text,
            range(8),
            max_concurrency=4,
        )

    assert replies == ["reply 1"] * 8
    assert len(fake.requests) == 1


def test_a_damaged_file_counts_as_none_and_is_written_anew(connect, tmp_path, caplog):
    with FakeMessages([ECHO_COUNT]) as fake:
        connect(fake).complete("user", "", HELLO, max_tokens=9)
        (kept,) = (tmp_path / "replies").rglob("*.json")
        kept.write_text('{"model": "fake')

        texts = [connect(fake).complete("user", "", HELLO, max_tokens=9).text for _ in range(2)]

    assert texts == ["reply 2"] * 2
    assert "Skipping damaged reply cache file" in caplog.text


def test_whoever_finds_an_answer_already_there_takes_it(tmp_path):
    def reply(text):
        content = ({"type": "text", "text": text},)
        return Reply(model="m", content=content, stop_reason="end_turn", usage=Usage())

    first, second = ReplyCache(tmp_path), ReplyCache(tmp_path)
    first.keep("ab12", reply("first"))

    assert second.keep("ab12", reply("second")).text == "first"
    assert second.keep("ab12", reply("third"), replace=True).text == "third"


def test_a_folder_that_cannot_be_written_is_one_clear_error(connect, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with FakeMessages([ECHO_COUNT]) as fake:
        model = connect(fake, cache_dir=tmp_path / "file")
        with pytest.raises(ReplyCacheError, match=r"Cannot keep a reply below .*Free space"):
            model.complete("user", "", HELLO, max_tokens=9)
