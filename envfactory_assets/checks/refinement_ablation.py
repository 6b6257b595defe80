"""The check of `refinement_ablation`."""

from collections.abc import Sequence

from envfactory_assets.checks.expectations import all_zero, one_of, row_count, unique, within
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.refinement_ablation import RefinementMeasure
from envfactory_assets.stages.refinement_ablation.comparing import ARMS, CLARIFIED


def _measures(rows: Sequence[RefinementMeasure], _: Evidence) -> Frame:
    return {
        "measure": [f"{row.domain}: {row.measure}, {row.arm}" for row in rows],
        "arm": [row.arm for row in rows],
        "value": [row.value for row in rows],
        "is_outside_its_interval": [
            int(not row.low - 1e-9 <= row.value <= row.high + 1e-9) for row in rows
        ],
        # A draft names every value, so whoever has to ask about one has found a fault of ours.
        "clarifications_of_drafts": [
            row.value if (row.arm, row.measure) == ("unrefined", CLARIFIED) else 0.0 for row in rows
        ],
    }


CHECKS = [
    table_check(
        "refinement_ablation",
        RefinementMeasure,
        "Both arms have every measure, and drafts leave nothing to ask for.",
        _measures,
        [
            row_count(1),
            unique("measure"),
            one_of("arm", ARMS),
            within("value", 0, None),
            all_zero("is_outside_its_interval"),
            within("clarifications_of_drafts", 0, 0, "warning"),
        ],
        is_partitioned=False,
    )
]
