import pytest

from envfactory_assets.stages.attempts.code_block import code_block


def test_the_one_block_is_the_code():
    text = 'Here it is.\n```python\n"""Doc with a ``` inside a line."""\n```\nDone.'

    assert code_block(text) == ('"""Doc with a ``` inside a line."""\n', "")


def test_blocks_inside_of_thoughts_do_not_count():
    text = "<think>\n```python\nx = 1\n```\n</think>\n```py\ny = 2\n```"

    assert code_block(text) == ("y = 2\n", "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I cannot.", "no fenced Python block"),
        ("```python\nx = 1\n", "a fenced block that is not closed"),
        ("```python\nx = 1\n```\nor\n```python\nx = 2\n```", "2 fenced Python blocks"),
        ("```python\n\n```", "an empty fenced block"),
        ("```python\nx = '\ud800'\n```", "characters that no text file can hold"),
    ],
)
def test_anything_else_is_told(text, problem):
    assert code_block(text) == ("", problem)
