"""Which kinds of thing a document is about, and what is kept of each."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from envfactory_assets.records.proposals import Operation, ProposedEntity, ProposedField
from envfactory_assets.records.record import JsonObject
from envfactory_assets.stages.proposals.entity_fields import FieldReader, is_own_id, label_field
from envfactory_assets.stages.proposals.identifiers import plain_sentence, snake_name, spoken
from envfactory_assets.stages.proposals.import_settings import ImportSettings
from envfactory_assets.stages.proposals.input_roles import role_of
from envfactory_assets.stages.proposals.json_values import object_of, text_of
from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.schema_shapes import listed_schema, single_schema
from envfactory_assets.stages.proposals.source_tools import Argument, SourceTool

ENTITY_SLOTS = ("create", "read", "update", "delete", "list", "search")


@dataclass(frozen=True, slots=True)
class Draft:
    """What is known of an entity before its tools' inputs are written.

    Attributes:
        description: One sentence.
        fields: By name, in the order in which they are kept.
    """

    description: str
    fields: Mapping[str, ProposedField]


@dataclass(frozen=True, slots=True)
class EntityChoice:
    """Which things a proposal keeps.

    Attributes:
        kept: Best covered first.
        beyond: Those that would be kept if the bounds were wider.
    """

    kept: tuple[str, ...]
    beyond: tuple[str, ...]


def choose_entities(
    tools: Sequence[SourceTool], settings: ImportSettings, open_points: OpenPoints
) -> EntityChoice:
    """Keep the things whose life the tools cover best, as many as there is room for."""
    names = list(dict.fromkeys(tool.entity for tool in tools if tool.entity))
    kinds: dict[str, frozenset[Operation]] = {}
    counts: dict[str, int] = {}
    for name in names:
        own = [tool for tool in tools if tool.entity == name and tool.operation != "other"]
        if _is_usable(name, own, open_points):
            kinds[name] = frozenset(tool.operation for tool in own)
            counts[name] = len(own)
    best = sorted(kinds, key=lambda name: (-len(kinds[name]), -counts[name], names.index(name)))
    kept: list[str] = []
    for name in best[: settings.max_entities]:
        room = settings.max_tools - sum(len(kinds[other]) for other in kept)
        if len(kinds[name]) <= room or not kept:
            kept.append(name)
    beyond = tuple(name for name in best if name not in kept)
    for name in beyond:
        open_points.add("There is no room for these things", name)
    return EntityChoice(tuple(kept), beyond)


def _is_usable(name: str, tools: Sequence[SourceTool], open_points: OpenPoints) -> bool:
    if not tools:
        return False
    # A scratch reader: what is lost of things that are not kept is no open point.
    fields = {field.name for field in _sources(FieldReader((), OpenPoints()), tools, name)}
    if not fields:
        open_points.add("Things of which no schema says what they hold are left out", name)
        return False
    is_shown = any(tool.operation in ("read", "list", "search") for tool in tools)
    if not is_shown and len(fields) < 2:
        open_points.add("Things that no tool shows are left out", name)
        return False
    return True


def draft_entity(
    name: str,
    tools: Sequence[SourceTool],
    reader: FieldReader,
    settings: ImportSettings,
    open_points: OpenPoints,
) -> Draft:
    """Return what is kept of an entity, from all tools that send or return it."""
    own = [tool for tool in tools if tool.entity == name]
    merged: dict[str, ProposedField] = {}
    for field in _sources(reader, own, name):
        before = merged.get(field.name)
        merged[field.name] = _merged(before, field) if before else field
    merged = _with_optionality(merged, own, reader, name)
    ranks = _ranks(merged, own, reader, name)
    kept = sorted(merged, key=lambda one: (ranks[one], list(merged).index(one)))
    kept = kept[: settings.max_fields]
    for dropped in merged:
        if dropped not in kept:
            topic = f"At most {settings.max_fields} fields are kept of a thing; left out are"
            open_points.add(topic, f"{name}.{dropped}")
    fields = {one: field for one, field in merged.items() if one in kept}
    return Draft(_description(own, name), fields)


def proposed_entity(name: str, draft: Draft) -> ProposedEntity:
    """Return the entity that a draft has become."""
    return ProposedEntity(
        name=name,
        description=draft.description,
        fields=tuple(draft.fields.values()),
        label=label_field(list(draft.fields.values()), name),
    )


def creation_arguments(tool: SourceTool) -> Iterator[Argument]:
    """Yield the inputs of a tool that say what an entity shall be."""
    for argument in tool.arguments:
        is_addressing = argument.name == tool.key or argument.place == "query"
        if is_addressing or is_own_id(argument.name, tool.entity or ""):
            continue
        if argument.place == "path" and tool.operation != "create":
            continue
        if role_of(argument.name) == "presentation" and not argument.is_required:
            continue
        yield argument


def argument_fields(
    argument: Argument, reader: FieldReader, entity: str
) -> Iterator[ProposedField]:
    """Yield the fields that an input of create or update sets."""
    if argument.refers and argument.refers != entity:
        name, schema = f"{argument.refers}_id", {**argument.schema, "type": "string"}
    else:
        name, schema = argument.name, argument.schema
    yield from reader.of_property(name, schema, entity, is_optional=not argument.is_required)


def _sources(
    reader: FieldReader, tools: Sequence[SourceTool], entity: str
) -> Iterator[ProposedField]:
    """Yield all fields: first what callers send, for it is what people can say."""
    sent: set[str] = set()
    for tool in _of_kinds(tools, "create", "update"):
        for argument in creation_arguments(tool):
            for field in argument_fields(argument, reader, entity):
                sent.add(field.name)
                yield field
    for tool in _of_kinds(tools, "create", "read", "update", "list", "search"):
        yield from reader.fields(_returned(tool, entity), entity, sent)
    for tool in _of_kinds(tools, "list", "search"):
        for argument in tool.arguments:
            if argument.refers and argument.refers != entity:
                yield from argument_fields(argument, reader, entity)


def _of_kinds(tools: Sequence[SourceTool], *kinds: Operation) -> Iterator[SourceTool]:
    for kind in kinds:
        yield from (tool for tool in tools if tool.operation == kind)


def _returned(tool: SourceTool, entity: str) -> JsonObject:
    listed = listed_schema(tool.result, entity)
    if tool.operation in ("list", "search"):
        return single_schema(listed or {}, entity)
    single = single_schema(tool.result, entity) if listed is None else {}
    # One member alone is the text of an answer, or says whether all went well.
    return single if len(object_of(single.get("properties"))) > 1 else {}


def _merged(first: ProposedField, second: ProposedField) -> ProposedField:
    """Return the first field, with what only the second knows."""
    update: dict[str, object] = {}
    if not first.examples and first.type == second.type:
        update["examples"] = second.examples
    if first.type == "text" and second.type in ("day", "moment"):
        update["type"] = second.type
        update["minimum"] = update["maximum"] = None
    return first.model_copy(update=update) if update else first


def _with_optionality(
    fields: dict[str, ProposedField], tools: Sequence[SourceTool], reader: FieldReader, entity: str
) -> dict[str, ProposedField]:
    """What a caller need not send when an entity is created, the entity may lack."""
    creating = [tool for tool in tools if tool.operation == "create"]
    if not creating:
        return fields
    required = _required(creating[0], reader, entity)
    for tool in creating[1:]:
        required &= _required(tool, reader, entity)
    return {
        name: field.model_copy(update={"is_optional": name not in required})
        for name, field in fields.items()
    }


def _required(tool: SourceTool, reader: FieldReader, entity: str) -> set[str]:
    return {
        field.name
        for argument in creation_arguments(tool)
        if argument.is_required
        for field in argument_fields(argument, reader, entity)
        if not field.is_optional
    }


def _ranks(
    fields: Mapping[str, ProposedField],
    tools: Sequence[SourceTool],
    reader: FieldReader,
    entity: str,
) -> dict[str, int]:
    """Return how dispensable each field is: 0 for what an entity cannot be made without."""
    writing = [tool for tool in tools if tool.operation in ("create", "update")]
    needed = {name for tool in writing for name in _required(tool, reader, entity)}
    filters = {
        name
        for tool in _of_kinds(tools, "list", "search")
        for argument in tool.arguments
        for name in (snake_name(argument.name), f"{argument.refers or argument.name}_id")
    }
    sent = {
        field.name
        for tool in writing
        for argument in creation_arguments(tool)
        for field in argument_fields(argument, reader, entity)
    }
    label = label_field(list(fields.values()), entity)
    ranks: dict[str, int] = {}
    for name, field in fields.items():
        order = (name in needed, name == label or field.references is not None, name in filters)
        ranks[name] = next((rank for rank, holds in enumerate(order) if holds), 4)
        if ranks[name] == 4 and name in sent:
            ranks[name] = 3
    return ranks


def _description(tools: Sequence[SourceTool], entity: str) -> str:
    for tool in tools:
        schema = _returned(tool, entity) if tool.operation != "other" else {}
        sentence = plain_sentence(text_of(schema.get("description")))
        if sentence:
            return sentence
    return f"{spoken(entity).capitalize()}."
