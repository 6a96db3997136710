"""The lists in which tournaments stand (:mod:`arena.store.tournament_lists`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.events.tournament import OVER, STATES, Tournament
from arena.games import GAMES
from arena.live.header import Viewer
from arena.store.tournament_lists import PlacedTournament, TournamentList, TournamentLists

PRESENT: Sequence[str] = tuple(state for state in STATES if state not in OVER)
"""The states of tournaments that are not over."""


def place(lists: TournamentLists, tournament: Tournament, version: int) -> None:
    """Put a stored version of a tournament into its lists. Tournaments with a purpose are in none."""
    if tournament.purpose:
        return
    placed = PlacedTournament(
        tournament.id,
        version,
        tournament.spec.kind,
        tournament.state,
        tournament.created_ms,
        tournament.spec.locks_ms,
        tournament.created_by,
        not tournament.is_public,
        tournament.state in OVER,
    )
    lists.place(placed, GAMES, STATES)


def own_lists(tournament: Tournament) -> set[TournamentList]:
    """Return the lists of owners and bots in which a tournament stands: those of its organisers and, if it is
    hidden, those of the guests who have accepted and of the bots that have entered.
    """
    if tournament.purpose:
        return set()
    organisers = {owner for owner in (tournament.created_by, *tournament.organisers) if owner}
    found = {TournamentList("organiser", owner) for owner in organisers}
    if not tournament.is_public:
        guests = set(tournament.guests).difference(tournament.pending)
        found.update(TournamentList("owner", owner) for owner in organisers | guests)
        found.update(TournamentList("bot", entry.name) for entry in tournament.entries if entry.owner)
    return found


def is_found(tournament: Tournament) -> bool:
    """Return whether a search can find the tournament."""
    return tournament.is_public and not tournament.purpose


def hidden_lists(viewer: Viewer, shared: Iterable[str]) -> list[TournamentList]:
    """Return the lists of the hidden tournaments that a viewer may see. ``shared`` are the bots of the
    viewer's owner.
    """
    if viewer.admin:
        return [TournamentList("hidden")]
    bots = {*shared, *filter(None, [viewer.bot])}
    found = [TournamentList("bot", bot) for bot in sorted(bots)]
    return [TournamentList("owner", viewer.owner), *found] if viewer.owner else found


def lists_in(states: Sequence[str], kind: str | None) -> list[TournamentList]:
    """Return the lists of the public tournaments in these states, of one game or of all."""
    kinds = GAMES if kind is None else (kind,)
    return [TournamentList("state", f"{one}:{state}") for one in kinds for state in states]
