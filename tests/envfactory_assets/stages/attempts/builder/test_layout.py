import subprocess
import sys

import pytest

from envfactory_assets.stages.attempts.builder.layout import docstring, lay_out, quoted, tidy

LONG = "word " * 30
STATEMENTS = [
    "total = 1",
    f'raise ToolError(f"There is no {{thing!r}} among {LONG}and more; list them first.")',
    f'price: Annotated[float | None, Field(ge=0, description="{LONG}")] = None',
    f"NAMES = ({', '.join(quoted(f'{letter} name of its own') for letter in 'abcdef')})",
    "Kind = Literal[" + ", ".join(quoted(f"kind number {n}") for n in range(9)) + "]",
    "found = [self._show(key) for key, row in self.state.rows.items() if (kind is None or row.kind"
    " == kind) and (query is None or _mentions(query, row.name, row.city, row.street, row.country))]",
    "found = [row for row in self.state.rows_of_some_length.values() if row.parent_id == parent_id]",
    "def find(self, first: Annotated[str, Field(min_length=1)], second: int = 1) -> Some: ...",
    "state.rows[state.clock.next_id('RW')] = Row(name=name, price=round(rng.uniform(5, 240), 2), "
    "city=person.city)".replace("'", '"'),
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_is_laid_out_as_the_formatter_does_it(statement, tmp_path):
    file = tmp_path / "laid_out.py"
    file.write_text("\n".join(lay_out(statement)) + "\n")

    command = [sys.executable, "-m", "ruff", "format", "--line-length", "100", "--diff", file]
    formatted = subprocess.run(command, capture_output=True, text=True, check=False)

    assert formatted.stdout == ""


def test_texts_from_outside_cannot_end_a_string():
    assert quoted('a "quoted"\n\\ text\x00') == "\"a 'quoted' / text\""
    assert tidy("__import__") == "_import_"


def test_wide_letters_count_for_two():
    lines = docstring("名" * 60, 0)

    assert lines[0] == f'"""{"名" * 60}.'


def test_a_docstring_ends_in_one_full_stop():
    assert docstring("Keep notes.", 1) == ['    """Keep notes."""']
