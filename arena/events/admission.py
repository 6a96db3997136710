"""Admission: qualification of entries, and automatic entry of bots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Final

from arena.accounts.accounts import Accounts, BotNotFound
from arena.accounts.allowances import Budgets
from arena.accounts.versions import BotAccount, VersionNotFound
from arena.bots.transports import SANDBOX, UnknownTransport
from arena.errors import ArenaError, CorruptState
from arena.events.board_ratings import board_ratings
from arena.events.qualification import RETRY_MS, Discipline, Qualification, Qualifications
from arena.events.tournament import COMPARISON, Entered, Tournament
from arena.events.tournament_records import TournamentRecords
from arena.play.board_names import SETTLED_GROUPS
from arena.play.clocks import ServiceClock
from arena.play.players import SEALED, PlayerId
from arena.store.boards import BoardStore
from arena.store.presence import ONLINE_MS, Presence, Sight
from arena.tournaments.entry import beyond_limit, check_entry

GRACE_MS: Final = 60_000
"""How long the lock is delayed for entries that are still qualifying."""

GONE_MS: Final = 120_000
"""The time without requests after which a bot that did not announce its departure is withdrawn from
tournaments in which it was entered automatically.
"""

_LOOK_MS: Final = 2_000


class Admission:
    """Checks the entries of tournaments until they lock."""

    def __init__(
        self,
        boards: BoardStore,
        clock: Callable[[], ServiceClock],
        presence: Presence,
        accounts: Accounts,
        qualifications: Qualifications,
        records: TournamentRecords,
        budgets: Budgets,
    ) -> None:
        self._boards = boards
        self._clock = clock
        self._presence = presence
        self._accounts = accounts
        self._qualifications = qualifications
        self._records = records
        self._budgets = budgets

    def admit(self, tournament: Tournament, bot: BotAccount, entry: Entered) -> None:
        """Set the status of a new entry, and start its qualification if it needs one."""
        discipline = _discipline(tournament)
        known = self.start_qualification(discipline, bot, entry.version)
        entry.status, entry.reason = known.state, _public_reason(known, discipline)

    def start_qualification(self, discipline: Discipline, bot: BotAccount, version: str) -> Qualification:
        """Return the qualification of a version, starting it if it has not begun or has failed. Starting
        takes one group from the owner's budget.

        Raises :class:`~arena.accounts.allowances.BudgetExceeded`.
        """
        (known,) = self._qualifications.known(discipline, [(bot.name, version)])
        if known is None or known.state == "failed":
            tries = 0 if known is None else known.tries
            self._budgets.start(bot.owner, f"{discipline.row(bot.name, version)}/{tries}", 1)
        return self._qualifications.start(discipline, bot, version)

    def take_groups(self, tournament: Tournament, planned: int, groups: int) -> None:
        """Take from the payer's budget the ``groups`` that a tournament plans in addition to those
        ``planned``. Taking them again has no effect. Raises
        :class:`~arena.accounts.allowances.BudgetExceeded`.
        """
        # The group of a qualification was taken from the budget when it was requested.
        if tournament.purpose in ("", COMPARISON) and groups:
            self._budgets.start(tournament.payer, f"{tournament.id}/{planned}", groups)

    def due_ms(self, tournament: Tournament) -> int:
        """Return when a tournament that is open for entry must next be checked."""
        if tournament.spec.auto_enter or _qualifying(tournament):
            return min(self._clock().now_ms + _LOOK_MS, tournament.spec.locks_ms + GRACE_MS)
        return tournament.spec.locks_ms

    def check(self, tournament: Tournament, now_ms: int) -> bool:
        """Update the entries that are qualifying, and start the qualification of bots to enter
        automatically.
        """
        self.qualify_online(tournament)
        return self._refresh(tournament)

    def qualify_online(self, tournament: Tournament) -> None:
        """Start the qualification of online bots that would be entered automatically.

        Qualifications for presets that need their own are not started, because a bot that plays the game
        might not support the preset; its owner must request them.
        """
        spec, discipline = tournament.spec, _discipline(tournament)
        if spec.auto_enter and spec.division != SEALED and not discipline.apart:
            for bot, known in self._with_qualification(discipline, self._not_entered(tournament)):
                if known is None or known.state != "qualified":
                    self._qualifications.start(
                        discipline, bot, bot.version, again_after_ms=RETRY_MS, auto=True
                    )

    def withdraw_absent(self, entries: Iterable[Entered], round_: int) -> bool:
        """Withdraw the automatic ``entries`` whose bots have left or no longer take part, and return whether
        there were any.
        """
        waiting = [
            one for one in entries if one.auto and one.status == "qualified" and not one.runner.arena_run
        ]
        if not waiting:
            return False
        names = [entry.name for entry in waiting]
        bots = {bot.name: bot for bot in self._accounts.listed(names)}
        since_ms = self._clock().now_ms - GONE_MS
        left = False
        for entry, sight in zip(waiting, self._presence.sights(names), strict=True):
            bot = bots.get(entry.name)
            if bot is None or not _takes_part(bot, sight, since_ms):
                entry.status, entry.reason, entry.withdrawn = "withdrawn", "the bot has left", round_
                left = True
        return left

    def may_lock(self, tournament: Tournament, now_ms: int) -> bool:
        """Return whether the lock is due and no longer delayed by an entry that is still qualifying."""
        if now_ms < tournament.spec.locks_ms:
            return False
        if now_ms >= tournament.spec.locks_ms + GRACE_MS:
            return True
        return not _qualifying(tournament)

    def close(self, tournament: Tournament, now_ms: int) -> None:
        """Lock entry: enter bots automatically, and exclude entries that have not qualified or were
        withdrawn.
        """
        if tournament.spec.auto_enter:
            entered = []
            for bot, known in self._candidates(tournament):
                if known.state != "qualified":
                    continue
                entry = tournament.marked(
                    Entered.of(bot, bot.version, entered_ms=now_ms, status="qualified", auto=True)
                )
                try:
                    check_entry(
                        tournament.spec,
                        [other.entrant for other in _in(tournament)],
                        entry.entrant,
                        tournament.guests,
                    )
                except ArenaError:
                    continue
                tournament.entries.append(entry)
                entered.append(bot.name)
            self._presence.note_entered(_board(tournament), entered, now_ms)
        if tournament.purpose:
            self.withdraw_absent(tournament.entries, 0)
        for entry in tournament.entries:
            if entry.status == "qualifying":
                entry.status, entry.reason = "failed", _late(_discipline(tournament))
            elif entry.status == "qualified" and not entry.source and (why := self._objection(entry)):
                entry.status, entry.reason = "withdrawn", why
        playing = [entry for entry in tournament.entries if entry.status == "qualified"]
        # Since the entry, bots may have been shared with other owners, and organisers may have been added.
        late = beyond_limit(tournament.spec, [tournament.marked(entry).entrant for entry in playing])
        for entry in playing:
            if entry.entrant in late:
                entry.status, entry.reason = "withdrawn", _TOO_MANY
        playing = [entry for entry in playing if entry.status == "qualified"]
        if not all(entry.runner.arena_run for entry in playing):
            for entry in playing:
                if entry.is_copy:
                    entry.status, entry.reason = "failed", "copies of a house bot can play only local groups"

    def lacking(self, tournament: Tournament, groups: int) -> list[str]:
        """Return the bots that would be entered automatically and have fewer than ``groups`` groups on the
        board, in the order of entry.

        Bots whose first qualification is in progress are included, but bots that failed it are not. The list
        is empty if the tournament counts for no board.
        """
        if not tournament.spec.rated:
            return []
        found = []
        candidates = self._candidates(tournament)
        played = self._played(tournament, [bot for bot, _ in candidates])
        for bot, known in candidates:
            if known.state != "qualified" and (known.state == "failed" or known.tries > 1):
                continue
            entry = tournament.marked(Entered.of(bot, bot.version))
            try:
                check_entry(
                    tournament.spec,
                    [other.entrant for other in tournament.entries],
                    entry.entrant,
                    tournament.guests,
                )
            except ArenaError:
                continue
            if played.get(entry.player, 0) < groups:
                found.append(bot.name)
        return found

    def candidates(self, tournament: Tournament) -> list[str]:
        """Return the qualified bots to enter automatically, in the order of entry."""
        return [bot.name for bot, known in self._candidates(tournament) if known.state == "qualified"]

    def online(self) -> list[str]:
        """Return the names of the bots that are online, sorted."""
        return self._presence.online()

    def finish_qualification(self, tournament: Tournament) -> None:
        """Store the result of a qualification."""
        self._qualifications.finish(tournament, self._records.of(tournament))

    def _refresh(self, tournament: Tournament) -> bool:
        waiting, discipline = _qualifying(tournament), _discipline(tournament)
        names = [(entry.name, entry.version) for entry in waiting]
        changed = False
        for entry, known in zip(waiting, self._qualifications.known(discipline, names), strict=True):
            if known is not None and known.state != entry.status:
                entry.status, entry.reason = known.state, _public_reason(known, discipline)
                changed = True
        return changed

    def _not_entered(self, tournament: Tournament) -> list[BotAccount]:
        """The online bots that take part in scheduled tournaments and have not entered this one."""
        online = [name for name in self._presence.online() if tournament.find(name) is None]
        sights = dict(zip(online, self._presence.sights(online), strict=True))
        since_ms = self._clock().now_ms - ONLINE_MS
        found = []
        for bot in self._accounts.listed(online):
            if not _takes_part(bot, sights[bot.name], since_ms):
                continue
            try:
                bot = self._accounts.bot(bot.name)
                entry = tournament.marked(Entered.of(bot, bot.version))
                check_entry(
                    tournament.spec,
                    [other.entrant for other in _in(tournament)],
                    entry.entrant,
                    tournament.guests,
                )
            except ArenaError:
                # The bot was deleted, or may not enter this tournament.
                continue
            if bot.is_active:
                found.append(bot)
        return found

    def _candidates(self, tournament: Tournament) -> list[tuple[BotAccount, Qualification]]:
        """The bots to enter automatically, with their qualifications. Bots with the fewest groups on the
        board come first; ties go to the bot that was entered longest ago, then to one drawn by lot. If there
        is not enough room for all, they therefore take turns. The first bots of all owners come before any
        second bot, so that a new bot meets many owners.

        In daily play, only ranked bots are entered, and those that were entered longest ago come first.
        """
        # Uploaded bots are always online, but not every bot plays every game: only bots that have
        # qualified are entered, and no qualification is started for them.
        sealed = tournament.spec.division == SEALED
        bots = self._uploaded(tournament) if sealed else self._not_entered(tournament)
        played, entered = self._played(tournament, bots), self._presence.entered(_board(tournament))

        def turn(candidate: tuple[BotAccount, Qualification]) -> tuple[int, int, bytes]:
            bot, _ = candidate
            lot = sha256(f"{tournament.id}/{bot.name}".encode()).digest()
            groups = 0 if tournament.daily else played.get(PlayerId(bot.name, bot.version), 0)
            return groups, entered.get(bot.name, 0), lot

        if tournament.daily:
            bots = [bot for bot in bots if played.get(PlayerId(bot.name, bot.version), 0) >= SETTLED_GROUPS]
        known = self._with_qualification(_discipline(tournament), bots)
        found = sorted([(bot, state) for bot, state in known if state is not None], key=turn)
        before = Counter[str]()
        places = []
        for bot, _ in found:
            places.append(before[bot.owner])
            before[bot.owner] += 1
        return [found[at] for at in sorted(range(len(found)), key=places.__getitem__)]

    def _with_qualification(
        self, discipline: Discipline, bots: list[BotAccount]
    ) -> list[tuple[BotAccount, Qualification | None]]:
        known = self._qualifications.known(discipline, [(bot.name, bot.version) for bot in bots])
        return list(zip(bots, known, strict=True))

    def _uploaded(self, tournament: Tournament) -> list[BotAccount]:
        """The uploaded bots that take part in scheduled tournaments, have not entered this one, and whose
        current version has qualified.
        """
        bots = [bot for bot in self._accounts.uploaded_bots() if tournament.find(bot.name) is None]
        found = []
        for bot, qualification in self._with_qualification(_discipline(tournament), bots):
            if qualification is None or qualification.state != "qualified":
                continue
            try:
                bot = self._accounts.bot(bot.name)
                if bot.takes_part and bot.current.runner is SANDBOX:
                    found.append(bot)
            except (BotNotFound, CorruptState, UnknownTransport, VersionNotFound):
                continue
        return found

    def _played(self, tournament: Tournament, bots: Iterable[BotAccount]) -> dict[PlayerId, int]:
        """The number of groups of each version of ``bots`` on the board of the tournament's rules."""
        board = tournament.spec.board(tournament.spec.division)
        found = board_ratings(self._boards, board, [bot.name for bot in bots])
        return {player: rating.groups for player, rating in found.items()}

    def _objection(self, entry: Entered) -> str:
        """The reason why the bot may not be seated, or an empty string if it may. Also updates the co-owners
        of the entry.
        """
        try:
            bot = self._accounts.bot(entry.name)
        except (BotNotFound, CorruptState):
            return _WITHDRAWN
        entry.co_owners = list(bot.co_owners)
        if bot.suspended is not None:
            return "the bot is suspended"
        return "" if bot.is_active else _WITHDRAWN


_WITHDRAWN: Final = "the bot was withdrawn from new games"
_TOO_MANY: Final = "owners who share bots have together entered more bots than one owner may"


def _takes_part(bot: BotAccount, sight: Sight, since_ms: int) -> bool:
    """Whether a bot that the arena does not run takes part in scheduled tournaments and was seen after
    ``since_ms``.
    """
    at_ms = sight.seen_ms if bot.tournaments else sight.willing_ms
    return bot.tournaments is not False and at_ms is not None and at_ms >= since_ms


def _discipline(tournament: Tournament) -> Discipline:
    """The discipline for which entries must qualify."""
    return Discipline.of(tournament.spec.kind, tournament.spec.rules)


def _public_reason(known: Qualification, discipline: Discipline) -> str:
    """The public reason for an entry's status. Details of the qualification are visible only to the bot's
    owner.
    """
    if known.state != "failed":
        return ""
    if discipline.apart:
        return f"the version did not qualify with preset {discipline.preset}; its owner can see why and retry"
    return "the version did not qualify; its owner can see why"


def _late(discipline: Discipline) -> str:
    if discipline.apart:
        preset = f"preset {discipline.preset}"
        return f"its qualification with {preset} was not over in time; its owner can request that sooner"
    return "its qualification was not over in time"


def _board(tournament: Tournament) -> str:
    spec = tournament.spec
    board = spec.board(spec.division)
    return f"{spec.kind}//{spec.division}" if board is None else board.key


def _qualifying(tournament: Tournament) -> list[Entered]:
    return [entry for entry in tournament.entries if entry.status == "qualifying"]


def _in(tournament: Tournament) -> list[Entered]:
    return [entry for entry in tournament.entries if entry.status not in ("withdrawn", "failed")]
