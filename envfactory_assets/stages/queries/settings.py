"""How tasks are bound and how strongly queries are refined."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Probability = Annotated[float, Field(ge=0.0, le=1.0)]


class QuerySettings(BaseModel):
    """Settings of the query stages.

    Attributes:
        seed: Seed of every random choice.
        scenario_attempts: How many scenarios are tried before a chain counts as infeasible.
        step_attempts: How many argument draws are tried for one step.
        refinement: Whether drafts are refined at all: `off` leaves every request as it was drafted,
            whoever plays the refiner.
        implicit_reference: Probability of trying each refinement on a turn: the calibration.
        action_compression: See `implicit_reference`.
        ambiguity: See `implicit_reference`.
        goal_expansion: See `implicit_reference`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    seed: int = 0
    scenario_attempts: Annotated[int, Field(ge=1)] = 8
    step_attempts: Annotated[int, Field(ge=1)] = 24
    refinement: Literal["calibrated", "off"] = "calibrated"
    implicit_reference: Probability = 0.6
    action_compression: Probability = 0.5
    ambiguity: Probability = 0.25
    goal_expansion: Probability = 0.4
