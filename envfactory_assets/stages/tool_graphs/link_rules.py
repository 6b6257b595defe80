"""Rules of the review on feeds between domains: few, and only what people would do.

Services of two domains share people and places, never ids. A link starts at a listing that anybody
can ask for (contacts) and ends where its value decides the call (guests of an event).
"""

from collections.abc import Mapping

from envfactory_assets.stages.tool_graphs.feed_rules import FeedVerdict, judge_feed
from envfactory_assets.stages.tool_graphs.labels import Label
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf, LeafKey
from envfactory_assets.stages.tool_graphs.naming import is_qualified, words

_TAKING_AWAY = frozenset({"cancel", "delete", "drop", "leave", "remove", "revoke", "unfollow"})


def judge_link(
    source: Leaf,
    target: Leaf,
    tools: Mapping[str, GraphTool],
    labels: Mapping[LeafKey, Label],
) -> FeedVerdict:
    """Return the verdict on one feed between tools of two domains.

    Args:
        source: The output leaf.
        target: The input leaf.
        tools: Every tool, by wire name.
        labels: Who gives each input.
    """
    giver, taker = tools[source.tool], tools[target.tool]
    verdict = judge_feed(source, target, giver, labels[target.key])
    if not verdict.kept:
        return verdict
    objection = _objection_to_source(source, giver, labels) or _objection_to_target(target, taker)
    return FeedVerdict(kept=False, reason=objection) if objection else verdict


def _objection_to_source(source: Leaf, giver: GraphTool, labels: Mapping[LeafKey, Label]) -> str:
    if giver.effect == "write":
        return f"nobody calls {giver.name} to look something up"
    if any(leaf.required and labels[leaf.key].source == "internal" for leaf in giver.inputs):
        return f"{giver.name} needs an id first, so no task of another service starts there"
    if is_qualified(source):
        return f"{source.path!r} is somebody's part in a record, not the entry itself"
    return ""


def _objection_to_target(target: Leaf, taker: GraphTool) -> str:
    if taker.effect == "read" and not target.required:
        return f"{target.path!r} only narrows what {taker.name} lists"
    if words(taker.name)[0] in _TAKING_AWAY:
        return f"{taker.name} acts on what its own service already holds"
    return ""
