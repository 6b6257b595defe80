import dagster as dg
import pytest

from envfactory_assets.partitions import DOMAINS
from envfactory_assets.records.chains import SampledChain
from envfactory_resources.clients.warehouse.client import Warehouse
from envfactory_resources.clients.warehouse.errors import RecordError
from envfactory_resources.warehouse import INPUTS_KEY, WarehouseIOManager, home_of

COUNT_COLUMNS = (
    "SELECT count(*) AS n FROM information_schema.columns WHERE table_name = 'sampled_chains'"
)


def chain(name, domain):
    return SampledChain(
        chain_id=name,
        domain=domain,
        environment_ids=(f"{domain}.service",),
        tools=("service__do",),
        bindings=(),
        externals=(),
        turn_sizes=(1,),
        branch_count=1,
        depth=0,
        seed=0,
        sampler="topology",
        made_by="test",
    )


@pytest.fixture
def warehouse(tmp_path):
    return Warehouse(tmp_path / "home")


@pytest.fixture
def run(warehouse):
    """Run an asset that returns rows and one that takes them; return what it took."""

    def run(rows, domain=None, last_domain=None, *, metadata=None, is_read_whole=False):
        taken = []

        @dg.asset(partitions_def=DOMAINS)
        def sampled_chains() -> dg.MaterializeResult:
            return dg.MaterializeResult(value=rows, metadata=metadata)

        @dg.asset(
            partitions_def=None if is_read_whole else DOMAINS, io_manager_key="nowhere", name="out"
        )
        def reader(sampled_chains: list[SampledChain]) -> None:
            taken.append(sampled_chains)

        def materialize(asset, **how):
            dg.materialize(
                [sampled_chains, reader],
                selection=[asset],
                resources={
                    "io_manager": WarehouseIOManager(home=str(warehouse.root)),
                    "nowhere": dg.InMemoryIOManager(),
                },
                **how,
            )

        how = {"partition_key": domain}
        if last_domain:
            how = {
                "tags": {
                    "dagster/asset_partition_range_start": domain,
                    "dagster/asset_partition_range_end": last_domain,
                }
            }
        materialize(sampled_chains, **how)
        materialize(reader, **({} if is_read_whole else how))
        return taken[0]

    return run


def test_a_list_of_records_goes_in_and_the_same_list_comes_out(run):
    rows = [chain("b", "travel"), chain("a", "travel")]

    assert run(rows, "travel") == rows


def test_an_asset_takes_its_own_partition_only(run):
    run([chain("a", "travel")], "travel")

    assert run([chain("b", "finance")], "finance") == [chain("b", "finance")]


def test_rows_of_several_partitions_become_a_version_each(run, warehouse):
    rows = [chain("f", "finance"), chain("t", "travel")]
    taken = run(rows, "travel", "finance")

    assert taken == rows
    assert warehouse.read("sampled_chains", SampledChain, ["travel"]) == [chain("t", "travel")]
    assert [each.partition for each in warehouse.versions()] == ["finance", "travel"]


def test_an_asset_without_partitions_takes_every_partition_there_is(run):
    run([chain("t", "travel")], "travel")
    taken = run([chain("f", "finance")], "finance", is_read_whole=True)

    assert {row.chain_id for row in taken} == {"f", "t"}


def test_an_empty_partition_keeps_its_columns(run, warehouse):
    assert run([], "travel") == []
    assert warehouse.query("SELECT chain_id, tools FROM sampled_chains") == []
    assert warehouse.query(COUNT_COLUMNS)[0]["n"] > len(SampledChain.model_fields)


def test_an_empty_list_empties_a_partition(run, warehouse):
    run([chain("a", "travel")], "travel")

    assert run([], "travel") == []
    assert [each.row_count for each in warehouse.versions("sampled_chains")] == [1, 0]


def test_the_views_show_what_was_written(run, warehouse):
    run([chain("a", "travel")], "travel")

    assert warehouse.query("SELECT chain_id, domain FROM sampled_chains") == [
        {"chain_id": "a", "domain": "travel"}
    ]


def test_fingerprints_and_parents_are_taken_from_the_metadata(run, warehouse):
    run([chain("a", "travel")], "travel")
    [parent] = warehouse.versions()
    told = {"finance": {"fingerprint": "of the inputs", "parents": [parent.version_id]}}
    run([chain("b", "finance")], "finance", metadata={INPUTS_KEY: dg.MetadataValue.json(told)})

    assert warehouse.fingerprint("sampled_chains", "finance") == "of the inputs"
    assert warehouse.current("sampled_chains", "finance").parents == (parent.version_id,)


def test_a_row_of_a_partition_that_the_run_does_not_make_is_refused(run, warehouse):
    with pytest.raises(
        RecordError, match=r"belong to \['office'\], but this run makes \['travel'\]"
    ):
        run([chain("a", "travel"), chain("b", "office")], "travel")

    assert warehouse.versions() == []


def test_a_home_that_is_not_named_is_that_of_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("ENVFACTORY_HOME", str(tmp_path / "elsewhere"))

    assert home_of("").root == tmp_path / "elsewhere"
    assert home_of(str(tmp_path)).root == tmp_path
