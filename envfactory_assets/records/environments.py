"""Rows of `environments`: every environment of a domain and the outcome of its verification."""

from typing import Literal

from envfactory_assets.records.record import JsonObject, Record


class EnvironmentRecord(Record):
    """One environment at one content hash.

    Attributes:
        environment_id: `<domain>.<name>`.
        domain: The partition.
        origin: Whether the file is shipped, generated or imported.
        description: What the service is, for a model.
        source_hash: SHA-256 (hex) over the file and its cases; verification is bound to it.
        verified: Whether this hash passed every gate.
        tool_count: How many tools it has.
        write_tool_count: How many of them change the state.
        case_count: How many declared cases ran.
        mutation_score: Share of injected faults that the cases catch; None where not measured.
        findings: What the gates found, as structured findings.
        tools: The tools' names, effects, descriptions and JSON schemas.
        source: The Python text that was verified.
        made_by: Who wrote and who tested it.
    """

    environment_id: str
    domain: str
    origin: Literal["shipped", "generated", "imported"]
    description: str
    source_hash: str
    verified: bool
    tool_count: int
    write_tool_count: int
    case_count: int
    mutation_score: float | None
    findings: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...]
    source: str
    made_by: str
