from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.tournaments import formats
from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.plan import Field, GroupPlan
from arena.tournaments.spec import Spec
from tests.tournaments.made_up import SEED, entrants, play, spec


class TopMatch(TournamentFormat):
    """The first two seeds meet once."""

    name = "top_match"
    doc = "the first two seeds meet"

    def most_groups(self, spec: Spec, entrants: int) -> int:
        return spec.groups

    def due(self, field: Field) -> list[GroupPlan]:
        return [] if field.planned else field.groups_of(1, 1, (0, 1))

    def expected(self, field: Field) -> int:
        return field.spec.groups


def test_a_format_needs_a_class_and_a_place_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArenaError):
        spec("top_match")
    monkeypatch.setitem(FORMATS, "top_match", TopMatch())  # type: ignore[misc]
    chosen = spec("top_match", groups=3)
    answer, planned, _ = play(chosen, entrants(4))
    assert [group.members for group in planned] == [(0, 1)] * 3
    assert (answer.finished, answer.expected, answer.places) == (True, 3, None)
    for field in ("rounds", "ends_ms"):
        with pytest.raises(ArenaError) as caught:
            spec("top_match", **{field: 10**7})
        assert caught.value.field == field


def test_a_format_that_plans_while_groups_run_must_know_who_is_online() -> None:
    chosen = spec("open", ends_ms=10**7)
    with pytest.raises(ValueError, match="open"):
        formats.plan(chosen, entrants(2), {}, SEED, planned=())


def test_every_format_has_a_row_in_the_documentation() -> None:
    page = Path("docs/tournaments.md").read_text()
    for name, format in FORMATS.items():
        assert f"| `{name}` | {format.doc}" in page
