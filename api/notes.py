"""Bots' notes on their moves, which the owner can read after the game, and others once they are published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from api.http.auth import viewer
from api.http.errors import HttpError
from api.services import services
from arena.accounts.audit import Principal
from arena.live.header import Viewer
from arena.live.turns import MAX_NOTE
from arena.records.record import Record, parse_record
from arena.store.notes import GameNotes
from arena.text import printable


def read_notes(who: Principal | None, bot: str, game: str) -> Mapping[str, object]:
    """Return the notes of a bot on a finished game, if ``who`` can read them and the game's record."""
    record = parse_record(services().tournaments.record(game, viewer(who)))
    found = _notes([bot], game, viewer(who)).get(bot)
    if found is None:
        raise _none(bot, game)
    return _view(record, found)


def change_notes(who: Principal, bot: str, game: str, published: bool) -> Mapping[str, object]:
    """Publish or hide the notes of a bot on a finished game, and return the notes that ``who`` can read."""
    record = parse_record(services().tournaments.record(game, viewer(who)))
    if not services().live.notes.publish(bot, game, published):
        raise _none(bot, game)
    hidden = GameNotes(game, published, {})
    return _view(record, _notes([bot], game, viewer(who)).get(bot, hidden))


def notes_on(game: str, players: Iterable[str], who: Viewer) -> dict[str, GameNotes]:
    """Return the notes on a finished game of these bots that ``who`` can read, by bot."""
    return _notes(sorted(set(players)), game, who)


def remarks(notes: Mapping[str, GameNotes]) -> dict[int, str]:
    """Convert notes on a game to remarks, by the index of the action."""
    found: dict[int, str] = {}
    for bot, own in notes.items():
        name = services().moderation.name("bot", bot)
        for after, note in own.notes.items():
            found[after] = f"{name} noted: {printable(' '.join(note.split()), MAX_NOTE)}"
    return found


def _notes(bots: list[str], game: str, who: Viewer) -> dict[str, GameNotes]:
    found = services().live.notes.find(bots, game)
    private = [bot for bot, own in found.items() if not own.published]
    owners = {one.name: one.owner for one in services().accounts.listed(private)} if private else {}
    return {
        bot: own
        for bot, own in found.items()
        if own.published or who.bot == bot or (who.owner is not None and owners.get(bot) == who.owner)
    }


def _view(record: Record, found: GameNotes) -> Mapping[str, object]:
    actions = record["canonical"]["actions"]
    return {
        "game": found.game,
        "published": found.published,
        "notes": [
            {"after": after, "seat": actions[after][0], "action": actions[after][1], "note": note}
            for after, note in found.notes.items()
        ],
    }


def _none(bot: str, game: str) -> HttpError:
    return HttpError(
        f"{printable(bot, 80)} has no notes on game {printable(game, 80)}, or you are not allowed to read "
        "them",
        code="notes_not_found",
        field="game",
        expected="a finished game on which your bot has notes, or another bot has published notes",
    )
