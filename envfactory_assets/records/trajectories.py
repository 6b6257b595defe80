"""Rows of `candidate_trajectories` and `filtered_trajectories`: attempts and what was kept."""

from envfactory_assets.records.record import JsonObject, Record


class _ScoredTrajectory(Record):
    trajectory_id: str
    task_id: str
    domain: str
    environment_ids: tuple[str, ...]
    turns: int
    messages: tuple[JsonObject, ...]
    reward: float
    reward_trajectory: float
    reward_state: float
    reward_length: float
    reward_format: float
    kept: bool
    drop_reason: str | None
    made_by: str


class CandidateTrajectory(_ScoredTrajectory):
    """One attempt at a task by one solver policy, in a session of its own.

    Attributes:
        trajectory_id: `<task_id>/<solver_policy>`.
        solver_policy: How the teacher went about it (`direct`, `clarifying`, …).
        calls: Every call with its turn, actor, arguments, bound arguments, outcome.
        end_states: The end state of every environment.
        reward: Of this attempt against the planned outcome, in [0, 1], with its components.
        kept: Whether it was chosen as the task's best.
        drop_reason: Why it was not.
        agreement: Share of the task's other attempts that ended in the same states, in [0, 1].
        judgement: What the judge rates it, in [0, 1]; None where only one attempt solves the task.
    """

    solver_policy: str
    calls: tuple[JsonObject, ...]
    end_states: JsonObject
    agreement: float
    judgement: float | None


class FilteredTrajectory(_ScoredTrajectory):
    """A task with its reference: the best attempt, without what it did not need, proven.

    Attributes:
        trajectory_id: The chosen candidate's.
        queries: The user's text of each turn.
        disclosures: What the simulated user may say when asked, over all turns.
        user_actions: What only the user can do and does when asked, over all turns.
        scenario: Where the session starts.
        tools: The functions that the agent sees, with JSON schemas.
        reference_calls: Calls with turn, `actor` (`agent`, or `user` where the user did it when
            asked), bound arguments, effect, `masked` argument names and `after` (the calls that
            must come before).
        end_states: The end state of every environment after the reference.
        end_state_hash: SHA-256 (hex) of `end_states`.
        replays: Whether the reference, replayed from the scenario, gives `end_states` byte for
            byte.
        do_nothing_reward: What an attempt without any call earns.
        removed_steps: How many needless steps the filter took out.
        difficulty: `easy`, `medium` or `hard`, from how many candidates solve it and its length.
        solved_share: Share of the candidates with full reward.
        alternatives: Other calls that were proven to come to the same, by trajectory id.
    """

    queries: tuple[str, ...]
    disclosures: tuple[JsonObject, ...]
    user_actions: tuple[JsonObject, ...] = ()
    scenario: JsonObject
    tools: tuple[JsonObject, ...]
    reference_calls: tuple[JsonObject, ...]
    end_states: JsonObject
    end_state_hash: str
    replays: bool
    do_nothing_reward: float
    removed_steps: int
    difficulty: str
    solved_share: float
    alternatives: tuple[JsonObject, ...] = ()
