"""The search for bots, owners and tournaments by the beginnings of the words of their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from arena.accounts.accounts import Accounts, OwnerNotFound
from arena.bots import HOUSE_BOTS
from arena.events.moderation import Moderation
from arena.live.header import Viewer
from arena.store.search import SearchIndex

MOST: Final = 10
"""The maximum number of bots, of owners and of tournaments that a search finds."""


class SearchResults(NamedTuple):
    """The results of a search: the names of bots and owners, and views of tournaments."""

    bots: Sequence[str]
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
        """Return what has a word that begins with the query, together with what follows the word."""
        house = [name for name in sorted(HOUSE_BOTS) if self._index.finds(query, name)]
        names = self._index.find("bot", query, MOST)
        bots = [bot.name for bot in self._accounts.listed(names) if not bot.deleted]
        owners = self._index.find("owner", query, MOST)
        newest = self._index.newest(self._index.find("tournament", query, MOST))
        views = self._views(newest, viewer)
        return SearchResults(
            [*house, *(name for name in bots if self._moderation.name("bot", name) == name)][:MOST],
            [name for name in owners if self._is_shown(name)],
            [view for view in views if self._index.finds(query, view["name"])],
        )

    def _is_shown(self, owner: str) -> bool:
        try:
            self._accounts.owner(owner)
        except OwnerNotFound:
            return False
        return self._moderation.name("owner", owner) == owner


__all__ = ["MOST", "Search", "SearchResults"]
