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
        "def f(reader=open): return reader",
        "@open\ndef f(open): return 1",
        "def f(path): return [open for _ in path]",
        "exec('x')",
        "eval('x')",
        "reader = open",
        "hash(name)",
        "id(self)",
        "import random\nrandom.choice(names)",
        "import random\nrandom.Random()",
        "self.clock.now()",
        "name.__class__",
        "import random\nrandom._inst",
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
        "import random\nrng = random.Random(f'{seed}')",
        "import random\ndef f(rng: random.Random): return rng.choice([1])",
        "now = self.clock.now",
        "def f(self, type, input): return [item for item in input if item.type == type]",
        "key = lambda type: type",
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


@pytest.mark.parametrize(
    "text",
    [
        "import typing\ntyping.sys",
        "from typing import sys",
        "import re as r\nr.enum.sys",
        "import collections.abc\ncollections.abc.sys",
        "from collections import abc\nabc.sys",
        "import re\nmodules = [re]",
        "import collections.nothing",
        "import pydantic.v1",
        "import sandboxes.core.tool",
        "from sandboxes.core.tool import json",
        "from pydantic import ImportString",
        "from pydantic import TypeAdapter",
        "import pydantic\npydantic.create_model",
        "from typing import get_type_hints",
        "getattr(self, name)",
        "getattr(self, '_state')",
        "setattr(self, 'gi_frame', 1)",
        "list(map(getattr, [self], names))",
        "type('Made', (), {})",
        "make = type",
        "license()",
        "dir(self)",
        "'{0.__class__}'.format(self)",
        "Hotel.parse_file('x')",
        "Hotel.model_rebuild()",
        "walk.gi_frame",
        "class A:\n    __annotations__ = 1",
        "def __del__(self): pass",
        "match self:\n    case A(__class__=c): pass",
        "A(__class__=1)",
        "def f(x: 'print(1)'): pass",
        "def f() -> 'print(1)': pass",
        "class A:\n    x: 'print(1)'",
        "class A:\n    x: list['print(1)']",
        "from typing import Annotated\nclass A:\n    x: Annotated['print(1)', 2]",
        "X = 'print(1)'\nclass A:\n    x: X",
        "X = 'print(1)'\nclass A:\n    x: 'X'",
        "X = dict[str, 'print(1)']\nclass A:\n    x: X | None",
        "for X in ['print(1)']:\n    class A:\n        x: X",
        "class A:\n    x: f'{1}'",
        "class H:\n    t = 'print(1)'\nclass A:\n    x: H.t",
        "def f(t):\n    class A:\n        x: t",
        "from pydantic import computed_field",
        "from pydantic import conlist",
        "field_validator('a', json_schema_input_type='print(1)')",
        "field_validator('a', **{'json_schema_input_type': 'print(1)'})",
        "class A:\n    x: (lambda: 'print(1)')()",
    ],
)
def test_the_ways_around_the_list_of_imports_are_found(text: str) -> None:
    assert len(broken(text)) == 1
    assert not violations(ast.parse(text))[0].may_import


@pytest.mark.parametrize(
    "text",
    [
        "class Room: pass\nclass Hotel:\n    rooms: dict[str, 'Room']\n    best: 'Room' = 1",
        "from typing import Annotated, Literal\nKind = Annotated[Literal['a b', 'c d'] | None, 'x y']"
        "\nKinds = dict[str, Kind]\nclass A:\n    x: Kinds\n    y: list[Kind | int] = ['a b']",
        "from collections.abc import Callable\ndef f(g: Callable[[int], str], *more: int): pass",
        "import collections\ndef f(x: collections.abc.Sequence[int] = (1,)) -> None: pass",
        "if type(a) is type(b): pass",
        "def f(kind: type[int]): pass",
        "x = getattr(self, 'name', None)",
        "text = form.format(city=city) + '{city} {0}'.format(1)",
        "open: bool = True\nprompt = 'a__b'",
        "from enum import StrEnum\nclass Kind(StrEnum):\n    A = 'a b'\nclass B:\n    x: Kind = 'a b'",
    ],
)
def test_types_texts_and_plain_attributes_are_allowed(text: str) -> None:
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
