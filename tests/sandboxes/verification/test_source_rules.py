import ast

import pytest

from sandboxes.verification.source_rules import violations


def broken(text: str) -> list[str]:
    return [violation.got for violation in violations(ast.parse(text))]


@pytest.mark.parametrize(
    "text",
    [
        "import os",
        "import datetime as d",
        "from pathlib import Path",
        "from sandboxes.core.catalog import Catalog",
        "from sandboxes.travel.hotel_booking import Hotel",
        "from sandboxes.core.clock import datetime",
        "from random import choice",
        "from re import _parser",
        "from math import *",
        "from . import calendar",
        "open('x')",
        "exec('x')",
        "eval('x')",
        "reader = open",
        "hash(name)",
        "id(self)",
        "random.choice(names)",
        "random.Random()",
        "self.clock.now()",
        "name.__class__",
        "random._inst",
        "for x in {1, 2}: pass",
        "[x for x in set(names)]",
        "list({x for x in names} - {1})",
        "', '.join(set(names))",
    ],
)
def test_what_the_rules_forbid_is_found(text: str) -> None:
    assert len(broken(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "import random, math, re",
        "from collections.abc import Mapping",
        "from pydantic import Field",
        "from sandboxes.core.clock import Day, add_days",
        "rng = random.Random(f'{seed}')",
        "def f(rng: random.Random): return rng.choice([1])",
        "now = self.clock.now",
        "time = entry.time\nprint_count = time",
        "for x in sorted({1, 2}): pass",
        "total = sum(x for x in set(names))",
        "other = {x for x in set(names)}",
        "found = name in {1, 2}",
        "def f(self):\n    names = {1}\n    return len(names)",
    ],
)
def test_what_honest_environments_do_is_allowed(text: str) -> None:
    assert broken(text) == []


def test_a_set_is_followed_through_a_local_name() -> None:
    text = "def f(self):\n    names = {x.name for x in self.all}\n    return [n for n in names]"
    assert broken(text) == ["[n for n in names]"]


def test_uses_of_a_forbidden_import_are_located_in_their_tool() -> None:
    text = (
        "from uuid import uuid4 as fresh\n"
        "class Shop:\n"
        "    @tool(effect='write')\n"
        "    def buy(self):\n"
        "        return fresh()\n"
    )
    found = [(violation.line, violation.tool) for violation in violations(ast.parse(text))]
    assert found == [(1, None), (5, "buy")]


def test_a_file_with_a_set_order_can_still_be_imported_but_not_one_with_an_import() -> None:
    assert [v.may_import for v in violations(ast.parse("list(set(x))"))] == [True]
    assert [v.may_import for v in violations(ast.parse("import os"))] == [False]
