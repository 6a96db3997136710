"""Every kind of question that a person can be asked: positions of seeded games, found by playing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from arena.errors import ArenaError
from arena.games import GAMES
from arena.games.descriptor import Game
from arena.games.options import Rules, RuleValue
from arena.games.panels import Panel
from arena.live.game import LiveGame
from arena.ops.service import Service
from arena.people.tables import CLOCK
from arena.play.clocks import ServiceClock
from arena.play.table import Table

LONG_NAME = "an-agent-whose-name-has-32-chars"
GAMES_PLAYED = 20
"""Of each table."""

_SEAT = 0
_WAITS = "waits"


class Question(NamedTuple):
    """A position in which seat 0 is asked ``what``: the words of its actions, or that it waits."""

    table: str
    what: str
    kind: str
    rules: Rules
    seed: bytes
    actions: tuple[tuple[int, str], ...]

    @property
    def name(self) -> str:
        return f"{self.table}: {self.what}"

    def set_up(self, service: Service, person: str, names: str = "guest") -> str:
        """Begin a private game at this position, with ``person`` on seat 0, and return its id."""
        size = GAMES[self.kind].seats(GAMES[self.kind].options.complete(self.rules))
        others = [f"{person[:-4]}{seat:04}" for seat in range(1, size)]
        seats = [
            {"person": who, "name": names if names == LONG_NAME else f"{names} {seat + 1}", "agrees": False}
            for seat, who in enumerate([person, *others])
        ]
        made = service.live.create(
            self.kind, seats=seats, rules=self.rules, clock=CLOCK, visibility="private", seed=self.seed
        )
        service.live.repository.change_one(made["game"], self._play)
        return str(made["game"])

    def _play(self, game: LiveGame, _clock: ServiceClock) -> int:
        for seat, action in self.actions:
            game.playing.submit(seat, game.playing.turn_number(seat), action)
        return len(self.actions)


@cache
def questions(kind: str) -> tuple[Question, ...]:
    """Every kind of question of a game, at each of its tables: by the words of the actions, with as many
    buttons as in any position that was found.
    """
    found: dict[tuple[str, str], Question] = {}
    for table, rules, is_variant in _tables(GAMES[kind]):
        of_table = _questions(table, kind, rules)
        known = {what for other, what in found if other.split(" ")[0] == table.split(" ")[0]}
        found |= {(table, what): one for what, one in of_table.items() if not is_variant or what not in known}
    return tuple(found.values())


def _tables(game: Game) -> Iterator[tuple[str, Rules, bool]]:
    """The presets, with the fewest, the usual and the most seats; and the first preset with each other value
    of each option.
    """
    done = []
    for preset in game.presets:
        counts = game.seat_counts(preset.rules)
        usual = game.seats(game.options.complete(preset.rules))
        for seats in sorted({counts[0], usual, counts[-1]}):
            rules = game.rules_for({k: v for k, v in preset.rules.items() if k != "seats"}, seats)
            complete = game.options.complete(rules)
            if complete not in done:
                done.append(complete)
                yield f"{game.kind}-{preset.name.partition('@')[0]}-{seats}", rules, False
    (preset, *_) = game.presets
    for option in game.options.by_name.values():
        truth_values = (True, False) if isinstance(option.default, bool) else ()
        values: tuple[RuleValue, ...] = option.choices or truth_values
        for value in values:
            if value == option.default or option.name == "variant":
                continue
            rules = {**preset.rules, option.name: value}
            try:
                game.options.complete(rules)
            except ArenaError:
                continue
            seats = game.seats(game.options.complete(rules))
            yield f"{game.kind}-{preset.name.partition('@')[0]}-{seats} {option.name}={value}", rules, True


def _questions(table: str, kind: str, rules: Rules) -> dict[str, Question]:
    """The questions of one table, with the first position in which there is nothing to decide."""
    best: dict[str, tuple[tuple[int, int], Question]] = {}
    make = GAMES[kind].panel
    assert make is not None
    for number in range(GAMES_PLAYED):
        seed = bytes([number]) * 32
        source = random.Random(number)
        game = Table("game", kind, rules, seed)
        game.start()
        names = [f"guest {seat + 1}" for seat in range(game.size)]
        actions: list[tuple[int, str]] = []
        while not game.is_over():
            turn = game.turn(_SEAT)
            panel = None if turn is None else make(turn, names)
            optional = turn is not None and turn["optional"]
            what, size = _what(panel, optional)
            if what not in best or size > best[what][0]:
                best[what] = size, Question(table, what, kind, rules, seed, tuple(actions))
            (seat, *_) = game.awaited()
            action = source.choice(game.legal_actions(seat))
            game.submit(seat, game.turn_number(seat), action)
            actions.append((seat, action))
    return {what: question for what, (_, question) in best.items()}


def _what(panel: Panel | None, optional: bool) -> tuple[str, tuple[int, int]]:
    if panel is None:
        return _WAITS, (0, 0)
    words = sorted({action.partition(":")[0] for action in panel.actions()})
    return " ".join(["may" if optional else "asked", *words]), (len(panel.choices), len(panel.question))
