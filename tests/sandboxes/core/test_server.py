import asyncio
import json
import random
from dataclasses import dataclass

import pytest
from fastmcp import Client

from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.catalog import Catalog
from sandboxes.core.errors import UnknownEnvironmentError, UnverifiedEnvironmentError
from sandboxes.core.scenario import Scenario
from sandboxes.core.server import build_server, served_catalog
from sandboxes.core.session import Session
from sandboxes.core.session_address import SESSION_META_KEY
from sandboxes.core.session_registry import SessionRegistry
from sandboxes.verification.attempts import identifier_values

CATALOG = Catalog.discover()
ENVIRONMENT_IDS = [source.environment_id for source in CATALOG.sources]
HOTELS = "travel.hotel_booking"
GET = "hotel_booking__get_hotel"
SAVE = "hotel_booking__save_favorite"
CALLS_PER_TOOL = 3


@dataclass
class Served:
    """A server, its registry, and a client's view of a call: (is it ok, result or sentence)."""

    registry: SessionRegistry
    client: Client

    async def call(self, handle, tool, arguments):
        meta = None if handle is None else {SESSION_META_KEY: handle}
        reply = await self.client.call_tool_mcp(tool, arguments, meta=meta)
        text = reply.content[0].text
        if not reply.is_error:
            assert json.loads(text) == reply.structured_content
        return not reply.is_error, text if reply.is_error else reply.structured_content


def serving(story, *, environment_ids=(HOTELS,), default_seed=None, **options):
    """Run a story, a coroutine function that takes a `Served`, against an in-memory client."""
    catalog = options.pop("catalog", CATALOG)
    verified = options.get("verified")
    registry = SessionRegistry(served_catalog(catalog, list(environment_ids), verified), seed=5)
    default = None if default_seed is None else registry.draw(default_seed)
    server = build_server(
        catalog,
        list(environment_ids),
        registry=registry,
        default_scenario=default,
        **options,
    )

    async def run():
        async with Client(server) as client:
            return await story(Served(registry, client))

    return asyncio.run(run())


def spoiled(arguments, rng):
    """Return arguments that are refused: one too many, one too few, or one of another type."""
    name = rng.choice(sorted(arguments)) if arguments else None
    match rng.randrange(3):
        case 1 if name is not None:
            return {key: value for key, value in arguments.items() if key != name}
        case 2 if name is not None:
            return {**arguments, name: [{"no": "such type"}]}
        case _:
            return {**arguments, "surprise": 1}


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
def test_the_listed_tools_are_those_declared_for_agents(environment_id):
    async def story(served):
        return await served.client.list_tools()

    listed = serving(story, environment_ids=[environment_id])

    tools = CATALOG.load(environment_id).tools.values()
    declared = [tool for tool in tools if tool.actor == "agent"]
    assert [tool.name for tool in listed] == [tool.wire_name for tool in declared]
    for shown, tool in zip(listed, declared, strict=True):
        assert shown.description == tool.description
        assert shown.input_schema == tool.input_schema
        assert shown.output_schema == tool.output_schema
        assert shown.annotations.read_only_hint == (tool.effect == "read")


@pytest.mark.parametrize("environment_id", ENVIRONMENT_IDS)
def test_calls_and_end_states_are_the_same_direct_and_through_mcp(environment_id):
    rng = random.Random(environment_id)
    scenario = Scenario.draw(CATALOG, [environment_id], 11)
    direct = Session.open(scenario, CATALOG)
    known = {}

    async def story(served):
        handle = served.registry.open(scenario)
        for number in range(CALLS_PER_TOOL):
            for tool in direct.tools:
                arguments = ArgumentValues(tool, direct.states(), rng, known).draw()
                if number == CALLS_PER_TOOL - 1:
                    arguments = spoiled(arguments, rng)
                record = direct.call(tool.wire_name, arguments)
                expected = (record.ok, record.result if record.ok else record.error)
                assert await served.call(handle, tool.wire_name, arguments) == expected
                for identifier, value in identifier_values(tool, record.result or {}):
                    known.setdefault(identifier, []).append(value)
        return served.registry.close(handle)

    assert serving(story, environment_ids=[environment_id]) == direct.states()
    assert {record.ok for record in direct.log} == {True, False}


def test_environments_are_served_together_in_one_session():
    async def story(served):
        handle = served.registry.open(served.registry.draw(1))
        names = {tool.name.split("__")[0] for tool in await served.client.list_tools()}
        return names, list(served.registry.close(handle))

    names, ids = serving(story, environment_ids=[HOTELS, "office.calendar"])

    assert names == {"hotel_booking", "calendar"}
    assert ids == [HOTELS, "office.calendar"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (GET, {}),
        (GET, {"hotel_id": 5}),
        (GET, {"hotel_id": "HT-1", "extra": None}),
        (GET, {"hotel_id": "HT-99"}),
        ("hotel_booking__fly", {"to": "Lisbon"}),
        ("other__tool", {}),
    ],
)
def test_a_refused_call_gets_the_sentence_of_a_direct_call_and_nothing_else(tool, arguments):
    async def story(served):
        return await served.call(served.registry.open(served.registry.draw(1)), tool, arguments)

    is_ok, sentence = serving(story)

    direct = Session.open(Scenario.draw(CATALOG, [HOTELS], 1), CATALOG)
    assert not is_ok
    assert sentence == direct.call(tool, arguments).error
    assert "http" not in sentence
    assert "validation error" not in sentence


def test_sessions_of_one_scenario_do_not_leak_into_each_other():
    async def story(served):
        scenario = served.registry.draw(1)
        first, second = served.registry.open(scenario), served.registry.open(scenario)
        await served.call(first, SAVE, {"hotel_id": "HT-1", "note": "first"})
        await served.call(second, SAVE, {"hotel_id": "HT-2", "note": "second"})
        return [served.registry.close(handle)[HOTELS]["favorites"] for handle in (first, second)]

    assert serving(story) == [{"HT-1": "first"}, {"HT-2": "second"}]


def test_concurrent_calls_in_one_session_lose_nothing():
    async def story(served):
        handle = served.registry.open(served.registry.draw(1))
        notes = [{"hotel_id": f"HT-{number % 8 + 1}", "note": str(number)} for number in range(40)]
        calls = [served.call(handle, SAVE, arguments) for arguments in notes]
        replies = await asyncio.gather(*calls)
        return replies, served.registry.find(handle).call_count

    replies, call_count = serving(story)

    assert all(is_ok for is_ok, _ in replies)
    assert call_count == 40
    assert max(result["favorite_count"] for _, result in replies) == 8


@pytest.mark.parametrize("default_seed", [None, 3])
def test_an_unknown_handle_is_refused_plainly_whether_or_not_there_is_a_default(default_seed):
    async def story(served):
        return await served.call("nobody", GET, {"hotel_id": "HT-1"})

    answer = serving(story, default_seed=default_seed)

    assert answer == (False, "There is no session 'nobody'; open one first.")


def test_a_closed_handle_is_refused_plainly():
    async def story(served):
        handle = served.registry.open(served.registry.draw(1))
        served.registry.close(handle)
        return handle, await served.call(handle, GET, {"hotel_id": "HT-1"})

    handle, answer = serving(story)

    assert answer == (False, f"Session {handle!r} was closed; open a new one.")


def test_a_call_that_names_no_session_is_refused_when_there_is_no_default():
    async def story(served):
        return await served.call(None, GET, {"hotel_id": "HT-1"})

    is_ok, sentence = serving(story)

    assert not is_ok
    assert sentence.startswith("The call names no session; open one (POST /sessions)")


def test_calls_that_name_no_session_share_the_default_one():
    async def story(served):
        await served.call(None, SAVE, {"hotel_id": "HT-1", "note": "a"})
        other = served.registry.open(served.registry.draw(3))
        return (
            await served.call(None, SAVE, {"hotel_id": "HT-2", "note": "b"}),
            await served.call(other, SAVE, {"hotel_id": "HT-2", "note": "b"}),
        )

    shared, other = serving(story, default_seed=3)

    assert shared == (True, {"note": "b", "favorite_count": 2})
    assert other == (True, {"note": "b", "favorite_count": 1})


def test_session_tools_open_show_and_close_sessions():
    async def story(served):
        opened = (await served.call(None, "sessions__open", {"seed": 4}))[1]
        handle = opened["session"]
        await served.call(handle, SAVE, {"hotel_id": "HT-1", "note": "a"})
        shown = (await served.call(None, "sessions__states", {"session": handle}))[1]
        closed = (await served.call(None, "sessions__close", {"session": handle}))[1]
        again = await served.call(None, "sessions__close", {"session": handle})
        return opened, shown, closed, again

    opened, shown, closed, again = serving(story, with_session_tools=True)

    assert opened["environments"] == [HOTELS]
    assert shown == closed
    assert closed["call_count"] == 1
    assert closed["states"][HOTELS]["favorites"] == {"HT-1": "a"}
    assert again == (False, f"Session {opened['session']!r} was closed; open a new one.")


def test_a_session_opens_from_a_scenario_that_a_client_sends():
    scenario = Scenario.draw(CATALOG, [HOTELS], 9)

    async def story(served):
        arguments = {"scenario": scenario.model_dump(mode="json")}
        opened = (await served.call(None, "sessions__open", arguments))[1]
        return served.registry.close(opened["session"])

    assert serving(story, with_session_tools=True) == scenario.states


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"seed": "4"}, "Argument 'seed' of sessions__open should be a valid integer, got '4'."),
        ({"seed": 1, "scenario": None, "size": 2}, "Unknown argument 'size' of sessions__open"),
        ({"scenario": {"seed": 1, "start": "x", "states": {}}}, "The scenario holds no state"),
        (
            {"scenario": {"seed": 1, "start": "x", "states": {HOTELS: {}}}},
            f"The scenario's state of {HOTELS} does not fit its model at 'clock'",
        ),
    ],
)
def test_a_session_that_cannot_be_opened_is_refused_plainly(arguments, sentence):
    async def story(served):
        return await served.call(None, "sessions__open", arguments), served.registry.session_count

    (is_ok, told), open_count = serving(story, with_session_tools=True)

    assert not is_ok
    assert told.startswith(sentence)
    assert open_count == 0


def test_an_unknown_environment_is_not_served():
    with pytest.raises(UnknownEnvironmentError, match=r"Unknown environment 'travel\.flights'"):
        build_server(CATALOG, ["travel.flights"])


def test_a_registry_of_other_environments_is_refused():
    registry = SessionRegistry(CATALOG.restricted_to([HOTELS]))

    with pytest.raises(ValueError, match="was not made for"):
        build_server(CATALOG, ["office.calendar"], registry=registry)


def test_a_generated_environment_is_served_only_while_its_verified_source_stands(notes, notes_root):
    environment = notes.load("office.notes")
    found = Catalog.discover([(notes_root, "generated")], load_unreviewed=lambda _: environment)
    hash_now = found.source("office.notes").source_hash

    with pytest.raises(UnverifiedEnvironmentError, match=r"office\.notes is generated"):
        build_server(found, ["office.notes"])
    with pytest.raises(UnverifiedEnvironmentError, match="not verified as its source stands"):
        build_server(found, ["office.notes"], verified={"office.notes": "0" * 64})
    with pytest.raises(UnverifiedEnvironmentError, match="verified none"):
        build_server(found, ["office.notes"], verified={})

    assert build_server(found, ["office.notes"], verified={"office.notes": hash_now})


def test_a_shipped_environment_that_failed_verification_is_not_served():
    with pytest.raises(UnverifiedEnvironmentError, match="hotel_booking is not verified"):
        build_server(CATALOG, [HOTELS], verified={"office.calendar": "0" * 64})


@pytest.mark.parametrize("tool", ["notes__drop_and_crash", "notes__drop_and_return_nothing"])
def test_a_faulty_tool_leaks_no_details_and_changes_nothing(notes, tool, caplog, capfd):
    async def story(served):
        handle = served.registry.open(scenario)
        return await served.call(handle, tool, {}), served.registry.close(handle)

    scenario = Scenario.draw(notes, ["office.notes"], 2)
    verified = {"office.notes": notes.source("office.notes").source_hash}
    answer, states = serving(
        story, environment_ids=["office.notes"], catalog=notes, verified=verified
    )

    sentence = f"{tool} failed inside the server and changed nothing; the call is not at fault."
    assert answer == (False, sentence)
    assert states == scenario.states
    assert [record.name for record in caplog.records] == ["sandboxes.core.served_tool"]
    assert caplog.records[0].exc_info is None
    assert "Traceback" not in capfd.readouterr().err
