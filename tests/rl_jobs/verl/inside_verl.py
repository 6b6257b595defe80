"""Runs in verl's environment: what verl makes of a data file, and of every preset, as JSON."""

import json
import sys
from pathlib import Path

from omegaconf import OmegaConf
from transformers import AutoTokenizer

from rl_jobs.verl.conversations import JsonConversations
from rl_jobs.verl.hydra_keys import compose
from rl_jobs.verl.job_keys import grpo_keys, sft_keys
from rl_jobs.verl.settings import VerlGrpoConfig, VerlSftConfig, parse_verl_config, verl_keys

MACHINES = ("cpu", "qwen3_1_7b", "qwen3_4b", "qwen3_8b")


def tokens(folder: Path) -> list[dict]:
    config = OmegaConf.create({"pad_mode": "no_padding", "max_length": 4096})
    tokenizer = AutoTokenizer.from_pretrained(folder / "start")
    rows = JsonConversations([str(folder / "rows.parquet")], tokenizer, config)
    return [
        {"ids": row["input_ids"].tolist(), "is_target": row["loss_mask"].tolist()}
        for row in (rows[at] for at in range(len(rows)))
    ]


def composed(folder: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for machine in MACHINES:
        given = {"machine": machine, "rows_file": "rows", "output_folder": str(folder)}
        sft = parse_verl_config(given, VerlSftConfig)
        preset, own = verl_keys(sft)
        keys = {**preset, **sft_keys(sft, "model", folder, folder), **own}
        compose("sft_trainer_engine", keys, folder / "sft.yaml")
        for rollout in ("hf_cpu",) if machine == "cpu" else ("vllm", "sglang"):
            more = {**given, "rollout": rollout, "model": "model"}
            grpo = parse_verl_config(more, VerlGrpoConfig)
            preset, own = verl_keys(grpo)
            keys = {**preset, **grpo_keys(grpo, folder, folder, folder), **own}
            path = compose("ppo_trainer", keys, folder / "grpo.yaml")
            whole = OmegaConf.load(path)
            found[f"{machine} {rollout}"] = whole.actor_rollout_ref.rollout.name
    return found


if __name__ == "__main__":
    place = Path(sys.argv[1])
    answer = json.dumps({"tokens": tokens(place), "composed": composed(place)})
    (place / "answer.json").write_text(answer)
