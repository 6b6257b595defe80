"""What the tools of a built environment do, as a caller sees it."""

import pytest

from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session


@pytest.fixture
def open_session(proposals, workshop):
    """Open a session of what is built of a proposal; calls give a result or the refusal."""

    def opened(name):
        made = proposals[name]
        _, catalog = workshop.write(made)
        scenario = Scenario.draw(catalog, [made.environment_id], 0)
        session = Session.open(scenario, catalog)

        def call(tool, **arguments):
            record = session.call(f"{name}__{tool}", arguments)
            return record.result if record.ok else record.error

        call.state = lambda: session.states()[made.environment_id]
        return call

    return opened


def test_what_is_created_is_read_back_with_plain_beginnings(open_session):
    call = open_session("pet_shelter")

    made = call("register_pet", name="Nemo", species="cat", age=3)

    assert made["pet_id"] == "PET-8"
    assert (made["is_vaccinated"], made["weight"], made["notes"]) == (False, None, None)
    assert made["arrived_on"] == call.state()["clock"]["now"][:10]
    assert call("get_pet", pet_id="PET-8") == made


def test_an_update_changes_only_what_is_given(open_session):
    call = open_session("pet_shelter")
    before = call("get_pet", pet_id="PET-2")

    after = call("update_pet", pet_id="PET-2", age=9)

    assert after == {**before, "age": 9}


def test_an_update_of_nothing_is_refused_with_what_could_change(open_session):
    call = open_session("pet_shelter")

    refusal = call("update_pet", pet_id="PET-2")

    assert refusal == (
        "Nothing to change; give at least one of name, age, weight, is_vaccinated, notes."
    )


def test_a_name_is_given_once(open_session):
    call = open_session("pet_shelter")
    name = call("get_pet", pet_id="PET-1")["name"]

    assert "already; choose another" in call("register_pet", name=name, species="cat", age=1)
    assert "already; choose another" in call("update_pet", pet_id="PET-2", name=name)
    assert call("update_pet", pet_id="PET-1", name=name)["name"] == name


def test_an_end_has_to_follow_its_start(open_session):
    call = open_session("lab_bookings")
    booking = {
        "instrument_id": "INS-1",
        "booked_by_email": "noor@example.com",
        "starts_at": "2026-12-01T10:00",
        "priority": 2,
    }

    refusal = call("create_booking", **booking, ends_at="2026-12-01T10:00")
    made = call("create_booking", **booking, ends_at="2026-12-01T10:01")

    assert refusal == "The end time has to lie after the start time 2026-12-01T10:00."
    assert made["ends_at"] == "2026-12-01T10:01"


def test_what_others_refer_to_is_not_deleted_before_them(open_session):
    call = open_session("invoicing")
    payment = next(iter(call.state()["payments"].values()))

    refusal = call("delete_invoice", invoice_id=payment["invoice_id"])

    assert "cannot be deleted while" in refusal
    assert "of the payments refer to it" in refusal


def test_what_nothing_refers_to_is_deleted(open_session):
    call = open_session("invoicing")
    free = list(call.state()["invoices"])[-1]

    assert call("delete_invoice", invoice_id=free)["invoice_id"] == free
    assert call("get_invoice", invoice_id=free) == (
        f"There is no invoice {free!r}; list the invoices first."
    )


def test_ranges_hold_on_both_sides_and_lists_are_sorted(open_session):
    call = open_session("invoicing")
    totals = sorted(invoice["total"] for invoice in call.state()["invoices"].values())

    found = call("list_invoices", min_total=totals[2], max_total=totals[4])["invoices"]

    assert sorted(invoice["total"] for invoice in found) == totals[2:5]
    assert [one["title"] for one in found] == sorted(one["title"] for one in found)


def test_a_search_looks_at_every_text_in_upper_and_lower_case(open_session):
    call = open_session("invoicing")
    customers = call.state()["customers"]
    first = next(iter(customers.values()))

    found = call("search_customers", query=first["email"].upper())["customers"]

    assert [customer["name"] for customer in found] == [first["name"]]


def test_a_reference_that_leads_nowhere_is_refused(open_session):
    call = open_session("helpdesk")

    refusal = call("open_ticket", subject="Help", body="It broke", watcher_ids=["AGE-1", "AGE-99"])

    assert refusal == "There is no agent 'AGE-99'; list the agents first."


@pytest.mark.parametrize("name", ["invoicing", "helpdesk", "lab_bookings"])
def test_references_in_scenarios_resolve(name, proposals, workshop):
    made = proposals[name]
    _, catalog = workshop.write(made)
    ends = {f"{entity.name}_id": f"{entity.name}s" for entity in made.entities}
    for seed in range(6):
        state = Scenario.draw(catalog, [made.environment_id], seed).states[made.environment_id]
        for table in state.values():
            for row in table.values():
                for key, target in ends.items():
                    value = row.get(key) if isinstance(row, dict) else None
                    assert value is None or value in state[target]


def test_scenarios_speak_of_the_people_and_places_of_the_world(proposals, workshop):
    made = proposals["invoicing"]
    _, catalog = workshop.write(made)

    state = Scenario.draw(catalog, [made.environment_id], 0).states[made.environment_id]

    for customer in state["customers"].values():
        first, last = customer["name"].lower().split()
        assert customer["email"].startswith(f"{first}.{last}@")
    assert all(invoice["total"] >= 20 for invoice in state["invoices"].values())
