"""A few chains over shipped environments, carried through all stages; run, it prints a hash."""

import sys
from dataclasses import dataclass

from envfactory_assets.records.chains import Binding, ExternalValue, SampledChain
from envfactory_assets.stages.datasets.building import rl_tasks, sft_examples
from envfactory_assets.stages.queries.planner import RulePlanner
from envfactory_assets.stages.queries.refinement import RuleRefiner, refine_all
from envfactory_assets.stages.queries.settings import QuerySettings
from envfactory_assets.stages.queries.stage import Authors, draft_queries
from envfactory_assets.stages.queries.writer import RuleQueryWriter
from envfactory_assets.stages.trajectories.candidates import Players, candidate_trajectories
from envfactory_assets.stages.trajectories.filtering import filter_trajectories
from envfactory_assets.stages.trajectories.judge import RuleJudge
from envfactory_assets.stages.trajectories.settings import TrajectorySettings
from envfactory_assets.stages.trajectories.simulated_user import RuleUser
from envfactory_assets.stages.trajectories.solvers import RuleTeacher
from sandboxes.core.canonical import content_hash
from sandboxes.core.catalog import Catalog

ENVIRONMENTS = ("lifestyle.messenger", "office.calendar", "travel.hotel_booking")
STAY = ("hotel_booking__search_hotels", "hotel_booking__list_rooms", "hotel_booking__book_room")


def chain(chain_id, domain, tools, bound, said, turns):
    """Write down a chain: `bound` maps `step.parameter` to `step:path`, `said` lists the rest."""
    bindings = []
    for target, source in bound.items():
        target_step, _, parameter = target.partition(".")
        source_step, _, path = source.partition(":")
        bindings.append(
            Binding(
                target_step=int(target_step),
                target_parameter=parameter,
                source_step=int(source_step),
                source_parameter=path,
            )
        )
    pairs = [item.partition(".") for item in said.split()]
    homes = {item.split(".")[1]: item for item in ENVIRONMENTS}
    return SampledChain(
        chain_id=chain_id,
        domain=domain,
        environment_ids=tuple(sorted({homes[tool.split("__")[0]] for tool in tools})),
        tools=tuple(tools),
        bindings=tuple(bindings),
        externals=tuple(ExternalValue(step=int(step), parameter=name) for step, _, name in pairs),
        turn_sizes=turns,
        branch_count=1,
        depth=1,
        seed=0,
        sampler="topology",
        made_by="by_hand",
    )


def stay(chain_id="stay-0", domain="travel"):
    """Find a hotel, book a room of it, cancel the booking."""
    return chain(
        chain_id,
        domain,
        (*STAY, "hotel_booking__cancel_booking"),
        {
            "1.hotel_id": "0:hotels[].hotel_id",
            "2.room_id": "1:rooms[].room_id",
            "3.booking_id": "2:booking_id",
        },
        "0.city 0.check_in 0.check_out 1.check_in 1.check_out 2.guest_name 2.check_in 2.check_out",
        (2, 1, 1),
    )


def all_chains(copies):
    """Return every chain, several times on scenarios of their own."""
    found = []
    for copy in range(copies):
        found += [
            stay(f"stay-{copy}"),
            chain(
                f"dates-{copy}",
                "travel",
                (
                    "hotel_booking__list_bookings",
                    "hotel_booking__get_booking",
                    "hotel_booking__change_dates",
                ),
                {
                    "1.booking_id": "0:bookings[].booking_id",
                    "2.booking_id": "0:bookings[].booking_id",
                },
                "2.check_in 2.check_out",
                (1, 2),
            ),
            chain(
                f"favorite-{copy}",
                "travel",
                (STAY[0], "hotel_booking__save_favorite", "hotel_booking__list_reviews"),
                {"1.hotel_id": "0:hotels[].hotel_id", "2.hotel_id": "0:hotels[].hotel_id"},
                "0.city 0.check_in 0.check_out 0.max_price 1.note",
                (2, 1),
            ),
            chain(
                f"look-{copy}",
                "travel",
                ("hotel_booking__list_bookings", "hotel_booking__get_hotel"),
                {"1.hotel_id": "0:bookings[].hotel_id"},
                "0.status",
                (1, 1),
            ),
            chain(
                f"guests-{copy}",
                "office",
                ("messenger__find_contacts", "calendar__find_events", "calendar__invite_guest"),
                {"2.email": "0:contacts[].email", "2.event_id": "1:events[].event_id"},
                "1.first_day 1.last_day 1.response",
                (1, 2),
            ),
            chain(
                f"meeting-{copy}",
                "office",
                (
                    "calendar__find_meeting_rooms",
                    "calendar__create_event",
                    "calendar__set_reminder",
                ),
                {
                    "1.meeting_room_id": "0:meeting_rooms[].meeting_room_id",
                    "2.event_id": "1:event_id",
                },
                "0.start 0.duration_minutes 1.title 1.start 1.duration_minutes 2.minutes_before",
                (2, 1),
            ),
            chain(
                f"news-{copy}",
                "lifestyle",
                (
                    "messenger__list_conversations",
                    "messenger__read_conversation",
                    "messenger__reply_to_message",
                    "messenger__mute_conversation",
                ),
                {
                    "1.conversation_id": "0:conversations[].conversation_id",
                    "2.message_id": "1:messages[].message_id",
                    "3.conversation_id": "0:conversations[].conversation_id",
                },
                "2.text 3.hours",
                (1, 3),
            ),
            chain(
                f"told-{copy}",
                "lifestyle",
                ("calendar__find_events", "calendar__get_event", "messenger__send_message"),
                {"1.event_id": "0:events[].event_id", "2.email": "1:guests[].email"},
                "0.first_day 0.last_day 2.text",
                (3,),
            ),
        ]
    return found


@dataclass(frozen=True)
class Pipeline:
    """What every stage gave."""

    catalog: Catalog
    drafts: list
    dropped: dict
    refined: list
    candidates: list
    filtered: list
    filter_dropped: dict
    sft: list
    rl: list

    def by_task(self, rows):
        """Return rows grouped by task, in order."""
        found = {}
        for row in rows:
            found.setdefault(row.task_id, []).append(row)
        return found

    def refined_by_task(self):
        """Return the refined turns of each task."""
        return self.by_task(self.refined)


def run_pipeline(chains, settings=None, candidates=8, catalog=None):
    """Carry chains through all stages by rules, on shipped environments unless others are given."""
    catalog = catalog or Catalog.discover().restricted_to(ENVIRONMENTS)
    settings = settings or QuerySettings()
    authors = Authors(RulePlanner(), RuleQueryWriter())
    drafted = draft_queries(chains, catalog, settings, authors)
    refined = refine_all(drafted.drafts, catalog, RuleRefiner(settings))
    solving = TrajectorySettings(candidates=candidates)
    players = Players(RuleTeacher(), RuleUser(), RuleJudge())
    attempts = candidate_trajectories(refined, catalog, solving, players)
    outcome = filter_trajectories(refined, attempts, catalog, solving)
    held_out = ("office.calendar",)
    return Pipeline(
        catalog,
        drafted.drafts,
        drafted.dropped,
        refined,
        attempts,
        outcome.rows,
        outcome.dropped,
        sft_examples(outcome.rows, held_out),
        rl_tasks(outcome.rows, catalog, held_out),
    )


def hash_of(pipeline):
    """Return one hash over all rows."""
    tables = (pipeline.drafts, pipeline.refined, pipeline.candidates, pipeline.filtered)
    rows = [row for table in (*tables, pipeline.sft, pipeline.rl) for row in table]
    return content_hash([row.model_dump(mode="json") for row in rows])


if __name__ == "__main__":
    sys.stdout.write(hash_of(run_pipeline(all_chains(1), candidates=4)))
