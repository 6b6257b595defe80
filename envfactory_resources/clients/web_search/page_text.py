"""The text of a page or document, without markup, and shortened excerpts of it."""

import html.parser
import re

_SILENT = frozenset({"script", "style", "noscript", "template", "svg"})
_BLOCKS = frozenset(
    {"address", "article", "br", "dd", "div", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li"}
    | {"main", "nav", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul"}
)
_MARKUP = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_CUT = " […]"


def page_text(content: str) -> str:
    """Return the text of a page: tags, scripts and styles are left out of HTML."""
    if not _MARKUP.search(content[:2000]):
        return content
    parser = _TextOfPage()
    parser.feed(content)
    parser.close()
    lines = ("".join(parser.parts)).splitlines()
    return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)


def shortened(text: str, max_characters: int) -> str:
    """Return a text cut to a length, with a mark where it was cut."""
    if len(text) <= max_characters:
        return text
    return text[: max_characters - len(_CUT)] + _CUT


def excerpt_about(text: str, terms: frozenset[str], max_characters: int) -> str:
    """Return the piece of a text that begins just before the first of some words."""
    flat = " ".join(text.split())
    places = (match.start() for match in re.finditer(r"\w+", flat) if match[0].lower() in terms)
    start = max(0, next(places, 0) - max_characters // 4)
    return shortened(flat[start:], max_characters)


class _TextOfPage(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent_depth += 1
        elif tag in _BLOCKS:
            self.parts.append("\n")
        # Documentation leads on through its links, so they stay readable.
        target = dict(attrs).get("href") if tag == "a" else None
        if target and target.startswith(("http://", "https://")):
            self.parts.append(f"[{target}] ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent_depth = max(0, self._silent_depth - 1)
        elif tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent_depth:
            self.parts.append(data)
