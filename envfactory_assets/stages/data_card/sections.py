"""The sections of the data card: every figure is counted from the rows, none is asserted."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from envfactory_assets.records.datasets import DatasetTask
from envfactory_assets.stages.data_card.limits import limits
from envfactory_assets.stages.data_card.sources import CardSources
from envfactory_assets.stages.datasets.distribution import MEASURES
from envfactory_assets.stages.datasets.shingles import words

Cell = str | int | float
SPLITS = ("train", "validation", "test_chains", "test_environments")
_DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class CardSection:
    """One section: a sentence or two, and a table whose first column names the rows."""

    title: str
    text: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def card_sections(sources: CardSources) -> list[CardSection]:
    """Return the sections of the card, in the order in which one reads them."""
    return [section(sources) for section in _SECTIONS]


def _files(sources: CardSources) -> CardSection:
    rows = [
        (name, *(counts.get(split, 0) for split in SPLITS), sum(counts.values()))
        for name, counts in sources.splits.items()
    ]
    text = (
        "`sft_dataset` holds one conversation a task, `rl_dataset` one row a turn with the states "
        "to start from and the reference to be rewarded against, `preference_dataset` two ways to "
        "go on from the same prompt. `test_environments` holds whole environments out"
        f" ({', '.join(sources.held_out) or 'none'}), `test_chains` tool sequences.\n\n"
        "`datasets.load_dataset` reads the folder that this card lies in. Messages have the "
        "chat-completions form; `tools` are the functions that the agent sees, as JSON schemas. "
        "The `rl_<split>.jsonl` beside the Parquet files hold the same tasks as plain JSON."
    )
    return CardSection("What is in it", text, ("rows", *SPLITS, "all"), rows)


def _making(sources: CardSources) -> CardSection:
    proven = [row for row in sources.references if row.kept]
    held = [task for task in sources.tasks if task.kept]
    turns = len(sources.queries)
    dropped = Counter(row.drop_reason for row in sources.references if row.drop_reason)
    dropped += Counter(task.drop_reason for task in sources.tasks if task.drop_reason)
    rows: list[tuple[str, int, str]] = [
        ("chains sampled from the tool graph", sources.chain_count, ""),
        ("tasks bound on a scenario", len(sources.references), f"{turns} turns"),
        ("attempts in live sessions", len(sources.attempts), _counted(sources.attempts)),
        ("references proven by replay", len(proven), ""),
        ("tasks in the datasets", len(held), ""),
        *((f"dropped: {reason}", count, "") for reason, count in sorted(dropped.items())),
    ]
    text = (
        "Chains of tools are sampled from a graph of which output feeds which input, carried out "
        "on a simulated scenario to bind values, worded as requests, refined, attempted several "
        "times in live sessions with a simulated user, scored by state and calls, stripped of what "
        "they did not need, and kept only if the replay ends in the recorded states byte for byte."
    )
    return CardSection("How it was made", text, ("step", "count", "of which"), rows)


def _roles(sources: CardSources) -> CardSection:
    makers = Counter(
        name
        for row in (*sources.drafts, *sources.queries, *sources.attempts)
        for name in row.made_by.split(",")
    )
    text = (
        f"Profile `{sources.profile}`, seed {sources.seed}. A name is the role and what played it; "
        "the rows are those of `draft_queries`, `refined_queries` and `candidate_trajectories`."
    )
    return CardSection("Who made it", text, ("role", "rows"), sorted(makers.items()))


def _domains(sources: CardSources) -> CardSection:
    held = [task for task in sources.tasks if task.kept]
    rows = [
        (
            domain,
            len(own),
            sum(task.turns for task in own),
            len({tool for task in own for tool in task.tools}),
            sum(len(task.environment_ids) > 1 for task in own),
            *(sum(task.split == split for task in own) for split in SPLITS),
        )
        for domain in sorted({task.domain for task in held})
        for own in [[task for task in held if task.domain == domain]]
    ]
    head = ("domain", "tasks", "turns", "tools used", "over several environments", *SPLITS)
    return CardSection("Domains", "Tasks in the datasets.", head, rows)


def _environments(sources: CardSources) -> CardSection:
    held = [task for task in sources.tasks if task.kept]
    opened = Counter(name for task in held for name in task.environment_ids)
    used = {tool for task in held for tool in task.tools}
    rows = [
        (
            item.environment_id,
            item.origin,
            "yes" if item.verified else "NO",
            item.tool_count,
            item.write_tool_count,
            sum(tool.startswith(f"{item.environment_id.split('.')[1]}__") for tool in used),
            opened[item.environment_id],
            "" if item.mutation_score is None else item.mutation_score,
            item.source_hash[:12],
        )
        for item in sorted(sources.environments, key=lambda item: item.environment_id)
    ]
    head = (
        "environment",
        "origin",
        "verified",
        "tools",
        "writing",
        "tools used",
        "tasks",
        "mutation score",
        "source hash",
    )
    text = (
        "Verified: it passed every gate at this hash of its source. The mutation score is the "
        "share of injected faults that its cases catch."
    )
    return CardSection("Environments", text, head, rows)


def _lengths(sources: CardSources) -> CardSection:
    held = [task for task in sources.tasks if task.kept]
    ids = {task.task_id for task in held}
    lengths = [len(words(row.refined_text)) for row in sources.queries if row.task_id in ids]
    rows = [_spread(item.name, _each(held, item.amount, item.per)) for item in MEASURES]
    rows.append(_spread("words a request", lengths))
    text = "A step is an assistant message; a user interaction is an answer to a question."
    return CardSection("Lengths", text, ("measure", "mean", "least", "median", "most"), rows)


def _difficulties(sources: CardSources) -> CardSection:
    held = [task for task in sources.tasks if task.kept]
    rows = [
        (
            name,
            *(
                sum((task.difficulty, task.split) == (name, split) for task in held)
                for split in SPLITS
            ),
        )
        for name in _DIFFICULTIES
    ]
    text = "From how many attempts solve a task, and how long and how incomplete its request is."
    return CardSection("Difficulty", text, ("difficulty", *SPLITS), rows)


def _refinements(sources: CardSources) -> CardSection:
    tried = [operation for row in sources.queries for operation in row.operations]
    names = sorted({operation.name for operation in tried})
    turns = len(sources.queries)
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        applied = sum(item.applied for item in tried if item.name == name)
        undone = sum(item.name == name for item in tried) - applied
        rows.append((name, applied, undone, applied / turns))
    text = (
        f"Of {turns} drafts each was tried for these; what broke an invariant or did not apply was "
        "undone, with the reason kept in `refined_queries`."
    )
    head = ("refinement", "applied", "not applied", "share of the turns")
    return CardSection("Refinements", text, head, rows)


def _quality(sources: CardSources) -> CardSection:
    files = ", ".join(sources.contamination_files)
    text = (
        f"Requests were held against {files}."
        if files
        else "No file of benchmark questions was given, so nothing is known about overlap with public "
        "benchmarks. Everything below was counted on the rows."
    )
    return CardSection("Known limits, measured", text, ("figure", "value"), limits(sources))


def _versions(sources: CardSources) -> CardSection:
    rows = [
        (
            f"{item.asset} {item.partition}".strip(),
            item.rows,
            item.data_version[:16],
            item.code_version,
        )
        for item in sources.versions
    ]
    text = "The data version is a hash of the rows: the same rows have the same one anywhere."
    return CardSection("Versions", text, ("table", "rows", "data version", "code version"), rows)


_SECTIONS: tuple[Callable[[CardSources], CardSection], ...] = (
    _files,
    _making,
    _roles,
    _domains,
    _environments,
    _lengths,
    _difficulties,
    _refinements,
    _quality,
    _versions,
)


def _counted(attempts: Iterable[object]) -> str:
    counts = Counter(str(getattr(attempt, "solver_policy", "")) for attempt in attempts)
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def _each(
    tasks: Sequence[DatasetTask],
    amount: Callable[[DatasetTask], float],
    per: Callable[[DatasetTask], float],
) -> list[float]:
    return [amount(task) / per(task) for task in tasks]


def _spread(name: str, values: Sequence[float]) -> tuple[Cell, ...]:
    ordered = sorted(values) or [0.0]
    middle = float(ordered[len(ordered) // 2])
    return (name, fmean(ordered), float(ordered[0]), middle, float(ordered[-1]))
