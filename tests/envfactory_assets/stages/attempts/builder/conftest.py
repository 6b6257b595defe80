import json
from pathlib import Path

import pytest

from envfactory_assets.records.proposals import EnvironmentProposal
from envfactory_assets.stages.attempts.builder.coder import RuleCoder
from sandboxes.core.canonical import content_hash
from sandboxes.core.catalog import Catalog, cases_path
from sandboxes.core.scenario import Scenario
from sandboxes.verification.verify import verify

FILE = Path(__file__).parent / "proposals.json"
EFFECTS = {"create": "write", "update": "write", "delete": "write", "other": "write"}


def field(text):
    """`name:type` with optional parts: `!label`, `?` optional, `>entity`, `[a|b]`, `{1..5}`."""
    name, _, rest = text.partition(":")
    kind, *marks = rest.split(" ")
    made = {
        "name": name,
        "type": kind,
        "description": f"{name.replace('_', ' ').capitalize()} as it was put down",
    }
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


class Workshop:
    """Builds proposals below a folder and verifies them in this process: we wrote the builder."""

    def __init__(self, folder):
        self._folder = folder

    def write(self, made):
        """Return the draft of a proposal and the catalog that holds it."""
        draft = RuleCoder(self._states).write(made, ())
        root = self._folder / content_hash(draft.source)[:12]
        path = root / made.domain / f"{made.name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(draft.source)
        rows = [case.model_dump(mode="json") for case in draft.cases]
        cases_path(path).write_text(json.dumps(rows))
        return draft, Catalog.discover(((root, "shipped"),))

    def verify(self, made, *, mutation=False):
        """Return the report on what is built of a proposal."""
        _, catalog = self.write(made)
        return verify(catalog, made.environment_id, mutation=mutation)

    @staticmethod
    def _states(source, seeds):
        reviewed = source.model_copy(update={"origin": "shipped"})
        catalog = Catalog([reviewed])
        key = source.environment_id
        return {seed: Scenario.draw(catalog, [key], seed).states[key] for seed in seeds}


@pytest.fixture
def workshop(tmp_path):
    """What builds and verifies."""
    return Workshop(tmp_path)


@pytest.fixture(scope="session")
def sketch():
    """Makes a proposal of a terse sketch."""
    return proposal
