"""Permissions to see, enter and organise tournaments."""

from __future__ import annotations

from functools import cached_property

from arena.accounts.accounts import Accounts, Forbidden, Principal
from arena.accounts.versions import BotAccount
from arena.errors import ArenaError
from arena.events.listing import hidden_lists
from arena.events.tournament import PRIVATE_PREFIX, Tournament, TournamentNotFound, check_tournament_id
from arena.live.header import Viewer
from arena.store.tournament_lists import TournamentList
from arena.store.tournaments import TournamentStore


class TournamentOver(ArenaError):
    """The tournament is finished or cancelled."""

    code = "tournament_over"


def tournament_over(tournament: Tournament) -> TournamentOver:
    """Return the error for a tournament that is over."""
    return TournamentOver(
        f"tournament {tournament.id} is {tournament.state}",
        field="tournament",
        expected="a tournament that is not over",
    )


class Visibility:
    """Which tournaments a viewer (None: the service itself) may see now. The bots that the viewer's owner
    shares are looked up once, so each request, and each message of a stream, needs a new one.
    """

    def __init__(self, accounts: Accounts, viewer: Viewer | None) -> None:
        self._accounts = accounts
        self._viewer = viewer

    @cached_property
    def _shared(self) -> frozenset[str]:
        """The bots that the owner owns or co-owns at this moment."""
        owner = None if self._viewer is None else self._viewer.owner
        return frozenset() if owner is None else self._accounts.bots_of(owner)

    def hides(self, tournament: Tournament) -> bool:
        """Return whether the tournament, its games and its records are hidden from the viewer.

        A private tournament is visible to admins, its organisers, the invited owners, the bots that have
        entered, and the current owners of these bots.
        """
        viewer = self._viewer
        if viewer is None or tournament.is_public or viewer.admin:
            return False
        bots = {entry.name: entry.owner for entry in tournament.entries if entry.owner}
        if viewer.bot in bots:
            return False
        owner = viewer.owner
        if not owner:
            return True
        if tournament.is_organised_by(owner) or owner in (*tournament.guests, *tournament.asked):
            return False
        # The owner of a bot never changes, and is still its owner when the bot is deleted; co-owners do.
        return owner not in bots.values() and self._shared.isdisjoint(bots)

    def lists(self, tournament: Tournament) -> bool:
        """Return whether the viewer sees the tournament in lists: not if they are only invited to a private
        one and have not accepted, because its texts would reach them unasked.
        """
        if self.hides(tournament):
            return False
        viewer = self._viewer
        if viewer is None or tournament.is_public or viewer.admin or not viewer.owner:
            return True
        owner = viewer.owner
        if owner not in (*tournament.pending, *tournament.asked) or tournament.is_organised_by(owner):
            return True
        return not self._shared.isdisjoint(entry.name for entry in tournament.entries)

    def hidden_lists(self) -> list[TournamentList]:
        """Return the lists of the hidden tournaments that the viewer may see."""
        return [] if self._viewer is None else hidden_lists(self._viewer, self._shared)


class Rights:
    """Looks up who may see, edit and cancel tournaments. No right is stored: it is derived from the rows as
    they are now.
    """

    def __init__(self, store: TournamentStore, accounts: Accounts) -> None:
        self._store = store
        self._accounts = accounts

    def visibility(self, viewer: Viewer | None) -> Visibility:
        """Return what the viewer may see now."""
        return Visibility(self._accounts, viewer)

    def check_visible(self, tournament_id: str, viewer: Viewer | None) -> None:
        """Raise :class:`TournamentNotFound` for a private tournament that the viewer (None for the service
        itself) may not see.
        """
        name = check_tournament_id(tournament_id)
        if viewer is None or not name.startswith(PRIVATE_PREFIX):
            return
        (row,) = self._store.load([name])
        if row is not None:
            self.check_sees(Tournament.loads(row.meta), viewer)

    def check_sees(self, tournament: Tournament, viewer: Viewer | None) -> None:
        """Raise :class:`TournamentNotFound` if the viewer may not see the tournament, which is loaded."""
        if self.visibility(viewer).hides(tournament):
            raise TournamentNotFound(f"there is no tournament {tournament.id!r}", field="tournament")

    def check_cancels(self, tournament: Tournament, by: Principal | None) -> None:
        """Raise :class:`~arena.accounts.accounts.Forbidden` unless ``by`` (None for the service itself) may
        cancel the tournament: admins and organisers may, and the current owners of the bot for which the
        service made it.
        """
        if by is not None and by.scope == "owner" and tournament.purpose:
            bots = {entry.name for entry in tournament.entries if entry.owner}
            if not bots.isdisjoint(self._accounts.bots_of(by.owner)):
                return
        if by is None or not by.admin:
            check_organises(tournament, by)


def check_organises(tournament: Tournament, by: Principal | None) -> None:
    """Raise :class:`~arena.accounts.accounts.Forbidden` unless ``by`` (None for the service itself) is an
    admin or organises the tournament. Nobody organises what the service made for itself.
    """
    if by is None:
        return
    if tournament.purpose:
        raise Forbidden(
            f"the service made tournament {tournament.id} for itself",
            field="tournament",
            expected="a tournament that somebody announced",
        )
    if not by.admin and (by.scope != "owner" or not tournament.is_organised_by(by.owner)):
        raise Forbidden(f"tournament {tournament.id} is not yours", field="tournament")


def viewer_of(by: Principal | None) -> Viewer | None:
    """Return the viewer for a principal (None for the service itself). A bot's token sees what the bot may
    see, not what its owner may, because it is kept where the bot runs.
    """
    if by is None:
        return None
    return Viewer(by.name) if by.scope == "bot" else Viewer(None, by.owner or None, by.admin)


def behind(by: Principal | None) -> Viewer | None:
    """Return the viewer whose right a principal uses to join a game or to enter itself: for a bot, also its
    owner.
    """
    return viewer_of(by) if by is None or by.scope != "bot" else Viewer(by.name, by.owner)


def may_enter(by: Principal | None, bot: BotAccount) -> bool:
    """Return whether ``by`` may enter the bot: the bot itself, its owners and admins may."""
    if by is None or by.admin:
        return True
    return by.owner in bot.owners and (by.scope == "owner" or by.name == bot.name)
