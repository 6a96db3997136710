"""Tournaments: the one class that the HTTP API, the workers and the tests talk to.

Everything takes and returns plain JSON-ready values, and may be called from any process or host.
"""

from __future__ import annotations

import gzip
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from arena import __version__
from arena.bots import HOUSE_BOTS
from arena.dealing import SEED_BYTES, check_nonce, commitment
from arena.errors import ArenaError
from arena.games import GAMES, game_of
from arena.live.accounts import Accounts, BotWithdrawn, Forbidden, Principal
from arena.live.annulment import Annulments
from arena.live.event import (
    OVER,
    STATES,
    Entered,
    Event,
    PlannedGroup,
    Sandbox,
    check_tournament_id,
    tournament_of,
)
from arena.live.games import LiveGames, Page
from arena.live.gate import Gate
from arena.live.house_groups import HouseGroups, Played
from arena.live.planner import Advanced, Planner, final_standings, read_result
from arena.live.qualification import Qualifications
from arena.live.remote_groups import RemoteGroups
from arena.live.store_journals import JournalStore
from arena.live.store_tournaments import TOURNAMENT_SCRIPTS, NewGroup, Row, TournamentStore, wake_name
from arena.live.store_waker import game_key
from arena.live.store_wire import Wire
from arena.live.versions import BotAccount
from arena.ratings.results import GroupResult
from arena.ratings.standings import Standings
from arena.text import printable
from arena.tournaments.entry import check_entry
from arena.tournaments.playing import game_id
from arena.tournaments.spec import parse_spec

_ID_BYTES: Final = 6
_GROUPS_AT_ONCE: Final = 200
_PAGES_PER_LIST: Final = 10
_COPY_MARK: Final = "+"


class EntryClosed(ArenaError):
    """The tournament takes no entries: not yet, or not any more."""

    code = "entry_closed"


class EntryNotFound(ArenaError):
    """The bot has not entered."""

    code = "entry_not_found"


class TournamentOver(ArenaError):
    """It is finished or cancelled."""

    code = "tournament_over"


class Tournaments:
    """Tournaments over one set of connections. ``on_due(id)`` is told that something is to be done now
    (:meth:`advance`), rather than at the next look; it may not block. ``sandbox``: for uploaded bots, in
    processes that play.

    Errors are :class:`~arena.errors.ArenaError` with these codes: ``tournament_not_found``,
    ``tournament_over``, ``tournament_busy``, ``entry_closed``, ``entry_not_found``, ``forbidden``,
    ``unknown_bot``, ``bot_withdrawn``, ``invalid_nonce``, ``invalid_cursor``, ``store_unavailable``, those of
    :func:`~arena.tournaments.spec.parse_spec` and of :func:`~arena.tournaments.entry.check_entry`.
    """

    def __init__(
        self,
        wire: Wire,
        live: LiveGames,
        accounts: Accounts,
        *,
        on_due: Callable[[str], None] | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        self.store = TournamentStore(wire)
        self.journals = JournalStore(wire)
        self._live = live
        self._accounts = accounts
        self._on_due = on_due
        self._clock = live.store.clock
        self._remote = RemoteGroups(self.store, live, self._clock)
        self._qualifications = Qualifications(
            self.store, self.journals, self._clock, self._make_qualification
        )
        self._gate = Gate(
            self.store,
            self._clock,
            live.presence,
            accounts,
            self._qualifications,
            self._qualification_records,
        )
        record_s = live.endings.retention.record_s
        record_ms = None if record_s is None else int(1000 * record_s)
        self.planner = Planner(self.store, self._clock, self._remote, self._gate, record_ms)
        self._annulments = Annulments(self.store, live, self.planner, self._clock)
        self._house = HouseGroups(self.store, self._clock, self.journals, sandbox)

    # Making and entering

    def create(
        self,
        fields: Mapping[str, Any],
        created_by: str,
        *,
        tournament_id: str | None = None,
        seed: bytes | None = None,
    ) -> dict[str, Any]:
        """Announce a tournament and return its view. ``fields``: those of ``parse_spec``, and ``house``:
        the house bots that take part. With ``tournament_id`` a second call returns the first one's.
        """
        now_ms = self._clock().now_ms
        made = secrets.token_hex(_ID_BYTES) if tournament_id is None else check_tournament_id(tournament_id)
        secret = secrets.token_bytes(SEED_BYTES) if seed is None else seed
        commitment(secret)
        self._make(_new_event(fields, made, created_by, now_ms, secret))
        return self.view(made)

    def check(self, fields: Mapping[str, Any]) -> None:
        """Whether there can be such a tournament. Raises what :meth:`create` would."""
        _new_event(fields, "check", "", self._clock().now_ms, bytes(SEED_BYTES))

    def enter(
        self,
        tournament_id: str,
        bot: str,
        version: str | None = None,
        nonce: str = "",
        *,
        by: Principal | None = None,
    ) -> dict[str, Any]:
        """Enter a bot, with its current version if none is named; its entry. Entering again changes the
        version and the nonce. ``by``: who asks (None: the service itself). House bots are entered by
        who made the tournament.
        """
        check_nonce(nonce)
        house = _source_of(bot) is not None
        now_ms = self._clock().now_ms
        entered: list[Entered] = []

        def act(event: Event, row: Row) -> Sequence[NewGroup] | None:
            if event.state != "entry" or now_ms >= event.spec.locks_ms:
                raise EntryClosed(
                    f"tournament {event.id} is {'locked' if event.state == 'entry' else event.state}",
                    field="tournament",
                    expected="a tournament whose entry is open",
                )
            if house:
                _check_may_change(event, by)
                entry = _house_entry(bot, now_ms)
            else:
                entry = self._bot_entry(event, bot, version, nonce, now_ms, by)
            known = event.find(bot)
            if known is not None:
                event.entries.remove(known)
                if known.status != "withdrawn":
                    entry.entered_ms = known.entered_ms
            _add(event, entry)
            entered[:] = [entry]
            return ()

        self.planner.change(check_tournament_id(tournament_id), act)
        return entered[0].as_json()

    def leave(self, tournament_id: str, bot: str, *, by: Principal | None = None) -> dict[str, Any]:
        """Withdraw a bot; its entry. Once play has begun it plays out its round."""

        def act(event: Event, row: Row) -> Sequence[NewGroup] | None:
            entry = event.find(bot)
            if entry is None:
                raise EntryNotFound(f"{printable(bot, 80)!r} has not entered", field="bot")
            if by is not None and not by.admin and by.owner != (entry.owner or event.created_by):
                raise Forbidden(f"{bot} is not yours", field="bot")
            left[:] = [entry]
            if event.state in OVER:
                raise _over(event)
            if entry.status == "withdrawn":
                return None
            entry.status, entry.reason = "withdrawn", "left"
            entry.withdrawn = event.round
            return ()

        left: list[Entered] = []
        self.planner.change(check_tournament_id(tournament_id), act)
        return left[0].as_json()

    def cancel(self, tournament_id: str, *, by: Principal | None = None, reason: str = "") -> dict[str, Any]:
        """End a tournament before its time: what was played stays, nothing more is."""

        def act(event: Event, row: Row) -> Sequence[NewGroup] | None:
            _check_may_change(event, by)
            if event.state == "cancelled":
                return None
            if event.state in OVER:
                raise _over(event)
            event.state, event.finished_ms = "cancelled", self._clock().now_ms
            event.reason = printable(reason, 200) or "cancelled"
            return ()

        self.planner.change(check_tournament_id(tournament_id), act)
        self.planner.advance(tournament_id)
        return self.view(tournament_id)

    def annul(self, game: str, by: str, reason: str) -> dict[str, Any]:
        """Annul the group of a game, or a group by its id in records: it counts for nobody any more, and its
        records say why. Returns ``{"group", "reason", "by", "at_ms"}``. Raises ``game_not_found`` or
        ``group_not_over``.
        """
        return self._annulments.annul(game, by, reason)

    # Qualifying

    def qualify(self, kind: str, bot: str, version: str) -> dict[str, Any]:
        """Let a version qualify in a game, or say how that went; one that failed plays again.

        Raises :class:`~arena.live.accounts.UnknownBot` or
        :class:`~arena.live.versions.UnknownVersion`.
        """
        game_of(kind)
        account = self._accounts.bot(bot)
        account.find(version)
        return self._qualifications.start(kind, account, version).as_json(kind)

    def qualifications(self, bot: str, version: str) -> list[dict[str, Any]]:
        """How a version's qualifications went, for the owner of the bot."""
        self._accounts.bot(bot).find(version)
        found = [(kind, self._qualifications.known(kind, [(bot, version)])[0]) for kind in GAMES]
        return [known.as_json(kind) for kind, known in found if known is not None]

    def lacking(self, fields: Mapping[str, Any], groups: int) -> list[str]:
        """The uploaded bots that such a tournament would enter by itself and that have fewer than so many
        groups on its board.
        """
        event = _new_event(fields, "check", "", self._clock().now_ms, bytes(SEED_BYTES))
        return self._gate.lacking(event, groups)

    # Going on

    def advance(self, tournament_id: str) -> Advanced:
        """Do what is due: open entry, lock it, plan what comes next, end it. May be done again."""
        return self.planner.advance(check_tournament_id(tournament_id))

    def play_house(self, tournament_id: str, seconds: float = 1.5) -> Played:
        """Play groups among house bots for about so many seconds. May be done again, and at once."""
        return self._house.play(check_tournament_id(tournament_id), seconds)

    def finished(self, game_id: str, summary: Mapping[str, Any]) -> None:
        """A live game has ended: for ``on_finished`` of :class:`LiveGames`."""
        group = summary["group"]
        name = None if group is None else tournament_of(group["id"])
        if name is not None:
            self._tell(name)

    def online(self) -> list[str]:
        """The bots that have asked for turns lately."""
        return self._live.presence.online()

    # Looking

    def view(self, tournament_id: str, viewer: object = None) -> dict[str, Any]:
        """The tournament as it is published."""
        event, row = self.planner.load(check_tournament_id(tournament_id))
        return {
            **self._view(event, row),
            "entries": [entry.as_json() for entry in event.entries],
            "voids": [orjson.loads(told) for told in self.store.voids(event.id)],
        }

    def wait(self, tournament_id: str, since: int | None, seconds: float) -> dict[str, Any] | None:
        """The view as soon as its ``version`` is not ``since``; None if that takes longer."""
        name = check_tournament_id(tournament_id)
        until = time.monotonic() + seconds
        with self._live.waker.waiting(game_key(wake_name(name))) as waiter:
            while True:
                view = self.view(name)
                if view["version"] != since:
                    return view
                left = until - time.monotonic()
                if left <= 0 or view["state"] in OVER or self._live.waker.is_stopped:
                    return None
                waiter.wait(left)

    def list(
        self, *, state: str | None = None, kind: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page:
        """Views without entries and voids, newest first. ``state``: one of ``STATES``, or ``over``. A page
        may be short though more follow: see its cursor.
        """
        if kind is not None:
            game_of(kind)
        if state not in (None, "over", *STATES):
            raise ArenaError(
                f"{state!r} is no state",
                code="invalid_tournament",
                field="state",
                expected="over or one of " + ", ".join(STATES),
            )
        wanted = OVER if state == "over" else STATES if state is None else (state,)
        place = _place(cursor)
        items: list[dict[str, Any]] = []
        for _ in range(_PAGES_PER_LIST):
            places = self.store.page(place, limit)
            for here, row in zip(places, self.store.load([name for _, name in places]), strict=True):
                place = here
                if row is None:
                    continue
                event = Event.loads(row.meta)
                if kind in (None, event.spec.kind) and event.state in wanted:
                    items.append(self._view(event, row))
                    if len(items) == limit:
                        return Page(items, f"{place[0]}-{place[1]}")
            if len(places) < limit:
                return Page(items, None)
        return Page(items, None if place is None else f"{place[0]}-{place[1]}")

    def present(self) -> Sequence[dict[str, Any]]:
        """Views without entries of all that are not over, those that start first at the top."""
        found = []
        for row in self.store.load(self.store.active()):
            event = None if row is None else Event.loads(row.meta)
            if row is not None and event is not None and not event.purpose and event.state not in OVER:
                found.append(self._view(event, row))
        return sorted(found, key=lambda view: (view["locks_ms"], view["id"]))

    def progress(self, tournament_id: str) -> dict[str, Any]:
        """How far it is; part of the view too."""
        return self._progress(*self.planner.load(check_tournament_id(tournament_id)))

    def standings(self, tournament_id: str) -> Standings:
        """The standings, live or final."""
        event, _ = self.planner.load(check_tournament_id(tournament_id))
        if event.final is not None:
            return Standings.from_json(event.final)
        return final_standings(event, self.planner.results(event).values())

    def groups(self, tournament_id: str, cursor: str | None = None, limit: int = 100) -> Page:
        """The planned groups in their order, with what became of them."""
        event, _ = self.planner.load(check_tournament_id(tournament_id))
        if cursor is not None and not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
            raise _invalid_cursor(cursor)
        start = int(cursor or 0)
        found = self.store.groups(event.id, start, limit)
        ids = [group for group, _ in found]
        items = []
        for (group_id, row), data, (_, voided), annulled in zip(
            found,
            self.store.results(event.id, ids),
            self.store.rows(event.id, ids),
            self._annulments.of(event, ids),
            strict=True,
        ):
            result = None if data is None else read_result(data)
            view = _group_view(event, PlannedGroup.loads(group_id, row), data, result, voided)
            items.append({**view, "annulled": annulled})
        return Page(items, str(start + limit) if len(found) == limit else None)

    def records(self, tournament_id: str, group: str | None = None) -> Iterator[bytes]:
        """The released records, each one line of JSON, group by group; all or those of ``group``."""
        event, _ = self.planner.load(check_tournament_id(tournament_id))
        start = 0
        while found := self.store.groups(event.id, start, _GROUPS_AT_ONCE):
            start += _GROUPS_AT_ONCE
            ids = [name for name, _ in found if group in (None, name)]
            for name, pack, result in zip(
                ids, self.store.packs(event.id, ids), self.store.results(event.id, ids), strict=True
            ):
                if pack is not None:
                    yield from gzip.decompress(pack).split(b"\n")
                elif result is not None:
                    yield from self._remote.records(event, name)

    # Parts

    def _make(self, event: Event) -> None:
        if event.created_ms >= event.spec.opens_ms:
            event.state = "entry"
        self.store.step(event.id, 0, event.dumps())
        self.store.enlist(event.id, event.created_ms, event.spec.opens_ms, listed=not event.purpose)
        if event.spec.locks_ms <= event.created_ms:
            self._tell(event.id)

    def _make_qualification(
        self, fields: dict[str, Any], name: str, bot: BotAccount, version: str, purpose: str
    ) -> None:
        now_ms: int = fields["locks_ms"]
        event = _new_event(fields, name, bot.owner, now_ms, secrets.token_bytes(SEED_BYTES))
        event.purpose = purpose
        uploaded = bot.find(version).uploaded
        _add(
            event,
            Entered(bot.name, version, bot.owner, entered_ms=now_ms, status="qualified", uploaded=uploaded),
        )
        self._make(event)

    def _qualification_records(self, event: Event) -> Iterator[bytes]:
        return self.records(event.id)

    def _tell(self, tournament_id: str) -> None:
        if self._on_due is not None:
            self._on_due(tournament_id)

    def _bot_entry(
        self, event: Event, name: str, version: str | None, nonce: str, now_ms: int, by: Principal | None
    ) -> Entered:
        bot = self._accounts.bot(name)
        if not _may_enter(by, bot):
            raise Forbidden(f"{name} is not yours", field="bot")
        if bot.state == "withdrawn":
            raise BotWithdrawn(f"{name} is withdrawn from new games", field="bot")
        label = bot.version if version is None else version
        if label not in [known.label for known in bot.versions]:
            raise ArenaError(
                f"{name} has no version {printable(label, 40)!r}",
                code="unknown_version",
                field="version",
                expected="one of " + ", ".join(known.label for known in bot.versions[-20:]),
            )
        uploaded = bot.find(label).uploaded
        entry = Entered(name, label, bot.owner, nonce, entered_ms=now_ms, uploaded=uploaded)
        check_entry(event.spec, [], entry.entrant)
        self._gate.admit(event, bot, entry)
        return entry

    def _view(self, event: Event, row: Row) -> dict[str, Any]:
        return {
            "id": event.id,
            **event.spec.as_json(),
            "state": event.state,
            "reason": event.reason or None,
            "created_by": event.created_by,
            "created_ms": event.created_ms,
            "started_ms": event.started_ms,
            "finished_ms": event.finished_ms,
            "commitment": commitment(bytes.fromhex(event.seed)),
            "seed": event.seed if event.state in OVER else None,
            "entries_hash": event.entries_hash or None,
            "places": _places_view(event),
            "records_hash": None if event.final is None else event.final["records_hash"],
            "progress": self._progress(event, row),
            "version": row.changes,
        }

    def _progress(self, event: Event, row: Row) -> dict[str, Any]:
        until = event.finished_ms or self._clock().now_ms
        seconds = 0.0 if event.started_ms is None else max(0.001, (until - event.started_ms) / 1000)
        planned = max(event.expected, row.planned)
        left = None
        if event.state == "running" and row.done:
            left = round(seconds / row.done * (planned - row.done), 1)
        return {
            "done": row.done,
            "planned": planned,
            "games": row.games,
            "games_per_s": round(row.games / seconds, 1) if seconds else 0.0,
            "left_s": left,
            "round": event.round,
            "state": event.state,
        }


def _places_view(event: Event) -> list[dict[str, Any]] | None:
    if event.places is None:
        return None
    ordered = sorted(event.places, key=lambda placed: placed[2])
    return [{"name": name, "version": version, "place": place} for name, version, place in ordered]


def _new_event(fields: Mapping[str, Any], name: str, created_by: str, now_ms: int, seed: bytes) -> Event:
    asked = dict(fields)
    house = _house_names(asked.pop("house", None))
    event = Event(name, parse_spec(asked, now_ms), created_by, now_ms, seed.hex())
    for bot in house:
        _add(event, _house_entry(bot, now_ms))
    return event


def _add(event: Event, entry: Entered) -> None:
    present = [other.entrant for other in event.entries if other.status not in ("withdrawn", "failed")]
    check_entry(event.spec, present, entry.entrant)
    event.entries.append(entry)


def _group_view(
    event: Event, group: PlannedGroup, data: bytes | None, result: GroupResult | None, voided: int
) -> dict[str, Any]:
    players = [event.playing[number] for number in group.players]
    attempt = 0 if group.mirrored else voided
    return {
        "id": group.id,
        "round": group.round,
        "pairing": group.pairing,
        "players": [entry.name for entry in players],
        "state": "planned" if data is None else "void" if result is None or result.annulled else "done",
        "mirrored": group.mirrored,
        "commitment": group.commitment,
        "voids": voided,
        "score": None
        if result is None
        else {entry.name: round(result.score(entry.player), 9) for entry in players},
        "forfeits": [] if result is None else sorted(player.name for player in result.forfeiters),
        "games": [game_id(event.group_id(group.id), number, attempt) for number in range(len(group.seats))],
    }


def _house_names(given: Any) -> Sequence[str]:
    if given is None:
        return []
    if not isinstance(given, (list, tuple)) or not all(
        isinstance(name, str) and _source_of(name) is not None for name in given
    ):
        raise ArenaError(
            "these are not house bots",
            code="invalid_tournament",
            field="house",
            expected="a list of " + ", ".join(HOUSE_BOTS),
        )
    return given


def _source_of(name: str) -> str | None:
    """The house bot that ``name`` means, also as one of several (``rookie+2``)."""
    source, mark, number = name.partition(_COPY_MARK)
    if source in HOUSE_BOTS and (not mark or (number.isascii() and number.isdecimal() and len(number) < 4)):
        return source
    return None


def _house_entry(name: str, now_ms: int) -> Entered:
    source = _source_of(name)
    assert source is not None
    return Entered(name, __version__, source=source, entered_ms=now_ms, status="qualified")


def _check_may_change(event: Event, by: Principal | None) -> None:
    if by is not None and not by.admin and (by.scope != "owner" or by.owner != event.created_by):
        raise Forbidden(f"tournament {event.id} is not yours", field="tournament")


def _may_enter(by: Principal | None, bot: BotAccount) -> bool:
    """A bot may enter itself, its owner and admins may enter it."""
    if by is None or by.admin:
        return True
    return by.owner == bot.owner and (by.scope == "owner" or by.name == bot.name)


def _over(event: Event) -> TournamentOver:
    return TournamentOver(
        f"tournament {event.id} is {event.state}", field="tournament", expected="one that is not over"
    )


def _place(cursor: str | None) -> tuple[int, str] | None:
    if cursor is None:
        return None
    score, separator, name = cursor.partition("-")
    if not separator or not (score.isascii() and score.isdecimal() and len(score) < 18):
        raise _invalid_cursor(cursor)
    return int(score), name


def _invalid_cursor(cursor: str) -> ArenaError:
    return ArenaError(
        f"{cursor[:80]!r} is not a cursor",
        code="invalid_cursor",
        field="cursor",
        expected="a cursor as given out here",
    )


__all__ = ["TOURNAMENT_SCRIPTS", "Tournaments"]
