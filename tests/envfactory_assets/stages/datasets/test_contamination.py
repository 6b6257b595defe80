import json

import pytest

from envfactory_assets.stages.datasets.contamination import (
    ContaminationFileError,
    contaminated,
    questions_of,
    questions_text,
)

QUESTION = (
    "Please transfer 250 dollars from my checking account to the account of my sister Maria "
    "before the end of the month."
)


def bench(*lines, run=13):
    return questions_of("bench.jsonl", "\n".join(lines), run)


def test_thirteen_words_in_a_row_are_enough_wherever_they_stand():
    request = f"I am moving. {QUESTION[7:90]} and then call me."

    assert bench("An unrelated question about the weather in spring.", QUESTION).place_in(
        request
    ) == ("bench.jsonl:2")


def test_twelve_words_in_a_row_are_not():
    said = QUESTION.split()

    assert bench(QUESTION).place_in(" ".join(said[:12])) is None
    assert bench(QUESTION).place_in(" ".join(said[:13])) == "bench.jsonl:1"


def test_case_and_punctuation_do_not_hide_a_question():
    assert bench(QUESTION).place_in(QUESTION.upper().replace(".", "!")) == "bench.jsonl:1"


def test_a_short_question_counts_when_a_request_holds_all_of_it():
    short = "Book a table for two in Rome"

    assert bench(short).place_in(f"Hello! {short}, please.") == "bench.jsonl:1"
    assert bench(short).place_in("Book a table for two in Oslo") is None


def test_what_anybody_may_say_is_no_contamination():
    assert bench("What is the time?").place_in("What is the time?") is None


@pytest.mark.parametrize(
    "line",
    [
        {"id": "q1", "question": QUESTION},
        {"question": [[{"role": "user", "content": QUESTION}]], "function": [{"name": "pay"}]},
        {"messages": [{"role": "user", "content": QUESTION}]},
        {"nobody_knows": {"this_key": QUESTION}},
        [QUESTION],
        QUESTION,
    ],
)
def test_questions_are_found_in_json_lines_of_many_shapes(line):
    assert bench(json.dumps(line)).place_in(QUESTION) == "bench.jsonl:1"


def test_texts_beside_the_question_are_not_held_against_a_request():
    description = "Returns the list of all hotels of a city that have a free room on these days."
    line = json.dumps({"question": QUESTION, "function": {"description": description}})

    assert bench(line).place_in(description) is None


def test_every_task_that_shares_a_question_is_found_with_its_place():
    files = [bench("Nothing of interest stands in this first file."), bench(QUESTION)]
    requests = {"a": ["Hello.", QUESTION], "b": ["List my hotels in Lisbon, please."]}

    assert contaminated(requests, files) == {"a": "bench.jsonl:1"}
    assert [file.count for file in files] == [1, 1]


def test_a_file_that_cannot_be_read_says_which_and_what_to_do(tmp_path):
    with pytest.raises(ContaminationFileError, match=r"missing\.jsonl.*contamination_files"):
        questions_text(tmp_path / "missing.jsonl")
