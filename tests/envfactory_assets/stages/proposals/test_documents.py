import json

import pytest

from envfactory_assets.stages.proposals.document_errors import DocumentError
from envfactory_assets.stages.proposals.documents import parse, read_documents
from envfactory_assets.stages.proposals.import_settings import ImportSettings


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "commerce").mkdir()
    return tmp_path


def put(folder, name, text='{"tools": []}'):
    (folder / "commerce" / name).write_text(text, encoding="utf-8")


def reasons(folder, **settings):
    found = read_documents(folder, "commerce", ImportSettings(**settings))
    return {one.address: one.reason for one in found.refused}


def test_documents_are_read_by_name_kind_and_ending(folder):
    put(folder, "shop.openapi.yaml", "openapi: 3.1.0\n")
    put(folder, "desk.mcp_tools.json")
    put(folder, "bank.tool_metadata.json")

    found = read_documents(folder, "commerce")

    assert [(one.name, one.kind, one.domain, one.address) for one in found.documents] == [
        ("bank", "tool_metadata", "commerce", "commerce/bank.tool_metadata.json"),
        ("desk", "mcp_tools", "commerce", "commerce/desk.mcp_tools.json"),
        ("shop", "openapi", "commerce", "commerce/shop.openapi.yaml"),
    ]
    assert found.documents[2].content == {"openapi": "3.1.0"}
    assert found.refused == ()


def test_a_domain_without_a_folder_has_no_documents(tmp_path):
    assert read_documents(tmp_path, "commerce").documents == ()


def test_a_broken_document_stops_no_other(folder):
    put(folder, "a.mcp_tools.json", '{"tools": [}')
    put(folder, "b.mcp_tools.json")

    found = read_documents(folder, "commerce")

    assert [one.name for one in found.documents] == ["b"]
    assert found.refused[0].address == "commerce/a.mcp_tools.json"
    assert found.refused[0].reason == "Not JSON: Expecting value at line 1, column 12."


def test_wrong_kinds_and_names_are_refused_with_what_is_allowed(folder):
    put(folder, "shop.swagger.json")
    put(folder, "Shop-2.openapi.json")

    told = reasons(folder)

    assert (
        "kind one of ['openapi', 'mcp_tools', 'tool_metadata']"
        in told["commerce/shop.swagger.json"]
    )
    assert "snake-case" in told["commerce/Shop-2.openapi.json"]


def test_of_two_documents_with_one_name_the_first_counts(folder):
    put(folder, "shop.mcp_tools.json")
    put(folder, "shop.openapi.json", "{}")

    found = read_documents(folder, "commerce")

    assert [one.kind for one in found.documents] == ["mcp_tools"]
    assert "is taken by 'commerce/shop.mcp_tools.json'" in found.refused[0].reason


def test_a_file_beyond_the_limit_is_refused(folder):
    put(folder, "shop.openapi.json", "{}" + " " * 100)

    told = reasons(folder, max_document_bytes=50)

    assert told["commerce/shop.openapi.json"] == "The file has 102 bytes; at most 50 are read."


def test_a_file_that_is_no_text_is_refused(folder):
    (folder / "commerce" / "shop.openapi.json").write_bytes(b"\xff\xfe\x00")

    assert "is not UTF-8" in reasons(folder)["commerce/shop.openapi.json"]


@pytest.mark.parametrize(
    ("text", "is_yaml", "reason"),
    [
        ("{'a': 1}", False, "Not JSON"),
        ('{"a": NaN}', False, "NaN is no JSON number"),
        ("[" * 3000, False, "nested too deeply|Not JSON"),
        ("[" * 500 + "]" * 500, False, "nested"),
        ("a: [1", True, "Not YAML: .* at line"),
        ("a: !!python/object:os.system {}", True, "Not YAML"),
        ("&a [*a]", True, "nested deeper|Not YAML"),
    ],
)
def test_what_is_no_document_is_refused(text, is_yaml, reason):
    with pytest.raises(DocumentError, match=reason):
        parse(text, is_yaml=is_yaml)


def test_aliases_that_multiply_are_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for index in range(1, 9):
        aliases = ", ".join([f"*a{index - 1}"] * 10)
        lines.append(f"a{index}: &a{index} [{aliases}]")

    with pytest.raises(DocumentError, match="more than"):
        parse("\n".join(lines), is_yaml=True)


def test_what_yaml_knows_and_json_does_not_becomes_text():
    value = parse("200: 2026-03-02\ntrue: .nan\n", is_yaml=True)

    assert value == {"200": "2026-03-02", "true": None}
    assert json.loads(json.dumps(value)) == value
