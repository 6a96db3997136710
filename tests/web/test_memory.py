"""The memory of tables that are open for five minutes, while a person plays and others play on."""

from __future__ import annotations

import time
from statistics import median
from typing import Any, NamedTuple

import pytest

from arena.ops.service import Service
from benchmarks.http.players import sign_up
from tests.service import Service as Running
from tests.web.playing import open_table
from tests.web.robot import Robot

pytestmark = [pytest.mark.system, pytest.mark.nightly("pages")]

SECONDS = 300
LOOKS = 15
MOVE_S = 0.5
QUIET = ("play:", "keep", "stay", "trust")
RULES = {"lives": 30, "end": "rubber", "rubbers": 9}
LARGEST_GROWTH = 100_000
"""Bytes between the second and the third 100 seconds, in which some 300 events are shown: what is drawn for
one, or kept of it, is larger than 500 bytes. In the first the code is compiled.
"""


class Used(NamedTuple):
    """What a page uses after the garbage has been collected."""

    heap: int
    nodes: int
    listeners: int


class Meter:
    """It looks at the memory of a page."""

    def __init__(self, page: Any) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("HeapProfiler.enable")
        self.used: list[Used] = []

    def look(self) -> None:
        self._session.send("HeapProfiler.collectGarbage")
        heap = self._session.send("Runtime.getHeapUsage")["usedSize"]
        counters = self._session.send("Memory.getDOMCounters")
        self.used.append(Used(int(heap), counters["nodes"], counters["jsEventListeners"]))

    def thirds(self) -> list[Used]:
        """The medians of each third."""
        size = len(self.used) // 3
        parts = [self.used[at : at + size] for at in range(0, 3 * size, size)]
        return [Used(*(round(median(values)) for values in zip(*part, strict=True))) for part in parts]


class Mover:
    """It moves all seats of a public game, a little faster than the page shows it."""

    def __init__(self, parts: Service) -> None:
        ((self._name, _),) = sign_up(parts.accounts, "watched", 1)
        self._live = parts.live
        seats = [{"bot": self._name}] * 4
        self.game = parts.live.create("toepen", seats=seats, rules=RULES, created_by=self._name)["game"]
        self._next = 0.0

    def step(self) -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + MOVE_S
        (turn, *_) = self._live.turns(self._name, rights=False).turns
        legal = turn["legal_actions"]
        action = next((one for one in legal if one.startswith(QUIET)), legal[-1])
        self._live.answer(self._name, [{"turn": turn["turn"], "action": action}])


def event_of(page: Any) -> int:
    return int(page.locator("#felt").get_attribute("data-event") or 0)


def test_the_memory_of_tables_is_flat(browser: Any, running: Running, parts: Service) -> None:
    robot = Robot(browser, 1366, 650, "memory", touches=False, calls=0)
    rules = {name: str(value) for name, value in RULES.items()}
    open_table(
        robot.page, running.url, "toepen", rules, {f"seat{seat}": "house:rookie" for seat in (1, 2, 3)}
    )
    mover = Mover(parts)
    context = browser.new_context(reduced_motion="reduce")
    spectator = context.new_page()
    spectator.goto(f"{running.url}/games/{mover.game}")
    spectator.wait_for_selector("#felt .seat")
    pages = {"player": robot.page, "spectator": spectator}
    meters = {name: Meter(page) for name, page in pages.items()}
    before = {name: event_of(page) for name, page in pages.items()}
    began = time.monotonic()
    for look in range(1, LOOKS + 1):
        while time.monotonic() < began + look * SECONDS / LOOKS:
            robot.step()
            mover.step()
        for meter in meters.values():
            meter.look()
    for name, meter in meters.items():
        shown = event_of(pages[name]) - before[name]
        print(f"{name}: {shown} events in {SECONDS} s; by thirds {meter.thirds()}")
        print(f"  heap in kB: {' '.join(str(one.heap // 1000) for one in meter.used)}")
        print(f"  nodes: {' '.join(str(one.nodes) for one in meter.used)}")
        print(f"  listeners: {' '.join(str(one.listeners) for one in meter.used)}")
        assert shown > LOOKS
    for meter in meters.values():
        _, middle, last = meter.thirds()
        assert last.heap <= middle.heap + LARGEST_GROWTH
        # How many there are depends on the hand, too.
        assert last.nodes <= 1.5 * middle.nodes
        assert last.listeners <= 1.5 * middle.listeners
    context.close()
    robot.context.close()
