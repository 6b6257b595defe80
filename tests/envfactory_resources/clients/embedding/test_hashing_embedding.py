import hashlib

import numpy as np
import pytest

from envfactory_resources.clients.embedding.embedding_model import EmbeddingModel
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding


def test_vectors_have_length_one_and_the_promised_shape():
    model: EmbeddingModel = HashingEmbedding(64)

    vectors = model.encode(["hotel_id (string): hotel identifier", "city", ""])

    assert vectors.shape == (3, model.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors[:2], axis=1), 1.0, atol=1e-5)


def test_similar_spellings_are_more_similar_than_unrelated_texts():
    hotel, hotels, payment = HashingEmbedding().encode(["hotel id", "Hotel  IDs", "payment due"])

    assert hotel @ hotels > 0.5 > hotel @ payment


def test_vectors_are_the_same_bytes_in_every_process():
    digest = hashlib.sha256(HashingEmbedding(32).encode(["hotel id"]).tobytes()).hexdigest()

    assert digest == "b091b2c65f7050fecc4ec22fdd4f67e9eb1a1916cc36f41a5fa1222579bcafc3"


def test_no_texts_give_no_rows():
    assert HashingEmbedding(8).encode([]).shape == (0, 8)


def test_a_dimension_below_one_is_refused():
    with pytest.raises(ValueError, match="dimension is 0"):
        HashingEmbedding(0)
