"""Verify a pool by hand: `python -m sandboxes.confinement FOLDER travel.flights`.

The folder has one subfolder an origin (`generated`, `imported`), each with one a domain.
"""

import argparse
import sys
from pathlib import Path

from sandboxes.confinement.verification import verify_confined
from sandboxes.core.catalog import Catalog, unreviewed_roots
from sandboxes.core.errors import SandboxError


def main() -> int:
    """Verify the environments named on the command line, or all; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m sandboxes.confinement", description=__doc__)
    parser.add_argument("pool", type=Path, help="folder of generated and imported environments")
    parser.add_argument("environment_ids", nargs="*", metavar="domain.name")
    parser.add_argument("--mutation", action="store_true", help="measure the mutation score too")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        catalog = Catalog.discover(unreviewed_roots(options.pool))
        chosen = options.environment_ids or [source.environment_id for source in catalog.sources]
        sources = [catalog.source(environment_id) for environment_id in chosen]
        reports = [
            verify_confined(source, mutation=options.mutation, seed=options.seed)
            for source in sources
        ]
    except SandboxError as error:
        parser.error(str(error))
    for report in reports:
        sys.stdout.write(report.describe())
    return 0 if all(report.passed for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
