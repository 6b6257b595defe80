from typing import Annotated

import pytest
from pydantic import Field

from envfactory_assets.stages.queries.referents import noun_of, referents_of
from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import Day, Moment
from sandboxes.core.method_tool import MethodTool
from sandboxes.core.tool import Result, tool

AccountId = Annotated[str, Identifier("AccountId")]
PaymentId = Annotated[str, Identifier("PaymentId")]


class Payment(Result):
    payment_id: PaymentId = Field(description="Id")
    account_id: AccountId = Field(description="Id of the account")
    title: Annotated[str, Label()] = Field(description="Title")
    amount: float = Field(description="Money")
    fee: float = Field(description="Costs")
    price: float | None = Field(description="Price of what was bought")
    due_on: Day = Field(description="When")
    locked_until: Day = Field(description="Locked until then")


class Account(Result):
    account_id: AccountId = Field(description="Id")
    name: Annotated[str, Label()] = Field(description="Name")
    balance: float = Field(description="Money")


class Slot(Result):
    slot_id: Annotated[str, Identifier("SlotId")] = Field(description="Id")
    start: Annotated[Moment, Label()] = Field(description="Start")


class Sharing(Result):
    email: str = Field(description="Who")


class Everything(Result):
    payments: list[Payment] = Field(description="Payments")
    accounts: list[Account] = Field(description="Accounts")
    slots: list[Slot] = Field(description="Slots")
    shared_with: list[Sharing] = Field(description="Sharings")


class Person(Result):
    email: str = Field(description="Address")
    name: Annotated[str, Label()] = Field(description="Name")
    city: str = Field(description="Where")


class Service:
    @tool(effect="read")
    def everything(self) -> Everything:
        """Return everything."""
        raise NotImplementedError

    @tool(effect="read")
    def person(self) -> Person:
        """Return a person."""
        raise NotImplementedError


EVERYTHING = MethodTool("service", "everything", Service.everything)
PERSON = MethodTool("service", "person", Service.person)


def payment(number, title, amount, fee=1.0, price=None, due_on="2026-01-01"):
    return {
        "payment_id": f"PM-{number}",
        "account_id": "AC-1",
        "title": title,
        "amount": amount,
        "fee": fee,
        "price": price,
        "due_on": due_on,
        "locked_until": f"2026-02-0{number}",
    }


def ways(result, source_path, pattern, of=EVERYTHING):
    return [(way.kind, way.text) for way in referents_of(of, result, source_path, pattern)]


def listed(*payments):
    return {"payments": list(payments)}


def test_an_entity_is_called_by_its_label_its_extremum_and_its_place():
    result = listed(
        payment(1, "Rent", 900.0, due_on="2026-01-03"), payment(2, "Gym", 30.0), payment(3, "X", 40)
    )

    assert ways(result, "payments[0].payment_id", "payments[].payment_id") == [
        ("label", "the Rent payment"),
        ("extremum", "the largest payment"),
        ("extremum", "the latest payment"),
        ("position", "the first payment on the list"),
    ]


def test_an_ambiguous_label_gives_none():
    result = listed(payment(1, "Rent", 5.0), payment(2, "Rent", 5.0), payment(3, "Rent", 5.0))

    assert ways(result, "payments[1].payment_id", "payments[].payment_id") == []
    assert ways(result, "payments[2].payment_id", "payments[].payment_id") == [
        ("position", "the last payment on the list")
    ]


def test_the_only_one_needs_no_label():
    found = ways(listed(payment(1, "Rent", 5.0)), "payments[0].payment_id", "payments[].payment_id")

    assert found == [("label", "the Rent payment"), ("only", "that payment")]


def test_a_thing_of_another_kind_is_called_by_its_row():
    result = listed(payment(1, "Rent", 5.0), payment(2, "Gym", 6.0))

    assert ways(result, "payments[1].account_id", "payments[].account_id")[:2] == [
        ("label", "the account of the Gym payment"),
        ("extremum", "the account of the largest payment"),
    ]


def test_two_leaves_with_the_same_words_never_name_two_entities():
    """`cheapest` is by the fee, which stands first; the price says nothing."""
    first, second = payment(1, "A", 1.0, fee=9.0, price=1.0), payment(2, "B", 1.0, fee=1.0, price=9)
    result = listed(first, second)

    assert ("extremum", "the cheapest payment") not in ways(
        result, "payments[0].payment_id", "payments[].payment_id"
    )
    assert ("extremum", "the cheapest payment") in ways(
        result, "payments[1].payment_id", "payments[].payment_id"
    )


def test_amounts_that_go_both_ways_have_no_smallest():
    result = listed(payment(1, "A", -50.0), payment(2, "B", 20.0))

    found = ways(result, "payments[0].payment_id", "payments[].payment_id")
    assert "the smallest payment" not in [text for _, text in found]


def test_a_tie_is_no_extremum():
    result = listed(payment(1, "A", 20.0), payment(2, "B", 20.0))

    found = ways(result, "payments[0].payment_id", "payments[].payment_id")
    assert [kind for kind, _ in found] == ["label", "position"]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Rent", "the Rent payment"),
        ("Payment to Alder & Finch", "the payment to Alder & Finch"),
        ("Half of the taxi", "the payment 'Half of the taxi'"),
        ("Shall we talk?", "the payment 'Shall we talk?'"),
    ],
)
def test_a_label_stands_in_a_noun_phrase(title, text):
    result = listed(payment(1, title, 1.0), payment(2, "Other", 1.0))

    assert ways(result, "payments[0].payment_id", "payments[].payment_id")[0] == ("label", text)


def test_a_name_stands_alone_and_a_balance_is_low_or_high():
    result = {
        "accounts": [
            {"account_id": "AC-1", "name": "Everyday", "balance": 5.0},
            {"account_id": "AC-2", "name": "Savings", "balance": 9.0},
        ]
    }

    assert ways(result, "accounts[0].account_id", "accounts[].account_id")[:2] == [
        ("label", "Everyday"),
        ("extremum", "the account with the lowest balance"),
    ]


def test_a_moment_as_label_is_said_as_a_time():
    result = {"slots": [{"slot_id": f"S-{n}", "start": f"2026-03-11T1{n}:20"} for n in (1, 2)]}

    found = ways(result, "slots[0].slot_id", "slots[].slot_id")
    assert found[0] == ("label", "the slot on 2026-03-11 at 11:20")


def test_what_is_named_by_no_noun_cannot_be_pointed_at():
    result = {"shared_with": [{"email": "a@example.com"}]}

    assert ways(result, "shared_with[0].email", "shared_with[].email") == []


def test_a_city_of_a_person_is_not_called_like_the_person():
    result = {"email": "o@example.com", "name": "Omar Xu", "city": "Oslo"}

    assert noun_of(PERSON, "email") == "person"
    assert ways(result, "city", "city", PERSON)[0] == ("label", "the city of Omar Xu")
    assert ways(result, "email", "email", PERSON)[0] == ("label", "Omar Xu")
