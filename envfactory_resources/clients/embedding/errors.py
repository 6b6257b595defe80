"""Errors of the embedding clients.

EmbeddingError
├── EmbeddingModelUnavailableError   the model cannot be loaded from where it was looked for
├── UnknownThresholdError            nobody has measured a similarity threshold for the model
└── VectorCacheError                 the vector cache cannot be written, or mixes two models
"""


class EmbeddingError(Exception):
    """Anything an embedding client refuses or fails at."""


class EmbeddingModelUnavailableError(EmbeddingError):
    """The configured model is not where it was looked for, or does not load."""


class UnknownThresholdError(EmbeddingError):
    """No similarity threshold is known for a model."""


class VectorCacheError(EmbeddingError):
    """The vector cache cannot be written, or holds vectors of another dimension."""
