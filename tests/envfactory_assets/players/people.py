"""Players of the user, who answers, and of the judge, who compares."""

import re

from envfactory_resources.clients.fake_messages.replies import StructuredReply, TextReply
from tests.envfactory_assets.players.spoken import chance, is_retry, question_of

_FACT = re.compile(r"^- (.+?): (.+?) \(say it as in: ", re.MULTILINE)
_DEED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_BAD = 0.8
_STAYS_BAD = 0.7


def answer(request):
    """Say what was asked for and do it; now and then leak, invent, withhold or meddle."""
    question = question_of(request)
    brief, _, message = question.partition("The assistant says: ")
    rng = chance("user", message)
    first, second = rng.random() < _BAD, rng.random() < _STAYS_BAD
    if "?" not in message:
        return _said("", is_done=True)
    if first and (second or not is_retry(request)):
        return rng.choice(
            (
                _said("It should be the one with REF-77."),
                _said("Make it 4711 then."),
                _said("Ask my friend Bartholomew about it."),
                _said("No idea, really."),
                _said("", actions=[99]),
                TextReply("It is up to you."),
            )
        )
    facts = [value for topic, value in _FACT.findall(brief) if topic.casefold() in message.lower()]
    deeds = [int(number) for number, deed in _DEED.findall(brief) if _is_asked(deed, message)]
    told = f"Make it {' and '.join(facts)}, please." if facts else "Nothing from my side."
    return _said(told, actions=deeds)


def _is_asked(deed, message):
    words = [word for word in re.findall(r"\w+", deed.lower()) if word != "my"]
    return sum(word in message.lower() for word in words) >= 0.8 * len(words)


def _said(reply, *, is_done=False, actions=()):
    return StructuredReply({"reply": reply, "is_done": is_done, "actions": list(actions)})


def judge(request):
    """Rate short conversations higher; now and then leave one out or rate it twice."""
    question = question_of(request)
    parts = re.split(r"^Conversation (\d+):$", question, flags=re.MULTILINE)[1:]
    rng = chance("judge", question)
    ratings = [
        {"number": int(number), "reason": "Its length.", "rating": max(1, 10 - len(text) // 2000)}
        for number, text in zip(parts[::2], parts[1::2], strict=True)
    ]
    first, second = rng.random() < 0.3, rng.random() < 0.4
    if first and (second or not is_retry(request)):
        twice = {**ratings[0], "rating": 0}
        return rng.choice(
            (
                StructuredReply({"ratings": ratings[1:]}),
                StructuredReply({"ratings": [*ratings, twice]}),
                TextReply("All of them are fine."),
            )
        )
    return StructuredReply({"ratings": ratings})
