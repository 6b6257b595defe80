"""What the rounds need of the place where unreviewed code runs; nothing here imports that code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from sandboxes.core.catalog import EnvironmentSource
from sandboxes.core.session import Session
from sandboxes.verification.report import Report


@dataclass(frozen=True, slots=True)
class Look:
    """An environment that runs, seen from outside.

    Attributes:
        tools: Its tools: name on the wire, effect, description and both schemas.
        states: Initial states by scenario seed.
    """

    tools: tuple[dict[str, JsonValue], ...]
    states: Mapping[int, dict[str, JsonValue]]


class Verifier(Protocol):
    """Runs the file of an environment; may be shared by threads.

    The implementation that is used outside of tests keeps the code out of this process
    (`confined_verifier`).
    """

    def verify(self, source: EnvironmentSource, *, measures_mutation: bool) -> Report:
        """Put a file and its cases through the gates."""
        ...

    def look(self, source: EnvironmentSource, seeds: Sequence[int]) -> Look:
        """Return the tools of a file that runs, and its scenarios."""
        ...

    def open(self, source: EnvironmentSource, seed: int) -> Session:
        """Open a session on the scenario of a seed; whoever opens it closes it."""
        ...
