"""verl itself, in the environment that `make train-verl-cpu` makes."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from envfactory_assets.records.datasets import RlTask, SftExample
from envfactory_assets.stages.datasets.exports import verl_row
from rl_jobs.config import TinyModel
from rl_jobs.trl.tiny_policy import compact_dialect, train_tokenizer
from rl_jobs.verl.data_files import write_conversations

CALL = (
    '<tool_call>\n{"name": "payments__set_budget", "arguments": '
    '{"category": "leisure", "monthly_limit": %s}}\n</tool_call>'
)
TRANSCRIPTS = {
    "right": [CALL % "250.0", "Done."],
    "asks first": ["<think>\nHm.\n</think>\n\nWhat is the monthly limit?", CALL % "250.0", "Done."],
    "unreadable": [CALL % "250.0}", CALL % "250.0", "Done."],
    "wrong value": [CALL % "99.0", "Done."],
}
CHECKOUT = Path(__file__).parents[3]
VERL_PYTHON = CHECKOUT / ".venv-verl" / "bin" / "python"
pytestmark = pytest.mark.skipif(
    not VERL_PYTHON.is_file(), reason="verl has its own environment; make train-verl-cpu makes it"
)


@pytest.fixture(scope="module")
def lessons(examples: list[SftExample]):
    shape = TinyModel(vocabulary=500)
    texts = [str(message["content"]) for row in examples for message in row.messages]
    dialect = compact_dialect(train_tokenizer(texts, shape), shape)
    found = [
        (lesson, row.tools)
        for row in examples
        for lesson in dialect.lessons(row.messages, row.tools, 4096)
    ]
    return dialect, found


def qwen_like_tokenizer(dialect):
    """The tiny tokenizer with Qwen3's special tokens and its template."""
    import copy
    from importlib.resources import files

    tokenizer = copy.deepcopy(dialect.tokenizer)
    tokenizer.add_special_tokens({"eos_token": "<|im_end|>"})
    tokenizer.add_tokens(["<|im_start|>"], special_tokens=True)
    template = files("trl").joinpath("chat_templates", "qwen3.jinja")
    tokenizer.chat_template = template.read_text(encoding="utf-8")
    return tokenizer


@pytest.fixture(scope="module")
def answer(lessons, budget_task: RlTask, tmp_path_factory: pytest.TempPathFactory) -> dict:
    folder = tmp_path_factory.mktemp("inside")
    dialect, found = lessons
    dialect.tokenizer.save_pretrained(folder / "start")
    write_conversations(
        folder / "rows.parquet", [(lesson.messages, tools) for lesson, tools in found]
    )
    qwen_like_tokenizer(lessons[0]).save_pretrained(folder / "qwen")
    row = json.loads(json.dumps(verl_row(budget_task, 0)))
    limits = {"max_total_tokens": 20000, "max_message_tokens": 400}
    cases = [{"row": row, "texts": texts, "limits": limits} for texts in TRANSCRIPTS.values()]
    hasty = {**limits, "call_timeout_seconds": 1e-9}
    cases.append({"row": row, "texts": TRANSCRIPTS["right"], "limits": hasty})
    (folder / "cases.json").write_text(json.dumps(cases))
    script = Path(__file__).with_name("inside_verl.py")
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(
        [VERL_PYTHON, script, folder], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads((folder / "answer.json").read_text())


def test_both_trainers_learn_the_same_tokens(lessons, answer: dict) -> None:
    expected = [
        {"ids": lesson.tokens.ids, "is_target": [int(mine) for mine in lesson.tokens.is_target]}
        for lesson, _ in lessons[1]
    ]
    assert len(expected) == 8
    assert answer["tokens"] == expected


def test_every_preset_is_made_of_keys_that_verl_knows(answer: dict) -> None:
    assert len(answer["composed"]) == 7
    assert all(name.endswith(backend) for name, backend in answer["composed"].items())


def test_a_model_with_a_template_of_its_own_acts_in_the_live_session(answer: dict) -> None:
    rolled = dict(zip(TRANSCRIPTS, answer["rolled"][:-1], strict=True))
    scores = {name: one["score"] for name, one in rolled.items()}
    assert scores["right"]["score"] == scores["asks first"]["score"] == 1.0
    assert scores["unreadable"]["format_errors"] == 1.0
    assert 0.0 < scores["unreadable"]["score"] < 1.0
    assert scores["wrong value"]["score"] == 0.0
    assert "payments__set_budget" in rolled["right"]["prompt"]
    assert "<tool_response>" in rolled["right"]["told"]
    assert "The monthly limit should be 250." in rolled["asks first"]["told"]
    assert rolled["right"]["wrote"] == CALL % "250.0" + "<|im_end|>Done.<|im_end|>"


def test_a_call_that_takes_too_long_ends_the_loop_in_an_error(answer: dict) -> None:
    assert answer["rolled"][-1] == {
        "fault": "Task 'task-1-1/0': payments__set_budget ran longer than 1e-09 s."
    }
