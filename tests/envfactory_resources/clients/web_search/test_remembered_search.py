import pytest

from envfactory_resources.clients.web_search.errors import SearchFailedError, SearchMemoryError
from envfactory_resources.clients.web_search.remembered_search import RememberedSearch
from envfactory_resources.clients.web_search.web_search import SearchHit


class ChangingSearch:
    """Answers otherwise every time; may be down."""

    def __init__(self):
        self.asked = 0
        self.is_down = False

    def search(self, query, limit):
        self._ask()
        return [SearchHit(title=query, address=f"https://a.example/{self.asked}", excerpt="")]

    def read(self, address):
        self._ask()
        return f"{address} as of {self.asked}"

    def _ask(self):
        self.asked += 1
        if self.is_down:
            raise SearchFailedError("down")


def test_the_same_question_gets_the_same_answer_in_another_process(tmp_path):
    changing = ChangingSearch()
    first, second = (RememberedSearch(changing, tmp_path, "mine") for _ in range(2))

    assert first.search("auction", 3) == second.search("auction", 3)
    assert first.read("https://a.example/1") == second.read("https://a.example/1")
    assert changing.asked == 2


def test_another_limit_or_another_search_asks_anew(tmp_path):
    changing = ChangingSearch()
    RememberedSearch(changing, tmp_path, "mine").search("auction", 3)
    RememberedSearch(changing, tmp_path, "mine").search("auction", 4)
    RememberedSearch(changing, tmp_path, "other").search("auction", 3)

    assert changing.asked == 3


def test_a_failure_is_not_kept(tmp_path):
    changing = ChangingSearch()
    search = RememberedSearch(changing, tmp_path, "mine")
    changing.is_down = True
    with pytest.raises(SearchFailedError):
        search.read("https://a.example")
    changing.is_down = False

    assert search.read("https://a.example") == "https://a.example as of 2"


def test_a_damaged_file_is_written_anew(tmp_path):
    search = RememberedSearch(ChangingSearch(), tmp_path, "mine")
    search.read("https://a.example")
    for path in tmp_path.rglob("*.json"):
        path.write_text("{")

    assert search.read("https://a.example") == "https://a.example as of 2"
    assert search.read("https://a.example") == "https://a.example as of 2"


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(SearchMemoryError, match="Cannot keep a search"):
        RememberedSearch(ChangingSearch(), tmp_path / "file", "mine").read("https://a.example")
