"""The command line, as real processes: one over HTTP, one over stdio, and the ones that refuse."""

import asyncio
import socket
import subprocess
import sys
from contextlib import contextmanager

import httpx2
import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.server import main
from sandboxes.core.session import Session
from sandboxes.core.session_address import SESSION_META_KEY
from sandboxes.core.session_routes import SESSION_HEADER

HOTELS = "travel.hotel_booking"
GET = "hotel_booking__get_hotel"
SAVE = "hotel_booking__save_favorite"
COMMAND = ["-m", "sandboxes.core.server", HOTELS]
CATALOG = Catalog.discover()


@contextmanager
def http_server(*options):
    command = [sys.executable, *COMMAND, "--transport", "http", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            line = process.stderr.readline()
            assert line.startswith("Serving at http://127.0.0.1:"), line + process.stderr.read()
            yield line.split()[-1].removesuffix("/mcp")
        finally:
            process.terminate()
            rest = process.stderr.read()
    assert rest == ""


def direct(seed):
    return Session.open(Scenario.draw(CATALOG, [HOTELS], seed), CATALOG)


def opened(url, seed):
    return httpx2.post(f"{url}/sessions", json={"seed": seed}).json()["session"]


def end_states(url, handle):
    return httpx2.delete(f"{url}/sessions/{handle}").json()["states"]


async def over_http(url, handle, mode="auto"):
    """Write in one session by its path and by its header, then ask for what is refused."""
    by_header = StreamableHttpTransport(f"{url}/mcp", headers={SESSION_HEADER: handle})
    async with Client(f"{url}/sessions/{handle}/mcp", mode=mode) as client:
        await client.call_tool(SAVE, {"hotel_id": "HT-1", "note": f"path of {handle}"})
        refused = await client.call_tool_mcp(GET, {"hotel_id": "HT-99"})
    async with Client(by_header, mode=mode) as client:
        await client.call_tool(SAVE, {"hotel_id": "HT-2", "note": f"header of {handle}"})
    async with Client(f"{url}/mcp", mode=mode) as client:
        nameless = await client.call_tool_mcp(GET, {"hotel_id": "HT-1"})
    return [reply.content[0].text for reply in (refused, nameless)]


def test_http_serves_sessions_by_path_and_by_header_and_keeps_them_apart():
    async def both():
        return await asyncio.gather(over_http(url, first), over_http(url, second, mode="legacy"))

    with http_server() as url:
        first, second = opened(url, 1), opened(url, 2)
        answers = asyncio.run(both())
        states = [end_states(url, handle)[HOTELS] for handle in (first, second)]

    for handle, state, seed in ((first, states[0], 1), (second, states[1], 2)):
        assert state["favorites"] == {"HT-1": f"path of {handle}", "HT-2": f"header of {handle}"}
        assert state["hotels"] == direct(seed).states()[HOTELS]["hotels"]
    for refused, nameless in answers:
        assert refused == direct(1).call(GET, {"hotel_id": "HT-99"}).error
        assert nameless.startswith("The call names no session; open one (POST /sessions)")


def test_stdio_serves_a_default_session_and_further_ones_by_handle():
    async def story():
        options = ["--seed", "4", "--session-tools"]
        transport = StdioTransport(sys.executable, [*COMMAND, *options])
        async with Client(transport) as client:
            meta = {SESSION_META_KEY: (await client.call_tool("sessions__open", {})).data.session}
            await client.call_tool(SAVE, {"hotel_id": "HT-1", "note": "default"})
            other = await client.call_tool(SAVE, {"hotel_id": "HT-2", "note": "b"}, meta=meta)
            shared = await client.call_tool(SAVE, {"hotel_id": "HT-2", "note": "b"})
            refused = await client.call_tool_mcp(GET, {"hotel": "HT-1"})
            hotel = await client.call_tool(GET, {"hotel_id": "HT-3"})
        return other, shared, refused, hotel

    other, shared, refused, hotel = asyncio.run(story())

    assert other.structured_content == {"note": "b", "favorite_count": 1}
    assert shared.structured_content == {"note": "b", "favorite_count": 2}
    assert refused.content[0].text == direct(4).call(GET, {"hotel": "HT-1"}).error
    assert hotel.structured_content == direct(4).call(GET, {"hotel_id": "HT-3"}).result


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["travel.flights"], "Unknown environment 'travel.flights'; available: "),
        ([HOTELS, "--session-limit", "0"], "--session-limit and --idle-seconds must be positive."),
        ([HOTELS, "--port", "99999"], "--port must lie between 0 and 65535, not at 99999."),
    ],
)
def test_a_command_line_that_cannot_be_served_ends_with_status_2(arguments, sentence, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    assert ended.value.code == 2
    assert f"error: {sentence}" in capsys.readouterr().err


def test_a_port_that_is_taken_is_told(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(SystemExit) as ended:
        main([HOTELS, "--transport", "http", "--port", str(taken.getsockname()[1])])

    assert ended.value.code == 2
    assert "error: Cannot listen on 127.0.0.1 port" in capsys.readouterr().err
