import logging
import multiprocessing

import numpy as np
import pytest

from envfactory_resources.clients.embedding.errors import VectorCacheError
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding
from envfactory_resources.clients.embedding.vector_cache import VectorCache


def vectors_of(*texts):
    return dict(zip(texts, HashingEmbedding(8).encode(texts), strict=True))


def test_a_second_cache_on_the_folder_finds_what_the_first_kept(tmp_path):
    kept = vectors_of("a", "b")
    VectorCache(tmp_path, "model").put(kept)

    found = VectorCache(tmp_path, "model").get(["b", "unknown", "a"])

    assert found.keys() == {"a", "b"}
    assert all(found[text].tobytes() == kept[text].tobytes() for text in kept)


def test_vectors_kept_after_opening_are_found_without_reopening(tmp_path):
    early = VectorCache(tmp_path, "model")
    assert early.get(["a"]) == {}

    VectorCache(tmp_path, "model").put(vectors_of("a"))

    assert early.get(["a"]).keys() == {"a"}


def test_one_model_never_sees_the_vectors_of_another(tmp_path):
    VectorCache(tmp_path, "owner/model").put(vectors_of("a"))

    assert VectorCache(tmp_path, "owner:model").get(["a"]) == {}


def test_a_damaged_file_is_skipped_with_a_warning_and_repaired_by_the_next_put(tmp_path, caplog):
    VectorCache(tmp_path, "model").put(vectors_of("a"))
    VectorCache(tmp_path, "model").put(vectors_of("b"))
    (damaged, *_) = sorted(tmp_path.rglob("*.npz"))
    damaged.write_bytes(damaged.read_bytes()[:-40])

    cache = VectorCache(tmp_path, "model")
    with caplog.at_level(logging.WARNING):
        found = cache.get(["a", "b"])
    assert len(found) == 1
    assert "damaged vector cache file" in caplog.text

    cache.put(vectors_of(*({"a", "b"} - found.keys())))
    assert VectorCache(tmp_path, "model").get(["a", "b"]).keys() == {"a", "b"}


def test_leftovers_of_a_killed_writer_are_ignored(tmp_path):
    cache = VectorCache(tmp_path, "model")
    cache.put(vectors_of("a"))
    next(tmp_path.rglob("*.npz")).with_suffix(".123-4.tmp").write_bytes(b"half a file")

    assert VectorCache(tmp_path, "model").get(["a"]).keys() == {"a"}


def test_vectors_of_another_length_under_the_same_id_are_refused(tmp_path):
    cache = VectorCache(tmp_path, "model")
    cache.put(vectors_of("a"))

    with pytest.raises(VectorCacheError, match="length 8, the new ones 3: two models share one id"):
        cache.put({"b": np.zeros(3, dtype=np.float32)})


def test_a_folder_that_cannot_be_written_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(VectorCacheError, match=r"Cannot write vectors below .* Free space"):
        VectorCache(tmp_path / "file", "model").put(vectors_of("a"))


def keep_thirty(folder, first):
    cache = VectorCache(folder, "model")
    for number in range(first, first + 30):
        cache.put(vectors_of(f"text {number}"))


def test_several_processes_keep_vectors_at_once_and_lose_none(tmp_path):
    context = multiprocessing.get_context("spawn")
    starts = (0, 15, 30)
    processes = [context.Process(target=keep_thirty, args=(tmp_path, n)) for n in starts]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0, 0, 0]
    texts = [f"text {number}" for number in range(60)]
    assert VectorCache(tmp_path, "model").get(texts).keys() == set(texts)
    assert not list(tmp_path.rglob("*.tmp"))
