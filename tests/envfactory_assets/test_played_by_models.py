"""Every domain with models in every role, well and badly played: what is kept is proven.

The players are under `players/`: they leak ids, make values up, loop, call what does not exist,
never stop, contradict themselves, and do it right often enough.
"""

from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby

import dagster as dg
import pytest

from envfactory_assets.partitions import DOMAINS
from envfactory_assets.records.chains import SampledChain
from envfactory_assets.records.queries import DraftQuery, RefinedQuery
from envfactory_assets.records.trajectories import CandidateTrajectory, FilteredTrajectory
from envfactory_assets.stages.queries.refinement import query_violations
from envfactory_assets.stages.trajectories.model_teacher import CONVERSATION_REJECTED
from envfactory_assets.stages.trajectories.recorded import replays_as_recorded
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.profiles import ModelEndpoint, Role, load_profile
from sandboxes.core.catalog import Catalog
from tests.envfactory_assets.platform import PROFILE, Platform
from tests.envfactory_assets.players.cast import play_everybody
from tests.envfactory_assets.players.teacher import BAD

EVERY_DOMAIN = tuple(DOMAINS.get_partition_keys())
WRITTEN_BY_MODELS = (Role.RESEARCHER, Role.CODER, Role.TESTER)
MADE = {
    "tool_parameters": {"parameter_labeller", "graph_reviewer"},
    "tool_graphs": {"parameter_labeller", "graph_reviewer"},
    "cross_domain_links": {"parameter_labeller", "graph_reviewer"},
    "draft_queries": {"scenario_planner", "query_writer"},
    "refined_queries": {"refiner"},
    "candidate_trajectories": {"teacher", "user", "judge"},
}


@dataclass(frozen=True)
class Run:
    """One run of the main job up to the datasets, and what was asked of the endpoint."""

    platform: Platform
    legs: list
    requests: list
    teacher: object
    records: dg.DagsterInstance

    @property
    def catalog(self):
        return Catalog.discover([(self.platform.tree, "shipped")])

    def rows(self, asset, model):
        return self.platform.warehouse.read(asset, model)

    def tasks(self):
        rows = self.rows("refined_queries", RefinedQuery)
        return {key: list(turns) for key, turns in groupby(rows, lambda row: row.task_id)}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The `anthropic` profile on the fake endpoint, but for environments made by models."""
    platform = Platform.make(tmp_path_factory.mktemp("played"), EVERY_DOMAIN)
    lines, teacher = play_everybody(platform.warehouse, platform.tree)
    roles = load_profile({"ENVFACTORY_PROFILE": "anthropic"}).roles
    with (
        FakeMessages(lines) as fake,
        pytest.MonkeyPatch.context() as patch,
        dg.DagsterInstance.ephemeral() as records,
    ):
        patch.setenv("ENVFACTORY_HOME", str(platform.warehouse.root))
        played = {
            "chains_per_domain": 3,
            "roles": {role: who for role, who in roles.items() if role not in WRITTEN_BY_MODELS},
            "endpoint": ModelEndpoint(model="fake-1", base_url=fake.url, max_concurrency=16),
        }
        platform = replace(platform, profile=PROFILE.model_copy(update=played))
        legs = platform.run_main_job(*EVERY_DOMAIN, instance=records)
        yield Run(platform, legs, list(fake.requests), teacher, records)


def test_every_domain_comes_through_to_both_datasets(run):
    assert [failure for leg in run.legs for failure in leg.failures] == []
    kept = [row for row in run.rows("filtered_trajectories", FilteredTrajectory) if row.kept]
    assert {row.domain for row in kept} == set(EVERY_DOMAIN)
    made = {asset: count for leg in run.legs for asset, count in leg.row_counts.items()}
    assert made["sft_dataset"] > 0
    assert made["rl_dataset"] > 0


def test_every_kept_reference_replays_and_doing_nothing_earns_nothing(run):
    catalog, limit = run.catalog, run.platform.profile.trajectories.do_nothing_limit
    for row in run.rows("filtered_trajectories", FilteredTrajectory):
        assert row.kept == (row.drop_reason is None)
        if row.kept:
            assert replays_as_recorded(row, catalog)
            assert row.do_nothing_reward <= limit
            assert row.reward_state == 1.0


def test_no_request_says_an_id_and_every_value_can_be_found(run):
    catalog = run.catalog
    for queries in run.tasks().values():
        assert query_violations(queries, catalog) == []


def test_every_refinement_and_every_draft_that_could_not_stand_has_its_reason(run):
    drafts = run.rows("draft_queries", DraftQuery)
    tried = [
        item for query in run.rows("refined_queries", RefinedQuery) for item in query.operations
    ]
    undone = [item for item in tried if not item.applied]

    assert any(item.applied for item in tried)
    assert all(item.reason and item.after == item.before for item in undone)
    assert any(item.reason.startswith("Undone after two tries") for item in undone)
    assert any("could not stand" in note for draft in drafts for note in draft.notes)
    assert any("now says" in note for draft in drafts for note in draft.notes)
    for draft in drafts:
        by_rules = draft.made_by == "query_writer:rules"
        assert by_rules == (sum("request" in note for note in draft.notes) == 2)


def test_every_attempt_is_kept_or_has_its_reason_and_they_add_up(run):
    chains = run.rows("sampled_chains", SampledChain)
    tasks, candidates = run.tasks(), run.rows("candidate_trajectories", CandidateTrajectory)
    filtered = run.rows("filtered_trajectories", FilteredTrajectory)
    reasons = Counter(row.drop_reason for row in candidates if not row.kept)

    assert len(chains) == len(tasks) == len(filtered)
    assert len(candidates) == 4 * len(tasks)
    assert sum(row.kept for row in candidates) + sum(reasons.values()) == len(candidates)
    assert None not in reasons
    solved = {row.task_id for row in candidates if row.kept}
    assert {row.task_id for row in filtered if row.kept} <= solved


def test_every_kind_of_bad_play_ends_in_its_reason(run):
    assert all(run.teacher.played[way] for way in BAD)
    candidates = run.rows("candidate_trajectories", CandidateTrajectory)
    reasons = {row.drop_reason for row in candidates if not row.kept}

    assert reasons >= {
        "teacher_never_stops",
        "teacher_says_nothing",
        "teacher_reply_unusable:TruncatedReplyError",
        "teacher_reply_unusable:RefusedReplyError",
        "does_not_solve_the_task",
        "another_candidate_is_better",
    }
    assert CONVERSATION_REJECTED not in reasons
    assert any(str(reason).startswith("user_broke_the_brief:") for reason in reasons)


def test_rows_say_that_models_made_them(run):
    assert {row.made_by for row in run.rows("refined_queries", RefinedQuery)} == {"refiner:fake-1"}
    assert {row.made_by for row in run.rows("draft_queries", DraftQuery)} == {
        "query_writer:fake-1",
        "query_writer:rules",
    }
    made_by = {row.made_by for row in run.rows("filtered_trajectories", FilteredTrajectory)}
    assert made_by == {"teacher:fake-1,user:fake-1"}


@pytest.mark.parametrize(("asset", "roles"), MADE.items())
def test_the_asset_page_says_what_each_role_asked_and_used(run, asset, roles):
    event = run.records.get_latest_materialization_event(dg.AssetKey(asset))
    table = event.asset_materialization.metadata["token_usage"].value.splitlines()

    assert table[0].startswith("| role | requests | from cache | failed | tokens in | out |")
    shown = {line.split(" | ")[0].removeprefix("| "): line.split(" | ") for line in table[2:]}
    assert set(shown) <= roles
    assert set(shown) >= roles - {"user", "judge"}
    for cells in shown.values():
        assert int(cells[1]) > int(cells[3])


def test_every_role_was_asked(run):
    assert {request.role for request in run.requests} == {
        role for role in Role if role not in WRITTEN_BY_MODELS
    }
