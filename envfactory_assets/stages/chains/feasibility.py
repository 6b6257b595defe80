"""A trial on generated scenarios: the query stage's own binding, before any text is written."""

from envfactory_assets.records.chains import SampledChain
from envfactory_assets.stages.queries.binding import InfeasibleChainError, bind_chain
from envfactory_assets.stages.queries.settings import QuerySettings
from sandboxes.core.catalog import Catalog


class ScenarioTrial:
    """Tries a chain on the scenarios that the query stage will try first.

    With the seed and step attempts of the query stage, and no more scenarios than it tries, a
    chain that passes here is feasible there.
    """

    def __init__(self, catalog: Catalog, settings: QuerySettings) -> None:
        """Hold the verified environments and how hard to try."""
        self._catalog = catalog
        self._settings = settings

    def failing_step(self, chain: SampledChain) -> int | None:
        """Return the step that most scenarios fail at, or None when one lets all succeed."""
        try:
            bind_chain(chain, self._catalog, self._settings)
        except InfeasibleChainError as error:
            return _step_named(chain, error.reason)
        return None


def _step_named(chain: SampledChain, reason: str) -> int:
    name = reason.partition(":")[2]
    steps = [step for step, tool in enumerate(chain.tools) if tool == name]
    # A reason may name an argument instead of a tool; then the last step is given up.
    return steps[-1] if steps else len(chain.tools) - 1
