"""The order in which a scenario draws tables: what an entity refers to is there before it."""

from collections.abc import Sequence

from envfactory_assets.records.proposals import ProposedEntity


def in_draw_order(
    entities: Sequence[ProposedEntity],
) -> tuple[list[ProposedEntity], frozenset[tuple[str, str]]]:
    """Return entities in an order of drawing, and the references that have to wait.

    Returns:
        The entities, and pairs of entity and field for references to what is drawn later (its own
        kind, or a cycle), which are set when all is drawn.
    """
    by_name = {entity.name: entity for entity in entities}
    ordered: list[ProposedEntity] = []
    rest = list(by_name.values())
    while rest:
        drawn = {entity.name for entity in ordered}
        ready = [entity for entity in rest if not _waits(entity, by_name, drawn)]
        ordered.append(ready[0] if ready else rest[0])
        rest.remove(ordered[-1])
    places = {entity.name: place for place, entity in enumerate(ordered)}
    deferred = frozenset(
        (entity.name, field.name)
        for entity in ordered
        for field in entity.fields
        if field.references in places and places[field.references] >= places[entity.name]
    )
    return ordered, deferred


def _waits(entity: ProposedEntity, known: dict[str, ProposedEntity], drawn: set[str]) -> bool:
    targets = {field.references for field in entity.fields if field.references in known}
    return bool(targets - drawn - {entity.name})
