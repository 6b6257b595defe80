"""Runs the main job on the platform under a folder and prints a line after each commit."""

import sys
from pathlib import Path

import dagster as dg

from envfactory_assets.main_job import in_this_process, run_main_job
from envfactory_resources.warehouse import WarehouseIOManager
from tests.envfactory_assets.platform import DOMAINS, Platform


class TellingIOManager(WarehouseIOManager):
    def handle_output(self, context, obj):
        super().handle_output(context, obj)
        print(context.asset_key.to_user_string(), flush=True)  # noqa: T201 - a test waits for it


if __name__ == "__main__":
    root = Path(sys.argv[1])
    platform = Platform(root, more={"io_manager": TellingIOManager(home=str(root / "home"))})
    with dg.DagsterInstance.ephemeral() as instance:
        list(run_main_job(in_this_process(platform.definitions, instance), DOMAINS))
