"""A task while its values are bound: what was done, what was said, and what things are called."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from envfactory_assets.records.queries import PlannedArgument, PlannedCall, Referent
from envfactory_assets.stages.queries.referents import is_own_id, label_of, referents_of
from sandboxes.core.json_paths import leaves_at, value_at
from sandboxes.core.parameters import JsonObject
from sandboxes.core.session import Session
from sandboxes.core.tool import Tool

Item = tuple[str, JsonValue, list[Referent]]


@dataclass(slots=True)
class BindingProgress:
    """What a task has done so far, and what was said of it.

    Attributes:
        session: Where its calls are carried out.
        rng: Every choice of the task.
        calls: The planned calls so far.
        results: What they returned.
        said: The first value that the user said for each parameter name and type.
        chosen: The item that was first taken from each list.
        called: What every label that was used stands for.
        labels: The label that each thing has since it was changed.
    """

    session: Session
    rng: random.Random
    calls: list[PlannedCall] = field(default_factory=list[PlannedCall])
    results: list[JsonObject] = field(default_factory=list[JsonObject])
    said: dict[tuple[str, str], JsonValue] = field(default_factory=dict[tuple[str, str], JsonValue])
    chosen: dict[tuple[int, str], str] = field(default_factory=dict[tuple[int, str], str])
    items: dict[tuple[int, str], list[Item]] = field(
        default_factory=dict[tuple[int, str], "list[Item]"]
    )
    called: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    labels: dict[str, str] = field(default_factory=dict[str, str])

    def items_of(self, step: int, pattern: str, tool: Tool) -> list[Item]:
        """Return what a step's result names at a path and a person can point at.

        Words that the task uses for something else already are no way to point at it, and neither
        is the label that something had before it was given another.
        """
        key = (step, pattern)
        if key not in self.items:
            result = self.results[step]
            self.items[key] = [
                (where, value, ways)
                for where, value in leaves_at(result, pattern)
                if (ways := referents_of(tool, result, where, pattern))
            ]
        return [
            (where, value, good)
            for where, value, ways in self.items[key]
            if (good := [way for way in ways if way.kind != "label" or self._is_good(way, value)])
            and not self._is_renamed(step, where, pattern, tool)
        ]

    def remember(
        self,
        planned: Sequence[PlannedArgument],
        tool: Tool,
        arguments: JsonObject,
        result: JsonObject,
    ) -> None:
        """Note a step that was carried out."""
        kinds = {parameter.path: parameter for parameter in tool.inputs}
        for argument in planned:
            if argument.source == "user":
                parameter = kinds[argument.path]
                self.said.setdefault((parameter.name, parameter.type), argument.value)
            else:
                self._remember_referents(argument)
        self.calls.append(
            PlannedCall(
                step=len(self.calls),
                tool=tool.wire_name,
                effect=tool.effect,
                arguments=arguments,
                provenance=tuple(planned),
                actor=tool.actor,
            )
        )
        self.results.append(result)
        if tool.effect == "write":
            self._remember_labels(tool, result)

    def _remember_referents(self, argument: PlannedArgument) -> None:
        labels = [way for way in argument.referents if way.kind == "label"]
        self.called |= {way.text.casefold(): argument.value for way in labels}
        if argument.source_step is not None and argument.source_path is not None:
            pattern = re.sub(r"\[\d+\]", "[]", argument.source_path)
            self.chosen.setdefault((argument.source_step, pattern), argument.source_path)

    def _remember_labels(self, tool: Tool, result: JsonObject) -> None:
        for leaf in tool.outputs:
            label = None if leaf.is_list else label_of(tool, result, leaf.path, leaf.path)
            if label and is_own_id(tool, leaf.path):
                self.labels[str(value_at(result, leaf.path))] = label[1]

    def _is_good(self, way: Referent, value: JsonValue) -> bool:
        return self.called.get(way.text.casefold(), value) == value

    def _is_renamed(self, step: int, where: str, pattern: str, tool: Tool) -> bool:
        label = label_of(tool, self.results[step], where, pattern)
        if label is None or not is_own_id(tool, pattern):
            return False
        value = str(value_at(self.results[step], where))
        return self.labels.get(value, label[1]) != label[1]
