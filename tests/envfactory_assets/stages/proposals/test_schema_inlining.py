from envfactory_assets.stages.proposals.open_points import OpenPoints
from envfactory_assets.stages.proposals.schema_inlining import SchemaInliner


def inline(schema, **schemas):
    points = OpenPoints()
    document = {"components": {"schemas": schemas}, "list": [{"type": "boolean"}]}
    return SchemaInliner(document, points).inlined(schema), points.sentences()


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def test_references_are_followed_through_references():
    inlined, notes = inline(ref("A"), A=ref("B"), B={"type": "string"})

    assert inlined == {"type": "string"}
    assert notes == ()


def test_escaped_and_indexed_pointers_are_followed():
    inlined, _ = inline(
        {"properties": {"a": {"$ref": "#/components/schemas/x~1y%20z"}, "b": {"$ref": "#/list/0"}}},
        **{"x/y z": {"type": "integer"}},
    )

    assert inlined["properties"] == {"a": {"type": "integer"}, "b": {"type": "boolean"}}


def test_a_schema_that_contains_itself_is_cut_with_a_note():
    tree = {"type": "object", "properties": {"name": {"type": "string"}, "parent": ref("Tree")}}

    inlined, notes = inline(ref("Tree"), Tree=tree)

    assert inlined["properties"]["parent"] == {"type": "object"}
    assert notes == ("Schemas that contain themselves are cut: Tree.",)


def test_references_that_only_lead_to_each_other_end():
    _, notes = inline(ref("A"), A=ref("B"), B=ref("A"))

    assert notes[0].startswith("References that lead to themselves are cut")


def test_remote_and_dangling_references_are_noted():
    inlined, notes = inline({"properties": {"a": {"$ref": "other.yaml#/A"}, "b": ref("Nowhere")}})

    assert inlined["properties"] == {"a": {}, "b": {}}
    assert notes == (
        "References to other files are not followed: other.yaml#/A.",
        "References that lead nowhere are ignored: #/components/schemas/Nowhere.",
    )


def test_all_of_is_merged_down_to_the_items():
    page = {"properties": {"data": {"type": "array", "items": {"type": "object"}}}}
    pets = {"properties": {"data": {"type": "array", "items": {"properties": {"name": {}}}}}}

    inlined, _ = inline({"allOf": [page, pets]})

    assert inlined["properties"]["data"]["items"] == {"type": "object", "properties": {"name": {}}}


def test_what_all_parts_require_is_required():
    first = {"properties": {"a": {}}, "required": ["a"]}

    inlined, _ = inline({"allOf": [first, {"properties": {"b": {}}, "required": ["b"]}]})

    assert sorted(inlined["required"]) == ["a", "b"]


def test_alternatives_with_null_are_nullable():
    assert inline({"anyOf": [{"type": "string"}, {"type": "null"}]})[0] == {
        "type": "string",
        "nullable": True,
    }
    assert inline({"type": ["integer", "null"]})[0] == {"type": "integer", "nullable": True}


def test_alternatives_of_objects_are_one_object_that_requires_what_all_do():
    cat = {"properties": {"name": {}, "lives": {}}, "required": ["name", "lives"]}
    dog = {"properties": {"name": {}, "tricks": {}}, "required": ["name"]}

    inlined, notes = inline({"oneOf": [cat, dog]})

    assert set(inlined["properties"]) == {"name", "lives", "tricks"}
    assert inlined["required"] == ["name"]
    assert notes == ("Alternatives of objects are one object with the fields of all.",)


def test_alternatives_of_choices_are_all_choices():
    inlined, _ = inline({"oneOf": [{"const": "a"}, {"enum": ["b", "c"]}]})

    assert inlined["enum"] == ["a", "b", "c"]


def test_of_alternatives_of_other_types_the_simplest_is_taken():
    inlined, notes = inline({"oneOf": [{"type": "object"}, {"type": "string"}]})

    assert inlined == {"type": "string"}
    assert notes


def test_exclusive_bounds_of_both_versions_are_bounds():
    new = inline({"type": "integer", "exclusiveMinimum": 0})[0]
    old = inline({"type": "integer", "minimum": 0, "exclusiveMinimum": True})[0]

    assert new["minimum"] == old["minimum"] == 1


def test_lengths_that_are_none_are_no_bounds():
    assert inline({"type": "string", "minLength": -1, "maxLength": 2.5})[0] == {"type": "string"}
    assert inline({"type": "string", "maxLength": 2.0})[0]["maxLength"] == 2


def test_a_schema_that_multiplies_is_cut():
    wide = {
        f"S{i}": {"properties": {f"{c}{i}": ref(f"S{i + 1}") for c in "abcdefgh"}} for i in range(9)
    }

    inlined, notes = inline(ref("S0"), **wide)

    assert len(str(inlined)) < 10_000_000
    assert "Schemas are cut where they are very deep or wide." in notes
