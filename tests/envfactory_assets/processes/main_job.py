"""Runs the main job on the platform under a folder and prints a line after each leg."""

import sys
from pathlib import Path

import dagster as dg

from envfactory_assets.main_job import in_this_process, run_main_job
from tests.envfactory_assets.platform import DOMAINS, Platform

if __name__ == "__main__":
    platform = Platform(Path(sys.argv[1]))
    with dg.DagsterInstance.ephemeral() as instance:
        legs = in_this_process(platform.definitions, instance)
        for leg in run_main_job(legs, DOMAINS, with_training=False):
            print(leg.job, leg.domain, flush=True)  # noqa: T201 - the test waits for the line
