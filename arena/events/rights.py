"""Permissions to see, enter and organise tournaments."""

from __future__ import annotations

from arena.accounts.accounts import Forbidden, Principal
from arena.accounts.versions import BotAccount
from arena.errors import ArenaError
from arena.events.tournament import PRIVATE_PREFIX, Tournament, TournamentNotFound, check_tournament_id
from arena.live.header import Viewer
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


def check_organises(tournament: Tournament, by: Principal | None) -> None:
    """Raise :class:`~arena.accounts.accounts.Forbidden` unless ``by`` (None for the service itself) is an
    admin or organises the tournament.
    """
    if by is not None and not by.admin and (by.scope != "owner" or not tournament.is_organised_by(by.owner)):
        raise Forbidden(f"tournament {tournament.id} is not yours", field="tournament")


def check_visible(store: TournamentStore, tournament_id: str, viewer: Viewer | None) -> None:
    """Raise :class:`TournamentNotFound` for a private tournament that the viewer (None for the service
    itself) may not see.
    """
    name = check_tournament_id(tournament_id)
    if viewer is None or not name.startswith(PRIVATE_PREFIX):
        return
    (row,) = store.load([name])
    if row is not None and Tournament.loads(row.meta).is_hidden_from(viewer):
        raise TournamentNotFound(f"there is no tournament {name!r}", field="tournament")


def viewer_of(by: Principal | None) -> Viewer | None:
    """Return the viewer for a principal."""
    return None if by is None else Viewer(None, by.owner or None, by.admin)


def may_enter(by: Principal | None, bot: BotAccount) -> bool:
    """Return whether ``by`` may enter the bot: the bot itself, its owners and admins may."""
    if by is None or by.admin:
        return True
    return by.owner in bot.owners and (by.scope == "owner" or by.name == bot.name)
