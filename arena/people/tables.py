"""The tables at which people play: who can sit there, and what they can do.

People are identified by their sessions and have a different name in every game, so nobody can tell who they
are or play for them. Their games are private and unrated. A game becomes public after its end if everybody
who played it agrees.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

import orjson

from arena.accounts.accounts import Accounts
from arena.accounts.links import LinkExpired, new_code
from arena.accounts.payers import Payers
from arena.accounts.versions import BotAccount
from arena.bots import POOL_BOTS
from arena.errors import ArenaError
from arena.games import GAMES, game_of
from arena.games.options import Rules
from arena.live.header import (
    EarlierGame,
    GameHeader,
    GameNotFound,
    GameSummary,
    InvalidSeats,
    SeatEntry,
    Viewer,
)
from arena.live.service import GameNotOpen, LiveGames
from arena.live.unfinished import PEOPLE_KEPT_MS, UnfinishedGames
from arena.people.practice import decision_after, decision_in_hand, opening_of, practice_seats
from arena.play.table import turn_id
from arena.records.record import parse_record
from arena.store.repositories import Store
from arena.text import printable

CLOCK: Final[Mapping[str, int]] = {"per_turn_ms": 60_000, "bank_ms": 600_000}
"""The thinking time of people."""

LINK_MS: Final = 3_600_000
"""How long a friend's link can be used, in milliseconds."""

YOUR_SEAT: Final = 0
"""The seat of the person who opens the table."""

HOUSE: Final = "house:"
BOT: Final = "bot:"
FRIEND: Final = "friend"

_RANDOM: Final = 0
"""The place of the house bot that plays at random among the levels. It is never offered as a weaker one."""

_NEW_LINK: Final = "a new link from the person who opened the table"
_GAME_BYTES: Final = 9
_SHOWN: Final = 20


class InvitedSeat(NamedTuple):
    """The seat that a friend's link is for."""

    game: str
    seat: int


class AtSeat(NamedTuple):
    """What the page says to a person about clocks and pauses: ``paused`` about a pause that has just ended,
    and the id of the ``turn`` with what the table does if its time runs out. All are empty if there is
    nothing to say.
    """

    paused: str = ""
    turn: str = ""
    default_action: str = ""


class PeopleTables:
    """All tables of people. ``at_once`` is the maximum number of games that one address can have at a time;
    None means unlimited.
    """

    def __init__(
        self, live: LiveGames, store: Store, accounts: Accounts, payers: Payers, at_once: int | None
    ) -> None:
        self._live = live
        self._payers = payers
        self._invitations = store.invitations
        self._links = store.links
        self._unfinished = UnfinishedGames(store, at_once, PEOPLE_KEPT_MS)
        self._presence = store.presence
        self._accounts = accounts

    # Sitting down

    def opponents(self) -> list[BotAccount]:
        """Return the bots with which people can play now, sorted by name."""
        names = sorted({*self._presence.online(), *self._accounts.webhooks()})
        return [bot for bot in self._accounts.listed(names) if self._plays(bot.name) is not None]

    def open(
        self,
        person: str,
        address: str,
        kind: str,
        others: Sequence[str],
        rules: Rules,
        *,
        owner: str = "",
        agrees: bool = False,
        game_id: str | None = None,
    ) -> str:
        """Open a table and return the game's id. ``others`` are the players on seats 1 and up, each
        ``house:<level>``, ``bot:<name>`` or ``friend``. The person pays for the game, or the ``owner`` as
        whom the person has signed in. ``agrees``: whether the person agrees to make the game public once it
        is over. ``game_id`` is None for a new id.

        Raises :class:`~arena.live.unfinished.TooManyTables`, :class:`~arena.live.header.InvalidSeats` and
        what :meth:`~arena.live.service.LiveGames.create` does.
        """
        game = game_of(kind)
        if game.panel is None:
            raise InvalidSeats(f"people cannot play {game.title}", field="kind")
        you = {"person": person, "name": "guest 1", "agrees": agrees}
        seats = [you, *(self._seat(text, number) for number, text in enumerate(others, 1))]
        made = secrets.token_hex(_GAME_BYTES) if game_id is None else game_id
        self._payers.of_person(person, owner, address, made)
        self._create(made, address, kind, seats, game.rules_for(rules, len(seats)))
        return made

    def _create(
        self,
        made: str,
        address: str,
        kind: str,
        seats: Sequence[Mapping[str, object]],
        rules: Rules,
        opening: EarlierGame | None = None,
    ) -> None:
        self._unfinished.add(address, made)
        try:
            self._live.create(
                kind,
                seats=seats,
                rules=rules,
                clock=CLOCK,
                visibility="private",
                game_id=made,
                opening=opening,
            )
        except ArenaError:
            self._unfinished.remove(address, made)
            raise
        self._live.attend(self.header(made))

    def _seat(self, text: str, number: int) -> dict[str, object]:
        if text == FRIEND:
            return {"open": True}
        if text.startswith(HOUSE):
            return {"house": text.removeprefix(HOUSE)}
        name = text.removeprefix(BOT)
        version = self._plays(name) if text.startswith(BOT) else None
        if version is None:
            raise InvalidSeats(
                "this bot cannot be played with now",
                field=f"seats[{number}]",
                expected="a house bot, an online bot whose owner allows it, or a friend",
            )
        return {"bot": name, "version": version}

    def _plays(self, name: str) -> str | None:
        """Return the version of a bot with which people can play now, or None if they cannot."""
        try:
            bot = self._accounts.bot(name)
        except ArenaError:
            return None
        if not (bot.people and bot.is_active and bot.version) or bot.current.runner.arena_run:
            return None
        online = bool(bot.current.url) or name in self._presence.online()
        return bot.version if online else None

    def again(self, game_id: str, person: str, address: str, owner: str = "", level: str = "") -> str:
        """Go to the game that follows one of the person's games, and return its id. It has the same rules and
        bots, and seats for the same people. The first of them opens it and has seat 0; the others then take
        their seats. With a ``level``, house bots of this level replace the house bots that play against the
        person. Calling this twice has no further effect.

        Raises what :meth:`open` does, and ``game_not_open`` once the game has begun without the person.
        """
        seat = self.your_seat(game_id, person)
        before = self.header(game_id)
        if level and level not in other_levels(before, seat):
            raise InvalidSeats(
                f"house bots of the level {printable(level, 40)!r} cannot follow this game",
                field="level",
                expected="a weaker or a stronger level than that of the game, or none",
            )
        made = _next_game(before, level)
        try:
            header = self.header(made)
        except GameNotFound:
            self.open(
                person,
                address,
                before.kind,
                opponents_of(before, seat, level),
                before.rules,
                owner=owner,
                agrees=before.seats[seat].agrees,
                game_id=made,
            )
            header = self.header(made)
        if not header.seats_of(person):
            (opener,) = before.seats_of(header.seats[YOUR_SEAT].bot)
            place = (seat - opener) % len(before.seats)
            self._unfinished.add(address, made)
            try:
                self._sit(made, place, person, before.seats[seat].agrees)
            except ArenaError:
                self._unfinished.remove(address, made)
                raise
        return made

    # Practice

    def try_again(
        self,
        game_id: str,
        person: str,
        address: str,
        owner: str = "",
        *,
        after: int | None = None,
        hand: int = 1,
    ) -> str:
        """Open a practice game that repeats one of the person's finished games up to a decision of theirs,
        and return its id. The decision is the one with ``after`` actions in the game before it, or else their
        first one in a ``hand``.

        Raises :class:`~arena.people.practice.NoSuchDecision`, ``record_not_ready`` for a game that is not
        finished, and what :meth:`open` does.
        """
        seat = self.your_seat(game_id, person)
        record = parse_record(self._live.record(game_id, Viewer(person)))
        found = decision_in_hand(record, seat, hand) if after is None else decision_after(record, seat, after)
        opening = opening_of(record, found.after)
        return self.repeat(self.header(game_id), seat, opening, person, address, owner)

    def repeat(
        self,
        source: GameHeader,
        seat: int,
        opening: EarlierGame,
        person: str,
        address: str,
        owner: str = "",
        *,
        game_id: str | None = None,
    ) -> str:
        """Open a practice game that begins as the finished game ``source`` did, with the person at ``seat``
        and house bots on all other seats, and return its id. ``game_id`` is None for a new one; a repeated
        call with the same id has no further effect.

        Raises what :meth:`open` does.
        """
        made = secrets.token_hex(_GAME_BYTES) if game_id is None else game_id
        self._payers.of_person(person, owner, address, made)
        you = {"person": person, "name": f"guest {seat + 1}", "agrees": False}
        seats = practice_seats(source, seat, you)
        self._create(made, address, source.kind, seats, source.rules, opening)
        return made

    # Links for friends

    def new_link(self, game_id: str, person: str, seat: int) -> str:
        """Return a code with which a friend can take an open seat, once, within :data:`LINK_MS`. An earlier
        code for the seat is withdrawn. Only the person who opened the table can call this.
        """
        header = self._hosted(game_id, person)
        if header.state != "waiting" or not 0 < seat < len(header.seats) or not header.seats[seat].is_open:
            raise GameNotOpen(
                f"seat {seat} is not open", field="seat", expected="an open seat of a waiting game"
            )
        code, mark = new_code(), secrets.token_hex(8)
        self._links.put(_link_name(game_id, seat), mark.encode(), LINK_MS)
        row = {"game": game_id, "seat": seat, "mark": mark}
        self._invitations.put(code, orjson.dumps(row), LINK_MS)
        return code

    def withdraw_link(self, game_id: str, person: str, seat: int) -> None:
        """Withdraw the link for a seat."""
        self._hosted(game_id, person)
        self._links.take(_link_name(game_id, seat))

    def has_link(self, game_id: str, seat: int) -> bool:
        """Return whether there is a valid link for the seat."""
        return self._links.find(_link_name(game_id, seat)) is not None

    def invited(self, code: str) -> InvitedSeat:
        """Return the seat that the code is for, without changing anything. Raises ``link_expired``."""
        data = self._invitations.find(code)
        row: dict[str, Any] = {"game": "", "seat": 0, "mark": None} if data is None else orjson.loads(data)
        invited = InvitedSeat(row["game"], row["seat"])
        mark = self._links.find(_link_name(*invited))
        if mark is None or mark.decode() != row["mark"]:
            raise LinkExpired(_NEW_LINK)
        return invited

    def join(self, code: str, person: str, address: str, *, agrees: bool = False) -> str:
        """Take the seat that the code is for, and return the game's id. Raises ``link_expired``,
        ``too_many_tables`` and what :meth:`~arena.live.service.LiveGames.join` does.
        """
        game, seat = self.invited(code)
        header = self.header(game)
        if header.seats_of(person):
            return game
        self._unfinished.add(address, game)
        if self._invitations.take(code) is None:
            self._unfinished.remove(address, game)
            raise LinkExpired(_NEW_LINK)
        self._sit(game, seat, person, agrees)
        return game

    def _sit(self, game: str, seat: int, person: str, agrees: bool) -> None:
        self._links.take(_link_name(game, seat))
        self._live.join_person(game, person, f"guest {seat + 1}", agrees, seat)

    # At the table

    def header(self, game_id: str) -> GameHeader:
        """Return the header of a game, for the checks of this package."""
        return self._live.header(game_id)

    def your_seat(self, game_id: str, person: str) -> int:
        """Return the seat of a person. Raises ``game_not_found`` for anybody who is not at the table."""
        header = self.header(game_id)
        seats = header.seats_of(person)
        if not seats:
            raise self._live.not_found(game_id)
        self._live.attend(header)
        return seats[0]

    def attend(self, game_id: str, person: str) -> bool:
        """Record that a person is at the table. Returns whether that ended a pause; see
        :mod:`arena.play.attendance`.
        """
        header = self.header(game_id)
        return bool(header.seats_of(person)) and self._live.attend(header)

    def _hosted(self, game_id: str, person: str) -> GameHeader:
        if self.your_seat(game_id, person) != YOUR_SEAT:
            raise GameNotOpen(
                "another person opened this table", field="game", expected="a table that you opened"
            )
        return self.header(game_id)

    def act(self, game_id: str, person: str, turn: str, action: str) -> dict[str, Any]:
        """Play ``action`` at a turn, and return its result as :meth:`~arena.live.service.LiveGames.answer`
        does. Pressing a button twice counts once. An illegal action by a person is not a fault.
        """
        self.your_seat(game_id, person)
        view = self._live.view(game_id, Viewer(person))
        now = None if view is None else view["turn"]
        if now is not None and now["turn"] == turn and action not in now["legal_actions"]:
            message = "this action is not possible now"
            return {"turn": turn, "status": "illegal_action", "message": message}
        return self._live.act(person, turn, action)

    def at_seat(self, game_id: str, seat: int) -> AtSeat:
        """Return what the page says to the person at a seat about clocks and pauses."""
        game = self._live.repository.load(game_id)
        table, presence = game.table, game.attendance
        paused = "" if presence is None else presence.notice(self._live.store.clock())
        if table is None or seat not in table.awaited() or not table.legal_actions(seat):
            return AtSeat(paused)
        number = turn_id(game_id, seat, table.turn_number(seat))
        return AtSeat(paused, number, table.state.default_action(seat))

    def leave(self, game_id: str, person: str) -> None:
        """Leave the table: cancel it if the person opened it and the game has not begun, otherwise resign."""
        self.your_seat(game_id, person)
        state = self.header(game_id).state
        if state == "waiting":
            self._hosted(game_id, person)
            for seat in range(len(self.header(game_id).seats)):
                self._links.take(_link_name(game_id, seat))
            self._live.cancel(game_id)
        elif state == "running":
            self._live.resign(game_id, person)

    def games_of(self, person: str) -> list[GameSummary]:
        """Return the newest games of a person."""
        page = self._live.list(bot=person, viewer=Viewer(person), limit=_SHOWN)
        return [one for one in page.items if one is not None]


def opponents_of(header: GameHeader, seat: int, level: str = "") -> list[str]:
    """Return the players on the seats after ``seat``, in the notation of :meth:`PeopleTables.open`. With a
    ``level``, house bots of this level replace those that play against the seat.
    """
    against = _house_against(header, seat) if level else {}
    count = len(header.seats)
    others = [(seat + step) % count for step in range(1, count)]
    return [_notation(header.seats[one], level if one in against else "") for one in others]


def _notation(entry: SeatEntry, level: str) -> str:
    if entry.house:
        return HOUSE + (level or entry.house)
    return FRIEND if entry.person or entry.bot is None else BOT + entry.bot


class OtherLevels(NamedTuple):
    """The levels of house bots that are weaker and stronger than those that a person has played against;
    empty if there is no such level.
    """

    weaker: str = ""
    stronger: str = ""


def other_levels(header: GameHeader, seat: int) -> OtherLevels:
    """Return the levels at which the only person of a game could play again. If the opponents differ, these
    are the weakest and the strongest of them.
    """
    usual, *others = POOL_BOTS
    levels = [name for name in game_of(header.kind).house_bots if name not in others]
    against = _house_against(header, seat).values()
    played = [levels.index(usual if name in others else name) for name in against]
    if not played or len(header.people()) > 1:
        return OtherLevels()
    low, high = min(played), max(played)
    if low == high:
        low, high = low - 1, high + 1
    return OtherLevels(levels[low] if low > _RANDOM else "", levels[high] if high < len(levels) else "")


def _house_against(header: GameHeader, seat: int) -> dict[int, str]:
    """Return the house bots that play against a seat, by seat."""
    own = next(team for team in game_of(header.kind).teams(header.rules) if seat in team)
    return {
        number: entry.house
        for number, entry in enumerate(header.seats)
        if number not in own and entry.house is not None
    }


def _next_game(before: GameHeader, level: str) -> str:
    """Return the id of the game that follows one. It can be computed only with the identities of the people
    who played.
    """
    people = [entry.bot for entry in before.people()]
    named = [before.game, people, level] if level else [before.game, people]
    return sha256(orjson.dumps(named)).hexdigest()[: 2 * _GAME_BYTES]


def playable() -> list[str]:
    """Return the games that people can play, by kind."""
    return [kind for kind, game in GAMES.items() if game.panel is not None]


def _link_name(game: str, seat: int) -> str:
    return f"{game}:{seat}"
