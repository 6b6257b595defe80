import base64
import struct
import zlib
from pathlib import Path

import dagster as dg
import pytest
from pydantic import BaseModel

from envfactory_assets.metadata import counts, markdown_table, picture, preview, token_usage
from envfactory_resources.clients.language_model.usage import TokenPrices, Usage
from envfactory_resources.profiles import ModelEndpoint, Profile, Role
from envfactory_resources.roles import roles_of


class Line(BaseModel):
    text: str
    share: float = 0.5


def rows_of(table):
    return [line.strip("| ").split(" | ") for line in table.splitlines()]


def pixels_of(markdown):
    """Decode the picture of a Markdown image; return its size."""
    assert markdown.startswith("![](data:image/png;base64,")
    png = base64.b64decode(markdown.removeprefix("![](data:image/png;base64,")[:-1], validate=True)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    data, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            data += png[place + 8 : place + 8 + length]
        place += length + 12
    assert len(zlib.decompress(data)) > width * height
    return width, height


@pytest.fixture
def used(tmp_path):
    """Return what a page shows after the teacher asked twice and the user once."""

    def shown(**endpoint):
        server = ModelEndpoint(model="m", base_url="http://localhost:1", **endpoint)
        profile = Profile(name="mine", roles={Role.TEACHER: "model"}, endpoint=server)
        roles = roles_of(profile, {"ENVFACTORY_HOME": str(tmp_path)})
        spent = Usage(input_tokens=2_000_000, output_tokens=100_000, cache_read_tokens=500_000)
        roles.model.ledger.record("teacher", spent)
        roles.model.ledger.record("teacher", Usage(input_tokens=7, from_cache=True))
        roles.model.ledger.record("user", Usage(input_tokens=9), failed=True)
        head, _, *rows = rows_of(token_usage(roles)["token_usage"].value)
        return head, rows

    return shown


def test_a_page_says_what_each_role_asked_and_used(used):
    assert used() == (
        ["role", "requests", "from cache", "failed", "tokens in", "out", "prompt cache read"],
        [
            ["teacher", "2", "1", "0", "2000000", "100000", "500000"],
            ["user", "1", "0", "1", "9", "0", "0"],
        ],
    )


def test_with_prices_a_page_says_what_each_role_cost(used):
    prices = TokenPrices(input_usd=3.0, output_usd=15.0, cache_read_usd=0.3)
    head, (teacher, user) = used(prices=prices)

    assert head[-1] == "US$"
    assert (teacher[-1], user[-1]) == ("7.650", "0.000")


def test_where_rules_play_every_role_a_page_says_nothing_of_tokens():
    assert token_usage(roles_of(Profile(name="mine"))) == {}


def test_counts_say_rows_in_rows_out_and_rows_dropped_by_reason():
    shown = counts(10, 7, {"too_long": 1, "no_answer": 2})

    assert shown["rows_in"].value == 10
    assert shown["dagster/row_count"].value == 7
    assert shown["rows_dropped"].value == 3
    assert rows_of(shown["dropped_by_reason"].value)[2:] == [["no_answer", "2"], ["too_long", "1"]]


def test_nothing_dropped_has_no_table_of_reasons():
    assert "dropped_by_reason" not in counts(7, 7, {})


def test_a_preview_holds_the_first_rows_and_the_chosen_columns():
    table = preview([Line(text=f"row {number}") for number in range(20)], ["text", "share"]).value

    assert rows_of(table)[0] == ["text", "share"]
    assert rows_of(table)[2] == ["row 0", "0.500"]
    assert len(rows_of(table)) == 2 + 8


def test_a_preview_of_no_rows_still_shows_the_columns():
    assert rows_of(preview([], ["text"]).value) == [["text"], ["---"]]


@pytest.mark.parametrize(
    ("value", "cell"), [("a|b", "a\\|b"), ("a\nb", "a b"), ("x" * 200, "x" * 79 + "…")]
)
def test_a_cell_never_breaks_its_table(value, cell):
    assert rows_of(markdown_table(["text"], [[value]]))[2] == [cell]


def test_a_picture_is_an_inline_png():
    assert picture(b"PNG").value == "![](data:image/png;base64,UE5H)"


NOTHING_PROPOSED = ("environment_proposals", "environment_attempts")


@pytest.fixture(scope="module")
def shown(records, materialized):
    """What each asset page shows, by asset and partition."""
    found = {}
    for (asset, partition), version in materialized.versions().items():
        asked = dg.AssetRecordsFilter(
            asset_key=dg.AssetKey(asset), asset_partitions=[partition] if partition else None
        )
        [record] = records.fetch_materializations(asked, limit=10).records
        metadata = record.asset_materialization.metadata
        found[asset, partition] = {name: value.value for name, value in metadata.items()}
        assert version
    return found


def test_every_asset_page_shows_counts_that_agree_with_the_warehouse(shown, materialized):
    for (asset, partition), metadata in shown.items():
        stored = materialized.warehouse.current(asset, partition)
        assert metadata["dagster/row_count"] == stored.row_count
        # Nothing is proposed where there are no documents and rules play the researcher.
        assert (metadata["rows_in"] > 0) is (asset not in NOTHING_PROPOSED)
        assert metadata["unchanged"] == "none"


def test_dropped_rows_are_told_by_reason(shown):
    for metadata in shown.values():
        reasons = rows_of(metadata.get("dropped_by_reason", ""))[2:]
        assert sum(int(count) for _, count in reasons) == metadata["rows_dropped"]


def test_every_asset_page_shows_a_preview(shown):
    for metadata in shown.values():
        assert len(rows_of(metadata["preview"])[2:]) == min(8, metadata["dagster/row_count"])


def test_tool_graphs_show_a_picture_and_how_good_the_edges_are(shown):
    for domain in ("travel", "lifestyle", "finance"):
        metadata = shown["tool_graphs", domain]
        width, height = pixels_of(metadata["picture"])
        assert width > height > 300
        assert 0 <= metadata["similarity_precision"] <= 1
        assert 0 <= metadata["similarity_recall"] <= 1


def test_datasets_show_their_splits_and_files(shown):
    for asset in ("sft_dataset", "rl_dataset", "preference_dataset"):
        metadata = shown[asset, None]
        assert sum(metadata["rows_by_split"].values()) == metadata["dagster/row_count"]
        assert metadata["files"]


def test_the_selection_shows_the_distribution_and_the_ablation_both_arms(shown):
    for asset, name in (
        ("dataset_tasks", "distribution_picture"),
        ("refinement_ablation", "picture"),
    ):
        width, height = pixels_of(shown[asset, None][name])
        assert width > height > 200
    assert "turns a task" in shown["dataset_tasks", None]["distribution"]


def test_the_card_is_on_its_page_and_beside_the_files(shown):
    page = shown["data_card", None]

    assert "## Known limits, measured" in page["card"]
    assert [Path(name).name for name in page["files"]] == ["README.md"] * 3
    assert Path(page["files"][0]).read_text(encoding="utf-8") == page["card"]
