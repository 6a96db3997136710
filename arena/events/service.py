"""The interface to tournaments for the HTTP API, the workers and the tests.

Methods take and return JSON-ready values, and can be called from any process or host.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypedDict

from arena.accounts.accounts import Accounts, BotNotFound, Forbidden, Principal
from arena.accounts.allowances import AnnouncedTournaments, Budgets
from arena.accounts.suspensions import Suspensions, check_plays
from arena.accounts.uploads import ReceivedUpload
from arena.accounts.versions import VersionNotFound
from arena.errors import ArenaError
from arena.events.admission import Admission
from arena.events.announcements import Announcement, announcements
from arena.events.annulment import Annulments, RecordChange
from arena.events.bot_games import PlayedGames
from arena.events.creation import TournamentCreation, add_entry, new_tournament
from arena.events.group_lists import GroupLists
from arena.events.guests import Guests
from arena.events.house_entries import entry_source, house_entry
from arena.events.lifecycle import TournamentLifecycle, TournamentStep
from arena.events.listing import PRESENT, lists_in
from arena.events.live_groups import LiveGroups
from arena.events.live_standings import LiveStandings, PublishedStandings
from arena.events.local_groups import LocalGroups, Played
from arena.events.moderation import Moderation
from arena.events.organising import Organising
from arena.events.planning import GameTimes
from arena.events.qualification import Discipline, Qualifications
from arena.events.rights import (
    Rights,
    TournamentOver,
    Visibility,
    behind,
    check_organises,
    may_enter,
    tournament_over,
    viewer_of,
)
from arena.events.tournament import (
    OVER,
    PRIVATE_PREFIX,
    STATES,
    Entered,
    EntryView,
    Sandbox,
    State,
    Tournament,
    TournamentNotFound,
    check_tournament_id,
)
from arena.events.tournament_records import TournamentRecords
from arena.events.views import is_rating, places_view, read_edit, read_void, winners_view
from arena.games import GAMES, game_of
from arena.live.header import ANYBODY, GameNotFound, Viewer
from arena.live.jobs import GameJobs
from arena.live.service import LiveGames
from arena.play.dealing import SEED_BYTES, check_nonce, commitment
from arena.play.game_ids import place_of
from arena.sandbox.progress import GroupAttempt
from arena.store.connection import StoreUnavailable
from arena.store.notifications import tournament_topic
from arena.store.paging import Page, filled_page, parse_number
from arena.store.repositories import Store
from arena.store.rows import readable, reading, shown_or_left_out
from arena.store.tournament_lists import TournamentList
from arena.store.tournaments import NewGroup, TournamentRow
from arena.text import printable
from arena.tournaments.entry import check_entry
from arena.tournaments.formats import FORMATS
from arena.tournaments.parsing import without_rating
from arena.tournaments.spec import Spec

log = logging.getLogger(__name__)

_ID_BYTES: Final = 6
_GROUPS_AT_ONCE: Final = 200
_TOURNAMENTS_AT_ONCE: Final = 100
_VIEWS_AT_ONCE: Final = 10
_FILTER_READS: Final = 4
"""How many parts of a list are read to fill a page of ratings, or of others."""

_WINDOW_SECONDS: Final = 60.0
_FEWEST_SECONDS: Final = 5.0
"""Until play has lasted this long, the remaining time is not estimated."""


class TournamentProgress(TypedDict):
    """The progress of a tournament. ``done``: the number of groups that are over; ``planned``: the number
    planned; ``games``: the number of games played. ``left_s``: the estimated seconds remaining, or None if
    there is no estimate.
    """

    done: int
    planned: int
    games: int
    games_per_s: float
    left_s: float | None
    round: int
    state: State


class EntryClosed(ArenaError):
    """The tournament is not open for entry."""

    code = "entry_closed"


class EntryNotFound(ArenaError):
    """The bot has not entered the tournament."""

    code = "entry_not_found"


class Tournaments:
    """The tournaments in one store. ``jobs`` receives requests for steps that are due before the next tick;
    ``sandbox`` runs uploaded bots; ``charge_to`` charges the running job to an account. ``most_announced``:
    how many tournaments that are not over an owner can have announced.
    """

    def __init__(
        self,
        store: Store,
        live: LiveGames,
        accounts: Accounts,
        jobs: GameJobs,
        sandbox: Sandbox,
        budgets: Budgets,
        suspensions: Suspensions,
        moderation: Moderation,
        charge_to: Callable[[str], None],
        most_announced: int,
    ) -> None:
        self._moderation = moderation
        self.store = store.tournaments
        self.lists = store.tournament_lists
        self.announced = AnnouncedTournaments(self.lists, accounts.is_admin, most_announced)
        self.journals = store.journals
        self._bot_games = store.bot_games
        self._live = live
        self._accounts = accounts
        self._budgets = budgets
        self._clock = store.clock
        self.rights = Rights(self.store, accounts)
        live_groups = self._live_groups = LiveGroups(self.store, live, self._clock, store.flags)
        self._records = TournamentRecords(self.store, live.finished, live_groups)
        self.creation = TournamentCreation(self.store, self.lists, jobs, budgets)
        self._qualifications = Qualifications(store, self.creation)
        self._admission = Admission(
            store.boards, self._clock, live.presence, accounts, self._qualifications, self._records, budgets
        )
        record_s = live.finalizer.retention.record_s
        record_ms = None if record_s is None else int(1000 * record_s)
        self.lifecycle = TournamentLifecycle(store, live_groups, self._admission, record_ms, charge_to)
        self.organising = Organising(self.rights, self.lifecycle, self._clock)
        self.invitations = Guests(self.store, self.rights, self.lifecycle, accounts, self._clock)
        self._live_standings = LiveStandings(store, self.lifecycle, jobs, self._moderation)
        self._annulments = Annulments(store, self.lifecycle)
        self.groups = GroupLists(
            self.store, self.lifecycle, self._annulments, self._moderation, self.rights
        ).page
        self._local_groups = LocalGroups(
            self.store,
            self._clock,
            self.journals,
            sandbox,
            budgets,
            suspensions,
            store.flags,
            GameTimes(store.game_times),
            PlayedGames(store),
            charge_to,
        )

    # Creating and entering

    def create(
        self,
        fields: Mapping[str, Any],
        created_by: str,
        *,
        rated: bool = True,
        tournament_id: str | None = None,
        seed: bytes | None = None,
        daily: bool = False,
    ) -> dict[str, Any]:
        """Announce a tournament and return its view. ``fields`` are the fields of ``parse_spec``, plus
        ``house``, the house bots that take part. ``rated``: whether it may count for the leaderboards, as
        tournaments of the arena and its admins do. A repeated call with the same ``tournament_id`` returns
        the existing tournament. ``daily``: whether it is daily play.
        """
        if not rated:
            fields = without_rating(fields)
        now_ms = self._clock().now_ms
        made = secrets.token_hex(_ID_BYTES) if tournament_id is None else check_tournament_id(tournament_id)
        if fields.get("hidden") and not made.startswith(PRIVATE_PREFIX):
            made = PRIVATE_PREFIX + made
        secret = secrets.token_bytes(SEED_BYTES) if seed is None else seed
        commitment(secret)
        tournament = new_tournament(fields, made, created_by, now_ms, secret)
        tournament.daily = daily
        spec = tournament.spec
        format = FORMATS[spec.format]
        entrants = len(tournament.entries)
        # Check what is known now; groups are taken at the lock or, in open tournaments, while they run.
        known = not format.plans_while_running and entrants >= spec.table
        self._budgets.check_bytes(created_by)
        self._budgets.check(tournament.payer, format.most_groups(spec, entrants) if known else 1)
        self.announced.reserve(created_by, made, now_ms, self._over)
        self.creation.add(tournament)
        return self.view(made)

    def _over(self, names: Sequence[str]) -> list[str]:
        """Return those of the tournaments that are over or do not exist."""
        present = {one.id for one in self.each(names) if one.state not in OVER}
        return [name for name in names if name not in present]

    def clone(
        self,
        tournament_id: str,
        changes: Mapping[str, object],
        by: Principal,
        new_id: str | None = None,
    ) -> dict[str, Any]:
        """Announce a tournament with the same settings and a new seed, and return its view. ``changes``: its
        dates, and any texts that differ. Invited owners and co-organisers are invited again. Baseline bots
        are left out if they are not bots of ``by``. ``new_id``: see ``tournament_id`` of :meth:`create`.
        """
        fields = self.organising.like(tournament_id, changes, by=by)
        for invited in ("organisers", "invited_owners"):
            fields[invited] = self.invitations.invitable(fields[invited])
        own = self.invitations.owned(fields["baseline"], [by.owner])
        fields["baseline"] = [bot for bot in fields["baseline"] if bot in own or entry_source(bot)]
        return self.create(fields, by.owner, rated=by.admin, tournament_id=new_id)

    def check(self, fields: Mapping[str, object]) -> Spec:
        """Validate the fields of a tournament and return the settings. Raises the errors of
        :meth:`create`.
        """
        return new_tournament(fields, "check", "", self._clock().now_ms, bytes(SEED_BYTES)).spec

    def enter(
        self,
        tournament_id: str,
        bot: str,
        version: str | None = None,
        nonce: str = "",
        *,
        by: Principal | None = None,
    ) -> EntryView:
        """Enter a bot, by default with its current version, and return the entry. Entering it again changes
        the version and the nonce. ``by``: who enters the bot (None: the service itself). House bots are
        entered by the organisers of the tournament.
        """
        own = by is not None and by.name == bot
        self.rights.check_visible(tournament_id, behind(by) if own else viewer_of(by))
        check_nonce(nonce)
        house = entry_source(bot) is not None
        now_ms = self._clock().now_ms
        entered: list[Entered] = []

        def act(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
            if tournament.state != "entry" or now_ms >= tournament.spec.locks_ms:
                state = "locked" if tournament.state == "entry" else tournament.state
                raise EntryClosed(
                    f"tournament {tournament.id} is {state}",
                    field="tournament",
                    expected="a tournament that is open for entry",
                )
            if house:
                check_organises(tournament, by)
                entry = house_entry(bot, tournament.spec.kind, now_ms)
            else:
                entry = self._bot_entry(tournament, bot, version, nonce, now_ms, by)
            known = tournament.find(bot)
            if known is not None:
                tournament.entries.remove(known)
                if known.status != "withdrawn":
                    entry.entered_ms = known.entered_ms
            add_entry(tournament, entry)
            tournament.pending = [owner for owner in tournament.pending if owner not in entry.owners]
            entered[:] = [entry]
            return ()

        self.lifecycle.change(check_tournament_id(tournament_id), act)
        return entered[0].as_json()

    def leave(self, tournament_id: str, bot: str, *, by: Principal | None = None) -> EntryView:
        """Withdraw a bot and return its entry. If play has begun, the bot finishes the current round."""

        def act(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
            entry = tournament.find(bot)
            if entry is None:
                raise EntryNotFound(f"{printable(bot, 80)!r} has not entered", field="bot")
            own = by is not None and (
                by.owner in self._owners(entry) if entry.owner else tournament.is_organised_by(by.owner)
            )
            mine = by is None or by.admin or own
            if not mine or (by is not None and by.scope == "bot" and by.name != bot):
                raise Forbidden(f"{bot} is not yours", field="bot")
            left[:] = [entry]
            if tournament.state in OVER:
                raise tournament_over(tournament)
            if entry.status == "withdrawn":
                return None
            entry.status, entry.reason = "withdrawn", "left"
            entry.withdrawn = tournament.round
            return ()

        self.rights.check_visible(tournament_id, viewer_of(by))
        left: list[Entered] = []
        self.lifecycle.change(check_tournament_id(tournament_id), act)
        return left[0].as_json()

    def _owners(self, entry: Entered) -> tuple[str, ...]:
        """The current owners of an entry's bot, or the former owner if the bot was deleted."""
        found = self._accounts.listed([entry.name])
        return found[0].owners if found else (entry.owner,)

    def cancel(
        self, tournament_id: str, *, by: Principal | None = None, reason: str = ""
    ) -> dict[str, object]:
        """Cancel a tournament. Groups that were played are kept."""

        def act(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
            self.rights.check_cancels(tournament, by)
            if tournament.state == "cancelled":
                return None
            if tournament.state in OVER:
                raise tournament_over(tournament)
            tournament.state, tournament.finished_ms = "cancelled", self._clock().now_ms
            tournament.reason = printable(reason, 200) or "cancelled"
            return ()

        self.rights.check_visible(tournament_id, viewer_of(by))
        self.lifecycle.change(check_tournament_id(tournament_id), act)
        self.lifecycle.step(tournament_id)
        return self.view(tournament_id)

    def annul(self, game: str, by: str, reason: str) -> dict[str, object]:
        """Annul the group of a game, or a group given by its id in records. It no longer counts, and its
        records state the reason. Returns ``{"group", "reason", "by", "at_ms"}``. Raises ``game_not_found`` or
        ``group_not_over``.
        """
        return self._annulments.annul(game, by, reason)

    def annul_between(
        self, owners: Sequence[str], by: str, reason: str, cursor: str | None = None
    ) -> tuple[int, str | None]:
        """Annul the rated groups between bots of two owners; see
        :meth:`~arena.events.annulment.Annulments.annul_between`.
        """
        return self._annulments.annul_between(owners, by, reason, cursor)

    def collect(self, tournament_id: str) -> None:
        """Collect the results of a running tournament's live games whose records only a process with access
        to the archive can read.
        """
        tournament, _ = self.lifecycle.load(tournament_id)
        if tournament.state == "running":
            self._live_groups.collect(tournament)

    def record_changes(self, cursor: str | None = None, limit: int = 200) -> Page[RecordChange]:
        """Return the changes made to public records after their release, oldest first."""
        start = parse_number(cursor, 9)
        found = self._annulments.changes()
        return Page(found[start : start + limit], str(start + limit) if start + limit < len(found) else None)

    # Qualifying

    def qualify(self, kind: str, bot: str, version: str, preset: str | None = None) -> dict[str, object]:
        """Start the qualification of a version in a game, or restart it if it failed, and return its state.
        ``preset``: the preset for which it qualifies, by default the game's first one.

        Raises :class:`~arena.errors.UnknownPreset`, :class:`~arena.accounts.accounts.BotNotFound`,
        :class:`~arena.accounts.versions.VersionNotFound`, :class:`~arena.bots.GameNotPlayed`, or the errors
        of :func:`~arena.accounts.suspensions.check_plays`.
        """
        discipline = Discipline.of(kind, game_of(kind).preset(preset).rules)
        account = self._accounts.bot(bot)
        account.check_game(version, kind, "kind")
        check_plays(account, "bot")
        return self._admission.start_qualification(discipline, account, version).as_json(discipline)

    def qualify_added(self, bot: str, version: str) -> None:
        """Start the qualification of a newly added uploaded version in every game that it plays, unless it
        has already begun there. Safe to repeat. Qualifications that the owner's budget does not allow now,
        and those for presets that need their own, can be requested later by the owner.
        """
        begun = {
            discipline.kind for discipline, _ in self._qualifications.of(bot, version) if not discipline.apart
        }
        for kind in GAMES:
            if kind not in begun:
                try:
                    self.qualify(kind, bot, version)
                except StoreUnavailable:
                    raise
                except ArenaError as error:
                    log.info(
                        "the qualification of %s %s in %s cannot start now: %s", bot, version, kind, error
                    )

    def qualifications(self, bot: str, version: str) -> list[dict[str, object]]:
        """Return the qualifications of a version, for the owner of the bot."""
        self._accounts.bot(bot).find(version)
        return [known.as_json(discipline) for discipline, known in self._qualifications.of(bot, version)]

    def upload_view(self, upload: ReceivedUpload) -> dict[str, Any]:
        """The upload, with the qualifications of the version that was added from it."""
        found: list[dict[str, object]] = []
        if upload.state == "added":
            with suppress(VersionNotFound, BotNotFound):
                found = self.qualifications(upload.bot, upload.label)
        return {**vars(upload), "qualifications": found}

    def lacking(self, fields: Mapping[str, object], groups: int) -> list[str]:
        """Return the bots that a tournament with these ``fields`` would enter automatically and that have
        fewer than ``groups`` groups on its board. Also starts the qualification of bots that are online.
        """
        tournament = new_tournament(fields, "check", "", self._clock().now_ms, bytes(SEED_BYTES))
        self._admission.qualify_online(tournament)
        return self._admission.lacking(tournament, groups)

    def ranked(self, fields: Mapping[str, object]) -> list[str]:
        """Return the ranked bots that a tournament with these ``fields`` would enter automatically now."""
        tournament = new_tournament(fields, "check", "", self._clock().now_ms, bytes(SEED_BYTES))
        tournament.daily = True
        return self._admission.candidates(tournament)

    # Playing

    def step(self, tournament_id: str) -> TournamentStep:
        """Take the steps that are due: open entry, lock, plan a round, finish. Safe to repeat."""
        return self.lifecycle.step(check_tournament_id(tournament_id))

    def play_local_groups(self, tournament_id: str, seconds: float = 1.5) -> Played:
        """Play local groups for about ``seconds`` of processor time. Safe to run in several processes at
        once.
        """
        return self._local_groups.play(check_tournament_id(tournament_id), seconds)

    def note_ended_worker(self, ended: GroupAttempt) -> None:
        """Void an attempt during which a worker hung or crashed. After the second such attempt, bots are
        suspended. Safe to repeat.
        """
        self._local_groups.note_ended_worker(ended)

    def online(self) -> list[str]:
        """Return the bots that have polled for turns recently."""
        return self._live.presence.online()

    # Reading

    def view(self, tournament_id: str, viewer: Viewer | None = None) -> dict[str, Any]:
        """Return the tournament as it is published. Here and below, a private tournament is reported as not
        found if the ``viewer`` (None: the service itself) may not see it.
        """
        tournament, row = self.lifecycle.load(check_tournament_id(tournament_id))
        # Checked in the same row that is shown: an edit can have removed an organiser.
        self.rights.check_sees(tournament, viewer)
        return {
            **self._view(tournament, row),
            **self._moderation.apply(
                {
                    "entries": [entry.as_json() for entry in tournament.entries],
                    "edits": readable(f"edit of {tournament.id}", read_edit, tournament.edits),
                }
            ),
            "voids": readable(f"void of {tournament.id}", read_void, self.store.voids(tournament.id)),
        }

    def announcements(
        self, tournament_id: str, viewer: Viewer | None = None
    ) -> tuple[dict[str, Any], Sequence[Announcement]]:
        """Return the view of the tournament and its announcements, oldest first."""
        view = self.view(tournament_id, viewer)
        return view, announcements(view)

    def wait(
        self, tournament_id: str, since: int | None, seconds: float, viewer: Viewer | None = None
    ) -> dict[str, object] | None:
        """Return the view as soon as its ``version`` differs from ``since``, or None if that does not happen
        within ``seconds``.
        """
        name = check_tournament_id(tournament_id)
        until = time.monotonic() + seconds
        with self._live.notifier.waiting(tournament_topic(name)) as subscription:
            while True:
                view = self.view(name, viewer)
                if view["version"] != since:
                    return view
                left = until - time.monotonic()
                if left <= 0 or view["state"] in OVER or subscription.is_over:
                    return None
                subscription.wait(left)

    def list(
        self,
        *,
        state: str | None = None,
        kind: str | None = None,
        bot: str | None = None,
        ratings: bool | None = None,
        cursor: str | None = None,
        limit: int = 50,
        viewer: Viewer = ANYBODY,
    ) -> Page[dict[str, Any]]:
        """Return views, without entries and voids, of the tournaments that the viewer may see, newest first.
        ``state``: one of ``STATES``, or ``over``. ``bot`` restricts them to the stored tournaments in which a
        group with this bot is over, and ``ratings`` to those in which the arena rates bots, or to the others.
        A page can be short even though more follow: its cursor is None only at the end.
        """
        if kind is not None:
            game_of(kind)
        if state not in (None, "over", *STATES):
            raise ArenaError(
                f"{state!r} is not a valid state",
                code="invalid_tournament",
                field="state",
                expected="over or one of " + ", ".join(STATES),
            )
        wanted = OVER if state == "over" else STATES if state is None else (state,)
        return self._page(wanted, kind, bot, cursor, limit, viewer, ratings)

    def played_by(
        self, bots: Collection[str], limit: int, viewer: Viewer = ANYBODY
    ) -> Sequence[dict[str, Any]]:
        """Return views, without entries, of those of the newest ``limit`` tournaments in which a group with
        one of the bots is over that the viewer may see.
        """
        return self.listed([name for _, name in self._bot_games.tournaments_of(bots, limit)], viewer)

    def listed(self, names: Sequence[str], viewer: Viewer) -> Sequence[dict[str, Any]]:
        """Return views, without entries, of those of the tournaments that are listed for the viewer."""
        return [view for view in self._shown(names, self.rights.visibility(viewer)) if view is not None]

    def newest_present(self, limit: int) -> Sequence[dict[str, Any]]:
        """Return views, without entries, of the newest public tournaments that are not over."""
        return self._page(PRESENT, None, None, None, limit, ANYBODY).items

    def _page(
        self,
        states: Sequence[str],
        kind: str | None,
        bot: str | None,
        cursor: str | None,
        limit: int,
        viewer: Viewer,
        ratings: bool | None = None,
    ) -> Page[dict[str, Any]]:
        visibility = self.rights.visibility(viewer)

        def show(ids: Sequence[str]) -> Iterator[dict[str, Any] | None]:
            for view in self._shown(ids, visibility):
                fits = view is not None and view["state"] in states and kind in (None, view["kind"])
                if view is not None and ratings is not None:
                    fits = fits and is_rating(view) == ratings
                yield view if fits else None

        if bot is None:
            lists = [*lists_in(states, kind), *visibility.hidden_lists()]
            reads = 1 if ratings is None else _FILTER_READS
            return filled_page(partial(self.lists.page, lists), show, cursor, limit, reads)
        return filled_page(partial(self._bot_games.tournaments, bot), show, cursor, limit, reads=1)

    def each(self, names: Sequence[str]) -> Iterator[Tournament]:
        """Yield the named tournaments, except those that do not exist or cannot be read."""
        for start in range(0, len(names), _TOURNAMENTS_AT_ONCE):
            some = names[start : start + _TOURNAMENTS_AT_ONCE]
            for name, row in zip(some, self.store.load(some), strict=True):
                if row is not None:
                    found = shown_or_left_out(f"tournament {name}", partial(Tournament.loads, row.meta))
                    if found is not None:
                        yield found

    def present(
        self, viewer: Viewer = ANYBODY, *, cursor: str | None = None, limit: int = 50
    ) -> Page[dict[str, Any]]:
        """Return a page of views, without entries, of the public tournaments that are not over, by start
        time. The first page also contains the newest hidden ones that the viewer may see, at most as many
        again.
        """
        visibility = self.rights.visibility(viewer)

        def show(ids: Sequence[str]) -> list[dict[str, Any] | None]:
            return [
                view if view and view["state"] not in OVER else None for view in self._shown(ids, visibility)
            ]

        page = filled_page(self.lists.next, show, cursor, limit, reads=1)
        hidden = [] if cursor else self.present_hidden(viewer, limit)
        found = sorted([*page.items, *hidden], key=lambda view: (view["locks_ms"], view["id"]))
        return Page(found, page.cursor)

    def present_hidden(self, viewer: Viewer, limit: int) -> Sequence[dict[str, Any]]:
        """Return views, without entries, of the newest hidden tournaments that the viewer may see, of which
        only those that are not over. At most ``limit`` are read.
        """
        visibility = self.rights.visibility(viewer)
        names = [name for _, name in self.lists.page(visibility.hidden_lists(), None, limit)]
        return [view for view in self._shown(names, visibility) if view and view["state"] not in OVER]

    def organised_by(self, owner: str, limit: int, viewer: Viewer | None = None) -> Sequence[dict[str, Any]]:
        """Return views, without entries, of those of the newest tournaments that the owner organises that the
        viewer, by default the owner, may see.
        """
        names = [name for _, name in self.lists.page([TournamentList("organiser", owner)], None, limit)]
        visibility = self.rights.visibility(Viewer(owner=owner) if viewer is None else viewer)
        return [view for view in self._shown(names, visibility) if view is not None]

    def _shown(self, names: Sequence[str], visibility: Visibility) -> Iterator[dict[str, Any] | None]:
        """Yield the views of tournaments in a list, with None for those that are not listed. They are read a
        few at a time, so that other requests are answered between them.
        """
        for start in range(0, len(names), _VIEWS_AT_ONCE):
            some = names[start : start + _VIEWS_AT_ONCE]
            for name, row in zip(some, self.store.load(some), strict=True):
                yield None if row is None else self._listed(name, row, visibility)

    def _listed(self, name: str, row: TournamentRow, visibility: Visibility) -> dict[str, Any] | None:
        """The view of a tournament in a list, or None if it is not listed, is hidden from the viewer, or
        cannot be read.
        """

        def show() -> dict[str, object] | None:
            tournament = Tournament.loads(row.meta)
            tournament.spec.game.options.complete(tournament.spec.rules)
            if tournament.purpose or not visibility.lists(tournament):
                return None
            return self._view(tournament, row)

        return shown_or_left_out(f"tournament {name}", show)

    def progress(self, tournament_id: str) -> TournamentProgress:
        """Return the progress, which is also part of the view."""
        return self._progress(*self.lifecycle.load(check_tournament_id(tournament_id)))

    def standings(self, tournament_id: str, viewer: Viewer | None = None) -> PublishedStandings:
        """Return the final standings, or the live standings as last computed by a worker."""
        self.rights.check_visible(tournament_id, viewer)
        return self._live_standings.read(check_tournament_id(tournament_id))

    def update_standings(self, tournament_id: str) -> bool:
        """Compute the live standings if they are due, and return whether they were."""
        return self._live_standings.update(check_tournament_id(tournament_id))

    def record(self, game: str, viewer: Viewer) -> bytes:
        """Return the released record of a game, whether or not it belongs to a tournament; see
        :meth:`~arena.live.service.LiveGames.record`.
        """
        return self._live.record(game, self._viewer_of(game, viewer))

    def check_record(self, game: str, viewer: Viewer) -> None:
        """Raise what :meth:`record` would raise now; see
        :meth:`~arena.live.service.LiveGames.check_record`.
        """
        self._live.check_record(game, self._viewer_of(game, viewer))

    def _viewer_of(self, game: str, viewer: Viewer) -> Viewer:
        place = place_of(game)
        if place is not None:
            try:
                self.rights.check_visible(place.tournament, viewer)
            except TournamentNotFound:
                raise GameNotFound(f"there is no game {printable(game, 80)!r}", field="game") from None
            if place.tournament.startswith(PRIVATE_PREFIX):
                # Viewers who may see a private tournament may see all of its records.
                return viewer._replace(admin=True)
        return viewer

    def records(
        self, tournament_id: str, group: str | None = None, viewer: Viewer | None = None
    ) -> Iterator[bytes]:
        """Return the released records of all groups, or of ``group`` only, group by group. Each record is one
        line of JSON.
        """
        self.rights.check_visible(tournament_id, viewer)
        tournament, _ = self.lifecycle.load(check_tournament_id(tournament_id))
        return self._records.of(tournament, group)

    # Parts

    def _bot_entry(
        self,
        tournament: Tournament,
        name: str,
        version: str | None,
        nonce: str,
        now_ms: int,
        by: Principal | None,
    ) -> Entered:
        bot = self._accounts.bot(name)
        if not may_enter(by, bot):
            raise Forbidden(f"{name} is not yours", field="bot")
        check_plays(bot, "bot")
        label = bot.version if version is None else version
        bot.check_game(label, tournament.spec.kind, "bot")
        entry = Entered.of(bot, label, nonce=nonce, entered_ms=now_ms)
        check_entry(tournament.spec, [], tournament.marked(entry).entrant, tournament.guests)
        self._admission.admit(tournament, bot, entry)
        return entry

    def _view(self, tournament: Tournament, row: TournamentRow) -> dict[str, object]:
        with reading(f"tournament {tournament.id}"):
            return self._moderation.apply(self._fields(tournament, row))

    def _fields(self, tournament: Tournament, row: TournamentRow) -> dict[str, object]:
        final = tournament.final
        return {
            "id": tournament.id,
            **tournament.spec.as_json(),
            "preset": tournament.spec.preset,
            "rated": tournament.spec.rated,
            "state": tournament.state,
            "reason": tournament.reason or None,
            "created_by": tournament.created_by,
            "organisers": [] if tournament.purpose else tournament.organisers,
            "created_ms": tournament.created_ms,
            "started_ms": tournament.started_ms,
            "finished_ms": tournament.finished_ms,
            "commitment": commitment(bytes.fromhex(tournament.seed)),
            "seed": tournament.seed if tournament.state in OVER else None,
            "entries_hash": tournament.entries_hash or None,
            "places": places_view(tournament),
            "winners": winners_view(tournament),
            "records_hash": tournament.final_hash or None if final is None else final["records_hash"],
            "progress": self._progress(tournament, row),
            "version": row.changes,
        }

    def _progress(self, tournament: Tournament, row: TournamentRow) -> TournamentProgress:
        until = tournament.finished_ms or self._clock().now_ms
        seconds = 0.0 if tournament.started_ms is None else max(0.001, (until - tournament.started_ms) / 1000)
        planned = max(tournament.expected, row.planned)
        left = None
        if tournament.state == "running" and seconds >= _FEWEST_SECONDS:
            left = _left_s(self.store.pace(tournament.id), until, seconds, planned - row.done)
        return {
            "done": row.done,
            "planned": planned,
            "games": row.games,
            "games_per_s": round(row.games / seconds, 1) if seconds else 0.0,
            "left_s": left,
            "round": tournament.round,
            "state": tournament.state,
        }


def _left_s(pace: Mapping[int, int], now_ms: int, seconds: float, groups: int) -> float | None:
    """Estimate the seconds until ``groups`` more groups are over, or None if none ended recently. The
    estimate uses the last minute or, if that is shorter, the second half of the ``seconds`` played so far,
    because groups that end at once say nothing about the rest. ``pace`` maps each second to the number of
    groups that ended in it.
    """
    first = (now_ms - round(1000 * min(_WINDOW_SECONDS, seconds / 2))) // 1000
    over = sum(count for second, count in pace.items() if second >= first)
    return round((now_ms / 1000 - first) / over * groups, 1) if over else None


__all__ = ["EntryClosed", "EntryNotFound", "TournamentOver", "Tournaments"]
