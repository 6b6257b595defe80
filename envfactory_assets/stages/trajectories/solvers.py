"""Solver policies: the rule-based teacher, going about a task in different ways."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import JsonValue

from envfactory_assets.records.queries import PlannedArgument, PlannedCall, RefinedQuery
from envfactory_assets.stages.queries.wording import join_words, mentions, topic_of
from envfactory_assets.stages.trajectories.answers import DoneCall, answer_for
from envfactory_assets.stages.trajectories.conversation import Conversation
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import SimulatedUser
from envfactory_assets.stages.trajectories.teacher import begin_task, request_of
from envfactory_assets.stages.trajectories.user_actions import request_for
from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.catalog import Catalog
from sandboxes.core.json_paths import place, text_leaves, value_at
from sandboxes.core.parameters import JsonObject
from sandboxes.core.session import CallRecord

_REPETITIONS = 2
_THANKS = "Thank you, that was all."


class SolverPolicy(StrEnum):
    """How the teacher goes about a task; the last four go wrong and must lose."""

    DIRECT = "direct"
    CLARIFYING = "clarifying"
    REDUNDANT_READ = "redundant_read"
    ERROR_AND_RECOVERY = "error_and_recovery"
    WRONG_ARGUMENT = "wrong_argument"
    INCOMPLETE = "incomplete"
    REPEATED_WRITE = "repeated_write"
    IDLE = "idle"


HONEST = (
    SolverPolicy.DIRECT,
    SolverPolicy.CLARIFYING,
    SolverPolicy.REDUNDANT_READ,
    SolverPolicy.ERROR_AND_RECOVERY,
)
WRONG = (
    SolverPolicy.WRONG_ARGUMENT,
    SolverPolicy.INCOMPLETE,
    SolverPolicy.REPEATED_WRITE,
    SolverPolicy.IDLE,
)


@dataclass(slots=True)
class _Work:
    policy: SolverPolicy
    conversation: Conversation
    catalog: Catalog
    rng: random.Random
    target_step: int
    results: dict[int, JsonObject] = field(default_factory=dict[int, JsonObject])
    kept_back: frozenset[tuple[int, str]] = frozenset()


class RuleTeacher:
    """Attempts a task by solver policies, some of which go wrong and must lose."""

    made_by = "teacher:rules"
    max_concurrency = 1

    def policies(self, task_id: str, settings: TrajectorySettings) -> list[str]:
        """Return the policies that try a task, drawn from the seed."""
        rng = random.Random(f"policies:{settings.seed}:{task_id}")
        return [policy.value for policy in choose_policies(settings.candidates, rng)]

    def attempt(
        self,
        queries: Sequence[RefinedQuery],
        policy: str,
        catalog: Catalog,
        user: SimulatedUser,
        settings: TrajectorySettings,
    ) -> Conversation:
        """Try a task by one policy, in a session of its own, and return the conversation."""
        return solve(queries, SolverPolicy(policy), catalog, user, settings)


def choose_policies(count: int, rng: random.Random) -> list[SolverPolicy]:
    """Draw the policies that try one task: about half of them honest, at least one of each.

    One of the honest ones asks for what was not said, so that every task can be solved.
    """
    honest = rng.sample(HONEST, max(1, min(len(HONEST), count // 2)))
    if honest == [SolverPolicy.DIRECT]:
        honest = [SolverPolicy.CLARIFYING]
    wrong = max(1, min(len(WRONG), count - len(honest)))
    return [*honest, *rng.sample(WRONG, wrong)]


def solve(
    queries: Sequence[RefinedQuery],
    policy: SolverPolicy,
    catalog: Catalog,
    user: SimulatedUser,
    settings: TrajectorySettings,
) -> Conversation:
    """Try a task by one policy, in a session of its own, and return the conversation.

    The teacher knows the plan that the task was built from, but takes every id from the results of
    its own session, and every value the user should say from what the user did say: what it has
    not heard it asks for or, when the policy does not ask, guesses.
    """
    conversation = begin_task(queries, catalog, user)
    rng = random.Random(f"solve:{settings.seed}:{queries[0].task_id}:{policy}")
    target = _target(queries, policy, rng)
    work = _Work(policy, conversation, catalog, rng, target_step=target)
    for query in queries:
        conversation.hear(*request_of(query, settings))
        work.kept_back = frozenset((item.step, item.path) for item in query.disclosures)
        _solve_turn(query, work)
    return conversation


def _target(queries: Sequence[RefinedQuery], policy: SolverPolicy, rng: random.Random) -> int:
    """Return the step that a policy goes about in its way; of the user's it can only omit one."""
    calls = [call for query in queries for call in query.calls]
    can_be_any = policy is SolverPolicy.INCOMPLETE
    own = [call for call in calls if can_be_any or call.actor == "agent"] or calls
    writes = [call.step for call in own if call.effect == "write"]
    return rng.choice(writes or [call.step for call in own])


def _solve_turn(query: RefinedQuery, work: _Work) -> None:
    if work.policy is SolverPolicy.IDLE:
        work.conversation.tell("I have taken care of it.")
        return
    if work.policy not in (SolverPolicy.DIRECT, SolverPolicy.WRONG_ARGUMENT):
        _ask_for_unheard(query, work)
    done: list[DoneCall] = []
    for call in query.calls:
        if work.policy is SolverPolicy.INCOMPLETE and call.step == work.target_step:
            continue
        if call.actor == "user":
            _ask_to_act(call, work)
            continue
        record = _carry_out(call, work)
        if record.result is not None:
            done.append(DoneCall(call, dict(record.arguments), record.result))
    has_own = any(call.actor == "agent" for call in query.calls)
    work.conversation.tell(answer_for(done, work.catalog) if has_own else _THANKS)


def _ask_to_act(call: PlannedCall, work: _Work) -> None:
    for action in tuple(work.conversation.actions):
        if action.step == call.step:
            work.conversation.ask(request_for(action))


def _ask_for_unheard(query: RefinedQuery, work: _Work) -> None:
    topics = [
        topic_of(argument.path, argument.value)
        for call in query.calls
        for argument in call.provenance
        if argument.source == "user"
        and call.actor == "agent"
        and not _is_known(argument, call, work)
    ]
    if topics:
        question = f"Could you tell me the {join_words(list(dict.fromkeys(topics)))}?"
        work.conversation.ask(question)


def _is_known(argument: PlannedArgument, call: PlannedCall, work: _Work) -> bool:
    """Return whether the user said a value or a result shows it; a kept-back one must be said."""
    if mentions(work.conversation.heard(), argument.value):
        return True
    if (call.step, argument.path) in work.kept_back:
        return False
    shown = (leaf for result in work.results.values() for _, leaf in text_leaves(result))
    return any(argument.value == leaf for leaf in shown)


def _carry_out(call: PlannedCall, work: _Work) -> CallRecord:
    arguments: JsonObject = {}
    for argument in call.provenance:
        value = _value_of(argument, call, work)
        if value is not None:
            place(arguments, argument.path, value)
    is_target = call.step == work.target_step
    if work.policy is SolverPolicy.WRONG_ARGUMENT and is_target:
        arguments = _spoil(call, arguments, work)
    if work.policy is SolverPolicy.ERROR_AND_RECOVERY and is_target:
        work.conversation.call(call.tool, _broken(call, arguments))
    if work.policy is SolverPolicy.REDUNDANT_READ and is_target:
        _read_again(work)
    record = work.conversation.call(call.tool, arguments)
    if work.policy is SolverPolicy.REPEATED_WRITE and is_target:
        for _ in range(_REPETITIONS):
            work.conversation.call(call.tool, arguments)
    if record.result is not None:
        work.results[call.step] = record.result
    return record


def _value_of(argument: PlannedArgument, call: PlannedCall, work: _Work) -> JsonValue:
    if argument.source == "result" and argument.source_step is not None:
        result = work.results.get(argument.source_step, {})
        return value_at(result, argument.source_path or "")
    if _is_known(argument, call, work):
        return argument.value
    return _guess(argument, call, work)


def _guess(argument: PlannedArgument, call: PlannedCall, work: _Work) -> JsonValue:
    tool = work.catalog.tools[call.tool]
    values = ArgumentValues(tool, work.conversation.session.states(), work.rng)
    for parameter in tool.inputs:
        if parameter.path == argument.path:
            others = [item for item in values.candidates(parameter) if item != argument.value]
            return work.rng.choice(others) if others else None
    return None


def _spoil(call: PlannedCall, arguments: JsonObject, work: _Work) -> JsonObject:
    """Return the arguments with one of them wrong; without any, an argument nobody knows."""
    choices = [item for item in call.provenance if "[" not in item.path and "." not in item.path]
    work.rng.shuffle(choices)
    for argument in choices:
        other = _guess(argument, call, work)
        if other is not None:
            return {**arguments, argument.path: other}
    return {**arguments, "note": "as discussed"}


def _broken(call: PlannedCall, arguments: JsonObject) -> JsonObject:
    """Return arguments that the tool refuses: a required one left out, or one too many."""
    required = [item.path for item in call.provenance if item.required and "[" not in item.path]
    if required:
        return {key: value for key, value in arguments.items() if key != required[-1]}
    return {**arguments, "verbose": True}


def _read_again(work: _Work) -> None:
    made = [item.record for item in work.conversation.calls if item.record.actor == "agent"]
    reads = [record for record in made if record.effect == "read"]
    if reads:
        work.conversation.call(reads[-1].tool, reads[-1].arguments)
        return
    for tool in work.conversation.session.agent_tools:
        if tool.effect == "read" and not any(leaf.required for leaf in tool.inputs):
            work.conversation.call(tool.wire_name, {})
            return
