"""Similarity edges: output leaves whose text is close to that of an input leaf."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from envfactory_assets.stages.tool_graphs.leaves import GraphTool, Leaf
from envfactory_resources.clients.embedding.embedding_model import EmbeddingModel

_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """An output leaf that may feed an input leaf."""

    source: Leaf
    target: Leaf
    similarity: float


def leaf_text(leaf: Leaf) -> str:
    """Return the text of a leaf that is embedded."""
    return f"{leaf.name} ({leaf.type}): {leaf.description}"


def propose_feeds(
    sources: Sequence[GraphTool],
    targets: Sequence[GraphTool],
    model: EmbeddingModel,
    threshold: float,
) -> list[Candidate]:
    """Return the pairs of compatible type whose cosine reaches the threshold, in a fixed order.

    Args:
        sources: Tools whose outputs are looked at.
        targets: Tools whose inputs are looked at; may be the same.
        model: What measures similarity.
        threshold: The least cosine of a pair, which belongs to the model.
    """
    outputs = [leaf for tool in sources for leaf in tool.outputs]
    inputs = [leaf for tool in targets for leaf in tool.inputs]
    if not outputs or not inputs:
        return []
    cosines = similarities(outputs, inputs, model)
    rows, columns = np.nonzero(cosines >= threshold)
    found = [
        Candidate(outputs[row], inputs[column], float(cosines[row, column]))
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        if types_fit(outputs[row], inputs[column])
    ]
    return sorted(found, key=lambda pair: (*pair.source.key, *pair.target.key))


def similarities(
    outputs: Sequence[Leaf], inputs: Sequence[Leaf], model: EmbeddingModel
) -> npt.NDArray[np.float64]:
    """Return the cosine of every output with every input, rounded so that equal means equal."""
    texts = sorted({leaf_text(leaf) for leaf in (*outputs, *inputs)})
    vectors = model.encode(texts).astype(np.float64)
    place = {text: index for index, text in enumerate(texts)}
    left = vectors[[place[leaf_text(leaf)] for leaf in outputs]]
    right = vectors[[place[leaf_text(leaf)] for leaf in inputs]]
    return np.round(left @ right.T, _DECIMALS)


def pair_similarities(pairs: Sequence[tuple[Leaf, Leaf]], model: EmbeddingModel) -> list[float]:
    """Return the cosine of each pair."""
    if not pairs:
        return []
    outputs = list(dict.fromkeys(source for source, _ in pairs))
    inputs = list(dict.fromkeys(target for _, target in pairs))
    cosines = similarities(outputs, inputs, model)
    row = {leaf: place for place, leaf in enumerate(outputs)}
    column = {leaf: place for place, leaf in enumerate(inputs)}
    return [float(cosines[row[source], column[target]]) for source, target in pairs]


def types_fit(source: Leaf, target: Leaf) -> bool:
    """Whether a value of one leaf is a value of the other; of a list, one item is chosen."""
    return source.type == target.type or (source.type, target.type) == ("integer", "number")
