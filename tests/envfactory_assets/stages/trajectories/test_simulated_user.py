from envfactory_assets.records.queries import Disclosure
from envfactory_assets.stages.trajectories.simulated_user import NOTHING_TO_ADD, RuleUser, UserReply


def fact(topic, value):
    return Disclosure(
        step=0, path=topic, topic=topic, value=value, answer=f"The {topic} should be {value}."
    )


CITY, END = fact("city", "Oslo"), fact("end", "2026-05-01")


def test_only_what_was_asked_for_is_told():
    user = RuleUser()

    assert (
        user.answer("Could you tell me the city?", (CITY, END)).text == "The city should be Oslo."
    )
    assert user.answer("Could you tell me the city and the end?", (CITY, END)).text == (
        "The city should be Oslo. The end should be 2026-05-01."
    )


def test_a_topic_inside_another_word_is_not_asked_for():
    answer = RuleUser().answer("Shall I send the calendar for the capacity?", (CITY, END))
    assert answer == UserReply(NOTHING_TO_ADD)


def test_without_anything_kept_back_there_is_nothing_to_add():
    assert RuleUser().answer("Could you tell me the city?", ()).text == NOTHING_TO_ADD


def test_a_message_that_asks_nothing_ends_the_turn():
    assert RuleUser().answer("I booked the room.", (CITY,)).is_done
    assert not RuleUser().answer("Which city?", (CITY,)).is_done
