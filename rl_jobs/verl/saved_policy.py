"""The policy that verl left in its last checkpoint."""

import shutil
from pathlib import Path

from rl_jobs.errors import TrainerError
from rl_jobs.trl.policy import TINY_FILE

_STEP_FOLDERS = "global_step_*"
_WEIGHTS = "huggingface"


def keep_policy(checkpoints: Path, start: Path | str, target: Path) -> None:
    """Copy the trained policy out of verl's last checkpoint, whole or not at all.

    Args:
        checkpoints: Where verl saved.
        start: The folder or name that training began with; a tiny policy's shape stands there.
        target: The policy's folder.

    Raises:
        TrainerError: If verl saved none.
    """
    folders = sorted(
        checkpoints.glob(_STEP_FOLDERS), key=lambda path: int(path.name.split("_")[-1])
    )
    found = [path for folder in folders[-1:] for path in sorted(folder.rglob(_WEIGHTS))]
    whole = [path for path in found if any(path.glob("*.safetensors"))]
    if not whole:
        raise TrainerError(
            f"verl saved no weights below {checkpoints}; its log says why. Keep 'hf_model' in "
            "checkpoint.save_contents."
        )
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(whole[0], partial)
    shape = Path(start) / TINY_FILE
    if shape.is_file():
        shutil.copy(shape, partial / TINY_FILE)
    shutil.rmtree(target, ignore_errors=True)
    partial.rename(target)
