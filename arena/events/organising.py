"""Editing and copying of announced tournaments by their organisers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from arena.accounts.accounts import Forbidden, Principal
from arena.events.editing import edit, editable, like
from arena.events.lifecycle import TournamentLifecycle
from arena.events.rights import Rights, check_organises, viewer_of
from arena.events.tournament import Tournament
from arena.play.clocks import ServiceClock
from arena.store.tournaments import NewGroup, TournamentRow


class Powers(NamedTuple):
    """Whether somebody may edit a tournament, and whether they may cancel it."""

    edits: bool
    cancels: bool


class Organising:
    """Edits tournaments. Methods raise :class:`~arena.errors.ArenaError` with the codes
    ``tournament_not_found``, ``tournament_busy`` and ``forbidden``, and the errors of the functions that they
    name.
    """

    def __init__(
        self, rights: Rights, lifecycle: TournamentLifecycle, clock: Callable[[], ServiceClock]
    ) -> None:
        self._rights = rights
        self._lifecycle = lifecycle
        self._clock = clock

    def edit(self, tournament_id: str, fields: Mapping[str, object], *, by: Principal | None = None) -> None:
        """Change the given ``fields``, named as in a request that creates a tournament. Raises the errors of
        :func:`~arena.events.editing.edit`.
        """

        def act(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
            return () if edit(tournament, fields, by, self._clock().now_ms) else None

        self._change(tournament_id, act, by)
        self._lifecycle.step(tournament_id)

    def like(self, tournament_id: str, changes: Mapping[str, Any], *, by: Principal) -> dict[str, Any]:
        """Return the fields of a request for a tournament like this one; see
        :func:`~arena.events.editing.like`.
        """
        self._rights.check_visible(tournament_id, viewer_of(by))
        tournament, _ = self._lifecycle.load(tournament_id)
        check_organises(tournament, by)
        return like(tournament, changes, may_rate=by.admin)

    def editable(self, tournament_id: str, by: Principal) -> Sequence[str] | None:
        """Return the fields that ``by`` may edit now, or None if every field may be edited.

        Raises :class:`~arena.accounts.accounts.Forbidden` unless ``by`` organises the tournament.
        """
        tournament, _ = self._lifecycle.load(tournament_id)
        check_organises(tournament, by)
        return editable(tournament, self._clock().now_ms)

    def powers(self, tournament_id: str, by: Principal) -> Powers:
        """Return what ``by`` may do with the tournament."""
        tournament, _ = self._lifecycle.load(tournament_id)
        checks = (check_organises, self._rights.check_cancels)
        return Powers(*(_passes(partial(check, tournament, by)) for check in checks))

    def _change(
        self,
        tournament_id: str,
        act: Callable[[Tournament, TournamentRow], Sequence[NewGroup] | None],
        by: Principal | None,
    ) -> Tournament:
        """Apply ``act`` to the tournament, which ``by`` must organise."""

        def checked(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
            check_organises(tournament, by)
            return act(tournament, row)

        self._rights.check_visible(tournament_id, viewer_of(by))
        return self._lifecycle.change(tournament_id, checked)


def _passes(check: Callable[[], None]) -> bool:
    try:
        check()
    except Forbidden:
        return False
    return True
