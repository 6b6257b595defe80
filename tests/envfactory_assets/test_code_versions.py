import pytest

from envfactory_assets.code_versions import code_version


def test_a_code_version_is_the_same_at_every_call_and_in_any_order():
    first = code_version("envfactory_assets.stages.chains", "envfactory_assets.stages.queries")

    assert first == code_version(
        "envfactory_assets.stages.queries", "envfactory_assets.stages.chains"
    )
    assert len(first) == 16


def test_more_code_is_another_version():
    assert code_version("envfactory_assets.stages.chains") != code_version(
        "envfactory_assets.stages.chains", "envfactory_assets.stages.queries"
    )


def test_one_module_may_be_named():
    assert code_version("sandboxes.core.parameters") != code_version("sandboxes.core.canonical")


def test_a_name_without_code_is_refused():
    with pytest.raises(FileNotFoundError, match=r"'envfactory_assets\.stages\.chain' names no"):
        code_version("envfactory_assets.stages.chain")
