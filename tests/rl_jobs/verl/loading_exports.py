"""Runs in verl's environment: what verl's own data sets make of the exported files, as JSON."""

import json
import sys
from pathlib import Path

from omegaconf import OmegaConf
from transformers import AutoTokenizer
from verl.utils.dataset.rl_dataset import RLHFDataset

from rl_jobs.verl.conversations import JsonConversations


def conversations(folder: Path) -> list[dict]:
    config = OmegaConf.create({"pad_mode": "no_padding", "max_length": 100_000})
    tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
    rows = JsonConversations([str(folder / "sft/verl_sft_train.parquet")], tokenizer, config)
    return [
        {"ids": row["input_ids"].tolist(), "is_target": row["loss_mask"].tolist()}
        for row in (rows[at] for at in range(len(rows)))
    ]


def tasks(folder: Path) -> list[dict]:
    config = {
        "max_prompt_length": 100_000,
        "filter_overlong_prompts": False,
        "return_raw_chat": True,
        "cache_dir": str(folder / "verl"),
    }
    tokenizer = AutoTokenizer.from_pretrained(folder / "tokenizer")
    path = str(folder / "rl/verl_train.parquet")
    rows = RLHFDataset([path], tokenizer, OmegaConf.create(config))
    return [
        {
            "agent_name": row["agent_name"],
            "raw_prompt": list(row["raw_prompt"]),
            "ground_truth": row["reward_model"]["ground_truth"],
            "tools_kwargs": row["tools_kwargs"],
            "task_id": row["extra_info"]["task_id"],
        }
        for row in (rows[at] for at in range(len(rows)))
    ]


if __name__ == "__main__":
    place = Path(sys.argv[1])
    answer = json.dumps({"conversations": conversations(place), "tasks": tasks(place)})
    (place / "answer.json").write_text(answer)
