"""The parameter labeller as a language model plays it."""

import logging
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from envfactory_assets.records.tool_graphs import Source
from envfactory_assets.stages.model_role import ModelRole
from envfactory_assets.stages.tool_graphs.descriptions import (
    bullets,
    describe_leaf,
    describe_tool,
)
from envfactory_assets.stages.tool_graphs.labels import Label, RuleLabeller
from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf, LeafKey
from envfactory_resources.clients.language_model.bounded_map import map_bounded
from envfactory_resources.clients.language_model.language_model import LanguageModel

_PROMPT = Path(__file__).parent / "prompts" / "parameter_labeller.txt"
_BATCH = 8

_log = logging.getLogger(__name__)


class _InputLabel(BaseModel):
    """Who gives one input."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    tool: str
    parameter: str
    source: Source
    reason: str


class _InputLabels(BaseModel):
    """Who gives each input."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    labels: list[_InputLabel]


class ModelLabeller:
    """Labels inputs by asking a model, a few tools of one environment in a request.

    What the model leaves out or contradicts itself about is asked once more, and then taken from
    rules; the reason says so.
    """

    def __init__(self, model: LanguageModel) -> None:
        """Take the model to ask."""
        self._role = ModelRole(model, "parameter_labeller")
        self.made_by = self._role.made_by

    def label(self, tools: Sequence[GraphTool]) -> Mapping[LeafKey, Label]:
        """Return a label for every input leaf of some tools.

        Raises:
            RequestError: If the model cannot be reached.
        """
        answers = map_bounded(
            self._label_batch, _batches(tools), max_concurrency=self._role.model.max_concurrency
        )
        given = {key: label for answer in answers for key, label in answer.items()}
        by_rules = RuleLabeller().label(tools)
        missing = [key for key in by_rules if key not in given]
        if missing:
            _log.warning("%s: %d labels come from rules: %s", self.made_by, len(missing), missing)
        return {
            key: given.get(key)
            or Label(rule.source, f"by rules, as the model gave no label: {rule.reason}")
            for key, rule in by_rules.items()
        }

    def _label_batch(self, batch: tuple[list[GraphTool], list[GraphTool]]) -> dict[LeafKey, Label]:
        neighbours, tools = batch
        leaves = {leaf.key: leaf for tool in tools for leaf in tool.inputs}

        def ask(keys: Sequence[LeafKey], note: str) -> dict[LeafKey, Label]:
            question = _question(neighbours, tools, [leaves[key] for key in keys], note)
            return _agreed(self._role.ask(_PROMPT, question, _InputLabels).labels, set(keys))

        return self._role.ask_about(list(leaves), ask)


def _batches(tools: Sequence[GraphTool]) -> list[tuple[list[GraphTool], list[GraphTool]]]:
    """Return tools with inputs, a few at a time, each time with all tools of the environment."""
    ordered = sorted(tools, key=lambda tool: (tool.environment_id, tool.tool))
    batches: list[tuple[list[GraphTool], list[GraphTool]]] = []
    for _, group in groupby(ordered, key=lambda tool: tool.environment_id):
        neighbours = list(group)
        asked = [tool for tool in neighbours if tool.inputs]
        batches += [
            (neighbours, asked[start : start + _BATCH]) for start in range(0, len(asked), _BATCH)
        ]
    return batches


def _question(
    neighbours: Sequence[GraphTool], tools: Sequence[GraphTool], leaves: Sequence[Leaf], note: str
) -> str:
    parts = [f"The tools of the service:\n{bullets(map(describe_tool, neighbours))}"]
    for tool in tools:
        asked = [describe_leaf(leaf) for leaf in leaves if leaf.tool == tool.tool]
        if asked:
            parts.append(f"Inputs of {tool.tool}:\n{bullets(asked)}")
    return "\n\n".join([*parts, note] if note else parts)


def _agreed(labels: Sequence[_InputLabel], asked: set[LeafKey]) -> dict[LeafKey, Label]:
    """Return the labels of what was asked about, without leaves that were labelled both ways."""
    found: dict[LeafKey, Label] = {}
    sources: dict[LeafKey, set[Source]] = {}
    for item in labels:
        key = (item.tool, item.parameter)
        if key in asked and item.reason.strip():
            sources.setdefault(key, set()).add(item.source)
            found.setdefault(key, Label(item.source, item.reason.strip()))
    return {key: label for key, label in found.items() if len(sources[key]) == 1}
