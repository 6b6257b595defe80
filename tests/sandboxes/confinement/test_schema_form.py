import pytest
from pydantic import ValidationError

from sandboxes.confinement.schema_form import check_schema
from sandboxes.core.catalog import Catalog


def of(**node):
    return {"type": "object", "properties": {"x": node}}


def test_the_schemas_of_every_shipped_tool_have_the_form():
    for tool in Catalog.discover().tools.values():
        check_schema(tool.internal_input_schema)
        check_schema(tool.internal_output_schema)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "array"},
        {"type": "object", "properties": {"x": True}},
        of(type="strange"),
        of(type="string", minLength=10**9),
        of(type="string", minLength=-1),
        of(type="string", minLength="3"),
        of(type="number", minimum=float("1e999")),
        of(type="number", multipleOf=0),
        of(enum="abc"),
        of(enum=[["a"]]),
        of(type="string", pattern=3),
        of(type="string", description="x" * 30_000),
        of(anyOf={"type": "null"}),
        of(**{"x-identifier": 3}),
        of(**{"x-speakable": "yes"}),
        {"type": "object", "required": "x"},
        of(type="array", minItems=900, items={"type": "array", "minItems": 900, "items": {}}),
        of(examples=list(range(2_000))),
    ],
)
def test_a_schema_out_of_form_is_refused(schema):
    with pytest.raises((ValidationError, ValueError)):
        check_schema(schema)
