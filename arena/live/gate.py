"""Who may be paired: qualification of what has entered, and the bots that are entered by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from arena.errors import ArenaError
from arena.live.accounts import Accounts, UnknownBot
from arena.live.clocks import ServiceClock
from arena.live.event import Entered, Event
from arena.live.published import published
from arena.live.qualification import RETRY_MS, Qualifications
from arena.live.store_presence import Presence
from arena.live.store_tournaments import TournamentStore
from arena.live.versions import BotAccount
from arena.ratings.results import SEALED, Player
from arena.tournaments.entry import check_entry

GRACE_MS: Final = 60_000
"""The lock waits at most so long for those who are qualifying."""

_LOOK_MS: Final = 2_000


class Gate:
    """What happens to entries until the lock. ``records(event)``: those of a finished qualification."""

    def __init__(
        self,
        store: TournamentStore,
        clock: Callable[[], ServiceClock],
        presence: Presence,
        accounts: Accounts,
        qualifications: Qualifications,
        records: Callable[[Event], Iterator[bytes]],
    ) -> None:
        self._store = store
        self._clock = clock
        self._presence = presence
        self._accounts = accounts
        self._qualifications = qualifications
        self._records = records

    def admit(self, event: Event, bot: BotAccount, entry: Entered) -> None:
        """Set the status of a new entry; its qualification is begun if it must be."""
        known = self._qualifications.start(event.spec.kind, bot, entry.version)
        entry.status, entry.reason = known.state, known.reason

    def due_ms(self, event: Event) -> int:
        """When a tournament whose entry is open has to be looked at."""
        if event.spec.auto_enter or _qualifying(event):
            return min(self._clock().now_ms + _LOOK_MS, event.spec.locks_ms + GRACE_MS)
        return event.spec.locks_ms

    def look(self, event: Event, now_ms: int) -> bool:
        """See who has qualified meanwhile, and let those begin who will be entered by themselves."""
        if event.spec.auto_enter and event.spec.division != SEALED:
            for bot in self._uninvited(event):
                self._qualifications.start(event.spec.kind, bot, bot.version, again_after_ms=RETRY_MS)
        return self._refresh(event)

    def may_lock(self, event: Event, now_ms: int) -> bool:
        """Whether it is time, and nobody is waited for."""
        if now_ms < event.spec.locks_ms:
            return False
        if now_ms >= event.spec.locks_ms + GRACE_MS:
            return True
        return not _qualifying(event)

    def close(self, event: Event, now_ms: int) -> None:
        """The lock: enter who enters by itself, leave out who has not qualified or was withdrawn."""
        if event.spec.auto_enter:
            # Uploaded bots are always there, but not every one plays every game: only those that have
            # qualified, and none is asked to.
            sealed = event.spec.division == SEALED
            bots = self._uploaded(event) if sealed else self._uninvited(event)
            names = [(bot.name, bot.version) for bot in bots]
            for bot, known in zip(bots, self._qualifications.known(event.spec.kind, names), strict=True):
                if known is None or known.state != "qualified":
                    continue
                entry = Entered(
                    bot.name,
                    bot.version,
                    bot.owner,
                    entered_ms=now_ms,
                    status="qualified",
                    uploaded=sealed,
                )
                try:
                    check_entry(event.spec, [other.entrant for other in _in(event)], entry.entrant)
                except ArenaError:
                    continue
                event.entries.append(entry)
        for entry in event.entries:
            if entry.status == "qualifying":
                entry.status, entry.reason = "failed", "its qualification was not over in time"
            elif entry.status == "qualified" and not entry.source and self._withdrawn(entry):
                entry.status, entry.reason = "withdrawn", "the bot was withdrawn from new games"
        playing = [entry for entry in event.entries if entry.status == "qualified"]
        if not all(entry.arena_run for entry in playing):
            for entry in playing:
                if entry.is_copy:
                    entry.status, entry.reason = "failed", "several of a house bot meet only house bots"

    def lacking(self, event: Event, groups: int) -> list[str]:
        """The uploaded bots that would be entered by themselves and have fewer than so many groups on the
        board, those with the fewest first.
        """
        found = []
        played = self._played(event)
        for bot in self._uploaded(event):
            entry = Entered(bot.name, bot.version, bot.owner, uploaded=True)
            try:
                check_entry(event.spec, [other.entrant for other in event.entries], entry.entrant)
            except ArenaError:
                continue
            if played.get(entry.player, 0) < groups:
                found.append(bot.name)
        return found

    def online(self) -> list[str]:
        """The bots that are online, by name."""
        return self._presence.online()

    def note(self, event: Event) -> None:
        """A qualification is over."""
        self._qualifications.note(event, self._records(event))

    def _refresh(self, event: Event) -> bool:
        waiting = _qualifying(event)
        names = [(entry.name, entry.version) for entry in waiting]
        changed = False
        for entry, known in zip(waiting, self._qualifications.known(event.spec.kind, names), strict=True):
            if known is not None and known.state != entry.status:
                entry.status, entry.reason = known.state, known.reason
                changed = True
        return changed

    def _uninvited(self, event: Event) -> list[BotAccount]:
        """The bots that are online and have not entered."""
        found = []
        for name in self._presence.online():
            if event.find(name) is not None:
                continue
            try:
                bot = self._accounts.bot(name)
                entry = Entered(bot.name, bot.version, bot.owner, uploaded=bot.current.uploaded)
                check_entry(event.spec, [other.entrant for other in _in(event)], entry.entrant)
            except ArenaError:
                # Deleted, or not allowed here.
                continue
            if bot.state == "active":
                found.append(bot)
        return found

    def _uploaded(self, event: Event) -> list[BotAccount]:
        """The uploaded bots that have qualified in their present version and have not entered; those with
        the fewest groups on the board first, so that everybody has a turn where there is no room for all.
        """
        bots = [bot for bot in self._accounts.uploaded_bots() if event.find(bot.name) is None]
        names = [(bot.name, bot.version) for bot in bots]
        known = self._qualifications.known(event.spec.kind, names)
        found = []
        for bot, qualification in zip(bots, known, strict=True):
            if qualification is None or qualification.state != "qualified":
                continue
            try:
                bot = self._accounts.bot(bot.name)
            except UnknownBot:
                continue
            if bot.current.uploaded:
                found.append(bot)
        played = self._played(event)
        return sorted(found, key=lambda bot: played.get(Player(bot.name, bot.version), 0))

    def _played(self, event: Event) -> dict[Player, int]:
        """How many groups every version has on the board of the sealed."""
        board = published(self._store, event.spec.kind, SEALED)
        return {player: rating["groups"] for player, rating in board.items()}

    def _withdrawn(self, entry: Entered) -> bool:
        try:
            return self._accounts.bot(entry.name).state == "withdrawn"
        except UnknownBot:
            return True


def _qualifying(event: Event) -> list[Entered]:
    return [entry for entry in event.entries if entry.status == "qualifying"]


def _in(event: Event) -> list[Entered]:
    return [entry for entry in event.entries if entry.status not in ("withdrawn", "failed")]
