"""Comparisons: unrated tests of two versions of an uploaded bot, played by workers.

Each comparison is a separate private tournament, so it has groups, budgets and records like any other
tournament.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from arena.accounts.accounts import Accounts, Forbidden, Principal
from arena.accounts.allowances import Budgets
from arena.accounts.suspensions import check_plays
from arena.accounts.versions import VersionNotFound
from arena.bots.transports import SANDBOX
from arena.errors import ArenaError
from arena.events.creation import new_tournament
from arena.events.rights import Visibility
from arena.events.service import Tournaments
from arena.events.tournament import (
    COMPARISON,
    OVER,
    PRIVATE_PREFIX,
    Entered,
    Tournament,
    TournamentNotFound,
    check_tournament_id,
)
from arena.games import game_of
from arena.live.header import Viewer
from arena.live.service import LiveGames
from arena.play.dealing import SEED_BYTES, commitment
from arena.play.players import SEALED
from arena.store.notifications import tournament_topic
from arena.store.paging import Cursor, Page, filled_page
from arena.store.repositories import Store
from arena.store.rows import reading, shown_or_left_out
from arena.store.tournaments import TournamentRow
from arena.text import printable
from arena.tournaments.comparison import ComparisonSettings
from arena.tournaments.sequential import FLOOR

_ID_BYTES: Final = 8

_NOTHING: Final = {"groups": 0, "void": 0, "llr": 0.0, "decision": None, "margin": None, "elo": None}
"""The state of a test before its first group is over."""


class ComparisonNotFound(ArenaError):
    """The comparison does not exist, or the viewer may not see it."""

    code = "comparison_not_found"


class Comparisons:
    """The comparisons of one store."""

    def __init__(
        self,
        store: Store,
        live: LiveGames,
        accounts: Accounts,
        budgets: Budgets,
        tournaments: Tournaments,
    ) -> None:
        self._store = store.tournaments
        self._clock = store.clock
        self._notifier = live.notifier
        self._accounts = accounts
        self._budgets = budgets
        self._creation = tournaments.creation
        self._rights = tournaments.rights

    def create(self, fields: Mapping[str, object], by: Principal) -> dict[str, object]:
        """Start a comparison, for which the owner or co-owner ``by`` pays, and return its view. ``fields``:
        ``bot``, ``kind``, ``preset`` (optional), and the fields of
        :class:`~arena.tournaments.comparison.ComparisonSettings`.

        Raises :class:`~arena.errors.ArenaError` with the code ``bot_not_found``, ``version_not_found``,
        ``forbidden``, ``bot_withdrawn``, ``bot_suspended``, ``kind_not_found``, ``preset_not_found``,
        ``game_not_played``, ``invalid_comparison`` or ``budget_exceeded``.
        """
        own: dict[str, Any] = dict(fields)
        bot, kind, preset = own.pop("bot"), own.pop("kind"), own.pop("preset", None)
        settings = ComparisonSettings(**own)
        settings.check()
        account = self._accounts.bot(bot)
        if not by.admin and by.owner not in account.owners:
            raise Forbidden(f"{printable(bot, 80)} is not yours", field="bot")
        check_plays(account, "bot")
        for field, label in (("new", settings.new), ("old", settings.old)):
            try:
                runner = account.find(label).runner
            except VersionNotFound as error:
                error.field = field
                raise
            if runner is not SANDBOX:
                raise ArenaError(
                    f"version {label} of {bot} is not an uploaded version",
                    code="invalid_comparison",
                    field=field,
                    expected="a version that was uploaded as a file",
                )
            account.check_game(label, kind, field)
        payer = by.owner if by.owner in account.owners else account.owner
        self._budgets.check(payer, FLOOR)
        now_ms = self._clock().now_ms
        made = f"{PRIVATE_PREFIX}c{secrets.token_hex(_ID_BYTES)}"
        tournament = new_tournament(
            {
                "name": f"{settings.new} against {settings.old} of {bot}",
                "kind": kind,
                "rules": game_of(kind).preset(preset).rules,
                "format": "round_robin",
                "division": SEALED,
                "opens_ms": now_ms,
                "locks_ms": now_ms,
                "rated": False,
            },
            made,
            payer,
            now_ms,
            secrets.token_bytes(SEED_BYTES),
        )
        tournament.purpose, tournament.visibility = COMPARISON, "private"
        tournament.comparison = {**asdict(settings), "bot": account.name, **_NOTHING}
        tournament.entries = [
            Entered.of(account, label, entered_ms=now_ms, status="qualified")
            for label in (settings.new, settings.old)
        ]
        for owner in account.owners:
            self._store.note_comparison(owner, made, now_ms)
        self._creation.add(tournament)
        return self.view(made)

    def view(self, comparison: str, viewer: Viewer | None = None) -> dict[str, Any]:
        """Return a comparison as the current owners of its bot, the bot itself and admins see it. ``viewer``
        is None for the service itself. Raises :class:`ComparisonNotFound`.
        """
        try:
            (row,) = self._store.load([check_tournament_id(comparison)])
        except TournamentNotFound:
            row = None
        tournament = None if row is None else Tournament.loads(row.meta)
        hidden = tournament is None or self._rights.visibility(viewer).hides(tournament)
        if row is None or tournament is None or tournament.comparison is None or hidden:
            raise ComparisonNotFound(
                f"there is no comparison {printable(comparison, 80)!r}", field="comparison"
            )
        with reading(f"comparison {comparison}"):
            return _view(tournament, tournament.comparison, row)

    def list(self, owner: str, cursor: str | None = None, limit: int = 100) -> Page[dict[str, object]]:
        """Return the comparisons of the bots that an owner owns or co-owns now, newest first. A page can be
        short even though more follow: its cursor is None only at the end.
        """
        visibility = self._rights.visibility(Viewer(owner=owner))
        # A comparison is in the list of whoever owned the bot when it began; the bot's owner always did.
        bots = self._accounts.listed(sorted(self._accounts.bots_of(owner)))
        lists = {owner, *(bot.owner for bot in bots)}

        def read(before: Cursor | None, count: int) -> Sequence[Cursor]:
            found = {member for name in lists for member in self._store.comparisons(name, before, count)}
            return sorted(found, reverse=True)[:count]

        def show(names: Sequence[str]) -> Iterator[dict[str, object] | None]:
            for name, row in zip(names, self._store.load(names), strict=True):
                show_it = None if row is None else partial(_listed, row, visibility)
                yield None if show_it is None else shown_or_left_out(f"comparison {name}", show_it)

        page = filled_page(read, show, cursor, limit + 1)
        if len(page.items) <= limit:
            return page
        last = page.items[limit - 1]
        return Page(page.items[:limit], f"{last['created_ms']}-{last['id']}")

    def wait(
        self, comparison: str, since: int | None, seconds: float, viewer: Viewer | None = None
    ) -> dict[str, object] | None:
        """Return the view as soon as its version differs from ``since``, or None if that does not happen
        within ``seconds``.
        """
        until = time.monotonic() + seconds
        with self._notifier.waiting(tournament_topic(comparison)) as subscription:
            while True:
                view = self.view(comparison, viewer)
                if view["version"] != since:
                    return view
                left = until - time.monotonic()
                if left <= 0 or view["state"] in OVER or subscription.is_over:
                    return None
                subscription.wait(left)


def _listed(row: TournamentRow, visibility: Visibility) -> dict[str, object] | None:
    """The view of a comparison, or None if it is hidden."""
    tournament = Tournament.loads(row.meta)
    if tournament.comparison is None:
        raise TypeError("the tournament is not a comparison")
    return None if visibility.hides(tournament) else _view(tournament, tournament.comparison, row)


def _view(tournament: Tournament, data: Mapping[str, Any], row: TournamentRow) -> dict[str, object]:
    settings = ComparisonSettings.from_json(data)
    lower, upper = settings.test().bounds
    state = "waiting" if tournament.state in ("announced", "entry") else tournament.state
    return {
        "id": tournament.id,
        "bot": data["bot"],
        "owner": tournament.entries[0].owner,
        "kind": tournament.spec.kind,
        "preset": tournament.spec.preset,
        **asdict(settings),
        "state": state,
        "reason": tournament.reason or None,
        **{name: data[name] for name in _NOTHING},
        "bounds": [round(lower, 4), round(upper, 4)],
        "played": row.done,
        "games": row.games,
        "created_ms": tournament.created_ms,
        "started_ms": tournament.started_ms,
        "finished_ms": tournament.finished_ms,
        "commitment": commitment(bytes.fromhex(tournament.seed)),
        "seed": tournament.seed if tournament.state in OVER else None,
        "version": row.changes,
    }
