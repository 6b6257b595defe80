import pytest

from envfactory_assets.stages.trajectories.past_tense import past, told_to_the_user


@pytest.mark.parametrize(
    ("verb", "told"),
    [
        ("book", "booked"),
        ("cancel", "cancelled"),
        ("drop", "dropped"),
        ("move", "moved"),
        ("reply", "replied"),
        ("delay", "delayed"),
        ("answer", "answered"),
        ("review", "reviewed"),
        ("pay", "paid"),
        ("put", "put"),
        ("remind", "arranged to remind"),
    ],
)
def test_verbs_are_put_into_the_past(verb, told):
    assert past(verb) == told


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("put '{title}' into my calendar", "put '{title}' into your calendar"),
        ("sign me up for what I like", "sign you up for what you like"),
        (
            "move {x} to {start}[ and make it {n} long]",
            "move {x} to {start}[ and made it {n} long]",
        ),
        ("schedule {x}[ and invite {guests}]", "schedule {x}[ and invited {guests}]"),
        ("look between {a} and {b}", "look between {a} and {b}"),
        ("go from {a} and to {b}", "go from {a} and to {b}"),
    ],
)
def test_a_phrasing_is_told_to_the_user(template, told):
    assert told_to_the_user(template) == told
