import json
from pathlib import Path

import pytest

from envfactory_assets.records.proposals import EnvironmentProposal

FILE = Path(__file__).parent / "proposals.json"
EFFECTS = {"create": "write", "update": "write", "delete": "write", "other": "write"}


def field(text):
    """`name:type` with optional parts: `!label`, `?` optional, `>entity`, `[a|b]`, `{1..5}`."""
    name, _, rest = text.partition(":")
    kind, *marks = rest.split(" ")
    made = {"name": name, "type": kind, "description": f"{name.replace('_', ' ')} of it"}
    for mark in marks:
        body = mark[1:]
        if mark == "?":
            made["is_optional"] = True
        elif mark[0] == ">":
            made["references"] = body
        elif mark[0] == "[":
            made["choices"] = tuple(body.rstrip("]").split("|"))
        elif mark[0] == "{":
            low, high = body.rstrip("}").split("..")
            made |= {"minimum": float(low), "maximum": float(high)}
        elif mark[0] == "=":
            made["examples"] = tuple(body.replace("_", " ").split("|"))
    return made


def tool(text):
    """`name operation entity required,… optional?,…`."""
    name, operation, entity, *names = text.split(" ")
    inputs = [part for part in (names[0].split(",") if names else []) if part]
    return {
        "name": name,
        "description": f"{operation.capitalize()} {entity.replace('_', ' ')}.",
        "operation": operation,
        "entity": None if entity == "-" else entity,
        "effect": EFFECTS.get(operation, "read"),
        "input_schema": {
            "type": "object",
            "properties": {part.rstrip("?"): {} for part in inputs},
            "required": [part for part in inputs if not part.endswith("?")],
        },
    }


def proposal(name, sketch):
    """A proposal of a sketch: entities as lists of fields, tools as lines."""
    entities = tuple(
        {
            "name": entity,
            "description": f"One {entity.replace('_', ' ')} that the service keeps",
            "fields": tuple(field(line) for line in lines if not line.startswith("label=")),
            "label": next((line[6:] for line in lines if line.startswith("label=")), None),
        }
        for entity, lines in sketch["entities"].items()
    )
    return EnvironmentProposal.model_validate(
        {
            "environment_id": f"office.{name}",
            "domain": "office",
            "name": name,
            "service": sketch["service"],
            "rationale": "",
            "entities": entities,
            "tools": tuple(tool(line) for line in sketch["tools"]),
            "rules": tuple(sketch.get("rules", ())),
            "sources": (),
            "origin": "imported",
            "made_by": "test",
        }
    )


def all_proposals():
    return {name: proposal(name, sketch) for name, sketch in json.loads(FILE.read_text()).items()}


@pytest.fixture(scope="session")
def proposals():
    """Varied proposals by name."""
    return all_proposals()
