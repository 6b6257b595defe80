"""Small documents of the styles that teams have, written for these tests."""

from envfactory_assets.stages.proposals.documents import Document
from envfactory_assets.stages.proposals.import_settings import ImportSettings
from envfactory_assets.stages.proposals.importing import proposal_of

CUSTOMER = {
    "type": "object",
    "description": "Somebody who buys.",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "integer", "format": "int64"},
        "name": {"type": "string", "description": "Full name.", "example": "Ida Holm"},
        "email": {"type": "string", "format": "email"},
        "bornOn": {"type": "string", "format": "date"},
        "tier": {"type": "string", "enum": ["basic", "gold"]},
    },
}
ORDER = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "customerId": {"type": "integer"},
        "note": {"type": "string", "maxLength": 80},
        "quantity": {"type": "integer", "minimum": 1, "maximum": 9},
        "placedAt": {"type": "string", "format": "date-time", "readOnly": True},
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        },
    },
}


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def json_of(schema):
    return {"content": {"application/json": {"schema": schema}}}


def parameter(name, place="query", *, required=False, **schema):
    schema = schema or {"type": "string"}
    return {"name": name, "in": place, "required": required, "schema": schema}


def crud(name, plural, path, key):
    """Return the paths of a thing with all that is usually done with one."""
    item = [parameter(key, "path", required=True, type="integer")]
    returned = {"200": {"description": "ok", **json_of(ref(name))}}
    return {
        path: {
            "get": {
                "operationId": f"list{plural}",
                "parameters": [parameter("per_page", type="integer", maximum=50)],
                "responses": {"200": json_of({"type": "array", "items": ref(name)})},
            },
            "post": {
                "operationId": f"create{name}",
                "summary": f"Create one {name.lower()}.",
                "requestBody": json_of(ref(name)),
                "responses": {"201": json_of(ref(name))},
            },
        },
        f"{path}/{{{key}}}": {
            "parameters": item,
            "get": {"operationId": f"get{name}", "responses": returned},
            "put": {
                "operationId": f"update{name}",
                "requestBody": json_of(ref(name)),
                "responses": returned,
            },
            "delete": {"operationId": f"delete{name}", "responses": {"204": {}}},
        },
    }


def openapi(paths, schemas=None, **more):
    return {
        "openapi": "3.0.3",
        "info": {"title": "Shop", "description": "Takes orders. And more."},
        "paths": paths,
        "components": {"schemas": {"Customer": CUSTOMER, "Order": ORDER, **(schemas or {})}},
        **more,
    }


def shop(**more):
    paths = {
        **crud("Customer", "Customers", "/v1/customers", "customerId"),
        **crud("Order", "Orders", "/v1/orders", "orderId"),
    }
    return openapi(paths, **more)


def proposed(content, kind="openapi", **settings):
    document = Document(kind, "commerce", "shop", content, f"commerce/shop.{kind}.json")
    return proposal_of(document, ImportSettings(**settings))


def tool_of(proposal, name):
    return next(tool for tool in proposal.tools if tool.name == name)


def fields_of(proposal, entity):
    found = next(one for one in proposal.entities if one.name == entity)
    return {field.name: field for field in found.fields}


def inputs_of(proposal, name):
    return tool_of(proposal, name).input_schema["properties"]


def note_of(proposal, beginning):
    return next((note for note in proposal.not_inferred if note.startswith(beginning)), "")
