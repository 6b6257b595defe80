import pytest

from envfactory_resources.clients.embedding.errors import UnknownThresholdError
from envfactory_resources.clients.embedding.hashing_embedding import HashingEmbedding
from envfactory_resources.clients.embedding.model_source import PACKAGED_MODEL
from envfactory_resources.clients.embedding.similarity_threshold import similarity_threshold


def test_shipped_models_have_a_threshold_of_their_own():
    assert similarity_threshold(PACKAGED_MODEL) == similarity_threshold("BAAI/bge-m3") == 0.85
    assert 0 < similarity_threshold(HashingEmbedding().model_id) < 1


def test_a_configured_threshold_wins_over_the_default():
    assert similarity_threshold("BAAI/bge-m3", {"BAAI/bge-m3": 0.7}) == 0.7


def test_an_unknown_model_asks_for_a_threshold():
    with pytest.raises(UnknownThresholdError, match=r"'my-model'; known: \['BAAI/bge-m3'.*Measure"):
        similarity_threshold("my-model")
