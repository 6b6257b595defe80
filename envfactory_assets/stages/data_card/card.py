"""The data card: the sections as Markdown with the front matter of a dataset repository."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from envfactory_assets.records.datasets import DataCardFigure
from envfactory_assets.stages.data_card.sections import SPLITS, CardSection, Cell

# The loader takes one format a repository, and RL rows keep their shape as Parquet only.
FILES = {
    "sft_dataset": "sft_{split}.jsonl",
    "rl_dataset": "verl_{split}.parquet",
    "preference_dataset": "preference_{split}.jsonl",
}
# Messages and schemas are of any shape: a loader that guesses might pad them with nulls.
_TEXT, _NUMBER, _OBJECTS = "dtype: string", "dtype: float64", "list: json"
_FEATURES = {
    "sft_dataset": {
        "example_id": _TEXT,
        "domain": _TEXT,
        "messages": _OBJECTS,
        "tools": _OBJECTS,
    },
    "preference_dataset": {
        "pair_id": _TEXT,
        "domain": _TEXT,
        "prompt": _OBJECTS,
        "chosen": _OBJECTS,
        "rejected": _OBJECTS,
        "tools": _OBJECTS,
        "margin": _NUMBER,
    },
}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LICENCE = (
    "Apache-2.0, like the code that made it. Where a model played a role (see who made it), its "
    "provider's terms may hold as well. People, companies and addresses are drawn from word lists."
)


def card_figures(sections: Sequence[CardSection]) -> list[DataCardFigure]:
    """Return the rows of `data_card`: one a cell of the sections' tables."""
    return [
        DataCardFigure(
            section=section.title,
            name=str(row[0]) if len(row) == 2 else f"{row[0]}: {column}",
            value=_written(cell),
        )
        for section in sections
        for row in section.rows
        for column, cell in zip(section.head[1:], row[1:], strict=True)
        if cell != ""
    ]


def card_text(sections: Sequence[CardSection], asset: str, counts: Mapping[str, int]) -> str:
    """Return the card of one dataset.

    Args:
        sections: What it says, the same for all of them.
        asset: The dataset.
        counts: Its rows by split: which files there are.
    """
    title = (
        f"# Tool-use tasks with replayable references: `{asset}`\n\n"
        "Conversations in which an agent uses the tools of simulated services to do what a person "
        "asks for, over several turns. Every task can be run again: it carries its initial state, "
        "its reference calls and the state they end in. Made by EnvFactory; this card is written "
        "from the tables that the files were written from."
    )
    body = "\n\n".join(_section(section) for section in sections)
    return f"{_front_matter(asset, counts)}\n{title}\n\n{body}\n\n## Licence\n\n{_LICENCE}\n"


def write_card(text: str, path: Path) -> Path:
    """Write the card so that nobody reads half of it, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    return path


def _front_matter(asset: str, counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    size = next((name for most, name in _SIZES if total < most), "n>1M")
    lines = [
        "---",
        "license: apache-2.0",
        "language:",
        "- en",
        "pretty_name: EnvFactory tool-use tasks",
        "task_categories:",
        "- text-generation",
        "tags:",
        "- tool-use",
        "- agents",
        "- reinforcement-learning",
        "- synthetic",
        "size_categories:",
        f"- {size}",
    ]
    if asset in _FEATURES:
        lines += ["dataset_info:", "  config_name: default", "  features:"]
    for column, kind in _FEATURES.get(asset, {}).items():
        lines += [f"  - name: {column}", f"    {kind}"]
    present = [split for split in SPLITS if counts.get(split)]
    if present:
        lines += ["configs:", "- config_name: default", "  data_files:"]
    for split in present:
        lines += [f"  - split: {split}", f"    path: {FILES[asset].format(split=split)}"]
    return "\n".join([*lines, "---", ""])


def _section(section: CardSection) -> str:
    parts = [f"## {section.title}", section.text]
    if section.rows:
        marks = [
            "---:" if _is_number(column) else "---" for column in zip(*section.rows, strict=True)
        ]
        lines = [section.head, marks]
        lines += [[_written(cell) for cell in row] for row in section.rows]
        parts.append(
            "\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines)
        )
    return "\n\n".join(part for part in parts if part)


def _is_number(column: Sequence[Cell]) -> bool:
    return all(isinstance(cell, int | float) for cell in column)


def _written(cell: Cell) -> str:
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")
