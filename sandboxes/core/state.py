"""The state of an environment: one strict model with JSON text, hash and structural diff."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from sandboxes.core.canonical import canonical_json, content_hash
from sandboxes.core.clock import Clock

_JSON: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class Entity(BaseModel):
    """One thing inside a state (a hotel, a booking): strict, and mutable like the state."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class State(Entity):
    """The mutable state of one environment in one session.

    Subclasses add their tables, as `dict[SomeId, SomeEntity]`, and nothing that JSON cannot hold.
    """

    clock: Clock

    def dump(self) -> bytes:
        """Return the state as JSON; `load` gives the same state back."""
        return self.__pydantic_serializer__.to_json(self)

    @classmethod
    def load(cls, text: str | bytes) -> Self:
        """Read a state from JSON.

        Raises:
            pydantic.ValidationError: If the text is not a state of this class.
        """
        return cls.model_validate_json(text)

    def as_json(self) -> dict[str, JsonValue]:
        """Return the state as plain JSON values."""
        return _JSON.validate_python(self.__pydantic_serializer__.to_python(self, mode="json"))

    def canonical(self) -> str:
        """Return the canonical JSON text of the state."""
        return canonical_json(self.as_json())

    def hash(self) -> str:
        """Return the SHA-256 (hex) of the canonical JSON of the state."""
        return content_hash(self.as_json())


class Change(BaseModel):
    """One leaf that differs between two states.

    Attributes:
        path: Where, as `bookings.BK-1.status`; list items are numbered.
        before: The value before, `None` when it was absent.
        after: The value after, `None` when it is gone.
        kind: Whether the leaf was added, removed or changed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str
    before: JsonValue
    after: JsonValue
    kind: Literal["added", "removed", "changed"]


def diff(before: JsonValue, after: JsonValue, path: str = "") -> list[Change]:
    """Return every leaf that differs between two JSON values, in order of path."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            change
            for key in sorted(before.keys() | after.keys())
            for change in _diff_entry(before, after, key, f"{path}.{key}" if path else key)
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            change
            for index, (old, new) in enumerate(zip(before, after, strict=True))
            for change in diff(old, new, f"{path}[{index}]")
        ]
    if before == after and type(before) is type(after):
        return []
    return [Change(path=path, before=before, after=after, kind="changed")]


def _diff_entry(
    before: dict[str, JsonValue], after: dict[str, JsonValue], key: str, path: str
) -> list[Change]:
    if key not in before:
        return [Change(path=path, before=None, after=after[key], kind="added")]
    if key not in after:
        return [Change(path=path, before=before[key], after=None, kind="removed")]
    return diff(before[key], after[key], path)
