"""The search for bots, owners and tournaments by the beginnings of the words of their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.accounts.accounts import Accounts, OwnerNotFound
from arena.bots import HOUSE_BOTS
from arena.events.moderation import Moderation
from arena.live.header import Viewer
from arena.store.search import SearchIndex

MOST: Final = 10
"""The maximum number of bots, of owners and of tournaments that a search finds."""

NEAR_MOST: Final = 3
"""The maximum number of bots, of owners and of tournaments that resemble a query which finds nothing."""


class SearchResults(NamedTuple):
    """The results of a search: the names of bots with those of their owners, the names of owners, and views
    of tournaments.
    """

    bots: Mapping[str, Sequence[str]]
    owners: Sequence[str]
    tournaments: Sequence[dict[str, Any]]


class Search:
    """Searches the names as they are displayed, so it never finds what an admin has hidden. ``views`` returns
    views of those of the tournaments with these ids that are listed for a viewer.
    """

    def __init__(
        self,
        index: SearchIndex,
        accounts: Accounts,
        moderation: Moderation,
        views: Callable[[Sequence[str], Viewer], Sequence[dict[str, Any]]],
    ) -> None:
        self._index = index
        self._accounts = accounts
        self._moderation = moderation
        self._views = views

    def find(self, query: str, viewer: Viewer) -> SearchResults:
        """Return what the query finds; tournaments with exactly this name come first."""
        house = [name for name in sorted(HOUSE_BOTS) if self._index.finds(query, name)]
        bots = dict.fromkeys(house, ()) | self._bots(self._index.find("bot", query, MOST))
        owners = self._index.find("owner", query, MOST)
        newest = self._index.newest(self._index.find("tournament", query, MOST))
        views = [view for view in self._views(newest, viewer) if self._index.finds(query, view["name"])]
        return SearchResults(
            dict(list(bots.items())[:MOST]),
            [name for name in owners if self._is_shown(name)],
            sorted(views, key=lambda view: self._index.plain(view["name"]) != self._index.plain(query)),
        )

    def near(self, query: str, viewer: Viewer) -> Sequence[str]:
        """Return the names of bots, owners and tournaments that resemble the query."""
        house = [name for name in HOUSE_BOTS if len(query) > 3 and self._index.is_near(query, name)]
        bots = self._bots(self._index.near("bot", query, NEAR_MOST))
        owners = [name for name in self._index.near("owner", query, NEAR_MOST) if self._is_shown(name)]
        names = self._index.near("tournament", query, NEAR_MOST)
        views = self._views(self._index.newest(names), viewer)
        tournaments = [view["name"] for view in views if self._index.plain(view["name"]) in names]
        return list(dict.fromkeys([*house, *bots, *owners, *tournaments]))[:NEAR_MOST]

    def _bots(self, names: Sequence[str]) -> dict[str, Sequence[str]]:
        """Return those of the bots that are shown, with their owners."""
        bots = [bot for bot in self._accounts.listed(names) if not bot.deleted]
        return {bot.name: bot.owners for bot in bots if self._moderation.name("bot", bot.name) == bot.name}

    def _is_shown(self, owner: str) -> bool:
        try:
            self._accounts.owner(owner)
        except OwnerNotFound:
            return False
        return self._moderation.name("owner", owner) == owner


__all__ = ["MOST", "NEAR_MOST", "Search", "SearchResults"]
