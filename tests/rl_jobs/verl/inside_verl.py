"""Runs in verl's environment: what verl makes of a data file, and of every preset, as JSON."""

import asyncio
import json
import sys
from pathlib import Path

from omegaconf import OmegaConf
from transformers import AutoTokenizer
from verl.experimental.agent_loop.agent_loop import AgentLoopOutput, DictConfigWrap
from verl.utils.dataset.rl_dataset import RLHFDataset
from verl.workers.rollout.replica import TokenOutput

from rl_jobs.errors import RolloutFaultError
from rl_jobs.verl.agent_loop import EnvfactoryAgentLoop
from rl_jobs.verl.conversations import JsonConversations
from rl_jobs.verl.hydra_keys import compose
from rl_jobs.verl.job_keys import grpo_keys, sft_keys
from rl_jobs.verl.scoring import compute_score
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


class ScriptedServer:
    """Writes a transcript, whatever it is shown."""

    def __init__(self, tokenizer, texts: list[str]) -> None:
        self.tokenizer, self.texts = tokenizer, list(texts)

    async def generate(self, request_id, *, prompt_ids, sampling_params, **_) -> TokenOutput:
        ids = self.tokenizer.encode(self.texts.pop(0), add_special_tokens=False)
        return TokenOutput(token_ids=[*ids, self.tokenizer.eos_token_id])


def rolled(folder: Path) -> list[dict]:
    """Roll transcripts of a model with a template of its own through the loop, as verl does."""
    model, whole = folder / "qwen", OmegaConf.load(folder / "grpo.yaml")
    whole.actor_rollout_ref.model.path = str(model)
    OmegaConf.resolve(whole)
    tokenizer = AutoTokenizer.from_pretrained(model)
    found = []
    for case in json.loads((folder / "cases.json").read_text()):

        async def roll(case: dict = case) -> AgentLoopOutput:
            loop = EnvfactoryAgentLoop(
                DictConfigWrap(whole),
                settings=json.dumps({"limits": case["limits"]}),
                server_manager=ScriptedServer(tokenizer, case["texts"]),
                tokenizer=tokenizer,
                processor=None,
                dataset_cls=RLHFDataset,
                data_config=DictConfigWrap(whole.data),
                hf_model_type="qwen3",
            )
            return await loop.run({}, **{**case["row"], "raw_prompt": case["row"]["prompt"]})

        try:
            output = asyncio.run(roll())
        except RolloutFaultError as error:
            found.append({"fault": str(error)})
            continue
        extra_info = {**case["row"]["extra_info"], **output.extra_fields}
        score = compute_score("", "", case["row"]["reward_model"]["ground_truth"], extra_info)
        pairs = list(zip(output.response_ids, output.response_mask, strict=True))
        found.append(
            {
                "score": score,
                "prompt": tokenizer.decode(output.prompt_ids),
                "told": tokenizer.decode([token for token, mine in pairs if not mine]),
                "wrote": tokenizer.decode([token for token, mine in pairs if mine]),
            }
        )
    return found


if __name__ == "__main__":
    place = Path(sys.argv[1])
    answer = json.dumps(
        {"tokens": tokens(place), "composed": composed(place), "rolled": rolled(place)}
    )
    (place / "answer.json").write_text(answer)
