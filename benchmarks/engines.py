"""How fast the rules run, measured beside OpenSpiel driven from Python in the same way.

One step is: ask for the legal actions, choose one uniformly, apply it; a deal is one step too, and
shuffling the pack is part of the time.
Only awaited seats act; a seat that may do more on its own turn (knock, call) chooses among all of
it, and rights of other seats are left unused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from time import perf_counter
from typing import Any, Final

from arena.games import GAMES
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE, Chance, State

PEERS: Final = ("OpenSpiel euchre", "euchre by chance_outcomes")
"""OpenSpiel's euchre twice: in the cheapest loop that it allows, and drawing its chance as documented."""

Playout = Callable[[Random], int]
"""Plays one game at random and returns its number of steps."""


@dataclass(frozen=True)
class Speed:
    """Medians over the rounds of a run: playouts and steps per second."""

    name: str
    playouts: float
    steps: float


@dataclass(frozen=True)
class Costs:
    """Microseconds per call, over all decisions of random games."""

    name: str
    legal_actions: float
    apply: float
    observation: float
    serialise: float
    deserialise: float
    bytes: float
    """The mean size of a serialised state."""


def chance_action(chance: Chance, random: Random) -> str:
    """A random action of chance (not a fair deal: those follow from a seed, see ``arena.play.dealing``)."""
    draw = random.random
    if chance.kind == "dealer":
        return f"dealer:{chance.items[int(draw() * len(chance.items))]}"
    keys = iter([draw() for _ in chance.items])
    return "deal:" + "".join(sorted(chance.items, key=lambda _: next(keys)))


def deals(pack: Sequence[str], random: Random) -> Iterator[str]:
    """Deals without end, each a new uniform shuffle; a thousand at a time where numpy is installed."""
    try:
        import numpy
    except ImportError:
        while True:
            yield chance_action(Chance("deal", 0, pack), random)
    shuffler = numpy.random.default_rng(random.getrandbits(64))
    # A card is two ASCII characters, so a pack is an array of two-byte numbers; places are shuffled
    # rather than cards, because numpy is fastest with numbers of its own size.
    cards = numpy.frombuffer("".join(pack).encode(), "u2")
    places = numpy.tile(numpy.arange(len(pack)), (1000, 1))
    size = 2 * len(pack)
    while True:
        text = cards[shuffler.permuted(places, axis=1)].tobytes().decode()
        for start in range(0, len(text), size):
            yield "deal:" + text[start : start + size]


def playout_of(game: Game, rules: Mapping[str, Any], random: Random) -> Playout:
    """Random playouts of one of our games; ``random`` shuffles the packs."""
    packs = deals(_pack_of(game, rules), random)

    def playout(random: Random) -> int:
        draw = random.random
        state = game.new_state(rules)
        legal_actions, apply, awaiting = state.legal_actions, state.apply, state.awaiting
        apply(CHANCE, f"dealer:{int(draw() * game.seats(rules))}")
        steps = 1
        while awaited := awaiting():
            seat = awaited[0]
            if seat == CHANCE:
                apply(CHANCE, next(packs))
            else:
                actions = legal_actions(seat)
                apply(seat, actions[int(draw() * len(actions))])
            steps += 1
        return steps

    return playout


def _pack_of(game: Game, rules: Mapping[str, Any]) -> Sequence[str]:
    state = game.new_state(rules)
    state.apply(CHANCE, "dealer:0")
    chance = state.chance()
    assert chance is not None
    return chance.items


def peer_playout(name: str) -> Playout | None:
    """Random playouts of a peer, or None where its package is not installed."""
    try:
        return _open_spiel(outcomes=name == PEERS[1])
    except ImportError:
        return None


def _open_spiel(outcomes: bool) -> Playout:
    """``outcomes``: ask for the probabilities of chance, and draw by them, instead of treating it as a
    player who chooses uniformly.
    """
    import pyspiel

    game = pyspiel.load_game("euchre")

    def playout(random: Random) -> int:
        draw = random.random
        state = game.new_initial_state()
        legal_actions, apply_action, is_terminal = state.legal_actions, state.apply_action, state.is_terminal
        steps = 0
        while not is_terminal():
            actions = legal_actions()
            apply_action(actions[int(draw() * len(actions))])
            steps += 1
        return steps

    def documented(random: Random) -> int:
        draw = random.random
        state = game.new_initial_state()
        legal_actions, apply_action, is_terminal = state.legal_actions, state.apply_action, state.is_terminal
        is_chance_node, chance_outcomes = state.is_chance_node, state.chance_outcomes
        steps = 0
        while not is_terminal():
            if is_chance_node():
                actions, weights = zip(*chance_outcomes(), strict=True)
                apply_action(random.choices(actions, weights)[0])
            else:
                actions = legal_actions()
                apply_action(actions[int(draw() * len(actions))])
            steps += 1
        return steps

    return documented if outcomes else playout


def compare(rounds: int, seconds: float, seed: int) -> list[Speed]:
    """Speeds of our games, with each preset, and of the installed peers.

    Rounds of ``seconds`` each are interleaved, so that a drifting machine treats all alike.
    """
    playouts: dict[str, Playout] = {
        f"{kind} {preset.name}": playout_of(game, game.options.complete(preset.rules), Random(seed))
        for kind, game in GAMES.items()
        for preset in game.presets
    }
    for name in PEERS:
        peer = peer_playout(name)
        if peer is not None:
            playouts[name] = peer
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in playouts}
    for number in range(rounds):
        for name, playout in playouts.items():
            samples[name].append(_rate(playout, seconds, Random(seed + number)))
    return [
        Speed(name, median(rate[0] for rate in rates), median(rate[1] for rate in rates))
        for name, rates in samples.items()
    ]


def _rate(playout: Playout, seconds: float, random: Random) -> tuple[float, float]:
    playout(random)
    games = steps = 0
    start = perf_counter()
    while (elapsed := perf_counter() - start) < seconds:
        steps += playout(random)
        games += 1
    return games / elapsed, steps / elapsed


def costs(game: Game, rules: Mapping[str, Any], games: int, seed: int) -> Costs:
    """What the calls of the contract cost, over all decisions of ``games`` random games."""
    random = Random(seed)
    states: list[tuple[State, int, str]] = []
    for _ in range(games):
        state = game.new_state(rules)
        while awaiting := state.awaiting():
            seat = awaiting[0]
            chance = state.chance()
            if chance is not None:
                state.apply(CHANCE, chance_action(chance, random))
                continue
            action = random.choice(state.legal_actions(seat))
            states.append((state.clone(), seat, action))
            state.apply(seat, action)

    texts = {id(state): state.serialise() for state, _, _ in states}

    def time_of(call: Callable[[State, int, str], object]) -> float:
        start = perf_counter()
        for state, seat, action in states:
            call(state, seat, action)
        return 1e6 * (perf_counter() - start) / len(states)

    return Costs(
        name=game.kind,
        legal_actions=time_of(lambda state, seat, action: state.legal_actions(seat)),
        observation=time_of(lambda state, seat, action: state.observation(seat)),
        serialise=time_of(lambda state, seat, action: state.serialise()),
        deserialise=time_of(lambda state, seat, action: game.deserialise(texts[id(state)])),
        bytes=sum(map(len, texts.values())) / len(texts),
        # Last, because it changes the states.
        apply=time_of(lambda state, seat, action: state.apply(seat, action)),
    )
