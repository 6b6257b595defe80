import pytest

from envfactory_assets.stages.queries.wording import mentions
from sandboxes.core.canonical import content_hash
from sandboxes.core.scenario import Scenario
from sandboxes.core.session import Session
from sandboxes.core.world import World


@pytest.mark.parametrize(
    ("opening", "text"),
    [
        ("Please ", "Please find a hotel in Lisbon from 2026-05-01 to 2026-05-04."),
        ("Could you ", "Could you find a hotel in Lisbon from 2026-05-01 to 2026-05-04?"),
        ("", "Find a hotel in Lisbon from 2026-05-01 to 2026-05-04."),
        (
            "Great, could you ",
            "Great, could you find a hotel in Lisbon from 2026-05-01 to 2026-05-04?",
        ),
    ],
)
def test_a_turn_reads_as_one_sentence(wording, stay, opening, text):
    assert wording.turn(stay[0], opening=opening).text() == text


def test_clauses_are_joined_as_in_speech(wording, stay):
    two, three = wording.turn(*stay[:2]).text(), wording.turn(*stay).text()

    assert "2026-05-04 and then see which rooms" in two
    assert ", see which rooms" in three
    assert ", and finally book the double room" in three


def test_a_draft_names_every_value_of_its_turn(pipeline):
    for query in pipeline.drafts:
        for call in query.calls:
            for argument in call.provenance:
                if argument.source == "user":
                    assert mentions(query.draft_text, argument.value)
                else:
                    assert argument.referents[0].text.casefold() in query.draft_text.casefold()


def test_the_persona_is_the_user_of_the_scenario(pipeline):
    for query in pipeline.drafts:
        user = World.draw(query.seed).user
        assert query.persona == f"{user.name}, {user.job} in {user.city}"


def test_the_end_state_of_a_turn_is_what_its_calls_leave_behind(pipeline):
    for turns in pipeline.by_task(pipeline.drafts).values():
        session = Session.open(Scenario.model_validate(turns[0].scenario), pipeline.catalog)
        for query in turns:
            for call in query.calls:
                session.call(call.tool, call.arguments)
            assert query.end_state_hash == content_hash(session.states())


def test_the_clauses_of_a_request_differ(pipeline):
    for query in pipeline.drafts:
        clauses = query.plan.split("; ")
        assert len(clauses) == len(set(clauses)) == len(query.calls)


def test_turns_are_numbered_and_split_as_the_chain_says(pipeline, whole_pipeline):
    sizes = {chain.chain_id: chain.turn_sizes for chain in whole_pipeline.all_chains(3)}
    tasks = pipeline.by_task(pipeline.drafts)

    assert len(tasks) == len(sizes)
    for turns in tasks.values():
        assert [query.turn for query in turns] == list(range(len(turns)))
        assert tuple(len(query.calls) for query in turns) == sizes[turns[0].chain_id]
        assert [call.step for query in turns for call in query.calls] == list(
            range(sum(sizes[turns[0].chain_id]))
        )
