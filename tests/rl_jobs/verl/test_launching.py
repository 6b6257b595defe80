import io
import json
import os
import sys

import pytest

from rl_jobs.errors import JobStoppedError, TrainerError
from rl_jobs.progress import Progress
from rl_jobs.verl.launching import LogReader, run_verl, trainer_command
from rl_jobs.verl.log_lines import fault_line, fault_of, means_of, reward_line, reward_of, step_of
from rl_jobs.verl.saved_policy import keep_policy

STEP = (
    "(TaskRunnerV1 pid=7) step:3 - training/global_step:3 - critic/rewards/mean:0.625 - "
    "actor/grad_norm:np.float64(1.5e-02) - timing_s/step:9.1"
)
NAMES = {"critic/rewards/mean": "reward", "actor/grad_norm": "gradient_norm"}
SCORE = {"score": 1.0, "state": 1.0}


def progress_into(target: io.StringIO) -> Progress:
    return Progress(target, None)


def steps_in(target: io.StringIO) -> list[dict]:
    return [json.loads(line) for line in target.getvalue().splitlines()]


def test_a_step_is_read_from_verls_line() -> None:
    found = step_of(STEP)
    assert found is not None
    step, metrics = found
    assert step == 3
    assert metrics["critic/rewards/mean"] == 0.625
    assert metrics["actor/grad_norm"] == 0.015
    assert step_of("Epoch 1/5:  3%| 1/37 [00:01<00:55]step:2 - train/loss:6.3") == (
        2,
        {"train/loss": 6.3},
    )
    assert step_of("global_step:4 - loading") is None
    assert step_of("step:4 - no metrics here") is None


def test_rewards_and_faults_come_back_from_their_lines() -> None:
    told = reward_of("(Worker) " + reward_line("task/0", SCORE) + "\x1b[0m\n")
    assert told is not None
    assert (told.task, told.components) == ("task/0", SCORE)
    assert fault_of("(Worker) " + fault_line("it\nbroke")) == "it broke"
    assert reward_of("envfactory-reward: {torn") is None
    assert (reward_of(STEP), fault_of(STEP)) == (None, None)


def test_groups_that_are_not_all_alike_are_counted() -> None:
    scores = [("a", 1.0), ("a", 0.0), ("b", 0.5), ("b", 0.5)]
    rewards = [reward_of(reward_line(task, {**SCORE, "score": score})) for task, score in scores]
    means = means_of(rewards)
    assert means == {"reward": 0.5, "state": 1.0, "mixed_groups": 0.5, "rollouts": 4.0}


def test_a_step_is_reported_with_the_rewards_since_the_last(capsys) -> None:
    metrics = io.StringIO()
    reader = LogReader("grpo", 5, NAMES)
    for line in (reward_line("a", SCORE), fault_line("payments hung"), STEP):
        reader.read(line, progress_into(metrics))
    (row,) = steps_in(metrics)
    assert (row["job"], row["step"], row["reward"], row["faults"]) == ("grpo", 3, 0.625, 1.0)
    assert row["state"] == 1.0
    assert (reader.last_step, reader.faults) == (3, 1)
    assert "fault in a rollout: payments hung" in capsys.readouterr().out


def test_the_log_of_a_process_becomes_progress(tmp_path) -> None:
    metrics = io.StringIO()
    reader = LogReader("grpo", 5, NAMES)
    command = [sys.executable, "-c", f"print({STEP!r})"]
    run_verl(command, {}, reader, progress_into(metrics), tmp_path)
    assert steps_in(metrics)[0]["reward"] == 0.625
    assert STEP in (tmp_path / "verl.log").read_text(encoding="utf-8")


def test_a_trainer_that_fails_is_reported_with_its_last_lines(tmp_path) -> None:
    command = [sys.executable, "-c", "print('the reason'); raise SystemExit(3)"]
    with pytest.raises(TrainerError, match=r"exit code 3 after train step 0 of 5(.|\n)*the reason"):
        run_verl(command, {}, LogReader("grpo", 5, NAMES), progress_into(io.StringIO()), tmp_path)


def test_a_job_that_is_stopped_takes_verl_with_it(tmp_path) -> None:
    class Stopping(Progress):
        def step(self, *_: object) -> None:
            raise JobStoppedError("Stopped by SIGTERM")

    # Writes where it runs, tells of a step, and would then wait for good.
    script = tmp_path / "waits.py"
    script.write_text(
        "import os, pathlib, signal\n"
        f"pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(os.getpid()))\n"
        f"print({STEP!r}, flush=True)\n"
        "signal.pause()\n"
    )
    stopping = Stopping(io.StringIO(), None)
    with pytest.raises(JobStoppedError):
        run_verl([sys.executable, str(script)], {}, LogReader("grpo", 5, NAMES), stopping, tmp_path)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_torchrun_starts_as_many_processes_as_there_are_gpus(tmp_path) -> None:
    command = trainer_command("verl.trainer.sft_trainer", tmp_path / "sft.yaml", 8)
    assert "--nproc_per_node=8" in command
    assert command[-6:-2] == ["--config-path", str(tmp_path), "--config-name", "sft"]


def test_hydra_writes_nowhere_but_into_the_jobs_folder(tmp_path) -> None:
    command = trainer_command("verl.trainer.main_ppo", tmp_path / "grpo.yaml")
    assert f"hydra.run.dir='{tmp_path}'" in command


def test_the_policy_of_the_last_checkpoint_is_kept(tmp_path) -> None:
    start = tmp_path / "start"
    start.mkdir()
    (start / "tiny_policy.json").write_text("{}")
    for step in (9, 10):
        folder = tmp_path / f"checkpoints/global_step_{step}/actor/huggingface"
        folder.mkdir(parents=True)
        (folder / "model.safetensors").write_text(f"of step {step}")
    keep_policy(tmp_path / "checkpoints", start, tmp_path / "policy")
    assert (tmp_path / "policy/model.safetensors").read_text() == "of step 10"
    assert (tmp_path / "policy/tiny_policy.json").is_file()


def test_a_run_that_saved_nothing_is_a_failure(tmp_path) -> None:
    with pytest.raises(TrainerError, match="saved no weights"):
        keep_policy(tmp_path, "name", tmp_path / "policy")
