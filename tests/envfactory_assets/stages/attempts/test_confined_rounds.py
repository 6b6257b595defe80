"""The rounds as they run outside of tests: candidates only ever run in confined workers."""

import sys

import pytest

from envfactory_assets.stages.attempts.confined_verifier import ConfinedVerifier
from envfactory_resources.clients.fake_messages.server import FakeMessages
from sandboxes.confinement.confinement import Confinement
from sandboxes.core.errors import ConfinementUnavailableError
from sandboxes.core.loading import pool_module_name

# No rule on the source says how much memory a file may take.
TAKES_ALL_MEMORY = ("_NAMES = (", "_HOARD = [bytes(1 << 24) for _ in range(1 << 16)]\n_NAMES = (")


@pytest.fixture(scope="module")
def confined():
    try:
        with Confinement(None) as confinement:
            confinement.mechanism()
    except ConfinementUnavailableError as error:
        pytest.skip(str(error))
    return ConfinedVerifier()


def test_an_environment_is_written_tested_and_measured_without_running_here(
    lines, attempt, confined, good, cases
):
    code = f"{good}\n# Seen by no other test.\n"
    with FakeMessages([lines.coder_hands_in(code), lines.tester_hands_in(cases)]) as fake:
        (row,) = attempt(fake, verifier=confined, measures_mutation=True)

    assert (row.outcome, row.findings) == ("accepted", ())
    assert row.mutation_score > 0.5
    assert pool_module_name(row.environment_id, row.source_hash) not in sys.modules


def test_hostile_code_that_gets_past_the_rules_ends_with_a_finding(
    lines, attempt, confined, changed
):
    with FakeMessages([lines.coder_hands_in(changed(TAKES_ALL_MEMORY))]) as fake:
        (row,) = attempt(fake, verifier=confined, max_rounds=1)

    assert row.outcome == "failed_gates"
    (finding,) = row.findings
    assert finding["gate"] == "execution"
    assert "memory" in finding["got"].lower()
    assert pool_module_name(row.environment_id, row.source_hash) not in sys.modules
