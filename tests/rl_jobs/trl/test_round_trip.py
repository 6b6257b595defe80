"""From a row to the tokens that a model is trained on, through the consumers' own code."""

import json
from pathlib import Path

import pytest

from envfactory_assets.records.datasets import PreferencePair, SftExample
from envfactory_assets.stages.datasets.exports import write_preferences, write_sft
from rl_jobs.config import TinyModel
from rl_jobs.trl.tiny_policy import random_model, train_tokenizer
from sandboxes.core.canonical import canonical_json

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
SHAPE = TinyModel(vocabulary=400, hidden=32, layers=1, heads=2, feed_forward=32)
IGNORED = -100
OTHER_CALLS = (
    ("payments__find", {"since": None, "names": ["Zoë", "Mei"], "amount": 250.0}),
    ("payments__pay", {"to": {"iban": "X1"}, "amount": 3}),
    ("payments__list", {}),
)


@pytest.fixture(scope="module")
def rows(examples: list[SftExample]) -> list[SftExample]:
    """Conversations whose calls have arguments of different shapes."""
    changed = []
    for example, (name, arguments) in zip(examples, OTHER_CALLS, strict=False):
        text = example.model_dump_json()
        row = json.loads(text)
        call = next(m for m in row["messages"] if m.get("tool_calls"))["tool_calls"][0]
        call["function"] = {"name": name, "arguments": canonical_json(arguments)}
        changed.append(SftExample.model_validate_json(json.dumps(row)))
    return [*changed, examples[-1]]


@pytest.fixture(scope="module")
def tokenizer():
    """The tiny tokenizer with the chat template of a real model."""
    from trl.chat_template_utils import qwen3_chat_template

    made = train_tokenizer(["<tool_call> <tool_response> system user assistant"], SHAPE)
    made.add_special_tokens({"eos_token": "<|im_end|>"})
    made.add_tokens(["<|im_start|>"])
    made.chat_template = qwen3_chat_template
    return made


def loaded(path: Path, cache: Path, kind: str = "json"):
    import datasets

    return datasets.load_dataset(
        kind, data_files={"train": str(path)}, split="train", cache_dir=str(cache)
    )


def as_text(message: dict) -> str:
    """Return what a message of the assistant is trained as, written down by hand."""
    said = message["content"] or ""
    for call in message.get("tool_calls", ()):
        arguments = json.dumps(
            json.loads(call["function"]["arguments"]), ensure_ascii=False, sort_keys=True
        )
        name = call["function"]["name"]
        said += f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'
    return f"<think>\n\n</think>\n\n{said}<|im_end|>\n"


def sft_trainer(dataset, tokenizer, folder: Path):
    from trl import SFTConfig, SFTTrainer

    arguments = SFTConfig(
        output_dir=str(folder),
        assistant_only_loss=True,
        max_length=None,
        use_cpu=True,
        bf16=False,
        report_to=[],
        disable_tqdm=True,
    )
    model = random_model(tokenizer, SHAPE, seed=0)
    return SFTTrainer(model, arguments, train_dataset=dataset, processing_class=tokenizer)


def test_trl_trains_on_the_assistants_words_and_on_nothing_that_was_not_there(
    rows: list[SftExample], tokenizer, tmp_path: Path
) -> None:
    write_sft(rows, tmp_path / "sft")
    dataset = loaded(tmp_path / "sft/sft_train.jsonl", tmp_path / "cache")
    trainer = sft_trainer(dataset, tokenizer, tmp_path / "out")

    assert len(trainer.train_dataset) == len(rows)
    for found, row in zip(trainer.train_dataset, rows, strict=True):
        own = [message for message in row.messages if message["role"] == "assistant"]
        learnt = [token for token in found["labels"] if token != IGNORED]
        whole = tokenizer.decode(found["input_ids"])
        assert tokenizer.decode(learnt) == "".join(map(as_text, own))
        assert all(str(m["content"]) in whole for m in row.messages)
        assert all(
            json.dumps(tool, sort_keys=True, ensure_ascii=False) in whole for tool in row.tools
        )


def test_verl_and_trl_show_a_model_the_same_tokens(
    rows: list[SftExample], tokenizer, tmp_path: Path
) -> None:
    write_sft(rows, tmp_path / "sft")
    lines = loaded(tmp_path / "sft/sft_train.jsonl", tmp_path / "cache")
    texts = loaded(tmp_path / "sft/verl_sft_train.parquet", tmp_path / "cache", "parquet")

    for line, text in zip(lines, texts, strict=True):
        one = tokenizer.apply_chat_template(line["messages"], tools=line["tools"], tokenize=True)
        other = tokenizer.apply_chat_template(
            json.loads(text["messages"]), tools=json.loads(text["tools"]), tokenize=True
        )
        assert one["input_ids"] == other["input_ids"]


def test_trl_compares_what_comes_after_the_common_prompt(
    rows: list[SftExample], tokenizer, tmp_path: Path
) -> None:
    from trl import DPOConfig, DPOTrainer

    pairs = [_pair(row) for row in rows]
    write_preferences(pairs, tmp_path)
    arguments = DPOConfig(
        output_dir=str(tmp_path / "out"),
        max_length=None,
        use_cpu=True,
        bf16=False,
        report_to=[],
        disable_tqdm=True,
    )
    trainer = DPOTrainer(
        random_model(tokenizer, SHAPE, seed=0),
        ref_model=random_model(tokenizer, SHAPE, seed=0),
        args=arguments,
        train_dataset=loaded(tmp_path / "preference_train.jsonl", tmp_path / "cache"),
        processing_class=tokenizer,
    )
    for found, pair in zip(trainer.train_dataset, pairs, strict=True):
        chosen, rejected = (
            tokenizer.decode(found[f"{side}_ids"]) for side in ("chosen", "rejected")
        )
        arguments_text = as_text(pair.chosen[0]).split("\n\n", 2)[-1]
        assert arguments_text in chosen
        assert "I cannot do that." in rejected
        assert "None" not in chosen + rejected


def _pair(row: SftExample) -> PreferencePair:
    at = next(index for index, message in enumerate(row.messages) if message.get("tool_calls"))
    return PreferencePair(
        pair_id=f"{row.task_id}/0/idle",
        task_id=row.task_id,
        domain=row.domain,
        environment_ids=row.environment_ids,
        split="train",
        turn=0,
        prompt=row.messages[:at],
        chosen=row.messages[at:],
        rejected=({"role": "assistant", "content": "I cannot do that."},),
        tools=row.tools,
        chosen_reward=1.0,
        rejected_reward=0.0,
        margin=1.0,
        rejected_policy="idle",
        difficulty=row.difficulty,
        made_by="test",
    )
