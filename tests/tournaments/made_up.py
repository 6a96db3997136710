"""Tournaments to test with, and results that follow from known strengths without any game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Any

from arena.games import game_of
from arena.ratings.results import GameResult, GroupResult
from arena.tournaments.entry import Entrant
from arena.tournaments.formats import plan
from arena.tournaments.parsing import parse_spec
from arena.tournaments.plan import GroupPlan, Planned
from arena.tournaments.spec import Spec

NOW = 1_000_000
SEED = bytes(range(32))

Strength = Callable[[int], float]


def spec(format: str = "round_robin", kind: str = "toepen", seats: int = 2, **fields: Any) -> Spec:
    rules = {"seats": seats} if kind == "toepen" else {}
    return parse_spec({"name": "Cup", "kind": kind, "rules": rules, "format": format, **fields}, NOW)


def entrants(owners: Sequence[str] | int) -> list[Entrant]:
    """That many entrants without an owner, or one entrant per owner."""
    names = [""] * owners if isinstance(owners, int) else owners
    return [Entrant(f"bot{index:03}", "1", owner) for index, owner in enumerate(names)]


def by_seed(index: int) -> float:
    """The first seed is the strongest."""
    return -index


def result(
    spec: Spec,
    field: Sequence[Entrant],
    group: GroupPlan,
    strength: Strength = by_seed,
    forfeiters: Iterable[int] = (),
    annulled: bool = False,
) -> GroupResult:
    """Whoever is stronger wins every game; a team is as strong as its members together."""
    out = set(forfeiters)
    rules = spec.rules_for(len(group.seats[0]))
    teams = game_of(spec.kind).teams(rules)
    games = []
    for number, seats in enumerate(group.seats):
        worth = [sum(strength(seats[seat]) for seat in team) for team in teams]
        places = [0] * len(seats)
        for team, own in zip(teams, worth, strict=True):
            for seat in team:
                places[seat] = 1 + sum(other > own for other in worth)
        games.append(
            GameResult(
                number,
                sha256(f"{group.id} {number}".encode()).hexdigest(),
                tuple(field[index].player for index in seats),
                tuple(places),
                tuple(seat for seat, index in enumerate(seats) if index in out),
                (0,) * len(seats),
                (),
                (),
                0,
            )
        )
    preset = game_of(spec.kind).preset_of(rules) or ""
    return GroupResult(spec.kind, group.id, len(games), True, teams, games, annulled, preset=preset)


def play(
    spec: Spec,
    field: Sequence[Entrant],
    strength: Strength = by_seed,
    *,
    forfeits: Callable[[GroupPlan], Iterable[int]] = lambda group: (),
    void: Callable[[GroupPlan], bool] = lambda group: False,
    seed: bytes = SEED,
    most_steps: int = 1000,
) -> tuple[Planned, list[GroupPlan], dict[str, GroupResult | None]]:
    """A whole tournament: the last answer, all groups in the order of their planning, the results."""
    done: dict[str, GroupResult | None] = {}
    planned: list[GroupPlan] = []
    for _ in range(most_steps):
        answer = plan(spec, field, done, seed, planned=planned)
        if answer.finished:
            assert not answer.groups
            return answer, planned, done
        assert answer.groups
        planned += answer.groups
        for group in answer.groups:
            assert group.id not in done
            done[group.id] = None if void(group) else result(spec, field, group, strength, forfeits(group))
    raise AssertionError("it does not end")
