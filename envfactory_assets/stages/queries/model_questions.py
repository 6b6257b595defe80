"""What a model is told about a turn so that it can word or refine the request."""

from collections.abc import Sequence
from dataclasses import dataclass

from envfactory_assets.records.queries import (
    Disclosure,
    DraftQuery,
    OperationName,
    PlannedArgument,
    PlannedCall,
    RefinedQuery,
)
from envfactory_assets.stages.queries.wording import mentions, spellings, words_of
from sandboxes.core.catalog import Catalog

_USERS_STEP = (
    "the person does this on their own device once the assistant asks; the message may only say "
    "that they want to be told when"
)


@dataclass(frozen=True, slots=True)
class TurnView:
    """A turn and what came before it.

    Attributes:
        draft: The turn.
        earlier: The refined turns before it.
        catalog: Where the tools are described.
    """

    draft: DraftQuery
    earlier: Sequence[RefinedQuery]
    catalog: Catalog

    @property
    def history(self) -> str:
        """What the person said in earlier turns, or may have said when asked."""
        said = [query.refined_text for query in self.earlier]
        said += [item.answer for query in self.earlier for item in query.disclosures]
        return "\n".join(said)

    @property
    def spoken_values(self) -> str:
        """Every value and every way to point at a thing that the turn may name."""
        arguments = [item for call in self.draft.calls for item in call.provenance]
        said = [way for item in arguments if item.source == "user" for way in _all_ways(item)]
        return "\n".join([*said, *(way.text for item in arguments for way in item.referents)])

    def may_keep_back(self) -> list[tuple[PlannedCall, PlannedArgument]]:
        """Return the required values that the person may leave unsaid until asked."""
        history = self.history
        return [
            (call, argument)
            for call in self.draft.calls
            if call.actor == "agent"
            for argument in call.provenance
            if argument.source == "user"
            and argument.required
            and not {"[", ".", "{"} & set(argument.path)
            and not isinstance(argument.value, bool)
            and not mentions(history, argument.value)
        ]

    def allows(self, name: OperationName) -> bool:
        """Return whether a refinement can change anything, so that it is worth a request."""
        if name == "action_compression":
            reads = {call.step for call in self.draft.calls if call.effect == "read"}
            needed = {item.source_step for call in self.draft.calls for item in call.provenance}
            return bool(reads & needed)
        if name == "implicit_reference":
            return bool(self.earlier) or any(
                item.source == "result" for call in self.draft.calls for item in call.provenance
            )
        return name != "ambiguity" or bool(self.may_keep_back())


def refinement_question(
    view: TurnView, name: OperationName, text: str, disclosures: Sequence[Disclosure], note: str
) -> str:
    """Return what is asked of the model.

    Args:
        view: The turn.
        name: The refinement to apply.
        text: The request as it stands.
        disclosures: What it keeps back already.
        note: What was wrong with an earlier answer; empty at first.
    """
    kept = {(item.step, item.path) for item in disclosures}
    steps = [_describe(view, call, kept) for call in view.draft.calls]
    earlier = [f"Earlier message: {query.refined_text}" for query in view.earlier]
    parts = [
        f"The person: {view.draft.persona}",
        *earlier,
        f"The request as it stands: {text}",
        "What the assistant has to do for it:\n" + "\n".join(steps),
    ]
    if name == "ambiguity":
        open_values = [
            f"step {call.step}, parameter {argument.path}"
            for call, argument in view.may_keep_back()
            if (call.step, argument.path) not in kept
        ]
        parts.append(f"What may be kept back: {'; '.join(open_values)}.")
    parts.append(f"Apply this refinement: {name}.")
    return "\n\n".join([*parts, note] if note else parts)


def drafting_question(view: TurnView, note: str) -> str:
    """Return what is asked of the model that words a turn.

    Args:
        view: The turn.
        note: What was wrong with an earlier answer; empty at first.
    """
    steps = [_describe(view, call, set()) for call in view.draft.calls]
    parts = [
        f"The person: {view.draft.persona}",
        *([f"The story: {view.draft.story}"] if view.draft.story else []),
        *(f"Earlier message: {query.refined_text}" for query in view.earlier),
        "What the assistant has to do for this message:\n" + "\n".join(steps),
    ]
    return "\n\n".join([*parts, note] if note else parts)


def _describe(view: TurnView, call: PlannedCall, kept: set[tuple[int, str]]) -> str:
    tool = view.catalog.tools[call.tool]
    kind = call.effect if call.actor == "agent" else _USERS_STEP
    lines = [f"Step {call.step} ({kind}): {tool.description}"]
    lines += [
        f"  - {words_of(argument.path)}: {_said(view, call, argument, kept)}"
        for argument in call.provenance
    ]
    return "\n".join(lines)


def _said(
    view: TurnView, call: PlannedCall, argument: PlannedArgument, kept: set[tuple[int, str]]
) -> str:
    if argument.source == "result":
        ways = [repr(way.text) for way in argument.referents] or [repr(f"that {argument.noun}")]
        return f"from the result of step {argument.source_step}; point at it by {' or '.join(ways)}"
    items = argument.value if isinstance(argument.value, list) else [argument.value]
    ways = "; ".join(" or ".join(map(repr, dict.fromkeys(spellings(item)))) for item in items)
    if (call.step, argument.path) in kept:
        return f"kept back, do not say it ({ways})"
    was_said = (
        " (already said in an earlier message)" if mentions(view.history, argument.value) else ""
    )
    return f"say {'it' if len(items) == 1 else 'all of them'} as {ways}{was_said}"


def _all_ways(argument: PlannedArgument) -> list[str]:
    """Return the spellings of a value; of a list, those of each item."""
    if isinstance(argument.value, list):
        return list(dict.fromkeys(way for item in argument.value for way in spellings(item)))
    return list(dict.fromkeys(spellings(argument.value)))
