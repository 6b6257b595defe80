"""From which cosine similarity on two texts count as the same thing; it belongs to a model."""

from collections.abc import Mapping
from types import MappingProxyType

from envfactory_resources.clients.embedding.errors import UnknownThresholdError
from envfactory_resources.clients.embedding.model_source import PACKAGED_MODEL

DEFAULT_SIMILARITY_THRESHOLDS: Mapping[str, float] = MappingProxyType(
    {
        # Best F1 against the identifiers that the shipped tools declare (benchmarks/tool_graph.py).
        PACKAGED_MODEL: 0.85,
        # The published setting for "name (type): description" texts.
        "BAAI/bge-m3": 0.85,
        "hashing-256": 0.5,
    }
)


def similarity_threshold(model_id: str, overrides: Mapping[str, float] | None = None) -> float:
    """Return the threshold of a model.

    Args:
        model_id: The `model_id` of an embedding model.
        overrides: Thresholds by model id that win over the defaults.

    Raises:
        UnknownThresholdError: If neither table knows the model.
    """
    known = {**DEFAULT_SIMILARITY_THRESHOLDS, **(overrides or {})}
    if model_id not in known:
        raise UnknownThresholdError(
            f"No similarity threshold for embedding model {model_id!r}; known: {sorted(known)}. "
            "Measure one on texts whose matches you know and configure it for this model id."
        )
    return known[model_id]
