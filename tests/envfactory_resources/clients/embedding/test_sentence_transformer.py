import os
import subprocess
import sys

import numpy as np
import pytest

from envfactory_resources.clients.embedding.errors import EmbeddingModelUnavailableError
from envfactory_resources.clients.embedding.model_source import PACKAGED_MODEL
from envfactory_resources.clients.embedding.sentence_transformer import SentenceTransformerEmbedding

TEXTS = [
    "hotel_id (string): identifier of the hotel",
    "accommodation (string): the hotel's id",
    "amount (number): how much money to transfer",
    "city",
    "a long description that needs more tokens than its neighbours " * 3,
]

CACHED_RUN = """
import sys, pathlib
from envfactory_resources.clients.embedding.sentence_transformer import SentenceTransformerEmbedding
model = SentenceTransformerEmbedding(cache_dir=pathlib.Path(sys.argv[1]))
vectors = model.encode(["city"])
heavy = {"sentence_transformers", "torch", "transformers"} & sys.modules.keys()
print(model.dimension, vectors.shape, sorted(heavy))
"""


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("vectors")


@pytest.fixture(scope="module")
def warm(cache_dir):
    """The packaged model after it has seen all texts in one call."""
    model = SentenceTransformerEmbedding(cache_dir=cache_dir)
    model.encode(TEXTS)
    return model


def test_vectors_are_normalised_float32_of_the_models_dimension(warm):
    vectors = warm.encode(TEXTS)

    assert vectors.shape == (len(TEXTS), warm.dimension) == (len(TEXTS), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)


def test_paraphrases_are_more_similar_than_other_parameters(warm):
    hotel, accommodation, amount = warm.encode(TEXTS[:3])

    assert hotel @ accommodation > 0.5 > hotel @ amount


def test_what_else_is_in_a_call_does_not_change_a_byte_of_a_vector(warm, tmp_path):
    model = SentenceTransformerEmbedding(cache_dir=tmp_path)

    one_by_one = [model.encode([text]) for text in reversed(TEXTS)]

    assert np.concatenate(one_by_one[::-1]).tobytes() == warm.encode(TEXTS).tobytes()


def test_a_fully_cached_run_imports_no_model_library(warm, cache_dir):
    assert warm.dimension == 384

    ran = subprocess.run(
        [sys.executable, "-c", CACHED_RUN, str(cache_dir)],
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.strip() == "384 (1, 384) []"


def test_no_texts_give_no_rows(warm):
    assert warm.encode([]).shape == (0, 384)


def test_loading_leaves_the_hub_settings_as_they_were(warm, tmp_path):
    from huggingface_hub import constants

    assert warm.model_id == PACKAGED_MODEL
    before = (os.environ.get("HF_HUB_OFFLINE"), constants.HF_HUB_OFFLINE)

    SentenceTransformerEmbedding(cache_dir=tmp_path).encode(["text"])

    assert (os.environ.get("HF_HUB_OFFLINE"), constants.HF_HUB_OFFLINE) == before


def test_a_hub_name_that_is_not_on_this_machine_says_what_was_tried_and_what_to_do(tmp_path):
    model = SentenceTransformerEmbedding(cache_dir=tmp_path, model="no-owner/no-model")

    with pytest.raises(
        EmbeddingModelUnavailableError,
        match=r"'no-owner/no-model' does not load from the local hub cache, offline: .*hf download",
    ):
        model.encode(["text"])


def test_a_folder_without_a_model_says_what_it_must_hold(tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    model = SentenceTransformerEmbedding(cache_dir=tmp_path / "vectors", model=str(folder))

    with pytest.raises(
        EmbeddingModelUnavailableError, match="It must hold a sentence-transformers"
    ):
        model.encode(["text"])
