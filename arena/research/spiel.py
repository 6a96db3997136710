"""The games for OpenSpiel. Importing this module registers ``python_truco`` and ``python_toepen``::

    import pyspiel
    from botequim import spiel

    game = pyspiel.load_game("python_truco(preset=paulista-2@1,max_hands=4)")

The parameter ``preset`` is a name such as ``base@1``; the default is the game's first preset. The game's rule
options are parameters as well (numbers, words, or 0 and 1 for booleans), and override the preset's.
``returns`` is ``places`` (-1 to 1, see :func:`~arena.research.serial.returns_of`) or ``points`` (what all
hands won and lost, as a share of a game).

The games differ from those played at tables:

- Chance deals one card at a time from the top of the pack, as many as can matter. Outcome ``n`` is card ``n``
  of the canonical pack. In the draw of the first dealer, outcome ``n`` is seat ``n``.
- Seats are asked one by one whether they use their rights (:mod:`arena.research.serial`). The last action,
  ``decline``, declines a right, which all seats see.

An information state is everything that a seat was shown since the start of the game
(:mod:`arena.research.histories`), so players have perfect recall. Observations are the kernel's, of the hand
in progress, and their tensors are the vectors of :mod:`arena.games.features`.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import prod
from random import Random
from typing import Any, Final

import numpy as np
import pyspiel

from arena.bots import bot_spec
from arena.errors import ArenaError
from arena.games import GAMES, features_of, game_of
from arena.games.descriptor import Game
from arena.games.features import DECLINE, Features
from arena.games.kernel import CHANCE, Event, State
from arena.games.options import Option, Rules, RuleValue
from arena.research.histories import Histories
from arena.research.serial import SerialPlay, returns_of, rules_named

_NOT_GIVEN: Final = -1
"""The default of a numeric parameter, which means the preset's value."""

_HISTORY: Final = "H"
"""The array type code of the numbers in a history: unsigned 16-bit integers."""

RETURNS: Final = ("places", "points")


class SpielPlay(SerialPlay):
    """A game with what each seat has seen of it, as text in ``lines`` and as 16-bit numbers in
    ``numbers``.
    """

    def __init__(self, kind: str, rules: Rules, state: State | None = None) -> None:
        super().__init__(kind, rules, state)
        self.lines = [""] * self.seats
        self.numbers = [b""] * self.seats
        self.points = [0.0] * self.seats
        self.pack: tuple[int, ...] = ()
        """The numbers of the cards that chance has dealt so far in this hand."""

    def apply(self, action: str) -> list[Event]:
        """See :class:`~arena.research.serial.SerialPlay`."""
        seat, declines = self.to_act, self.is_right and action == DECLINE
        happened = super().apply(action)
        if declines:
            for viewer in range(self.seats):
                self._note(viewer, {"type": DECLINE, "seat": seat})
        return happened

    def _tell(self, event: Event) -> None:
        super()._tell(event)
        public = self.game.view_event(event, None)
        gains = None if public is None else _features(self.game.kind, _key(self.rules)).gains(public)
        if gains is not None:
            self.points = [sum(pair) for pair in zip(self.points, gains, strict=True)]

    def _show(self, seat: int, view: Mapping[str, object]) -> None:
        super()._show(seat, view)
        self._note(seat, view)

    def _note(self, viewer: int, view: Mapping[str, object]) -> None:
        self.lines[viewer] += json.dumps(view, separators=(",", ":")) + "\n"
        self.numbers[viewer] += array(_HISTORY, _histories(self.game.kind).numbers(view)).tobytes()

    def _copy_to(self, other: SerialPlay) -> None:
        super()._copy_to(other)
        assert isinstance(other, SpielPlay)
        other.lines = self.lines[:]
        other.numbers = self.numbers[:]
        other.points = self.points
        other.pack = self.pack


@cache
def _features(kind: str, rules: tuple[tuple[str, RuleValue], ...]) -> Features:
    return features_of(kind, dict(rules))


@cache
def _histories(kind: str) -> Histories:
    return Histories(game_of(kind))


def _key(rules: Rules) -> tuple[tuple[str, RuleValue], ...]:
    return tuple(rules.items())


class SpielState(pyspiel.State):
    """A state of a :class:`SpielGame`."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.play = SpielPlay(game.game.kind, game.rules)

    def current_player(self) -> int:
        """Return the seat to act, or the constant for chance or a finished game."""
        seat = self.play.to_act
        if seat is None:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if seat == CHANCE else seat

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.play.to_act is None

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the possible first dealers, or the cards still in the pack, with their probabilities."""
        chance = self.play.state.chance()
        assert chance is not None
        dealt = set(self.play.pack) if chance.kind == "deal" else ()
        left = [number for number in range(len(chance.items)) if number not in dealt]
        return [(number, 1 / len(left)) for number in left]

    def returns(self) -> list[float]:
        """Return what each seat has won, which is zero until the game is over."""
        outcome = self.play.state.outcome()
        if outcome is None:
            return [0.0] * self.play.seats
        if self.get_game().returns_of == "points":
            return list(self.play.points)
        return returns_of(outcome.places, self.play.game.teams(self.play.rules))

    def __str__(self) -> str:
        return json.dumps([self.play.pack, self.play._asked, self.play.state.content()])

    def _legal_actions(self, player: int) -> list[int]:
        number = self.get_game().number
        return sorted(number[action] for action in self.play.legal_actions())

    def _apply_action(self, action: int) -> None:
        play = self.play
        chance = play.state.chance()
        if chance is None:
            play.apply(self.get_game().actions[action])
            return
        if chance.kind == "dealer":
            play.apply(f"dealer:{chance.items[action]}")
            return
        play.pack += (action,)
        if len(play.pack) >= self.get_game().features.dealt:
            rest = [number for number in range(len(chance.items)) if number not in play.pack]
            cards = "".join(chance.items[number] for number in (*play.pack, *rest))
            play.pack = ()
            play.apply(f"deal:{cards}")

    def _action_to_string(self, player: int, action: int) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return str(self.get_game().actions[action])
        chance = self.play.state.chance()
        # OpenSpiel also asks for the names of earlier chance outcomes.
        is_lot = chance is not None and chance.kind == "dealer"
        return f"dealer:{action}" if is_lot else f"card:{self.get_game().pack[action]}"


class SpielGame(pyspiel.Game):
    """One of the games. ``actions`` lists the meanings of action numbers, and ``pack`` those of card
    numbers.
    """

    def __init__(self, game_type: pyspiel.GameType, game: Game, parameters: Mapping[str, Any] | None) -> None:
        given = {
            name: value for name, value in (parameters or {}).items() if value not in (_NOT_GIVEN, "", None)
        }
        self.game = game
        self.rules = _rules(game, given)
        self.returns_of = given.get("returns", RETURNS[0])
        if self.returns_of not in RETURNS:
            raise ArenaError(
                f"{self.returns_of!r} is not a valid value for returns",
                code="invalid_argument",
                field="returns",
                expected=f"one of {', '.join(RETURNS)}",
            )
        self.features = _features(game.kind, _key(self.rules))
        self.actions = (*self.features.actions, DECLINE)
        self.number = {action: number for number, action in enumerate(self.actions)}
        self.pack = _pack(game, self.rules)
        seats, hands = self.features.seats, self.features.most_hands
        most = 1.0 if self.returns_of == RETURNS[0] else self.features.most_points
        self._most_chance = 1 + hands * self.features.dealt
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.actions),
            max_chance_outcomes=max(len(self.pack), seats),
            num_players=seats,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=hands * self.features.most_decisions,
        )
        super().__init__(game_type, info, given)

    def __reduce__(self) -> tuple[object, ...]:
        return pyspiel.load_game, (str(self),)

    def new_initial_state(self) -> SpielState:
        """Return the state before the first dealer is drawn."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the maximum number of chance actions in a game."""
        return self._most_chance

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: object = None
    ) -> SpielObserver:
        """Return an observer that produces observations or information states."""
        if params:
            raise ValueError(f"observations have no parameters, but {params} was passed")
        return SpielObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


class SpielObserver:
    """Produces the kernel's observations or, with perfect recall, what a seat has seen since the start of the
    game.

    The pieces of the tensor are ``player`` and the parts of the game's vector. With perfect recall, they are
    ``player`` and ``history``, which contains numbers as in :mod:`arena.research.histories`, padded with
    zeros. Without private information, the observation is a spectator's, from the perspective of seat 0.
    Without public information, it contains only the cards in hand.
    """

    def __init__(self, game: SpielGame, kind: pyspiel.IIGObservationType) -> None:
        self._is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._is_public = kind.public_info
        self._recalls = kind.perfect_recall and self._is_public and self._is_private
        self._features = game.features
        layout = game.features.layout
        pieces: dict[str, Sequence[int]] = {"player": (game.features.seats,)} if self._is_private else {}
        if self._recalls:
            pieces["history"] = (_most_numbers(game.features),)
        elif self._is_public:
            pieces |= layout.parts
        elif self._is_private:
            pieces["hand"] = layout.parts["hand"]
        self._from = game.features.seats if self._is_private else 0
        self.tensor = np.zeros(sum(map(prod, pieces.values())), np.float32)
        self.dict: dict[str, Any] = {}
        start = 0
        for name, shape in pieces.items():
            end = start + prod(shape)
            self.dict[name] = self.tensor[start:end].reshape(shape)
            start = end

    def set_from(self, state: SpielState, player: int) -> None:
        """Fill the tensor with the player's observation of the state."""
        self.tensor.fill(0)
        if self._is_private:
            self.dict["player"][player] = 1
        if self._recalls:
            numbers = np.frombuffer(state.play.numbers[player], _HISTORY)
            self.dict["history"][: len(numbers)] = numbers
        elif self._is_public or self._is_private:
            vector = np.frombuffer(self._features.vector(self._seen(state, player)), np.int8)
            if not self._is_public:
                start = self._features.layout.start("hand")
                vector = vector[start : start + self.dict["hand"].size]
            self.tensor[self._from :] = vector

    def string_from(self, state: SpielState, player: int) -> str:
        """Return the observation as JSON text, with one line per event if recall is perfect."""
        if self._recalls:
            return f"player {player}\n{state.play.lines[player]}"
        if not self._is_public:
            seen: Mapping[str, Any] = self._seen(state, player) if self._is_private else {"hand": []}
            return " ".join(seen["hand"])
        return json.dumps(self._seen(state, player), separators=(",", ":"))

    def _seen(self, state: SpielState, player: int) -> Mapping[str, object]:
        return state.play.state.observation(player if self._is_private else None)


class SpielBot(pyspiel.Bot):
    """A house bot or a bot from a file, as an OpenSpiel bot: ``SpielBot(player, "rookie", seed)``.

    ``name`` is written as for ``botequim play``. A bot that does not want rights declines them.
    """

    def __init__(self, player: int, name: str, seed: int = 0) -> None:
        super().__init__()
        self._player = player
        self._name = name
        self._seeds = Random(seed)
        self.restart()

    def player_id(self) -> int:
        """Return the bot's player id."""
        return self._player

    def restart(self) -> None:
        """Begin another game."""
        self._bot = bot_spec(self._name, check=False).make(self._seeds.getrandbits(256))

    def restart_at(self, state: SpielState) -> None:
        """Begin at a state in the middle of a game."""
        self.restart()

    def step(self, state: SpielState) -> int:
        """Return the action that the bot chooses."""
        play, game = state.play, state.get_game()
        answer = None
        if self._bot.wants_rights or not play.is_right:
            answer = self._bot.choose(play.turn())
        number: int = game.number[DECLINE if answer is None else answer]
        return number


def _most_numbers(features: Features) -> int:
    # Events that occur once in a game: the draw of the first dealer and the end.
    return features.most_hands * features.most_numbers + 8 + 2 * features.seats


def _pack(game: Game, rules: Rules) -> tuple[str, ...]:
    state = game.new_state(rules)
    state.apply(CHANCE, "dealer:0")
    chance = state.chance()
    assert chance is not None
    return tuple(chance.items)


def _rules(game: Game, given: Mapping[str, Any]) -> dict[str, RuleValue]:
    options = {}
    for name, option in game.options.by_name.items():
        if name in given:
            options[name] = bool(given[name]) if isinstance(option.default, bool) else given[name]
    return rules_named(game, given.get("preset"), options)


def _parameter(option: Option) -> str | int:
    return "" if option.choices else _NOT_GIVEN


def _register(game: Game) -> None:
    low, high = game.seat_range
    game_type = pyspiel.GameType(
        short_name=f"python_{game.kind}",
        long_name=f"Python {game.title}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=high,
        min_num_players=low,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={
            "preset": game.presets[0].name,
            "returns": RETURNS[0],
            **{name: _parameter(option) for name, option in game.options.by_name.items()},
        },
    )

    class Registered(SpielGame):
        def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
            super().__init__(game_type, game, parameters)

    pyspiel.register_game(game_type, Registered)


def register(games: Iterable[Game]) -> None:
    """Register games with OpenSpiel."""
    for game in games:
        if game.features is not None:
            _register(game)


register(GAMES.values())
