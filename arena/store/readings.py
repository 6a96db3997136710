"""How far bots have read the events of their games in texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from arena.store.connection import Repository, Script
from arena.store.games import game_key

KEPT_MS: Final = 7 * 86_400_000
"""How long a bot's readings are kept after the latest one."""

_OVER: Final = "over"
"""The ``turn`` of a reading of a game whose end was in a reply without a turn."""

_OFFER: Final = Script("reading_offer")
_CONFIRM: Final = Script("reading_confirm")
READING_SCRIPTS: Final = (_OFFER, _CONFIRM)
"""The scripts that the connection of a :class:`ReadingStore` must load."""


class TextReading(NamedTuple):
    """How far a bot has read the events of one game: it has read all before number ``since``, and the text
    with ``turn`` contained those before number ``until``. ``turn`` is empty if the bot has answered it.
    """

    since: int
    until: int
    turn: str

    @property
    def is_over(self) -> bool:
        """Whether a reply without a turn contained the end of the game."""
        return self.turn == _OVER


class ReadingStore(Repository):
    """Stores the readings of all bots, by bot and place. A place is a game and a seat, such as ``g8f2.1``."""

    def of(self, bot: str) -> dict[str, TextReading]:
        """Return the readings of a bot by place."""
        fields = self._one("HGETALL", _key(bot))
        return {place.decode(): _reading(row) for place, row in zip(fields[::2], fields[1::2], strict=True)}

    def offer(self, bot: str, turn: str, until: Mapping[str, int]) -> None:
        """Record that a reply with ``turn`` contains the events of each place before number ``until``.

        If the turn was offered before, the earlier number stays, because only the first reply may have
        arrived.
        """
        pairs = [part for pair in until.items() for part in pair]
        self._one(*_OFFER.call([_key(bot)], KEPT_MS, turn, *pairs))

    def end(self, bot: str, until: Mapping[str, int]) -> None:
        """Record that a reply without a turn contains the ends of games, as :meth:`offer` does."""
        self.offer(bot, _OVER, until)

    def confirm(self, bot: str, turns: Iterable[str]) -> None:
        """Record that the bot answers ``turns``, and thus has read the replies that contained them. The
        places of other games in these replies, which are over, are removed. Can be repeated.
        """
        places = ((turn, turn.rpartition(".")[0]) for turn in turns)
        commands = [_CONFIRM.call([_key(bot)], turn, place) for turn, place in places if place]
        if commands:
            self._connection.run(commands)

    def prune(self, bot: str, places: Collection[str]) -> None:
        """Remove those of the places whose games are no longer stored."""
        if not places:
            return
        found = self._connection.run([("EXISTS", game_key(place.rpartition(".")[0])) for place in places])
        gone = [place for place, exists in zip(places, found, strict=True) if not exists]
        if gone:
            self._one("HDEL", _key(bot), *gone)

    def forget(self, bot: str) -> None:
        """Delete the readings of a bot."""
        self._one("DEL", _key(bot))


def _reading(row: bytes) -> TextReading:
    since, until, turn, *_ = row.decode().split(" ")
    return TextReading(int(since), int(until), turn)


def _key(bot: str) -> str:
    """Return the key of the hash from places to ``<since> <until> <turn>``."""
    return f"{{b:{bot}}}:readings"
