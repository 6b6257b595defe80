"""Rules of the review on single feeds: does this output make sense as that input?"""

from dataclasses import dataclass

from envfactory_assets.stages.tool_graphs.labels import Label
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf
from envfactory_assets.stages.tool_graphs.naming import (
    entities,
    is_id,
    shared_entity,
    spoken_kind,
    with_article,
)


@dataclass(frozen=True, slots=True)
class FeedVerdict:
    """Whether a feed makes sense, and why."""

    kept: bool
    reason: str


def judge_feed(source: Leaf, target: Leaf, source_tool: GraphTool, label: Label) -> FeedVerdict:
    """Return the verdict on one proposed feed.

    Args:
        source: The output leaf.
        target: The input leaf.
        source_tool: The tool that the output belongs to.
        label: Who gives the input.
    """
    if source.tool == target.tool:
        return _judge_own_result(source, target, source_tool)
    if is_echo(source, source_tool):
        return _pruned(
            f"the output only repeats {source.path!r}, which the call itself must be given"
        )
    if label.source == "internal":
        return _judge_id(source, target)
    return _judge_spoken(source, target, label)


def is_echo(source: Leaf, source_tool: GraphTool) -> bool:
    """Whether an output repeats a required input of its own tool, so that it tells nothing new."""
    return not source.is_list and any(
        leaf.required and not leaf.is_list and leaf.name == source.name
        for leaf in source_tool.inputs
    )


def _judge_own_result(source: Leaf, target: Leaf, tool: GraphTool) -> FeedVerdict:
    if tool.effect == "read" and source.is_list and not target.required and is_id(target):
        verdict = _judge_id(source, target)
        if verdict.kept:
            return FeedVerdict(kept=True, reason=f"a listing that narrows itself: {verdict.reason}")
    return _pruned("a tool does not wait for its own result")


def _judge_id(source: Leaf, target: Leaf) -> FeedVerdict:
    if not is_id(source):
        return _pruned(f"{target.path!r} needs an id and {source.path!r} is none")
    if source.environment_id != target.environment_id:
        return _pruned("ids of one environment mean nothing in another")
    shared = shared_entity(entities(source), entities(target))
    if not shared:
        return _pruned(f"the output is an id of {_named(source)}, the input of {_named(target)}")
    return FeedVerdict(kept=True, reason=f"both are the id of {with_article(shared)}")


def _judge_spoken(source: Leaf, target: Leaf, label: Label) -> FeedVerdict:
    needed, given = spoken_kind(target), spoken_kind(source)
    if not needed:
        return _pruned(f"the user gives {target.path!r}, {label.reason}; no result decides it")
    if given != needed:
        return _pruned(f"{target.path!r} is {with_article(needed)}, {source.path!r} is not")
    return FeedVerdict(kept=True, reason=f"both name {with_article(needed)}")


def _named(leaf: Leaf) -> str:
    named = sorted(" ".join(entity) for entity in entities(leaf))
    return with_article(" or ".join(named)) if named else "something unnamed"


def _pruned(reason: str) -> FeedVerdict:
    return FeedVerdict(kept=False, reason=reason)
