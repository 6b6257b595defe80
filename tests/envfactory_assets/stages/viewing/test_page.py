"""The page as a browser draws it. A page whose script fails shows nothing, so these fail."""

import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--virtual-time-budget=4000",
    "--window-size=1280,900",
)

CANCEL = "hotel_booking__cancel_booking"

pytestmark = pytest.mark.skipif(BROWSER is None, reason=f"needs one of {', '.join(BROWSERS)}")


class Drawn(HTMLParser):
    """A drawn page: its elements with classes, and the text a reader sees in them."""

    def __init__(self, dom):
        super().__init__()
        self.elements = []
        self._open = []
        self.feed(re.sub(r"<(script|style)\b.*?</\1>", "", dom, flags=re.DOTALL))

    def handle_starttag(self, tag, attrs):
        self.handle_data(" ")
        entry = {"tag": tag, "text": "", **dict(attrs)}
        self.elements.append(entry)
        if tag not in ("meta", "input", "br", "link"):
            self._open.append(entry)

    def handle_endtag(self, tag):
        while self._open and self._open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for entry in self._open:
            entry["text"] += data

    def of_class(self, name):
        return [each for each in self.elements if name in (each.get("class") or "").split()]

    def texts(self, name):
        return [" ".join(each["text"].split()) for each in self.of_class(name)]


@pytest.fixture(scope="module")
def open_page(tmp_path_factory):
    """Draw a page at an address, in a browser of its own."""
    folder = tmp_path_factory.mktemp("pages")

    def draw(page, address=""):
        file = folder / "page.html"
        file.write_text(page.text, encoding="utf-8")
        profile = f"--user-data-dir={folder / 'profile'}"
        command = [BROWSER, *OPTIONS, profile, "--dump-dom", f"{file.as_uri()}{address}"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        return Drawn(run.stdout)

    return draw


def test_a_conversation_is_shown_with_its_calls_and_changes(open_page, page, made):
    row = next(row for row in made.filtered if CANCEL in {c["tool"] for c in row.reference_calls})
    drawn = open_page(page, f"#task={row.task_id}")

    spoken = drawn.texts("user")
    requests = [f"User {' '.join(query.split())}" for query in row.queries]
    assert [text for text in spoken if text in requests] == requests
    assert len(drawn.of_class("call")) == len(row.reference_calls)
    changes = " ".join(drawn.texts("changes"))
    assert "new Booking" in changes
    assert re.search(r"Booking BK-\d+: status confirmed → cancelled", changes)


def test_nothing_has_to_be_read_as_json(open_page, page):
    drawn = open_page(page)

    [view] = [each for each in drawn.elements if each.get("id") == "task-view"]
    assert "Reward" in view["text"]
    assert '{"' not in view["text"]
    assert "__" not in view["text"]


def test_the_address_holds_the_filters(open_page, page):
    drawn = open_page(page, "#domain=office&attempts=another_candidate_is_better")

    entries = page.data["index"]["tasks"]
    expected = [
        entry["id"]
        for entry in entries
        if entry["domain"] == "office" and "another_candidate_is_better" in entry["attempts"]
    ]
    assert 0 < len(expected) < len(entries)
    assert [each["data-task"] for each in drawn.of_class("item")] == expected


def test_a_dropped_task_is_found_by_its_reason_and_says_what_it_is_like(open_page, page):
    drawn = open_page(page, "#outcome=near_duplicate_within_split")

    [item] = drawn.texts("item")
    assert item.endswith("dropped: near duplicate within split")
    first = page.data["index"]["tasks"][0]["id"]
    assert f"like {first}" in drawn.texts("badges")[0]


def test_a_losing_attempt_is_shown_with_what_it_did_wrong(open_page, page):
    task = page.data["task-0"]
    number, attempt = next(
        (number, each) for number, each in enumerate(task["attempts"], 1) if each["why"]
    )
    drawn = open_page(page, f"#task={task['id']}&attempt={number}")

    notice = drawn.texts("notice")[0]
    assert attempt["policy"].replace("_", " ") in notice
    assert "Compared with the reference" in notice
    assert len(drawn.of_class("call")) == attempt["calls"]


def test_a_text_that_tries_to_break_out_is_shown_as_it_is(open_page, hostile):
    drawn = open_page(hostile, f"#task={hostile.task_id}")

    assert not any(each.get("id") == "bold" for each in drawn.elements)
    expected = " ".join(hostile.data["index"]["title"].split())
    assert any(expected in text for text in drawn.texts("user"))
    assert any(expected in text for text in drawn.texts("request"))


def test_an_unknown_task_is_said_to_be_unknown(open_page, page):
    [message] = open_page(page, "#task=nobody-1").texts("empty")

    assert message == "No task here is called nobody-1."
