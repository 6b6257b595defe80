"""Every file, loaded by Hugging Face `datasets`: nothing may be added.

What verl's own data sets make of its files is tested in verl's environment (`tests/rl_jobs/verl`).
"""

import json

import datasets
import pandas
import pytest

from envfactory_assets.records.datasets import PreferencePair, RlTask
from envfactory_assets.stages.datasets.exports import write_preferences, write_rl, write_sft
from sandboxes.core.canonical import canonical_json


@pytest.fixture(scope="module")
def files(pipeline, tmp_path_factory):
    """The files of both datasets, with every task to train on so that shapes differ in a file."""
    folder = tmp_path_factory.mktemp("exports")
    write_sft([row.model_copy(update={"split": "train"}) for row in pipeline.sft], folder / "sft")
    write_rl([row.model_copy(update={"split": "train"}) for row in pipeline.rl], folder / "rl")
    write_preferences([pair(row) for row in pipeline.rl], folder / "pairs")
    return folder


def pair(row):
    """Return a made-up pair: one calls a tool, the other only talks."""
    call = row.reference["calls"][0]
    function = {"name": call["tool"], "arguments": canonical_json(dict(call["arguments"]))}
    calls = [{"id": "call_0", "type": "function", "function": function}]
    return PreferencePair(
        pair_id=row.row_id,
        task_id=row.task_id,
        domain=row.domain,
        environment_ids=row.environment_ids,
        split="train",
        turn=row.turn,
        prompt=row.prompt,
        chosen=({"role": "assistant", "content": "", "tool_calls": calls},),
        rejected=({"role": "assistant", "content": "No."},),
        tools=row.tools,
        chosen_reward=1.0,
        rejected_reward=0.5,
        margin=0.5,
        rejected_policy="idle",
        difficulty=row.difficulty,
        made_by="test",
    )


def loaded(path, kind, cache, **more):
    """Return the rows of a file as `datasets` gives them, without a network."""
    found = datasets.load_dataset(
        kind, data_files={"train": str(path)}, split="train", cache_dir=str(cache), **more
    )
    return list(found)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def texts(rows):
    """Return rows so that 250 and 250.0, or a missing and an empty field, are different."""
    return [canonical_json(row) for row in rows]


@pytest.mark.parametrize(
    "file",
    [
        "sft/sft_train.jsonl",
        "sft/llama_factory/openai_train.jsonl",
        "sft/llama_factory/alpaca_train.jsonl",
        "pairs/preference_train.jsonl",
    ],
)
def test_json_lines_load_as_they_were_written(files, tmp_path, file):
    rows = loaded(files / file, "json", tmp_path)

    assert len(rows) > 20
    assert texts(rows) == texts(lines(files / file))


def test_rl_lines_load_as_they_were_written_when_told_which_columns_are_json(files, tmp_path):
    """Left to guess, the loader turns a scenario's start into a time of its own type."""
    as_json = ("prompt", "tools", "scenario", "reference", "disclosures", "user_actions")
    features = {
        name: datasets.Json() if name in as_json else datasets.Value("string")
        for name in RlTask.model_fields
    }
    features |= {
        "turn": datasets.Value("int64"),
        "environment_ids": datasets.List(datasets.Value("string")),
    }
    path = files / "rl/rl_train.jsonl"
    rows = loaded(path, "json", tmp_path, features=datasets.Features(features))

    assert texts(rows) == texts(lines(path))


def test_verl_finds_texts_whose_json_is_the_row(files, pipeline, tmp_path):
    rows = loaded(files / "rl/verl_train.parquet", "parquet", tmp_path)

    assert [row["extra_info"]["index"] for row in rows] == list(range(len(pipeline.rl)))
    for row, task in zip(rows, pipeline.rl, strict=True):
        session = row["extra_info"]["tools_kwargs"]
        assert all(message.keys() == {"role", "content"} for message in row["prompt"])
        assert json.loads(row["reward_model"]["ground_truth"]) == task.reference
        assert json.loads(session["functions"]) == list(task.tools)
        assert json.loads(session["history"]) == list(task.prompt)
        assert session["environment_ids"] == list(task.environment_ids)


def test_verl_sft_rows_hold_what_trl_reads_as_text(files, tmp_path):
    path = files / "sft/verl_sft_train.parquet"
    rows = loaded(path, "parquet", tmp_path)
    frame = pandas.read_parquet(path)

    assert texts(rows) == texts(frame.to_dict("records"))
    assert {type(value) for row in rows for value in row.values()} == {str}
    opened = [
        {**row, "messages": json.loads(row["messages"]), "tools": json.loads(row["tools"])}
        for row in rows
    ]
    assert texts(opened) == texts(lines(files / "sft/sft_train.jsonl"))
