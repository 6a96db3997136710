"""The planned groups of a tournament, with their states and results."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Final

from arena.events.annulment import Annulments
from arena.events.lifecycle import TournamentLifecycle
from arena.events.moderation import Moderation
from arena.events.rights import Rights
from arena.events.tournament import PlannedGroup, Tournament, check_tournament_id
from arena.events.views import ListedGroup, group_view
from arena.live.header import Viewer
from arena.store.chunks import StoredGroup
from arena.store.paging import Page, parse_number
from arena.store.rows import shown_or_left_out
from arena.store.tournaments import TournamentStore

_AT_ONCE: Final = 200
_READS: Final = 20
"""The maximum number of reads per page. A page filtered by bots can therefore be short even though more
groups follow.
"""


class GroupLists:
    """Lists groups in the order in which they were planned."""

    def __init__(
        self,
        store: TournamentStore,
        lifecycle: TournamentLifecycle,
        annulments: Annulments,
        moderation: Moderation,
        rights: Rights,
    ) -> None:
        self._store = store
        self._rights = rights
        self._lifecycle = lifecycle
        self._annulments = annulments
        self._moderation = moderation

    def page(
        self,
        tournament_id: str,
        cursor: str | None = None,
        limit: int = 100,
        viewer: Viewer | None = None,
        *,
        bots: Collection[str] = (),
    ) -> Page[ListedGroup]:
        """Return a page of groups, starting at ``cursor``.

        ``bots`` restricts them to groups in which all of these bots play; each bot is given by its real or
        its displayed name. Such a page can be short even though more groups follow; its cursor is None only
        at the end.
        """
        self._rights.check_visible(tournament_id, viewer)
        tournament, row = self._lifecycle.load(check_tournament_id(tournament_id))
        start = parse_number(cursor, 9)
        if bots:
            found, end = self._with(tournament, bots, start, limit)
        else:
            found, end = self._store.groups(tournament.id, start, limit), start + limit
        annulments = self._annulments.of(tournament, [group.id for group in found])
        items = []
        for group, annulled in zip(found, annulments, strict=True):
            name = f"group {tournament.group_id(group.id)}"
            view = shown_or_left_out(name, partial(group_view, tournament, group))
            if view is not None:
                listed: ListedGroup = {**view, "annulled": annulled}
                items.append(self._moderation.apply(listed))
        return Page(items, str(end) if end < row.planned else None)

    def _with(
        self, tournament: Tournament, bots: Collection[str], start: int, limit: int
    ) -> tuple[list[StoredGroup], int]:
        """Return up to ``limit`` groups with these bots, starting at ``start``, and the number at which the
        next page starts.
        """
        wanted = self._numbers(tournament, bots)
        found: list[StoredGroup] = []
        end = start
        for _ in range(_READS):
            groups = self._store.groups(tournament.id, end, _AT_ONCE)
            for group in groups:
                end += 1
                if _plays(tournament, group, wanted):
                    found.append(group)
                    if len(found) == limit:
                        return found, end
            if len(groups) < _AT_ONCE:
                break
        return found, end

    def _numbers(self, tournament: Tournament, bots: Collection[str]) -> list[set[int]]:
        """Return, for each bot, the numbers of the players with this name."""
        return [
            {
                number
                for number, entry in enumerate(tournament.playing)
                if bot in (entry.name, self._moderation.name("bot", entry.name))
            }
            for bot in bots
        ]


def _plays(tournament: Tournament, stored: StoredGroup, wanted: Collection[set[int]]) -> bool:
    """Whether at least one player from each set plays in the group."""
    name = f"group {tournament.group_id(stored.id)}"
    group = shown_or_left_out(name, partial(PlannedGroup.loads, stored.id, stored.row))
    return group is not None and all(not numbers.isdisjoint(group.players) for numbers in wanted)
