"""How a user asks for a tool: clauses with a slot for every argument."""

from collections.abc import Sequence

from envfactory_assets.stages.attempts.builder.blueprint import Column, Input, ToolPlan
from envfactory_assets.stages.attempts.builder.names import with_article, words
from envfactory_assets.stages.attempts.builder.texts import text_kind
from sandboxes.core.state_values import singular

_CREATING = frozenset(
    [
        "add",
        "create",
        "register",
        "open",
        "schedule",
        "book",
        "file",
        "log",
        "record",
        "post",
        "publish",
        "write",
        "send",
        "submit",
        "place",
        "make",
        "start",
        "issue",
        "order",
        "reserve",
        "upload",
        "enter",
        "plan",
        "set",
        "save",
        "invite",
        "hire",
        "enroll",
    ]
)
_LONG = 160
_TITLES = ("title", "subject", "headline", "heading")
_SENTENCES = ("description", "note", "message", "comment", "reason")
_TIME_ENDINGS = {"on": "date", "at": "time", "by": "limit"}
_TIME_ROOTS = {
    "starts": "start",
    "ends": "end",
    "created": "creation",
    "expires": "expiry",
    "published": "publication",
    "ordered": "order",
    "closed": "closing",
    "opened": "opening",
    "signed": "signature",
    "hired": "hiring",
}


def phrasings(tool: ToolPlan) -> tuple[str, ...]:
    """Return the clauses for a tool, in a user's words; a long one comes alone."""
    found = _phrasings(tool)
    return found if len(found[0]) <= _LONG else found[:1]


def _phrasings(tool: ToolPlan) -> tuple[str, ...]:
    match tool.kind:
        case "create":
            return _creating(tool)
        case "read":
            return (f"show {_own(tool)}", f"tell me more about {_own(tool)}")
        case "update":
            return _updating(tool)
        case "delete":
            return (f"delete {_own(tool)}", f"remove {_own(tool)}")
        case "list":
            return _listing(tool)


def column_words(column: Column) -> str:
    """Return what a person calls a field: `starts_on` is `start date`, `is_paid` is `paid`."""
    parts = column.name.split("_")
    if column.target is not None or column.is_list:
        return words(column.name.removesuffix("_ids").removesuffix("_id"))
    if column.type == "boolean" and parts[0] in ("is", "has", "can") and len(parts) > 1:
        return " ".join(parts[1:])
    if column.type in ("day", "moment") and parts[-1] in _TIME_ENDINGS and len(parts) > 1:
        root = [_TIME_ROOTS.get(part, part) for part in parts[:-1]]
        return " ".join([*root, "date" if column.type == "day" else "time"])
    return " ".join(parts)


def _own(tool: ToolPlan) -> str:
    return f"{{{tool.table.id_name}}}"


def _slot(given: Input, tool: ToolPlan) -> str:
    column = given.column
    is_sentence = (
        column is not None and column.is_text and text_kind(column, tool.table) in _SENTENCES
    )
    return f"'{{{given.name}}}'" if is_sentence else f"{{{given.name}}}"


def _creating(tool: ToolPlan) -> tuple[str, ...]:
    verb = tool.name.split("_")[0]
    verb = verb if verb in _CREATING else "add"
    required = [given for given in tool.inputs if given.is_required]
    opened = f"{verb} {with_article(tool.table.noun)}{_required_parts(required, tool)}"
    other = "record" if verb == "add" else "add"
    rest = "".join(_optional_part(given, tool) for given in tool.inputs if not given.is_required)
    varied = f"{other} {with_article(f'new {tool.table.noun}')}{_required_parts(required, tool)}"
    return (opened + rest, varied + rest)


def _required_parts(required: Sequence[Input], tool: ToolPlan) -> str:
    naming = [given for given in required if _is_naming(given)]
    owners = [g for g in required if g not in naming and g.column and g.column.target][:1]
    rest = [given for given in required if given not in (*naming, *owners)]
    text = "".join(f" {_naming(given, tool)}" for given in naming)
    text += "".join(f" for {{{given.name}}}" for given in owners)
    said = [_valued(given, tool) for given in rest]
    if not said:
        return text
    listed = f"{', '.join(said[:-1])} and {said[-1]}" if len(said) > 1 else said[0]
    return f"{text} with {listed}"


def _valued(given: Input, tool: ToolPlan) -> str:
    column = given.column
    if column is not None and column.type in ("integer", "number"):
        return f"{with_article(_words(given))} of {_slot(given, tool)}"
    return f"the {_words(given)} {_slot(given, tool)}"


def _is_naming(given: Input) -> bool:
    column = given.column
    return column is not None and column.is_label and column.type == "text"


def _naming(given: Input, tool: ToolPlan) -> str:
    if given.name.split("_")[-1] in _TITLES:
        return f"titled '{{{given.name}}}'"
    if given.name.split("_")[-1] == "name":
        return f"called {{{given.name}}}"
    return f"with the {_words(given)} {_slot(given, tool)}"


def _words(given: Input) -> str:
    return column_words(given.column) if given.column is not None else words(given.name)


def _optional_part(given: Input, tool: ToolPlan) -> str:
    column = given.column
    if column is not None and column.target is not None:
        is_plain = column.name == f"{column.target}_id"
        role = "" if is_plain else f" as the {_words(given)}"
        return f"[ {'for' if is_plain else 'with'} {{{given.name}}}{role}]"
    return f"[, {_words(given)} {_slot(given, tool)}]"


def _updating(tool: ToolPlan) -> tuple[str, ...]:
    values = tool.by_role("value")
    required = [given for given in values if given.is_required]
    optional = [given for given in values if not given.is_required]
    parts = [f"the {_words(given)} to {_slot(given, tool)}" for given in required]
    rest = "".join(f"[, setting the {_words(given)} to {_slot(given, tool)}]" for given in optional)
    if len(required) == 1:
        only = required[0]
        if only.column is not None and only.column.type == "boolean":
            return (f"set '{_words(only)}' of {_own(tool)} to {_slot(only, tool)}{rest}",)
        return (
            f"set the {_words(only)} of {_own(tool)} to {_slot(only, tool)}{rest}",
            f"change the {_words(only)} of {_own(tool)} to {_slot(only, tool)}{rest}",
        )
    head = f", setting {' and '.join(parts)}" if parts else ""
    return tuple(f"{verb} {_own(tool)}{head}{rest}" for verb in ("update", "change"))


def _listing(tool: ToolPlan) -> tuple[str, ...]:
    required = [given for given in tool.inputs if given.is_required]
    optional = [given for given in tool.inputs if not given.is_required]
    tail = "".join(f" {_filter(given, tool)}" for given in required)
    ordered = sorted(optional, key=lambda given: given.role in ("limit", "offset"))
    tail += "".join(
        f"[, {_filter(given, tool)}]"
        if given.role in ("limit", "offset")
        else f"[ {_filter(given, tool)}]"
        for given in ordered
    )
    verbs = ("find", "search for") if tool.by_role("query") else ("list", "show me")
    return tuple(
        f"{verb} {'' if verb in ('find', 'search for') else 'the '}{tool.table.nouns}{tail}"
        for verb in verbs
    )


def _filter(given: Input, tool: ToolPlan) -> str:
    slot, column = f"{{{given.name}}}", given.column
    match given.role:
        case "query":
            return f"mentioning '{slot}'"
        case "limit":
            return f"at most {slot} of them"
        case "offset":
            return f"leaving out the first {slot}"
        case "least":
            return f"with {_ranged(column)} {slot} or {_more(column)}"
        case "most":
            return f"with {_ranged(column)} {slot} or {_less(column)}"
        case _:
            return _equal(given, tool)


def _equal(given: Input, tool: ToolPlan) -> str:
    column, slot = given.column, f"{{{given.name}}}"
    if column is None:
        return slot
    if column.target is not None and not column.is_list:
        base = column.name.removesuffix("_id")
        return f"of {slot}" if base == column.target else f"with the {words(base)} {slot}"
    if column.type == "boolean":
        return f"with {column_words(column)} set to {slot}"
    if column.name == "city":
        return f"in {slot}"
    if column.is_list:
        return f"with the {singular(column_words(column))} {slot}"
    return f"with the {column_words(column)} {_slot(given, tool)}"


def _ranged(column: Column | None) -> str:
    return f"{with_article(column_words(column))} of" if column is not None else ""


def _more(column: Column | None) -> str:
    return "later" if column is not None and column.type in ("day", "moment") else "more"


def _less(column: Column | None) -> str:
    return "earlier" if column is not None and column.type in ("day", "moment") else "less"
