from collections.abc import Sequence

import pytest

from envfactory_assets.records.datasets import RlTask, SftExample
from rl_jobs.config import TinyModel
from rl_jobs.errors import PolicyError
from rl_jobs.trl.dialect import Dialect, dialect_of
from rl_jobs.trl.tiny_policy import compact_dialect, train_tokenizer

SHAPE = TinyModel(vocabulary=512)


@pytest.fixture(scope="module")
def dialect(examples: list[SftExample]) -> Dialect:
    blank = compact_dialect(train_tokenizer([], SHAPE), SHAPE)
    texts = [blank.rendered(example.messages, example.tools) for example in examples]
    return compact_dialect(train_tokenizer(texts, SHAPE), SHAPE)


@pytest.fixture(scope="module")
def qwen(dialect: Dialect) -> Dialect:
    """The tiny tokenizer with the chat template of a real model."""
    from trl.chat_template_utils import qwen3_chat_template

    texts = ["<tool_call> system user assistant"]
    tokenizer = train_tokenizer(texts, SHAPE)
    tokenizer.add_special_tokens({"eos_token": "<|im_end|>"})
    tokenizer.add_tokens(["<|im_start|>"])
    tokenizer.chat_template = qwen3_chat_template
    return dialect_of(tokenizer, "qwen")


def learnt(dialect: Dialect, example: SftExample) -> str:
    tokens = dialect.lesson(example.messages, example.tools).tokens
    pairs = zip(tokens.ids, tokens.is_target, strict=True)
    return dialect.text([token for token, is_target in pairs if is_target])


def whole(dialect: Dialect, example: SftExample, replies: Sequence[dict], said: str) -> list[int]:
    """Return a conversation as an attempt puts it together: piece by piece."""
    thread = dialect.begin(example.messages[:2], example.tools)
    said_ids = dialect.tokenizer.encode(said + dialect.tokenizer.eos_token)
    return thread.prompt + said_ids + thread.reply_ids(replies)


def test_only_what_the_assistant_wrote_is_learnt(
    dialect: Dialect, examples: list[SftExample]
) -> None:
    assert learnt(dialect, examples[2]) == (
        "call payments__set_budget\ncategory: leisure\nmonthly_limit: NUMBER-1<|end|>Done.<|end|>"
    )


def test_a_real_template_marks_what_its_assistant_wrote(
    qwen: Dialect, examples: list[SftExample]
) -> None:
    text = learnt(qwen, examples[2])
    assert '{"name": "payments__set_budget", "arguments": {"category": "leisure"' in text
    assert "tool_response" not in text
    assert "Set my monthly" not in text


@pytest.mark.parametrize("name", ["dialect", "qwen"])
def test_an_attempt_has_the_tokens_of_the_conversation_that_it_becomes(
    name: str, examples: list[SftExample], request: pytest.FixtureRequest
) -> None:
    used: Dialect = request.getfixturevalue(name)
    example = examples[2]
    labelled = used.lesson(example.messages[:4], example.tools).tokens
    said_ids = [token for token, mine in zip(labelled.ids, labelled.is_target, strict=True) if mine]
    thread = used.begin(example.messages[:2], example.tools)
    end = said_ids.index(used.end_id) + 1
    pieces = thread.prompt + said_ids[:end] + thread.reply_ids(example.messages[3:4])
    assert used.text(pieces).startswith(used.text(labelled.ids))
    assert pieces[: len(labelled.ids)] == labelled.ids


def test_a_real_template_reads_the_calls_of_its_own_format(
    qwen: Dialect, tasks: list[RlTask]
) -> None:
    thread = qwen.begin(tasks[0].prompt, tasks[0].tools)
    call = '<tool_call>\n{"name": "payments__list_accounts", "arguments": {}}\n</tool_call>'
    ids = qwen.tokenizer.encode(f"<think>\n\n</think>\n\n{call}<|im_end|>")
    read = thread.read(ids, thread.prompt)
    assert [item.tool for item in read.calls] == ["payments__list_accounts"]
    assert read.format_errors == 0


def test_a_call_in_the_thinking_of_a_real_model_is_no_call(
    qwen: Dialect, tasks: list[RlTask]
) -> None:
    thread = qwen.begin(tasks[0].prompt, tasks[0].tools)
    call = '<tool_call>\n{"name": "payments__list_accounts", "arguments": {}}\n</tool_call>'
    ids = qwen.tokenizer.encode(f"<think>\n{call}\n</think>\n\nWhich account?<|im_end|>")
    assert thread.read(ids, thread.prompt).calls == ()


def test_a_template_whose_calls_nobody_can_read_is_refused(dialect: Dialect) -> None:
    tokenizer = train_tokenizer(["x"], SHAPE)
    tokenizer.chat_template = "{{ messages[0].content }}"
    with pytest.raises(PolicyError, match="'odd' writes tool calls is not known"):
        dialect_of(tokenizer, "odd")
