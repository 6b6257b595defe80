"""The weights of the reward."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Form = Literal["strict", "partial"]


class RewardSettings(BaseModel):
    """How the components are formed and weighed.

    Attributes:
        alpha: Weight of the trajectory; the state gets the rest.
        form: `strict` pays a component whole or not at all; `partial` pays for parts of it.
        partial_call_cap: The most that a call with a wrong argument earns of a matched one.
        partial_state_cap: The most that an end state with missing changes earns.
        damage_discount: Share of the trajectory lost when the attempt changed something that the
            reference left alone.
        free_calls: Redundant calls that cost nothing.
        redundant_call_cost: What each further redundant call costs.
        length_cap: The most that redundant calls cost together.
        format_error_cost: What each malformed call costs.
        format_cap: The most that malformed calls cost together.
        explained_differences: How many state differences the explanation spells out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    alpha: Share = 0.5
    form: Form = "partial"
    partial_call_cap: Share = 0.5
    partial_state_cap: Share = 0.5
    damage_discount: Share = 0.5
    free_calls: Annotated[int, Field(ge=0)] = 1
    redundant_call_cost: Share = 0.05
    length_cap: Share = 0.6
    format_error_cost: Share = 0.05
    format_cap: Share = 0.2
    explained_differences: Annotated[int, Field(ge=0)] = 8
