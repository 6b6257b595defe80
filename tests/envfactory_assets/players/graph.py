"""Players of the roles that label parameters and review the tool graph."""

import re

from envfactory_resources.clients.fake_messages.replies import StructuredReply, TextReply
from tests.envfactory_assets.players.spoken import chance, question_of

_INPUTS = re.compile(r"^Inputs of (\S+):$")
_LEAF = re.compile(r"^- (\S+) \(")
_FEED = re.compile(
    r"^(\d+)\. output of (\S+): (\S+) .*\n   to input of (\S+) \((\w+)\): (\S+) ", re.MULTILINE
)


def label(request):
    """Say that ids are internal; leave some inputs out, label some both ways."""
    labels, tool = [], ""
    rng = chance("label", request.last_user)
    for line in request.last_user.splitlines():
        if found := _INPUTS.match(line):
            tool = found[1]
        elif tool and (found := _LEAF.match(line)):
            name = found[1].rstrip("[]")
            source = "internal" if name.endswith(("_id", "_ids")) else "external"
            given = {"tool": tool, "parameter": found[1], "source": source, "reason": "Its name."}
            if rng.random() < 0.05:
                continue
            labels.append(given)
            if rng.random() < 0.03:
                labels.append({**given, "source": "external", "reason": "Or not."})
    return StructuredReply({"labels": labels})


def review(request):
    """Keep feeds of equal names into internal inputs, which leaves some without any.

    Completes a graph with a feed of nothing.
    """
    if "You complete a graph" in request.system:
        if chance("complete", request.last_user).random() < 0.3:
            return TextReply("Nothing is missing, I believe.")
        nothing = {
            "source_tool": "nobody__nothing",
            "source_parameter": "nothing",
            "target_tool": "nobody__nothing",
            "target_parameter": "nothing",
            "reason": "A try.",
        }
        return StructuredReply({"feeds": [nothing], "orders": []})
    rng = chance("review", request.last_user)
    verdicts = [
        {"number": int(number), "keep": _is_same(source, target, kind), "reason": "By its name."}
        for number, _, source, _, kind, target in _FEED.findall(question_of(request))
        if rng.random() > 0.05
    ]
    return StructuredReply({"verdicts": verdicts})


def _is_same(source, target, kind):
    return kind == "internal" and _last(source) == _last(target)


def _last(path):
    name = re.split(r"[.\[\]]+", path.rstrip("[]"))[-1]
    return name[:-1] if name.endswith("_ids") else name
