import json

import pyarrow
import pyarrow.parquet
import pytest

from envfactory_assets.stages.datasets.exports import verl_row, write_rl, write_sft


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def columns(schema, prefix=""):
    """Yield every leaf column of an Arrow schema with its type."""
    for field in schema:
        kind = field.type
        while pyarrow.types.is_list(kind):
            kind = kind.value_type
        if pyarrow.types.is_struct(kind):
            yield from columns(kind, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", kind


def leaves(value):
    """Yield every leaf of a row."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from leaves(item)
    else:
        yield value


def test_conversations_load_back_with_arguments_as_objects(pipeline, tmp_path):
    write_sft(pipeline.sft, tmp_path)
    loaded = [line for path in sorted(tmp_path.glob("sft_*.jsonl")) for line in lines(path)]

    assert {line["example_id"] for line in loaded} == {row.example_id for row in pipeline.sft}
    rows = {row.example_id: row for row in pipeline.sft}
    for line in loaded:
        row = rows[line["example_id"]]
        assert line["tools"] == list(row.tools)
        assert len(line["messages"]) == len(row.messages)
        for message, before in zip(line["messages"], row.messages, strict=True):
            assert message["role"] == before["role"]
            assert message["content"] == before["content"]
            for call, own in zip(
                message.get("tool_calls", ()), before.get("tool_calls", ()), strict=True
            ):
                arguments = call["function"]["arguments"]
                assert isinstance(arguments, dict)
                assert arguments == json.loads(own["function"]["arguments"])


def test_there_is_one_file_a_split_with_its_rows_only(pipeline, tmp_path):
    write_sft(pipeline.sft, tmp_path / "sft")
    write_rl(pipeline.rl, tmp_path / "rl")
    splits = sorted({row.split for row in pipeline.rl})

    assert names(tmp_path / "sft") == [
        "llama_factory",
        *(f"sft_{split}.jsonl" for split in splits),
        *(f"verl_sft_{split}.parquet" for split in splits),
    ]
    assert names(tmp_path / "rl") == sorted(
        [f"rl_{split}.jsonl" for split in splits] + [f"verl_{split}.parquet" for split in splits]
    )
    for split in splits:
        found = lines(tmp_path / "rl" / f"rl_{split}.jsonl")
        assert {row["split"] for row in found} == {split}
        assert [row["row_id"] for row in found] == [
            row.row_id for row in pipeline.rl if row.split == split
        ]


def test_rl_lines_load_back_as_rows_of_the_table(pipeline, tmp_path):
    write_rl(pipeline.rl, tmp_path)
    loaded = [line for path in sorted(tmp_path.glob("rl_*.jsonl")) for line in lines(path)]
    by_id = {row.row_id: row for row in pipeline.rl}
    for line in loaded:
        assert line == by_id[line["row_id"]].model_dump(mode="json")


def test_parquet_rows_hold_variable_parts_as_text_without_padding(pipeline, tmp_path):
    """Two tasks of different shape: nothing of the one may appear in the other as a null."""
    one = next(row for row in pipeline.rl if row.domain == "travel" and row.turn == 0)
    other = next(row for row in pipeline.rl if row.domain == "lifestyle" and row.disclosures == ())
    other = other.model_copy(update={"split": one.split})
    write_rl([one, other], tmp_path)
    table = pyarrow.parquet.read_table(tmp_path / f"verl_{one.split}.parquet")

    kinds = dict(columns(table.schema))
    assert {str(kind) for kind in kinds.values()} == {"string", "int64", "bool"}
    assert [name for name, kind in kinds.items() if str(kind) != "string"] == [
        "extra_info.index",
        "extra_info.need_tools_kwargs",
    ]
    for row, task in zip(table.to_pylist(), (one, other), strict=True):
        assert None not in list(leaves(row))
        assert json.loads(row["reward_model"]["ground_truth"]) == task.reference
        session = row["extra_info"]["tools_kwargs"]
        assert json.loads(session["scenario"]) == task.scenario
        assert json.loads(session["functions"]) == list(task.tools)
        assert json.loads(session["history"]) == list(task.prompt)
        assert session["environment_ids"] == list(task.environment_ids)
        assert row["extra_info"]["task_id"] == task.row_id


def test_the_prompt_of_a_verl_row_is_what_was_said(pipeline):
    task = next(row for row in pipeline.rl if row.turn == 1)
    prompt = verl_row(task, 0)["prompt"]

    assert [message["role"] for message in prompt] == ["system", "user", "assistant", "user"]
    assert prompt[-1]["content"] == task.prompt[-1]["content"]
    assert all(message.keys() == {"role", "content"} for message in prompt)


def test_files_are_replaced_whole(pipeline, tmp_path):
    path, *others = write_sft(pipeline.sft[:1], tmp_path)
    before = path.read_bytes()

    class Broken:
        """A row that cannot be written."""

        split = pipeline.sft[0].split
        example_id = domain = "broken"
        messages = ({"role": "user", "content": object()},)
        tools = ()

    with pytest.raises(TypeError):
        write_sft([pipeline.sft[1].model_copy(update={"split": Broken.split}), Broken()], tmp_path)
    assert path.read_bytes() == before
    write_sft(pipeline.sft[:1], tmp_path)
    assert names(tmp_path) == ["llama_factory", path.name, others[0].name]


def test_a_split_that_became_empty_leaves_no_file_behind(pipeline, tmp_path):
    row = pipeline.sft[0]
    write_sft([row.model_copy(update={"split": "validation"})], tmp_path)
    write_sft([row.model_copy(update={"split": "train"})], tmp_path)

    assert names(tmp_path) == ["llama_factory", "sft_train.jsonl", "verl_sft_train.parquet"]
    assert names(tmp_path / "llama_factory") == [
        "alpaca_train.jsonl",
        "dataset_info.json",
        "openai_train.jsonl",
    ]


def test_the_same_rows_give_the_same_bytes(pipeline, tmp_path):
    for name in ("first", "second"):
        write_rl(pipeline.rl, tmp_path / name)
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()
