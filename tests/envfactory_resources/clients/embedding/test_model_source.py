import shutil

import pytest

from envfactory_resources.clients.embedding.errors import EmbeddingModelUnavailableError
from envfactory_resources.clients.embedding.model_source import PACKAGED_MODEL, find_model


def test_the_default_model_comes_from_its_package():
    source = find_model(PACKAGED_MODEL)

    assert source.model_id == PACKAGED_MODEL
    assert source.is_folder
    assert source.location.endswith("model")


def test_a_folder_is_identified_by_its_content_and_not_by_its_place(tmp_path):
    first, copy = tmp_path / "a" / "mine", tmp_path / "b" / "mine"
    first.mkdir(parents=True)
    (first / "model.safetensors").write_bytes(b"weights")
    shutil.copytree(first, copy)

    model_id = find_model(str(first)).model_id

    assert model_id.startswith("mine@")
    assert find_model(str(copy)).model_id == model_id
    (copy / "model.safetensors").write_bytes(b"Weights")
    assert find_model(str(copy)).model_id != model_id


def test_a_folder_can_be_given_the_id_of_the_model_it_holds(tmp_path):
    assert find_model(str(tmp_path), "BAAI/bge-m3").model_id == "BAAI/bge-m3"


def test_any_other_name_is_a_name_on_the_hub():
    source = find_model("BAAI/bge-m3")

    assert (source.location, source.model_id, source.is_folder) == ("BAAI/bge-m3",) * 2 + (False,)


@pytest.mark.parametrize("path", ["/no/such/folder", "./nowhere", "~/nowhere", "a/b/c"])
def test_a_missing_folder_is_named_with_what_to_do(path):
    with pytest.raises(EmbeddingModelUnavailableError, match=r"does not exist\. Correct the path"):
        find_model(path)
