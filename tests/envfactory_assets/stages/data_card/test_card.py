import json

import pytest
import yaml

from envfactory_assets.stages.data_card.card import FILES, card_figures, card_text, write_card
from envfactory_assets.stages.data_card.sections import SPLITS, card_sections
from envfactory_assets.stages.data_card.sources import (
    AttemptColumns,
    CardSources,
    DraftColumns,
    EnvironmentColumns,
    QueryColumns,
    ReferenceColumns,
    VersionLine,
)
from envfactory_assets.stages.datasets.selection import ProvenTask, select_tasks
from envfactory_assets.stages.datasets.settings import DatasetSettings

HELD_OUT = ("office.calendar",)


def columns(record, rows):
    return [
        record.model_validate_json(
            json.dumps({name: row.model_dump(mode="json")[name] for name in record.model_fields})
        )
        for row in rows
    ]


def counted(rows):
    splits = [row.split for row in rows]
    return {split: splits.count(split) for split in sorted(set(splits))}


@pytest.fixture(scope="module")
def sources(pipeline):
    settings = DatasetSettings(held_out=HELD_OUT)
    return CardSources(
        profile="offline",
        seed=0,
        held_out=HELD_OUT,
        contamination_files=(),
        chain_count=24,
        tasks=select_tasks(columns(ProvenTask, pipeline.filtered), settings).rows,
        environments=[
            EnvironmentColumns(
                environment_id=name,
                origin="shipped",
                source_hash=pipeline.catalog.source(name).source_hash,
                verified=True,
                tool_count=11,
                write_tool_count=5,
                mutation_score=None,
            )
            for name in ("lifestyle.messenger", "office.calendar", "travel.hotel_booking")
        ],
        drafts=columns(DraftColumns, pipeline.drafts),
        queries=columns(QueryColumns, pipeline.refined),
        attempts=columns(AttemptColumns, pipeline.candidates),
        references=columns(ReferenceColumns, pipeline.filtered),
        splits={
            "sft_dataset": counted(pipeline.sft),
            "rl_dataset": counted(pipeline.rl),
            "preference_dataset": {},
        },
        versions=[VersionLine("sft_dataset", "", 24, "0123456789abcdef0", "fedcba")],
    )


@pytest.fixture(scope="module")
def sections(sources):
    return {section.title: section for section in card_sections(sources)}


@pytest.fixture(scope="module")
def figures(sections):
    rows = card_figures(list(sections.values()))
    return {(row.section, row.name): row.value for row in rows}


def test_the_card_counts_the_rows_of_every_split(figures, pipeline):
    for asset, rows in (("sft_dataset", pipeline.sft), ("rl_dataset", pipeline.rl)):
        for split in SPLITS:
            count = sum(row.split == split for row in rows)
            assert figures["What is in it", f"{asset}: {split}"] == str(count)
        assert figures["What is in it", f"{asset}: all"] == str(len(rows))


def test_tasks_attempts_and_makers_add_up(figures, pipeline):
    assert figures["How it was made", "attempts in live sessions: count"] == str(
        len(pipeline.candidates)
    )
    assert figures["Who made it", "refiner:rules"] == str(len(pipeline.refined))
    tasks = [figures["Domains", f"{name}: tasks"] for name in ("travel", "office", "lifestyle")]
    assert sum(map(int, tasks)) == len(pipeline.sft)


def test_refinements_are_counted_as_they_were_recorded(figures, pipeline):
    tried = [item for row in pipeline.refined for item in row.operations]
    applied = sum(item.applied for item in tried if item.name == "ambiguity")

    assert applied > 0
    assert figures["Refinements", "ambiguity: applied"] == str(applied)


def test_limits_are_measured_on_the_rows(figures, pipeline):
    kept_back = [bool(row.disclosures) for row in pipeline.refined]

    share = sum(kept_back) / len(kept_back)
    name = "share of turns in which the user keeps a value back"
    assert float(figures["Known limits, measured", name]) == pytest.approx(share, abs=0.001)
    assert figures["Known limits, measured", "most that doing nothing earns"] == "0"


def test_a_card_without_a_scan_does_not_speak_of_clean_data(sections):
    assert "nothing is known about overlap" in sections["Known limits, measured"].text


def test_the_front_matter_names_the_files_of_its_dataset(sources, sections):
    for asset, pattern in FILES.items():
        counts = sources.splits[asset]
        _, matter, _ = card_text(list(sections.values()), asset, counts).split("---\n", 2)
        read = yaml.safe_load(matter)
        assert read["license"] == "apache-2.0"
        files = read["configs"][0]["data_files"] if counts else []
        assert {item["path"] for item in files} == {pattern.format(split=name) for name in counts}
        assert {item["split"] for item in files} == set(counts)


def test_every_figure_stands_in_the_card(sources, sections, figures):
    text = card_text(list(sections.values()), "sft_dataset", sources.splits["sft_dataset"])

    assert [value for value in figures.values() if f" {value} |" not in text] == []
    assert len(figures) > 100


def test_the_same_rows_give_the_same_card(sources, sections):
    again = card_sections(sources)

    assert card_text(again, "rl_dataset", {}) == card_text(
        list(sections.values()), "rl_dataset", {}
    )


def test_a_card_over_nothing_can_be_written(tmp_path):
    empty = CardSources("offline", 0, (), (), 0, [], [], [], [], [], [])
    text = card_text(card_sections(empty), "sft_dataset", {})
    path = write_card(text, tmp_path / "new" / "README.md")

    assert path.read_text(encoding="utf-8") == text
    assert [item.name for item in path.parent.iterdir()] == ["README.md"]
