"""Qualification: a new version of a bot plays a group against ``rookie`` before it is paired."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

import orjson

from arena.asked import asked
from arena.live.clocks import ServiceClock
from arena.live.event import OVER, Event
from arena.live.store_journals import JournalStore
from arena.live.store_tournaments import QUALIFIED, TournamentStore
from arena.live.versions import BotAccount
from arena.ratings.results import OPEN, SEALED
from arena.text import printable

AGAINST: Final = "rookie"
RETRY_MS: Final = 600_000
"""A bot that failed and is online is not asked again by itself for so long."""

_SURELY_MADE_MS: Final = 10_000

RULES: Final[dict[str, dict[str, Any]]] = {"truco": {}, "toepen": {"seats": 2}}
"""The rules of qualification groups; all else by default."""


class Qualification(NamedTuple):
    """What is known of a version. ``event``: the tournament in which it plays its group; ``tries``: the
    how many-eth; ``turn``: where it failed; ``detail``: what an uploaded bot did wrong at last, for its owner
    only.
    """

    state: Literal["qualifying", "qualified", "failed"]
    event: str
    tries: int
    at_ms: int
    reason: str = ""
    turn: dict[str, Any] | None = None
    detail: str = ""

    def as_json(self, kind: str) -> dict[str, Any]:
        """As the owner of the bot sees it."""
        return {
            "kind": kind,
            "state": self.state,
            "tournament": self.event,
            "reason": self.reason or None,
            "detail": self.detail or None,
            "at_ms": self.at_ms,
        }


class Qualifications:
    """``create(fields, event_id, bot, purpose)`` makes the tournament of one group."""

    def __init__(
        self,
        store: TournamentStore,
        journals: JournalStore,
        clock: Callable[[], ServiceClock],
        create: Callable[[dict[str, Any], str, BotAccount, str, str], None],
    ) -> None:
        self._store = store
        self._journals = journals
        self._clock = clock
        self._create = create

    def known(self, kind: str, names: Iterable[tuple[str, str]]) -> list[Qualification | None]:
        """What is known of versions (name, label); None for one that has not begun."""
        stored = self._store.some_fields(QUALIFIED, [_field(kind, *name) for name in names])
        return [None if data is None else Qualification(*orjson.loads(data)) for data in stored]

    def start(self, kind: str, bot: BotAccount, version: str, *, again_after_ms: int = 0) -> Qualification:
        """What is known of the version; its group is begun if it has not been, or has failed so long ago."""
        field = _field(kind, bot.name, version)
        before = self._store.field(QUALIFIED, field)
        known = None if before is None else Qualification(*orjson.loads(before))
        now_ms = self._clock().now_ms
        if known is not None and known.state == "qualifying":
            if now_ms > known.at_ms + _SURELY_MADE_MS:
                # Whoever noted it may have died before it made the tournament; made it is made once.
                self._create(_fields(kind, bot, version, now_ms), known.event, bot, version, field)
            return known
        if known is not None and (known.state == "qualified" or now_ms < known.at_ms + again_after_ms):
            return known
        tries = 1 if known is None else known.tries + 1
        event = f"q-{sha256(field.encode()).hexdigest()[:16]}-{tries}"
        begun = Qualification("qualifying", event, tries, now_ms)
        # The note first: its end finds it.
        if self._store.replace(QUALIFIED, field, before, orjson.dumps(list(begun))):
            self._create(_fields(kind, bot, version, now_ms), event, bot, version, field)
        return begun

    def note(self, event: Event, records: Iterable[bytes]) -> None:
        """The group of a qualification is over."""
        assert event.state in OVER
        before = self._store.field(QUALIFIED, event.purpose)
        known = None if before is None else Qualification(*orjson.loads(before))
        if known is None or known.event != event.id or known.state != "qualifying":
            return
        bot = event.purpose.split("/")[1]
        state: Literal["qualified", "failed"] = "qualified"
        reason, turn, detail = "", None, ""
        if event.state == "cancelled" or event.final is None or not event.final["groups"]:
            state, reason = "failed", f"our fault, enter again: {event.reason or 'the group was void'}"
        else:
            for line in records:
                failure = _failure(json.loads(line), bot)
                if failure is not None:
                    state, (reason, turn) = "failed", failure
                    detail = self._detail(bot, turn)
                    break
        done = known._replace(
            state=state, reason=reason, turn=turn, detail=detail, at_ms=self._clock().now_ms
        )
        self._store.replace(QUALIFIED, event.purpose, before, orjson.dumps(list(done)))

    def _detail(self, bot: str, turn: dict[str, Any]) -> str:
        """What an uploaded bot did wrong at last."""
        for seat in self._journals.find(bot, turn["game"]) or ():
            if seat["seat"] == turn["seat"] and seat["faults"]:
                fault = seat["faults"][-1]
                return f"{fault['type']}: {fault['detail']}"
        return ""


def _failure(record: dict[str, Any], bot: str) -> tuple[str, dict[str, Any]] | None:
    """Why ``bot`` forfeited the game of ``record``, and where; None if it did not."""
    canonical = record["canonical"]
    for seat in canonical["outcome"]["forfeits"]:
        if canonical["players"][seat]["name"] != bot:
            continue
        details = record["info"].get("fault_details") or [""] * len(canonical["faults"])
        own = [
            (fault, detail)
            for fault, detail in zip(canonical["faults"], details, strict=True)
            if fault["seat"] == seat
        ]
        fault, detail = own[-1]
        told = ", ".join(other["type"] for other, _ in own)
        turn = _turn_of(record, seat)
        where = {"game": canonical["game"], "seat": seat, "turn": turn, "after": fault["after"]}
        reason = (
            f"forfeited game {where['game']} on seat {seat} by its faults ({told}); the last was "
            f"{fault['type']} at turn {turn}, after {fault['after']} actions"
            f"{': ' if detail else ''}{printable(detail, 200)}"
        )
        return reason, where
    return None


def _turn_of(record: dict[str, Any], seat: int) -> str:
    """The id of the last turn that was asked of ``seat``, which forfeited there."""
    turns = [one.turn["turn"] for one in asked(record) if one.seat == seat]
    return str(turns[-1])


def _fields(kind: str, bot: BotAccount, version: str, now_ms: int) -> dict[str, Any]:
    return {
        "name": f"Qualification of {bot.name} {version}",
        "division": SEALED if bot.find(version).uploaded else OPEN,
        "kind": kind,
        "rules": RULES.get(kind, {}),
        "format": "round_robin",
        "opens_ms": now_ms,
        "locks_ms": now_ms,
        "house": [AGAINST],
    }


def _field(kind: str, bot: str, version: str) -> str:
    return f"{kind}/{bot}/{version}"
