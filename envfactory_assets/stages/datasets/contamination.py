"""Contamination: requests that share a long run of words with a public benchmark's question.

Thirteen words in a row is what the published decontaminations of language models use (GPT-3's, for
one). Requests are shorter than the documents that it was made for, so a question of fewer words
counts too when a request holds the whole of it, down to a length that no two people hit on by
chance.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from envfactory_assets.stages.datasets.shingles import words

_LEAST_WORDS = 6
_QUESTION_KEYS = ("question", "query", "queries", "prompt", "instruction", "input", "messages")


class ContaminationFileError(Exception):
    """A file of benchmark questions cannot be read."""


@dataclass(frozen=True, slots=True)
class BenchmarkQuestions:
    """The questions of one file.

    Attributes:
        name: The file's name.
        count: How many questions it holds.
        places: The first line, by run of words; shorter questions as a whole.
        lengths: How long the runs are, in words.
    """

    name: str
    count: int
    places: Mapping[tuple[str, ...], int]
    lengths: tuple[int, ...]

    def place_in(self, text: str) -> str | None:
        """Return `file:line` of a question that a text shares a run of words with, or None."""
        found = words(text)
        for length in self.lengths:
            for at in range(len(found) - length + 1):
                line = self.places.get(tuple(found[at : at + length]))
                if line is not None:
                    return f"{self.name}:{line}"
        return None


def questions_text(path: Path) -> str:
    """Return the content of a file of questions.

    Raises:
        ContaminationFileError: If it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ContaminationFileError(
            f"Benchmark questions cannot be read from {path}: {error}. Name a UTF-8 file of JSON "
            "lines or of one question a line in `contamination_files`."
        ) from error


def questions_of(name: str, content: str, run: int) -> BenchmarkQuestions:
    """Return the questions of a file: JSON lines, or one question a line.

    Of a JSON line the texts under `question`, `prompt`, `messages` and the like count, or all of
    them where it has none of these.

    Args:
        name: The file's name, for reports.
        content: What it holds.
        run: How many words in a row count.
    """
    places: dict[tuple[str, ...], int] = {}
    count = 0
    for number, line in enumerate(content.splitlines(), start=1):
        texts = [text for text in _texts_of(line.strip()) if text.strip()]
        count += bool(texts)
        for text in texts:
            found = words(text)
            length = min(run, len(found))
            if length < _LEAST_WORDS:
                continue
            for at in range(len(found) - length + 1):
                places.setdefault(tuple(found[at : at + length]), number)
    lengths = tuple(sorted({len(key) for key in places}, reverse=True))
    return BenchmarkQuestions(name, count, places, lengths)


def contaminated(
    requests: Mapping[str, Sequence[str]], files: Sequence[BenchmarkQuestions]
) -> dict[str, str]:
    """Return `file:line` of the matched question, by task; tasks that share nothing are left out.

    Args:
        requests: The requests of each task.
        files: The questions.
    """
    found: dict[str, str] = {}
    for task_id, texts in requests.items():
        places = (questions.place_in(text) for questions in files for text in texts)
        place = next((place for place in places if place), None)
        if place is not None:
            found[task_id] = place
    return found


def _texts_of(line: str) -> Iterator[str]:
    if not line.startswith(("{", "[", '"')):
        yield line
        return
    try:
        value = cast("JsonValue", json.loads(line))
    except json.JSONDecodeError:
        yield line
        return
    named = (
        [value[key] for key in _QUESTION_KEYS if key in value] if isinstance(value, dict) else []
    )
    for item in named or [value]:
        yield from _leaves(item)


def _leaves(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item)
