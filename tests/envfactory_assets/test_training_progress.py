"""Following training by the metrics that jobs write."""

import json
import os

from envfactory_assets.training_progress import following_training


def test_every_twentieth_and_the_last_step_are_said(tmp_path):
    said = []
    with following_training(tmp_path, said.append):
        folder = tmp_path / "sft-1"
        folder.mkdir()
        rows = [{"job": "sft", "step": step, "steps": 45, "loss": 1.0} for step in range(1, 46)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "metrics.jsonl").write_text(text + '{"job": "sft", "half')
    assert [line.split()[1] for line in said] == ["20/45", "40/45", "45/45"]
    assert all("loss 1.000" in line for line in said)


def test_metrics_of_earlier_jobs_are_not_said(tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    path = folder / "metrics.jsonl"
    path.write_text('{"job": "sft", "step": 20, "steps": 20}\n')
    os.utime(path, (1, 1))
    said = []
    with following_training(tmp_path, said.append):
        pass
    assert said == []
