import pytest

from envfactory_assets.records.chains import Binding, ExternalValue, SampledChain
from envfactory_assets.stages.chains.draft import chain_id
from envfactory_assets.stages.chains.validation import validate_chain

_TOOLS = ("inn__search", "inn__rooms", "inn__book")
_BINDINGS = ((1, "hotel_id", 0, "hotels[].hotel_id"), (2, "room_id", 1, "rooms[].room_id"))
_EXTERNALS = ((0, "city"), (2, "day"))


def _chain(*, tools=_TOOLS, bindings=_BINDINGS, externals=_EXTERNALS, turns=None, **changes):
    turns = turns or (len(tools),)
    values = {
        "chain_id": chain_id("office", tools, sorted(bindings), sorted(externals), turns),
        "domain": "office",
        "environment_ids": ("office.inn",),
        "tools": tools,
        "bindings": tuple(
            Binding(
                target_step=step, target_parameter=path, source_step=source, source_parameter=leaf
            )
            for step, path, source, leaf in bindings
        ),
        "externals": tuple(ExternalValue(step=step, parameter=path) for step, path in externals),
        "turn_sizes": turns,
        "branch_count": 1,
        "depth": 2,
        "seed": 0,
        "sampler": "topology",
        "made_by": "rules",
    }
    return SampledChain(**{**values, **changes})


def test_a_chain_in_which_everything_is_given_has_no_fault(booking_rows):
    assert validate_chain(_chain(), booking_rows.parameters, booking_rows.edges) == []


_AGAIN = (*_TOOLS, "inn__mine", "inn__mine")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"bindings": _BINDINGS[:1]}, "Step 2, inn__book lacks the required 'room_id'."),
        ({"externals": _EXTERNALS[:1]}, "Step 2, inn__book lacks the required 'day'."),
        (
            {"bindings": (*_BINDINGS, (0, "guests", 2, "booking_id"))},
            "Step 0, 'guests' is bound to step 2, not earlier.",
        ),
        (
            {"bindings": (*_BINDINGS[:1], (2, "room_id", 0, "hotels[].hotel_id"))},
            "Step 2, 'room_id' is bound to inn__search 'hotels[].hotel_id': no edge.",
        ),
        (
            {"externals": (*_EXTERNALS, (2, "room_id"))},
            "Step 2, 'room_id' is no input that a user can say.",
        ),
        (
            {"externals": (*_EXTERNALS, (7, "day"))},
            "Step 7, 'day': there is no such step.",
        ),
        (
            {"externals": (*_EXTERNALS, (2, "day"))},
            "Step 2, 'day' is given 2 times.",
        ),
        ({"tools": _AGAIN}, "Step 4 repeats inn__mine and no binding needs it."),
        ({"turns": (2,)}, "Turns (2,) do not split 3 tools."),
        ({"turns": (0, 3)}, "Turns (0, 3) do not split 3 tools."),
        ({"depth": 3}, "Depth 3 is more than its bindings have."),
        (
            {"environment_ids": ("office.inn", "office.shop")},
            "Environments are ('office.inn', 'office.shop'), not ('office.inn',).",
        ),
        ({"chain_id": "chain-0"}, "chain-0 is not the id of its content."),
        ({"tools": ("inn__search", "inn__fly", "inn__book")}, "Unknown tools ['inn__fly']."),
        ({"tools": (), "turns": (1,)}, "The chain has no tools."),
    ],
)
def test_each_fault_is_named(booking_rows, changes, fault):
    faults = validate_chain(_chain(**changes), booking_rows.parameters, booking_rows.edges)

    assert fault in faults


def test_a_pruned_edge_is_no_edge(booking_rows):
    booking_rows.edges = [edge.model_copy(update={"kept": False}) for edge in booking_rows.edges]

    faults = validate_chain(_chain(), booking_rows.parameters, booking_rows.edges)

    assert len([fault for fault in faults if fault.endswith("no edge.")]) == 2


def test_a_link_counts_as_an_edge(booking_rows):
    booking_rows.tool("chat__find", gives=("contacts[].city",), domain="lifestyle")
    booking_rows.link("chat__find:contacts[].city", "inn__search:city")
    chain = _chain(
        tools=("chat__find", "inn__search"),
        bindings=((1, "city", 0, "contacts[].city"),),
        externals=(),
        depth=1,
        environment_ids=("lifestyle.chat", "office.inn"),
    )
    rows = booking_rows

    assert validate_chain(chain, rows.parameters, rows.edges, rows.links) == []
    assert validate_chain(chain, rows.parameters, rows.edges) != []
