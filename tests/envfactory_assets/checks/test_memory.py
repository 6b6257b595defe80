import dagster as dg

from envfactory_assets.checks.memory import check_key
from envfactory_resources.sandbox_pool import SandboxPool


def described(platform, asset, domain="travel"):
    result = platform.materialize(asset, domain=domain)
    [found] = [
        item
        for item in result.get_asset_check_evaluations()
        if item.asset_key == dg.AssetKey(asset)
    ]
    assert found.passed
    return found


def test_a_suite_that_passed_is_not_run_again_on_the_same_rows(platform):
    found = described(platform, "refined_queries")

    assert found.description.startswith("Nothing changed since this suite passed on the same")
    assert "violations" in found.metadata["expectations"].value


def test_a_suite_is_run_again_on_new_rows(platform):
    found = described(platform.seeded(7), "sampled_chains")

    assert found.description == "0 of 6 expectations missed on 4 rows."


def test_a_suite_is_run_again_when_an_environment_changed(platform):
    file = platform.tree / "finance/payments.py"
    file.write_text(f"{file.read_text()}# One word more.\n")

    assert described(platform, "refined_queries").description.startswith("0 of 4 expectations")


def test_a_damaged_memory_is_as_good_as_none(platform):
    for path in (platform.warehouse.root / "checks").iterdir():
        path.write_text("{")

    assert described(platform, "refined_queries").description.startswith("0 of 4 expectations")
    assert described(platform, "refined_queries").description.startswith("Nothing changed")


def test_a_suite_is_run_again_when_what_it_watches_changed(platform):
    pool = SandboxPool()

    found = check_key(platform.warehouse, pool, "sft_dataset", None, [])

    assert found == check_key(platform.warehouse, pool, "sft_dataset", None, [])
    assert found != check_key(platform.warehouse, pool, "sft_dataset", None, ["lost"])
