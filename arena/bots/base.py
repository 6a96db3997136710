"""The interface of a bot: one class with one method."""

from __future__ import annotations

import random

from arena.games.kernel import Turn as Turn


class Bot:
    """A player. Subclass it and write :meth:`choose`; one object plays one seat of one game.

    ``random`` is this seat's own source of randomness, set before the first turn. Use it instead of the
    ``random`` module, so that a game replays exactly.
    """

    random: random.Random
    wants_rights: bool = False
    """True: also be offered rights that are not turns (a knock out of turn, a signal)."""
    games: tuple[str, ...] = ()
    """The games that it plays, such as ``("truco",)``; empty: all."""

    def choose(self, turn: Turn) -> str | None:
        """Return one of ``turn["legal_actions"]``, or None to let an optional turn pass."""
        raise NotImplementedError


class BotFailure(Exception):
    """A bot failed to answer; raised by whatever runs the bot.

    ``type`` is one of the faults ``late``, ``crashed`` and ``malformed``, and ``report`` is the traceback.
    """

    def __init__(self, type: str, detail: str, report: str = "") -> None:
        super().__init__(detail)
        self.type = type
        self.report = report


class HostFailure(Exception):
    """The service could not run a bot. No bot gets a fault, and the game is void."""
