"""What the datasets may hold: how alike, how near to benchmarks, how distributed."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Mean = Annotated[float, Field(gt=0.0)]


class DistributionTargets(BaseModel):
    """What the tasks to train on shall look like on average; what is None is left as sampled.

    Attributes:
        turns: Requests a task.
        steps_per_turn: Assistant messages a turn.
        calls_per_turn: Tool calls a turn.
        user_interactions_per_turn: Answers of the user to questions of the agent, a turn.
        difficulty: Share of the tasks by difficulty, `{"hard": 0.5}`.
        tolerance: How far from a target counts as met: a share of it, of shares that much itself.
        least_share: The share of the tasks that stays at least, met or not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    turns: Mean | None = None
    steps_per_turn: Mean | None = None
    calls_per_turn: Mean | None = None
    user_interactions_per_turn: Annotated[float, Field(ge=0.0)] | None = None
    difficulty: dict[str, Share] = Field(default_factory=dict[str, float])
    tolerance: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05
    least_share: Annotated[float, Field(gt=0.0, le=1.0)] = 0.2


PUBLISHED_CORPUS = DistributionTargets(
    turns=4.99, steps_per_turn=4.18, calls_per_turn=2.38, user_interactions_per_turn=0.80
)
"""The averages that EnvFactory published of its corpus; an option, never the default.

It counts 3.18 steps a turn, its calls and user interactions; ours has the closing answer as well.
"""


class DatasetSettings(BaseModel):
    """Which proven tasks the datasets hold.

    Attributes:
        held_out: Environments that only `test_environments` may contain.
        similarity_within: How alike two requests for the same calls on the same scenario are to be
            for one of them to go.
        similarity_across: How alike two requests of different splits are to be for one to go,
            whatever they are answered by.
        contamination_words: How many words in a row shared with a benchmark's question count.
        targets: What the tasks to train on shall look like; None to leave them as sampled.
        preference_margin: By how much the reward of a chosen attempt must exceed a rejected one's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    held_out: tuple[str, ...] = ()
    similarity_within: Share = 0.8
    similarity_across: Share = 0.6
    contamination_words: Annotated[int, Field(ge=4)] = 13
    targets: DistributionTargets | None = None
    preference_margin: Annotated[float, Field(gt=0.0, le=1.0)] = 0.3
