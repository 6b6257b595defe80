"""The exported Parquet files, loaded by verl's own data sets in verl's environment."""

import json
import os
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from envfactory_assets.records.datasets import RlTask, SftExample
from envfactory_assets.stages.datasets.exports import verl_row, write_rl, write_sft
from rl_jobs.config import TinyModel
from rl_jobs.trl.tiny_policy import train_tokenizer
from sandboxes.core.canonical import canonical_json

CHECKOUT = Path(__file__).parents[3]
VERL_PYTHON = CHECKOUT / ".venv-verl" / "bin" / "python"
pytestmark = pytest.mark.skipif(
    not VERL_PYTHON.is_file(), reason="verl has its own environment; make train-verl-cpu makes it"
)


@pytest.fixture(scope="module")
def tokenizer():
    """The tiny tokenizer with the template that TRL trains Qwen3 with: it keeps prefixes."""
    made = train_tokenizer(["<tool_call> <tool_response> system user assistant"], TinyModel())
    made.add_special_tokens({"eos_token": "<|im_end|>"})
    made.add_tokens(["<|im_start|>"], special_tokens=True)
    template = files("trl").joinpath("chat_templates", "qwen3_training.jinja")
    made.chat_template = template.read_text(encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def answer(
    examples: list[SftExample],
    tasks: list[RlTask],
    tokenizer,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict:
    folder = tmp_path_factory.mktemp("exports")
    write_sft(examples, folder / "sft")
    write_rl(tasks, folder / "rl")
    tokenizer.save_pretrained(folder / "tokenizer")
    script = Path(__file__).with_name("loading_exports.py")
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [VERL_PYTHON, script, folder], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads((folder / "answer.json").read_text())


def test_verl_trains_on_the_assistants_tokens_of_the_conversation_as_it_is_rendered(
    answer: dict, examples: list[SftExample], tokenizer
) -> None:
    assert len(answer["conversations"]) == len(examples)
    for found, row in zip(answer["conversations"], examples, strict=True):
        messages = json.loads(canonical_json([dict(message) for message in row.messages]))
        for call in (call for message in messages for call in message.get("tool_calls", ())):
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        tools = json.loads(canonical_json(list(row.tools)))
        whole = tokenizer.apply_chat_template(messages, tools=tools, tokenize=True)
        learnt = [
            token for token, mine in zip(found["ids"], found["is_target"], strict=True) if mine
        ]
        assert found["ids"] == whole["input_ids"]
        text = tokenizer.decode(learnt)
        assert text.count("<|im_end|>") == row.assistant_turns
        assert '<tool_call>\n{"name": "payments__set_budget"' in text
        assert "tool_response" not in text
        assert "null" not in text


def test_verl_hands_the_session_on_as_it_was_written(answer: dict, tasks: list[RlTask]) -> None:
    for found, (index, task) in zip(answer["tasks"], enumerate(tasks), strict=True):
        row = verl_row(task, index)
        assert found["task_id"] == task.row_id
        assert found["agent_name"] == row["agent_name"]
        assert found["raw_prompt"] == row["prompt"]
        assert found["ground_truth"] == row["reward_model"]["ground_truth"]
        assert found["tools_kwargs"] == row["extra_info"]["tools_kwargs"]
