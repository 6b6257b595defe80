import pytest

from envfactory_assets.stages.proposals.openapi_paths import read_path

THING = {"type": "object", "properties": {"id": {}, "name": {}}}
THINGS = {"type": "array", "items": THING}


@pytest.mark.parametrize(
    ("method", "path", "result", "operation", "entity"),
    [
        ("get", "/v2/pets", THINGS, "list", "pet"),
        ("get", "/pets/{petId}", THING, "read", "pet"),
        ("post", "/api/v1/pets", THING, "create", "pet"),
        ("put", "/pets/{petId}", THING, "update", "pet"),
        ("post", "/pets/{petId}", THING, "update", "pet"),
        ("delete", "/pets/{petId}", {}, "delete", "pet"),
        ("get", "/order-items/{id}.json", THING, "read", "order_item"),
        ("get", "/people/{id}/addresses", THINGS, "list", "address"),
        ("post", "/people/{id}/addresses", THING, "create", "address"),
        ("get", "/pets/findByStatus", THINGS, "search", "pet"),
        ("post", "/pets/search", THINGS, "search", "pet"),
        ("get", "/search", THINGS, "other", None),
        ("post", "/pets/{petId}/feed:now", THING, "other", "feed"),
        ("post", "/pets/{petId}/uploadImage", THING, "other", "pet"),
        ("get", "/pets/{petId}/status", THING, "other", "pet"),
        ("get", "/me", THING, "other", None),
        ("delete", "/pets", {}, "other", "pet"),
        ("get", "/repos/{owner}/{repo}", THING, "read", "repo"),
        ("get", "/pets/{from}-{to}", THING, "other", None),
        ("get", "/", THING, "other", None),
    ],
)
def test_a_path_says_what_is_done_to_what(method, path, result, operation, entity):
    reading = read_path(method, path, "", result, has_body=method in ("post", "put"))

    assert (reading.operation, reading.entity) == (operation, entity)


def test_each_parameter_belongs_to_the_thing_before_it():
    reading = read_path("get", "/teams/{a}/people/{b}/pets", "", THINGS, has_body=False)

    assert reading.owners == {"a": "team", "b": "person"}


def test_the_last_parameter_is_the_key():
    reading = read_path("get", "/repos/{owner}/{name}", "", THING, has_body=False)

    assert reading.key == "name"
