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


def listed(name, *, required=(), output=None, hints=None, **properties):
    """Return an entry of a tool list."""
    schema = {"type": "object", "properties": properties, "required": list(required)}
    entry = {"name": name, "description": f"Does {name}.", "inputSchema": schema}
    if output is not None:
        entry["outputSchema"] = output
    if hints is not None:
        entry["annotations"] = hints
    return entry


TEXT = {"type": "string"}
TICKET = {
    "type": "object",
    "properties": {
        "id": TEXT,
        "title": TEXT,
        "body": TEXT,
        "priority": {"type": "string", "enum": ["low", "high"]},
        "opened_at": {"type": "string", "format": "date-time"},
    },
}


def desk():
    """Return a tool list with all that is usually done with a ticket."""
    sent = {"title": TEXT, "body": TEXT, "priority": TICKET["properties"]["priority"]}
    found = {"type": "object", "properties": {"tickets": {"type": "array", "items": TICKET}}}
    key = {"ticket_id": {"type": "integer"}}
    return {
        "serverInfo": {"name": "desk", "title": "Help desk"},
        "instructions": "Tickets of customers. Be kind.",
        "tools": [
            listed("create_ticket", required=["title"], output=TICKET, **sent),
            listed("getTicket", required=["ticket_id"], output=TICKET, **key),
            listed("update-ticket", required=["ticket_id"], output=TICKET, **key, **sent),
            listed("ticket.delete", required=["ticket_id"], **key),
            listed("list_tickets", output=found, page_size={"type": "integer"}),
            listed("search_tickets", required=["q"], output=found, q=TEXT, opened_since=TEXT),
            listed("ping"),
        ],
    }


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
