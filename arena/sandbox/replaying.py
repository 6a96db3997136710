"""Replays the uploaded bots of a record, comparing every decision with the recorded one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from arena.bots import Bot, BotFailure, BotSpec, HostFailure, Turn
from arena.play.dealing import bot_seed
from arena.play.judge import fault_in
from arena.play.match import close_bots, play, seat_bot
from arena.play.table import Table
from arena.records.decisions import recorded_table
from arena.records.record import Canonical, Record, seat_flags
from arena.text import printable

_ILLEGAL: Final = "no such action"


class ReplayedDecision(NamedTuple):
    """The result of one decision: an action (None if an optional turn was passed) or a fault."""

    action: str | None
    fault: str = ""

    def __str__(self) -> str:
        return f"the fault {self.fault}" if self.fault else "to pass" if self.action is None else self.action


@dataclass
class Replayed:
    """The result of replaying the bots of a record: the number of ``decisions`` compared, the first
    ``difference`` (empty if there is none), and the ``missing`` bots, as ``name@version``, whose sources were
    not provided.
    """

    decisions: int = 0
    difference: str = ""
    missing: list[str] = field(default_factory=list)


class _Differs(HostFailure):
    """A bot decided differently."""


def replay_bots(record: Record, specs: Mapping[tuple[str, str], BotSpec]) -> Replayed:
    """Replay the game of a verified record with the uploaded bots in ``specs`` (by name and version). All
    other seats act as recorded. In a record without uploaded bots, nothing is compared.

    Raises :class:`~arena.bots.HostFailure` if this machine cannot run a bot.
    """
    replayed = Replayed()
    canonical = record["canonical"]
    is_house = seat_flags(record, "house")
    sandboxed = ["sandbox" in record["info"] and not house for house in is_house]
    seed = bytes.fromhex(canonical["seed"])
    table = recorded_table(canonical)
    story = _Decisions(canonical)
    bots: list[Bot] = []
    for seat, player in enumerate(canonical["players"]):
        recorded = _Recorded(table, story, seat)
        bots.append(recorded)
        if not sandboxed[seat]:
            continue
        spec = specs.get((player["name"], player["version"]))
        if spec is None:
            replayed.missing.append(f"{player['name']}@{player['version']}")
        else:
            bots[seat] = _Compared(seat_bot(spec, bot_seed(seed, seat)), recorded, replayed)
    if any(isinstance(bot, _Compared) for bot in bots):
        try:
            play(table, bots)
        except _Differs as error:
            replayed.difference = str(error)
        finally:
            for bot in bots:
                if isinstance(bot, _Compared):
                    bot.close()
    return replayed


class _Decisions:
    """The recorded results of decisions, by seat and the number of actions before the decision."""

    def __init__(self, canonical: Canonical) -> None:
        self._actions = canonical["actions"]
        self._faults: dict[tuple[int, int], list[str]] = {}
        for fault in canonical["faults"]:
            self._faults.setdefault((fault["seat"], fault["after"]), []).append(fault["type"])

    def next(self, seat: int, logged: int) -> ReplayedDecision:
        """Return the result of the seat's next decision."""
        faults = self._faults.get((seat, logged))
        if faults:
            return ReplayedDecision(None, faults.pop(0))
        acting, action, *mark = self._actions[logged]
        return ReplayedDecision(None if acting != seat or mark else action)


class _Recorded(Bot):
    """A bot that acts as the seat did in the record, including faults."""

    wants_rights = True

    def __init__(self, table: Table, story: _Decisions, seat: int) -> None:
        self.table = table
        self._story = story
        self._seat = seat

    def outcome(self) -> ReplayedDecision:
        """Return the recorded result of the current decision."""
        return self._story.next(self._seat, self.table.logged)

    def choose(self, turn: Turn) -> str | None:
        """See :meth:`arena.bots.Bot.choose`."""
        action, fault = self.outcome()
        if fault == "illegal":
            return _ILLEGAL
        if fault:
            raise BotFailure(fault, "as recorded")
        return action


class _Compared(Bot):
    """A bot whose decisions are compared with the record. Raises :class:`_Differs` if they differ."""

    def __init__(self, bot: Bot, recorded: _Recorded, replayed: Replayed) -> None:
        self.wants_rights = bot.wants_rights
        self._bot = bot
        self._recorded = recorded
        self._replayed = replayed

    def choose(self, turn: Turn) -> str | None:
        """See :meth:`arena.bots.Bot.choose`."""
        wanted = self._recorded.outcome()
        try:
            answer = self._bot.choose(turn)
            found = _outcome(answer, turn)
        except BotFailure as failure:
            self._compare(ReplayedDecision(None, failure.type), wanted, turn)
            raise
        except HostFailure:
            raise
        except Exception:
            # The bot could not be created.
            self._compare(ReplayedDecision(None, "crashed"), wanted, turn)
            raise
        self._compare(found, wanted, turn)
        return answer

    def close(self) -> None:
        """Free the bot's memory."""
        close_bots([self._bot])

    def _compare(self, found: ReplayedDecision, wanted: ReplayedDecision, turn: Turn) -> None:
        self._replayed.decisions += 1
        if found != wanted:
            raise _Differs(
                f"seat {turn['seat']}, turn {self._recorded.table.own_id(turn['turn'])}: recorded is "
                f"{printable(str(wanted), 80)}, the bot now chose {printable(str(found), 80)}"
            )


def _outcome(answer: str | None, turn: Turn) -> ReplayedDecision:
    if answer is None and turn["optional"]:
        return ReplayedDecision(None)
    fault = fault_in(answer, turn["legal_actions"])
    return ReplayedDecision(None if fault else answer, fault)
