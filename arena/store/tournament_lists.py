"""Lists of tournaments, from which pages are read without reading all tournaments.

Public tournaments are listed by their game and state, newest first, and those that are not over also by
their lock. Hidden tournaments are in a list of all of them, and in those of each owner and bot that may see
them. Each owner has a list of the own tournaments that are not over, and one of all that the owner organises.

A list can contain a tournament that has just left it, so callers check the tournament's row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from arena.store.connection import Command, Repository, Script
from arena.store.paging import Cursor, cursors, newest_of
from arena.store.search import tournament_additions

_PLACE: Final = Script("tournament_place")
_RESERVE: Final = Script("tournament_reserve")
TOURNAMENT_LIST_SCRIPTS: Final = (_PLACE, _RESERVE)
"""The scripts that the connection of :class:`TournamentLists` must load."""

# The lists of a tournament share a hash tag, so that it moves in one step.
_VERSIONS: Final = "{tournaments}:versions"
_NEXT: Final = "{tournaments}:next"
_HIDDEN: Final = "{tournaments}:hidden"

OWN_MOST: Final = 100
"""The maximum number of hidden tournaments, and of organised ones, that are listed for an owner or a bot.
Older ones remain visible to them.
"""


class TournamentList(NamedTuple):
    """A list: of the public tournaments of a game in a ``state``, with the name ``game:state``; of all
    ``hidden`` ones; of the hidden ones that an ``owner`` or a ``bot`` may see; or of those that an
    ``organiser`` organises.
    """

    of: Literal["state", "hidden", "owner", "bot", "organiser"]
    name: str = ""

    @property
    def key(self) -> str:
        """The key in the database."""
        if self.of == "hidden":
            return _HIDDEN
        tag = "{tournaments}" if self.of == "state" else "tournaments"
        return f"{tag}:{self.of}:{self.name}"


class PlacedTournament(NamedTuple):
    """What determines the lists of a tournament. Those with a higher ``version`` are later."""

    id: str
    version: int
    kind: str
    state: str
    created_ms: int
    locks_ms: int
    owner: str
    hidden: bool
    over: bool


class TournamentLists(Repository):
    """Stores the lists in one Redis or Redis Cluster. It has no rules; all times are in milliseconds."""

    def place(self, one: PlacedTournament, kinds: Iterable[str], states: Iterable[str]) -> None:
        """Put a tournament into its lists and remove it from the others, which are those of ``kinds`` and
        ``states``. Does nothing if that has been done for a later version.
        """
        others = [_HIDDEN, *(_in(kind, state) for kind in kinds for state in states)]
        own = _HIDDEN if one.hidden else _in(one.kind, one.state)
        locks_ms = "" if one.hidden or one.over else one.locks_ms
        keys = [_VERSIONS, own, _NEXT, _announced_by(one.owner), *others]
        over = "1" if one.over else ""
        self._one(*_PLACE.call(keys, one.id, one.version, one.created_ms, locks_ms, over))

    def page(self, lists: Sequence[TournamentList], before: Cursor | None, count: int) -> Sequence[Cursor]:
        """Return up to ``count`` tournaments of ``lists`` together that follow ``before``, newest first."""
        return newest_of(self._connection, [one.key for one in lists], before, count)

    def next(self, after: Cursor | None, count: int) -> Sequence[Cursor]:
        """Return up to ``count`` public tournaments that are not over and follow ``after``, by their lock."""
        lowest: int | str = "-inf" if after is None else after.score
        found: list[Cursor] = []
        offset = 0
        while True:
            reply = self._one("ZRANGEBYSCORE", _NEXT, lowest, "+inf", "WITHSCORES", "LIMIT", offset, count)
            members = cursors(reply)
            # Members with the same score as ``after`` can be on either side of it.
            found += (member for member in members if after is None or member > after)
            if len(members) < count or len(found) >= count:
                return found[:count]
            offset += count

    # Of owners

    def note(self, event: str, created_ms: int, lists: Iterable[TournamentList]) -> None:
        """Add a tournament to lists of owners, bots and organisers."""
        commands: list[Command] = []
        for key in (one.key for one in lists):
            commands += (("ZADD", key, created_ms, event), ("ZREMRANGEBYRANK", key, 0, -1 - OWN_MOST))
        if commands:
            self._connection.run(commands)

    def note_name(self, event: str, name: str, created_ms: int) -> None:
        """Make a tournament one that a search for its name finds."""
        self._connection.run(tournament_additions(event, name, created_ms))

    def reserve(self, owner: str, event: str, created_ms: int, most: int) -> bool:
        """Add a tournament to the owner's list of those that are not over, and return True, or return False
        if there are ``most`` others.
        """
        return bool(self._one(*_RESERVE.call([_announced_by(owner)], event, created_ms, most)))

    def announced_by(self, owner: str, limit: int, until_ms: int | None = None) -> list[str]:
        """Return up to ``limit`` tournaments on that list, newest first, of those that were created at
        ``until_ms`` (None: at any time) or earlier.
        """
        latest = "+inf" if until_ms is None else until_ms
        return self._names("ZREVRANGEBYSCORE", _announced_by(owner), latest, "-inf", "LIMIT", 0, limit)

    def count_of(self, owner: str) -> int:
        """Return the number of tournaments on that list."""
        return int(self._one("ZCARD", _announced_by(owner)))

    def leave(self, owner: str, events: Sequence[str]) -> None:
        """Remove tournaments from that list."""
        if events:
            self._one("ZREM", _announced_by(owner), *events)

    def forget(self, owner: str) -> None:
        """Delete the lists of an owner that :meth:`note` fills."""
        lists = TournamentList("owner", owner), TournamentList("organiser", owner)
        self._connection.run([("DEL", one.key) for one in lists])


def _in(kind: str, state: str) -> str:
    return TournamentList("state", f"{kind}:{state}").key


def _announced_by(owner: str) -> str:
    return f"{{tournaments}}:by:{owner}"
