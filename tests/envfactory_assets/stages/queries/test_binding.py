import pytest

from envfactory_assets.stages.queries.binding import InfeasibleChainError, bind_chain
from envfactory_assets.stages.queries.settings import QuerySettings
from sandboxes.core.canonical import canonical_json
from sandboxes.core.json_paths import value_at
from sandboxes.core.session import Session
from sandboxes.core.world import World


@pytest.fixture(scope="module")
def bound(whole_pipeline, shipped):
    """Every chain of the fixture set, bound."""
    chains = whole_pipeline.all_chains(2)
    return [bind_chain(chain, shipped, QuerySettings()) for chain in chains]


def test_every_planned_call_succeeds_on_replay_and_writes_change_the_state(bound, shipped):
    for task in bound:
        session = Session.open(task.scenario, shipped)
        for call, result in zip(task.calls, task.results, strict=True):
            before = session.states()
            record = session.call(call.tool, call.arguments)
            assert (record.ok, record.result) == (True, result)
            assert (session.states() != before) is (call.effect == "write")


def test_a_bound_value_is_what_the_earlier_result_holds_there(bound):
    taken = [
        (task, argument)
        for task in bound
        for call in task.calls
        for argument in call.provenance
        if argument.source == "result"
    ]
    assert len(taken) > 20
    for task, argument in taken:
        assert value_at(task.results[argument.source_step], argument.source_path) == argument.value
        assert argument.referents


def test_the_calls_are_those_of_the_chain_with_all_its_inputs(bound):
    for task in bound:
        assert tuple(call.tool for call in task.calls) == task.chain.tools
        said = {(item.step, item.parameter) for item in task.chain.externals}
        told = {
            (call.step, argument.path)
            for call in task.calls
            for argument in call.provenance
            if argument.source == "user"
        }
        assert told == said


def test_a_chain_without_a_feasible_scenario_has_a_reason(whole_pipeline, shipped):
    """A booking cannot be cancelled twice."""
    cancel = "hotel_booking__cancel_booking"
    chain = whole_pipeline.chain(
        "twice",
        "travel",
        (*whole_pipeline.STAY, cancel, cancel),
        {
            "1.hotel_id": "0:hotels[].hotel_id",
            "2.room_id": "1:rooms[].room_id",
            "3.booking_id": "2:booking_id",
            "4.booking_id": "2:booking_id",
        },
        "0.city 0.check_in 0.check_out 1.check_in 1.check_out 2.guest_name 2.check_in 2.check_out",
        (5,),
    )
    with pytest.raises(InfeasibleChainError) as raised:
        bind_chain(chain, shipped, QuerySettings(scenario_attempts=2, step_attempts=4))
    assert raised.value.reason == f"no_arguments_found:{cancel}"


def test_the_same_chain_is_bound_the_same_way_and_another_seed_differently(whole_pipeline, shipped):
    first, again = (bind_chain(whole_pipeline.stay(), shipped, QuerySettings()) for _ in range(2))
    other = bind_chain(whole_pipeline.stay(), shipped, QuerySettings(seed=1))

    assert (first.task_id, first.calls, first.scenario) == (
        again.task_id,
        again.calls,
        again.scenario,
    )
    assert first.task_id != other.task_id


def test_two_environments_share_a_world(bound):
    shared = [task for task in bound if len(task.chain.environment_ids) == 2]
    assert {task.chain.domain for task in shared} == {"office", "lifestyle"}
    for task in shared:
        emails = {person.email for person in World.draw(task.scenario.seed).people}
        values = [
            argument.value
            for call in task.calls
            for argument in call.provenance
            if argument.path == "email"
        ]
        assert values
        assert set(values) <= emails
        assert len({state["clock"]["now"] for state in task.scenario.states.values()}) == 1


def test_filters_that_were_said_filter(bound, shipped):
    outcomes = []
    for task in bound:
        session = Session.open(task.scenario, shipped)
        for call, result in zip(task.calls, task.results, strict=True):
            session.call(call.tool, call.arguments)
            optional = [item.path for item in call.provenance if not item.required]
            if call.effect == "read" and optional:
                without = {
                    key: call.arguments[key] for key in call.arguments if key not in optional
                }
                outcomes.append(session.call(call.tool, without).result != result)
    assert len(outcomes) >= 6
    assert outcomes.count(True) >= 0.8 * len(outcomes)


def test_no_label_stands_for_two_things_in_one_task(bound):
    for task in bound:
        called = {}
        for call in task.calls:
            for argument in call.provenance:
                for way in argument.referents:
                    if way.kind == "label":
                        called.setdefault(way.text, set()).add(canonical_json(argument.value))
        assert all(len(values) == 1 for values in called.values())
