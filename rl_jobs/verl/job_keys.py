"""verl's keys for what a job is told; the names are those of verl 0.9."""

from math import gcd
from pathlib import Path

from pydantic import JsonValue

from rl_jobs.verl.settings import Keys, VerlGrpoConfig, VerlSftConfig

_PACKAGE = "pkg://rl_jobs.verl"
_SAVED: list[JsonValue] = ["model", "optimizer", "extra", "hf_model"]


def sft_keys(config: VerlSftConfig, model: Path | str, rows: Path, checkpoints: Path) -> Keys:
    """Return verl's keys for SFT.

    Args:
        config: What the job is told.
        model: The folder or name to start from.
        rows: The data file.
        checkpoints: Where verl saves.
    """
    micro = min(config.micro_batch, config.batch_size)
    return {
        "model.path": str(model),
        "model.lora_rank": config.lora_rank,
        "model.lora_alpha": 2 * config.lora_rank or 1,
        "data.train_files": [str(rows)],
        "data.train_batch_size": config.batch_size,
        "data.micro_batch_size_per_gpu": micro,
        "data.max_length": config.max_tokens,
        "data.max_token_len_per_gpu": config.max_tokens * micro,
        "data.custom_cls.path": f"{_PACKAGE}.conversations",
        "data.custom_cls.name": "JsonConversations",
        "data.enable_thinking_default": None,
        "optim.lr": config.learning_rate,
        "optim.lr_scheduler_type": "cosine",
        "optim.lr_warmup_steps": round(config.warmup_share * config.train_steps),
        "optim.betas": [0.9, config.adam_beta2],
        "engine.seed": config.seed,
        "checkpoint.save_contents": _SAVED,
        **_trainer_keys(config, checkpoints),
        "trainer.seed": config.seed,
    }


def grpo_keys(config: VerlGrpoConfig, rows: Path, loop: Path, checkpoints: Path) -> Keys:
    """Return verl's keys for GRPO.

    Args:
        config: What the job is told.
        rows: The data file.
        loop: The file that names the agent loop.
        checkpoints: Where verl saves.
    """
    return {
        "algorithm.adv_estimator": "grpo",
        "data.train_files": [str(rows)],
        # verl wants a file; held-out tasks are rolled out by the evaluation, for every trainer.
        "data.val_files": [str(rows)],
        "data.train_batch_size": config.tasks_per_step,
        "data.max_prompt_length": config.tasks.max_prompt_tokens,
        "data.max_response_length": config.limits.max_total_tokens,
        "data.return_raw_chat": True,
        "data.seed": config.seed,
        **_actor_keys(config),
        **_rollout_keys(config, loop),
        "reward.custom_reward_function.path": f"{_PACKAGE}.scoring",
        "reward.custom_reward_function.name": "compute_score",
        **_trainer_keys(config, checkpoints),
        "trainer.val_before_train": False,
    }


def _actor_keys(config: VerlGrpoConfig) -> Keys:
    actor = "actor_rollout_ref.actor"
    mini = min(config.mini_batch or config.tasks_per_step, config.tasks_per_step)
    rollouts = mini * config.group_size // (config.nodes * config.gpus_per_node)
    # verl pads what failed up to whole mini-batches, and takes them apart without a rest.
    micro = gcd(config.micro_batch, rollouts) or 1
    return {
        "actor_rollout_ref.model.path": config.model,
        "actor_rollout_ref.model.lora_rank": config.lora_rank,
        "actor_rollout_ref.model.lora_alpha": 2 * config.lora_rank or 1,
        f"{actor}.ppo_mini_batch_size": mini,
        f"{actor}.ppo_micro_batch_size_per_gpu": micro,
        "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu": micro,
        f"{actor}.optim.lr": config.learning_rate,
        f"{actor}.optim.lr_scheduler_type": "cosine",
        f"{actor}.optim.lr_warmup_steps": round(config.warmup_share * config.train_steps),
        f"{actor}.optim.betas": [0.9, config.adam_beta2],
        f"{actor}.use_kl_loss": config.kl_weight > 0,
        f"{actor}.kl_loss_coef": config.kl_weight,
        f"{actor}.fsdp_config.seed": config.seed,
        f"{actor}.data_loader_seed": config.seed,
        f"{actor}.checkpoint.save_contents": _SAVED,
    }


def _rollout_keys(config: VerlGrpoConfig, loop: Path) -> Keys:
    rollout = "actor_rollout_ref.rollout"
    return {
        f"{rollout}.n": config.group_size,
        f"{rollout}.temperature": config.temperature,
        f"{rollout}.seed": config.seed,
        f"{rollout}.multi_turn.enable": True,
        f"{rollout}.multi_turn.max_assistant_turns": config.limits.max_messages,
        f"{rollout}.agent.default_agent_loop": "envfactory_agent",
        f"{rollout}.agent.agent_loop_config_path": str(loop),
    }


def _trainer_keys(config: VerlSftConfig | VerlGrpoConfig, checkpoints: Path) -> Keys:
    return {
        "trainer.project_name": "envfactory",
        "trainer.experiment_name": config.output_folder.name,
        "trainer.logger": ["console"],
        "trainer.default_local_dir": str(checkpoints.absolute()),
        "trainer.total_training_steps": config.train_steps,
        # verl stops at whichever is reached first; an epoch has at least one step.
        "trainer.total_epochs": config.train_steps,
        "trainer.save_freq": config.checkpoint_steps or config.train_steps,
        "trainer.test_freq": -1,
        "trainer.resume_mode": "auto" if config.checkpoint_steps else "disable",
        "trainer.nnodes": config.nodes,
        "trainer.n_gpus_per_node": config.gpus_per_node,
    }
