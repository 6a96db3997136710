"""Plays one game between bots in this process."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

from arena.bots import Bot, BotFailure, BotSpec, HostFailure, Turn
from arena.play.fault_reports import FaultReport, Trace, message_of, trace_of
from arena.play.judge import AcceptedAnswer, fail, judge, seats_with_rights
from arena.play.programs import ProgramBot
from arena.play.table import Table
from arena.play.time_limits import OutOfTime, time_limit


@dataclass
class Thinking:
    """The thinking time of a seat: the number of its decisions, their total and longest duration in seconds,
    and ``times``, the duration of each one.
    """

    decisions: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    times: array[float] = field(default_factory=lambda: array("f"))

    def add(self, seconds: float) -> None:
        """Add one decision."""
        self.decisions += 1
        self.seconds += seconds
        self.longest = max(self.longest, seconds)
        self.times.append(seconds)

    def merge(self, other: Thinking) -> None:
        """Add the decisions of ``other``."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.longest = max(self.longest, other.longest)
        self.times.extend(other.times)

    def within(self, share: float) -> float:
        """Return the number of seconds within which this share (0 to 1) of the decisions was made, or 0 if
        there were none.
        """
        if not self.times:
            return 0.0
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Unfit(Bot):
    """A placeholder for a bot that could not be created. Every decision raises the same error."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def choose(self, turn: Turn) -> str | None:
        """Raise the error that prevented the bot from being created."""
        raise self._error


def seat_bot(spec: BotSpec, seed: int, think_limit: float | None = None) -> Bot:
    """Return a new bot for one seat of one game, or :class:`Unfit` if creating it raised an exception or took
    too long.

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
    """A bot that keeps a journal and holds memory until it is closed. ``journal.after`` is set to the number
    of actions in the game before each decision.
    """

    journal: Any

    def close(self) -> None:
        """Free the resources held by the bot."""


def close_bots(bots: Iterable[Bot]) -> None:
    """Free the resources held by the bots. Call this when a game has ended."""
    for bot in bots:
        if isinstance(bot, Journaled | ProgramBot):
            bot.close()


def play(
    table: Table,
    bots: Sequence[Bot],
    *,
    think_limit: float | None = None,
    on_decision: Callable[[int], None] | None = None,
    on_fault: Callable[[int, FaultReport], None] | None = None,
) -> list[Thinking]:
    """Play ``table`` to its end with one bot per seat, and return the thinking time of each seat.

    Raises :class:`~arena.bots.HostFailure` if the service could not run a bot, and :class:`OutOfTime` if a
    :func:`time_limit` set by the caller expires. Errors of bots are not raised. They are counted as faults:
    the bot raised an exception (``crashed``), took longer than ``think_limit`` seconds (``late``), or gave an
    answer that :func:`~arena.play.judge.judge` faults. ``on_decision`` is called with the seat before each
    decision, and ``on_fault`` with the seat after a fault.

    After every public event, if no answer is pending, rights outside a turn are offered to the bots that want
    them. They are offered in seat order; the seat to play comes last, with its own turn.
    """
    thinking = [Thinking() for _ in bots]
    journals = [bot.journal if isinstance(bot, Journaled) else None for bot in bots]

    def ask(seat: int, turn: Turn) -> bool:
        if on_decision is not None:
            on_decision(seat)
        number = table.turn_number(seat)
        journal = journals[seat]
        if journal is not None:
            journal.after = table.logged
        start = perf_counter()
        fault, detail, answer = "", "", None
        trace: Trace | None = None
        faults = len(table.faults)
        try:
            with time_limit(think_limit):
                answer = bots[seat].choose(turn)
        except OutOfTime as expired:
            if think_limit is None:
                raise  # The caller's time limit expired; this is not a fault of the seat.
            fault, detail = "late", f"no answer within {think_limit} s"
            trace = None if on_fault is None else trace_of(expired)
        except BotFailure as failure:
            fault, detail = failure.type, str(failure)
            trace = None if on_fault is None else trace_of(failure)
        except HostFailure:
            raise
        except Exception as error:
            fault, detail = "crashed", f"{type(error).__name__}: {message_of(error)}"
            trace = None if on_fault is None else trace_of(error)
        thinking[seat].add(perf_counter() - start)
        accepted = False
        if fault:
            fail(table, seat, fault, detail)
        elif answer is not None or not turn["optional"]:
            accepted = isinstance(judge(table, seat, number, answer), AcceptedAnswer)
        if on_fault is not None and len(table.faults) > faults:
            last = table.faults[faults]
            legal = tuple(turn["legal_actions"])
            on_fault(seat, FaultReport(last.type, table.own_id(turn["turn"]), legal, last.detail, trace))
        return accepted

    def offer_rights() -> bool:
        for seat in seats_with_rights(table):
            if seat in wanting:
                turn = table.turn(seat)
                assert turn is not None
                if ask(seat, turn):
                    return True
        return False

    wanting = [seat for seat, bot in enumerate(bots) if getattr(bot, "wants_rights", False)]
    table.start()
    while not table.is_over():
        if wanting and offer_rights():
            continue
        seat = table.awaited()[0]
        turn = table.turn(seat)
        assert turn is not None
        ask(seat, turn)
    return thinking
