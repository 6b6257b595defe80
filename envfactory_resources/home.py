"""The home: the one folder that everything a run writes lies under."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "ENVFACTORY_HOME"
CHECKOUT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Home:
    """Where things lie under one root.

    Attributes:
        root: The folder itself; the warehouse's snapshot, log and payloads stand in it.
    """

    root: Path

    @classmethod
    def from_variables(cls, variables: Mapping[str, str]) -> "Home":
        """Return the home that `ENVFACTORY_HOME` names, else `.envfactory` in the checkout."""
        named = variables.get(VARIABLE)
        return cls(Path(named).expanduser().resolve() if named else CHECKOUT / ".envfactory")

    @property
    def dagster(self) -> Path:
        """Dagster's storage."""
        return self.root / "dagster"

    @property
    def vectors(self) -> Path:
        """Cached embedding vectors."""
        return self.root / "vectors"

    @property
    def replies(self) -> Path:
        """Cached replies of language models."""
        return self.root / "replies"

    @property
    def exports(self) -> Path:
        """Dataset files and graphs, for other programs."""
        return self.root / "exports"

    @property
    def checkpoints(self) -> Path:
        """Trained policies."""
        return self.root / "checkpoints"

    @property
    def pool(self) -> Path:
        """Environments that were generated or imported."""
        return self.root / "pool"

    @property
    def documents(self) -> Path:
        """Documents that proposals are read from, by domain."""
        return self.root / "documents"

    @property
    def decisions(self) -> Path:
        """What people decided about proposals, by domain."""
        return self.root / "decisions"

    @property
    def attempts(self) -> Path:
        """Candidate environments while they are tested, by content hash."""
        return self.root / "attempts"
