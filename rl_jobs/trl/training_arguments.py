"""What both trainers are set to, and adapters."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rl_jobs.config import TrainConfig

if TYPE_CHECKING:
    from peft import LoraConfig
    from transformers import PreTrainedModel


def shared_arguments(config: TrainConfig, checkpoints: Path) -> dict[str, Any]:
    """Return the arguments of a trainer that SFT and GRPO share."""
    return {
        "output_dir": str(checkpoints),
        "max_steps": config.train_steps,
        "learning_rate": config.learning_rate,
        "adam_beta2": config.adam_beta2,
        "lr_scheduler_type": "cosine",
        "warmup_steps": round(config.warmup_share * config.train_steps),
        "logging_steps": 1,
        "save_strategy": "steps" if config.checkpoint_steps else "no",
        "save_steps": config.checkpoint_steps or 500,
        "save_total_limit": 1,
        "seed": config.seed,
        "data_seed": config.seed,
        "use_cpu": config.use_cpu,
        "bf16": not config.use_cpu,
        _recompute_setting(): not config.use_cpu,
        "report_to": [],
        "disable_tqdm": True,
        "dataloader_pin_memory": False,
    }


def _recompute_setting() -> str:
    """Return what this version of transformers calls recomputing activations."""
    from transformers import TrainingArguments

    newer = "activation_checkpointing"
    return newer if newer in TrainingArguments.__dataclass_fields__ else "gradient_checkpointing"


def last_checkpoint(config: TrainConfig, checkpoints: Path) -> str | None:
    """Return the checkpoint to go on from, if one was kept."""
    from transformers.trainer_utils import get_last_checkpoint

    if not config.checkpoint_steps or not checkpoints.is_dir():
        return None
    return get_last_checkpoint(str(checkpoints))


def lora(rank: int) -> "LoraConfig | None":
    """Return the adapters to train, or None to train every weight."""
    if rank == 0:
        return None
    from peft import LoraConfig

    return LoraConfig(
        r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM"
    )


def merged(model: "PreTrainedModel") -> "PreTrainedModel":
    """Return a trained model with its adapters merged in."""
    merge = getattr(model, "merge_and_unload", None)
    return merge() if merge is not None else model
