"""Embeddings by sentence-transformers, computed once and then read from disk."""

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from envfactory_resources.clients.embedding.model_source import (
    PACKAGED_MODEL,
    ModelSource,
    find_model,
)
from envfactory_resources.clients.embedding.offline_loading import (
    LoadedEncoder,
    load_sentence_transformer,
)
from envfactory_resources.clients.embedding.vector_cache import VectorCache
from envfactory_resources.clients.embedding.vectors import Vectors, unit_vectors


class SentenceTransformerEmbedding:
    """A sentence-transformers model that is loaded at the first text the cache does not know.

    May be shared by threads; several processes may share its cache folder.
    """

    def __init__(
        self,
        *,
        cache_dir: Path,
        model: str = PACKAGED_MODEL,
        model_id: str | None = None,
        device: str = "cpu",
        allow_download: bool = False,
    ) -> None:
        """Configure a model; nothing is read or loaded yet.

        Args:
            cache_dir: Where vectors are kept.
            model: The packaged model's name, a local folder, or a name on the model hub.
            model_id: The id of a local folder's model; by default its name and content hash.
            device: The torch device. Another device may round differently: use another
                `cache_dir` for it.
            allow_download: Whether a hub name may be fetched from the hub.
        """
        self._cache_dir = cache_dir
        self._model = model
        self._model_id = model_id
        self._device = device
        self._allow_download = allow_download
        self._lock = threading.RLock()

    @property
    def model_id(self) -> str:
        """The name that vectors and thresholds belong to."""
        return self._source.model_id

    @property
    def dimension(self) -> int:
        """The length of a vector: from the cache where it knows, else from the loaded model."""
        with self._lock:
            return self._cache.dimension() or self._compute([""]).shape[1]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, in order.

        Raises:
            EmbeddingModelUnavailableError: If a text is new and the model does not load.
            VectorCacheError: If new vectors cannot be kept.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        with self._lock:
            known = self._cache.get(texts)
            unknown = sorted(set(texts) - known.keys())
            if unknown:
                new = dict(zip(unknown, self._compute(unknown), strict=True))
                self._cache.put(new)
                known |= new
        return np.stack([known[text] for text in texts])

    @cached_property
    def _source(self) -> ModelSource:
        return find_model(self._model, self._model_id)

    @cached_property
    def _cache(self) -> VectorCache:
        return VectorCache(self._cache_dir, self._source.model_id)

    @cached_property
    def _loaded(self) -> LoadedEncoder:
        return load_sentence_transformer(
            self._source, device=self._device, allow_download=self._allow_download
        )

    def _compute(self, texts: Sequence[str]) -> Vectors:
        # One text at a time: what else is in a batch (its size, its padding) can change the last
        # bits of a vector, and rounding only makes that rarer.
        # For one short text several threads mostly wait for each other: one is eight times cheaper.
        from threadpoolctl import threadpool_limits

        encoder = self._loaded
        with threadpool_limits(limits=1):
            found = encoder.encode(list(texts), batch_size=1, show_progress_bar=False)
        return unit_vectors(found)
