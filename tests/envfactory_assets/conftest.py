import pytest


@pytest.fixture(scope="session")
def records():
    """Dagster's records of the one run of the main job; tests only read them."""
    import dagster as dg

    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture(scope="session")
def materialized(tmp_path_factory, records):
    """A platform on which the main job ran once; tests only read it."""
    # Imported here, so that tests of stages alone do not wait for Dagster.
    from tests.envfactory_assets.platform import Platform

    platform = Platform.make(tmp_path_factory.mktemp("materialized"))
    legs = platform.run_main_job(instance=records)
    assert [failure for leg in legs for failure in leg.failures] == []
    return platform


@pytest.fixture
def platform(materialized, tmp_path):
    """A copy of it that a test may change."""
    return materialized.copy(tmp_path / "platform")


@pytest.fixture
def empty_platform(tmp_path):
    """A platform on which nothing ran."""
    from tests.envfactory_assets.platform import Platform

    return Platform.make(tmp_path / "platform")
