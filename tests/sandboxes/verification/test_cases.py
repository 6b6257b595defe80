import json
from pathlib import Path

import pytest

from sandboxes.core.catalog import Catalog, EnvironmentSource
from sandboxes.core.environment import AnyEnvironment
from sandboxes.verification.cases import Case, CasesError, load_cases, run_case, scenario_text

HOTEL = "travel.hotel_booking"


@pytest.fixture(scope="module")
def hotel() -> type[AnyEnvironment]:
    return Catalog.discover().load(HOTEL)


def source_with(path: Path, cases: str) -> EnvironmentSource:
    (path / "notes.cases.json").write_text(cases)
    return EnvironmentSource(
        environment_id="office.notes", path=path / "notes.py", origin="generated", source_hash=""
    )


def run(hotel: type[AnyEnvironment], *calls: dict) -> tuple[str, str] | None:
    case = Case.model_validate_json(
        json.dumps({"name": "It works", "complexity": "simple", "calls": calls})
    )
    failure = run_case(hotel, scenario_text(hotel, HOTEL, 0), case).failure
    return (failure.expected, failure.got) if failure else None


LIST = {"tool": "list_bookings", "arguments": {}, "expect": "ok"}
UNKNOWN = {"tool": "get_booking", "arguments": {"booking_id": "BK-99"}, "expect": "refused"}


def test_a_later_call_can_use_what_an_earlier_one_returned(hotel: type[AnyEnvironment]) -> None:
    get = {
        "tool": "get_booking",
        "arguments": {"booking_id": "$0.bookings[0].booking_id"},
        "expect": "ok",
        "result": {"booking_id": "BK-1", "total": "$0.bookings[0].total"},
    }
    assert run(hotel, LIST, get) is None


def test_a_length_can_be_expected(hotel: type[AnyEnvironment]) -> None:
    expected, got = run(hotel, {**LIST, "result": {"bookings.length": 99}})
    assert expected == "bookings.length = 99"
    assert got.isdigit()


def test_a_value_that_differs_fails_the_case(hotel: type[AnyEnvironment]) -> None:
    assert run(hotel, {**LIST, "result": {"bookings[0].booking_id": "BK-9"}}) == (
        'bookings[0].booking_id = "BK-9"',
        '"BK-1"',
    )


def test_one_is_not_true_but_two_is_two_point_nought(hotel: type[AnyEnvironment]) -> None:
    guests = {**LIST, "result": {"bookings[0].guests": 1.0}}
    assert run(hotel, guests) is None
    assert run(hotel, {**guests, "result": {"bookings[0].guests": True}}) is not None


def test_a_path_that_leads_nowhere_fails_the_case(hotel: type[AnyEnvironment]) -> None:
    expected, _ = run(hotel, {**LIST, "result": {"bookings[0].nights": None}})
    assert expected == "a value at bookings[0].nights"


def test_null_can_be_expected(hotel: type[AnyEnvironment]) -> None:
    get = {"tool": "get_hotel", "arguments": {"hotel_id": "HT-1"}, "expect": "ok"}
    assert run(hotel, {**get, "result": {"favorite_note": None}}) is None


def test_a_refusal_is_compared_by_a_part_of_its_text(hotel: type[AnyEnvironment]) -> None:
    assert run(hotel, {**UNKNOWN, "error": "no booking 'BK-99'"}) is None
    expected, got = run(hotel, {**UNKNOWN, "error": "no such thing"})
    assert expected == "a refusal with 'no such thing'"
    assert "BK-99" in got


def test_an_outcome_of_the_other_kind_fails_the_case(hotel: type[AnyEnvironment]) -> None:
    assert run(hotel, {**LIST, "expect": "refused"})[0] == "a refusal"
    assert run(hotel, {**UNKNOWN, "expect": "ok"})[0] == "a result"


def test_a_tool_that_does_not_exist_fails_the_case(hotel: type[AnyEnvironment]) -> None:
    assert run(hotel, {**LIST, "tool": "burn_hotel"}) == (
        "a tool of this environment",
        "'burn_hotel'",
    )
    assert run(hotel, {**UNKNOWN, "tool": "burn_hotel"}) is not None


def test_a_reference_to_a_later_call_fails_the_case(hotel: type[AnyEnvironment]) -> None:
    arguments = {"booking_id": "$1.booking_id"}
    assert run(hotel, {**UNKNOWN, "arguments": arguments})[1] == "0 earlier calls"


def test_a_text_with_a_dollar_sign_stands_for_itself(hotel: type[AnyEnvironment]) -> None:
    arguments = {"hotel_id": "HT-1", "note": "under $5 a night"}
    save = {"tool": "save_favorite", "arguments": arguments, "expect": "ok"}
    assert run(hotel, {**save, "result": {"note": "under $5 a night"}}) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "notes.cases.json is not a list of cases: the file"),
        ('[{"name": "x", "complexity": "hard", "calls": []}]', "0.complexity"),
        ('[{"name": "x", "complexity": "simple", "calls": [{"tool": "t"}]}]', "0.calls.0.expect"),
        ('[{"name": "x", "complexity": "simple", "call": []}]', "0.calls"),
        ('[{"name": "x", "complexity": "simple", "calls": []}]', "0.calls"),
        (
            json.dumps([{"name": "x", "complexity": "simple", "calls": [LIST]}] * 2),
            "several cases 'x'",
        ),
    ],
)
def test_a_malformed_file_of_cases_is_named_with_the_place(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(CasesError) as error:
        load_cases(source_with(tmp_path, text))
    assert message in str(error.value)


def test_a_missing_file_of_cases_is_named(tmp_path: Path) -> None:
    source = source_with(tmp_path, "[]")
    source.cases_path.unlink()
    with pytest.raises(CasesError, match=r"put a JSON list of them into notes\.cases\.json"):
        load_cases(source)
