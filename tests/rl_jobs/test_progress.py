import json
import os
import subprocess
import sys
from pathlib import Path

from rl_jobs.progress import open_progress

REPORTING = """
import sys
from pathlib import Path
from rl_jobs.progress import open_progress

with open_progress(Path(sys.argv[1])) as progress:
    progress.line("sft: 8 lessons")
    progress.step("sft", 1, 2, {"loss": 1.5})
    progress.finish({"train_steps": 1, "last_metrics": {"loss": 1.5}, "fault": None})
"""


def test_without_dagster_lines_and_metrics_are_kept(tmp_path: Path, capsys) -> None:
    with open_progress(tmp_path / "out") as progress:
        progress.line("sft: 8 lessons")
        progress.step("sft", 1, 2, {"loss": 1.5})
    assert capsys.readouterr().out == "sft: 8 lessons\nsft 1/2  loss 1.5\n"
    row = json.loads((tmp_path / "out" / "metrics.jsonl").read_text(encoding="utf-8"))
    assert row == {"job": "sft", "step": 1, "steps": 2, "loss": 1.5}


def test_a_resumed_job_adds_to_its_metrics(tmp_path: Path) -> None:
    for step in (1, 2):
        with open_progress(tmp_path, keeps_metrics=step > 1) as progress:
            progress.step("sft", step, 2, {})
    lines = (tmp_path / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["step"] for line in lines] == [1, 2]


def test_under_pipes_the_same_reaches_dagster(tmp_path: Path) -> None:
    from dagster_pipes import encode_param

    messages = tmp_path / "messages"
    messages.touch()
    context = {
        "asset_keys": ["sft_policy"],
        "code_version_by_asset_key": None,
        "provenance_by_asset_key": None,
        "partition_key": None,
        "partition_key_range": None,
        "partition_time_window": None,
        "run_id": "a",
        "job_name": None,
        "retry_number": 0,
        "extras": {},
    }
    environment = {
        **os.environ,
        "DAGSTER_PIPES_CONTEXT": encode_param({"data": context}),
        "DAGSTER_PIPES_MESSAGES": encode_param({"path": str(messages)}),
    }
    subprocess.run(
        [sys.executable, "-c", REPORTING, str(tmp_path / "out")],
        env=environment,
        check=True,
        timeout=60,
    )
    sent = [json.loads(line) for line in messages.read_text(encoding="utf-8").splitlines()]
    by_method = {item["method"]: item["params"] for item in sent}
    assert by_method["report_custom_message"]["payload"]["loss"] == 1.5
    metadata = by_method["report_asset_materialization"]["metadata"]
    assert metadata["train_steps"]["raw_value"] == 1
    assert metadata["last_metrics"] == {"raw_value": {"loss": 1.5}, "type": "json"}
