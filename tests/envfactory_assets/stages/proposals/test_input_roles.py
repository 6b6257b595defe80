import pytest

from envfactory_assets.stages.proposals.input_roles import bound_of, role_of


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("q", "query"),
        ("per_page", "limit"),
        ("pageSize", "limit"),
        ("$top", "limit"),
        ("skip", "offset"),
        ("pageToken", "paging"),
        ("sort-by", "sorting"),
        ("opt_fields", "presentation"),
        ("colour", None),
    ],
)
def test_inputs_are_recognised_by_name(name, role):
    assert role_of(name) == role


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("min_price", "min_price"),
        ("priceTo", "max_price"),
        ("price[gte]", "min_price"),
        ("created_after", "min_created_at"),
        ("due.before", "max_due_date"),
        ("since", None),
        ("min_weight", None),
    ],
)
def test_bounds_of_measured_fields_are_recognised(name, bound):
    assert bound_of(name, ["price", "created_at", "due_date"]) == bound
