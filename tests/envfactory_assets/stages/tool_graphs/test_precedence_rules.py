from envfactory_assets.stages.tool_graphs.labels import RuleLabeller
from envfactory_assets.stages.tool_graphs.precedence_rules import order_tools


def _order(tools, feeding=()):
    found = order_tools(tools, RuleLabeller().label(tools), set(feeding))
    return {(item.source_tool, item.target_tool): item.reason for item in found}


def test_showing_a_thing_precedes_changing_it(make_tool):
    event = {"event_id": "Id of the event"}
    show = make_tool("desk__get_event", inputs=event)
    move = make_tool("desk__move_event", effect="write", inputs=event)

    assert _order([show, move]) == {
        ("desk__get_event", "desk__move_event"): (
            "get_event shows the event that move_event acts on"
        )
    }


def test_a_read_about_something_else_precedes_nothing(make_tool):
    account = {"account_id": "Id of the account"}
    show = make_tool("bank__list_transactions", inputs=account)
    freeze = make_tool("bank__freeze_card", effect="write", inputs=account)

    assert _order([show, freeze]) == {}


def test_filling_a_cart_precedes_what_uses_and_shows_it(make_tool):
    add = make_tool("shop__add_to_cart", effect="write", description="Add a product to the cart.")
    order = make_tool("shop__order", effect="write", description="Order what is in the cart.")
    view = make_tool("shop__view_cart", description="Show the cart.")

    found = _order([add, order, view])

    assert found == {
        ("shop__add_to_cart", "shop__order"): "add_to_cart makes a cart, which order uses",
        ("shop__add_to_cart", "shop__view_cart"): "add_to_cart makes a cart, which view_cart shows",
    }


def test_a_feed_already_says_the_order(make_tool):
    add = make_tool("shop__add_to_cart", effect="write")
    view = make_tool("shop__view_cart")

    assert _order([add, view], [("shop__add_to_cart", "shop__view_cart")]) == {}


def test_tools_of_different_environments_are_not_ordered(make_tool):
    event = {"event_id": "Id of the event"}
    show = make_tool("desk__get_event", inputs=event)
    move = make_tool("fair__move_event", effect="write", inputs=event)

    assert _order([show, move]) == {}
