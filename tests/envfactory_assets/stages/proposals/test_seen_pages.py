import pytest

from envfactory_assets.stages.proposals.seen_pages import SeenPages

PAGE = "https://docs.example/api/bids"


@pytest.fixture
def seen():
    pages = SeenPages()
    pages.found(PAGE, "Bids")
    pages.linked(
        PAGE,
        "See [https://docs.example/api/lots] or <https://docs.example/fees>, (https://docs.example/x). "
        "Then https://other.example/api, http://[bad and http://169.254.1.1/keys.",
    )
    return pages


@pytest.mark.parametrize("address", [PAGE, f"{PAGE}/", f"{PAGE}#amount", f" {PAGE} "])
def test_a_page_is_known_however_its_address_is_written(seen, address):
    assert seen.may_read(address)
    assert seen.title_of(address) == "Bids"


@pytest.mark.parametrize("path", ["api/lots", "fees", "x"])
def test_links_within_the_site_may_be_read_but_are_no_sources_until_then(seen, path):
    address = f"https://docs.example/{path}"

    assert seen.may_read(address)
    assert seen.title_of(address) is None


@pytest.mark.parametrize(
    "address", ["https://other.example/api", "http://169.254.1.1/keys", "http://[bad", "docs.md"]
)
def test_links_to_other_hosts_may_not_be_read(seen, address):
    assert not seen.may_read(address)


def test_a_document_in_a_folder_leads_nowhere():
    pages = SeenPages()
    pages.found("api/bids.md", "Bids")
    pages.linked("api/bids.md", "See https://docs.example/api")

    assert len(pages) == 1
    assert not pages.may_read("https://docs.example/api")


def test_the_first_title_stays(seen):
    seen.found(PAGE, "Another")

    assert seen.title_of(PAGE) == "Bids"
