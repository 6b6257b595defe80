"""What a player reads out of a question, and the chance by which it answers well or badly."""

import ast
import random
import re

from envfactory_resources.clients.fake_messages.requests import ReceivedRequest

RETRY = "An earlier answer"
_LITERAL = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_STEP = re.compile(r"^Step (\d+) \((.*?)\): (.*)$")
_VALUE = re.compile(r"^  - (.+?): ((?:say it|say all of them|from the result|kept back).*)$")


def chance(*parts):
    """Return a generator that the parts decide, in every process alike."""
    return random.Random(":".join(map(str, parts)))


def question_of(request: ReceivedRequest) -> str:
    """Return a question without the note of a second try."""
    return request.last_user.split(f"\n\n{RETRY}")[0]


def is_retry(request: ReceivedRequest) -> bool:
    return f"\n\n{RETRY}" in request.last_user


def literals(text):
    """Return the quoted texts of a line."""
    return [ast.literal_eval(found) for found in _LITERAL.findall(text)]


def steps_of(question):
    """Return the steps of a question: number, kind, description, and what is said for each."""
    steps = []
    for line in question.splitlines():
        if found := _STEP.match(line):
            steps.append((int(found[1]), found[2], found[3], {}))
        elif steps and (found := _VALUE.match(line)):
            ways = literals(found[2])
            said = ", ".join(ways) if found[2].startswith("say all") else ways[0]
            steps[-1][3][found[1]] = said
    return steps


def plain_words(description):
    """Return the first sentence of a description as people say it: without names of tools."""
    sentence = description.split(". ")[0].rstrip(".")
    words = [word for word in sentence.split() if not re.search(r"[\d@_`]", word)]
    return " ".join([words[0].lower(), *words[1:]])
