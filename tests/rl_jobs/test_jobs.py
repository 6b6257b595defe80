"""The jobs as they are run, on eight tasks and very few steps."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from envfactory_assets.stages.evaluation.attempts import read_attempts
from rl_jobs.config import EvaluateConfig, GrpoConfig, SftConfig, parse_config
from rl_jobs.errors import JobStoppedError, PolicyError, RowsError
from rl_jobs.evaluate import evaluate_policies
from rl_jobs.grpo import grpo
from rl_jobs.process import StopSignal
from rl_jobs.sft import sft

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
TINY = {"vocabulary": 400, "hidden": 32, "layers": 1, "heads": 2, "feed_forward": 32}
LIMITS = {"max_message_tokens": 8, "max_messages": 2}


def sft_config(files: Path, output: Path, **changes: object) -> SftConfig:
    given = {
        "rows_file": str(files / "sft.jsonl"),
        "output_folder": str(output),
        "train_steps": 2,
        "batch_size": 4,
        "tiny": TINY,
        **changes,
    }
    return parse_config(given, SftConfig)


@pytest.fixture(scope="module")
def trained(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a finished SFT job."""
    output = tmp_path_factory.mktemp("sft")
    sft(sft_config(files, output), StopSignal())
    return output


def metrics_of(output: Path) -> list[dict]:
    lines = (output / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_sft_leaves_a_policy_a_curve_and_a_report(trained: Path) -> None:
    assert (trained / "policy" / "model.safetensors").is_file()
    assert [row["step"] for row in metrics_of(trained)] == [1, 2]
    report = json.loads((trained / "training.json").read_text(encoding="utf-8"))
    assert report["train_steps"] == 2
    assert report["lessons"] == 8
    assert len(report["data_hash"]) == 64
    assert report["config"]["tiny"]["hidden"] == 32


def test_the_same_seed_gives_the_same_curve(files: Path, trained: Path, tmp_path: Path) -> None:
    sft(sft_config(files, tmp_path), StopSignal())
    assert metrics_of(tmp_path) == metrics_of(trained)


def test_grpo_rolls_out_in_live_sessions_and_keeps_the_policy(
    files: Path, trained: Path, tmp_path: Path
) -> None:
    given = {
        "rows_file": str(files / "rl.jsonl"),
        "output_folder": str(tmp_path),
        "model": str(trained / "policy"),
        "train_steps": 1,
        "tasks_per_step": 2,
        "group_size": 2,
        "limits": LIMITS,
    }
    grpo(parse_config(given, GrpoConfig), StopSignal())
    row = metrics_of(tmp_path)[0]
    assert 0.0 <= row["reward"] <= 1.0
    assert row["faults"] == 0.0
    assert (tmp_path / "policy" / "tiny_policy.json").is_file()


def test_the_report_scores_every_policy_on_the_same_tasks(
    files: Path, trained: Path, tmp_path: Path
) -> None:
    model = str(trained / "policy")
    given = {
        "rows_file": str(files / "rl.jsonl"),
        "output_folder": str(tmp_path),
        "policies": [
            {"name": "before_training", "model": model, "untrained": True},
            {"name": "after_sft", "model": model},
        ],
        "tasks": {"splits": ["train"], "max_tasks": 3},
        "limits": LIMITS,
        "samples": 2,
    }
    evaluate_policies(parse_config(given, EvaluateConfig), StopSignal())
    report = json.loads((tmp_path / "evaluation.json").read_text(encoding="utf-8"))
    assert [report["policies"][name]["tasks"] for name in ("before_training", "after_sft")] == [
        3,
        3,
    ]
    attempts = read_attempts(tmp_path)
    made = {
        name: [(row.row_id, row.decoding, row.sample) for row in attempts if row.policy == name]
        for name in ("before_training", "after_sft")
    }
    assert made["before_training"] == made["after_sft"]
    assert [row[1:] for row in made["after_sft"]] == [
        *[("greedy", 0)] * 3,
        *[("sampled", 0)] * 3,
        *[("sampled", 1)] * 3,
    ]
    assert all(row.error_classes for row in attempts if row.reward == 0.0)


def test_a_stopped_job_goes_on_from_its_checkpoint(files: Path, tmp_path: Path) -> None:
    config = sft_config(files, tmp_path, train_steps=3, checkpoint_steps=1)
    stop = StopSignal()
    stop.is_set = True
    with pytest.raises(JobStoppedError, match=r"train step 1 of 3; started again .* goes on"):
        sft(config, stop)
    assert not (tmp_path / "training.json").exists()
    sft(config, StopSignal())
    assert [row["step"] for row in metrics_of(tmp_path)] == [1, 2, 3]
    assert not (tmp_path / "checkpoints").exists()


def test_a_stopped_job_without_checkpoints_says_that_nothing_was_kept(
    files: Path, tmp_path: Path
) -> None:
    stop = StopSignal()
    stop.is_set = True
    with pytest.raises(JobStoppedError, match="nothing was kept, since checkpoint_steps is 0"):
        sft(sft_config(files, tmp_path), stop)


def test_a_missing_model_folder_is_one_clear_error(files: Path, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"'/nowhere/policy' does not exist\. Train it first"):
        sft(sft_config(files, tmp_path, model="/nowhere/policy"), StopSignal())


def test_a_model_folder_without_a_model_is_one_clear_error(files: Path, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"holds no config\.json \(rl\.jsonl, sft\.jsonl\)"):
        sft(sft_config(files, tmp_path, model=str(files)), StopSignal())


def test_a_split_without_examples_is_one_clear_error(files: Path, tmp_path: Path) -> None:
    with pytest.raises(RowsError, match="holds no example of validation"):
        sft(sft_config(files, tmp_path, splits=["validation"]), StopSignal())


def test_a_line_that_is_no_row_is_named(tmp_path: Path) -> None:
    (tmp_path / "sft.jsonl").write_text('{"example_id":"a"}\n', encoding="utf-8")
    with pytest.raises(RowsError, match=r"Line 1 of sft\.jsonl is no SftExample: Field required"):
        sft(sft_config(tmp_path, tmp_path / "out"), StopSignal())


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


def test_a_refused_configuration_ends_the_process_with_one_plain_line(tmp_path: Path) -> None:
    path = tmp_path / "sft.json"
    path.write_text('{"rows_file": "x", "output_folder": "y", "stepz": 1}', encoding="utf-8")
    done = run_python("-m", "rl_jobs.sft", "--config", str(path))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("Unknown setting 'stepz'; allowed here: ")
    assert "Traceback" not in done.stderr


def test_importing_the_jobs_imports_neither_dagster_nor_torch() -> None:
    code = (
        "import sys; from rl_jobs import sft, grpo, evaluate; "
        "from rl_jobs.trl import grpo_training, sft_training, rollouts, policy, dialect; "
        "print(sorted({'dagster', 'dagster_pipes', 'torch', 'trl', 'transformers'} & set(sys.modules)))"
    )
    assert run_python("-c", code).stdout.strip() == "[]"
