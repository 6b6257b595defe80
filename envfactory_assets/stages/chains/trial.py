"""Trying chains out while sampling, and learning which bindings lead nowhere.

A graph knows what may feed what, not what a service will accept: enrolling again in a course that
the list of enrolments names is refused every time.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from envfactory_assets.records.chains import SampledChain
from envfactory_assets.stages.chains.draft import Draft

BindingKey = tuple[int, str, int, str]
"""Source tool and leaf, target tool and leaf, by the numbers of a compiled graph."""


class ChainTrial(Protocol):
    """Carries chains out, with values."""

    def failing_step(self, chain: SampledChain) -> int | None:
        """Return the first step that never succeeds, or None when the whole chain can."""
        ...


@dataclass(slots=True)
class Experience:
    """How often each binding stood in a step that succeeded, and in one that never did."""

    successes: Counter[BindingKey] = field(default_factory=Counter[BindingKey])
    failures: Counter[BindingKey] = field(default_factory=Counter[BindingKey])

    def note(self, draft: Draft, failing_step: int | None) -> None:
        """Learn from one trial; steps after the failing one were not tried."""
        for target_step, path, source_step, leaf in draft.bindings:
            key = (draft.tools[source_step], leaf, draft.tools[target_step], path)
            if target_step == failing_step:
                self.failures[key] += 1
            elif failing_step is None or target_step < failing_step:
                self.successes[key] += 1

    def weight(self, key: BindingKey) -> float:
        """Return how promising a binding is; 1 when nothing is known of it."""
        failures = self.failures[key]
        if not failures:
            return 1.0
        successes = self.successes[key]
        return (1 + successes) / (1 + successes + 2 * failures)
