"""Private notes of bots on their moves, by bot and game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from arena.store.connection import RedisConnection, Script
from arena.store.documents import by_name
from arena.store.game_texts import GameTexts

KEPT_MS: Final = 90 * 86_400_000
"""How long the notes on a game are kept, counted from the first note."""

MOST_OF_GAME: Final = 64 << 10
MOST_OF_BOT: Final = 1 << 20
"""Maximum bytes of a bot's notes on one game, and on all its games; notes on the oldest games are evicted."""

_NOTE_BYTES: Final = 50
"""The approximate number of bytes that a note takes in the database besides its text."""

_ADD: Final = Script("note_add", "game_texts")
_PUBLISH: Final = Script("note_publish")
NOTE_SCRIPTS: Final = (_ADD, _PUBLISH)
"""The scripts that the connection of a :class:`NoteStore` must load."""

NOTES: Final = "notes"

_PUBLISHED: Final = "published"


class GameNotes(NamedTuple):
    """A bot's notes on its moves in one game, keyed by the number of the game's actions before the move.
    ``published`` is whether everyone who can read the game's record can also read the notes.
    """

    game: str
    published: bool
    notes: dict[int, str]


class NoteStore(GameTexts):
    """Stores the notes of all bots."""

    def __init__(self, connection: RedisConnection) -> None:
        super().__init__(connection, NOTES)

    def add(self, bot: str, game: str, notes: Mapping[int, str]) -> None:
        """Store notes up to the game's limit. The first note on a move is kept. Can be repeated."""
        pairs = [part for after, text in notes.items() for part in (after, text)]
        limits = (KEPT_MS, MOST_OF_BOT, self.left(bot), MOST_OF_GAME, _NOTE_BYTES)
        self._store(bot, [_ADD.call(self._keys(bot, game), game, *limits, *pairs)])

    def find(self, bots: Sequence[str], game: str) -> dict[str, GameNotes]:
        """Return the notes of bots on a game, by bot, leaving out bots that have none."""
        replies = self._connection.run([("HGETALL", self._key(bot, game)) for bot in bots]) if bots else []
        found = {bot: _notes(game, fields) for bot, fields in zip(bots, replies, strict=True)}
        return {bot: notes for bot, notes in found.items() if notes.notes}

    def publish(self, bot: str, game: str, published: bool) -> bool:
        """Set whether the notes are public, and return False if there are none."""
        changed = self._one(*_PUBLISH.call([self._key(bot, game)], int(published)))
        return bool(changed)

    def all(self, bot: str) -> Iterator[GameNotes]:
        """Yield the notes of a bot on all games."""
        for game in sorted(self._rows(bot)):
            yield from self.find([bot], game).values()


def _notes(game: str, fields: Mapping[bytes, bytes] | Sequence[bytes]) -> GameNotes:
    found = by_name(fields)
    published = found.pop(_PUBLISHED, b"0") == b"1"
    notes = {int(after): text.decode() for after, text in found.items()}
    return GameNotes(game, published, dict(sorted(notes.items())))
