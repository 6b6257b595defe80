"""SFT with TRL: the assistant's tokens of whole conversations."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from envfactory_assets.records.datasets import SftExample
from rl_jobs.config import SftConfig
from rl_jobs.process import StopSignal
from rl_jobs.progress import Progress
from rl_jobs.trl.dialect import Dialect, LabelledTokens
from rl_jobs.trl.policy import Policy, load_policy
from rl_jobs.trl.tiny_policy import compact_dialect, random_model, train_tokenizer
from rl_jobs.trl.training_arguments import last_checkpoint, lora, merged, shared_arguments
from rl_jobs.trl.training_callback import quiet, training_callback

METRICS = {
    "loss": "loss",
    "mean_token_accuracy": "token_accuracy",
    "learning_rate": "learning_rate",
    "entropy": "entropy",
}
IGNORED = -100
_SPECIAL = re.compile(r"<\|\w+\|>")


@dataclass(frozen=True, slots=True)
class Corpus:
    """The conversations as tokens, and how many of them had to be left out as too long."""

    lessons: list[LabelledTokens]
    left_out: int


def starting_policy(config: SftConfig, examples: Sequence[SftExample]) -> Policy:
    """Return the policy to train: the configured model, or the tiny one with a fresh tokenizer."""
    if config.model is not None:
        return load_policy(config.model, config.use_cpu)
    blank = train_tokenizer([], config.tiny)
    tokenizer = train_tokenizer(_texts(compact_dialect(blank, config.tiny), examples), config.tiny)
    model = random_model(tokenizer, config.tiny, config.seed)
    return Policy(model, compact_dialect(tokenizer, config.tiny), config.tiny)


def corpus_of(dialect: Dialect, examples: Sequence[SftExample], max_tokens: int) -> Corpus:
    """Return what conversations are learnt from, in their order."""
    found = [dialect.lessons(row.messages, row.tools, max_tokens) for row in examples]
    lessons = [lesson.tokens for lessons in found for lesson in lessons]
    return Corpus(lessons, sum(not lessons for lessons in found))


def train_sft(
    policy: Policy,
    corpus: Corpus,
    config: SftConfig,
    progress: Progress,
    stop: StopSignal,
    checkpoints: Path,
) -> int:
    """Train a policy on a corpus and return the steps that were done."""
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    columns = {
        "input_ids": [row.ids for row in corpus.lessons],
        "labels": [
            [token if mine else IGNORED for token, mine in zip(row.ids, row.is_target, strict=True)]
            for row in corpus.lessons
        ],
    }
    micro = min(config.micro_batch, config.batch_size)
    arguments = SFTConfig(
        **shared_arguments(config, checkpoints),
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=max(1, config.batch_size // micro),
        max_length=config.max_tokens,
    )
    trainer = SFTTrainer(
        model=policy.model,
        args=arguments,
        train_dataset=Dataset.from_dict(columns),
        processing_class=policy.dialect.tokenizer,
        callbacks=[training_callback("sft", progress, stop, METRICS)],
        peft_config=lora(config.lora_rank),
    )
    quiet(trainer)
    trainer.train(resume_from_checkpoint=last_checkpoint(config, checkpoints))
    policy.model = merged(trainer.model)
    return trainer.state.global_step


def _texts(dialect: Dialect, examples: Sequence[SftExample]) -> Iterator[str]:
    for example in examples:
        yield _SPECIAL.sub("\n", dialect.rendered(example.messages, example.tools))
