import pytest

from envfactory_assets.stages.attempts.builder.word_pools import (
    kind_of_name,
    kind_of_text,
    number_range,
    pool,
    text_pool,
)


@pytest.mark.parametrize(
    ("field", "entity", "description", "kind"),
    [
        ("name", "customer", "", "person"),
        ("name", "vet_clinic", "", "place"),
        ("company_name", "customer", "", "organisation"),
        ("title", "support_ticket", "", "task"),
        ("phone_number", "shop", "", "phone"),
        ("country_code", "shop", "", "country_code"),
        ("order_number", "shop", "", "code"),
        ("origin", "trip", "", "city"),
        ("sla", "shop", "Name of the city it holds in", "words"),
        ("where", "shop", "City of the shop", "city"),
        ("password", "user", "Password of the user", "password"),
    ],
)
def test_what_a_field_holds_is_read_off_its_names(field, entity, description, kind):
    assert kind_of_text(field, entity, description) == kind


def test_things_of_no_known_kind_have_proper_names():
    assert kind_of_name("gizmo") == "proper"


def test_numbers_are_usual_ones():
    assert number_range("total_price")[:2] == (5, 240)
    assert number_range("exp_month")[:2] == (1, 12)


def test_names_of_things_are_enough_for_a_scenario_and_for_new_ones():
    kinds = {"place", "product", "course", "dish", "work_of_art", "topic", "event", "pet", "task"}
    kinds |= {"document", "message", "plan", "account", "device", "file", "purchase", "proper"}

    assert all(len(set(pool(kind))) >= 10 for kind in kinds)
    assert all(text_pool(kind) for kind in ("note", "reason", "no such kind"))
