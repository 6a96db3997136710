"""Whole games by clicks and taps, from the front page to the replay: the rules of a table on one screen hold
after every event, whatever is asked.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from arena.live.header import Viewer
from arena.ops.service import Service
from tests.service import Service as Running
from tests.web.hearing import Heard, check_currents, check_spoken
from tests.web.robot import Robot, table_data
from tests.web.sight import WIDEST_TOUCHED

pytestmark = pytest.mark.system

CHOOSE, SIT = "main a:text-is('choose')", "button:text-is('Sit down')"
TOEPEN = (CHOOSE, ".segments a:text-is('Toepen')")
WAYS = {
    "truco": (CHOOSE, SIT),
    "paulista": ("button.start:has-text('Truco paulista')",),
    "paulista for two": ("button.start:has-text('Paulista for two')",),
    "mineiro": (CHOOSE, ".chips a:text-is('Truco mineiro')", SIT),
    "toepen for two": (*TOEPEN, ".chips a:text-is('Toepen for two')", SIT),
    "toepen for four": ("button.start:has-text('Toepen for four')",),
    "toepen for eight": (*TOEPEN, ".chips a:text-is('8 seats')", SIT),
}
PLAYED = (
    ("truco", 1440, 900),
    ("truco", 844, 390),
    ("paulista", 1366, 650),
    ("paulista", 360, 640),
    ("paulista for two", 820, 1180),
    ("paulista for two", 390, 844),
    ("mineiro", 820, 1180),
    ("mineiro", 390, 844),
    ("toepen for two", 1366, 650),
    ("toepen for two", 844, 390),
    ("toepen for four", 1366, 650),
    ("toepen for four", 390, 844),
    ("toepen for eight", 1440, 900),
    ("toepen for eight", 360, 640),
)
BY_DAY = (("paulista for two", 390, 844),)


@pytest.mark.parametrize(
    ("table", "width", "height"),
    [one if one in BY_DAY else pytest.param(*one, marks=pytest.mark.nightly("pages")) for one in PLAYED],
)
def test_a_whole_game_by_clicks_and_taps(
    table: str, width: int, height: int, browser: Any, running: Running, parts: Service
) -> None:
    began = time.monotonic()
    robot = Robot(browser, width, height, f"{table} {width}", touches=width < WIDEST_TOUCHED)
    heard = Heard(robot.context)
    game = robot.sit_down(running.url, WAYS[table])
    data = table_data(robot.page)
    robot.play()
    ended = robot.page.inner_text("#end-words")
    header = parts.people.header(game)
    events = parts.live.events(game, Viewer(header.people()[0].bot), limit=10_000)["events"]
    new = [event for event in events if event["n"] >= data["table"]["next"]]
    check_currents(heard, header.kind, new)
    check_spoken(heard, data["names"], new)
    robot.press("#end a:text-is('See the replay')")
    robot.page.wait_for_selector("#list a[aria-current=step]")
    robot.look_around()
    robot.context.close()
    took = f"{len(events)} events, {time.monotonic() - began:.0f} s"
    print(f"{table}, {width}×{height}: {robot.told()}; {took}; {ended}")
    assert robot.findings == []
    assert robot.hosts == {f"127.0.0.1:{running.port}"}
