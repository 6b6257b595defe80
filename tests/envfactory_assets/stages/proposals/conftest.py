import json
from pathlib import Path

import pytest

from envfactory_assets.records.proposals import (
    EnvironmentProposal,
    ProposedEntity,
    ProposedField,
    ProposedTool,
)


@pytest.fixture
def proposal_of():
    """Make a proposal of some tools, given as descriptions by name."""

    def make(name, tools, domain="commerce", **changes):
        given = {
            "environment_id": f"{domain}.{name}",
            "domain": domain,
            "name": name,
            "service": f"A service called {name}.",
            "rationale": "It adds something.",
            "entities": (
                ProposedEntity(
                    name="thing",
                    description="Something.",
                    fields=(ProposedField(name="title", type="text", description="Its title"),),
                ),
            ),
            "tools": tuple(
                ProposedTool(
                    name=tool,
                    description=said,
                    operation="other",
                    entity=None,
                    effect="write",
                    input_schema={"type": "object", "properties": {}},
                )
                for tool, said in tools.items()
            ),
            "rules": (),
            "sources": (),
            "origin": "imported",
            "made_by": "researcher:documents",
            **changes,
        }
        return EnvironmentProposal(**given)

    return make


@pytest.fixture
def auction():
    """A proposal as a model hands it in, without faults; free to be changed."""
    return json.loads((Path(__file__).parent / "auction.json").read_text())
