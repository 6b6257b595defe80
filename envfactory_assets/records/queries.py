"""Rows of `draft_queries` and `refined_queries`: one a turn of a task."""

from typing import Literal

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject, Part, Record

ArgumentSource = Literal["user", "result"]
ReferentKind = Literal["label", "extremum", "only", "position"]
OperationName = Literal["implicit_reference", "action_compression", "ambiguity", "goal_expansion"]


class Referent(Part):
    """One way a person can point at an entity that a tool listed.

    Attributes:
        kind: By its label, by being an extremum, by being the only one, or by its position.
        text: The noun phrase, `the Riverside Lodge` or `the cheapest hotel`.
    """

    kind: ReferentKind
    text: str


class PlannedArgument(Part):
    """Where one leaf of a planned call's arguments comes from.

    Attributes:
        path: The parameter leaf, `hotel_id` or `items[].product_id`.
        value: The value.
        source: Said by the user, or taken from an earlier result.
        required: Whether the call is refused without it.
        source_step: The step (over the whole task) whose result gives it.
        source_path: Where in that result, with list positions: `hotels[1].hotel_id`.
        referents: How a person can point at the entity it names.
        noun: What kind of thing it names, `hotel`.
    """

    path: str
    value: JsonValue
    source: ArgumentSource
    required: bool
    source_step: int | None = None
    source_path: str | None = None
    referents: tuple[Referent, ...] = ()
    noun: str = ""


class PlannedCall(Part):
    """One step of the plan that the task was built from.

    Attributes:
        step: Its number over the whole task, from 0.
        tool: The wire name.
        effect: `read` or `write`.
        arguments: The arguments with which it was carried out on the scenario.
        provenance: Where each leaf of them comes from.
        actor: Who makes it: the agent, or the user, asked by the agent.
    """

    step: int
    tool: str
    effect: Literal["read", "write"]
    arguments: JsonObject
    provenance: tuple[PlannedArgument, ...]
    actor: Literal["agent", "user"] = "agent"


class Disclosure(Part):
    """A fact that the simulated user keeps back until asked.

    Attributes:
        step: The planned step that needs it.
        path: The parameter leaf.
        topic: The words by which a question about it is recognised, `check in`.
        value: The value.
        answer: What the user says when asked.
    """

    step: int
    path: str
    topic: str
    value: JsonValue
    answer: str


class MadeBefore(Part):
    """An id in the arguments of a user's action that an earlier call of the agent creates.

    Attributes:
        value: The id as planned.
        tool: The tool that creates it.
        arguments: The bound arguments of that call, as planned.
        position: Which of the ids that the call creates it is.
        ordinal: Which of the carried-out calls of that tool it is, from 0.
    """

    value: str
    tool: str
    arguments: JsonObject
    position: int
    ordinal: int


class UserAction(Part):
    """Something that only the user can do, and does once when the agent asks for it.

    Attributes:
        step: The planned step.
        tool: The wire name.
        arguments: As planned; an id that the agent creates meanwhile is looked up.
        deed: What it is, in the user's words: `sign the form for Casa Azul on my phone`.
        request: The same said to the user: `sign the form for Casa Azul on your phone`.
        verbs: Words of which a request for it says one, and
        things: words of which it says another.
        names: What the things it is about can be called.
        made: The ids in `arguments` that the agent creates before.
    """

    step: int
    tool: str
    arguments: JsonObject
    deed: str
    request: str
    verbs: tuple[str, ...]
    things: tuple[str, ...]
    names: tuple[str, ...] = ()
    made: tuple[MadeBefore, ...] = ()


class Operation(Part):
    """One refinement that was tried on a query.

    Attributes:
        name: Which of the four.
        before: The text before.
        after: The text after; equal to `before` when the operation was undone.
        applied: Whether it was kept.
        reason: What it changed, or why it was undone or did not apply.
    """

    name: OperationName
    before: str
    after: str
    applied: bool
    reason: str


class DraftQuery(Record):
    """One turn of a task as first written.

    Attributes:
        query_id: `<task_id>/<turn>`.
        task_id: Stable: derived from the chain and the scenario.
        chain_id: The chain that the task realises.
        domain: The partition.
        environment_ids: The environments of the session.
        turn: From 0.
        draft_text: The request, naming every value.
        persona: Who asks.
        story: What it is all for, over all turns; empty where nobody told one.
        notes: What the planner adjusted in the scenario, and what planner and writer proposed
            that could not stand, one sentence each.
        plan: What the turn is to achieve, one clause a step.
        calls: The planned calls of the turn.
        scenario: The scenario that the task starts from (the same in every turn).
        end_state_hash: SHA-256 (hex) of the states after the turn's planned calls.
        seed: The seed of the scenario.
        made_by: The role and its implementation.
    """

    query_id: str
    task_id: str
    chain_id: str
    domain: str
    environment_ids: tuple[str, ...]
    turn: int
    draft_text: str
    persona: str
    story: str = ""
    notes: tuple[str, ...] = ()
    plan: str
    calls: tuple[PlannedCall, ...]
    scenario: JsonObject
    end_state_hash: str
    seed: int
    made_by: str


class RefinedQuery(DraftQuery):
    """One turn of a task as a person would write it.

    Attributes:
        refined_text: The request after the refinements.
        operations: Every refinement that was tried, in order.
        disclosures: What the simulated user may say when asked.
    """

    refined_text: str
    operations: tuple[Operation, ...]
    disclosures: tuple[Disclosure, ...]
