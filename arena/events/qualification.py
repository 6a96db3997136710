"""Qualification: a new version of a bot plays a group against ``rookie`` before it is paired."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final, Literal, NamedTuple, TypedDict

from arena.accounts.versions import BotAccount
from arena.events.creation import TournamentCreation
from arena.events.tournament import OVER, PRIVATE_PREFIX, Tournament
from arena.games import GAMES, game_of
from arena.games.options import Rules
from arena.play.board_names import BoardName
from arena.play.players import OPEN, SEALED
from arena.records.decisions import decisions
from arena.records.record import Record
from arena.store.repositories import Store
from arena.store.rows import reading
from arena.text import printable

AGAINST: Final = "rookie"
RETRY_MS: Final = 600_000
"""The delay after which a failed qualification of an online bot is restarted automatically."""

_SURELY_MADE_MS: Final = 10_000


class Discipline(NamedTuple):
    """The discipline for which a version qualifies: the name of one of
    :attr:`~arena.games.descriptor.Game.disciplines`.
    """

    kind: str
    preset: str

    @classmethod
    def of(cls, kind: str, rules: Rules) -> Discipline:
        """Return the discipline for bots that play by ``rules``."""
        return cls(kind, game_of(kind).discipline(rules).name)

    @property
    def apart(self) -> bool:
        """Whether the preset needs its own qualification. Such a qualification begins only when an owner
        requests it or enters the bot in a tournament that requires it.
        """
        return game_of(self.kind).preset(self.preset).apart

    @property
    def rules(self) -> Mapping[str, object]:
        """The rules of the qualification group."""
        game = game_of(self.kind)
        return game.qualifying_rules(game.preset(self.preset))

    def board(self, division: str) -> str:
        """Return the name under which the arrival of qualified bots is noted for schedules."""
        return BoardName(self.kind, division, self.preset).key

    def row(self, bot: str, version: str) -> str:
        """Return the name of a version's row. There is one row per game, and one for each preset that needs
        its own qualification.
        """
        return f"{self.kind}/{bot}/{version}{f'/{self.preset}' if self.apart else ''}"


def disciplines() -> list[Discipline]:
    """Return the disciplines by game: first the game itself, then the presets that need their own
    qualification.
    """
    return [Discipline(kind, preset.name) for kind, game in GAMES.items() for preset in game.disciplines]


class FailedTurn(TypedDict):
    """The turn at which a bot failed. ``after`` is the number of actions in the game before the turn."""

    game: str
    seat: int
    turn: str
    after: int


class Qualification(NamedTuple):
    """The qualification of a version. ``tournament``: the tournament in which it plays its group; ``tries``:
    the attempt number, from 1; ``turn``: the turn at which it failed; ``detail``: the last fault of an
    uploaded bot, shown only to its owner.
    """

    state: Literal["qualifying", "qualified", "failed"]
    tournament: str
    tries: int
    at_ms: int
    reason: str = ""
    turn: FailedTurn | None = None
    detail: str = ""

    def as_json(self, discipline: Discipline) -> dict[str, object]:
        """Return the qualification as the owner of the bot sees it."""
        return {
            "kind": discipline.kind,
            "preset": discipline.preset,
            "state": self.state,
            "tournament": self.tournament,
            "reason": self.reason or None,
            "detail": self.detail or None,
            "at_ms": self.at_ms,
        }


class Qualifications:
    """The qualifications of versions. Each qualification group is played in a separate tournament."""

    def __init__(
        self,
        store: Store,
        creation: TournamentCreation,
    ) -> None:
        self._rows = store.qualifications
        self._journals = store.journals
        self._presence = store.presence
        self._clock = store.clock
        self._creation = creation

    def known(self, discipline: Discipline, names: Iterable[tuple[str, str]]) -> list[Qualification | None]:
        """Return the qualification of each version, given as name and label, or None if it has not begun."""
        return self._rows.many([discipline.row(*name) for name in names], _read)

    def of(self, bot: str, version: str) -> list[tuple[Discipline, Qualification]]:
        """Return every qualification of a version that has begun."""
        every = disciplines()
        found = self._rows.many([discipline.row(bot, version) for discipline in every], _read)
        return [(discipline, one) for discipline, one in zip(every, found, strict=True) if one is not None]

    def start(
        self,
        discipline: Discipline,
        bot: BotAccount,
        version: str,
        *,
        again_after_ms: int = 0,
        auto: bool = False,
    ) -> Qualification:
        """Return the qualification of the version, starting it if it has not begun or if it failed at least
        ``again_after_ms`` ago. ``auto``: whether it starts automatically instead of on request; in that case,
        it does not begin if the bot has left.
        """
        field = discipline.row(bot.name, version)
        now_ms = self._clock().now_ms

        def begin(row: Sequence[object] | None) -> Sequence[object] | None:
            known = _read(row)
            if known is not None and (known.state != "failed" or now_ms < known.at_ms + again_after_ms):
                return row
            tries = 1 if known is None else known.tries + 1
            tournament = f"{PRIVATE_PREFIX}{sha256(field.encode()).hexdigest()[:16]}-{tries}"
            new = Qualification("qualifying", tournament, tries, now_ms)
            return [*new, *(row or ())[len(new) :]]

        # Store the row first, because the end of the tournament looks it up.
        found = _read(self._rows.change(field, begin))
        assert found is not None
        begun = found.at_ms == now_ms
        # A process might have died after storing the row; adding the tournament twice has no further effect.
        if found.state == "qualifying" and (begun or now_ms > found.at_ms + _SURELY_MADE_MS):
            fields = _fields(discipline, bot, version, now_ms)
            self._creation.add_qualification(fields, found.tournament, bot, version, field, auto)
        return found

    def finish(self, tournament: Tournament, records: Iterable[bytes]) -> None:
        """Store the result of a qualification whose tournament is over."""
        assert tournament.state in OVER
        known = _read(self._rows.find(tournament.purpose))
        if known is None or known.tournament != tournament.id or known.state != "qualifying":
            return
        bot = tournament.purpose.split("/")[1]
        state: Literal["qualified", "failed"] = "qualified"
        reason, turn, detail = "", None, ""
        if tournament.state == "cancelled" or tournament.final is None or not tournament.final["groups"]:
            why = tournament.reason or "the group was void"
            absent = any(entry.status == "withdrawn" for entry in tournament.entries)
            state, reason = "failed", f"server fault; enter again: {why}"
            if absent:
                reason = "the bot left before the group began"
        else:
            for line in records:
                failure = _failure(json.loads(line), bot)
                if failure is not None:
                    state, (reason, turn) = "failed", failure
                    detail = self._detail(bot, turn)
                    break
        done = known._replace(
            state=state, reason=reason, turn=turn, detail=detail, at_ms=self._clock().now_ms
        )

        def end(row: Sequence[object] | None) -> Sequence[object] | None:
            return [*done, *row[len(done) :]] if row is not None and _read(row) == known else row

        self._rows.change(tournament.purpose, end)
        if state == "qualified":
            spec = tournament.spec
            self._presence.note_arrival(Discipline.of(spec.kind, spec.rules).board(spec.division))

    def _detail(self, bot: str, turn: FailedTurn) -> str:
        """The last fault of an uploaded bot."""
        for seat in self._journals.find(bot, turn["game"]) or ():
            if seat["seat"] == turn["seat"] and seat["faults"]:
                fault = seat["faults"][-1]
                return f"{fault['type']}: {fault['detail']}"
        return ""


def _read(row: Sequence[object] | None) -> Qualification | None:
    """Parse a stored row. A newer version of the program might have added fields. Raises
    :class:`~arena.errors.CorruptState`.
    """
    if row is None:
        return None
    with reading("a qualification", row):
        found = Qualification._make(row[: len(Qualification._fields)])
        for value, kind in zip(found, (str, str, int, int, str, dict | None, str), strict=True):
            if not isinstance(value, kind):
                raise TypeError(f"unexpected value {value!r} in a qualification")
        return found


def _failure(record: Record, bot: str) -> tuple[str, FailedTurn] | None:
    """The reason for ``bot``'s forfeit in ``record`` and the turn at which it happened, or None if it did not
    forfeit.
    """
    canonical = record["canonical"]
    for seat in canonical["outcome"]["forfeits"]:
        if canonical["players"][seat]["name"] != bot:
            continue
        details = record["info"].get("fault_details") or [""] * len(canonical["faults"])
        faults = [
            (fault, detail)
            for fault, detail in zip(canonical["faults"], details, strict=True)
            if fault["seat"] == seat
        ]
        fault, detail = faults[-1]
        types = ", ".join(each["type"] for each, _ in faults)
        turn = _turn_of(record, seat)
        where: FailedTurn = {"game": canonical["game"], "seat": seat, "turn": turn, "after": fault["after"]}
        reason = (
            f"forfeited game {where['game']} on seat {seat} because of its faults ({types}); the last was "
            f"{fault['type']} at turn {turn}, after {fault['after']} actions"
            f"{': ' if detail else ''}{printable(detail, 200)}"
        )
        return reason, where
    return None


def _turn_of(record: Record, seat: int) -> str:
    """The id of the last turn of ``seat`` before it forfeited."""
    turns = [one.id for one in decisions(record) if one.seat == seat]
    return turns[-1]


def _fields(discipline: Discipline, bot: BotAccount, version: str, now_ms: int) -> dict[str, object]:
    return {
        "name": f"Qualification of {bot.name} {version}",
        "division": SEALED if bot.find(version).runner.sealed else OPEN,
        "kind": discipline.kind,
        "rules": discipline.rules,
        "format": "round_robin",
        "opens_ms": now_ms,
        "locks_ms": now_ms,
        "house": [AGAINST],
        "rated": False,
    }
