"""What LLaMA-Factory documents of its columns, tags and order of roles, held against the files."""

import json

import pytest

from envfactory_assets.stages.datasets.llama_factory import (
    alpaca_row,
    openai_row,
    write_llama_factory,
)

OTHERS, MODEL = {"user", "tool"}, {"assistant", "function_call"}


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def example(pipeline):
    """A conversation with several turns and calls."""
    return max(pipeline.sft, key=lambda row: row.assistant_turns)


def calls_of(example):
    return [
        {"name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}
        for message in example.messages
        for call in message.get("tool_calls", ())
    ]


def test_messages_alternate_and_hold_calls_as_the_text_that_it_parses(pipeline):
    for example in pipeline.sft:
        row = openai_row(example)
        system, *messages = row["messages"]
        assert system == {"role": "system", "content": example.messages[0]["content"]}
        assert {message["role"] for message in messages[::2]} <= OTHERS
        assert {message["role"] for message in messages[1::2]} <= MODEL
        assert messages[-1]["role"] == "assistant"
        made = [json.loads(m["content"]) for m in messages if m["role"] == "function_call"]
        assert [call for calls in made for call in calls] == calls_of(example)
        assert json.loads(row["tools"]) == list(example.tools)


def test_alpaca_rows_say_the_same_in_pairs(example):
    row = alpaca_row(example)
    pairs = [*row["history"], [row["instruction"], row["output"]]]
    messages = openai_row(example)["messages"][1:]

    assert row["system"] == example.messages[0]["content"]
    assert row["input"] == ""
    assert len(pairs) == len(messages) // 2
    for (told, answer), one, other in zip(pairs, messages[::2], messages[1::2], strict=True):
        is_result, is_calls = one["role"] == "tool", other["role"] == "function_call"
        own = (
            f"<tool_response>\n{one['content']}\n</tool_response>" if is_result else one["content"]
        )
        assert told == own
        if is_calls:
            [call] = json.loads(other["content"])
            inside = answer.removeprefix("<tool_call>\n").removesuffix("\n</tool_call>")
            assert json.loads(inside) == call
        else:
            assert answer == other["content"]


def test_every_value_is_text_so_that_nothing_can_be_padded(pipeline, tmp_path):
    def leaves(value):
        if isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from leaves(item)
        else:
            yield value

    write_llama_factory({"train": pipeline.sft}, tmp_path)
    for path in tmp_path.glob("*.jsonl"):
        for row in lines(path):
            assert {type(leaf) for leaf in leaves(row)} == {str}


def test_dataset_info_names_files_columns_and_tags_that_are_there(pipeline, tmp_path):
    write_llama_factory({"train": pipeline.sft[:3], "validation": pipeline.sft[3:5]}, tmp_path)
    info = json.loads((tmp_path / "dataset_info.json").read_text(encoding="utf-8"))

    assert sorted(info) == [
        "envfactory_alpaca_train",
        "envfactory_alpaca_validation",
        "envfactory_openai_train",
        "envfactory_openai_validation",
    ]
    for described in info.values():
        rows = lines(tmp_path / described["file_name"])
        assert len(rows) in (2, 3)
        for row in rows:
            assert set(described["columns"].values()) == set(row)
            tags = described.get("tags")
            if tags:
                known = {tags[name] for name in tags if name not in ("role_tag", "content_tag")}
                assert {message[tags["role_tag"]] for message in row["messages"]} <= known
                assert all(tags["content_tag"] in message for message in row["messages"])


def test_what_is_said_beside_a_call_stays_out(example):
    before = openai_row(example)
    talking = [
        {**message, "content": "Let me see."} if message.get("tool_calls") else message
        for message in example.messages
    ]

    assert openai_row(example.model_copy(update={"messages": tuple(talking)})) == before


def test_a_conversation_that_does_not_alternate_has_no_such_form(example, tmp_path):
    twice = example.model_copy(update={"messages": (*example.messages, example.messages[-1])})

    assert openai_row(twice) is None
    assert alpaca_row(twice) is None
    write_llama_factory({"train": [twice, example]}, tmp_path)
    assert len(lines(tmp_path / "alpaca_train.jsonl")) == 1
