from envfactory_assets.stages.proposals.schema_shapes import (
    listed_schema,
    single_schema,
    written_schema,
)

PET = {"type": "object", "properties": {"id": {}, "name": {"type": "string"}}}
PETS = {"type": "array", "items": PET}


def envelope(**properties):
    return {"type": "object", "properties": properties}


def test_lists_are_found_bare_wrapped_and_nested():
    assert listed_schema(PETS) is PET
    assert listed_schema(envelope(data=PETS, others=PETS)) is PET
    assert listed_schema(envelope(pets=PETS, others=PETS), "pet") is PET
    assert listed_schema(envelope(page=envelope(items=PETS))) is PET


def test_a_thing_that_has_a_list_is_no_list():
    assert listed_schema(envelope(id={}, toys=PETS)) is None
    assert listed_schema({"type": "array", "items": {"type": "string"}}) is None
    assert listed_schema(envelope(pets=PETS, others=PETS)) is None


def test_single_things_are_taken_out_of_envelopes():
    assert single_schema(PET) is PET
    assert single_schema(envelope(data=PET, links={})) is PET
    assert single_schema(envelope(added_at={}, pet=PET), "pet") is PET
    assert single_schema({"type": "string"}) == {}


def test_a_written_schema_is_plain_and_bounded():
    wide = envelope(**{f"p{index}": {"type": "string"} for index in range(50)})
    nullable = {"type": "string", "enum": ["a"], "nullable": True, "examples": ["a"]}

    assert len(written_schema(wide)["properties"]) == 16
    assert written_schema(nullable) == {"type": ["string", "null"], "enum": ["a", None]}
