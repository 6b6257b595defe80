"""Verify shipped environments by hand: `python -m sandboxes.verification travel.hotel_booking`."""

import argparse
import sys

from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import UnknownEnvironmentError
from sandboxes.verification.verify import verify


def main() -> int:
    """Verify the environments named on the command line, or all; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m sandboxes.verification", description=__doc__)
    parser.add_argument("environment_ids", nargs="*", metavar="domain.name")
    parser.add_argument("--mutation", action="store_true", help="measure the mutation score too")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    catalog = Catalog.discover()
    chosen = options.environment_ids or [source.environment_id for source in catalog.sources]
    try:
        reports = [
            verify(catalog, environment_id, mutation=options.mutation, seed=options.seed)
            for environment_id in chosen
        ]
    except UnknownEnvironmentError as error:
        parser.error(str(error))
    for report in reports:
        sys.stdout.write(report.describe())
    return 0 if all(report.passed for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
