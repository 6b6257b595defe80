import pytest

from envfactory_resources.clients.language_model.language_model import LanguageModel

KEY = "sk-secret-0123456789"


@pytest.fixture
def connect(tmp_path):
    """Return a function that makes models of a fake endpoint, all closed at the end."""
    models = []

    def to(fake, **changes):
        given = {"model": "fake-1", "api_key": KEY, "cache_dir": tmp_path / "replies", **changes}
        models.append(LanguageModel(base_url=fake.url, **given))
        return models[-1]

    yield to
    for model in models:
        model.close()
