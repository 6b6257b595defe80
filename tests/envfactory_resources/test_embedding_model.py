import pytest

from envfactory_resources.clients.embedding.errors import (
    EmbeddingModelUnavailableError,
    UnknownThresholdError,
)
from envfactory_resources.embedding_model import embedding_of
from envfactory_resources.home import Home
from envfactory_resources.profiles import Profile


def test_the_packaged_model_comes_with_its_threshold(tmp_path):
    embedding = embedding_of(Profile(name="mine"), Home(tmp_path))

    assert embedding.model.model_id == "sentence-transformers/all-MiniLM-L6-v2"
    assert 0 < embedding.threshold < 1


def test_a_threshold_of_the_profile_wins(tmp_path):
    assert (
        embedding_of(Profile(name="mine", similarity_threshold=0.4), Home(tmp_path)).threshold
        == 0.4
    )


def test_a_model_of_ones_own_needs_a_threshold(tmp_path):
    (tmp_path / "model").mkdir()
    profile = Profile(name="mine", embedding_model=str(tmp_path / "model"))

    with pytest.raises(UnknownThresholdError):
        embedding_of(profile, Home(tmp_path))
    measured = profile.model_copy(update={"similarity_threshold": 0.7})
    assert embedding_of(measured, Home(tmp_path)).threshold == 0.7


def test_a_folder_that_is_not_there_is_named(tmp_path):
    profile = Profile(name="mine", embedding_model=str(tmp_path / "model"))

    with pytest.raises(EmbeddingModelUnavailableError, match="does not exist"):
        embedding_of(profile, Home(tmp_path))


def test_making_one_writes_nothing(tmp_path):
    embedding_of(Profile(name="mine"), Home(tmp_path))

    assert list(tmp_path.iterdir()) == []
