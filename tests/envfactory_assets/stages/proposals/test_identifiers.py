import pytest

from envfactory_assets.stages.proposals.identifiers import (
    entity_name,
    plain_phrase,
    plain_sentence,
    plural_name,
    snake_name,
    unique_name,
)


@pytest.mark.parametrize(
    ("name", "snake"),
    [
        ("petId", "pet_id"),
        ("HTTPServerURL", "http_server_url"),
        ("repos/list-for-org", "repos_list_for_org"),
        ("filter[created_at]", "filter_created_at"),
        ("class", "class_value"),
        ("self", "self_value"),
        ("2fa", "n_2_fa"),
        ("é", ""),
        ("x" * 100, "x" * 64),
    ],
)
def test_any_name_becomes_a_snake_case_identifier(name, snake):
    assert snake_name(name) == snake


@pytest.mark.parametrize(
    ("words", "entity"),
    [
        (("order", "items"), "order_item"),
        (("people",), "person"),
        (("statuses",), "status"),
        (("series",), "series"),
        ((), ""),
    ],
)
def test_kinds_of_things_are_singular(words, entity):
    assert entity_name(words) == entity


def test_plurals():
    assert [plural_name(name) for name in ("pet", "story", "day", "box")] == [
        "pets",
        "stories",
        "days",
        "boxes",
    ]


def test_taken_names_are_numbered_within_the_length_of_names():
    taken = {"a", "b" * 64}

    assert [unique_name("a", taken), unique_name("a", taken)] == ["a_2", "a_3"]
    assert unique_name("b" * 64, taken) == "b" * 62 + "_2"


def test_prose_is_cut_to_its_first_sentence_without_markup():
    text = "Lists <br/>all *the* [pets](https://x.y) &amp; `toys`. Use e.g. a filter."

    assert plain_sentence(text) == "Lists all the pets & toys."
    assert plain_phrase("Version 1.5 of it.") == "Version 1.5 of it"
    assert plain_sentence(" ") == ""
