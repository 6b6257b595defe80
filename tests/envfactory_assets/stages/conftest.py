import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_resources.clients.language_model.language_model import LanguageModel
from sandboxes.core.catalog import Catalog

PIPELINE = Path(__file__).parent / "processes" / "whole_pipeline.py"


@pytest.fixture
def model_at(tmp_path):
    """Make a model of a fake endpoint; replies are kept for the test, connections are closed."""
    models = []

    def at(fake):
        models.append(
            LanguageModel(model="fake-1", base_url=fake.url, cache_dir=tmp_path / "replies")
        )
        return models[-1]

    yield at
    for model in models:
        model.close()


@pytest.fixture(scope="session")
def whole_pipeline():
    """The module that carries chains over shipped environments through all stages."""
    return SimpleNamespace(**runpy.run_path(str(PIPELINE)), path=PIPELINE)


@pytest.fixture(scope="session")
def pipeline(whole_pipeline):
    """24 tasks over three environments, through all stages, much kept back."""
    settings = QuerySettings(ambiguity=0.8)
    return whole_pipeline.run_pipeline(whole_pipeline.all_chains(3), settings)


@pytest.fixture(scope="session")
def shipped(whole_pipeline):
    """The three shipped environments that the tests use."""
    return Catalog.discover().restricted_to(whole_pipeline.ENVIRONMENTS)
