"""One task as the page reads it: a JSON object with everything that is shown of it."""

from collections.abc import Iterator, Sequence
from typing import cast

from pydantic import JsonValue

from envfactory_assets.records.record import JsonObject
from envfactory_assets.records.trajectories import CandidateTrajectory, FilteredTrajectory
from envfactory_assets.stages.viewing.conversation import CallPool, conversation
from envfactory_assets.stages.viewing.corpus import ShownTurn, Task
from envfactory_assets.stages.viewing.explaining import reference_of, why
from envfactory_assets.stages.viewing.replaying import Replayed
from envfactory_assets.stages.viewing.wording import label_of
from sandboxes.core.canonical import canonical_json
from sandboxes.core.catalog import Catalog

_OF_REFERENCE = ("masked", "after")


def task_view(task: Task, catalog: Catalog) -> JsonObject:
    """Return what the page shows of a task.

    Its states are left out: they are large, and what a call changed stands beside the call.

    Args:
        task: Its rows.
        catalog: Holds the environments, in which the calls are run again.
    """
    row, pool = task.filtered, CallPool()
    items = conversation(row.messages, row.queries, Replayed(row.scenario, catalog), pool)
    marked = _mark_reference(items, pool, row)
    view: JsonObject = {
        "id": row.task_id,
        "trajectory": row.trajectory_id,
        "domain": row.domain,
        "environments": list(row.environment_ids),
        "start": row.scenario.get("start"),
        "seed": row.scenario.get("seed"),
        "persona": task.turns[0].persona if task.turns else "",
        "story": task.turns[0].story if task.turns else "",
        "chain": task.turns[0].chain_id if task.turns else "",
        "made_by": made_by(task),
        "split": task.split,
        "difficulty": row.difficulty,
        "drop_reason": task.drop_reason,
        "matched": task.selected.matched if task.selected else None,
        "replays": row.replays,
        "do_nothing_reward": row.do_nothing_reward,
        "solved_share": row.solved_share,
        "removed_steps": row.removed_steps,
        "end_state_hash": row.end_state_hash,
        "reward": _reward(row),
        "turns": [_turn(query) for query in task.turns] or [{"text": text} for text in row.queries],
        "conversation": cast("JsonValue", items),
        "plan": [] if marked else list(row.reference_calls),
        "attempts": list(_attempts(task, catalog, pool, items)),
    }
    view["calls"] = pool.calls
    view["names"] = _names(row, task.candidates, canonical_json(view))
    return view


def made_by(task: Task) -> list[JsonValue]:
    """Return the roles and implementations that made a task, `teacher:rules`, without repeats."""
    refiners = [query.made_by for query in task.turns]
    makers = [*task.writers, *refiners, task.filtered.made_by]
    parts = [part.strip() for maker in makers for part in maker.split(",") if part.strip()]
    return list(dict.fromkeys(parts))


def _mark_reference(items: Sequence[JsonObject], pool: CallPool, row: FilteredTrajectory) -> bool:
    """Put masks and order on the calls shown, when they are the reference's calls."""
    shown = [item for item in items if "call" in item]
    calls = [cast("JsonObject", pool.calls[cast("int", item["call"])]) for item in shown]
    wanted = [call["tool"] for call in row.reference_calls]
    if not row.replays or [call["tool"] for call in calls] != wanted:
        return False
    for item, reference in zip(shown, row.reference_calls, strict=True):
        item.update({key: reference[key] for key in _OF_REFERENCE if reference.get(key)})
    return True


def _turn(query: ShownTurn) -> JsonObject:
    """Return how a request came about; an operation repeats its text only where it changed it."""
    operations: list[JsonValue] = []
    for operation in query.operations:
        entry: JsonObject = {
            "name": operation.name,
            "applied": operation.applied,
            "reason": operation.reason,
        }
        if operation.after != operation.before:
            entry |= {"before": operation.before, "after": operation.after}
        operations.append(entry)
    return {
        "text": query.refined_text,
        "draft": query.draft_text,
        "plan": query.plan,
        "notes": list(query.notes),
        "operations": operations,
        "kept_back": [
            {"topic": item.topic, "value": item.value, "answer": item.answer}
            for item in query.disclosures
        ],
    }


def _attempts(
    task: Task, catalog: Catalog, pool: CallPool, shown: Sequence[JsonObject]
) -> Iterator[JsonObject]:
    reference = reference_of(task.filtered)
    said = [{key: item[key] for key in item if key not in _OF_REFERENCE} for item in shown]
    for row in task.candidates:
        replayed = Replayed(task.filtered.scenario, catalog)
        items = conversation(row.messages, task.filtered.queries, replayed, pool)
        yield {
            "id": row.trajectory_id,
            "policy": row.solver_policy,
            "made_by": row.made_by,
            "drop_reason": None if row.kept else row.drop_reason or "unknown",
            "reward": _reward(row),
            "calls": len(row.calls),
            "agreement": row.agreement,
            "judgement": row.judgement,
            "conversation": None if items == said else cast("JsonValue", items),
            "why": cast("JsonValue", why(reference, row)),
        }


def _reward(row: FilteredTrajectory | CandidateTrajectory) -> JsonObject:
    return {
        "total": row.reward,
        "trajectory": row.reward_trajectory,
        "state": row.reward_state,
        "length": row.reward_length,
        "format": row.reward_format,
    }


def _names(
    row: FilteredTrajectory, candidates: Sequence[CandidateTrajectory], text: str
) -> JsonObject:
    """Return the names of the entities whose ids stand in what is shown."""
    states = [row.scenario.get("states"), row.end_states, *(each.end_states for each in candidates)]
    found: JsonObject = {}
    for key, entity in (pair for state in states for pair in _entities(state)):
        label = label_of(entity)
        if label and key not in found and f'"{key}"' in text:
            found[key] = label
    return dict(sorted(found.items()))


def _entities(states: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    for state in cast("dict[str, JsonObject]", states or {}).values():
        for table in state.values():
            if isinstance(table, dict):
                yield from table.items()
