"""Play one game among bots of this process."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

from arena.alarms import OutOfTime, time_limit
from arena.bots import Bot, BotFailure, BotSpec, HostFailure, Turn
from arena.table import Table


@dataclass
class Thinking:
    """What a seat's decisions took: how many, and seconds in all and at most."""

    decisions: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one more decision."""
        self.decisions += 1
        self.seconds += seconds
        self.longest = max(self.longest, seconds)

    def merge(self, other: Thinking) -> None:
        """Count another's decisions too."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.longest = max(self.longest, other.longest)


class Unfit(Bot):
    """Sits for a bot that could not even be made: every decision fails as its making did."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def choose(self, turn: Turn) -> str | None:
        """Raises what the making of the bot raised."""
        raise self._error


def seat_bot(spec: BotSpec, seed: int, think_limit: float | None = None) -> Bot:
    """A fresh bot for one seat of one game, or :class:`Unfit` if it raised or took too long.

    Raises :class:`~arena.bots.HostFailure`.
    """
    try:
        with time_limit(think_limit):
            return spec.make(seed)
    except HostFailure:
        raise
    except (Exception, OutOfTime) as error:
        return Unfit(error)


@runtime_checkable
class Journaled(Protocol):
    """A bot that keeps a journal and holds memory until it is closed."""

    journal: Any

    def close(self) -> None:
        """Free what it holds."""


def close_bots(bots: Sequence[Bot]) -> None:
    """To be called when a game has ended: let the bots free what they hold."""
    for bot in bots:
        if isinstance(bot, Journaled):
            bot.close()


def play(
    table: Table,
    bots: Sequence[Bot],
    *,
    think_limit: float | None = None,
    on_decision: Callable[[int], None] | None = None,
) -> list[Thinking]:
    """Play ``table`` to its end with a bot per seat, and return what each seat's thinking took.

    Raises :class:`~arena.bots.HostFailure` if a bot could not be run, which is nobody's fault, and
    :class:`~arena.alarms.OutOfTime` if a :func:`~arena.alarms.time_limit` of the caller's own rings. What a
    bot does wrong is its fault and never an exception here: it raised (``crashed``) or
    took longer than ``think_limit`` seconds (``late``), and the table acts for it; it answered
    something that is no action (``malformed``) or not legal (``illegal``), and it is asked again.
    ``on_decision`` is told the seat before each decision.

    Rights that are not turns are offered to the bots that want them after every public event with
    no answer pending, in seat order from the seat to play, which comes last, with its own turn.
    """
    thinking = [Thinking() for _ in bots]

    def ask(seat: int, turn: dict[str, Any]) -> bool:
        if on_decision is not None:
            on_decision(seat)
        number = table.turn_number(seat)
        start = perf_counter()
        fault, detail, action = "", "", None
        try:
            with time_limit(think_limit):
                action = bots[seat].choose(turn)
        except OutOfTime:
            if think_limit is None:
                raise  # The limit is the caller's, for all of it, and no seat's fault.
            # The alarm may have rung while the limit was being lifted; it cannot ring twice there.
            signal.setitimer(signal.ITIMER_REAL, 0)
            fault, detail = "late", f"no answer within {think_limit} s"
        except BotFailure as failure:
            fault, detail = failure.type, str(failure)
        except HostFailure:
            raise
        except Exception as error:
            fault, detail = "crashed", f"{type(error).__name__}: {error}"
        thinking[seat].add(perf_counter() - start)
        if not fault:
            if action is None and turn["optional"]:
                return False
            if not isinstance(action, str):
                fault, detail = "malformed", f"{type(action).__name__} is no action"
            elif action not in turn["legal_actions"]:
                fault, detail = "illegal", action
            else:
                table.submit(seat, number, action)
                return True
        if not table.fault(seat, fault, detail) and fault in ("late", "crashed") and not turn["optional"]:
            table.act_for(seat, "clock" if fault == "late" else "crashed")
        return False

    wanting = [seat for seat, bot in enumerate(bots) if getattr(bot, "wants_rights", False)]
    table.start()
    while not table.is_over():
        seat = table.awaited()[0]
        if wanting and not table.state.answer_pending() and _offer_rights(table, wanting, seat, ask):
            continue
        turn = table.turn(seat)
        assert turn is not None
        ask(seat, turn)
    return thinking


def _offer_rights(
    table: Table, wanting: Sequence[int], to_play: int, ask: Callable[[int, dict[str, Any]], bool]
) -> bool:
    """Offer their rights to the seats after ``to_play``; whether one of them used it."""
    for step in range(1, table.size):
        seat = (to_play + step) % table.size
        if seat not in wanting:
            continue
        turn = table.turn(seat)
        if turn is not None and ask(seat, turn):
            return True
    return False
