"""The methods of the client that are made from the table of operations.

``python -m api.openapi.client_types`` makes this file, and a test compares it.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from arena.client.http import ServerEvent
from arena.client.operations import OperationCalls
from arena.client.types import (
    Annulment,
    Answer,
    AuditEntry,
    BoardSummary,
    Bot,
    BotGame,
    BotOwners,
    BotSeat,
    BotSummary,
    Clock,
    Comparison,
    CreatedLink,
    CreatedSubscription,
    DryRun,
    Entry,
    Event,
    EventGroup,
    EventPage,
    Exchange,
    Export,
    Game,
    GameLog,
    GameNotes,
    Guests,
    Health,
    HiddenText,
    HouseSeat,
    Invitation,
    InvitationQuota,
    Joined,
    NewInvitation,
    OpenSeat,
    Over,
    Owner,
    OwnOwner,
    Person,
    PresenceEnded,
    Qualification,
    Readiness,
    Reconnect,
    RecordChange,
    Schedule,
    Secret,
    Series,
    Source,
    Subscription,
    SuspendedBot,
    SuspendedOwner,
    SuspicionList,
    Template,
    ToepenRules,
    Tournament,
    TrucoRules,
    Turn,
    TurnPage,
    Upload,
    Version,
    View,
)

class Calls(OperationCalls):
    def sign_up(self, name: str, invitation: str | None = ...) -> str:
        """Sign up as an owner"""

    def me(self) -> OwnOwner:
        """Get the token's owner"""

    def replace_owner_token(self) -> str:
        """Replace the owner's token"""

    def revoke_owner_token(self) -> None:
        """Revoke the owner's token"""

    def sign_in_link(self) -> str:
        """Create a link that signs a browser in"""

    def export_owner(self) -> Export:
        """Export everything that is stored about the owner"""

    def delete_owner(self, confirm: str) -> str:
        """Delete the owner and all its bots"""

    def owner(self, owner: str) -> Owner:
        """Get an owner"""

    def invite(
        self,
        *,
        count: int | None = ...,
        people: Sequence[Person] | None = ...,
        roster: str | None = ...,
        expires_ms: int | str | None = ...,
    ) -> list[NewInvitation]:
        """Create invitations to sign up"""

    def invitations(self, roster: str | None = ..., *, limit: int | None = ...) -> Iterator[Invitation]:
        """List your invitations"""

    def revoke_invitation(self, invitation: str) -> Invitation:
        """Revoke an invitation"""

    def bots(self, *, limit: int | None = ..., owner: str | None = ...) -> Iterator[BotSummary]:
        """List bots by name"""

    def bot(self, bot: str) -> Bot:
        """Get a bot and its versions"""

    def bot_games(
        self,
        bot: str,
        *,
        kind: str | Literal["truco", "toepen"] | None = ...,
        preset: str | None = ...,
        against: str | None = ...,
        result: str | Literal["won", "lost", "drawn", "running"] | None = ...,
        limit: int | None = ...,
    ) -> list[BotGame]:
        """List the recent games of a bot, newest first"""

    def change_bot(
        self,
        bot: str,
        *,
        description: str = ...,
        tournaments: bool = ...,
        people: bool = ...,
        datasets: bool = ...,
        model: str = ...,
        game_cost: float | None = ...,
        state: str | Literal["active", "withdrawn"] = ...,
    ) -> Bot:
        """Change a bot"""

    def delete_bot(self, bot: str) -> Bot | None:
        """Delete a bot"""

    def uploads(self, bot: str) -> list[Upload]:
        """List the uploads of a bot that are being checked"""

    def upload(self, bot: str, upload: str, *, wait: float | None = ...) -> Upload:
        """Get an upload"""

    def publish_version(self, bot: str, version: str, published: bool = ...) -> Version:
        """Publish or hide the source of an uploaded version"""

    def source(self, bot: str, version: str) -> Source:
        """Get the source of an uploaded version"""

    def qualify(
        self, bot: str, version: str, kind: str | Literal["truco", "toepen"], *, preset: str | None = ...
    ) -> Qualification:
        """Start the qualification of a version"""

    def qualifications(self, bot: str, version: str) -> list[Qualification]:
        """List the qualifications of a version"""

    def game_log(self, bot: str, game: str) -> GameLog:
        """Get the log of an uploaded bot for one game"""

    def notes(self, bot: str, game: str) -> GameNotes:
        """Get the notes of a bot on its moves in a finished game"""

    def publish_notes(self, bot: str, game: str, published: bool = ...) -> GameNotes:
        """Publish or hide the notes of a bot on its moves in a finished game"""

    def replace_webhook_secret(self, bot: str, *, secret: str | None = ...) -> Secret:
        """Replace the signing secret of a webhook"""

    def replace_bot_token(self, bot: str) -> str:
        """Replace a bot's token"""

    def revoke_bot_token(self, bot: str) -> None:
        """Revoke a bot's token"""

    def bot_owners(self, bot: str) -> BotOwners:
        """List the owners of a bot"""

    def add_bot_owner(self, bot: str, owner: str) -> BotOwners:
        """Invite an owner to share a bot, or accept an invitation"""

    def remove_bot_owner(self, bot: str, owner: str) -> None:
        """Remove a co-owner of a bot, or an invitation"""

    def create_game(
        self,
        kind: str | Literal["truco", "toepen"],
        seats: Sequence[BotSeat | HouseSeat | OpenSeat],
        *,
        clock: Clock | None = ...,
        visibility: str | Literal["public", "private"] | None = ...,
        rules: TrucoRules | ToepenRules | None = ...,
    ) -> Game:
        """Create a game"""

    def games(
        self,
        *,
        limit: int | None = ...,
        kind: str | Literal["truco", "toepen"] | None = ...,
        state: str | Literal["waiting", "running", "finished", "cancelled", "void"] | None = ...,
        bot: str | None = ...,
    ) -> Iterator[Game]:
        """List games, newest first"""

    def game(
        self, game: str, *, seat: int | None = ..., since: int | None = ..., wait: float | None = ...
    ) -> View | None:
        """Get a game"""

    def join(self, game: str, seat: int | None = ..., nonce: str | None = ...) -> Joined:
        """Join a game"""

    def resign(self, game: str, seat: int | None = ...) -> Game:
        """Resign from a game"""

    def cancel_game(self, game: str) -> Game:
        """Cancel a game that is waiting for players"""

    def events(
        self,
        game: str,
        *,
        seat: int | None = ...,
        start: int | None = ...,
        limit: int | None = ...,
        wait: float | None = ...,
    ) -> EventPage:
        """List the events of a game"""

    def stream_events(
        self, game: str, *, seat: int | None = ..., last_event_id: str | None = ...
    ) -> Iterator[ServerEvent[Event | Over | Reconnect]]:
        """Stream the events of a game"""

    def turns(
        self,
        after: str | None = ...,
        *,
        wait: float | None = ...,
        rights: bool | None = ...,
        limit: int | None = ...,
        legal: str | Literal["list", "grammar", "none"] | None = ...,
        tournaments: bool | None = ...,
        leaving: bool | None = ...,
    ) -> TurnPage:
        """List the turns of the bot"""

    def exchange(
        self,
        answers: Sequence[Answer | object] | None = ...,
        after: str | None = ...,
        *,
        wait: float | None = ...,
        rights: bool | None = ...,
        limit: int | None = ...,
        legal: str | Literal["list", "grammar", "none"] | None = ...,
        tournaments: bool | None = ...,
        leaving: bool | None = ...,
    ) -> Exchange:
        """Answer turns and get the next ones"""

    def stream_turns(
        self, *, rights: bool | None = ..., tournaments: bool | None = ..., last_event_id: str | None = ...
    ) -> Iterator[ServerEvent[Turn | Reconnect]]:
        """Stream the turns of the bot"""

    def end_presence(self) -> PresenceEnded:
        """Go offline"""

    def create_tournament(
        self,
        *,
        name: str,
        description: str | None = ...,
        link: str | None = ...,
        format: str | Literal["round_robin", "swiss", "knockout", "open", "rating"],
        groups: int | None = ...,
        rounds: int | None = ...,
        max_entries: int | None = ...,
        per_owner: int | None = ...,
        who: str | Literal["anyone", "house", "invited"] | None = ...,
        division: str | Literal["sealed", "open", "models"] | None = ...,
        invited: Sequence[str] | None = ...,
        baseline: Sequence[str] | None = ...,
        auto_enter: bool | None = ...,
        rated: bool | None = ...,
        games_per_bot: int | None = ...,
        max_repeats: int | None = ...,
        tie_breaks: Sequence[Literal["head_to_head", "sonneborn_berger", "buchholz", "won", "fewest_faults"]]
        | None = ...,
        hidden: bool | None = ...,
        opens_ms: int | str | None = ...,
        locks_ms: int | str | None = ...,
        ends_ms: int | str | None = ...,
        invited_owners: Sequence[str] | None = ...,
        house: Sequence[str] | None = ...,
        clock: Clock | None = ...,
        kind: str | Literal["truco", "toepen"],
        rules: TrucoRules | ToepenRules | None = ...,
        preset: str
        | Literal[
            "base@1",
            "no-cut@1",
            "paulista@1",
            "paulista-2@1",
            "mineiro@1",
            "mineiro-2@1",
            "duel@1",
            "table-4@1",
        ]
        | None = ...,
        partners: str | Literal["same", "mixed"] | None = ...,
    ) -> Tournament:
        """Announce a tournament"""

    def plan_tournament(
        self,
        entrants: int | None = ...,
        *,
        name: str,
        description: str | None = ...,
        link: str | None = ...,
        format: str | Literal["round_robin", "swiss", "knockout", "open", "rating"],
        groups: int | None = ...,
        rounds: int | None = ...,
        max_entries: int | None = ...,
        per_owner: int | None = ...,
        who: str | Literal["anyone", "house", "invited"] | None = ...,
        division: str | Literal["sealed", "open", "models"] | None = ...,
        invited: Sequence[str] | None = ...,
        baseline: Sequence[str] | None = ...,
        auto_enter: bool | None = ...,
        rated: bool | None = ...,
        games_per_bot: int | None = ...,
        max_repeats: int | None = ...,
        tie_breaks: Sequence[Literal["head_to_head", "sonneborn_berger", "buchholz", "won", "fewest_faults"]]
        | None = ...,
        hidden: bool | None = ...,
        opens_ms: int | str | None = ...,
        locks_ms: int | str | None = ...,
        ends_ms: int | str | None = ...,
        invited_owners: Sequence[str] | None = ...,
        house: Sequence[str] | None = ...,
        clock: Clock | None = ...,
        kind: str | Literal["truco", "toepen"],
        rules: TrucoRules | ToepenRules | None = ...,
        preset: str
        | Literal[
            "base@1",
            "no-cut@1",
            "paulista@1",
            "paulista-2@1",
            "mineiro@1",
            "mineiro-2@1",
            "duel@1",
            "table-4@1",
        ]
        | None = ...,
        partners: str | Literal["same", "mixed"] | None = ...,
    ) -> DryRun:
        """Check a tournament without announcing it"""

    def tournament(
        self, tournament: str, *, since: int | None = ..., wait: float | None = ...
    ) -> Tournament | None:
        """Get a tournament"""

    def edit_tournament(
        self,
        tournament: str,
        *,
        name: str = ...,
        description: str = ...,
        link: str = ...,
        format: str | Literal["round_robin", "swiss", "knockout", "open", "rating"] = ...,
        groups: int = ...,
        rounds: int | None = ...,
        partners: str | Literal["same", "mixed"] = ...,
        max_entries: int = ...,
        per_owner: int = ...,
        who: str | Literal["anyone", "house", "invited"] = ...,
        division: str | Literal["sealed", "open", "models"] = ...,
        invited: Sequence[str] = ...,
        baseline: Sequence[str] = ...,
        auto_enter: bool = ...,
        rated: bool = ...,
        games_per_bot: int = ...,
        max_repeats: int = ...,
        tie_breaks: Sequence[
            Literal["head_to_head", "sonneborn_berger", "buchholz", "won", "fewest_faults"]
        ] = ...,
        hidden: bool = ...,
        opens_ms: int | str = ...,
        locks_ms: int | str = ...,
        ends_ms: int | str = ...,
        house: Sequence[str] = ...,
        clock: Clock = ...,
        kind: str | Literal["truco", "toepen"] = ...,
        rules: dict[str, object] = ...,
        preset: str = ...,
    ) -> Tournament:
        """Edit a tournament"""

    def clone_tournament(
        self,
        tournament: str,
        locks_ms: int | str,
        *,
        opens_ms: int | str | None = ...,
        ends_ms: int | str | None = ...,
        name: str | None = ...,
        description: str | None = ...,
        link: str | None = ...,
    ) -> Tournament:
        """Announce a tournament like an earlier one"""

    def stream_tournament(
        self, tournament: str, *, last_event_id: str | None = ...
    ) -> Iterator[ServerEvent[Tournament | Reconnect]]:
        """Stream the progress of a tournament"""

    def enter_tournament(
        self, tournament: str, bot: str, nonce: str | None = ..., version: str | None = ...
    ) -> Entry:
        """Enter a bot in a tournament"""

    def cancel_tournament(self, tournament: str, reason: str) -> Tournament:
        """Cancel a tournament"""

    def results(self, tournament: str) -> str:
        """Get the results per owner as CSV"""

    def groups(
        self, tournament: str, *, limit: int | None = ..., bot: str | None = ..., against: str | None = ...
    ) -> Iterator[EventGroup]:
        """List the groups of a tournament"""

    def guests(self, tournament: str) -> Guests:
        """List the invitations to a tournament"""

    def invite_owners(self, tournament: str, owners: Sequence[str]) -> Guests:
        """Invite owners to a tournament"""

    def uninvite_owner(self, tournament: str, owner: str) -> Guests:
        """Withdraw the invitation of an owner"""

    def create_invitation_link(self, tournament: str, expires_ms: int | str | None = ...) -> CreatedLink:
        """Create an invitation link for a tournament"""

    def revoke_invitation_link(self, tournament: str, link: str) -> Guests:
        """Revoke an invitation link"""

    def accept_invitation(self, tournament: str, code: str) -> Tournament:
        """Accept an invitation with its code"""

    def add_organiser(self, tournament: str, owner: str) -> Tournament:
        """Add a co-organiser"""

    def remove_organiser(self, tournament: str, owner: str) -> None:
        """Remove a co-organiser"""

    def subscribe(self, tournament: str, url: str, secret: str | None = ...) -> CreatedSubscription:
        """Subscribe a webhook to a tournament"""

    def subscriptions(self, tournament: str) -> list[Subscription]:
        """List your subscriptions to a tournament"""

    def unsubscribe(self, tournament: str, subscription: str) -> None:
        """Delete a subscription"""

    def ping_subscription(self, tournament: str, subscription: str) -> Subscription:
        """Post a test message to the URL of a subscription"""

    def create_comparison(
        self,
        bot: str,
        new: str,
        old: str,
        kind: str | Literal["truco", "toepen"],
        *,
        preset: str | None = ...,
        elo0: float | None = ...,
        elo1: float | None = ...,
        alpha: float | None = ...,
        beta: float | None = ...,
        most: int | None = ...,
    ) -> Comparison:
        """Compare two versions of a bot"""

    def comparisons(self, *, limit: int | None = ...) -> Iterator[Comparison]:
        """List your comparisons, newest first"""

    def comparison(
        self, comparison: str, *, since: int | None = ..., wait: float | None = ...
    ) -> Comparison | None:
        """Get a comparison"""

    def create_series(
        self,
        *,
        name: str,
        tournaments: Sequence[str] | None = ...,
        points: Sequence[float] | None = ...,
        best: int | None = ...,
        by: str | Literal["owner", "bot"] | None = ...,
        tie_breaks: Sequence[Literal["wins", "best", "last", "played"]] | None = ...,
    ) -> Series:
        """Create a series"""

    def series_list(self, owner: str | None = ..., *, limit: int | None = ...) -> Iterator[Series]:
        """List the series, newest first"""

    def series(self, series: str) -> Series:
        """Get a series"""

    def change_series(
        self,
        series: str,
        *,
        name: str = ...,
        tournaments: Sequence[str] = ...,
        points: Sequence[float] = ...,
        best: int | None = ...,
        by: str | Literal["owner", "bot"] = ...,
        tie_breaks: Sequence[Literal["wins", "best", "last", "played"]] = ...,
        done: Literal[True] = ...,
    ) -> Series:
        """Change a series"""

    def delete_series(self, series: str) -> None:
        """Delete a series"""

    def create_schedule(
        self,
        *,
        at_ms: int | str | None = ...,
        until_groups: int | None = ...,
        id: str,
        cron: str | None = ...,
        tournament: Template,
    ) -> Schedule:
        """Create a schedule"""

    def schedules(self) -> list[Schedule]:
        """List the schedules by id"""

    def schedule(self, schedule: str) -> Schedule:
        """Get a schedule"""

    def change_schedule(
        self,
        schedule: str,
        enabled: bool = ...,
        *,
        at_ms: int | str = ...,
        cron: str = ...,
        tournament: Template = ...,
    ) -> Schedule:
        """Change a schedule"""

    def delete_schedule(self, schedule: str) -> None:
        """Delete a schedule"""

    def leaderboards(self) -> list[BoardSummary]:
        """List the leaderboards"""

    def all_records(self, kind: str | Literal["truco", "toepen"] | None = ...) -> str:
        """Download the records of all public games at once, oldest first"""

    def record_changes(self, *, limit: int | None = ...) -> Iterator[RecordChange]:
        """List changes to records after their release"""

    def issue_owner_token(self, owner: str) -> str:
        """Issue a new token for an owner"""

    def set_admin(self, owner: str, admin: bool) -> Owner:
        """Grant or revoke the admin right of an owner"""

    def allow_invitations(self, owner: str, most: int) -> InvitationQuota:
        """Allow an owner to invite people"""

    def audit(self, *, limit: int | None = ...) -> Iterator[AuditEntry]:
        """List the actions of admins, newest first"""

    def annul_game(self, game: str, reason: str) -> Annulment:
        """Annul a game of a tournament"""

    def suspicions(
        self,
        kind: str | Literal["truco", "toepen"],
        division: str | Literal["sealed", "open", "models"],
        *,
        preset: str | None = ...,
    ) -> SuspicionList:
        """List suspected collusion"""

    def suspensions(self) -> list[SuspendedBot]:
        """List suspended bots and owners"""

    def lift_suspension(self, bot: str) -> None:
        """Lift the suspension of a bot"""

    def suspend_owner(self, owner: str, reason: str) -> SuspendedOwner:
        """Suspend an owner"""

    def unsuspend_owner(self, owner: str) -> None:
        """Lift the suspension of an owner"""

    def hidden_texts(self) -> list[HiddenText]:
        """List hidden texts"""

    def hide_text(
        self,
        of: str | Literal["owner", "bot", "tournament"],
        id: str,
        text: str | Literal["name", "description"],
        reason: str,
    ) -> HiddenText:
        """Hide a text"""

    def show_text(
        self,
        of: str | Literal["owner", "bot", "tournament"],
        id: str,
        text: str | Literal["name", "description"],
    ) -> None:
        """Unhide a text"""

    def is_alive(self) -> Health:
        """Check that the process is alive"""

    def is_ready(self) -> Readiness:
        """Check that the process can serve requests"""

    def metrics(self) -> str:
        """Get metrics in the Prometheus text format"""
