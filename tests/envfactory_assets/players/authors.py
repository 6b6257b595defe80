"""Players of the roles that write requests: planner, writer, refiner."""

import re

from envfactory_assets.stages.queries.wording import words_of
from envfactory_resources.clients.fake_messages.replies import (
    RefusalReply,
    StructuredReply,
    TextReply,
)
from tests.envfactory_assets.players.spoken import (
    chance,
    is_retry,
    plain_words,
    question_of,
    steps_of,
)

_OPENINGS = ("Hi, I need some help:", "Could you sort this out for me:", "One errand today:")
_BAD = 0.3
_STAYS_BAD = 0.3


def plan(request):
    """Tell a story; now and then one with an id, a number or a tool in it, or none at all."""
    question = question_of(request)
    rng = chance("plan", question)
    good = {
        "manner": rng.choice(("in a hurry", "friendly and brief", "precise")),
        "story": "I want to have this off my desk before the week ends. It all belongs together.",
        "replacements": _replacements(question, rng),
    }
    if not _is_bad(request, rng):
        return StructuredReply(good)
    return rng.choice(
        (
            StructuredReply({**good, "story": "It is about BK-17, as always."}),
            StructuredReply({**good, "story": "I have 4711 euros for it."}),
            StructuredReply({**good, "replacements": [{"number": 999, "text": "Nothing"}]}),
            TextReply("Once upon a time"),
        )
    )


def _replacements(question, rng):
    numbered = re.findall(r"^(\d+)\. (.+)$", question.split("said otherwise:")[-1], re.MULTILINE)
    if not numbered:
        return []
    number, text = rng.choice(numbered)
    return [{"number": int(number), "text": f"{text.rstrip('.')}, as agreed"}]


def write(request):
    """Ask for every step with every value; now and then with one too many or one too few."""
    question = question_of(request)
    rng = chance("write", question)
    text = f"{rng.choice(_OPENINGS)} {'; then '.join(map(_clause, steps_of(question)))}."
    if not _is_bad(request, rng):
        return StructuredReply({"text": text})
    return rng.choice(
        (
            StructuredReply({"text": f"{text} My file is REF-99."}),
            StructuredReply({"text": "Please do what I always want."}),
            StructuredReply({"words": text}),
            RefusalReply(),
        )
    )


def _clause(step):
    _, kind, description, values = step
    said = ", ".join(f"{words} {value}" for words, value in values.items())
    lead = "tell me when to " if kind.startswith("the person") else ""
    return f"{lead}{plain_words(description)} ({said})" if said else lead + plain_words(description)


def refine(request):
    """Apply the refinement; now and then lose a value, make one up, or say an id."""
    question = question_of(request)
    text = re.search(r"^The request as it stands: (.*)$", question, re.MULTILINE)[1]
    name = re.search(r"Apply this refinement: (\w+)\.", question)[1]
    rng = chance("refine", question)
    if _is_bad(request, rng):
        return rng.choice(_bad_refinements(text))
    if name == "ambiguity":
        return _keep_back(question, text, rng)
    if name == "goal_expansion":
        return _rewritten(f"I would like to have my head free for the weekend. {text}")
    if name == "implicit_reference" or rng.random() < 0.5:
        return _rewritten(text, applies=False, change="There is nothing to point at.")
    return _rewritten(text.replace("; then ", "; and ", 1))


def _bad_refinements(text):
    return (
        _rewritten(f"{text} It is about HTL-12."),
        _rewritten(f"{text} At 23:59, say."),
        _rewritten("You know what I mean."),
        _rewritten(text[: len(text) // 2] or "So."),
        _rewritten(f"{text} Hurry.", kept_back=[_kept(99, "nothing", "Never mind.")]),
        TextReply(text),
    )


def _keep_back(question, text, rng):
    allowed = re.findall(
        r"step (\d+), parameter ([\w.\[\]]+)", question.split("What may be kept back: ")[-1]
    )
    said = {number: values for number, _, _, values in steps_of(question)}
    number, parameter = rng.choice(allowed)
    words = words_of(parameter.rstrip("."))
    value = said[int(number)][words]
    shorter = re.sub(rf"(, )?{re.escape(f'{words} {value}')}", "", text, count=1)
    answer = f"The {words} is {value}."
    return _rewritten(
        shorter.replace("(, ", "(").replace(" ()", ""),
        kept_back=[_kept(int(number), parameter.rstrip("."), answer)],
    )


def _kept(step, parameter, answer):
    return {"step": step, "parameter": parameter, "answer": answer}


def _rewritten(text, *, applies=True, change="Said otherwise.", kept_back=()):
    return StructuredReply(
        {"applies": applies, "text": text, "change": change, "kept_back": list(kept_back)}
    )


def _is_bad(request, rng):
    """Draw whether an answer is bad; a second one seldom is."""
    first, second = rng.random() < _BAD, rng.random() < _STAYS_BAD
    return first and (second or not is_retry(request))
