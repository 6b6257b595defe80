import json

import datasets
import pytest

from envfactory_assets.stages.data_card.card import card_text, write_card
from envfactory_assets.stages.datasets.exports import write_rl, write_sft
from sandboxes.core.canonical import canonical_json


def counts(rows):
    splits = [row.split for row in rows]
    return {split: splits.count(split) for split in splits}


@pytest.mark.parametrize("asset", ["sft_dataset", "rl_dataset"])
def test_a_folder_with_its_card_is_a_dataset_whose_splits_hold_the_rows(pipeline, tmp_path, asset):
    rows = pipeline.sft if asset == "sft_dataset" else pipeline.rl
    folder = tmp_path / asset
    (write_sft if asset == "sft_dataset" else write_rl)(rows, folder)
    write_card(card_text([], asset, counts(rows)), folder / "README.md")
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))

    assert {name: len(split) for name, split in loaded.items()} == counts(rows)
    if asset == "sft_dataset":
        for name, split in loaded.items():
            written = (folder / f"sft_{name}.jsonl").read_text(encoding="utf-8").splitlines()
            assert list(map(canonical_json, split)) == [
                canonical_json(json.loads(line)) for line in written
            ]
