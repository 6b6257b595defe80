"""How fast sessions open and answer, what they weigh, and what MCP adds to a call.

Run `python benchmarks/sessions.py [--quick]`. Rates are per second of CPU time of one core, the
best of three runs. In the first table every environment makes the same call again and again: its
first reading tool, with arguments that it carries out. MCP is asked by one client that waits for
every reply and lives in the same process, so its figures hold the work of both ends.
"""

import argparse
import asyncio
import gc
import random
import socket
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from fastmcp import Client
from starlette.applications import Starlette

from sandboxes.core.argument_values import ArgumentValues
from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.server import build_http_app, build_server, served_catalog
from sandboxes.core.session import Session, ToolCall
from sandboxes.core.session_registry import SessionRegistry

TARGET_PER_SECOND = 6_500
TARGET_MEGABYTES = 200
LIVE_SESSIONS = 1_000
RUNS = 3
DRAWS = 50


def per_second(work: Callable[[], object], seconds: float) -> float:
    """Return how often a piece of work is done in a second of CPU time, the best of some runs."""
    best = 0.0
    for _ in range(RUNS):
        count, started = 0, time.process_time()
        while (elapsed := time.process_time() - started) < seconds:
            for _ in range(50):
                work()
            count += 50
        best = max(best, count / elapsed)
    return best


async def replies_per_second(work: Callable[[], Awaitable[object]], seconds: float) -> float:
    """Return how many replies one after another come in a second, the best of some runs."""
    best = 0.0
    for _ in range(RUNS):
        count, started = 0, time.process_time()
        while (elapsed := time.process_time() - started) < seconds:
            for _ in range(20):
                await work()
            count += 20
        best = max(best, count / elapsed)
    return best


def reading_call(session: Session) -> ToolCall:
    """Return a call of the first reading tool that carries one out."""
    rng = random.Random(0)
    for tool in session.tools:
        for _ in range(DRAWS if tool.effect == "read" else 0):
            arguments = ArgumentValues(tool, session.states(), rng).draw()
            if session.fork().call(tool.wire_name, arguments).ok:
                return ToolCall(tool=tool.wire_name, arguments=arguments)
    raise RuntimeError(f"No reading tool of {session.environment_ids} could be called.")


def report_sessions(catalog: Catalog, environment_ids: Sequence[str], seconds: float) -> None:
    """Print how fast sessions of some environments open and answer."""
    scenario = Scenario.draw(catalog, environment_ids, 0)
    session = Session.open(scenario, catalog)
    call = reading_call(session)

    def open_and_call() -> None:
        Session.open(scenario, catalog).call(call.tool, call.arguments)

    def call_and_snapshot() -> None:
        session.call(call.tool, call.arguments)
        session.snapshot()

    size = sum(len(text) for text in scenario.texts.values()) / 1024
    opened, snapped = per_second(open_and_call, seconds), per_second(call_and_snapshot, seconds)
    print(f"{' + '.join(environment_ids):<38} {size:>6.1f} KB {opened:>10,.0f} {snapped:>16,.0f}")


def live_megabytes(catalog: Catalog, environment_id: str) -> float:
    """Return what many open sessions, each of a scenario of its own, weigh."""
    registry = SessionRegistry(catalog, limit=LIVE_SESSIONS)
    gc.collect()
    before = resident_megabytes()
    for seed in range(LIVE_SESSIONS):
        registry.open(Scenario.draw(catalog, [environment_id], seed))
    gc.collect()
    return resident_megabytes() - before


def resident_megabytes() -> float:
    """Return how much memory this process has resident."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("/proc/self/status names no VmRSS; run this on Linux.")


async def report_mcp(catalog: Catalog, environment_id: str, seconds: float) -> None:
    """Print how many calls a second are made directly, in memory through MCP, and over HTTP."""
    registry = SessionRegistry(served_catalog(catalog, [environment_id]))
    scenario = registry.draw(0)
    server = build_server(catalog, [environment_id], registry=registry, default_scenario=scenario)
    session = Session.open(scenario, catalog)
    call = reading_call(session)
    direct = per_second(lambda: session.call(call.tool, call.arguments), seconds)
    async with Client(server) as client:
        in_memory = await replies_per_second(
            lambda: client.call_tool_mcp(call.tool, call.arguments), seconds
        )
    handle = registry.open(scenario)
    async with serving(build_http_app(server)) as url, Client(f"{url}/sessions/{handle}/mcp") as c:
        http = await replies_per_second(lambda: c.call_tool_mcp(call.tool, call.arguments), seconds)
    print(f"\n{call.tool} directly: {direct:,.0f} calls/s")
    print(f"through an in-memory MCP client: {in_memory:,.0f} (1/{direct / in_memory:,.0f})")
    print(f"through an MCP client over HTTP: {http:,.0f} (1/{direct / http:,.0f})")


@asynccontextmanager
async def serving(app: Starlette) -> AsyncGenerator[str]:
    """Serve an application on the loopback interface from this process; yield its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, ws="none", log_level="critical"))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running


def main() -> None:
    """Print the memory, the table of sessions, and the cost of MCP."""
    parser = argparse.ArgumentParser(description="Measure sessions.")
    parser.add_argument("--quick", action="store_true", help="measure for a tenth of the time")
    seconds = 0.05 if parser.parse_args().quick else 0.5
    catalog = Catalog.discover()
    ids = [source.environment_id for source in catalog.sources]
    sizes = {key: len(text) for key, text in Scenario.draw(catalog, ids, 0).texts.items()}
    largest = max(sizes, key=lambda key: sizes[key])
    megabytes = live_megabytes(catalog, largest)
    print(f"{LIVE_SESSIONS:,} live sessions of {largest}: {megabytes:.0f} MB", end=" ")
    print(f"(target {TARGET_MEGABYTES})\n")
    print(f"{f'per second (target {TARGET_PER_SECOND:,})':<38} {'state':>9}", end=" ")
    print(f"{'open + call':>10} {'call + snapshot':>16}")
    for environment_id in ids:
        report_sessions(catalog, [environment_id], seconds)
    report_sessions(catalog, ["office.calendar", "lifestyle.messenger"], seconds)
    asyncio.run(report_mcp(catalog, "travel.hotel_booking", seconds))


if __name__ == "__main__":
    main()
