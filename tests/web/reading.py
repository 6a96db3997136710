"""Pages as a visitor without scripts reads them: their text and where they lead."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final, NamedTuple

_VOID: Final = frozenset(("br", "hr", "img", "input", "link", "meta", "source", "wbr"))
_UNREAD: Final = frozenset(("script", "style", "template", "title", "textarea", "option"))
_SPOKEN: Final = ("aria-label", "title", "alt", "placeholder")
"""Attributes that visitors see or hear."""


class ReadPage(NamedTuple):
    """``text``: what is in sight, a line for each piece; what a closed `<details>` holds is not. ``links``:
    the addresses in the part between header and footer; ``around``: those outside it.
    ``forms``: where its forms are sent.
    """

    text: str
    links: list[str]
    around: list[str]
    forms: list[str]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.links: list[str] = []
        self.around: list[str] = []
        self.forms: list[str] = []
        self._open: list[tuple[str, bool]] = []
        """The open elements, each with whether its content is in sight."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._note(tag, found)
        if tag not in _VOID:
            shown = self._in_sight(tag) and tag not in _UNREAD and "hidden" not in found
            if tag == "details" and "open" not in found:
                shown = False
            self._open.append((tag, shown))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][1] and data.strip():
            self.texts.append(" ".join(data.split()))

    def _in_sight(self, tag: str) -> bool:
        """Whether an element here is in sight. A closed `<details>` shows its summary."""
        above = self._open[:-1] if tag == "summary" else self._open
        return not above or above[-1][1]

    def _note(self, tag: str, found: dict[str, str | None]) -> None:
        if self._in_sight(tag):
            self.texts += [found[name] or "" for name in _SPOKEN if name in found]
        is_inside = any(name == "main" for name, _ in self._open)
        if tag == "a":
            (self.links if is_inside else self.around).append(found.get("href") or "")
        if tag == "form" and is_inside:
            self.forms.append(found.get("action") or "")


def read_page(html: str) -> ReadPage:
    """Read a page."""
    reader = _Reader()
    reader.feed(html)
    return ReadPage("\n".join(reader.texts), reader.links, reader.around, reader.forms)
