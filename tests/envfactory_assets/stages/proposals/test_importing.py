import copy
import json
import keyword

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.proposals.documents import Document
from envfactory_assets.stages.proposals.importing import import_documents, import_folder
from sandboxes.core.canonical import canonical_json
from tests.envfactory_assets.stages.proposals.small_documents import desk, shop


def one_of_words(text):
    return st.sampled_from(text.split())


SCALARS = (
    st.none()
    | st.sampled_from([10**400, 1e308, -0.0])
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
)
NAMES = one_of_words(
    "id name petId pet_id q limit data items class from self Ünïcode é 1 get list_pets createPet "
    "delete-pet issues.search a/b $ref type"
) | st.text(max_size=5)
WORDS = one_of_words(
    "type properties items required enum format allOf oneOf anyOf $ref nullable minimum maxLength "
    "description default example const additionalProperties parameters requestBody responses "
    "content schema in name operationId summary deprecated tools inputSchema outputSchema "
    "annotations readOnlyHint 200 application/json"
)
VALUES = one_of_words(
    "object array string integer number boolean null date-time path query header "
    "#/components/schemas/A #/components/schemas/B #/paths other.json# 3.1.0 /pets /pets/{petId}"
)
JSON = st.recursive(
    SCALARS | VALUES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | NAMES, inner, max_size=5),
    max_leaves=25,
)
SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {"type": "string"},
            {"type": "integer", "minimum": 3, "maximum": 1},
            {"type": "integer", "minimum": 10**400, "default": -(10**400)},
            {"type": ["string", "null"], "enum": ["a", "b", None, 3]},
            {"$ref": "#/components/schemas/A"},
            {"type": "string", "minLength": -3, "maxLength": 2.5, "pattern": "(", "enum": [None]},
            {"type": "array", "minItems": 1.0, "items": [{"type": "string"}], "enum": [[]]},
            {"type": "string", "format": "date", "example": "2026-03-02"},
            True,
            {},
        ]
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", "string", 3]),
            "properties": st.dictionaries(NAMES, inner, max_size=4),
            "items": inner,
            "required": st.lists(NAMES, max_size=2),
            "allOf": st.lists(inner, max_size=2),
            "oneOf": st.lists(inner, max_size=3),
        },
    ),
    max_leaves=10,
)
CHANGES = st.lists(
    st.tuples(
        st.integers(0, 10_000),
        st.sampled_from(["replace", "delete", "rename"]),
        SCHEMAS | JSON,
        NAMES,
    ),
    min_size=1,
    max_size=12,
)


def positions(value):
    """Yield every place in a JSON value, as its container and key."""
    for key, child in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(child, dict | list):
            yield from positions(child)


def changed(content, changes):
    """Return a document with some of its places replaced, deleted or renamed."""
    content = copy.deepcopy(content)
    for index, change, value, name in changes:
        places = list(positions(content))
        if not places:
            break
        container, key = places[index % len(places)]
        if change == "replace":
            container[key] = copy.deepcopy(value)
        elif change == "delete":
            del container[key]
        elif isinstance(container, dict):
            container[name] = container.pop(key)
    return content


def imported(kind, content):
    document = Document(kind, "commerce", "shop", content, "commerce/shop")
    return import_documents([document])


def check(outcome):
    """Either a proposal with good names, or a refusal with a reason."""
    assert len(outcome.proposals) + len(outcome.refused) == 1
    for refused in outcome.refused:
        assert refused.reason.endswith((".", "?"))
    for proposal in outcome.proposals:
        names = [tool.name for tool in proposal.tools]
        assert len(set(names)) == len(names) <= 16
        entities = [entity.name for entity in proposal.entities]
        assert len(set(entities)) == len(entities)
        for entity in proposal.entities:
            fields = [field.name for field in entity.fields]
            assert len(set(fields)) == len(fields)
            assert entity.label is None or entity.label in fields
            names += [entity.name, *fields]
            for field in entity.fields:
                assert field.references is None or field.references in entities
        for tool in proposal.tools:
            assert tool.operation == "other" or tool.entity in entities
            for schema in (tool.input_schema, tool.output_schema):
                Draft202012Validator.check_schema(schema)
            assert set(tool.input_schema["required"]) <= set(tool.input_schema["properties"])
            names += list(tool.input_schema["properties"])
        for name in names:
            assert name.isidentifier()
            assert not keyword.iskeyword(name)
            assert len(name) <= 67
        text = canonical_json(proposal.model_dump(mode="json"))
        assert EnvironmentProposal.model_validate_json(text) == proposal


@given(st.sampled_from(["openapi", "mcp_tools", "tool_metadata"]), JSON)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_json_gives_a_proposal_or_a_reason(kind, content):
    check(imported(kind, content))


@given(CHANGES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_damaged_openapi_gives_a_proposal_or_a_reason(changes):
    check(imported("openapi", changed(shop(), changes)))


@given(CHANGES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_damaged_tool_list_gives_a_proposal_or_a_reason(changes):
    check(imported("mcp_tools", changed(desk(), changes)))


def test_a_folder_gives_proposals_and_refusals_from_reading_and_importing(tmp_path):
    folder = tmp_path / "commerce"
    folder.mkdir()
    (folder / "a.openapi.json").write_text("{")
    (folder / "b.openapi.json").write_text("{}")
    (folder / "c.openapi.json").write_text(json.dumps(shop()))

    outcome = import_folder(tmp_path, "commerce")

    assert [proposal.environment_id for proposal in outcome.proposals] == ["commerce.c"]
    assert [refused.address for refused in outcome.refused] == [
        "commerce/a.openapi.json",
        "commerce/b.openapi.json",
    ]
