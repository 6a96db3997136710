"""The store: one set of connections to the database, and the repositories for everything in it.

Domain code receives a :class:`Store`, or one of its repositories. Only this package uses Redis keys, scripts
and commands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from arena.play.clocks import ServiceClock
from arena.store.accounts import ACCOUNT_SCRIPTS, AccountStore
from arena.store.boards import BOARD_SCRIPTS, BoardStore, board_key
from arena.store.bot_games import BotGameStore
from arena.store.challenges import ChallengeStore
from arena.store.connection import PoolFigures, RedisConnection, connect
from arena.store.counters import COUNTER_SCRIPTS, BudgetStore, LimitStore, UsageStore
from arena.store.documents import (
    DOCUMENT_SCRIPTS,
    DocumentParts,
    Documents,
    ExpiringRows,
    Flags,
    OwnedDocuments,
    invited_by,
)
from arena.store.format_1 import FormerRecords
from arena.store.format_4 import FormerBotGames
from arena.store.format_5 import FormerLogs
from arena.store.format_7 import FormerNames
from arena.store.game_index import INDEX_SCRIPTS, GameIndex
from arena.store.games import GAME_SCRIPTS, GameStore
from arena.store.identity import IDENTITY_SCRIPTS, Identity
from arena.store.journals import JOURNAL_SCRIPTS, JournalStore
from arena.store.liveness import Signs
from arena.store.notes import NOTE_SCRIPTS, NoteStore
from arena.store.notifications import Notifier
from arena.store.prepared import PREPARED_SCRIPTS, PreparedPages
from arena.store.presence import Presence
from arena.store.readings import READING_SCRIPTS, ReadingStore
from arena.store.records import RECORD_SCRIPTS, RecordStore
from arena.store.replies import REPLY_SCRIPTS, ReplyStore
from arena.store.runtimes import RUNTIME_SCRIPTS, RuntimeStore
from arena.store.search import SearchIndex
from arena.store.stats import TICKED, DatabaseStats, LiveStats, database_stats, live_stats
from arena.store.tournament_lists import TOURNAMENT_LIST_SCRIPTS, TournamentLists
from arena.store.tournaments import TOURNAMENT_SCRIPTS, TournamentStore
from arena.store.unfinished import UnfinishedStore
from arena.store.uploads import UPLOAD_SCRIPTS, UploadStore
from arena.store.watchers import WatcherStore
from arena.store.webhooks import WEBHOOK_SCRIPTS, WebhookStore

_AT_ONCE: Final = 100

_SCRIPTS: Final = (
    *GAME_SCRIPTS,
    *INDEX_SCRIPTS,
    *TOURNAMENT_SCRIPTS,
    *TOURNAMENT_LIST_SCRIPTS,
    *BOARD_SCRIPTS,
    *DOCUMENT_SCRIPTS,
    *ACCOUNT_SCRIPTS,
    *UPLOAD_SCRIPTS,
    *WEBHOOK_SCRIPTS,
    *COUNTER_SCRIPTS,
    *IDENTITY_SCRIPTS,
    *RECORD_SCRIPTS,
    *RUNTIME_SCRIPTS,
    *REPLY_SCRIPTS,
    *NOTE_SCRIPTS,
    *JOURNAL_SCRIPTS,
    *READING_SCRIPTS,
    *PREPARED_SCRIPTS,
)


class Store:
    """The repositories, sharing one connection (a pool, or a cluster).

    Every method of every repository can raise :class:`~arena.store.connection.StoreUnavailable`.
    """

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection
        self.identity = Identity(connection)
        self.games = GameStore(connection)
        self.game_index = GameIndex(connection)
        self.tournaments = TournamentStore(connection)
        self.tournament_lists = TournamentLists(connection)
        self.bot_games = BotGameStore(connection)
        self.search = SearchIndex(connection)
        self.boards = BoardStore(connection)
        self.matchups = DocumentParts(connection, lambda board: f"{board_key(board)}:matchups")
        self.styles = DocumentParts(connection, lambda kind: f"{{styles:{kind}}}")
        self.schedules = OwnedDocuments(connection, "schedules", _field("created_by"))
        self.subscriptions = OwnedDocuments(connection, "subscriptions", _field("owner"))
        self.qualifications = Documents(connection, "qualified")
        self.annulments = Documents(connection, "annulled")
        self.series = OwnedDocuments(connection, "series", _field("owner"))
        self.game_times = Documents(connection, "game-times")
        self.visits = Documents(connection, "visits")
        self.exhibition = Documents(connection, "exhibition")
        self.best_hands = Documents(connection, "best-hands")
        self.watchers = WatcherStore(connection)
        self.flags = Flags(connection)
        self.accounts = AccountStore(connection)
        self.sessions = ExpiringRows(connection, "session")
        self.sign_ins = ExpiringRows(connection, "sign-in")
        self.sign_ups = ExpiringRows(connection, "sign-up")
        self.identities = Documents(connection, "identity", key="identities")
        self.proven_identities = ExpiringRows(connection, "proven-identity")
        self.invitations = ExpiringRows(connection, "code")
        self.links = ExpiringRows(connection, "link")
        self.prepared = PreparedPages(connection)
        self.challenges = ChallengeStore(connection)
        self.reviews = ExpiringRows(connection, "review")
        self.trial_games = ExpiringRows(connection, "trial-game")
        self.unfinished = UnfinishedStore(connection)
        self.moderation = Documents(connection, "hidden text", key="shown")
        self.uploads = UploadStore(connection)
        self.refusals = ExpiringRows(connection, "refused")
        self.journals = JournalStore(connection)
        self.notes = NoteStore(connection)
        self.readings = ReadingStore(connection)
        self.webhooks = WebhookStore(connection)
        self.limits = LimitStore(connection)
        self.budgets = BudgetStore(connection)
        self.usage = UsageStore(connection)
        self.payers = ExpiringRows(connection, "payer")
        self.replies = ReplyStore(connection)
        self.records = RecordStore(connection)
        self.former_records = FormerRecords(connection)
        self.former_bot_games = FormerBotGames(connection)
        self.former_logs = FormerLogs(connection)
        self.former_names = FormerNames(connection)
        self.runtimes = RuntimeStore(connection)
        self.presence = Presence(connection, self.games.clock)
        self.signs = Signs(connection, self.games.clock)

    @property
    def owned(self) -> Sequence[OwnedDocuments]:
        """The documents that count in the quotas of owners, except invitations."""
        return self.schedules, self.subscriptions, self.series

    def invited_by(self, owner: str) -> OwnedDocuments:
        """Return the sign-up invitations that an owner has made."""
        found = OwnedDocuments(self._connection, invited_by(owner), lambda row: owner)
        found.check, found.count = self.series.check, self.series.count
        return found

    def tournament_names(self) -> Iterator[str]:
        """Yield the names of all tournaments: first those of qualifications, which are not listed, and then
        the others, newest first.
        """
        yield from (row[1] for row in self.qualifications.all().values() if isinstance(row, list))
        before = None
        while members := self.tournaments.page(before, _AT_ONCE):
            before = members[-1]
            yield from (member.name for member in members)

    def notifier(self, on_change: Callable[[str, int], None]) -> Notifier:
        """Return a notifier for this process; ``on_change(game, version)`` is called for every step."""
        return Notifier(self._connection, on_change)

    def clock(self) -> ServiceClock:
        """Return the server's clock, which all processes share, from a reading at most a second old."""
        return self.games.clock()

    def stats(self) -> LiveStats:
        """Count the games by state, in one round trip."""
        return live_stats(self._connection)

    def database_stats(self) -> DatabaseStats | None:
        """Return the figures of a single server, or None for a cluster."""
        return database_stats(self._connection, self.clock().now_ms)

    def pool(self) -> PoolFigures | None:
        """Return the figures of this process's connection pool to a single server, or None for a cluster."""
        return self._connection.pool()

    def note_tick(self) -> None:
        """Record that a scheduler tick ran."""
        self._connection.run([("SET", TICKED, self.clock().now_ms)])

    def ping(self) -> None:
        """Raise :class:`~arena.store.connection.StoreUnavailable` if the server does not respond."""
        self._connection.run([("PING",)])

    def check_ready(self) -> None:
        """Check that the database accepts writes and is the one that this process started with.

        Raises :class:`~arena.store.connection.StoreUnavailable` or
        :class:`~arena.store.identity.StoreReplaced`.
        """
        self.identity.check()
        self.identity.check_writable()

    def check_incarnation(self) -> None:
        """Check whether the server was restarted, and if so run the registered callbacks."""
        self._connection.check_incarnation()

    def close(self) -> None:
        """Close all connections."""
        self._connection.close()


def _field(name: str) -> Callable[[Any], str]:
    """Return a function that returns a field of a row, which can be unreadable."""
    return lambda row: str(row.get(name, "")) if isinstance(row, dict) else ""


def open_store(url: str, *, max_connections: int = 64) -> Store:
    """Return the store at a ``redis://``, ``rediss://``, ``unix://`` or ``redis+cluster://`` URL (of any
    node).

    ``max_connections`` is the maximum number of connections to a single server. Raises
    :class:`~arena.errors.ArenaError` (``invalid_store_url``) for any other URL, and
    :class:`~arena.store.connection.StoreUnavailable` if a cluster does not respond.
    """
    return Store(connect(url, _SCRIPTS, max_connections=max_connections))


__all__ = ["Store", "open_store"]
