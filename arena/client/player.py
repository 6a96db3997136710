"""A bot online: the same class as in the local runner, at any number of tables at once."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from arena.bots.base import Bot
from arena.client.http import LIVE_STATES, ApiError, Client

WAIT: Final = 25.0
"""Seconds that the service may hold a request while there is nothing to do."""

FIRST_LOOK: Final = 3.0
LONGEST_LOOK: Final = 60.0
"""Seconds without a turn after which a game is looked at, to see whether it is over: doubled each time."""

_LOOKS: Final = 10
"""Games that are looked at between two requests for turns; one while there is something to decide."""

_ANSWERS: Final = 1000
"""Answers that the service takes at once."""

Turn = Mapping[str, Any]


@dataclass
class _Game:
    """One game of the bot: an object per seat, and when to look at it next."""

    name: str
    bots: dict[int, Bot] = field(default_factory=dict)
    pause: float = FIRST_LOOK
    due: float = 0.0

    def heard(self) -> None:
        """There was a turn, so it is not over."""
        self.pause = FIRST_LOOK
        self.due = time.monotonic() + self.pause

    def looked_at(self) -> None:
        """It was not over."""
        self.pause = min(2 * self.pause, LONGEST_LOOK)
        self.due = time.monotonic() + self.pause


class Player:
    """Plays all games of one bot: one fresh object of ``make()`` per seat and game.

    ``say(line)`` is told what happens. A bot that raises, or returns nothing when it must act, leaves its
    turn to the clock; one whose answer is not legal is asked again, as in the local runner.
    """

    def __init__(self, client: Client, make: Callable[[], Bot], say: Callable[[str], None] = print) -> None:
        self.client = client
        self.say = say
        self.games_over = 0
        self._make = make
        self._rights = bool(getattr(make(), "wants_rights", False))
        self._games: dict[str, _Game] = {}
        self._answers: dict[str, dict[str, str]] = {}
        self._asked: dict[str, Turn] = {}
        self._cursor: str | None = None

    def step(self, wait: float = WAIT) -> int:
        """Send the answers, get the next turns and think about them; how many turns there were.

        Waits up to ``wait`` seconds while there is nothing to do.
        """
        sent = list(self._answers.values())[:_ANSWERS]
        try:
            reply = self.client.exchange(
                sent,
                self._cursor,
                wait=0 if len(self._answers) > _ANSWERS else self._wait(wait),
                rights=self._rights,
            )
        except ApiError as error:
            if error.code != "invalid_cursor":
                raise
            self._cursor = None
            return 0
        self._cursor = reply["cursor"]
        again = [turn for result in reply["results"] for turn in self._refused(result)]
        for answer in sent:
            del self._answers[answer["turn"]]
            self._asked.pop(answer["turn"], None)
        turns = {turn["turn"]: turn for turn in (*again, *reply["turns"])}
        for turn in turns.values():
            self._think(turn)
        self._look_at_quiet_games(1 if turns else _LOOKS)
        return len(turns)

    def _wait(self, wait: float) -> float:
        """How long to wait for turns: not beyond the moment at which a game is to be looked at."""
        due = min((game.due for game in self._games.values()), default=float("inf"))
        return round(max(0.0, min(wait, due - time.monotonic())), 3)

    def _refused(self, result: Mapping[str, Any]) -> list[Turn]:
        """Tell of an answer that was not accepted; the turn that stands instead, if any."""
        status = result["status"]
        if status == "accepted":
            return []
        self.say(f"{result['turn']}: {status}: {result['message']}")
        if status == "stale_turn":
            fresh = result["fresh"]
            return [fresh] if fresh and (self._rights or not fresh["optional"]) else []
        asked = self._asked.get(result["turn"])
        if status != "illegal_action" or asked is None:
            return []
        if result["forfeited"]:
            self.say(f"{result['turn']}: {result['faults']} faults, the table plays on for the seat")
            return []
        return [{**asked, "legal_actions": result["legal_actions"]}]

    def _think(self, turn: Turn) -> None:
        """Ask the bot on the seat, which is made with its first turn."""
        number = turn["turn"]
        game = self._games.get(turn["game"])
        if game is None:
            game = self._games[turn["game"]] = _Game(f"{turn['kind']} {turn['game']}")
        game.heard()
        try:
            bot = game.bots.get(turn["seat"])
            if bot is None:
                bot = self._make()
                bot.random = random.Random()
                game.bots[turn["seat"]] = bot
                self.say(f"{game.name} seat {turn['seat']}: sat down")
            action = bot.choose(turn)
        except Exception:
            self.say(f"{number}: the bot failed, the turn is left to the clock")
            self.say(traceback.format_exc().rstrip())
            return
        if isinstance(action, str):
            self._answers[number] = {"turn": number, "action": action}
            self._asked[number] = turn
        elif not turn["optional"]:
            self.say(f"{number}: the bot returned {action!r}, the turn is left to the clock")

    def _look_at_quiet_games(self, most: int) -> None:
        now = time.monotonic()
        for game_id in [game_id for game_id, game in self._games.items() if game.due <= now][:most]:
            game = self._games[game_id]
            try:
                view = self.client.game(game_id)
            except ApiError as error:
                if error.status not in (403, 404, 410):
                    raise
                view = {"state": f"gone ({error.code})"}
            if view is None or view["state"] in LIVE_STATES:
                game.looked_at()
                continue
            del self._games[game_id]
            for seat in game.bots:
                self.say(f"{game.name} seat {seat}: {_how_it_ended(view, seat)}")
            self.games_over += 1


def _how_it_ended(view: Mapping[str, Any], seat: int) -> str:
    outcome = view.get("outcome")
    if view["state"] != "finished" or not outcome:
        return str(view["state"])
    return f"place {outcome['places'][seat]}, score {outcome['scores'][seat]}"


def run(
    make: Callable[[], Bot],
    client: Client,
    *,
    games: int | None = None,
    say: Callable[[str], None] = print,
) -> Player:
    """Play with bots of ``make`` (a subclass of ``Bot``) until ``games`` games are over; None: for ever."""
    player = Player(client, make, say)
    while games is None or player.games_over < games:
        player.step()
    return player
