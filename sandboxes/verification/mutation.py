"""How many small faults injected into the tools the declared cases notice.

Each mutant is compiled in this process as a module of its own, and run against the cases until
one fails. A mutant that does not come to an end is stopped by the interval timer and counts as
noticed; off the main thread, where the timer does not work, functions with a `while` are not
mutated.
"""

import ast
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, ModuleType

from sandboxes.core.environment import AnyEnvironment
from sandboxes.verification.cases import Case, run_case, scenario_text
from sandboxes.verification.mutants import Mutant, mutants
from sandboxes.verification.report import Survivor
from sandboxes.verification.subject import Subject
from sandboxes.verification.time_limit import TimeLimitExceededError, can_interrupt, time_limit

_MUTANT_LIMIT = 60
_SURVIVORS_SHOWN = 10
_SECONDS_PER_MUTANT = 3.0


@dataclass(frozen=True, slots=True)
class MutationOutcome:
    """How the declared cases fared against injected faults.

    Attributes:
        score: Share of the mutants that some case noticed; None when there was none to try.
        survivors: The first ten that no case noticed.
    """

    score: float | None
    survivors: tuple[Survivor, ...]


def measure_mutation(
    environment: type[AnyEnvironment],
    subject: Subject,
    cases: Sequence[Case],
    seed: int,
) -> MutationOutcome:
    """Run the cases against a sample of mutants of an environment that passes them.

    Args:
        environment: The environment as it is.
        subject: Its text.
        cases: Its declared cases, all of which pass.
        seed: What the sample is drawn from.
    """
    tree = ast.parse(subject.code)
    found = mutants(tree, set(environment.tools))
    if not can_interrupt():
        found = [mutant for mutant in found if not mutant.may_loop]
    if len(found) > _MUTANT_LIMIT:
        rng = random.Random(f"{subject.environment_id}:{seed}")
        kept = sorted(rng.sample(range(len(found)), _MUTANT_LIMIT))
        found = [found[index] for index in kept]
    texts = {
        case.seed: scenario_text(environment, subject.environment_id, case.seed) for case in cases
    }
    total = 0
    survivors: list[Survivor] = []
    for mutant in found:
        with mutant.applied():
            code = compile(tree, f"<mutant of {subject.environment_id}>", "exec")
        mutated = _class_of(code, environment)
        if mutated is None:
            continue
        total += 1
        if not _is_noticed(mutated, _nearest_first(cases, mutant), texts):
            survivors.append(Survivor(line=mutant.line, mutation=mutant.mutation))
    score = 1 - len(survivors) / total if total else None
    return MutationOutcome(score, tuple(survivors[:_SURVIVORS_SHOWN]))


def _nearest_first(cases: Sequence[Case], mutant: Mutant) -> list[Case]:
    """Return the cases with those first that call the mutated tool, which fail soonest."""
    return sorted(cases, key=lambda case: all(call.tool != mutant.function for call in case.calls))


def _is_noticed(
    mutated: type[AnyEnvironment], cases: Sequence[Case], texts: Mapping[int, bytes]
) -> bool:
    try:
        with time_limit(_SECONDS_PER_MUTANT):
            return any(run_case(mutated, texts[case.seed], case).failure for case in cases)
    except (Exception, TimeLimitExceededError):
        return True


def _class_of(code: CodeType, environment: type[AnyEnvironment]) -> type[AnyEnvironment] | None:
    """Run a mutated module under a name of its own; None when it does not even import."""
    name = f"envfactory_mutant.{environment.environment_name()}"
    module = ModuleType(name)
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)
    except Exception:
        return None
    finally:
        del sys.modules[name]
    mutated: type[AnyEnvironment] = getattr(module, environment.__name__)
    return mutated
