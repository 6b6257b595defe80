from envfactory_assets.stages.queries.planner import RulePlanner
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.queries.stage import Authors, draft_queries
from envfactory_assets.stages.queries.writer import RuleQueryWriter


def test_chains_without_a_scenario_are_counted_by_reason_and_the_others_drafted(
    whole_pipeline, shipped
):
    cancel = "hotel_booking__cancel_booking"
    twice = whole_pipeline.chain(
        "twice",
        "travel",
        ("hotel_booking__list_bookings", cancel, cancel),
        {"1.booking_id": "0:bookings[].booking_id", "2.booking_id": "1:booking_id"},
        "",
        (3,),
    )
    chains = [twice, whole_pipeline.stay(), twice.model_copy(update={"chain_id": "again"})]
    settings = QuerySettings(scenario_attempts=2, step_attempts=4)
    outcome = draft_queries(chains, shipped, settings, Authors(RulePlanner(), RuleQueryWriter()))

    assert outcome.dropped == {f"no_arguments_found:{cancel}": 2}
    assert {row.chain_id for row in outcome.drafts} == {"stay-0"}
    assert [row.query_id for row in outcome.drafts] == [
        f"{outcome.drafts[0].task_id}/{turn}" for turn in range(3)
    ]
    assert {row.made_by for row in outcome.drafts} == {"query_writer:rules"}
