"""verl itself, in the environment that `make train-verl-cpu` makes."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from envfactory_assets.records.datasets import SftExample
from rl_jobs.config import TinyModel
from rl_jobs.trl.tiny_policy import compact_dialect, train_tokenizer
from rl_jobs.verl.data_files import write_conversations

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


@pytest.fixture(scope="module")
def answer(lessons, tmp_path_factory: pytest.TempPathFactory) -> dict:
    folder = tmp_path_factory.mktemp("inside")
    dialect, found = lessons
    dialect.tokenizer.save_pretrained(folder / "start")
    write_conversations(
        folder / "rows.parquet", [(lesson.messages, tools) for lesson, tools in found]
    )
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
