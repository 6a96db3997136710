"""The PettingZoo environment of :mod:`arena.research.truco_v0` and :mod:`arena.research.toepen_v0`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal, TypeVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from arena.bots import Bot, BotSpec, bot_spec
from arena.errors import ArenaError, IllegalAction
from arena.games import features_of, game_of
from arena.games.features import DECLINE
from arena.games.kernel import CHANCE, Turn
from arena.games.options import RuleValue
from arena.play.dealing import SEED_BYTES, Dealer, bot_seed
from arena.research.rendering import html, text
from arena.research.serial import SerialPlay, returns_of, rules_named

T = TypeVar("T")

Rewards = Literal["game", "hands"]
REWARDS: Final = ("game", "hands")
RENDER_MODES: Final = ("human", "ansi", "html")

Observation = dict[str, "np.ndarray[Any, np.dtype[np.int8]]"]


class RawEnvironment(AECEnv[str, Observation, "int | None"], EzPickle):
    """One game of ``kind`` as an AEC (agent environment cycle) environment. Agent ``player_n`` is seat ``n``.

    An observation is ``{"observation": vector, "action_mask": mask}``, both int8 arrays of zeros and ones.
    The game's ``features`` module (:mod:`arena.games.features`) describes the vector. The mask is all zeros
    for agents whose turn it is not. Action ``n`` is ``actions[n]``. The last action is
    :data:`~arena.games.features.DECLINE`; see :mod:`arena.research.serial` for when it is legal.

    Agents that are out of the game get no more turns, and terminate together with the others.
    """

    kind: ClassVar[str]

    def __init__(
        self,
        preset: str | None = None,
        *,
        bots: Mapping[int, str] | None = None,
        rewards: Rewards = "game",
        render_mode: str | None = None,
        **options: RuleValue,
    ) -> None:
        """Create an environment.

        ``preset`` is a name such as ``paulista-2@1``; the default is the game's first preset. ``options``
        override the preset's rule options. ``bots`` maps seats to the house bots or files (as for ``botequim
        play``) that play them in the environment; these seats are not agents. ``rewards`` is ``game`` for a
        reward from -1 to 1 at the end, by places, or ``hands`` for what each hand wins or loses, as a share
        of a game.

        Raises :class:`~arena.errors.ArenaError` with the code ``preset_not_found``, ``invalid_option``,
        ``bot_not_found`` or ``invalid_argument``.
        """
        AECEnv.__init__(self)
        EzPickle.__init__(self, preset, bots=bots, rewards=rewards, render_mode=render_mode, **options)
        self.game = game_of(self.kind)
        self.rules = rules_named(self.game, preset, options)
        self.seats = self.game.seats(self.rules)
        self.features = features_of(self.kind, self.rules)
        self.actions = (*self.features.actions, DECLINE)
        """The actions, by their numbers in the action space."""
        self.render_mode = _checked("render_mode", render_mode, (None, *RENDER_MODES))
        self._rewards_of: Rewards = _checked("rewards", rewards, REWARDS)
        self._specs = self._bot_specs(bots or {})
        self._number = {action: number for number, action in enumerate(self.actions)}
        self.possible_agents = [f"player_{seat}" for seat in range(self.seats) if seat not in self._specs]
        self._seat = {agent: int(agent.rpartition("_")[2]) for agent in self.possible_agents}
        size, count = self.features.layout.size, len(self.actions)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (size,), np.int8),
                    "action_mask": spaces.Box(0, 1, (count,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(count) for agent in self.possible_agents}
        self._random = random.Random()
        self.agents: list[str] = []
        self.metadata: dict[str, Any] = {
            "name": f"{self.kind}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }

    def _bot_specs(self, bots: Mapping[int, str]) -> dict[int, BotSpec]:
        specs = {seat: bot_spec(name, self.game.kind) for seat, name in bots.items()}
        if not set(specs) <= set(range(self.seats)) or len(specs) == self.seats:
            raise ArenaError(
                f"'bots' fills the seats {sorted(specs)}",
                code="invalid_argument",
                field="bots",
                expected=f"entries for some, but not all, of the seats 0 to {self.seats - 1}",
            )
        return specs

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space, which is the same object for every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space, which is the same object for every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, object] | None = None) -> None:
        """Begin a game. ``seed`` determines its deals, those of later games, and the play of the bots.
        ``options`` are ignored.
        """
        if seed is not None:
            self._random = random.Random(seed)
        game_seed = self._random.randbytes(SEED_BYTES)
        self._dealer = Dealer(game_seed, [""] * self.seats)
        self._bots = {seat: spec.make(bot_seed(game_seed, seat)) for seat, spec in self._specs.items()}
        self.play = SerialPlay(self.game.kind, self.rules)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, object]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection = None
        self._go_on()

    def observe(self, agent: str) -> Observation:
        """Return what the agent's seat is allowed to know. Can be called at any time."""
        seat = self._seat[agent]
        vector = self.features.vector(self.play.state.observation(seat))
        mask = np.zeros(len(self.actions), np.int8)
        if seat == self.play.to_act:
            mask[[self._number[action] for action in self.play.legal_actions()]] = 1
        return {"observation": np.frombuffer(vector, np.int8), "action_mask": mask}

    def turn(self, agent: str) -> Turn:
        """Return the turn of the agent to act, as a bot receives it (see docs/turns.md). Raises
        ``no_turn``.
        """
        if self._seat[agent] != self.play.to_act:
            raise ArenaError(f"it is not {agent}'s turn", code="no_turn", field="agent")
        return self.play.turn()

    def step(self, action: int | None) -> None:
        """Perform an action of the agent to act, and continue the game until an agent must act again.

        If this raises :class:`~arena.errors.IllegalAction`, nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None
        name = self.actions[int(action)]
        if name not in self.play.legal_actions():
            raise self.play.state.illegal(self._seat[agent], name)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._apply(name)
        self._go_on()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the table as the agent to act sees it. In the render mode ``html`` it is HTML, else text;
        the mode ``human`` prints it.
        """
        if self.render_mode == "html":
            return html(self.play)
        shown = text(self.play)
        if self.render_mode == "human":
            print(shown)
            return None
        return shown

    def close(self) -> None:
        """Do nothing, because there are no resources to release."""

    def _go_on(self) -> None:
        play = self.play
        while (seat := play.to_act) is not None:
            if seat == CHANCE:
                chance = play.state.chance()
                assert chance is not None
                self._apply(self._dealer.action(chance))
            elif seat in self._bots:
                self._apply(self._choice(self._bots[seat]))
            else:
                self.agent_selection = f"player_{seat}"
                return
        self.terminations = dict.fromkeys(self.agents, True)
        outcome = play.state.outcome()
        assert outcome is not None
        if self._rewards_of == "game":
            self._reward(returns_of(outcome.places, self.game.teams(self.rules)))

    def _choice(self, bot: Bot) -> str:
        if self.play.is_right and not bot.wants_rights:
            return DECLINE
        turn = self.play.turn()
        answer = bot.choose(turn)
        if answer is None and turn["optional"]:
            return DECLINE
        if answer is None or answer not in turn["legal_actions"]:
            raise IllegalAction(
                f"the bot on seat {turn['seat']} played {answer!r}, which is illegal now",
                field="bots",
                expected="one of " + ", ".join(turn["legal_actions"]),
            )
        return answer

    def _apply(self, action: str) -> None:
        for event in self.play.apply(action):
            if self._rewards_of == "hands":
                view = self.game.view_event(event, None)
                gains = None if view is None else self.features.gains(view)
                if gains is not None:
                    self._reward(gains)

    def _reward(self, gains: list[float]) -> None:
        for agent in self.agents:
            self.rewards[agent] += gains[self._seat[agent]]


def wrapped(environment: RawEnvironment) -> AECEnv[str, Observation, int | None]:
    """Return the environment with the same wrappers as PettingZoo's card games. An illegal action ends the
    game with a reward of -1.
    """
    terminating = wrappers.TerminateIllegalWrapper(environment, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(terminating))


def _checked(field: str, value: T, allowed: tuple[object, ...]) -> T:
    if value not in allowed:
        raise ArenaError(
            f"{value!r} is not a valid value for {field}",
            code="invalid_argument",
            field=field,
            expected="one of " + ", ".join(str(choice) for choice in allowed),
        )
    return value
