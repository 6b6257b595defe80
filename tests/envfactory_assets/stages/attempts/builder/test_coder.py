import subprocess
import sys

import pytest

from envfactory_assets.stages.attempts.builder.coder import MOST_LINES, RuleCoder
from envfactory_assets.stages.attempts.errors import UnsupportedProposalError

PROPOSALS = ["pet_shelter", "invoicing", "lab_bookings", "notebook", "helpdesk", "odd_names"]


@pytest.mark.parametrize("name", PROPOSALS)
def test_what_is_built_passes_every_gate_and_its_cases_notice_faults(name, proposals, workshop):
    report = workshop.verify(proposals[name], mutation=True)

    assert report.findings == ()
    assert report.mutation_score >= 0.8, report.survivors


@pytest.mark.parametrize("name", PROPOSALS)
def test_the_file_is_one_that_a_person_would_review(name, proposals, workshop, tmp_path):
    draft, _ = workshop.write(proposals[name])

    assert draft.source.count("\n") <= MOST_LINES
    assert max(map(len, draft.source.splitlines())) <= 100
    file = tmp_path / "built.py"
    file.write_text(draft.source)
    command = [sys.executable, "-m", "ruff", "format", "--line-length", "100", "--check", file]
    formatted = subprocess.run(command, capture_output=True, text=True, check=False)
    assert formatted.returncode == 0, formatted.stdout


def test_the_same_proposal_gives_the_same_draft(proposals, workshop):
    first, _ = workshop.write(proposals["invoicing"])
    second, _ = workshop.write(proposals["invoicing"])

    assert first == second


def test_scenarios_for_the_cases_are_drawn_under_confinement(proposals, workshop):
    in_this_process, _ = workshop.write(proposals["pet_shelter"])

    assert RuleCoder().write(proposals["pet_shelter"], ()) == in_this_process


def test_every_tool_has_a_case_that_holds_and_one_that_is_refused(proposals, workshop):
    draft, _ = workshop.write(proposals["invoicing"])

    expected = {(call.tool, call.expect) for case in draft.cases for call in case.calls}
    for tool in proposals["invoicing"].tools:
        assert {(tool.name, "ok"), (tool.name, "refused")} <= expected
    assert {case.complexity for case in draft.cases} == {"simple", "medium", "complex", "boundary"}


def test_what_rules_cannot_build_is_left_out_and_named(proposals, workshop):
    draft, catalog = workshop.write(proposals["helpdesk"])

    told = {sentence.partition(":")[0]: sentence for sentence in draft.left_out}
    assert "something else than create" in told["merge_tickets"]
    assert "something else than create" in told["get_statistics"]
    assert "'tickets' is no field" in told["bulk_create"]
    assert "takes no id" in told["apply_macro"]
    assert "input 'sort'" in told["list_tickets"]
    assert "no tool works on it" in told["macro"]
    assert "helpdesk__merge_tickets" not in catalog.tools
    assert "helpdesk__list_tickets" in catalog.tools


def test_business_rules_in_words_are_said_to_be_missing(proposals, workshop):
    draft, _ = workshop.write(proposals["invoicing"])

    assert "Rule not built: A paid invoice cannot be changed." in draft.left_out


def test_a_name_that_python_or_the_contract_needs_is_changed_and_that_is_said(proposals, workshop):
    draft, catalog = workshop.write(proposals["odd_names"])

    assert "import: it is called 'import_class' here." in draft.left_out
    assert "import: input 'from' is called 'class_from' here." in draft.left_out
    assert "class_from" in catalog.tools["odd_names__import_class"].field_infos


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        (["count other box", "list_boxes list box"], "a third of the tools have to write"),
        (["ship other box box_id"], "something else than create"),
        (["add_crate create crate weight"], "no proposed entity"),
        ([], "it proposes no tools"),
    ],
)
def test_a_proposal_of_which_nothing_can_be_built_is_refused_with_reasons(tools, reason, sketch):
    made = sketch(
        "boxes", {"service": "Boxes", "entities": {"box": ["weight:number"]}, "tools": tools}
    )

    with pytest.raises(UnsupportedProposalError, match=reason):
        RuleCoder(lambda source, seeds: {}).write(made, ())


def test_a_file_that_would_grow_too_long_keeps_entities_whole(sketch, workshop):
    fields = [f"field_{number}:text" for number in range(8)]
    names = [field.split(":")[0] for field in fields]
    tools = []
    for entity in ("chair", "table", "lamp", "shelf", "carpet", "mirror"):
        optional = ",".join(f"{name}?" for name in names)
        tools += [
            f"add_{entity} create {entity} {','.join(names)}",
            f"find_{entity} list {entity} {optional}",
            f"change_{entity} update {entity} {entity}_id,{optional}",
        ]
    entities = {tool.split(" ")[2]: fields for tool in tools}
    made = sketch("furniture", {"service": "Furniture", "entities": entities, "tools": tools})

    draft, catalog = workshop.write(made)

    assert draft.source.count("\n") <= MOST_LINES
    assert {"add_chair", "find_chair", "change_chair"} <= {t.name for t in catalog.tools.values()}
    assert "add_mirror: the file would grow too long." in draft.left_out
