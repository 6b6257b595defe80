"""Rows of the evaluation report: means over attempts, pass@k, and how sure both are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal

from pydantic import JsonValue

from envfactory_assets.records.training import EvaluationRow, Slicing, Stage, TrainedPolicy
from envfactory_assets.stages.evaluation.attempts import EvaluatedAttempt
from envfactory_assets.stages.evaluation.error_classes import SOLVED, ErrorClass
from envfactory_assets.stages.evaluation.pass_at_k import pass_at_k
from envfactory_assets.stages.refinement_ablation.intervals import mean_over_turns, wilson

TRAINED_STAGES: tuple[Stage, ...] = ("before_training", "after_sft", "after_grpo")
_ALL = "all"
_SPLITS = ("validation", "test_chains", "test_environments", "train")
_DIFFICULTIES = ("easy", "medium", "hard")

_Attempts = Sequence[EvaluatedAttempt]


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a policy's attempts: which, and all those it is a part of."""

    split: str
    slice_by: Slicing
    slice: str
    attempts: _Attempts
    whole: _Attempts


def evaluation_settings(
    policies: Sequence[TrainedPolicy], home: Path, settings: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """Return what an evaluation job is told: the policy of each stage, and a profile's settings.

    Args:
        policies: One a stage of training; the first is drawn anew at random.
        home: What the checkpoints' paths are relative to.
        settings: Of the profile.
    """
    entries: list[JsonValue] = [
        {
            "name": stage,
            "model": str(home / policy.checkpoint),
            "untrained": stage == "before_training",
        }
        for stage, policy in zip(TRAINED_STAGES, policies, strict=True)
    ]
    return {"policies": entries, **settings}


def report_rows(
    attempts: _Attempts, policies: Mapping[Stage, str], k: int, seed: int
) -> list[EvaluationRow]:
    """Return what each policy does: by split, and over all splits by domain, difficulty and error.

    Args:
        attempts: Of all policies; `policy` is the stage.
        policies: The id or name of the policy of each stage, in the order of the report.
        k: Of pass@k.
        seed: Seed of the bootstrap.
    """
    rows: list[EvaluationRow] = []
    for stage, policy in policies.items():
        own = [row for row in attempts if row.policy == stage]
        rows += [_row(stage, policy, part, k, seed) for part in _parts(own)]
    return rows


def _parts(own: _Attempts) -> Iterator[_Part]:
    if own:
        yield _Part(_ALL, "all", _ALL, own, own)
    for split in _SPLITS:
        of_split = [row for row in own if row.split == split]
        if of_split:
            yield _Part(split, "all", _ALL, of_split, of_split)
    for domain in sorted({row.domain for row in own}):
        yield _Part(_ALL, "domain", domain, [row for row in own if row.domain == domain], own)
    for difficulty in _DIFFICULTIES:
        of_kind = [row for row in own if row.difficulty == difficulty]
        if of_kind:
            yield _Part(_ALL, "difficulty", difficulty, of_kind, own)
    for error in ErrorClass:
        of_class = [row for row in _rewarded(own) if error in row.error_classes]
        if of_class:
            yield _Part(_ALL, "error_class", error.value, of_class, own)


def _row(stage: Stage, policy: str, part: _Part, k: int, seed: int) -> EvaluationRow:
    rewarded, whole = _rewarded(part.attempts), _rewarded(part.whole)
    # Of an error class it is said how often it occurs; what is drawn by outcome has no pass@k.
    drawn = _sampled(part.attempts) if part.slice_by != "error_class" else {}
    means = {
        row_id: fmean([row.reward or 0.0 for row in rows])
        for row_id, rows in _by_row(rewarded).items()
    }
    low, high = _interval(means, rewarded, seed)
    share_low, share_high = wilson(len(rewarded), len(whole))
    first, some = _chance(drawn, 1, seed), _chance(drawn, k, seed)
    return EvaluationRow(
        stage=stage,
        policy=policy,
        split=part.split,
        slice_by=part.slice_by,
        slice=part.slice,
        task_count=len({row.row_id for row in part.attempts}),
        attempt_count=len(rewarded),
        share=len(rewarded) / max(len(whole), 1),
        share_low=share_low,
        share_high=share_high,
        reward=_mean(rewarded, "reward"),
        reward_low=low,
        reward_high=high,
        reward_trajectory=_mean(rewarded, "trajectory"),
        reward_state=_mean(rewarded, "state"),
        length_penalty=_mean(rewarded, "length"),
        format_penalty=_mean(rewarded, "format"),
        solved_share=sum(map(_is_solved, rewarded)) / max(len(rewarded), 1),
        sample_count=max(map(len, drawn.values()), default=0),
        pass_1=first[0],
        pass_1_low=first[1],
        pass_1_high=first[2],
        k=k,
        pass_k=some[0],
        pass_k_low=some[1],
        pass_k_high=some[2],
        fault_count=sum(row.reward is None for row in part.attempts),
    )


def _rewarded(attempts: _Attempts) -> list[EvaluatedAttempt]:
    """Return the attempts that the rewards are means over."""
    scored = [row for row in attempts if row.reward is not None]
    return [row for row in scored if row.decoding == "greedy"] or scored


def _sampled(attempts: _Attempts) -> dict[str, list[EvaluatedAttempt]]:
    scored = [row for row in attempts if row.reward is not None]
    return _by_row([row for row in scored if row.decoding == "sampled"] or scored)


def _by_row(attempts: _Attempts) -> dict[str, list[EvaluatedAttempt]]:
    found: dict[str, list[EvaluatedAttempt]] = {}
    for row in attempts:
        found.setdefault(row.row_id, []).append(row)
    return found


def _chance(
    drawn: Mapping[str, _Attempts], k: int, seed: int
) -> tuple[float | None, float | None, float | None]:
    """Return the mean over tasks of pass@k, and its interval."""
    known = {
        row_id: chance
        for row_id, rows in drawn.items()
        if (chance := pass_at_k(len(rows), sum(map(_is_solved, rows)), k)) is not None
    }
    if not known:
        return None, None, None
    rows = [row for each in drawn.values() for row in each]
    return fmean(known.values()), *_interval(known, rows, seed)


def _interval(values: Mapping[str, float], rows: _Attempts, seed: int) -> tuple[float, float]:
    """Return the interval of a mean; the turns of one conversation are drawn together."""
    if not values:
        return 0.0, 0.0
    conversation = {row.row_id: row.task_id for row in rows}
    together: dict[str, list[float]] = {}
    for row_id, value in values.items():
        together.setdefault(conversation[row_id], []).append(value)
    parts = list(together.values())
    return mean_over_turns([sum(part) for part in parts], [len(part) for part in parts], seed)


def _is_solved(row: EvaluatedAttempt) -> bool:
    return row.reward is not None and row.reward >= SOLVED


def _mean(
    rows: _Attempts, name: Literal["reward", "trajectory", "state", "length", "format"]
) -> float:
    values = [float(getattr(row, name) or 0.0) for row in rows]
    return fmean(values) if values else 0.0
