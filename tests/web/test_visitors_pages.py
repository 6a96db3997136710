"""The pages of visitors have no words of programmers, and none is a dead end: from each, a bot, a game and a
way to play are at most two clicks away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final
from urllib.parse import urlsplit

import pytest

from api.app import create_app
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from tests.web.reading import ReadPage, read_page
from tests.web.site import Site
from tests.web.words import words_in

pytestmark = pytest.mark.system

FOR_PROGRAMMERS: Final = frozenset(
    ("manual", "guide", "rules", "reference", "reference-part", "search", "download")
)
"""The pages of a site where words of programmers belong: the manual and its search."""

MORE: Final = {
    "owner": "/owners/ana",
    "owner-of-half-bot": "/owners/pia",
    "bot-half": "/bots/half-bot",
    "bot-over-http": "/bots/zeca-truco",
    "matchups": "/leaderboards/truco/sealed/matchups",
    "division-mineiro": "/leaderboards/truco/sealed?preset=mineiro-2@1",
    "series": "/series",
    "find": "/search",
    "find-rookie": "/search?q=rookie",
    "find-nothing": "/search?q=nobodyhasthisname",
    "bot-games": "/bots/regular?result=lost#games",
}
"""Pages that a site does not list."""

NEEDED: Final = {
    "a bot": re.compile(r"/bots/[^/?#]+"),
    "a game": re.compile(r"/games/[^/?#]+"),
    "a way to play": re.compile(r"/play(?![^/?#])"),
}

Read = Callable[[str], ReadPage]


@pytest.fixture(scope="module")
def read(full: Site) -> Iterator[Read]:
    """Opens a page of the site as a visitor without scripts."""
    http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS))
    app = create_app(Settings(full.store, http=http))
    client = app.test_client()

    @cache
    def opened(path: str) -> ReadPage:
        answer = client.get(path, headers={"Accept": "text/html"}, follow_redirects=True)
        is_page = answer.mimetype == "text/html"
        return read_page(answer.text) if is_page else ReadPage("", [], [], [])

    yield opened
    app.extensions["botequim"].close()


def visited(full: Site) -> dict[str, str]:
    """The pages for visitors, by name. Those that a site gets later are among them."""
    for_visitors = {name: path for name, path in full.pages.items() if name not in FOR_PROGRAMMERS}
    return {**for_visitors, **MORE, "open-cup": full.own["own-tournament"]}


def test_visitors_meet_no_words_of_programmers(full: Site, read: Read) -> None:
    found = {name: words for name, path in visited(full).items() if (words := words_in(read(path).text))}
    assert not found, "\n".join(f"{name}: {', '.join(dict.fromkeys(words))}" for name, words in found.items())


def ends(path: str, read: Read) -> list[str]:
    """What is more than two clicks away from a page. Of its header, only *Play* counts: the header leads to
    everything in the end, but not to what has to do with the page.
    """
    one = read(path)
    missing = dict(NEEDED)
    inside = list(dict.fromkeys(link for link in one.links if link.startswith("/")))

    def arrive(addresses: list[str]) -> None:
        for what, pattern in list(missing.items()):
            if any(pattern.match(address) for address in addresses):
                del missing[what]

    arrive([path, *inside, *one.forms, *(link for link in one.around if link.startswith("/play"))])
    for link in inside:
        if not missing:
            break
        url = urlsplit(link)
        further = read(url.path + (f"?{url.query}" if url.query else ""))
        arrive([*further.links, *further.forms])
    return list(missing)


def test_no_page_is_a_dead_end(full: Site, read: Read) -> None:
    found = {name: missing for name, path in visited(full).items() if (missing := ends(path, read))}
    assert not found, "\n".join(f"{name}: {', '.join(missing)}" for name, missing in found.items())
