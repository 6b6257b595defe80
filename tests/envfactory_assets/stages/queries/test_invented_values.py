import pytest

from envfactory_assets.stages.queries.invented_values import invented_values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Book it for 2 people.", ["2"]),
        ("Book it for 2026-03-04, at 10:30.", []),
        ("Write to ana@mail.example; ana@mail.example!", []),
        ("Write to (bo@mail.example), bo@mail.example.", ["bo@mail.example"]),
        ("Pay €25.50 for it", []),
        ("Use check_in", ["check_in"]),
        ("No data in this one, only words.", []),
    ],
)
def test_words_that_look_like_data_must_stand_in_a_source(text, expected):
    sources = ("On 2026-03-04 at 10:30", "Ana (Ana@mail.example) pays 25.50.")
    assert invented_values(text, *sources) == expected
