"""Coverage as people and models read it: what is lacking in sentences, a text, a table."""

from envfactory_assets.stages.proposals.coverage import OPERATIONS, Coverage
from envfactory_assets.stages.tool_graphs.descriptions import bullets

_SHOWN = 6


def lacking(coverage: Coverage) -> list[str]:
    """Return what a domain lacks, one sentence each."""
    if not coverage.environments:
        return [f"The domain {coverage.domain} has no environment at all."]
    plain = ", ".join(item for item in coverage.missing_operations if item != "other")
    found = [f"No tool of the domain does only this to an entity: {plain}."] if plain else []
    if "other" in coverage.missing_operations:
        found.append("No tool does more than create, read, update, delete, list or search.")
    if len(coverage.environments) == 1:
        found.append(
            f"{coverage.environments[0].environment_id} is the only environment of the domain, so "
            "no task of the domain crosses services."
        )
    if coverage.ungiven_names:
        named = ", ".join(coverage.ungiven_names)
        found.append(f"Tools take these names and no tool of the domain gives them: {named}.")
    if coverage.unfed_inputs:
        found.append(f"No tool gives these required ids: {_listed(coverage.unfed_inputs)}.")
    if coverage.unused_outputs:
        found.append(f"No tool takes these ids: {_listed(coverage.unused_outputs)}.")
    return found


def coverage_text(coverage: Coverage) -> str:
    """Return coverage as a model reads it."""
    parts = [f"Domain: {coverage.domain}"]
    for environment in coverage.environments:
        tools = bullets(
            f"{tool.name} ({tool.effect}): {tool.description}" for tool in environment.tools
        )
        kept = bullets(
            f"{entity}: {', '.join(operations)}"
            for entity, operations in environment.operations.items()
        )
        parts.append(
            f"Environment {environment.environment_id}: {environment.description}\n"
            f"Tools:\n{tools}\nWhat its tools do to which entity:\n{kept}"
        )
    parts.append(f"What is lacking:\n{bullets(lacking(coverage)) or '- nothing was found'}")
    if coverage.elsewhere:
        parts.append(f"In other domains there are: {', '.join(coverage.elsewhere)}.")
    return "\n\n".join(parts)


def coverage_table(coverage: Coverage) -> list[dict[str, str | int]]:
    """Return one row an entity: how many tools do what to it."""
    rows: list[dict[str, str | int]] = []
    for environment in coverage.environments:
        for entity in environment.operations:
            tools = [tool for tool in environment.tools if tool.entity == entity]
            counts: dict[str, str | int] = {
                operation: sum(tool.operation == operation for tool in tools)
                for operation in OPERATIONS
            }
            rows.append({"environment": environment.environment_id, "entity": entity, **counts})
    return rows


def _listed(items: tuple[str, ...]) -> str:
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more
