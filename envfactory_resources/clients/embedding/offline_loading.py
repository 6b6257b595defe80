"""Loading a sentence-transformers model without the network."""

import os
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Protocol, cast

from envfactory_resources.clients.embedding.errors import EmbeddingModelUnavailableError
from envfactory_resources.clients.embedding.model_source import PACKAGED_MODEL, ModelSource
from envfactory_resources.clients.embedding.vectors import Vectors

_OFFLINE_VARIABLE = "HF_HUB_OFFLINE"


class LoadedEncoder(Protocol):
    """The part of a loaded model that is used here."""

    def encode(self, inputs: list[str], *, batch_size: int, show_progress_bar: bool) -> Vectors:
        """Return one vector a text."""
        ...


def load_sentence_transformer(
    source: ModelSource, *, device: str, allow_download: bool
) -> LoadedEncoder:
    """Load a model; unless downloading is allowed, nothing is asked of the network.

    Args:
        source: What to load.
        device: The torch device.
        allow_download: Whether a hub name may be fetched from the hub.

    Raises:
        EmbeddingModelUnavailableError: If the model does not load, whatever the reason.
    """
    with nullcontext() if allow_download else _hub_offline():
        from sentence_transformers import SentenceTransformer

        try:
            with _no_progress_bars():
                loaded = SentenceTransformer(
                    source.location, device=device, local_files_only=not allow_download
                )
        # The library reports a missing or broken model by many unrelated types.
        except Exception as error:
            reason = _first_sentence(error)
            raise EmbeddingModelUnavailableError(_advice(source, allow_download, reason)) from error
    return cast("LoadedEncoder", loaded)


def _advice(source: ModelSource, allow_download: bool, reason: str) -> str:
    if source.is_folder:
        return (
            f"Embedding model folder {source.location!r} does not load: {reason}. It must hold a "
            "sentence-transformers model (modules.json, config.json, weights, tokenizer); copy "
            f"it anew, or configure {PACKAGED_MODEL!r}."
        )
    tried = "the local hub cache and the hub" if allow_download else "the local hub cache, offline"
    return (
        f"Embedding model {source.location!r} does not load from {tried}: {reason}. Fetch it with "
        f"`hf download {source.location}`, allow downloads, give a local folder, or configure "
        f"{PACKAGED_MODEL!r}."
    )


def _first_sentence(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(".")


@contextmanager
def _hub_offline() -> Generator[None]:
    """Keep the hub client off the network for a while, then leave everything as it was.

    The variable alone does nothing once the hub client is imported, for it reads it only then;
    and left in place for the import it would keep the whole process offline for good.
    """
    from huggingface_hub import constants

    settings = constants.__dict__
    before, variable_before = settings[_OFFLINE_VARIABLE], os.environ.get(_OFFLINE_VARIABLE)
    settings[_OFFLINE_VARIABLE] = True
    os.environ[_OFFLINE_VARIABLE] = "1"
    try:
        yield
    finally:
        settings[_OFFLINE_VARIABLE] = before
        if variable_before is None:
            del os.environ[_OFFLINE_VARIABLE]
        else:
            os.environ[_OFFLINE_VARIABLE] = variable_before


@contextmanager
def _no_progress_bars() -> Generator[None]:
    from transformers.utils import logging

    was_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_enabled:
            logging.enable_progress_bar()
