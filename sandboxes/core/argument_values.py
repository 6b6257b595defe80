"""Argument values for a tool: realistic ones, drawn from its schema and the states it acts on."""

import random
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from sandboxes.core.clock import add_days, add_minutes, day_of
from sandboxes.core.parameters import JsonObject, Parameter, without_null
from sandboxes.core.schema_limits import bounds, fits, is_number, literals, plain_text
from sandboxes.core.state_values import StateValues, row_value
from sandboxes.core.tool import Tool

_CANDIDATE_LIMIT = 12
_DAY_OFFSETS = (1, 2, 7, 0, 14, 30, -7)
_STAY_DAYS = (1, 2, 3, 5)
_MINUTE_OFFSETS = (60, 24 * 60, 26 * 60, 48 * 60, 7 * 24 * 60, -24 * 60)
_SPAN_MINUTES = (30, 60, 90, 120)
_TYPICAL_INTEGERS = (1, 2, 3, 5, 10, 20)
_TYPICAL_NUMBERS = (5.0, 10.0, 20.0, 50.0, 100.0, 250.0)
_HALF = 0.5
_NEXT_TIME_CHANCE = 0.75
_SOON = 3
_TRIES_PER_ITEM = 5


class ArgumentValues:
    """Draws arguments for one tool on given states; the same generator gives the same draws.

    Values come from the schema (literals, examples, defaults, bounds) and from what the states
    hold under the same identifier type or name. States carry no identifier types, so these are
    found by name (`RoomId`: leaves `room_id`, keys of a table `rooms`); `known` adds what tools
    were seen to return under a type.
    """

    def __init__(
        self,
        tool: Tool,
        states: Mapping[str, dict[str, JsonValue]],
        rng: random.Random,
        known: Mapping[str, Sequence[JsonValue]] | None = None,
    ) -> None:
        """Prepare to draw arguments.

        Args:
            tool: The tool to draw for.
            states: The states of the session, by environment id.
            rng: The only source of chance.
            known: Values by identifier type that earlier calls returned.
        """
        self._schema = tool.internal_input_schema
        self._parameters = {parameter.path: parameter for parameter in tool.inputs}
        self._nodes: dict[str, JsonObject] = {}
        _collect_leaves(self._schema, "", self._nodes)
        self._values = StateValues(states)
        self._rng = rng
        self._known = known or {}
        self._pools: dict[str, list[JsonValue]] = {}
        related = [parameter for parameter in tool.inputs if _is_related(parameter)]
        self._rows = [
            row
            for row in self._values.rows
            if sum(row_value(row, parameter) is not None for parameter in related) > 1
        ]
        self._row: JsonObject = {}
        self._previous = ""

    def candidates(self, parameter: Parameter) -> list[JsonValue]:
        """Return values worth trying for a parameter, best first, at most twelve."""
        pool = self._pool(parameter)
        if len(pool) <= _CANDIDATE_LIMIT:
            return list(pool)
        first = _CANDIDATE_LIMIT // 2
        spread = random.Random(parameter.path).sample(range(first, len(pool)), first)
        return pool[:first] + [pool[index] for index in sorted(spread)]

    def draw(self) -> dict[str, JsonValue]:
        """Draw the arguments of one call: what is required, and each optional one half the time.

        Days and moments ascend in order of declaration. Half of the draws take related ids from
        one row of a table, since a tool that asks for several ids asks for ones that belong
        together.
        """
        self._previous = ""
        use_row = bool(self._rows) and self._rng.random() < _HALF
        self._row = self._rng.choice(self._rows) if use_row else {}
        return cast("JsonObject", self._build(self._schema, ""))

    def _build(self, node: JsonObject, path: str) -> JsonValue:
        node = without_null(node)
        properties = node.get("properties")
        if isinstance(properties, dict):
            required = cast("list[str]", node.get("required", []))
            return {
                key: self._build(cast("JsonObject", child), _below(path, key))
                for key, child in properties.items()
                if key in required or self._rng.random() < _HALF
            }
        items = node.get("items")
        if isinstance(items, dict):
            return self._build_list(node, items, path)
        values = node.get("additionalProperties")
        if isinstance(values, dict):
            key = str(self._rng.choice(self._values.keys() or ["first"]))
            return {key: self._build(values, f"{path}{{}}")}
        return self._draw_leaf(self._parameters[path])

    def _build_list(self, node: JsonObject, items: JsonObject, path: str) -> list[JsonValue]:
        least = max(1, cast("int", node.get("minItems", 1)))
        most = max(least, min(least + 1, cast("int", node.get("maxItems", least + 1))))
        count = self._rng.randint(least, most)
        drawn: list[JsonValue] = []
        for _ in range(count * _TRIES_PER_ITEM):
            item = self._build(items, f"{path}[]")
            if item not in drawn:
                drawn.append(item)
            if len(drawn) == count:
                break
        missing = 0 if node.get("uniqueItems") else max(0, least - len(drawn))
        return drawn + drawn[:1] * missing

    def _draw_leaf(self, parameter: Parameter) -> JsonValue:
        if parameter.type in ("date", "date-time"):
            return self._draw_time(parameter)
        node = self._nodes[parameter.path]
        related = row_value(self._row, parameter) if _is_related(parameter) else None
        if fits(related, node):
            return related
        examples = [example for example in parameter.examples if fits(example, node)]
        if examples and self._rng.random() < _HALF:
            return self._rng.choice(examples)
        pool = self._pool(parameter)
        return self._rng.choice(pool) if pool else None

    def _draw_time(self, parameter: Parameter) -> str:
        pool = cast("list[str]", self._pool(parameter))
        later = [value for value in pool if value > self._previous]
        if self._previous and (not later or self._rng.random() < _NEXT_TIME_CHANCE):
            drawn = self._soon_after(self._previous, parameter)
        else:
            soon = pool[:_SOON] if self._rng.random() < _HALF else pool
            drawn = self._rng.choice([value for value in soon if value in later] or later or pool)
        self._previous = drawn
        return drawn

    def _soon_after(self, previous: str, parameter: Parameter) -> str:
        if parameter.type == "date":
            return add_days(day_of(previous), self._rng.choice(_STAY_DAYS))
        start = previous if "T" in previous else f"{previous}T09:00"
        return add_minutes(start, self._rng.choice(_SPAN_MINUTES))

    def _pool(self, parameter: Parameter) -> list[JsonValue]:
        if parameter.path not in self._pools:
            node = self._nodes[parameter.path]
            values: dict[str, JsonValue] = {}
            for value in self._sources(parameter, node):
                if fits(value, node):
                    values.setdefault(f"{type(value).__name__} {value}", value)
            self._pools[parameter.path] = list(values.values())
        return self._pools[parameter.path]

    def _sources(self, parameter: Parameter, node: JsonObject) -> list[JsonValue]:
        if parameter.enum:
            return literals(node)
        match parameter.type:
            case "boolean":
                return [True, False]
            case "date":
                return self._days(parameter)
            case "date-time":
                return self._moments(parameter)
            case "integer":
                return [round(n) for n in self._numbers(parameter, node, _TYPICAL_INTEGERS, 1)]
            case "number":
                return [round(n, 2) for n in self._numbers(parameter, node, _TYPICAL_NUMBERS, 0.5)]
            case _:
                return self._texts(parameter, node)

    def _texts(self, parameter: Parameter, node: JsonObject) -> list[JsonValue]:
        known = self._known.get(parameter.identifier or "", ())
        found = [*known, *self._values.named(parameter), *parameter.examples, parameter.default]
        if any(fits(value, node) for value in found):
            return found
        if parameter.identifier is not None:
            return self._values.keys()
        return [plain_text(parameter.name, node)]

    def _numbers(
        self, parameter: Parameter, node: JsonObject, typical: Sequence[float], step: float
    ) -> list[float]:
        named = sorted(value for value in self._values.named(parameter) if is_number(value))
        middle = named[len(named) // 2 : len(named) // 2 + 1]
        near = [value + delta for value in middle for delta in (0, -step, step)]
        low, high = bounds(node, step)
        ends = [bound for bound in (low, high) if bound is not None]
        declared = [value for value in (*parameter.examples, parameter.default) if is_number(value)]
        between = [sum(ends) / 2] if len(ends) > 1 else []
        return [*ends, *near, *between, *declared, *typical, *named[:1], *named[-1:]]

    def _days(self, parameter: Parameter) -> list[JsonValue]:
        now = self._values.now
        coming = [add_days(day_of(now), offset) for offset in _DAY_OFFSETS] if now else []
        named = [day_of(str(value)) for value in self._values.named(parameter)]
        days = [
            *coming[:_SOON],
            *named[:4],
            *coming[_SOON:],
            *self._values.days,
            *parameter.examples,
        ]
        return [day for day in days if _is_time(day, length=10)]

    def _moments(self, parameter: Parameter) -> list[JsonValue]:
        now = self._values.now
        coming = [add_minutes(now, offset) for offset in _MINUTE_OFFSETS] if now else []
        named = [str(value) for value in self._values.named(parameter)]
        moments = [*coming[:_SOON], *named[:4], *coming[_SOON:], *self._values.moments]
        return [moment for moment in (*moments, *parameter.examples) if _is_time(moment, length=16)]


def _collect_leaves(node: JsonObject, path: str, leaves: dict[str, JsonObject]) -> None:
    node = without_null(node)
    properties = node.get("properties")
    if isinstance(properties, dict):
        for key, child in properties.items():
            _collect_leaves(cast("JsonObject", child), _below(path, key), leaves)
        return
    for keyword, mark in (("items", "[]"), ("additionalProperties", "{}")):
        child = node.get(keyword)
        if isinstance(child, dict):
            _collect_leaves(child, f"{path}{mark}", leaves)
            return
    leaves[path] = node


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _is_related(parameter: Parameter) -> bool:
    is_text = parameter.type == "string" and not parameter.enum and not parameter.examples
    return is_text and not parameter.is_list


def _is_time(value: JsonValue, length: int) -> bool:
    return isinstance(value, str) and len(value) == length
