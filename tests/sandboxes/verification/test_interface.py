from collections.abc import Callable

import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.verification.interface import check_interface
from sandboxes.verification.report import Finding

HOTEL = "travel.hotel_booking"
GET = "hotel_booking__get_hotel"


@pytest.fixture
def check(copy_of_hotel: Callable[..., Catalog]) -> Callable[..., list[Finding]]:
    """Give what the gate finds in a copy of the hotel environment."""

    def findings(*replacements: tuple[str, str]) -> list[Finding]:
        return check_interface(copy_of_hotel(*replacements).load(HOTEL))

    return findings


@pytest.mark.parametrize(
    ("old", "new", "tool", "got"),
    [
        (
            '    """Find hotels and rooms, book and change stays, and review them."""\n',
            "",
            None,
            "none",
        ),
        (
            '        """Show one hotel with its cancellation terms and mean rating."""\n',
            "",
            GET,
            "none",
        ),
        (
            'stars: int = Field(description="Star rating of the hotel")\n    has',
            'stars: int = Field(description="Stars.")\n    has',
            GET,
            "only its name, 'Stars.'",
        ),
        (
            'description="Whether breakfast is included"',
            'description="As search_hotels says"',
            GET,
            "the name of a tool, 'As search_hotels says'",
        ),
        (
            '"tell me more about {hotel_id}"',
            '"tell me more[ about {hotel_id}]"',
            GET,
            "no slot for the required 'hotel_id'",
        ),
        (
            '"tell me more about {hotel_id}"',
            '"tell me[ more about {hotel_id}"',
            GET,
            "brackets that do not match",
        ),
    ],
)
def test_what_is_missing_is_found_and_located(
    check: Callable[..., list[Finding]], old: str, new: str, tool: str | None, got: str
) -> None:
    (finding,) = check((old, new))
    assert finding.tool == tool
    assert finding.got == got


def test_too_few_writing_tools_are_found(check: Callable[..., list[Finding]]) -> None:
    writes = (
        ('effect="write", phrasings=("cancel', 'effect="read", phrasings=("cancel'),
        ('effect="write", phrasings=("review', 'effect="read", phrasings=("review'),
        ('effect="write", phrasings=("save', 'effect="read", phrasings=("save'),
    )
    (finding,) = check(*writes)
    assert finding.tool is None
    assert finding.got == "3 of 13"


def test_an_id_that_no_tool_gives_is_found(check: Callable[..., list[Finding]]) -> None:
    findings = check(('room_id: RoomId = Field(description="Id of the room")', "number: int = 1"))
    assert any(
        finding.tool == "hotel_booking__book_room" and "RoomId" in finding.expected
        for finding in findings
    )


def test_a_server_that_shows_another_schema_is_found() -> None:
    environment = Catalog.discover().load(HOTEL)
    served = {tool.wire_name: tool.input_schema for tool in environment.tools.values()}
    assert check_interface(environment, served) == []
    (finding,) = check_interface(environment, {**served, GET: {"type": "object"}})
    assert (finding.tool, finding.fault) == (GET, "schema")
