"""Rollouts in a process of its own, so that a test can kill it.

`python rollouts.py <endpoint> <folder>` rolls a model out on the tasks in `<folder>/queries.jsonl`
and prints the rows; replies are kept below the folder.
"""

import sys
from pathlib import Path

MAX_CONCURRENCY = 4


def roll_out(url, replies, queries, catalog, max_concurrency=MAX_CONCURRENCY, candidates=2):
    """Return the rows, and what the teacher has used."""
    from envfactory_assets.stages.trajectories.candidates import Players, candidate_trajectories
    from envfactory_assets.stages.trajectories.judge import RuleJudge
    from envfactory_assets.stages.trajectories.model_teacher import ModelTeacher
    from envfactory_assets.stages.trajectories.settings import TrajectorySettings
    from envfactory_assets.stages.trajectories.simulated_user import RuleUser
    from envfactory_resources.clients.language_model.language_model import LanguageModel

    with LanguageModel(
        model="fake-1",
        base_url=url,
        cache_dir=replies,
        max_concurrency=max_concurrency,
        max_retries=5,
    ) as model:
        players = Players(ModelTeacher(model), RuleUser(), RuleJudge())
        settings = TrajectorySettings(candidates=candidates)
        rows = candidate_trajectories(queries, catalog, settings, players)
        return rows, model.ledger.by_role()["teacher"]


def main(url, folder):
    from envfactory_assets.records.queries import RefinedQuery
    from sandboxes.core.catalog import Catalog

    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = [RefinedQuery.model_validate_json(line) for line in lines]
    rows, _ = roll_out(url, folder / "replies", queries, Catalog.discover())
    sys.stdout.write("".join(f"{row.model_dump_json()}\n" for row in rows))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
