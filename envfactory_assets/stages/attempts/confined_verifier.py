"""The verifier that is used outside of tests: unreviewed code runs in confined workers only."""

from collections.abc import Sequence

from envfactory_assets.stages.attempts.verifier import Look
from sandboxes.confinement.inspection import inspect
from sandboxes.confinement.loading import load_confined
from sandboxes.confinement.verification import verify_confined
from sandboxes.core.catalog import Catalog, EnvironmentSource
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session
from sandboxes.verification.report import Report


class ConfinedVerifier:
    """Verifies, describes and opens candidates without running their code in this process."""

    def verify(self, source: EnvironmentSource, *, measures_mutation: bool) -> Report:
        """Put a file and its cases through the gates.

        Raises:
            ConfinementUnavailableError: If nothing on this machine can confine it.
        """
        return verify_confined(source, mutation=measures_mutation)

    def look(self, source: EnvironmentSource, seeds: Sequence[int]) -> Look:
        """Return the tools of a file that runs, and its scenarios.

        Raises:
            SandboxError: If it does not load, or fails.
        """
        seen = inspect(source, seeds)
        return Look(tools=seen.tools, states=seen.states)

    def open(self, source: EnvironmentSource, seed: int) -> Session:
        """Open a session on the scenario of a seed; whoever opens it closes it.

        Raises:
            SandboxError: If it does not load, or fails.
        """
        catalog = Catalog([source], load_unreviewed=load_confined)
        return Session.open(Scenario.draw(catalog, [source.environment_id], seed), catalog)
