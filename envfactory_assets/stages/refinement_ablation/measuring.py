"""What a task's requests are like: measured on their text, and by carrying them out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.records.queries import RefinedQuery
from envfactory_assets.stages.datasets.shingles import words
from envfactory_assets.stages.trajectories.conversation import Conversation
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import RuleUser
from envfactory_assets.stages.trajectories.solvers import SolverPolicy, solve
from sandboxes.core.canonical import content_hash
from sandboxes.core.catalog import Catalog

_QUESTION = "Could you tell me "
_SAME = r"the same \w+"


@dataclass(frozen=True, slots=True)
class TaskMeasure:
    """One task in one arm.

    Attributes:
        domain: The task's.
        turns: How many turns it has.
        clarified: Turns in which a teacher who asks for what it has not heard had to ask.
        implicit: Implicit references in all its requests.
        words: Words of all its requests.
        is_solved_unasked: Whether a teacher who never asks ends in the planned states.
    """

    domain: str
    turns: int
    clarified: int
    implicit: int
    words: int
    is_solved_unasked: bool


def measure_task(
    queries: Sequence[RefinedQuery], catalog: Catalog, settings: TrajectorySettings
) -> TaskMeasure:
    """Measure the requests of one task.

    Whether a turn needs a clarification is not read off the refinements that were applied: the
    rule-based teacher and user hold the conversation in live sessions, once asking for whatever
    was neither said nor shown, once never asking.

    Args:
        queries: The turns of the task.
        catalog: Holds the environments.
        settings: Of the attempts; the user answers only when asked, whatever they say.
    """
    conversational = settings.model_copy(update={"mode": "conversational"})
    user = RuleUser()
    asking = solve(queries, SolverPolicy.CLARIFYING, catalog, user, conversational)
    direct = solve(queries, SolverPolicy.DIRECT, catalog, user, conversational)
    end_state_hash = content_hash(dict(direct.session.states()))
    return TaskMeasure(
        domain=queries[0].domain,
        turns=len(queries),
        clarified=_clarified_turns(asking, queries),
        implicit=sum(map(implicit_references, queries)),
        words=sum(len(words(query.refined_text)) for query in queries),
        is_solved_unasked=end_state_hash == queries[-1].end_state_hash,
    )


def implicit_references(query: RefinedQuery) -> int:
    """Return how often a request points at something without naming it.

    Counted are `that hotel`, `the cheapest hotel` and `the second booking` where the turn takes
    such a thing from a result, and `the same city`. A model's wording may point in other ways, so
    for it this is the least there is.
    """
    taken = [
        argument
        for call in query.calls
        for argument in call.provenance
        if argument.source == "result"
    ]
    phrases = {f"that {argument.noun}" for argument in taken if argument.noun}
    phrases |= {
        way.text for item in taken for way in item.referents if way.kind in ("extremum", "position")
    }
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    pattern = "|".join([*(rf"\b{re.escape(phrase)}\b" for phrase in longest_first), _SAME])
    return len(re.findall(pattern, query.refined_text, re.IGNORECASE))


def _clarified_turns(conversation: Conversation, queries: Sequence[RefinedQuery]) -> int:
    """Return in how many turns the teacher asked for a value; asking the user to act is no such."""
    asked: set[int] = set()
    begun = 0
    for message in conversation.messages:
        text = str(message["content"])
        if message["role"] == "user" and begun < len(queries):
            begun += text == queries[begun].refined_text
        elif message["role"] == "assistant" and text.startswith(_QUESTION):
            asked.add(begun)
    return len(asked)
