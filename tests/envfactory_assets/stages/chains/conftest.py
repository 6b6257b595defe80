from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import strategies as st

from envfactory_assets.records.tool_graphs import CrossDomainLink, ToolGraphEdge, ToolParameter


@dataclass
class Rows:
    """Rows of a tool graph, written down tersely."""

    parameters: list[ToolParameter] = field(default_factory=list)
    edges: list[ToolGraphEdge] = field(default_factory=list)
    links: list[CrossDomainLink] = field(default_factory=list)

    def tool(self, name, *, effect="read", needs=(), says=(), gives=(), domain="office"):
        """Add a tool: internal inputs, external inputs (`?` is optional), outputs."""
        environment = name.split("__")[0]

        def add(path, direction, source):
            self.parameters.append(
                ToolParameter(
                    domain=domain,
                    environment_id=f"{domain}.{environment}",
                    tool=name,
                    effect=effect,
                    parameter=path.removesuffix("?"),
                    direction=direction,
                    type="string",
                    description="",
                    required=not path.endswith("?"),
                    source=source,
                    reason="",
                    made_by="rules",
                )
            )

        for path in needs:
            add(path, "input", "internal")
        for path in says:
            add(path, "input", "external")
        for path in (*gives, "note"):
            add(path, "output", None)

    def _edge(self, source, target, kind, kept):
        source_tool, _, source_path = source.partition(":")
        target_tool, _, target_path = target.partition(":")
        return {
            "kind": kind,
            "source_tool": source_tool,
            "source_parameter": source_path,
            "target_tool": target_tool,
            "target_parameter": target_path,
            "similarity": None,
            "origin": "review",
            "kept": kept,
            "reason": "because",
            "declared": False,
            "model_id": "table",
            "made_by": "rules",
        }

    def feed(self, source, target, *, kept=True):
        """Add a feed between `tool:leaf` and `tool:leaf`."""
        row = self._edge(source, target, "feeds", kept)
        self.edges.append(ToolGraphEdge(domain=self._domain(target), **row))

    def precede(self, source, target):
        """Add a precedence between two tools."""
        row = self._edge(source, target, "precedes", True)
        self.edges.append(ToolGraphEdge(domain=self._domain(target), **row))

    def link(self, source, target):
        """Add a cross-domain link."""
        row = self._edge(source, target, "feeds", True)
        self.links.append(
            CrossDomainLink(
                source_domain=self._domain(source), target_domain=self._domain(target), **row
            )
        )

    def _domain(self, leaf):
        tool = leaf.split(":")[0]
        return next(row.domain for row in self.parameters if row.tool == tool)


MakeRows = Callable[[], Rows]


@pytest.fixture
def rows() -> Rows:
    return Rows()


@pytest.fixture
def booking_rows() -> Rows:
    """Search gives a hotel, its rooms need it, booking needs a room, cancelling a booking."""
    made = Rows()
    made.tool("inn__search", says=("city", "guests?"), gives=("hotels[].hotel_id",))
    made.tool("inn__rooms", needs=("hotel_id",), gives=("rooms[].room_id",))
    made.tool("inn__book", effect="write", needs=("room_id",), says=("day",), gives=("booking_id",))
    made.tool("inn__cancel", effect="write", needs=("booking_id",))
    made.tool("inn__mine", says=("status?",), gives=("bookings[].booking_id",))
    made.feed("inn__search:hotels[].hotel_id", "inn__rooms:hotel_id")
    made.feed("inn__rooms:rooms[].room_id", "inn__book:room_id")
    made.feed("inn__book:booking_id", "inn__cancel:booking_id")
    made.feed("inn__mine:bookings[].booking_id", "inn__cancel:booking_id")
    made.precede("inn__rooms", "inn__cancel")
    return made


@st.composite
def random_rows(draw) -> Rows:
    """Draw a tool graph of up to ten tools in up to five environments of two domains."""
    made = Rows()
    count = draw(st.integers(1, 10))
    names = []
    for number in range(count):
        domain = draw(st.sampled_from(("office", "office", "travel")))
        environment = f"{domain[0]}{draw(st.integers(0, 3))}"
        name = f"{environment}__t{number}"
        names.append((name, domain))
        made.tool(
            name,
            effect=draw(st.sampled_from(("read", "write"))),
            needs=draw(st.lists(st.sampled_from(("a_id", "b_id", "c_id?")), unique=True)),
            says=draw(
                st.lists(
                    st.sampled_from(("x", "y?", "z.u?", "z.v?", "w[].k", "w[].l?")), unique=True
                )
            ),
            gives=("one_id", "many[].id"),
            domain=domain,
        )
    inputs = [row for row in made.parameters if row.direction == "input"]
    for row in inputs:
        for name, domain in draw(st.lists(st.sampled_from(names), max_size=3, unique=True)):
            leaf = draw(st.sampled_from(("one_id", "many[].id")))
            source, target = f"{name}:{leaf}", f"{row.tool}:{row.parameter}"
            if domain == row.domain:
                made.feed(source, target, kept=draw(st.booleans()))
            elif row.source == "external":
                made.link(source, target)
    for source, target in draw(
        st.lists(st.tuples(st.sampled_from(names), st.sampled_from(names)), max_size=6)
    ):
        if source[1] == target[1] and source != target:
            made.precede(source[0], target[0])
    return made


@pytest.fixture(scope="session")
def random_graphs() -> st.SearchStrategy[Rows]:
    return random_rows()
