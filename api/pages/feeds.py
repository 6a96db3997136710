"""Atom feeds of tournaments: announcements, and the results of finished tournaments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree

from flask import Response

from api.http.sessions import page_viewer
from api.pages.filters import iso, minute, words
from api.pages.site import blueprint
from api.services import service_address, services
from arena.errors import CorruptState
from arena.text import printable

MOST: Final = 20
"""The maximum number of entries of a feed."""

_ATOM: Final = "http://www.w3.org/2005/Atom"
_TYPE: Final = "application/atom+xml; charset=utf-8"
_BEST: Final = 3


class FeedEntry(NamedTuple):
    """An entry of a feed. ``id`` is the same on every read, and ``path`` is the path of its page."""

    id: str
    title: str
    at_ms: int
    summary: str
    path: str


@blueprint.get("/feeds/results.atom")
def results_feed() -> Response:
    """Return a feed of finished tournaments, newest first."""
    finished = services().tournaments.list(state="finished", limit=MOST).items
    return _feed("results", "Results of tournaments", finished, "finished_ms", _result)


@blueprint.get("/feeds/tournaments/<tournament>.atom")
def tournament_feed(tournament: str) -> Response:
    """Return a feed of the announcements about one tournament, newest first."""
    view, found = services().tournaments.announcements(tournament, page_viewer())
    entries = [
        FeedEntry(f"{tournament}/{one.id}", view["name"], one.at_ms, one.text, f"/tournaments/{tournament}")
        for one in found
    ]
    title = printable(view["name"])
    return _made(f"tournaments/{tournament}", title, f"/tournaments/{tournament}", entries)


@blueprint.get("/feeds/announcements.atom")
def announcements_feed() -> Response:
    """Return a feed of the tournaments that are not over, newest first."""
    return _feed(
        "announcements",
        "Announced tournaments",
        services().tournaments.newest_present(MOST),
        "created_ms",
        _announcement,
    )


def _feed(
    name: str,
    title: str,
    tournaments: Sequence[Mapping[str, Any]],
    moment: str,
    summary: Callable[[Mapping[str, Any]], str],
) -> Response:
    """Return a feed of ``tournaments``. ``moment`` is the field that holds the time of an entry."""
    newest = sorted(tournaments, key=lambda one: (one[moment], one["id"]), reverse=True)[:MOST]
    entries = [
        FeedEntry(f"{name}/{one['id']}", one["name"], one[moment], summary(one), f"/tournaments/{one['id']}")
        for one in newest
    ]
    return _made(name, title, "/tournaments", entries)


def _made(name: str, title: str, path: str, entries: Sequence[FeedEntry]) -> Response:
    """Return a feed with the newest of ``entries``. ``path`` leads to the page with the same contents."""
    address = service_address() or ""
    newest = sorted(entries, key=lambda one: (one.at_ms, one.id), reverse=True)[:MOST]
    feed = ElementTree.Element("feed", xmlns=_ATOM)
    _add(feed, "id", _id(f"{services().settings.http.public_url}/feeds/{name}"))
    _add(feed, "title", f"Botequim: {title}")
    _add(feed, "updated", iso(newest[0].at_ms) if newest else _beginning())
    ElementTree.SubElement(feed, "link", rel="self", href=f"{address}/feeds/{name}.atom")
    ElementTree.SubElement(feed, "link", rel="alternate", href=f"{address}{path}")
    _add(ElementTree.SubElement(feed, "author"), "name", "Botequim")
    for one in newest:
        entry = ElementTree.SubElement(feed, "entry")
        _add(entry, "id", _id(one.id))
        _add(entry, "title", printable(one.title))
        _add(entry, "updated", iso(one.at_ms))
        _add(entry, "published", iso(one.at_ms))
        ElementTree.SubElement(entry, "link", rel="alternate", href=f"{address}{one.path}")
        _add(entry, "summary", printable(one.summary))
    text = ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True)
    response = Response(text, content_type=_TYPE)
    response.headers["Cache-Control"] = "no-cache"
    return response


def _add(parent: ElementTree.Element, tag: str, text: str) -> None:
    ElementTree.SubElement(parent, tag).text = text


def _id(name: str) -> str:
    """Return an id that is always the same for a name, regardless of the host that received the request."""
    return uuid5(NAMESPACE_URL, f"botequim:{name}").urn


def _beginning() -> str:
    return datetime.fromtimestamp(0, UTC).isoformat()


def _result(one: Mapping[str, Any]) -> str:
    try:
        rows = services().tournaments.standings(one["id"]).rows[:_BEST]
    except CorruptState:
        rows = []
    places = [f"{row['place']}. {row['name']}" for row in rows if not row["baseline"]]
    return ", ".join([f"{one['kind'].capitalize()}, {words(one['format'])}", *places])


def _announcement(one: Mapping[str, Any]) -> str:
    text = f"{one['kind'].capitalize()}, {words(one['format'])}"
    return f"{text}; entry until {minute(one['locks_ms'])} UTC"
