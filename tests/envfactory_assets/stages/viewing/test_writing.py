import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from envfactory_assets.stages.viewing.corpus import Corpus
from envfactory_assets.stages.viewing.writing import page_parts, script_safe, write_viewer


class Elements(HTMLParser):
    """Every element of a page with its attributes, and the text of its scripts."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.scripts = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.scripts[-1] += data


def test_the_page_asks_for_nothing_from_elsewhere(page):
    elements = Elements(page.text).found

    assert [each for each in elements if {"src", "srcset", "action"} & each[1].keys()] == []
    assert {attrs["href"] for _, attrs in elements if "href" in attrs} == {"#"}
    assert "@import" not in page.text
    assert "url(" not in page.text


def test_only_the_script_of_the_page_may_run(page):
    elements = Elements(page.text)
    [policy] = [
        attrs["content"]
        for tag, attrs in elements.found
        if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    digest = base64.b64encode(hashlib.sha256(elements.scripts[-1].encode()).digest()).decode()

    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    assert [attrs.get("type") for tag, attrs in elements.found if tag == "script"].count(None) == 1


def test_no_placeholder_of_the_template_is_left(page):
    assert "{{" not in re.sub(r"<script.*?</script>", "", page.text, flags=re.DOTALL)


@pytest.mark.parametrize(
    "text",
    ["</script>", "<!--<script>", "]]>", "a & b", "\u2028\u2029", "\ud83d", '"\\', "🎉 מלון"],
)
def test_data_cannot_end_the_script_that_holds_it(text):
    written = script_safe({"text": text})

    assert json.loads(written) == {"text": text}
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", written)


def test_texts_that_try_to_break_out_change_nothing_but_themselves(hostile, page):
    usual, broken = Elements(page.text), Elements(hostile.text)

    assert [tag for tag, _ in broken.found] == [tag for tag, _ in usual.found]
    assert broken.scripts[-1] == usual.scripts[-1]
    assert hostile.data["index"]["tasks"][0]["queries"][0] == hostile.data["index"]["title"]


def test_the_same_rows_give_the_same_bytes_in_whatever_order_they_come(corpus, made, page):
    turned = Corpus(
        filtered=corpus.filtered[::-1],
        candidates=corpus.candidates,
        queries=corpus.queries[::-1],
        drafts=corpus.drafts[::-1],
        selected=corpus.selected[::-1],
        title=corpus.title,
    )

    assert "".join(page_parts(turned, made.catalog)) == page.text


def test_the_page_is_written_whole_or_not_at_all(corpus, made, page, tmp_path):
    path = tmp_path / "exports" / "viewing.html"
    write_viewer(path, Corpus(filtered=()), made.catalog)

    assert write_viewer(path, corpus, made.catalog) == path
    assert path.read_text(encoding="utf-8") == page.text
    assert list(path.parent.iterdir()) == [path]


def test_a_failed_writing_leaves_the_page_that_was_there(corpus, made, tmp_path):
    path = tmp_path / "viewing.html"
    write_viewer(path, Corpus(filtered=()), made.catalog)
    before = path.read_bytes()
    unusable = corpus.filtered[0].model_copy(
        update={"messages": ({"role": "assistant", "tool_calls": [{}]},)}
    )

    with pytest.raises(KeyError):
        write_viewer(path, Corpus(filtered=[unusable]), made.catalog)
    assert path.read_bytes() == before


def test_a_page_of_many_tasks_stays_small(page):
    tasks = len(page.data["index"]["tasks"])

    assert len(page.text.encode()) < 60_000 + tasks * 30_000
