"""What the stages ask of an embedding model."""

from collections.abc import Sequence
from typing import Protocol

from envfactory_resources.clients.embedding.vectors import Vectors


class EmbeddingModel(Protocol):
    """Turns texts into vectors whose dot product is their cosine similarity."""

    @property
    def model_id(self) -> str:
        """The name that vectors and thresholds belong to; never a path of this machine."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, in order; a text's bytes do not depend on its neighbours."""
        ...
