"""What an asset page shows: counts, drop reasons, a preview, a picture."""

import base64
from collections.abc import Mapping, Sequence

import dagster as dg
from pydantic import BaseModel

from envfactory_resources.roles import Roles

_PREVIEW_ROWS = 8
_LONGEST_CELL = 80


def counts(rows_in: int, rows_out: int, dropped: Mapping[str, int]) -> dict[str, dg.MetadataValue]:
    """Return the counts of a materialization: rows in, rows out, rows dropped by reason."""
    shown: dict[str, dg.MetadataValue] = {
        "rows_in": dg.MetadataValue.int(rows_in),
        "dagster/row_count": dg.MetadataValue.int(rows_out),
        "rows_dropped": dg.MetadataValue.int(sum(dropped.values())),
    }
    if dropped:
        shown["dropped_by_reason"] = dg.MetadataValue.md(
            markdown_table(
                ("reason", "rows"), [(reason, count) for reason, count in sorted(dropped.items())]
            )
        )
    return shown


def token_usage(roles: Roles) -> dict[str, dg.MetadataValue]:
    """Return what each role has asked of a model in this run; nothing where rules play all.

    Where the endpoint's prices are configured, the last column says what that cost.
    """
    by_role = roles.token_usage()
    if not by_role:
        return {}
    prices = roles.model.prices if roles.model else None
    head = ("role", "requests", "from cache", "failed", "tokens in", "out", "prompt cache read")
    rows = [
        (
            role,
            used.call_count,
            used.cached_call_count,
            used.failed_call_count,
            used.input_tokens + used.cache_write_tokens,
            used.output_tokens,
            used.cache_read_tokens,
            *([used.cost_usd(prices)] if prices else []),
        )
        for role, used in by_role.items()
    ]
    head = (*head, "US$") if prices else head
    return {"token_usage": dg.MetadataValue.md(markdown_table(head, rows))}


def preview(rows: Sequence[BaseModel], columns: Sequence[str]) -> dg.MetadataValue:
    """Return the first rows as a Markdown table of some columns."""
    chosen = [[getattr(row, column) for column in columns] for row in rows[:_PREVIEW_ROWS]]
    return dg.MetadataValue.md(markdown_table(columns, chosen))


def listed(sentences: Sequence[str]) -> dg.MetadataValue:
    """Return sentences as a Markdown list."""
    return dg.MetadataValue.md("\n".join(f"- {sentence}" for sentence in sentences) or "none")


def picture(png: bytes) -> dg.MetadataValue:
    """Return a PNG as an inline picture."""
    text = base64.b64encode(png).decode()
    return dg.MetadataValue.md(f"![](data:image/png;base64,{text})")


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table; long cells are cut."""
    lines = [_line(head), _line(["---"] * len(head)), *(_line(row) for row in rows)]
    return "\n".join(lines)


def _line(cells: Sequence[object]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(value: object) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    text = text.replace("|", "\\|").replace("\n", " ")
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"
