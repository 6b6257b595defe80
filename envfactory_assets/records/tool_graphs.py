"""Rows of the tool graph: labelled parameters, edges, and links between domains."""

from typing import Literal

from envfactory_assets.records.record import Record
from sandboxes.core.tool import Effect

Direction = Literal["input", "output"]
Source = Literal["external", "internal"]
EdgeKind = Literal["feeds", "precedes"]
EdgeOrigin = Literal["similarity", "review"]


class ToolParameter(Record):
    """One leaf of a tool's schemas; table `tool_parameters`.

    Attributes:
        tool: Wire name.
        parameter: Path of the leaf, as in `sandboxes.core.parameters`.
        required: Whether every call gives it (outputs: always true).
        source: Who gives an input: a user can say it (`external`) or only a tool can give it
            (`internal`). None for outputs.
        reason: Why the source is what it is; empty for outputs.
        made_by: Which implementation of the parameter labeller decided.
    """

    domain: str
    environment_id: str
    tool: str
    effect: Effect
    parameter: str
    direction: Direction
    type: str
    description: str
    required: bool
    source: Source | None
    reason: str
    made_by: str


class ToolGraphEdge(Record):
    """One edge within a domain; table `tool_graphs`. Edges that were pruned stay as rows.

    Attributes:
        kind: `feeds` joins an output leaf to an input leaf; `precedes` joins two tools, and then
            both parameters are empty.
        similarity: Cosine of the two leaves' texts; None for `precedes`.
        origin: Whether similarity proposed the edge or the review added it.
        kept: Whether chains may use it.
        reason: Why it was kept, pruned or added.
        declared: Whether both ends declare one identifier type. Ground truth: only scores read it.
        model_id: The embedding model that measured the similarity.
        made_by: Which implementation of the graph reviewer decided.
    """

    domain: str
    kind: EdgeKind
    source_tool: str
    source_parameter: str
    target_tool: str
    target_parameter: str
    similarity: float | None
    origin: EdgeOrigin
    kept: bool
    reason: str
    declared: bool
    model_id: str
    made_by: str


class CrossDomainLink(Record):
    """One feeds edge between tools of two domains; table `cross_domain_links`.

    Attributes are those of `ToolGraphEdge`, with a domain for each end.
    """

    source_domain: str
    target_domain: str
    kind: EdgeKind
    source_tool: str
    source_parameter: str
    target_tool: str
    target_parameter: str
    similarity: float | None
    origin: EdgeOrigin
    kept: bool
    reason: str
    declared: bool
    model_id: str
    made_by: str
