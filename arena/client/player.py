"""Plays a bot online, in any number of games at once. The bot class is the same as for the local runner."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from arena.bots.base import Bot
from arena.client.client import Client
from arena.client.games import LIVE_STATES
from arena.client.http import ApiError, Unreachable
from arena.errors import ArenaError
from arena.play.fault_reports import FaultReport, Trace, message_of, trace_of
from arena.play.match import close_bots
from arena.text import printable

if TYPE_CHECKING:
    from arena.client.types import Answer, PresenceEnded, Result, Turn, View

WAIT: Final = 25.0
"""Seconds for which the service can hold a request while there is no turn."""

FIRST_LOOK: Final = 3.0
LONGEST_CHECK: Final = 60.0
"""The maximum number of seconds without a turn after which the player checks whether a game is over. The
interval doubles after each check.
"""

LINGER: Final = 5.0
"""Seconds for which a bot that took part in tournaments stays after announcing that it leaves, even without a
game. By then, any games that were about to begin have begun.
"""

_GOOD_BYE_PATIENCE: Final = 5.0
_CHECKS: Final = 10
"""The number of games checked between two requests for turns. While there are turns to answer, it is one."""

_ANSWERS: Final = 1000
"""The maximum number of answers per request."""

_FAULTY: Final = {"illegal_action": "illegal", "malformed": "malformed"}
"""The faults for the statuses of answers that count as faults."""

_SHOWN: Final = 200
"""The maximum number of characters of an illegal answer that are printed."""


@dataclass
class _Game:
    """One game of the bot: the bot object and the number of failures of each seat, and the time of the next
    check.
    """

    name: str
    bots: dict[int, Bot] = field(default_factory=dict)
    failures: Counter[int] = field(default_factory=Counter)
    pause: float = FIRST_LOOK
    due: float = 0.0

    def had_turn(self) -> None:
        """Postpone the next check after a turn."""
        self.pause = FIRST_LOOK
        self.due = time.monotonic() + self.pause

    def checked(self) -> None:
        """Postpone the next check after a check that found the game unfinished."""
        self.pause = min(2 * self.pause, LONGEST_CHECK)
        self.due = time.monotonic() + self.pause


class OnlinePlayer:
    """Plays all games of one bot, with a new object from ``make()`` for each seat of each game.

    ``say(line)`` reports what happens, including the bot's first failure of each kind with its turn. If a bot
    raises an exception, tries to exit the program, or returns something illegal, the player plays the turn's
    default action for it, as the table does for a late seat. The bot is called again at its next turn. If
    ``tournaments`` is set, the bot takes part in scheduled tournaments.
    """

    def __init__(
        self,
        client: Client,
        make: Callable[[], Bot],
        say: Callable[[str], None] = print,
        *,
        tournaments: bool = False,
    ) -> None:
        self.client = client
        self.say = say
        self.games_over = 0
        self._make = make
        self._tournaments = tournaments
        self._leaving = False
        self._reported: set[tuple[str, ...]] = set()
        bot = make()
        self._rights = bool(getattr(bot, "wants_rights", False))
        close_bots([bot])
        self._games: dict[str, _Game] = {}
        self._answers: dict[str, Answer] = {}
        self._answered: dict[str, Turn] = {}
        self._cursor: str | None = None

    def step(self, wait: float = WAIT) -> int:
        """Send the answers, fetch the next turns and decide on them. Return the number of turns.

        Waits up to ``wait`` seconds while there is nothing to do.
        """
        sent = list(self._answers.values())[:_ANSWERS]
        try:
            reply = self.client.exchange(
                sent,
                self._cursor,
                wait=0 if len(self._answers) > _ANSWERS else self._wait(wait),
                rights=self._rights,
                tournaments=self._tournaments and not self._leaving,
                leaving=self._leaving,
            )
        except ApiError as error:
            if error.code != "invalid_cursor":
                raise
            self._cursor = None
            return 0
        self._cursor = reply["cursor"]
        again: list[Turn] = []
        for answer, result in zip(sent, reply["results"], strict=True):
            del self._answers[answer["turn"]]
            again += self._rejected(result, self._answered.pop(answer["turn"]))
        turns = {turn["turn"]: turn for turn in (*again, *reply["turns"])}
        for turn in turns.values():
            if turn["turn"] not in self._answers:
                self._think(turn)
        self._check_quiet_games(1 if turns else _CHECKS)
        return len(turns)

    def _wait(self, wait: float) -> float:
        """Return how many seconds to wait for turns, at most until the next check of a game."""
        due = min((game.due for game in self._games.values()), default=float("inf"))
        return round(max(0.0, min(wait, due - time.monotonic())), 3)

    def _rejected(self, result: Result, turn: Turn) -> list[Turn]:
        """Report an answer to ``turn`` that was rejected, and answer the turn with its default action if it
        is still open. Return the turn to decide instead, if any.
        """
        if result["status"] == "accepted":
            return []
        status = result["status"]
        why = f"{status}: {result['message']}"
        if result.get("forfeited"):
            why += "; the seat is forfeited, and the table plays it from now on"
        elif status in _FAULTY:
            self._play_on(turn, _FAULTY[status], why, why)
            return []
        self.say(f"{result['turn']}: {why}")
        fresh = result["fresh"] if result["status"] == "stale_turn" else None
        return [fresh] if fresh and (self._rights or not fresh["optional"]) else []

    def _think(self, turn: Turn) -> None:
        """Ask the seat's bot to decide, creating it if this is its first turn."""
        game = self._games.get(turn["game"])
        if game is None:
            game = self._games[turn["game"]] = _Game(f"{turn['kind']} {turn['game']}")
        game.had_turn()
        try:
            bot = game.bots.get(turn["seat"])
            if bot is None:
                bot = self._make()
                bot.random = random.Random()
                game.bots[turn["seat"]] = bot
                self.say(f"{game.name} seat {turn['seat']}: sat down")
            # The bot gets a copy, so that it cannot change our list.
            action = bot.choose({**turn, "legal_actions": [*turn["legal_actions"]]})
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # SystemExit is caught as well, because the program is also playing other games.
            trace = trace_of(error, __file__)
            message = ": ".join(filter(None, (type(error).__name__, message_of(error))))
            where = f"{trace.where}: " if trace.where else ""
            self._play_on(turn, "crashed", message, f"the bot failed: {where}{message}", trace)
            return
        if isinstance(action, str):
            if action in turn["legal_actions"]:
                self._answer(turn, action)
            else:
                self._play_on(turn, "illegal", action, f"{printable(action, _SHOWN)!r} is not legal")
        elif action is not None or not turn["optional"]:
            what = f"{type(action).__name__} is not an action"
            self._play_on(turn, "malformed", what, what)

    def _answer(self, turn: Turn, action: str) -> None:
        self._answers[turn["turn"]] = {"turn": turn["turn"], "action": action}
        self._answered[turn["turn"]] = turn

    def _play_on(self, turn: Turn, type: str, detail: str, why: str, trace: Trace | None = None) -> None:
        """Report a failure, and play the turn's default action if there is one."""
        if type != "crashed":
            why += f"; legal: {', '.join(turn['legal_actions'])}"
        action = turn["default_action"]
        if action is not None:
            why += f"; the default action {action} is played for it"
            self._answer(turn, action)
        elif turn["optional"]:
            why += "; the bot passes"
        report = FaultReport(type, turn["turn"], tuple(turn["legal_actions"]), detail, trace)
        self._failed(report, turn, why)

    def _failed(self, report: FaultReport, turn: Turn, why: str) -> None:
        """Count a failure of the bot, and report it if it is the first of its kind."""
        game = self._games.get(turn["game"])
        if game is not None:
            game.failures[turn["seat"]] += 1
        if report.kind in self._reported:
            return
        self._reported.add(report.kind)
        self.say(f"{turn['turn']}: {why}")
        if report.trace is not None:
            self.say(report.trace.text.rstrip())

    def leave(self) -> None:
        """Announce that the bot leaves, so that no new games begin for it automatically, and finish the games
        that have begun.
        """
        # A request may have been interrupted, so its turns are requested again.
        self.client.close()
        self._cursor = None
        left = self._good_bye()
        until = time.monotonic() + (LINGER if left["tournaments"] else 0)
        while True:
            for game in left["games"]:
                self._games.setdefault(game, _Game(f"game {game}"))
            if self._games:
                self.say(f"leaving; {len(self._games)} games have begun and will be finished")
            elif time.monotonic() >= until:
                return
            while self._games:
                self.step()
            while not self._games and (wait := until - time.monotonic()) > 0:
                self.step(max(0.1, wait))
            left = self._good_bye()

    def _good_bye(self) -> PresenceEnded:
        """Announce that the bot leaves, and return the reply. It includes whether the bot took part in
        tournaments.
        """
        patience, self.client.patience = self.client.patience, _GOOD_BYE_PATIENCE
        try:
            left = self.client.end_presence()
        except Unreachable as error:
            self.say(f"left without telling the service: {error.message}")
            self._games.clear()
            return {"games": [], "tournaments": False}
        finally:
            self.client.patience = patience
        self._leaving = True
        return {**left, "tournaments": left["tournaments"] or self._tournaments}

    def _check_quiet_games(self, most: int) -> None:
        now = time.monotonic()
        for game_id in [game_id for game_id, game in self._games.items() if game.due <= now][:most]:
            game = self._games[game_id]
            view, gone = None, ""
            try:
                view = self.client.game(game_id)
            except ApiError as error:
                if error.status not in (403, 404, 410):
                    raise
                gone = f"gone ({error.code})"
            if not gone and (view is None or view["state"] in LIVE_STATES):
                game.checked()
                continue
            del self._games[game_id]
            close_bots(game.bots.values())
            for seat in game.bots:
                how = gone if view is None else _how_it_ended(view, seat)
                failures = game.failures[seat]
                more = f"; it failed {failures} times" if failures > 1 else ""
                self.say(f"{game.name} seat {seat}: {how}{more}")
            self.games_over += 1


def _how_it_ended(view: View, seat: int) -> str:
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
    tournaments: bool = False,
) -> OnlinePlayer:
    """Play with bots made by ``make`` (a subclass of ``Bot``) until ``games`` games are over, or forever if
    it is None, or until KeyboardInterrupt. Then the bot announces that it leaves, and finishes the games that
    have begun. A second KeyboardInterrupt makes it leave at once. For ``tournaments``, see
    :class:`OnlinePlayer`.
    """
    player = OnlinePlayer(client, make, say, tournaments=tournaments)
    try:
        while games is None or player.games_over < games:
            player.step()
    except KeyboardInterrupt:
        say("leaving; press Ctrl-C again to leave at once and let the clock run out in games that have begun")
        player.leave()
        raise
    except BaseException:
        with suppress(ArenaError):
            client.end_presence()
        raise
    player.leave()
    return player
