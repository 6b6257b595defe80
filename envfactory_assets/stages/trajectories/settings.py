"""How many candidates are solved and what is kept."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class TrajectorySettings(BaseModel):
    """Settings of the trajectory stages.

    Attributes:
        seed: Seed of every random choice.
        candidates: How many solver policies try each task (the paper's K).
        solved_reward: The reward from which a candidate counts as having solved its task.
        do_nothing_limit: The most that an attempt without calls may earn.
        max_steps: The most messages the teacher may send in one turn.
        mode: Whether the user is there to be asked, or says everything at once.
        temperature: Of a model that plays the teacher; None leaves it to the endpoint.
        max_tokens: The most tokens that one message of such a model may have.
        perturbations: How many other values are tried at most before an argument is masked; the
            first that matters ends it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    seed: int = 0
    candidates: Annotated[int, Field(ge=2)] = 4
    solved_reward: Annotated[float, Field(gt=0.0, le=1.0)] = 0.999
    do_nothing_limit: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.05
    max_steps: Annotated[int, Field(ge=1)] = 15
    mode: Literal["conversational", "non_conversational"] = "conversational"
    temperature: Annotated[float, Field(ge=0.0)] | None = None
    max_tokens: Annotated[int, Field(ge=64)] = 4096
    perturbations: Annotated[int, Field(ge=1)] = 12
