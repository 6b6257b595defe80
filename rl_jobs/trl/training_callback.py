"""What both trainers do after each step: report, and stop when asked to."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rl_jobs.process import StopSignal
from rl_jobs.progress import Progress

if TYPE_CHECKING:
    from transformers import Trainer, TrainerCallback


def training_callback(
    job: str, progress: Progress, stop: StopSignal, names: Mapping[str, str]
) -> "TrainerCallback":
    """Return the callback of a trainer.

    Args:
        job: What the lines begin with.
        progress: Where metrics go.
        stop: Says when to save and stop.
        names: The trainer's metrics that are reported, each with our name for it.
    """
    from transformers import TrainerCallback

    class _Report(TrainerCallback):
        def on_log(self, args, state, control, logs=None, **kwargs):  # noqa: ANN001, ANN003, ANN202
            del args, control, kwargs
            found = {ours: float(logs[name]) for name, ours in names.items() if name in logs}
            if found:
                progress.step(job, state.global_step, state.max_steps, found)

        def on_step_end(self, args, state, control, **kwargs):  # noqa: ANN001, ANN003, ANN202
            del state, kwargs
            if stop.is_set:
                control.should_training_stop = True
                control.should_save = args.save_strategy != "no"
            return control

    return _Report()


def quiet(trainer: "Trainer") -> None:
    """Keep a trainer from printing its own lines beside ours."""
    from transformers.trainer_callback import PrinterCallback

    trainer.remove_callback(PrinterCallback)
