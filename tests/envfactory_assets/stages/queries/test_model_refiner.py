import pytest

from envfactory_assets.records.queries import DraftQuery, PlannedArgument, PlannedCall, Referent
from envfactory_assets.stages.queries.model_refiner import ModelRefiner
from envfactory_assets.stages.queries.refinement import query_violations
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_resources.clients.fake_messages.replies import (
    ErrorReply,
    RefusalReply,
    StructuredReply,
    TextReply,
    TruncatedReply,
)
from envfactory_resources.clients.fake_messages.script import ScriptLine
from envfactory_resources.clients.fake_messages.server import FakeMessages
from envfactory_resources.clients.language_model.errors import RequestRejectedError
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario

INNS = '''"""Inns: two of them."""

import random
from typing import Annotated

from pydantic import Field

from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import Clock, Day
from sandboxes.core.environment import Environment
from sandboxes.core.state import State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import World

InnId = Annotated[str, Identifier("InnId")]
Inn = Annotated[InnId, Field(description="Id of the inn")]


class InnsState(State):
    notes: dict[str, str]


class InnShown(Result):
    inn_id: InnId = Field(description="Id of the inn")
    name: Annotated[str, Label()] = Field(description="Name of the inn")
    price: int = Field(description="Price a night")


class InnList(Result):
    inns: list[InnShown] = Field(description="Inns found")


MILL = InnShown(inn_id="IN-1", name="Old Mill", price=40)


class Inns(Environment[InnsState]):
    """Find inns and keep notes about them."""

    @tool(effect="read")
    def find_inns(self, city: Annotated[str, Field(description="Where")]) -> InnList:
        """Find the inns of a city."""
        return InnList(inns=[MILL, InnShown(inn_id="IN-2", name="Blue Door", price=90)])

    @tool(effect="read")
    def show_inn(self, inn_id: Inn) -> InnShown:
        """Show one inn."""
        return MILL

    @tool(effect="write")
    def save_inn(
        self, inn_id: Inn, day: Annotated[Day, Field(description="Day of the stay")]
    ) -> InnShown:
        """Save an inn for a day."""
        self.state.notes[inn_id] = day
        return MILL

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> InnsState:
        return InnsState(clock=Clock(now=world.now), notes={})
'''
DRAFT = "Find inns in Lisbon and then save Old Mill for 2026-03-04."
NEVER = {
    "implicit_reference": 0.0,
    "action_compression": 0.0,
    "ambiguity": 0.0,
    "goal_expansion": 0.0,
}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    root = tmp_path_factory.mktemp("pool")
    (root / "travel").mkdir()
    (root / "travel" / "inns.py").write_text(INNS)
    return Catalog.discover([(root, "shipped")])


def said(path, value):
    return PlannedArgument(path=path, value=value, source="user", required=True, noun=path)


def mill():
    ways = (
        Referent(kind="label", text="Old Mill"),
        Referent(kind="extremum", text="the cheapest inn"),
    )
    return PlannedArgument(
        path="inn_id",
        value="IN-1",
        source="result",
        required=True,
        source_step=0,
        source_path="inns[0].inn_id",
        referents=ways,
        noun="inn",
    )


def call(step, tool, effect, *provenance):
    arguments = {item.path: item.value for item in provenance}
    return PlannedCall(
        step=step, tool=tool, effect=effect, arguments=arguments, provenance=provenance
    )


@pytest.fixture
def drafts(catalog):
    """A task of two turns: find and save an inn; show it."""
    scenario = Scenario.draw(catalog, ["travel.inns"], seed=1).model_dump(mode="json")

    def turn(number, text, *calls):
        return DraftQuery(
            query_id=f"travel-1/{number}",
            task_id="travel-1",
            chain_id="c",
            domain="travel",
            environment_ids=("travel.inns",),
            turn=number,
            draft_text=text,
            persona="Ana Brandt, nurse in Lisbon",
            plan="",
            calls=calls,
            scenario=scenario,
            end_state_hash="",
            seed=1,
            made_by="query_writer:rules",
        )

    return [
        turn(
            0,
            DRAFT,
            call(0, "inns__find_inns", "read", said("city", "Lisbon")),
            call(1, "inns__save_inn", "write", mill(), said("day", "2026-03-04")),
        ),
        turn(1, "Now show me Old Mill.", call(2, "inns__show_inn", "read", mill())),
    ]


@pytest.fixture
def refine(model_at, catalog):
    """Refine drafts by a script, always applying the named operations and no others."""

    def run(script, drafts, *names):
        with FakeMessages(script) as fake:
            settings = QuerySettings(**{**NEVER, **dict.fromkeys(names, 1.0)})
            rows = ModelRefiner(settings, model_at(fake)).refine(drafts, catalog)
        return rows, fake.requests

    return run


def rewritten(text, *kept_back, change="it changed", applies=True):
    items = [
        {"step": step, "parameter": parameter, "answer": answer}
        for step, parameter, answer in kept_back
    ]
    return StructuredReply({"applies": applies, "text": text, "change": change, "kept_back": items})


def test_operations_are_applied_one_after_the_other_and_recorded(refine, drafts, catalog):
    compressed = "Please save Old Mill in Lisbon for 2026-03-04."
    implicit = "Please save the cheapest inn in Lisbon for 4 March 2026."
    script = [
        ScriptLine(rewritten(compressed), last_user="refinement: action_compression"),
        ScriptLine(rewritten(implicit), last_user=f"stands: {compressed}"),
        ScriptLine(rewritten("And show me that one."), last_user="Now show me Old Mill."),
    ]
    rows, requests = refine(script, drafts, "action_compression", "implicit_reference")

    assert [row.refined_text for row in rows] == [implicit, "And show me that one."]
    assert [(item.name, item.applied, item.before, item.after) for item in rows[0].operations] == [
        ("action_compression", True, DRAFT, compressed),
        ("implicit_reference", True, compressed, implicit),
    ]
    assert rows[0].draft_text == DRAFT
    assert {row.made_by for row in rows} == {"refiner:fake-1"}
    assert query_violations(rows, catalog) == []
    assert requests[0].role == "refiner"
    assert f"Earlier message: {implicit}" in requests[2].last_user


def test_the_model_is_told_how_to_say_things_and_never_an_id_or_a_tool(refine, drafts):
    script = [ScriptLine(rewritten(DRAFT, applies=False))]
    _, requests = refine(script, drafts[:1], "goal_expansion")

    asked = requests[0].last_user
    assert "point at it by 'Old Mill' or 'the cheapest inn'" in asked
    assert "say it as '2026-03-04' or '4 March 2026'" in asked
    assert "IN-1" not in asked
    assert "save_inn" not in asked


def test_a_kept_back_value_leaves_the_text_and_can_be_disclosed(refine, drafts, catalog):
    text = "Find inns in Lisbon and then save Old Mill for me."
    reply = rewritten(text, (1, "day", "Oh, for 4 March 2026."))
    rows, requests = refine([ScriptLine(reply)], drafts[:1], "ambiguity")

    (disclosure,) = rows[0].disclosures
    assert rows[0].refined_text == text
    assert (disclosure.step, disclosure.path, disclosure.topic) == (1, "day", "day")
    assert (disclosure.value, disclosure.answer) == ("2026-03-04", "Oh, for 4 March 2026.")
    assert query_violations(rows, catalog) == []
    expected = "What may be kept back: step 0, parameter city; step 1, parameter day."
    assert expected in requests[0].last_user


def test_a_later_refinement_must_not_say_what_is_kept_back(refine, drafts):
    text = "Find inns in Lisbon and then save Old Mill for me."
    script = [
        ScriptLine(rewritten(text, (1, "day", "For 4 March 2026.")), last_user="ent: ambiguity"),
        ScriptLine(rewritten(f"I travel on 4 March 2026. {text}"), times=2),
    ]
    rows, requests = refine(script, drafts[:1], "ambiguity", "goal_expansion")

    assert rows[0].refined_text == text
    assert rows[0].operations[-1].reason.endswith("It says the day, which is kept back.")
    assert "It says the day, which is kept back." in requests[-1].last_user


def test_a_leaked_id_is_asked_for_again_with_the_violation_and_then_undone(refine, drafts):
    leak = "Find inns in Lisbon and save Old Mill (IN-1) for 2026-03-04."
    script = [
        ScriptLine(rewritten(leak)),
        ScriptLine(rewritten(leak), last_user="It says the internal id 'IN-1'."),
    ]
    rows, requests = refine(script, drafts[:1], "goal_expansion")

    (operation,) = rows[0].operations
    assert rows[0].refined_text == DRAFT
    assert not operation.applied
    assert operation.after == DRAFT
    assert operation.reason.startswith("Undone after two tries: ")
    assert "It says the internal id 'IN-1'." in operation.reason
    assert leak in requests[1].last_user


def test_an_operation_that_holds_at_the_second_try_is_kept(refine, drafts):
    good = "Spring break is near. Find inns in Lisbon and save Old Mill for 2026-03-04."
    script = [
        ScriptLine(rewritten("Spring break is near, find me inns in Lisbon.")),
        ScriptLine(rewritten(good, change="it says why"), last_user="nobody says which"),
    ]
    rows, _ = refine(script, drafts[:1], "goal_expansion")

    (operation,) = rows[0].operations
    assert rows[0].refined_text == good
    assert (operation.applied, operation.reason) == (True, "it says why")


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        (
            rewritten("Find inns in Lisbon and save Old Mill.", (1, "colour", "Red.")),
            "Step 1 has no 'colour' that may be kept back.",
        ),
        (
            rewritten("Find inns in Lisbon and save Old Mill.", (1, "inn_id", "Old Mill.")),
            "Step 1 has no 'inn_id' that may be kept back.",
        ),
        (
            rewritten(DRAFT + " Thanks", (1, "day", "On 2026-03-04.")),
            "day of step 1 is kept back but still said.",
        ),
        (
            rewritten("Find inns in Lisbon and save Old Mill.", (1, "day", "Some day in March.")),
            "The answer about day does not say '2026-03-04'.",
        ),
        (
            rewritten("Find inns in Lisbon and save Old Mill.", (1, "day", "IN-1, 2026-03-04.")),
            "It says the internal id 'IN-1'.",
        ),
        (rewritten("Find Lisbon inns, save Old Mill."), "ambiguity must keep a value back"),
    ],
)
def test_a_value_that_cannot_be_kept_back_undoes_the_operation(refine, drafts, reply, wrong):
    rows, _ = refine([ScriptLine(reply, times=2)], drafts[:1], "ambiguity")

    (operation,) = rows[0].operations
    assert (rows[0].refined_text, rows[0].disclosures) == (DRAFT, ())
    assert wrong in operation.reason


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"{DRAFT} It is for 3 nights.", "It says '3', which is not in the list."),
        (f"{DRAFT} Use save_inn.", "It names the tool 'save_inn'."),
        (f"{DRAFT} Tell bo@mail.example.", "It says 'bo@mail.example', which is not in the list."),
        ("Find inns and save Old Mill for 2026-03-04.", "needs city = 'Lisbon', which nobody says"),
        ("word " * 400, "The text has"),
    ],
)
def test_a_text_that_breaks_an_invariant_is_undone(refine, drafts, text, wrong):
    rows, _ = refine([ScriptLine(rewritten(text), times=2)], drafts[:1], "goal_expansion")

    assert rows[0].refined_text == DRAFT
    assert wrong in rows[0].operations[0].reason


def test_only_ambiguity_may_keep_something_back(refine, drafts):
    reply = rewritten("Find inns in Lisbon and save Old Mill.", (1, "day", "2026-03-04, please."))
    rows, _ = refine([ScriptLine(reply, times=2)], drafts[:1], "goal_expansion")

    assert rows[0].disclosures == ()
    assert "goal_expansion keeps nothing back" in rows[0].operations[0].reason


@pytest.mark.parametrize("useless", [TextReply("Of course!"), RefusalReply(), TruncatedReply()])
def test_a_useless_reply_is_asked_for_again(refine, drafts, useless):
    good = "For my trip: find inns in Lisbon and save Old Mill for 2026-03-04."
    script = [ScriptLine(useless), ScriptLine(rewritten(good))]
    rows, _ = refine(script, drafts[:1], "goal_expansion")

    assert rows[0].refined_text == good


def test_two_useless_replies_undo_the_operation_and_say_why(refine, drafts):
    script = [ScriptLine(TextReply("Of course!"), times=2)]
    rows, _ = refine(script, drafts[:1], "goal_expansion")

    reason = rows[0].operations[0].reason
    assert reason == "Undone after two tries: The reply was of no use: MalformedReplyError."


def test_a_refinement_that_does_not_apply_is_recorded_without_another_try(refine, drafts):
    reply = rewritten(DRAFT, change="there is no look-up to leave out", applies=False)
    rows, requests = refine([ScriptLine(reply)], drafts[:1], "action_compression")

    (operation,) = rows[0].operations
    assert not operation.applied
    assert operation.reason == "Does not apply: there is no look-up to leave out"
    assert len(requests) == 1


def test_what_a_turn_cannot_allow_costs_no_request(refine, drafts):
    rows, requests = refine([], drafts[1:], "action_compression", "ambiguity")

    reasons = [operation.reason for operation in rows[0].operations]
    assert reasons == ["Nothing in this turn allows it."] * 2
    assert requests == []


def test_the_calibration_decides_what_is_tried_and_repeats_itself(refine, drafts):
    rows, requests = refine([], drafts)
    assert [row.refined_text for row in rows] == [draft.draft_text for draft in drafts]
    assert [row.operations for row in rows] == [(), ()]
    assert requests == []


def test_a_rerun_asks_nothing_and_gives_the_same_rows(model_at, drafts, catalog):
    reply = rewritten("A trip! Find inns in Lisbon and save Old Mill for 2026-03-04.")
    settings = QuerySettings(**{**NEVER, "goal_expansion": 1.0})
    with FakeMessages([ScriptLine(reply)]) as fake:
        first = ModelRefiner(settings, model_at(fake)).refine(drafts[:1], catalog)
        assert ModelRefiner(settings, model_at(fake)).refine(drafts[:1], catalog) == first


def test_an_overloaded_endpoint_is_waited_for_and_a_refused_request_ends_the_run(refine, drafts):
    good = "A trip! Find inns in Lisbon and save Old Mill for 2026-03-04."
    script = [ScriptLine(ErrorReply(529)), ScriptLine(rewritten(good))]
    rows, requests = refine(script, drafts[:1], "goal_expansion")
    assert (rows[0].refined_text, len(requests)) == (good, 2)

    with pytest.raises(RequestRejectedError, match="Role 'refiner'"):
        refine([ScriptLine(ErrorReply(400))], drafts, "implicit_reference")
