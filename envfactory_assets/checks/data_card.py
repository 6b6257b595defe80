"""The check of `data_card`."""

from collections.abc import Sequence

from envfactory_assets.checks.expectations import all_zero, row_count, unique, within
from envfactory_assets.checks.outcomes import Frame
from envfactory_assets.checks.suite import Evidence, table_check
from envfactory_assets.records.datasets import DataCardFigure
from envfactory_assets.stages.data_card.card import FILES
from envfactory_resources.home import Home


def _figures(rows: Sequence[DataCardFigure], evidence: Evidence) -> Frame:
    exports = Home(evidence.warehouse.root).exports
    texts = [(exports / name / "README.md").read_text(encoding="utf-8") for name in FILES]
    return {
        "figure": [f"{row.section}: {row.name}" for row in rows],
        "value_length": [len(row.value) for row in rows],
        # The cards that lie beside the files say what the table says.
        "is_not_in_the_card": [
            int(not all(f" {row.value} |" in text for text in texts)) for row in rows
        ],
    }


CHECKS = [
    table_check(
        "data_card",
        DataCardFigure,
        "Every figure stands once, has a value, and is in the cards beside the files.",
        _figures,
        [
            row_count(20),
            unique("figure"),
            within("value_length", 1, 400),
            all_zero("is_not_in_the_card"),
        ],
        is_partitioned=False,
    )
]
