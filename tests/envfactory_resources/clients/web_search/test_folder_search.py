import pytest

from envfactory_resources.clients.web_search.errors import (
    SearchSettingsError,
    UnknownAddressError,
)
from envfactory_resources.clients.web_search.folder_search import FolderSearch

PAGE = """<!doctype html><html><head><title>Bidding &amp; selling</title>
<style>p { color: red }</style></head><body><script>track("bids")</script>
<h1>Bids</h1><p>A bid must be above the highest bid.</p>
<a href="https://docs.example/end">How auctions end</a></body></html>"""


@pytest.fixture
def folder(tmp_path):
    documents = tmp_path / "documents"
    (documents / "api").mkdir(parents=True)
    (documents / "api" / "bids.html").write_text(PAGE)
    (documents / "orders.md").write_text("# Orders\n\nAn order ships in two days.\n" * 3)
    (documents / "notes.txt").write_text("Nothing about it here.")
    (documents / "picture.png").write_bytes(b"\x89PNG bid bid bid")
    return documents


def test_the_document_about_the_query_comes_first(folder):
    hits = FolderSearch(folder).search("highest bid of an auction", 5)

    assert hits[0].address == "api/bids.html"
    assert hits[0].title == "Bidding & selling"
    assert "above the highest bid" in hits[0].excerpt


def test_no_shared_word_gives_no_hit_and_a_limit_is_kept(folder):
    search = FolderSearch(folder)

    assert search.search("zebra", 5) == []
    assert len(search.search("an order or a bid, nothing else", 1)) == 1


def test_a_page_is_read_as_text_without_markup_scripts_or_styles(folder):
    text = FolderSearch(folder).read("api/bids.html")

    assert "A bid must be above the highest bid." in text
    assert "[https://docs.example/end] How auctions end" in text
    assert not {"<p>", "track", "color"} & set(text.replace("(", " ").split())


def test_a_long_document_is_cut_and_says_so(folder):
    text = FolderSearch(folder, max_page_characters=30).read("orders.md")

    assert len(text) == 30
    assert text.endswith("[…]")


@pytest.mark.parametrize(
    "address", ["../secret.txt", "link.txt", "picture.png", "https://a.example"]
)
def test_nothing_outside_the_folder_can_be_read(folder, address):
    secret = folder.parent / "secret.txt"
    secret.write_text("bid secret")
    (folder / "link.txt").symlink_to(secret)

    with pytest.raises(UnknownAddressError, match="No document"):
        FolderSearch(folder).read(address)
    assert "secret" not in str(FolderSearch(folder).search("bid secret", 9))


def test_a_missing_folder_is_refused_at_once(tmp_path):
    with pytest.raises(SearchSettingsError, match="does not exist"):
        FolderSearch(tmp_path / "nowhere")


def test_an_empty_folder_finds_nothing(tmp_path):
    assert FolderSearch(tmp_path).search("anything", 3) == []
