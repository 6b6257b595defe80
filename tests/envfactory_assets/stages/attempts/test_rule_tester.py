import pytest

from envfactory_assets.stages.attempts import authors
from envfactory_assets.stages.attempts.candidates import cases_text, write_candidate
from envfactory_assets.stages.attempts.coverage import closing, gaps
from envfactory_assets.stages.attempts.rule_tester import RuleTester
from sandboxes.core.catalog import Catalog, source_hash
from sandboxes.verification.cases import Case, load_cases


@pytest.fixture
def tested(proposal, direct_verifier, good, tmp_path):
    """Make the draft that a tester sees, with cases that came along or without."""

    def make(cases=()):
        source = write_candidate(tmp_path, proposal, good, cases)
        look = direct_verifier.look(source, (0,))
        return authors.TestedDraft(proposal, source, look.tools, look.states)

    return make


def as_cases(rows):
    return tuple(Case.model_validate(row | {"calls": tuple(row["calls"])}) for row in rows)


def test_recorded_cases_satisfy_every_gate(tested, direct_verifier, proposal, good, tmp_path):
    recorded = RuleTester(direct_verifier).write_cases(tested()).cases
    source = write_candidate(tmp_path, proposal, good, recorded)

    report = direct_verifier.verify(source, measures_mutation=True)
    assert report.passed
    assert report.mutation_score > 0.6
    assert {case.complexity for case in recorded} == {"simple", "medium", "complex", "boundary"}


def test_cases_that_came_with_the_code_are_kept(tested, direct_verifier, cases):
    assert RuleTester(direct_verifier).write_cases(tested(as_cases(cases))).cases == ()


def test_gaps_are_closed_with_as_few_cases_as_it_takes(tested, direct_verifier):
    draft = tested()
    recorded = RuleTester(direct_verifier).write_cases(draft).cases
    tools = direct_verifier.open(draft.source, 0).tools
    without = [case for case in recorded if all(c.tool != "cancel_booking" for c in case.calls)]

    gap = gaps(tools, without)
    assert set(gap.outcomes) == {("cancel_booking", "ok"), ("cancel_booking", "refused")}
    assert not gaps(tools, [*without, *closing(recorded, gap)])


def test_the_text_of_cases_survives_the_warehouse(tested, direct_verifier, proposal, good, cases):
    shuffled = [dict(reversed(row.items())) for row in cases]
    source = tested(as_cases(cases)).source

    assert cases_text([case.model_dump(mode="json") for case in as_cases(shuffled)]) == (
        source.cases_path.read_text()
    )
    assert load_cases(source) == as_cases(cases)
    found = Catalog.discover([(source.path.parents[1], "generated")]).sources
    assert [each.source_hash for each in found] == [source.source_hash]
    assert source_hash(source.path) == source.source_hash
