"""Filters in the URL of a leaderboard page, which select bots and how much is shown of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypedDict

from api.schemas.leaderboards import GivenBoardPage
from api.services import services
from arena.events.house_entries import house_source

VERSIONS_MOST: Final = 20
"""The maximum number of versions of a bot in a table."""

_SHOWS_MORE: Final = ("versions", "columns")
"""The filters that do not exclude any bot."""


class Chip(NamedTuple):
    """A link that changes a filter. ``query`` holds the filters in its URL."""

    text: str
    query: Mapping[str, str]
    pressed: bool


class PlayedVersion(TypedDict):
    """A version in a row of a board, with the fields that filters need."""

    version: str


class BoardRow(PlayedVersion):
    """A row of a board, with the fields that filters need."""

    name: str
    provisional: bool
    versions: Sequence[PlayedVersion]


class BoardFilter:
    """The filters of a query. ``own`` holds the bots of the owner named by the query, or is None if it names
    no owner.
    """

    def __init__(self, query: GivenBoardPage) -> None:
        self.owner: str = (query["owner"] or "").strip()
        self._house: bool | None = query["house"]
        self._provisional: bool | None = query["provisional"]
        self.all_versions: bool = query["versions"] == "all"
        self.all_columns: bool = query["columns"] == "all"
        self._own: Collection[str] | None = _bots_of(self.owner) if self.owner else None

    @property
    def query(self) -> dict[str, str]:
        """The filters as written in URLs."""
        found = {"owner": self.owner}
        for name, value in (("house", self._house), ("provisional", self._provisional)):
            found[name] = "" if value is None else str(value).lower()
        found["versions"] = "all" if self.all_versions else ""
        found["columns"] = "all" if self.all_columns else ""
        return {name: value for name, value in found.items() if value}

    @property
    def is_on(self) -> bool:
        """Whether the filters exclude some bots."""
        return bool(self.query.keys() - set(_SHOWS_MORE))

    @property
    def other_columns(self) -> Mapping[str, str]:
        """The filters of the page with all columns or, if this page has all columns, of the page with few."""
        return _toggled(self.query, "columns", "all")

    @property
    def chips(self) -> Sequence[Chip]:
        """The available filters. Following the link of an active filter removes it."""
        query = self.query
        all_bots = {name: value for name, value in query.items() if name in _SHOWS_MORE}
        return [
            Chip("All bots", all_bots, not self.is_on),
            *(
                Chip(text, _toggled(query, name, value), query.get(name) == value)
                for text, name, value in (
                    ("House", "house", "true"),
                    ("Owners' bots", "house", "false"),
                    ("Ranked", "provisional", "false"),
                    ("Provisional", "provisional", "true"),
                    ("Old versions", "versions", "all"),
                )
            ),
        ]

    def rows(self, rows: Iterable[BoardRow]) -> list[BoardRow]:
        """Return the rows of a board that pass the filters."""
        return [row for row in rows if self._shows(row)]

    def with_versions(self, rows: Iterable[BoardRow]) -> list[Mapping[str, object]]:
        """Return the rows. If earlier versions are requested, each row is followed by theirs."""
        if not self.all_versions:
            return list(rows)
        found: list[Mapping[str, object]] = []
        for row in rows:
            found.append(row)
            others = [one for one in row["versions"] if one["version"] != row["version"]]
            found += [
                {**row, **one, "rank": None, "worst_rank": None, "earlier": True}
                for one in others[:VERSIONS_MOST]
            ]
        return found

    def _shows(self, row: BoardRow) -> bool:
        name = row["name"]
        return (
            (self._own is None or name in self._own)
            and self._house in (None, house_source(name) is not None)
            and self._provisional in (None, row["provisional"])
        )


def _toggled(query: Mapping[str, str], name: str, value: str) -> dict[str, str]:
    others = {own: kept for own, kept in query.items() if own != name}
    return others if query.get(name) == value else {**others, name: value}


def _bots_of(owner: str) -> Collection[str]:
    """Return the bots of an owner, or none if the owner does not exist."""
    found: set[str] = set()
    after: str | None = ""
    while after is not None:
        bots, after = services().accounts.bots(owner, after)
        found.update(bot.name for bot in bots)
    return found
