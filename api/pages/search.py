"""The search in the manual, which finds sections that contain all words of a query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flask import Flask, Response, current_app, request

from api.pages.manual import NAMES, manual_page_of, read_page
from api.pages.markdown import Section
from api.pages.reference import TITLE, reference_sections
from api.pages.site import blueprint

MOST: Final = 30
"""The maximum number of results on a page."""

LONGEST: Final = 100
"""The maximum length of a query; the rest is ignored."""

_MOST_WORDS: Final = 6
_AROUND: Final = 90


@dataclass(frozen=True)
class SearchResult:
    """A matching section. ``excerpt`` holds its text in parts; the parts with odd indices are matches."""

    address: str
    page: str
    heading: str
    excerpt: Sequence[str]


@blueprint.get("/docs/search")
def search_page() -> Response:
    """Show the manual's sections that contain all words of ``q``, those with a match in the heading first."""
    query = request.args.get("q", "")[:LONGEST].strip()
    found = list(search(current_app, query))
    return manual_page_of("search.html", current=None, query=query, found=found[:MOST], count=len(found))


def search(app: Flask, query: str) -> Sequence[SearchResult]:
    """Return the sections with words that begin with each of the first six words of ``query``, ignoring
    case and the punctuation around words.
    """
    words = list(dict.fromkeys(_bare(word) for word in query.casefold().split()))[:_MOST_WORDS]
    if not words:
        return ()
    patterns = [_begins(word) for word in words]
    mark = re.compile(f"({'|'.join(pattern.pattern for pattern in patterns)})", re.IGNORECASE)
    ranked = []
    for address, title, section in _sections(app):
        both = f"{section.heading}\n{section.text}"
        if all(pattern.search(both) for pattern in patterns):
            in_heading = sum(pattern.search(section.heading) is not None for pattern in patterns)
            result = SearchResult(
                f"{address}#{section.id}" if section.level > 1 else address,
                title,
                section.heading,
                mark.split(_excerpt(section.text, mark)),
            )
            ranked.append((-in_heading, section.level, result))
    return [result for _, _, result in sorted(ranked, key=lambda one: one[:2])]


def _bare(word: str) -> str:
    """Return a word without the punctuation around it, unless it is nothing else."""
    return re.sub(r"^\W+|\W+$", "", word) or word


def _begins(word: str) -> re.Pattern[str]:
    start = r"(?<!\w)" if re.match(r"\w", word) else ""
    return re.compile(start + re.escape(word), re.IGNORECASE)


def _sections(app: Flask) -> Iterator[tuple[str, str, Section]]:
    """Yield every section with the URL and title of its page."""
    for name in NAMES:
        sections = read_page(name).sections
        for section in sections:
            yield f"/docs/{name}", sections[0].heading, section
    for address, section in reference_sections(app):
        yield address, TITLE, section


def _excerpt(text: str, mark: re.Pattern[str]) -> str:
    """Return the text around the first match, or the beginning of the text, cut at spaces."""
    found = mark.search(text)
    at = found.start() if found else 0
    start = text.rfind(" ", 0, at - _AROUND) + 1 if at > _AROUND else 0
    end = text.find(" ", at + _AROUND)
    shown = text[start:] if end < 0 else text[start:end]
    return ("… " if start else "") + shown[: 4 * _AROUND] + (" …" if end >= 0 else "")
