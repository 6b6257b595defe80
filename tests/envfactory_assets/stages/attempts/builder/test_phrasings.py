import pytest


@pytest.fixture
def phrasings(proposals, workshop):
    """The clauses of a tool that is built of a proposal."""

    def of(name, tool):
        _, catalog = workshop.write(proposals[name])
        return catalog.tools[f"{name}__{tool}"].phrasings

    return of


def test_creating_names_the_thing_and_says_what_it_is_for(phrasings):
    first, second = phrasings("invoicing", "create_invoice")

    assert first == (
        "create an invoice titled '{title}' for {customer_id} with a total of {total} and the due "
        "date {due_date}[, tags {tags}]"
    )
    assert second.startswith("add a new invoice titled '{title}'")


def test_an_optional_reference_says_what_it_is_to_be(phrasings):
    clause = phrasings("helpdesk", "open_ticket")[0]

    assert "[ with {assignee_id} as the assignee]" in clause
    assert "with the body '{body}'" in clause


def test_one_thing_is_set_in_a_few_words(phrasings):
    assert phrasings("helpdesk", "rename_agent") == (
        "set the name of {agent_id} to {name}",
        "change the name of {agent_id} to {name}",
    )
    assert phrasings("lab_bookings", "update_instrument") == (
        "set 'available' of {instrument_id} to {is_available}",
    )


def test_filters_read_as_conditions(phrasings):
    clause = phrasings("pet_shelter", "list_pets")[0]

    assert clause.startswith("list the pets[ with the species {species}]")
    assert "[ with an age of {min_age} or more][ with an age of {max_age} or less]" in clause
    assert clause.endswith("[, at most {limit} of them]")
    assert (
        "[ with a start time of {max_starts_at} or earlier]"
        in (phrasings("lab_bookings", "list_bookings")[0])
    )


def test_a_required_owner_stands_first(phrasings):
    assert phrasings("invoicing", "list_payments")[0].startswith(
        "list the payments of {invoice_id}[ with the method {method}]"
    )
