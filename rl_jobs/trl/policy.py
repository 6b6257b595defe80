"""A policy: a model, its tokenizer and its dialect, in memory and on disk."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rl_jobs.config import TinyModel
from rl_jobs.errors import PolicyError
from rl_jobs.trl.dialect import Dialect, dialect_of
from rl_jobs.trl.tiny_policy import compact_dialect, random_model

if TYPE_CHECKING:
    from transformers import PreTrainedModel

TINY_FILE = "tiny_policy.json"
"""Stands in the folder of a policy that speaks the compact dialect, and holds its shape."""


@dataclass
class Policy:
    """A model that can be rolled out.

    Attributes:
        model: The weights.
        dialect: How it reads and writes.
        tiny: The shape, when it is the tiny policy.
    """

    model: "PreTrainedModel"
    dialect: Dialect
    tiny: TinyModel | None

    @property
    def parameter_count(self) -> int:
        """How many weights the model has."""
        return sum(weights.numel() for weights in self.model.parameters())

    def save(self, folder: Path) -> None:
        """Write the policy, whole or not at all: an interrupted save leaves the old folder."""
        partial = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        self.model.save_pretrained(partial)
        self.dialect.tokenizer.save_pretrained(partial)
        if self.tiny is not None:
            (partial / TINY_FILE).write_text(self.tiny.model_dump_json(), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)


def load_policy(model: str, use_cpu: bool, random_seed: int | None = None) -> Policy:
    """Load a policy from a folder or by a name of the model hub.

    Args:
        model: The folder or name.
        use_cpu: Whether to leave a GPU alone.
        random_seed: Draw the weights anew from this seed instead of loading them.

    Raises:
        PolicyError: If it is not there or cannot be used.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, set_seed

    _check_folder(model)
    device = "cuda" if torch.cuda.is_available() and not use_cpu else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    try:
        tokenizer = AutoTokenizer.from_pretrained(model)
        if random_seed is None:
            loaded = AutoModelForCausalLM.from_pretrained(model, dtype=dtype)
        else:
            set_seed(random_seed)
            loaded = AutoModelForCausalLM.from_config(
                AutoConfig.from_pretrained(model), dtype=dtype
            )
    except (OSError, ValueError) as error:
        first = str(error).strip().split("\n")[0]
        raise PolicyError(
            f"Model {model!r} cannot be loaded: {first} Give the folder of a saved model, or a "
            "name that can be downloaded."
        ) from error
    tiny_file = Path(model) / TINY_FILE
    if not tiny_file.is_file():
        return Policy(loaded.to(device), dialect_of(tokenizer, model), None)
    shape = TinyModel.model_validate_json(tiny_file.read_text(encoding="utf-8"))
    if random_seed is not None:
        loaded = random_model(tokenizer, shape, random_seed)
    return Policy(loaded.to(device), compact_dialect(tokenizer, shape), shape)


def _check_folder(model: str) -> None:
    folder = Path(model).expanduser()
    # A hub name is `name` or `owner/name`, never more.
    reads_as_path = model.startswith((".", "/", "~")) or model.count("/") > 1 or "\\" in model
    if reads_as_path and not folder.is_dir():
        raise PolicyError(
            f"Model folder {model!r} does not exist. Train it first, or correct `model`."
        )
    if folder.is_dir() and not (folder / "config.json").is_file():
        held = ", ".join(sorted(item.name for item in folder.iterdir())[:5]) or "nothing"
        raise PolicyError(
            f"Model folder {model!r} holds no config.json ({held}); give the folder that a job or "
            "`save_pretrained` wrote."
        )


def make_reproducible(threads: int, seed: int) -> None:
    """Fix threads and seeds, so that a rerun on the same machine gives the same numbers."""
    import datasets
    import torch
    import transformers

    torch.set_num_threads(threads)
    transformers.set_seed(seed)
    # The job says what is going on; bars of loading weights and mapping rows would hide it.
    transformers.utils.logging.disable_progress_bar()
    datasets.disable_progress_bars()
