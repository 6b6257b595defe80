import json
import sys

import pytest

from envfactory_resources.clients.web_search.command_search import CommandSearch
from envfactory_resources.clients.web_search.errors import (
    SearchFailedError,
    SearchSettingsError,
    UnknownAddressError,
)

SEARCH = """
import json, sys
for number in range(3):
    hit = {"address": f"https://a.example/{number}", "title": sys.argv[1], "rank": number}
    print(json.dumps(hit))
"""
READ = "import sys; print(f'<html><body><p>Page {sys.argv[1]}</p></body></html>')"


def python(code):
    return [sys.executable, "-c", code]


def test_hits_are_read_from_json_lines_up_to_the_limit():
    hits = CommandSearch(python(SEARCH)).search("auction; rm -rf $HOME", 2)

    assert [hit.address for hit in hits] == ["https://a.example/0", "https://a.example/1"]
    assert hits[0].title == "auction; rm -rf $HOME"


def test_a_query_cannot_become_an_option():
    hits = CommandSearch(python(SEARCH)).search("--output=x  y", 1)

    assert hits[0].title == "output=x y"


def test_a_page_is_read_by_the_second_command():
    search = CommandSearch(python(SEARCH), python(READ))

    assert search.read("https://a.example/1") == "Page https://a.example/1"


@pytest.mark.parametrize("address", ["file:///etc/hosts", "--help", "https://a.example/ --post"])
def test_only_web_addresses_are_read(address):
    with pytest.raises(UnknownAddressError, match="no web address"):
        CommandSearch(python(SEARCH), python(READ)).read(address)


def test_without_a_read_command_pages_are_refused():
    with pytest.raises(UnknownAddressError, match="No command"):
        CommandSearch(python(SEARCH)).read("https://a.example/1")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit('no quota left')", "no quota left"),
        ("print('hello')", "no hit"),
        ('print(\'{"title": "no address"}\')', "address: Field required"),
        ("while True: print('x' * 1000)", "more than 5000 bytes"),
        ("import os, time\nif os.fork(): time.sleep(60)\ntime.sleep(60)", "longer than"),
    ],
)
def test_a_command_that_fails_floods_or_hangs_is_ended_with_a_reason(code, said):
    search = CommandSearch(python(code), timeout_seconds=1.0, max_output_bytes=5000)

    with pytest.raises(SearchFailedError, match=said):
        search.search("auction", 3)


def test_a_command_that_is_not_there_is_named():
    with pytest.raises(SearchFailedError, match="does not start"):
        CommandSearch(["no-such-search-command"]).search("auction", 3)


@pytest.mark.parametrize("command", [[], "my-search --json"])
def test_a_command_is_a_list_of_program_and_arguments(command):
    with pytest.raises(SearchSettingsError, match="list of program and arguments"):
        CommandSearch(command)


def test_long_titles_and_excerpts_are_cut():
    line = json.dumps({"address": "https://a.example", "title": "t" * 999, "excerpt": "e" * 9999})
    hit = CommandSearch(python(f"print({line!r})")).search("auction", 1)[0]

    assert (len(hit.title), len(hit.excerpt)) == (120, 500)
