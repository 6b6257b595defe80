"""Rows of the datasets: which tasks are in them, what the trainers read, and their card."""

from typing import Literal

from envfactory_assets.records.record import JsonObject, Record

Split = Literal["train", "validation", "test_chains", "test_environments"]


class DatasetTask(Record):
    """A proven task and whether the datasets hold it; table `dataset_tasks`.

    Attributes:
        task_id: The task.
        split: Where it belongs.
        kept: Whether the datasets hold it.
        drop_reason: Why not: contaminated, a near-duplicate, or over a distribution target.
        matched: What it was dropped for: the task that is kept instead, or `file:line` of a
            benchmark's question.
        similarity: Share of the word triples in common with a kept near-duplicate; of another
            drop None.
        turns: How many requests.
        steps: How many assistant messages.
        tool_calls: How many calls.
        user_interactions: How many questions of the agent the user answered.
        tools: The tools of its reference, in order.
    """

    task_id: str
    domain: str
    environment_ids: tuple[str, ...]
    split: Split
    kept: bool
    drop_reason: str | None
    matched: str | None
    similarity: float | None
    turns: int
    steps: int
    tool_calls: int
    user_interactions: int
    tools: tuple[str, ...]
    difficulty: str
    made_by: str


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
        user_actions: What only the user can do and does when asked in this turn.
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
    user_actions: tuple[JsonObject, ...] = ()
    difficulty: str
    made_by: str


class PreferencePair(Record):
    """Two ways to go on from the same prompt, of which one is better; table `preference_dataset`.

    Attributes:
        pair_id: `<task_id>/<turn>/<solver_policy>`: stable over runs.
        turn: The turn in which the two part.
        prompt: What both have in common, system message included.
        chosen: How the reference goes on, to the end of the turn.
        rejected: How the losing attempt goes on, to the end of the turn.
        tools: The functions that the agent sees.
        chosen_reward: Of the whole reference, in [0, 1].
        rejected_reward: Of the whole losing attempt, in [0, 1].
        margin: The difference.
        rejected_policy: How the losing attempt went about the task.
    """

    pair_id: str
    task_id: str
    domain: str
    environment_ids: tuple[str, ...]
    split: Split
    turn: int
    prompt: tuple[JsonObject, ...]
    chosen: tuple[JsonObject, ...]
    rejected: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...]
    chosen_reward: float
    rejected_reward: float
    margin: float
    rejected_policy: str
    difficulty: str
    made_by: str


class RefusalTask(RlTask):
    """A turn that cannot be done, whose right answer changes nothing; table `refusal_tasks`.

    The columns are those of `rl_dataset`: a trainer reads both alike. The reference is marked as a
    refusal, and its calls are the looks that may come before the answer.

    Attributes:
        variant: `missing_tool`: the one tool that can do it is not offered. `missing_parameter`: a
            value that it needs was not said, and the user does not know it.
        missing: The tool's wire name, or what people call the value.
        answer: The right answer, as messages that go on from the prompt.
        answer_reward: What the right answer earns.
        wrong_reward: The most that doing it all the same earns: by the withheld tool, or by any
            value that was made up.
    """

    variant: Literal["missing_tool", "missing_parameter"]
    missing: str
    answer: tuple[JsonObject, ...]
    answer_reward: float
    wrong_reward: float


class DataCardFigure(Record):
    """One figure of the data card; table `data_card`.

    Attributes:
        section: Where it stands, `Splits`.
        name: What it is of.
        value: The figure as it is written.
    """

    section: str
    name: str
    value: str
