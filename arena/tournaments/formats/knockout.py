"""Knockout: the loser of a duel is eliminated; at larger tables, half of the entrants are."""

from __future__ import annotations

from arena.errors import ArenaError
from arena.play.players import PlayerId
from arena.tournaments.formats.bracket import Bracket, bracket, groups_of_bracket
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.formats.table_knockout import groups_of_tables, table_bracket
from arena.tournaments.plan import Field, GroupPlan
from arena.tournaments.settings import MIXED
from arena.tournaments.spec import Spec, invalid


class Knockout(TournamentFormat):
    """The knockout format. The bracket depends on the seeds and the results. Entrants that are eliminated in
    the same round share a place.
    """

    name = "knockout"
    doc = "the loser of a pairing is out"
    one_per_owner_at_tables = True
    seeded_by_rating = True
    ranks_by_elimination = True

    def conflict(self, spec: Spec) -> ArenaError | None:
        if spec.partners == MIXED:
            return invalid("a knockout requires fixed partners", "partners", "same")
        return None

    def most_groups(self, spec: Spec, entrants: int) -> int:
        return spec.groups * 2 * entrants

    def due(self, field: Field) -> list[GroupPlan]:
        return _bracket(field).due

    def expected(self, field: Field) -> int:
        return groups_of_bracket(field) if field.spec.duels else groups_of_tables(field)

    def places(self, field: Field) -> dict[PlayerId, int]:
        found = {}
        better = 0
        for level in _bracket(field).levels:
            found.update({field.entrants[index].player: better + 1 for index in level})
            better += len(level)
        return found


def _bracket(field: Field) -> Bracket:
    return bracket(field) if field.spec.duels else table_bracket(field)
