"""How environments are generated: how many, how long it is tried, and how much it may take."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=1)]


class GenerationSettings(BaseModel):
    """Settings of proposing, writing and testing environments.

    Attributes:
        target_environments_per_domain: A researcher proposes until a domain has that many; with 0
            it proposes nothing, and only documents and rows that a person edited count.
        max_rounds: How often a coder may hand in code for one environment.
        token_budget: The most tokens, in and out, cached ones included, that coder and tester may
            take for one environment; it is looked at between requests.
        concurrency: How many environments are written at once.
        tester_case_count: How many cases a tester is asked for.
        coder_max_tokens: The most tokens of one reply of the coder.
        tester_max_tokens: The most tokens of one reply of the tester.
        shown_state_characters: How much of an initial state the tester is shown.
        measures_mutation: Whether the cases of an accepted environment are measured.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    target_environments_per_domain: Annotated[int, Field(ge=0)] = 0
    max_rounds: Count = 4
    token_budget: Count = 300_000
    concurrency: Count = 2
    tester_case_count: Count = 14
    coder_max_tokens: Count = 16_000
    tester_max_tokens: Count = 8_000
    shown_state_characters: Count = 12_000
    measures_mutation: bool = True
