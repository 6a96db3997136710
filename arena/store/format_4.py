"""Database access to the lists of bots' groups in format 4, for the upgrade to format 5
(:mod:`arena.upgrade.step_5`).

In format 4, a member of such a list was a JSON row, which began with the tournament and the group, and ended
with the games: the seats, places, scores and forfeits of each. Results of groups had no scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import orjson

from arena.store.bot_games import group_lists
from arena.store.chunks import from_chunk, to_chunk
from arena.store.connection import Command, Repository
from arena.store.documents import by_name
from arena.store.paging import cursors
from arena.store.rows import shown_or_left_out
from arena.store.tournaments import event_key

_BOTS_AT_ONCE: Final = 100
_GAMES: Final = 7
_MISTAKES: Final = 11
"""The indexes of the games in a stored result, and of the mistakes in a game, before its scores."""

Scores = Sequence[Sequence[int]]
"""The scores of the games of a group, in order."""


class FormerRow(NamedTuple):
    """What a row says that is needed in format 5."""

    tournament: str
    group: str
    scores: Scores

    @classmethod
    def loads(cls, row: bytes) -> FormerRow:
        """Parse a row."""
        tournament, group, *_, games = orjson.loads(row)[:9]
        return cls(tournament, group, [scores for _, _, scores, *_ in games])


class FormerBotGames(Repository):
    """Converts lists and results from format 4 to format 5. Every method can be repeated."""

    def rows(self, event: str, bots: Sequence[str]) -> Iterator[FormerRow]:
        """Yield the rows of a tournament in the lists of these bots."""
        start = orjson.dumps([event])[:-1] + b","
        for at in range(0, len(bots), _BOTS_AT_ONCE):
            keys = [key for bot in bots[at : at + _BOTS_AT_ONCE] for key in group_lists(bot)]
            for members in self._connection.run([("ZRANGE", key, 0, -1) for key in keys]):
                for member in members:
                    if member.startswith(start):
                        row = shown_or_left_out(f"a group of {event}", partial(FormerRow.loads, member))
                        if row is not None:
                            yield row

    def add_scores(self, event: str, scores: Mapping[str, Scores]) -> None:
        """Add scores to the results of groups of a tournament."""
        if not scores:
            return
        key = event_key(event)
        commands: list[Command] = []
        found = self._one("HMGET", f"{key}:results", *scores)
        for group, result in zip(scores, found, strict=True):
            if result is not None:
                commands.append(("HSET", f"{key}:results", group, _with(scores[group], result)))
        reply = self._one("HGETALL", f"{key}:chunks")
        for number, data in by_name(reply).items():
            groups = from_chunk(data)
            changed = [
                own._replace(result=_with(scores[own.id], own.result))
                if own.id in scores and own.result is not None
                else own
                for own in groups
            ]
            if changed != groups:
                commands.append(("HSET", f"{key}:chunks", number, to_chunk(changed)))
        if commands:
            self._connection.run(commands)

    def replace_rows(self) -> None:
        """Replace the rows of all lists by the ids of their groups."""
        for pattern in group_lists("*"):
            for key in map(bytes.decode, self._connection.keys(pattern)):
                reply = self._one("ZRANGE", key, 0, -1, "WITHSCORES")
                members: list[int | str] = []
                for at_ms, row in cursors(reply):
                    group = shown_or_left_out(f"a row of {key}", partial(_id, row))
                    members += [] if group is None else [at_ms, group]
                # A new list, because Redis never stores one compactly that had long members.
                if members:
                    self._connection.run([("ZADD", f"{key}:new", *members), ("RENAME", f"{key}:new", key)])
                else:
                    self._one("DEL", key)

    def forget_parts(self) -> None:
        """Delete the first games of groups, which are played again, because their results have no scores."""
        for key in self._connection.keys("{t:*}:parts"):
            self._one("DEL", key)


def _id(row: str) -> str:
    if not row.startswith("["):
        # Replaced before the step was killed.
        return row
    former = FormerRow.loads(row.encode())
    return f"{former.tournament}-{former.group}"


def _with(scores: Scores, result: bytes) -> bytes:
    values = orjson.loads(result)
    for game, own in zip(values[_GAMES] if values else (), scores, strict=False):
        game[_MISTAKES:] = [*(game[_MISTAKES : _MISTAKES + 1] or [[]]), own]
    return orjson.dumps(values)


__all__ = ["FormerBotGames", "FormerRow", "Scores"]
