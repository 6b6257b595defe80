from collections.abc import Callable

import pytest

from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf
from sandboxes.core.catalog import Catalog

MakeTool = Callable[..., GraphTool]
LeafTexts = dict[str, str | tuple[str, str]]


def _leaf(tool: str, environment_id: str, direction: str, path: str, text: object) -> Leaf:
    kind, description = text if isinstance(text, tuple) else ("string", text)
    name = [part for part in path.replace("[]", "").split(".") if part][-1]
    return Leaf(
        tool=tool,
        environment_id=environment_id,
        direction=direction,
        path=path.removesuffix("?"),
        name=name.removesuffix("?"),
        type=kind,
        description=description,
        required=not path.endswith("?"),
        enum=("a", "b") if kind == "enum" else (),
    )


@pytest.fixture
def make_tool() -> MakeTool:
    """Make a tool from `{path: description}` or `{path: (type, description)}`; `?` is optional."""

    def make(
        wire_name: str,
        effect: str = "read",
        inputs: LeafTexts | None = None,
        outputs: LeafTexts | None = None,
        description: str = "",
        domain: str = "office",
    ) -> GraphTool:
        environment, name = wire_name.split("__")
        environment_id = f"{domain}.{environment}"
        return GraphTool(
            environment_id=environment_id,
            tool=wire_name,
            name=name,
            effect=effect,
            description=description,
            inputs=tuple(
                _leaf(wire_name, environment_id, "input", path, text)
                for path, text in (inputs or {}).items()
            ),
            outputs=tuple(
                _leaf(wire_name, environment_id, "output", path, text)
                for path, text in (outputs or {}).items()
            ),
        )

    return make


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return Catalog.discover()
