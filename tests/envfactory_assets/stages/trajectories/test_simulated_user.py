from envfactory_assets.records.queries import Disclosure
from envfactory_assets.stages.trajectories.simulated_user import NOTHING_TO_ADD, RuleUser


def fact(topic, value):
    return Disclosure(
        step=0, path=topic, topic=topic, value=value, answer=f"The {topic} should be {value}."
    )


CITY, END = fact("city", "Oslo"), fact("end", "2026-05-01")


def test_only_what_was_asked_for_is_told():
    user = RuleUser()

    assert user.answer("Could you tell me the city?", (CITY, END)) == "The city should be Oslo."
    assert user.answer("Could you tell me the city and the end?", (CITY, END)) == (
        "The city should be Oslo. The end should be 2026-05-01."
    )


def test_a_topic_inside_another_word_is_not_asked_for():
    answer = RuleUser().answer("Shall I send the calendar for the capacity?", (CITY, END))
    assert answer == NOTHING_TO_ADD


def test_without_anything_kept_back_there_is_nothing_to_add():
    assert RuleUser().answer("Could you tell me the city?", ()) == NOTHING_TO_ADD
