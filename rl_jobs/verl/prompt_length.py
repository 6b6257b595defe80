# pyright: basic
# The types of transformers do not hold where they meet.
"""How long a task's prompt is for a policy, without TRL."""

from collections.abc import Callable
from pathlib import Path

from envfactory_assets.records.datasets import RlTask
from rl_jobs.config import TinyModel
from rl_jobs.errors import PolicyError
from rl_jobs.trl.dialect import with_objects
from rl_jobs.trl.policy import TINY_FILE
from rl_jobs.trl.tiny_policy import compact_dialect


def prompt_length(model: str) -> Callable[[RlTask], int]:
    """Return what counts the tokens of a task's prompt.

    Raises:
        PolicyError: If the model's tokenizer cannot be loaded.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(model)
    except (OSError, ValueError) as error:
        first = str(error).strip().split("\n")[0]
        raise PolicyError(
            f"The tokenizer of {model!r} cannot be loaded: {first} Give the folder of a saved "
            "model, or a name that can be downloaded."
        ) from error
    shape = Path(model) / TINY_FILE
    if shape.is_file():
        tiny = TinyModel.model_validate_json(shape.read_text(encoding="utf-8"))
        dialect = compact_dialect(tokenizer, tiny)
        return lambda task: len(dialect.begin(task.prompt, task.tools).prompt)

    def count(task: RlTask) -> int:
        messages = [with_objects(message) for message in task.prompt]
        text = tokenizer.apply_chat_template(
            messages, tools=list(task.tools), add_generation_prompt=True, tokenize=False
        )
        return len(tokenizer.encode(text, add_special_tokens=False))

    return count
