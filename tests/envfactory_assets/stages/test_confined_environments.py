"""What the stages make of environments that nobody has reviewed: the same rows."""

import shutil

from sandboxes.confinement.loading import load_confined
from sandboxes.core.catalog import Catalog


def test_every_stage_gives_the_same_rows_for_confined_environments(whole_pipeline, tmp_path):
    for source in Catalog.discover().restricted_to(whole_pipeline.ENVIRONMENTS).sources:
        folder = tmp_path / source.domain.value
        folder.mkdir()
        shutil.copy(source.path, folder)
        shutil.copy(source.cases_path, folder)
    confined = Catalog.discover([(tmp_path, "generated")], load_confined)
    chains = whole_pipeline.all_chains(1)
    made = [
        whole_pipeline.run_pipeline(chains, candidates=2, catalog=catalog)
        for catalog in (None, confined)
    ]

    assert len(made[0].filtered) >= 3
    assert whole_pipeline.hash_of(made[0]) == whole_pipeline.hash_of(made[1])
