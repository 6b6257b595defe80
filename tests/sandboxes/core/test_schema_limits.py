import pytest

from sandboxes.core.schema_limits import bounds, fits, literals, plain_text

NULLABLE = {"anyOf": [{"type": "integer", "minimum": 2, "maximum": 4}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("value", "node"),
    [
        (3, NULLABLE),
        (4, NULLABLE),
        (1.5, {"type": "number", "exclusiveMinimum": 1, "multipleOf": 0.5}),
        (2, {"type": "number"}),
        ("abc", {"type": "string", "minLength": 3, "maxLength": 3, "pattern": "^a"}),
        ("b", {"enum": ["a", "b"], "type": "string"}),
        (True, {"type": "boolean"}),
    ],
)
def test_a_value_inside_the_limits_fits(value: object, node: dict) -> None:
    assert fits(value, node)


@pytest.mark.parametrize(
    ("value", "node"),
    [
        (None, NULLABLE),
        (1, NULLABLE),
        (5, NULLABLE),
        (3.0, NULLABLE),
        (True, {"type": "integer"}),
        ("3", {"type": "integer"}),
        (3, {"type": "string"}),
        (1, {"type": "number", "exclusiveMinimum": 1}),
        (1.2, {"type": "number", "multipleOf": 0.5}),
        ("ab", {"type": "string", "minLength": 3}),
        ("abcd", {"type": "string", "maxLength": 3}),
        ("ba", {"type": "string", "pattern": "^a"}),
        ("c", {"enum": ["a", "b"], "type": "string"}),
        ("x", {"const": "y"}),
    ],
)
def test_a_value_of_another_type_or_beyond_a_limit_does_not(value: object, node: dict) -> None:
    assert not fits(value, node)


def test_bounds_lie_inside_exclusive_limits() -> None:
    assert bounds(NULLABLE, 1) == (2, 4)
    assert bounds({"exclusiveMinimum": 0, "exclusiveMaximum": 2}, 0.5) == (0.5, 1.5)
    assert bounds({"type": "number"}, 1) == (None, None)


def test_literals_keep_their_json_types() -> None:
    assert literals({"anyOf": [{"enum": [1, 2]}, {"type": "null"}]}) == [1, 2]
    assert literals({"const": "a"}) == ["a"]
    assert literals({"type": "string"}) == []


def test_a_plain_text_has_an_allowed_length() -> None:
    assert plain_text("due_note", {}) == "sample due note"
    assert len(plain_text("note", {"minLength": 30})) == 30
    assert len(plain_text("note", {"maxLength": 4})) == 4


def test_a_pattern_costs_no_more_than_the_text_is_long() -> None:
    node = {"type": "string", "pattern": "^(a+)+$"}
    assert fits("a" * 5_000, node)
    assert not fits("a" * 5_000 + "b", node)


def test_a_pattern_that_the_engine_does_not_know_fits_nothing() -> None:
    assert not fits("ab", {"type": "string", "pattern": "a(?=b)"})
