"""The lists in which tournaments stand (:mod:`arena.store.tournament_lists`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from arena.events.tournament import OVER, STATES, Tournament
from arena.games import GAMES
from arena.live.header import Viewer
from arena.store.tournament_lists import (
    Placed,
    TournamentLists,
    all_hidden,
    hidden_of,
    listed,
    organised_by,
)

PRESENT: Sequence[str] = tuple(state for state in STATES if state not in OVER)
"""The states of tournaments that are not over."""


def place(lists: TournamentLists, tournament: Tournament, version: int) -> None:
    """Put a stored version of a tournament into its lists. Tournaments with a purpose are in none."""
    if tournament.purpose:
        return
    placed = Placed(
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


def own_lists(tournament: Tournament) -> set[str]:
    """Return the lists of owners and bots in which a tournament stands: those of its organisers and, if it is
    hidden, those of the guests who have accepted and of the bots that have entered.
    """
    if tournament.purpose:
        return set()
    organisers = {owner for owner in (tournament.created_by, *tournament.organisers) if owner}
    found = set(map(organised_by, organisers))
    if not tournament.is_public:
        guests = set(tournament.guests).difference(tournament.pending)
        found.update(hidden_of(owner=owner) for owner in organisers | guests)
        found.update(hidden_of(bot=entry.name) for entry in tournament.entries if entry.owner)
    return found


def hidden_lists(viewer: Viewer, shared: Iterable[str]) -> list[str]:
    """Return the lists of the hidden tournaments that a viewer may see. ``shared`` are the bots of the
    viewer's owner.
    """
    if viewer.admin:
        return [all_hidden()]
    bots = {*shared, *filter(None, [viewer.bot])}
    owners = filter(None, [viewer.owner])
    return [*(hidden_of(owner=owner) for owner in owners), *(hidden_of(bot=bot) for bot in sorted(bots))]


def lists_in(states: Sequence[str], kind: str | None) -> list[str]:
    """Return the lists of the public tournaments in these states, of one game or of all."""
    return [listed(one, state) for one in (GAMES if kind is None else (kind,)) for state in states]
