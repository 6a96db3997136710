"""The composition root: builds the whole service over one store, for every process and test.

Parts are built in dependency order. Calls that would create a cycle are jobs (:class:`~arena.ops.jobs.Jobs`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from arena.accounts.accounts import Accounts
from arena.accounts.allowances import Budgets
from arena.accounts.bill import Bill
from arena.accounts.co_owners import CoOwners
from arena.accounts.identities import Identities
from arena.accounts.invitations import Invitations
from arena.accounts.payers import Payers
from arena.accounts.recovery import Recovery
from arena.accounts.sessions import Sessions
from arena.accounts.suspensions import Suspensions
from arena.accounts.upload_intake import Uploads
from arena.bots import HOUSE_BOTS, POOL
from arena.events.account_data import AccountData
from arena.events.adoption import ArchiveAdoption
from arena.events.boards import Boards
from arena.events.bot_games import BotGames
from arena.events.compaction import Compaction
from arena.events.comparisons import Comparisons
from arena.events.daily_play import DailyPlay
from arena.events.deletion import BotDeletion
from arena.events.exhibition import Exhibition
from arena.events.exports import Exports
from arena.events.game_cancellation import GameCancellation
from arena.events.histories import RecentHistories
from arena.events.matchups import BoardMatchups
from arena.events.moderation import Moderation
from arena.events.movements import BoardMovements
from arena.events.planning import DryRuns, GameTimes
from arena.events.requests import OrganiserRequests
from arena.events.runtimes import OtherRuntime, RuntimeReplaced, Runtimes
from arena.events.schedules import Schedules
from arena.events.search import Search
from arena.events.series import SeasonTables
from arena.events.service import Tournaments
from arena.events.styles import BoardStyles
from arena.events.tournament import TournamentNotFound
from arena.events.trial_games import TrialGames
from arena.events.uploaded_bots import SandboxedBots
from arena.events.visits import Visits
from arena.live.archiver import Archiver
from arena.live.header import GameNotFound
from arena.live.service import LiveGames
from arena.ops.jobs import PLAY_SECONDS, Job, Jobs
from arena.ops.rate_limits import Limits
from arena.ops.settings import Settings
from arena.people.best_hands import BestHands
from arena.people.challenges import Challenges
from arena.people.replays import Replays
from arena.people.reviews import Reviews
from arena.people.tables import PeopleTables
from arena.previews.previews import Previews
from arena.records.archive.archive import Archive
from arena.records.archive.objects import ArchiveUnavailable
from arena.records.archive.places import open_objects
from arena.sandbox.progress import EndedJob
from arena.store.amounts import DAY_MS
from arena.store.repositories import Store, open_store
from arena.webhooks.driver import Driver
from arena.webhooks.registration import Registration
from arena.webhooks.registry import Webhooks
from arena.webhooks.subscriptions import Subscriptions

TICK_SECONDS: Final = 2
"""The number of seconds between two ticks."""

HOUSE_SECONDS: Final = 0.2
"""The processor time for which one job moves the house bots of a game, before another payer's game takes its
turn. A move that has begun is completed.
"""

_LEASE_MS: Final = 5_000
"""Milliseconds after which a due tournament becomes due again if its step has not been performed."""

_TOURNAMENTS_AT_ONCE: Final = 100

_RECOUNT_MS: Final = 600_000
"""How often what the whole service stores is recounted, because logs, notes and replies expire."""

_COMPACT_PAUSE_MS: Final = 10_000
_COMPACT_SECONDS: Final = 1.0


@dataclass(frozen=True)
class Service:
    """The parts of the service, and the jobs that workers run. A job can run twice, even concurrently."""

    settings: Settings
    jobs: Jobs
    store: Store
    accounts: Accounts
    co_owners: CoOwners
    invitations: Invitations
    recovery: Recovery
    identities: Identities
    sessions: Sessions
    bot_deletion: BotDeletion
    account_data: AccountData
    exports: Exports
    registration: Registration
    organiser_requests: OrganiserRequests
    game_cancellation: GameCancellation
    moderation: Moderation
    uploads: Uploads
    payers: Payers
    budgets: Budgets
    bill: Bill
    suspensions: Suspensions
    limits: Limits
    live: LiveGames
    tournaments: Tournaments
    comparisons: Comparisons
    bot_games: BotGames
    search: Search
    dry_runs: DryRuns
    series: SeasonTables
    schedules: Schedules
    daily_play: DailyPlay
    exhibition: Exhibition
    boards: Boards
    matchups: BoardMatchups
    histories: RecentHistories
    movements: BoardMovements
    visits: Visits
    styles: BoardStyles
    compaction: Compaction
    webhooks: Webhooks
    subscriptions: Subscriptions
    runtimes: Runtimes
    people: PeopleTables
    challenges: Challenges
    replays: Replays
    previews: Previews
    reviews: Reviews
    trial_games: TrialGames
    best_hands: BestHands

    def webhook_driver(self) -> Driver:
        """A new driver, which posts turns to webhook bots."""
        return Driver(self.live, self.accounts, self.store.webhooks, self.settings.webhooks, self.store.signs)

    def archiver(self) -> Archiver:
        """A new archiver, which writes released records to the archive."""
        return Archiver(
            self.store,
            self.live.finished,
            self.settings.retention,
            lambda: ArchiveAdoption(self.store, self.tournaments, self.schedules),
            before=self.styles.update_all,
        )

    def close(self) -> None:
        """Wake all waiting requests and close all connections."""
        self.live.close()

    # Jobs

    def run(self, job: Job) -> None:
        """Run ``job``, and charge its processor time to the account that it belongs to."""
        with self.bill.job():
            getattr(self, job.name)(*job.args)

    def note_ended_worker(self, ended: EndedJob) -> None:
        """Charge the job during which a worker hung or crashed, and void the group that it played. Safe to
        repeat.
        """
        if ended.group is not None:
            self.tournaments.note_ended_worker(ended.group)
        if self.store.flags.first(f"charged-{ended.id}", DAY_MS):
            self.bill.ended(ended)

    def finish_game(self, game_id: str) -> None:
        """Store the record of a live game that has ended, and process its consequences."""
        self.bill.to(self.live.payer(game_id))
        self.live.finish(game_id)

    def move_house_bots(self, game_id: str, account: str) -> None:
        """Make the house bots of a game move for a while, until it waits for another player or until another
        game takes its turn.
        """
        self.bill.to(self.live.payer(game_id))
        try:
            done = self.live.move_house_bots(game_id, seconds=HOUSE_SECONDS)
        except GameNotFound:
            # The game ended and expired while the job waited.
            return
        if done.more:
            self.jobs.move_house_bots(game_id, account)

    def step_tournament(self, tournament_id: str) -> None:
        """Perform the steps of a tournament that are due, and request the resulting jobs."""
        try:
            step = self.tournaments.step(tournament_id)
        except TournamentNotFound:
            self.store.tournaments.settle(tournament_id, None)
            return
        if step.local_groups_due:
            self.jobs.play_local_groups(tournament_id, step.local_groups_due, step.payer)
        if step.standings_due:
            self.jobs.update_standings(tournament_id)

    def play_local_groups(self, tournament_id: str, slot: int, payer: str) -> None:
        """Play groups of a tournament for a while, then request another such job or the next round.

        Raises :class:`~arena.events.runtimes.OtherRuntime` or :class:`~arena.events.runtimes.RuntimeReplaced`
        if only another process can continue; the job for it has already been requested.
        """
        try:
            played = self.tournaments.play_local_groups(tournament_id, PLAY_SECONDS)
        except (OtherRuntime, RuntimeReplaced):
            self.jobs.play_more_groups(tournament_id, slot, payer)
            raise
        if played.done:
            self.step_tournament(tournament_id)
        elif played.more:
            self.jobs.play_more_groups(tournament_id, slot, payer)

    def update_standings(self, tournament_id: str) -> None:
        """Compute the live standings of a tournament."""
        try:
            self.tournaments.update_standings(tournament_id)
        except TournamentNotFound:
            return

    def publish_board(self, kind: str, division: str, preset: str | None = None) -> None:
        """Publish a leaderboard with newly released groups."""
        self.boards.publish(kind, division, preset)

    def compute_matchups(self, kind: str, division: str, preset: str) -> None:
        """Compute what is shown with a published leaderboard: its recent days, playing styles and
        matchups.
        """
        self.histories.update(kind, division, preset)
        # If there is an archive, the archiver does this.
        with suppress(ArchiveUnavailable):
            if self.styles.update(kind):
                self.jobs.compute_matchups(kind, division, preset)
        # This comes last, because a board without current matchups is computed again.
        self.matchups.compute(kind, division, preset)

    def check_upload(self, bot: str, upload: str, payer: str) -> None:
        """Compile and load an upload, and either make it a version and start its qualification, or refuse
        it.
        """
        self.uploads.check(bot, upload, self.tournaments.qualify_added)

    def prepare_replay(self, game_id: str, account: str) -> None:
        """Prepare the replay page of a game."""
        self.replays.prepare(game_id)

    def draw_preview(self, preview: str, account: str) -> None:
        """Draw the image of a link."""
        self.previews.draw(preview)

    def write_export(self, owner: str, account: str) -> None:
        """Write the export of an owner."""
        self.exports.write(owner)

    def review_game(self, game_id: str, seat: int, account: str) -> None:
        """Compute what a house bot would have done at each decision of a seat."""
        self.reviews.make(game_id, seat)

    def play_trial_game(self, trial: str, payer: str) -> None:
        """Play a game of a pasted source against a house bot.

        Raises :class:`~arena.events.runtimes.OtherRuntime` or :class:`~arena.events.runtimes.RuntimeReplaced`
        if only another process can play it; the job for it has already been requested.
        """
        try:
            self.trial_games.play(trial)
        except (OtherRuntime, RuntimeReplaced):
            self.jobs.play_trial_game(trial, payer)
            raise

    def find_best_hands(self) -> None:
        """Look for the best hands of the last day."""
        # If there is an archive, this process may not have access to it.
        with suppress(ArchiveUnavailable):
            self.best_hands.find()

    def deliver_announcements(self, subscription: str) -> None:
        """Post the announcements of a tournament to a webhook subscribed to it."""
        self.subscriptions.deliver(subscription)

    def tick(self) -> None:
        """Start what is due: schedules, daily play, exhibition games, tournaments, boards, matchups, uploads,
        announcements, compaction.

        There can be several schedulers, and ticks can pile up while no worker runs. Therefore only one tick
        in each half of a period does anything.
        """
        tournaments = self.store.tournaments
        if not self.store.flags.first("tick", 1000 * TICK_SECONDS // 2):
            return
        self.store.note_tick()
        self.schedules.fire()
        self.daily_play.announce()
        self.exhibition.keep()
        now_ms = self.store.clock().now_ms
        while due := tournaments.claim_due(now_ms, now_ms + _LEASE_MS, _TOURNAMENTS_AT_ONCE):
            for tournament_id in due:
                self.jobs.step_tournament(tournament_id)
        for bot, upload in self.uploads.due():
            self.jobs.check_upload(bot, upload, self.uploads.payer(bot, upload))
        for subscription in self.subscriptions.due():
            self.jobs.deliver_announcements(subscription)
        for board in self.boards.due():
            self.jobs.publish_board(*board)
        for board in self.matchups.due():
            self.jobs.compute_matchups(*board)
        if self.best_hands.is_due():
            self.jobs.find_best_hands()
        if self.store.flags.first("recount", _RECOUNT_MS):
            self.store.accounts.count_stored()
        if self.store.flags.first("compact", _COMPACT_PAUSE_MS):
            self.compaction.run(_COMPACT_SECONDS)


def open_service(settings: Settings, jobs: Jobs) -> Service:
    """Build the service over one pool of connections to the store, without starting anything.

    Raises the errors of :func:`~arena.store.repositories.open_store` and
    :func:`~arena.records.archive.places.open_objects`.
    """
    store = open_store(settings.redis_url, max_connections=settings.pool)
    store.prepared.most_bytes = settings.page_cache
    accounts = Accounts(
        store.accounts,
        settings.admin_token,
        {*HOUSE_BOTS, POOL},
        settings.quotas,
        lambda: store.clock().now_ms,
    )
    for texts in (store.journals, store.notes):
        texts.left, texts.count = accounts.bytes_left, accounts.count_bytes
    for documents in store.owned:
        documents.check, documents.count = accounts.check_owner_bytes, accounts.count_owner_bytes
    co_owners = CoOwners(store.accounts, accounts)
    invitations = Invitations(store, accounts, settings.quotas)
    provider = settings.http.provider
    identities = Identities(store, accounts, provider.issuer if provider and provider.proves_persons else "")
    recovery = Recovery(store.accounts, accounts, identities.forget)
    archive = Archive(open_objects(settings.archive)) if settings.archive else None
    moderation = Moderation(store, accounts)
    payers = Payers(store)
    budgets = Budgets(
        store,
        payers,
        accounts.is_admin,
        settings.budget,
        settings.guest_ms,
        settings.day_bytes,
        settings.daily,
        settings.exhibition_ms,
    )
    bill = Bill(budgets)
    live = LiveGames(
        store,
        jobs,
        retention=settings.retention,
        archive=archive,
        moderate=moderation.apply,
        check_payer=budgets.check,
        check_bytes=budgets.check_bytes,
        count_bytes=budgets.add_bytes,
        in_charge=payers.in_charge,
        house_games_at_once=_most(settings, "house_games_at_once_per_owner"),
    )
    runtimes = runtimes_of(store, is_own=settings.own_runtime)
    cancellation = GameCancellation(live, accounts)
    suspensions = Suspensions(store.accounts, accounts, cancellation.end_own)
    sandbox = SandboxedBots(accounts, runtimes)
    tournaments = Tournaments(
        store,
        live,
        accounts,
        jobs,
        sandbox,
        budgets,
        suspensions,
        moderation,
        bill.to,
        settings.quotas.tournaments,
    )
    webhooks = Webhooks(store.webhooks, store.clock, settings.webhooks)
    sessions = Sessions(store, accounts, invitations, recovery)
    uploads = Uploads(store, accounts, live.notifier, jobs, runtimes.ready, budgets, bill.rest_to)
    limits = Limits(store.limits, settings.http.limits)
    dry_runs = DryRuns(store.clock, budgets, GameTimes(store.game_times))
    schedules = Schedules(store, tournaments)
    boards = Boards(store, moderation)
    visits = Visits(store, boards, moderation)
    bot_deletion = BotDeletion(store, accounts, tournaments, live, boards)
    subscriptions = Subscriptions(
        store.subscriptions,
        webhooks,
        settings.webhooks,
        tournaments.announcements,
        accounts.acting,
        store.clock,
        bill.to,
    )
    account_data = AccountData(
        store,
        accounts,
        sessions,
        invitations,
        tournaments,
        schedules,
        subscriptions,
        live,
        moderation,
        co_owners,
        bot_deletion,
        cancellation,
        identities,
        visits,
    )
    people = PeopleTables(live, store, accounts, payers, _most(settings, "tables_at_once_per_address"))
    return Service(
        settings=settings,
        jobs=jobs,
        store=store,
        accounts=accounts,
        co_owners=co_owners,
        invitations=invitations,
        recovery=recovery,
        identities=identities,
        sessions=sessions,
        moderation=moderation,
        bot_deletion=bot_deletion,
        account_data=account_data,
        exports=Exports(
            store.prepared,
            store.accounts,
            store.journals,
            live.notifier,
            jobs,
            payers,
            account_data.document,
            budgets.check,
            bill.to,
        ),
        registration=Registration(accounts, uploads, webhooks, limits.spend),
        organiser_requests=OrganiserRequests(accounts, tournaments, dry_runs),
        game_cancellation=cancellation,
        uploads=uploads,
        payers=payers,
        budgets=budgets,
        bill=bill,
        suspensions=suspensions,
        limits=limits,
        live=live,
        tournaments=tournaments,
        comparisons=Comparisons(store, live, accounts, budgets, tournaments),
        bot_games=BotGames(store, live, accounts, moderation, tournaments.rights),
        search=Search(store.search, accounts, moderation, tournaments.listed),
        dry_runs=dry_runs,
        series=SeasonTables(store, tournaments, moderation),
        schedules=schedules,
        daily_play=DailyPlay(store, schedules, tournaments, budgets),
        exhibition=Exhibition(store, live, budgets),
        boards=boards,
        matchups=BoardMatchups(store, moderation),
        histories=RecentHistories(store, moderation),
        movements=BoardMovements(store, moderation),
        visits=visits,
        styles=BoardStyles(store, live.finished, moderation),
        compaction=Compaction(store),
        webhooks=webhooks,
        subscriptions=subscriptions,
        runtimes=runtimes,
        people=people,
        challenges=Challenges(live, people, store),
        replays=Replays(
            store.prepared,
            live.notifier,
            jobs,
            payers,
            partial(moderation.name, "bot"),
            budgets.check,
            bill.to,
        ),
        previews=Previews(store.prepared, live.notifier, jobs, payers, budgets.check, bill.to),
        reviews=Reviews(live, store.reviews, jobs, payers, budgets.check, bill.to),
        trial_games=TrialGames(
            store.trial_games,
            lambda: store.clock().now_ms,
            runtimes.ready,
            jobs.play_trial_game,
            budgets.check,
            bill.rest_to,
        ),
        best_hands=BestHands(store, live.finished, partial(moderation.name, "bot")),
    )


def _most(settings: Settings, name: str) -> int | None:
    """Return the number of a limit on what exists at a time, or None if it is off."""
    limit = settings.http.limits[name]
    return None if limit is None else limit.most


def runtimes_of(store: Store, *, is_own: bool = False) -> Runtimes:
    """Return the runtimes of uploaded bots for this process. ``is_own`` is passed to
    :class:`~arena.events.runtimes.Runtimes`.
    """
    return Runtimes(store.runtimes, lambda: store.clock().now_ms, is_own=is_own)
