import pytest

from envfactory_assets.stages.proposals.coverage import measure_coverage
from envfactory_assets.stages.proposals.coverage_text import (
    coverage_table,
    coverage_text,
    lacking,
)
from sandboxes.core.catalog import Catalog

HALF_A_SERVICE = '''
"""Tickets."""
from typing import Annotated
from pydantic import Field
from sandboxes.core.annotations import Identifier
from sandboxes.core.environment import Environment
from sandboxes.core.state import State
from sandboxes.core.tool import Result, tool

class TicketState(State):
    """Nothing."""

class Receipt(Result):
    """A receipt."""
    receipt_id: Annotated[str, Field(description="Id of the receipt.")]

class HalfTickets(Environment[TicketState]):
    """Sell tickets to people."""

    @tool(effect="write")
    def sell_ticket(
        self,
        seat_id: Annotated[str, Field(description="Id of the seat.")],
        airport: Annotated[str, Field(description="Where it starts.")],
    ) -> Receipt:
        """Sell a ticket."""
        raise NotImplementedError
'''


@pytest.fixture(scope="module")
def shop():
    return measure_coverage(Catalog.discover(), "commerce")


@pytest.fixture
def half(tmp_path):
    (tmp_path / "travel").mkdir()
    (tmp_path / "travel" / "half_tickets.py").write_text(HALF_A_SERVICE)
    return Catalog.discover([(tmp_path, "shipped")])


def test_tools_are_counted_by_what_they_do_to_which_entity(shop):
    (environment,) = shop.environments

    assert environment.operations["product"] == ("read", "search")
    assert environment.operations["cart"] == ("create", "read")
    assert (len(environment.tools), environment.write_tool_count) == (13, 7)
    assert "order" in shop.entities


def test_the_text_says_what_is_there_and_what_is_lacking(shop):
    text = coverage_text(shop)

    assert "cancel_order (write): Cancel an order before it ships" in text
    assert "- order: read, list, other" in text
    assert "No tool of the domain does only this to an entity: delete." in text
    assert "commerce.shop is the only environment of the domain" in text
    assert "In other domains there are: academic.course_portal" in text


def test_the_table_has_a_row_an_entity(shop):
    rows = coverage_table(shop)

    assert next(row for row in rows if row["entity"] == "order") == {
        "environment": "commerce.shop",
        "entity": "order",
        "create": 0,
        "read": 1,
        "update": 0,
        "delete": 0,
        "list": 1,
        "search": 0,
        "other": 2,
    }


def test_holes_in_the_connections_are_found(half):
    coverage = measure_coverage(half, "travel")

    assert coverage.unfed_inputs == ("half_tickets__sell_ticket: seat_id",)
    assert coverage.unused_outputs == ("half_tickets__sell_ticket: receipt_id",)
    assert coverage.ungiven_names == ("airport",)
    assert any("half_tickets__sell_ticket: seat_id" in line for line in lacking(coverage))


def test_the_shipped_environments_have_no_required_id_that_nothing_gives():
    catalog = Catalog.discover()
    domains = {source.domain for source in catalog.sources}

    assert [measure_coverage(catalog, domain).unfed_inputs for domain in domains] == [()] * 7


def test_an_empty_domain_lacks_everything():
    coverage = measure_coverage(Catalog([]), "travel")

    assert lacking(coverage) == ["The domain travel has no environment at all."]
    assert "Domain: travel" in coverage_text(coverage)
