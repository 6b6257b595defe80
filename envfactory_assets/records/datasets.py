"""Rows of `sft_dataset` and `rl_dataset`: what the trainers read."""

from typing import Literal

from envfactory_assets.records.record import JsonObject, Record

Split = Literal["train", "validation", "test_chains", "test_environments"]


class SftExample(Record):
    """One conversation to imitate.

    Attributes:
        example_id: The task's id: stable over runs.
        split: `test_environments` holds whole environments out, `test_chains` chains of
            environments that are trained on.
        messages: The conversation in the chat-completions form; tool-call arguments are JSON
            text.
        tools: The functions that the agent sees.
        assistant_turns: How many assistant messages there are to learn from.
    """

    example_id: str
    task_id: str
    domain: str
    environment_ids: tuple[str, ...]
    split: Split
    messages: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...]
    assistant_turns: int
    difficulty: str
    made_by: str


class RlTask(Record):
    """One turn to solve in a live session: what GRPO rolls out and rewards.

    Attributes:
        row_id: `<task_id>/<turn>`: stable over runs.
        prompt: The conversation up to and including the turn's user message.
        tools: The functions that the agent sees.
        scenario: The states at the start of the turn.
        reference: Calls, initial and end states of the turn (see the reward).
        disclosures: What the simulated user may say when asked in this turn.
    """

    row_id: str
    task_id: str
    domain: str
    environment_ids: tuple[str, ...]
    split: Split
    turn: int
    prompt: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...]
    scenario: JsonObject
    reference: JsonObject
    disclosures: tuple[JsonObject, ...]
    difficulty: str
    made_by: str
