"""MCP serving with a pool: `python -m sandboxes.confinement.server travel.flights --pool FOLDER`.

The folder has one subfolder an origin (`generated`, `imported`), each with one a domain, as the
home's `pool` has. Every environment of it that is to be served is put through the gates first, in
confined workers, and its calls run there too. Options and transports are those of
`sandboxes.core.server`.
"""

from collections.abc import Sequence
from pathlib import Path

from sandboxes.confinement.loading import load_confined
from sandboxes.confinement.verification import verify_confined
from sandboxes.core.catalog import SHIPPED_ROOT, Catalog, unreviewed_roots
from sandboxes.core.errors import SandboxError, UnverifiedEnvironmentError
from sandboxes.core.server import argument_parser, serve


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until the client leaves (stdio) or the process is told to stop (HTTP)."""
    parser = argument_parser("python -m sandboxes.confinement.server")
    parser.add_argument("--pool", type=Path, required=True, help="generated and imported ones")
    options = parser.parse_args(arguments)
    if not options.pool.is_dir():
        parser.error(f"There is no folder {str(options.pool)!r}; give the pool of a home.")
    try:
        catalog = pool_catalog(options.pool)
        verified = verified_hashes(catalog, options.environments)
    except SandboxError as error:
        parser.error(str(error))
    serve(parser, options, catalog, verified)


def pool_catalog(pool: Path) -> Catalog:
    """Return the catalog of the shipped environments and those of a pool.

    Raises:
        EnvironmentSourceError: If two environments share a short name.
    """
    return Catalog.discover(((SHIPPED_ROOT, "shipped"), *unreviewed_roots(pool)), load_confined)


def verified_hashes(catalog: Catalog, environment_ids: Sequence[str]) -> dict[str, str]:
    """Return the source hashes of environments: reviewed ones, and others that pass the gates.

    Raises:
        UnknownEnvironmentError: If the catalog lacks an environment.
        UnverifiedEnvironmentError: If one does not pass.
        ConfinementUnavailableError: If nothing on this machine can confine it.
    """
    sources = [catalog.source(environment_id) for environment_id in environment_ids]
    for source in sources:
        if source.origin == "shipped":
            continue
        report = verify_confined(source)
        if not report.passed:
            first = report.findings[0].describe()
            raise UnverifiedEnvironmentError(f"{source.environment_id} fails the gates: {first}")
    return {source.environment_id: source.source_hash for source in sources}


if __name__ == "__main__":
    main()
