"""Random play and random rules, for any game that keeps the kernel contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from random import Random
from typing import Any

from hypothesis import strategies as st

from arena.errors import InvalidOption
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE, Event, State
from arena.games.options import Option, OptionSet
from benchmarks.engines import chance_action

_MOST_REFUSED = 10

LOG = list[tuple[int, str]]
AlternativeLog = Callable[[LOG, int, Random, Mapping[str, Any]], LOG | None]
"""``(log, viewer, random, rules)``: another log that shows the viewer the same; None if there is none."""


def rules_of(game: Game) -> st.SearchStrategy[dict[str, Any]]:
    """Any complete rules of the game, seat counts included."""
    values: dict[str, st.SearchStrategy[Any]] = {}
    for option in game.options.by_name.values():
        if option.choices:
            values[option.name] = st.sampled_from(option.choices)
        elif isinstance(option.default, bool):
            values[option.name] = st.booleans()
        else:
            values[option.name] = st.integers(option.low, option.high)
    return st.fixed_dictionaries(values).map(partial(fitting, game.options))


def fitting(options: OptionSet, rules: Mapping[str, Any]) -> dict[str, Any]:
    """The rules, complete; where values make no game together, with the next values that do."""
    fitted = dict(rules)
    for _ in range(_MOST_REFUSED):
        try:
            return options.complete(fitted)
        except InvalidOption as error:
            option = options.by_name[str(error.field).removeprefix("rules.")]
            fitted[option.name] = _another(option, fitted[option.name])
    raise AssertionError(f"{rules} fit together in no way")


def _another(option: Option, value: Any) -> Any:
    if option.choices:
        return option.choices[(option.choices.index(value) + 1) % len(option.choices)]
    return not value if isinstance(option.default, bool) else option.low


def random_rules(game: Game, random: Random) -> dict[str, Any]:
    """The same without Hypothesis, for long runs."""
    rules: dict[str, Any] = {}
    for option in game.options.by_name.values():
        if option.choices:
            rules[option.name] = random.choice(option.choices)
        elif isinstance(option.default, bool):
            rules[option.name] = random.random() < 0.5
        else:
            rules[option.name] = random.randint(option.low, option.high)
    return fitting(game.options, rules)


def choose(state: State, size: int, random: Random, rights: float = 0.1) -> tuple[int, str]:
    """What happens next: chance, an awaited seat, or now and then a seat that uses a right."""
    chance = state.chance()
    if chance is not None:
        return CHANCE, chance_action(chance, random)
    awaited = state.awaiting()
    if random.random() < rights:
        holders = [seat for seat in range(size) if seat not in awaited and state.legal_actions(seat)]
        if holders:
            seat = random.choice(holders)
            return seat, random.choice(state.legal_actions(seat))
    seat = random.choice(awaited)
    return seat, random.choice(state.legal_actions(seat))


def playout(
    game: Game, rules: Mapping[str, Any], random: Random, limit: int = 100_000
) -> Iterator[tuple[State, int, str, list[Event]]]:
    """A random game: the (one, changing) state after each action, with the action and its events."""
    state = game.new_state(rules)
    size = game.seats(rules)
    for _ in range(limit):
        if not state.awaiting():
            return
        seat, action = choose(state, size, random)
        yield state, seat, action, state.apply(seat, action)
    raise AssertionError(f"no end after {limit} actions under {rules}")


def beginning(game: Game, rules: Mapping[str, Any], random: Random, most: int) -> LOG:
    """The first actions of a random game, at most ``most``."""
    return [(seat, action) for _, seat, action, _ in islice(playout(game, rules, random), most)]
