import copy

import pytest

from envfactory_assets.stages.proposals.document_errors import DocumentError
from tests.envfactory_assets.stages.proposals.small_documents import (
    crud,
    fields_of,
    inputs_of,
    json_of,
    note_of,
    openapi,
    parameter,
    proposed,
    ref,
    shop,
    tool_of,
)


def test_a_document_with_full_crud_gives_every_operation_on_every_entity():
    proposal = proposed(shop())

    assert [entity.name for entity in proposal.entities] == ["customer", "order"]
    assert {(tool.name, tool.operation, tool.entity, tool.effect) for tool in proposal.tools} == {
        ("list_customers", "list", "customer", "read"),
        ("create_customer", "create", "customer", "write"),
        ("get_customer", "read", "customer", "read"),
        ("update_customer", "update", "customer", "write"),
        ("delete_customer", "delete", "customer", "write"),
        ("list_orders", "list", "order", "read"),
        ("create_order", "create", "order", "write"),
        ("get_order", "read", "order", "read"),
        ("update_order", "update", "order", "write"),
        ("delete_order", "delete", "order", "write"),
    }


def test_the_proposal_says_where_it_comes_from():
    proposal = proposed(shop())

    assert proposal.environment_id == "commerce.shop"
    assert proposal.service == "Takes orders."
    assert proposal.origin == "imported"
    assert proposal.made_by == "importer:rules"
    assert proposal.sources[0].title == "Shop"
    assert proposal.sources[0].address == "commerce/shop.openapi.json"


def test_fields_carry_types_choices_bounds_examples_and_references():
    proposal = proposed(shop())

    customer = fields_of(proposal, "customer")
    order = fields_of(proposal, "order")
    assert customer["name"].description == "Full name"
    assert customer["name"].examples == ("Ida Holm",)
    assert customer["born_on"].type == "day"
    assert customer["tier"].choices == ("basic", "gold")
    assert order["customer_id"].references == "customer"
    assert (order["quantity"].minimum, order["quantity"].maximum) == (1, 9)
    assert order["placed_at"].type == "moment"
    assert "address_street" in order
    assert "id" not in customer


def test_people_tell_entities_apart_by_their_label():
    proposal = proposed(shop())

    assert {entity.name: entity.label for entity in proposal.entities} == {
        "customer": "name",
        "order": None,
    }


def test_inputs_follow_the_conventions_of_names():
    proposal = proposed(shop())

    assert list(inputs_of(proposal, "get_customer")) == ["customer_id"]
    assert inputs_of(proposal, "get_customer")["customer_id"]["type"] == "string"
    assert next(iter(inputs_of(proposal, "update_order"))) == "order_id"
    assert inputs_of(proposal, "list_customers")["limit"]["maximum"] == 50
    assert tool_of(proposal, "create_customer").input_schema["required"] == ["name"]
    assert "placed_at" not in inputs_of(proposal, "create_order")


def test_results_are_entities_and_lists_of_them():
    proposal = proposed(shop())

    read = tool_of(proposal, "get_customer").output_schema
    listed = tool_of(proposal, "list_customers").output_schema
    assert "customer_id" in read["required"]
    assert "customer_id" in listed["properties"]["customers"]["items"]["properties"]


def test_what_an_import_leaves_out_is_listed():
    content = shop(webhooks={"orderPlaced": {}}, security=[{"token": []}])
    content["components"]["securitySchemes"] = {"token": {"type": "http"}}
    content["paths"]["/v1/orders"]["get"]["parameters"] += [
        parameter("X-Trace", "header"),
        parameter("sort"),
        parameter("cursor"),
    ]
    content["paths"]["/v1/customers"]["get"]["deprecated"] = True

    proposal = proposed(content)

    assert note_of(proposal, "Authentication") == "Authentication is left out: token."
    assert "orderPlaced" in note_of(proposal, "Webhooks")
    assert "X-Trace" in note_of(proposal, "Header and cookie parameters")
    assert "GET /v1/customers" in note_of(proposal, "Deprecated operations")
    assert note_of(proposal, "Paging, sorting").endswith("sort, cursor.")
    assert note_of(proposal, "Business rules")


def test_a_nested_path_makes_a_reference_to_what_is_above():
    lists = {"200": json_of({"type": "array", "items": ref("Order")})}
    paths = {
        **crud("Customer", "Customers", "/customers", "id"),
        "/customers/{id}/orders": {
            "parameters": [parameter("id", "path", required=True)],
            "get": {"operationId": "listOrders", "responses": lists},
        },
    }

    proposal = proposed(openapi(paths))

    assert list(inputs_of(proposal, "list_orders")) == ["customer_id"]
    assert fields_of(proposal, "order")["customer_id"].references == "customer"


def test_ids_above_the_own_id_are_dropped():
    item = [
        parameter("customerId", "path", required=True),
        parameter("orderId", "path", required=True),
    ]
    paths = {
        **crud("Customer", "Customers", "/customers", "customerId"),
        "/customers/{customerId}/orders/{orderId}": {
            "parameters": item,
            "get": {"operationId": "getOrder", "responses": {"200": json_of(ref("Order"))}},
        },
    }

    proposal = proposed(openapi(paths))

    assert list(inputs_of(proposal, "get_order")) == ["order_id"]
    assert "get_order.customer_id" in note_of(proposal, "Inputs that say where a thing is")


def test_envelopes_are_opened_in_both_directions():
    wrapped = {"type": "object", "properties": {"data": ref("Order")}}
    listed = {
        "type": "object",
        "properties": {"data": {"type": "array", "items": ref("Order")}, "total": {}},
    }
    paths = {
        "/orders": {
            "get": {"operationId": "listOrders", "responses": {"200": json_of(listed)}},
            "post": {
                "operationId": "createOrder",
                "requestBody": json_of(wrapped),
                "responses": {"201": json_of(wrapped)},
            },
        }
    }

    proposal = proposed(openapi(paths))

    assert "note" in inputs_of(proposal, "create_order")
    assert "note" in fields_of(proposal, "order")
    assert "POST /orders" in note_of(proposal, "Envelopes")


def test_acts_at_the_end_of_a_path_are_of_no_known_kind():
    content = shop()
    content["paths"]["/v1/orders/{orderId}/cancel"] = {
        "post": {
            "operationId": "cancelOrder",
            "parameters": [parameter("orderId", "path", required=True)],
            "responses": {"200": json_of(ref("Order"))},
        }
    }

    tool = tool_of(proposed(content), "cancel_order")

    assert (tool.operation, tool.entity, tool.effect) == ("other", "order", "write")
    assert list(tool.input_schema["properties"]) == ["order_id"]


def test_a_search_at_the_end_of_a_path_searches_what_is_above():
    content = shop()
    content["paths"]["/v1/orders/search"] = {
        "get": {
            "operationId": "searchOrders",
            "parameters": [parameter("q"), parameter("placed_after")],
            "responses": {"200": json_of({"type": "array", "items": ref("Order")})},
        }
    }

    tool = tool_of(proposed(content), "search_orders")

    assert (tool.operation, tool.entity) == ("search", "order")
    assert list(tool.input_schema["properties"]) == ["query", "min_placed_at"]


def test_an_update_without_an_id_in_its_path_finds_it_in_its_body():
    content = shop()
    content["paths"]["/v1/orders"]["put"] = {
        "operationId": "replaceOrder",
        "requestBody": json_of(ref("Order")),
        "responses": {"200": json_of(ref("Order"))},
    }

    tool = tool_of(proposed(content), "replace_order")

    assert tool.operation == "update"
    assert tool.input_schema["required"] == ["order_id"]


def test_names_come_from_method_and_path_where_there_is_no_operation_id():
    content = shop()
    del content["paths"]["/v1/orders/{orderId}"]["get"]["operationId"]
    content["paths"]["/v1/orders"]["get"]["operationId"] = "list_orders_v1_orders_get"

    names = {tool.name for tool in proposed(content).tools}

    assert {"get_orders_by_order_id", "list_orders"} <= names


def test_two_operations_of_one_name_are_told_apart():
    content = shop()
    content["paths"]["/v1/orders"]["get"]["operationId"] = "list"
    content["paths"]["/v1/customers"]["get"]["operationId"] = "List"

    names = [tool.name for tool in proposed(content).tools]

    assert {"list", "list_2"} <= set(names)


def test_a_large_document_is_cut_to_whole_entities_and_says_what_is_left_out():
    paths = {}
    for name in ("Apple", "Pear", "Plum", "Fig"):
        paths |= crud(name, f"{name}s", f"/{name.lower()}s", "id")
    del paths["/apples"]["post"]
    schemas = {name: copy.deepcopy(ref("Customer")) for name in ("Apple", "Pear", "Plum", "Fig")}

    proposal = proposed(openapi(paths, schemas), max_tools=10)

    assert [entity.name for entity in proposal.entities] == ["pear", "plum"]
    assert len(proposal.tools) == 10
    assert note_of(proposal, "There is no room") == "There is no room for these things: fig, apple."
    assert note_of(proposal, "9 of 19 tools are left out")


def test_the_same_document_gives_the_same_proposal():
    assert proposed(shop()) == proposed(copy.deepcopy(shop()))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"swagger": "2.0", "paths": {"/a": {}}}, "convert it to OpenAPI 3"),
        ({"openapi": 3}, "its member 'openapi' is 3"),
        ({"openapi": "3.1.0", "webhooks": {}}, "has no paths"),
        ({"openapi": "3.1.0", "paths": {"/a": {"head": {}}}}, "no operation to take"),
        (["openapi"], "is no OpenAPI 3"),
    ],
)
def test_what_is_no_usable_document_is_refused_with_a_reason(content, reason):
    with pytest.raises(DocumentError, match=reason):
        proposed(content)
