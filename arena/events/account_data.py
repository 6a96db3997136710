"""Everything stored about an owner: its export as one document, and its deletion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol, cast

from arena.accounts.accounts import Accounts
from arena.accounts.co_owners import CoOwners
from arena.accounts.identities import Identities
from arena.accounts.invitations import Invitations
from arena.accounts.records import BotSettings
from arena.accounts.sessions import Sessions
from arena.accounts.uploads import Language
from arena.accounts.versions import BotAccount, Version
from arena.declarations import settings_of
from arena.errors import ArenaError
from arena.events.bot_games import games_of_arena
from arena.events.deletion import BotDeletion, tried
from arena.events.exports import Log, Source, export_page
from arena.events.game_cancellation import GameCancellation
from arena.events.moderation import Moderation
from arena.events.schedules import Schedules
from arena.events.service import Tournaments
from arena.events.visits import Visits
from arena.live.header import Viewer
from arena.live.service import LiveGames
from arena.store.game_index import GameList
from arena.store.repositories import Store

FORMAT: Final = "botequim-account@1"

GONE: Final = "the account of its organiser was deleted"
CREATOR_GONE: Final = "the account of its creator was deleted"
"""The reasons given when a tournament or a game is cancelled."""

_AT_ONCE: Final = 100


class NotConfirmed(ArenaError):
    """The deletion of an account was not confirmed with the account's name."""

    code = "not_confirmed"


class RowsOfOwners(Protocol):
    """Rows stored by a part of the service that this package does not import."""

    def exported(self, owner: str) -> list[dict[str, object]]: ...
    def forget(self, owner: str) -> None: ...


class AccountData:
    """All data of one owner, in every part of the service."""

    def __init__(
        self,
        store: Store,
        accounts: Accounts,
        sessions: Sessions,
        invitations: Invitations,
        tournaments: Tournaments,
        schedules: Schedules,
        subscriptions: RowsOfOwners,
        live: LiveGames,
        moderation: Moderation,
        co_owners: CoOwners,
        bot_deletion: BotDeletion,
        cancellation: GameCancellation,
        identities: Identities,
        visits: Visits,
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._co_owners = co_owners
        self._bot_deletion = bot_deletion
        self._cancellation = cancellation
        self._identities = identities
        self._visits = visits
        self._sessions = sessions
        self._invitations = invitations
        self._tournaments = tournaments
        self._schedules = schedules
        self._subscriptions = subscriptions
        self._live = live
        self._moderation = moderation

    # Export

    def document(self, owner: str) -> dict[str, object]:
        """Return everything stored about an owner and its bots, except secrets, as a JSON-ready value with
        iterators for long lists; see :func:`~arena.events.exports.pieces_of`.
        """
        known = self._accounts.owner(owner)
        announced, entries = self._in_tournaments(owner)
        return {
            "format": FORMAT,
            "exported_ms": self._store.clock().now_ms,
            "owner": {"name": known.name, "created_ms": known.created_ms, "admin": known.admin},
            "bots": (self._bot(bot) for bot in self._bots(owner)),
            "shared_bots": self._co_owners.shared(owner),
            "bot_invitations": self._co_owners.invitations(owner),
            "tournaments": announced,
            "entries": entries,
            "series": [row for row in self._store.series.all().values() if row["owner"] == owner],
            "identity": self._identities.of(owner),
            "visits": self._visits.exported(owner),
            "invitations": self._invitations.list(owner),
            "schedules": [one for one in self._schedules.list() if one["created_by"] == owner],
            "subscriptions": self._subscriptions.exported(owner),
            "comparisons": self._comparisons(owner),
        }

    def _bot(self, name: str) -> dict[str, object]:
        bot = self._accounts.bot(name)
        return {
            "name": name,
            **{setting: getattr(bot, setting) for setting in settings_of(BotSettings)},
            "state": bot.state,
            "version": bot.version or None,
            "created_ms": bot.created_ms,
            "webhook": bool(self._accounts.signing_secrets(name)),
            "co_owners": list(bot.co_owners),
            "suspended": None if bot.suspended is None else bot.suspended.reason,
            "versions": (self._version(bot, version) for version in bot.versions),
            "games": self._games(name),
            "logs": (Log(name, game) for game in self._tournaments.journals.games(name)),
            "notes": (
                {
                    "game": one.game,
                    "published": one.published,
                    "notes": [{"after": after, "note": note} for after, note in one.notes.items()],
                }
                for one in self._live.notes.all(name)
            ),
        }

    def _version(self, bot: BotAccount, version: Version) -> dict[str, object]:
        language = cast("Language", version.language)
        is_text = language != "module"
        source = version.digest and Source(bot.name, version.digest, language)
        return {
            "label": version.label,
            "transport": version.transport,
            "created_ms": version.created_ms,
            "url": version.url or None,
            "rights": version.rights,
            "published": version.published,
            "language": version.language,
            "sha256": version.digest,
            "source": source if is_text else None,
            "module": None if is_text else source,
            "qualifications": self._tournaments.qualifications(bot.name, version.label),
        }

    def _games(self, bot: str) -> Iterator[str]:
        """Yield the ids of a bot's games that are still listed: games played over HTTP, newest first, then
        games that the arena played.
        """
        before = None
        while members := self._live.index.page(GameList(bot=bot), before, _AT_ONCE):
            before = members[-1]
            yield from (member.name for member in members)
        yield from games_of_arena(self._store, bot)

    def _in_tournaments(self, owner: str) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
        """The tournaments that an owner announced, and the entries of the owner's bots."""
        announced, entries, visibility = [], [], self._tournaments.rights.visibility(Viewer(owner=owner))
        for tournament in self._tournaments.each(list(self._store.tournament_names())):
            if tournament.created_by == owner and not tournament.purpose:
                settings = tournament.spec.as_json()
                announced.append({"id": tournament.id, "state": tournament.state, **settings})
            for entry in tournament.entries:
                if owner in entry.owners and not visibility.hides(tournament):
                    entries.append({"tournament": tournament.id, **entry.as_json()})
        return announced, entries

    def _comparisons(self, owner: str) -> Iterator[dict[str, object]]:
        """The comparisons of an owner's bots, newest first."""
        before, visibility = None, self._tournaments.rights.visibility(Viewer(owner=owner))
        while members := self._store.tournaments.comparisons(owner, before, _AT_ONCE):
            before = members[-1]
            for one in self._tournaments.each([member.name for member in members]):
                if visibility.hides(one):
                    continue
                yield {"id": one.id, "state": one.state, **one.spec.as_json(), **(one.comparison or {})}

    def _bots(self, owner: str) -> list[str]:
        names = self._store.accounts.bot_names(owner, "", -1)
        return [bot.name for bot in self._accounts.listed(names) if bot.owner == owner]

    # Deletion

    def delete(self, owner: str, confirm: str) -> str:
        """Delete an owner and its bots, and return the name to be shown instead from now on.

        Co-owners lose the bots, too, but bots of which this owner is only a co-owner stay. Games of the owner
        in which nobody else's bots sit end, and the bots leave the other ones, and tournaments, by the usual
        rules. Tokens, sessions, webhooks, sources, logs and notes are erased. The names remain taken. If the
        deletion is interrupted, another call with the same token resumes it. Raises :class:`NotConfirmed`.
        """
        if confirm != owner:
            raise NotConfirmed(
                "the confirmation does not match the name of the account", field="confirm", expected=owner
            )
        name = self._moderation.delete_name("owner", owner)
        for schedule in self._schedules.list():
            if schedule["created_by"] == owner:
                tried(self._schedules.delete, schedule["id"])
        for series, row in self._store.series.all().items():
            if row["owner"] == owner:
                self._store.series.delete(series)
        self._cancel_announced(owner)
        # While it is known which bots are the owner's.
        self._cancellation.end_own(owner, CREATOR_GONE)
        for bot in self._bots(owner):
            self._moderation.delete_name("bot", bot)
            self._bot_deletion.remove(bot)
        self._co_owners.forget(owner)
        self._subscriptions.forget(owner)
        self._store.tournaments.forget_comparisons(owner)
        self._store.tournaments.forget_invitations(owner)
        self._store.tournament_lists.forget(owner)
        self._invitations.forget(owner)
        self._sessions.forget(owner)
        self._identities.forget(owner)
        self._visits.forget(owner)
        self._store.prepared.forget(export_page(owner))
        now_ms = self._store.clock().now_ms
        self._store.budgets.forget(owner, now_ms)
        self._store.usage.forget(owner, now_ms)
        self._store.payers.forget(owner)
        self._store.challenges.forget(owner)
        self._store.unfinished.forget(owner)
        self._accounts.delete_owner(owner)
        return name

    def _cancel_announced(self, owner: str) -> None:
        """Cancel the owner's tournaments that are still open for entry."""
        for tournament in self._tournaments.each(list(self._tournaments.store.active())):
            if tournament.created_by == owner and tournament.state == "entry" and not tournament.purpose:
                tried(self._tournaments.cancel, tournament.id, reason=GONE)
