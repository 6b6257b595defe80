import asyncio

import httpx2
import pytest

from sandboxes.core.catalog import Catalog
from sandboxes.core.scenario import Scenario
from sandboxes.core.server import build_http_app, build_server, served_catalog
from sandboxes.core.session_registry import SessionRegistry

HOTELS = "travel.hotel_booking"
CATALOG = Catalog.discover()


def requesting(*requests, limit=2, catalog=CATALOG, environment_id=HOTELS, headers=None):
    """Send requests (method, path, body) one after another; return statuses and replies.

    `{0}` in a path stands for the handle that the first request opened.
    """
    registry = SessionRegistry(served_catalog(catalog, [environment_id]), seed=6, limit=limit)
    app = build_http_app(build_server(catalog, [environment_id], registry=registry))
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)

    async def run():
        answers = []
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=headers
        ) as client:
            for method, path, body in requests:
                handle = answers[0][1].get("session") if answers else None
                reply = await client.request(method, path.format(handle), content=body)
                is_json = reply.headers.get("content-type") == "application/json"
                answers.append((reply.status_code, reply.json() if is_json else reply.text))
        return answers

    return asyncio.run(run())


def test_a_session_is_opened_shown_and_closed():
    opened, shown, closed, again = requesting(
        ("POST", "/sessions", '{"seed": 3}'),
        ("GET", "/sessions/{0}", None),
        ("DELETE", "/sessions/{0}", None),
        ("GET", "/sessions/{0}", None),
    )

    handle = opened[1]["session"]
    states = Scenario.draw(CATALOG, [HOTELS], 3).states
    assert opened[0] == 201
    assert opened[1]["path"] == f"/sessions/{handle}/mcp"
    assert shown == closed == (200, {"states": states, "call_count": 0})
    assert again == (404, {"error": f"Session {handle!r} was closed; open a new one."})


def test_an_empty_body_opens_a_session_from_the_seed_of_the_server():
    _, (_, shown) = requesting(("POST", "/sessions", None), ("GET", "/sessions/{0}", None))

    assert shown["states"] == Scenario.draw(CATALOG, [HOTELS], 6).states


def test_a_session_opens_from_where_another_stands():
    states = Scenario.draw(CATALOG, [HOTELS], 8)
    _, (_, shown) = requesting(
        ("POST", "/sessions", f'{{"scenario": {states.model_dump_json()}}}'),
        ("GET", "/sessions/{0}", None),
    )

    assert shown["states"] == states.states


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("seed=4", "Send a JSON object such as"),
        ("[4]", "Send a JSON object such as"),
        ('{"seed": NaN}', "Send a JSON object such as"),
        ("[" * 5_000, "Send a JSON object such as"),
        ('{"sed": 4}', "Unknown argument 'sed' of sessions__open; allowed: seed, scenario."),
        ('{"seed": 4, "scenario": {"seed": 1, "start": "x", "states": {}}}', "Give a seed or a sc"),
        (
            '{"scenario": {"seed": 1, "start": "x", "states": {"office.calendar": {}}}}',
            "Unknown environment 'office.calendar'; available: travel.hotel_booking.",
        ),
    ],
)
def test_a_session_that_cannot_be_opened_is_refused_plainly(body, sentence):
    ((status, reply),) = requesting(("POST", "/sessions", body))

    assert status == 400
    assert reply["error"].startswith(sentence)


def test_one_session_too_many_is_refused():
    answers = requesting(*[("POST", "/sessions", "{}")] * 3)

    assert [status for status, _ in answers] == [201, 201, 503]
    assert answers[2][1]["error"].startswith("All 2 sessions are in use; close one")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"host": "evil.example"}, 421),
        ({"origin": "http://127.0.0.1"}, 201),
    ],
)
def test_a_page_of_another_site_cannot_use_a_server_on_this_machine(headers, status):
    ((answered, _),) = requesting(("POST", "/sessions", "{}"), headers=headers)

    assert answered == status


def test_an_environment_that_cannot_draw_its_scenario_leaks_no_details(
    notes_root, tmp_path, caplog
):
    source = (notes_root / "office" / "notes.py").read_text()
    crash = 'raise KeyError("secret")\n        state = NotesState('
    (tmp_path / "office").mkdir()
    (tmp_path / "office" / "notes.py").write_text(source.replace("state = NotesState(", crash))
    catalog = Catalog.discover([(tmp_path, "shipped")])

    ((status, reply),) = requesting(
        ("POST", "/sessions", "{}"), catalog=catalog, environment_id="office.notes"
    )

    assert status == 500
    assert "secret" not in reply["error"]
    assert "KeyError: 'secret'" in caplog.text
