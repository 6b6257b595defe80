import pytest

from envfactory_assets.stages.attempts.builder.names import (
    Names,
    field_name,
    id_prefix,
    plural,
    snake,
    variable_name,
    with_article,
)
from sandboxes.core.state_values import singular


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("dueDate", "due_date"),
        ("Größe in cm", "groe_in_cm"),
        ("2nd owner", "owner_2nd"),
        ("名前", "item"),
        ("a_name_that_is_so_long_that_it_has_to_end", "a_name_that_is_so_long_that_it"),
    ],
)
def test_any_text_becomes_a_name(text, name):
    assert snake(text) == name


@pytest.mark.parametrize("name", ["class", "type", "list", "self", "json", "input", "model_config"])
def test_names_that_python_or_pydantic_need_carry_their_entity(name):
    assert field_name(name, "pet") == f"pet_{name}"


def test_other_names_stay():
    assert field_name("dueDate", "pet") == "due_date"
    assert variable_name("pet") == "pet"
    assert variable_name("state") == "state_entry"


@pytest.mark.parametrize("noun", ["invoice", "entry", "box", "branch", "key", "class"])
def test_a_plural_is_one_that_the_argument_generator_reads_back(noun):
    assert singular(plural(noun)) == noun


def test_a_name_is_handed_out_once():
    names = Names({"Entity"})

    claimed = [names.claim("Entity", "Entry"), names.claim("Pet", "Entry")]
    claimed += [names.claim("Pet", "Entry"), names.claim("Pet", "Entry")]

    assert claimed == ["EntityEntry", "Pet", "PetEntry", "PetEntry2"]


def test_prefixes_and_articles():
    assert (id_prefix("invoice"), id_prefix("purchase_order")) == ("INV", "PO")
    assert [with_article(word) for word in ("order", "user", "pet")] == [
        "an order",
        "a user",
        "a pet",
    ]
