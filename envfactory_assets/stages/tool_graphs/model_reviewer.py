"""The graph reviewer as a language model plays it."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.tool_graphs.descriptions import (
    bullets,
    describe_leaf,
    describe_tool,
)
from envfactory_assets.stages.tool_graphs.labels import Label
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, LeafKey
from envfactory_assets.stages.tool_graphs.model_completion import Completion, ModelCompleter
from envfactory_assets.stages.tool_graphs.precedence_rules import Precedence
from envfactory_assets.stages.tool_graphs.review import Review, RuleReviewer, Verdict
from envfactory_assets.stages.tool_graphs.similarity import Candidate
from envfactory_resources.clients.language_model.bounded_map import map_bounded
from envfactory_resources.clients.language_model.language_model import LanguageModel

_PROMPT = Path(__file__).parent / "prompts" / "feed_review.txt"
_BATCH = 40
_MISSED = "missed by similarity: "

_log = logging.getLogger(__name__)


class _FeedVerdict(BaseModel):
    """Whether to keep one numbered feed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    number: int
    keep: bool
    reason: str


class _FeedVerdicts(BaseModel):
    """Whether to keep each numbered feed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    verdicts: list[_FeedVerdict]


class ModelReviewer:
    """Reviews by asking a model.

    It judges what similarity proposed and what the rules would add, and then says what is still
    missing within each environment. A feed that it gives no verdict on in two tries is judged by
    rules, and so are the feeds of an input that only a tool can give and that it leaves without any;
    the reason says so.

    Attributes:
        made_by: What rows say about who decided.
        ignored: What the model proposed and could not be used, counted by reason.
    """

    def __init__(self, model: LanguageModel) -> None:
        """Take the model to ask."""
        self._role = ModelRole(model, "graph_reviewer")
        self._rules = RuleReviewer()
        self.made_by = self._role.made_by
        self.ignored: Counter[str] = Counter()

    def review(
        self,
        tools: Sequence[GraphTool],
        labels: Mapping[LeafKey, Label],
        candidates: Sequence[Candidate],
    ) -> Review:
        """Review one domain: verdicts on the candidates, missing feeds, precedences.

        Raises:
            RequestError: If the model cannot be reached.
        """
        rules = self._rules.review(tools, labels, candidates)
        proposals = [*rules.judged, *rules.added]
        verdicts = _without_starving(
            self._judge(proposals, tools, labels), proposals, tools, labels
        )
        completion = self._complete(tools, labels, verdicts, rules.precedences)
        judged, added = _split(verdicts, len(candidates))
        return Review(judged, (*added, *completion.added), completion.precedences)

    def review_links(
        self,
        tools: Sequence[GraphTool],
        labels: Mapping[LeafKey, Label],
        candidates: Sequence[Candidate],
    ) -> Review:
        """Review feeds between domains: verdicts on the candidates and on what rules would add.

        Raises:
            RequestError: If the model cannot be reached.
        """
        rules = self._rules.review_links(tools, labels, candidates)
        verdicts = self._judge([*rules.judged, *rules.added], tools, labels)
        return Review(*_split(verdicts, len(candidates)), ())

    def _judge(
        self,
        proposals: Sequence[Verdict],
        tools: Sequence[GraphTool],
        labels: Mapping[LeafKey, Label],
    ) -> list[Verdict]:
        """Return the model's verdict on each proposal, given the rules' verdicts."""
        by_name = {tool.tool: tool for tool in tools}
        numbered = list(enumerate(proposals, start=1))
        batches = [numbered[start : start + _BATCH] for start in range(0, len(numbered), _BATCH)]

        def judge_batch(batch: list[tuple[int, Verdict]]) -> dict[int, Verdict]:
            feeds = dict(batch)

            def ask(numbers: Sequence[int], note: str) -> dict[int, Verdict]:
                asked = {number: feeds[number] for number in numbers}
                question = _question(asked, by_name, labels, note)
                return _agreed(self._role.ask(_PROMPT, question, _FeedVerdicts).verdicts, asked)

            return self._role.ask_about(list(feeds), ask)

        answers = map_bounded(
            judge_batch, batches, max_concurrency=self._role.model.max_concurrency
        )
        given = {number: verdict for answer in answers for number, verdict in answer.items()}
        if len(given) < len(numbered):
            left = len(numbered) - len(given)
            _log.warning("%s: %d verdicts come from rules", self.made_by, left)
        return [given.get(number) or _by_rules(verdict) for number, verdict in numbered]

    def _complete(
        self,
        tools: Sequence[GraphTool],
        labels: Mapping[LeafKey, Label],
        verdicts: Sequence[Verdict],
        by_rules: Sequence[Precedence],
    ) -> Completion:
        ordered = sorted(tools, key=lambda tool: (tool.environment_id, tool.tool))
        groups = [list(group) for _, group in groupby(ordered, lambda tool: tool.environment_id)]
        completer = ModelCompleter(self._role, labels, verdicts, by_rules)
        found = map_bounded(
            completer.complete, groups, max_concurrency=self._role.model.max_concurrency
        )
        ignored = sum((item.ignored for item in found), Counter[str]())
        if ignored:
            _log.warning("%s: ignored proposals: %s", self.made_by, dict(ignored))
        self.ignored += ignored
        return Completion(
            added=tuple(verdict for item in found for verdict in item.added),
            precedences=tuple(order for item in found for order in item.precedences),
            ignored=ignored,
        )


def _question(
    feeds: Mapping[int, Verdict],
    tools: Mapping[str, GraphTool],
    labels: Mapping[LeafKey, Label],
    note: str,
) -> str:
    named = {leaf.tool for feed in feeds.values() for leaf in (feed.source, feed.target)}
    parts = [f"Tools:\n{bullets(describe_tool(tools[name]) for name in sorted(named))}"]
    parts += [
        f"{number}. output of {feed.source.tool}: {describe_leaf(feed.source)}\n"
        f"   to input of {feed.target.tool} ({labels[feed.target.key].source}): "
        f"{describe_leaf(feed.target)}"
        for number, feed in feeds.items()
    ]
    return "\n\n".join([*parts, note] if note else parts)


def _agreed(verdicts: Sequence[_FeedVerdict], asked: Mapping[int, Verdict]) -> dict[int, Verdict]:
    """Return the verdicts on what was asked, without feeds that were judged both ways."""
    answers: dict[int, set[bool]] = {}
    found: dict[int, Verdict] = {}
    for item in verdicts:
        if item.number in asked and item.reason.strip():
            answers.setdefault(item.number, set()).add(item.keep)
            feed = replace(asked[item.number], kept=item.keep, reason=item.reason.strip())
            found.setdefault(item.number, feed)
    return {number: feed for number, feed in found.items() if len(answers[number]) == 1}


def _by_rules(verdict: Verdict) -> Verdict:
    reason = f"by rules, as the model gave no verdict: {verdict.reason}"
    return replace(verdict, reason=reason)


def _without_starving(
    verdicts: Sequence[Verdict],
    by_rules: Sequence[Verdict],
    tools: Sequence[GraphTool],
    labels: Mapping[LeafKey, Label],
) -> list[Verdict]:
    """Return the verdicts, those of the rules for an input that nothing would feed any more."""
    starving = {
        leaf.key
        for tool in tools
        for leaf in tool.inputs
        if leaf.required and labels[leaf.key].source == "internal"
    } - {item.target.key for item in verdicts if item.kept and item.source.tool != item.target.tool}
    return [
        _kept_by_rules(rule) if rule.kept and rule.target.key in starving else verdict
        for verdict, rule in zip(verdicts, by_rules, strict=True)
    ]


def _kept_by_rules(verdict: Verdict) -> Verdict:
    said = verdict.reason.removeprefix(_MISSED)
    return replace(verdict, reason=f"by rules, as the model kept no source of this input: {said}")


def _split(
    verdicts: Sequence[Verdict], candidate_count: int
) -> tuple[tuple[Verdict, ...], tuple[Verdict, ...]]:
    """Return the verdicts on the candidates, and those of the rules' additions that are kept."""
    added = [verdict for verdict in verdicts[candidate_count:] if verdict.kept]
    return tuple(verdicts[:candidate_count]), tuple(_as_missed(verdict) for verdict in added)


def _as_missed(verdict: Verdict) -> Verdict:
    return replace(verdict, reason=f"{_MISSED}{verdict.reason.removeprefix(_MISSED)}")
