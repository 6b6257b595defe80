import pytest

from envfactory_resources.clients.language_model.language_model import LanguageModel


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
