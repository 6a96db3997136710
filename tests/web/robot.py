"""A robot that plays whole games in a browser as a person does: it finds its way from the front page, and
clicks or taps only what can be seen and pressed.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import time
from collections import Counter
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.waiting import PATIENCE
from tests.web.sight import FIND_UNSEEN, LEAST_TARGET
from tests.web.words import words_of_programmers

QUESTIONS: Final = {
    "card": r"Play a card|Follow ",
    "cut": r"Cut the pack",
    "keep, pass or burn": r"(Keep|Pass|Burn)(, \w+)*( or \w+)?\?",
    "call to answer": r".+ says \w+\. Your answer\?",
    "play at the threshold": r"You have \d+ points",
    "sign": r"You may give your partner a sign",
    "exchange": r"Exchange your hand\?",
    "keep": r"Keep your hand\?",
    "trust": r".+ lays a hand away",
    "poverty": r"Poverty\.",
    "knock to answer": r".+ knocks\.",
    "may knock": r".+ plays\. You may knock",
}
"""What a person can be asked, by the words of the question."""

_AGAIN_S: Final = 5.0
_CALLS: Final = "#choices button.call"
_OTHERS: Final = "#felt .card-button, #choices button.choice:not(.call)"

_STATE: Final = """() => {
    const by = (id) => document.getElementById(id);
    return {
        over: !by("end").hidden && by("end").classList.contains("is-over"),
        turn: document.querySelector("#felt .card-button, #choices button.choice") ? by("turn-id").value : "",
        optional: !by("ask").classList.contains("waits"),
        question: by("question").textContent,
        event: by("felt").dataset.event,
    };
}"""

# After each change that the page draws, before anything else can happen.
_LOOK: Final = """(() => {
    const find = %s;
    const known = new Set();
    const look = () => {
        const { event } = document.getElementById("felt").dataset;
        for (const found of find({ least: %d })) {
            if (known.has(found)) continue;
            known.add(found);
            unseen(`${document.getElementById("question").textContent} (event ${event}): ${found}`);
        }
    };
    document.addEventListener("DOMContentLoaded", () => {
        if (!document.getElementById("choices")) return;
        const observer = new MutationObserver(look);
        observer.observe(document.getElementById("felt"), { attributeFilter: ["data-event"] });
        observer.observe(document.getElementById("choices"), { childList: true });
        observer.observe(document.getElementById("end"), { attributeFilter: ["hidden", "class"] });
    });
})();"""


class Asked(NamedTuple):
    """What a table asks now: ``turn`` is empty while it asks nothing."""

    over: bool
    turn: str
    optional: bool
    question: str
    event: str


class Robot:
    """It plays in a new window of ``browser``, and where it can call, does so with the chance ``calls``. What
    should not be is in ``findings``.
    """

    def __init__(
        self, browser: Any, width: int, height: int, seed: str, *, touches: bool, calls: float = 0.4
    ) -> None:
        self.touches = touches
        self.presses = 0
        self.questions: Counter[str] = Counter()
        self.findings: list[str] = []
        self.hosts: set[str] = set()
        self._numbers = random.Random(seed)
        self._calls = calls
        self._turn, self._event, self._changed = "", "", time.monotonic()
        self.context = browser.new_context(
            viewport={"width": width, "height": height},
            reduced_motion="reduce",
            has_touch=touches,
            is_mobile=touches,
        )
        self.context.set_default_timeout(PATIENCE * 1000)
        self.context.expose_binding("unseen", lambda _, found: self.findings.append(found))
        self.context.add_init_script(_LOOK % (FIND_UNSEEN, LEAST_TARGET if touches else 0))
        self.context.on("request", lambda sent: self.hosts.add(urlsplit(sent.url).netloc))
        self.page = self.context.new_page()
        self.page.on("console", lambda said: self.findings.append(f"the console says {said.text}"))
        self.page.on("pageerror", lambda error: self.findings.append(f"an error: {error}"))

    def press(self, selector: str | Any, **options: Any) -> None:
        """Click or tap what can be seen and pressed; Playwright waits until it can."""
        target = self.page.locator(selector).first if isinstance(selector, str) else selector
        (target.tap if self.touches else target.click)(**options)
        self.presses += 1

    def look_around(self) -> None:
        """Look at a page that is no table."""
        if self.page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            self.findings.append(f"{self.page.url} scrolls sideways")
        self._read(self.page.url)

    def _read(self, where: str) -> None:
        self.findings += [f"{where}: {found}" for found in words_of_programmers(self.page)]

    def sit_down(self, url: str, way: tuple[str, ...]) -> str:
        """From the front page to a table, and the id of its game."""
        self.page.goto(url)
        for selector in way:
            self.look_around()
            with self.page.expect_navigation():
                self.press(selector)
        self.page.wait_for_selector("#felt .seat")
        return str(self.page.url.rpartition("/")[2])

    def play(self) -> None:
        """Answer whatever is asked until the game is over, for this player and for all others."""
        while self.step():
            pass

    def step(self) -> bool:
        """Look at the table, and answer what it asks; return whether the game continues."""
        asked = Asked(**self.page.evaluate(_STATE))
        if asked.over:
            return False
        if asked.event != self._event:
            self._event, self._changed = asked.event, time.monotonic()
        assert time.monotonic() < self._changed + PATIENCE, f"nothing happens: {asked}"
        is_new = asked.turn not in ("", self._turn)
        if is_new:
            self._turn = asked.turn
            self.questions[kind_of(asked.question)] += 1
            self._read(asked.question)
        if asked.turn and (is_new or not asked.optional):
            # The table may be drawn anew under a press, and a right may be gone.
            with contextlib.suppress(PlaywrightTimeout):
                if self._answer():
                    self._wait_for_another(asked.turn)
        else:
            self.page.wait_for_timeout(20)
        return True

    def _answer(self) -> bool:
        """Press an answer, or nothing: a right need not be used, and may be gone."""
        if self.page.locator("#number").count():
            width = self.page.locator("#number").bounding_box()["width"]
            at = {"x": self._numbers.uniform(0.05, 0.95) * width, "y": 10}
            self.press("#number", position=at, timeout=_AGAIN_S * 1000)
        if self.page.locator("label.toggle").count() and self._numbers.random() < 0.2:
            self.press("label.toggle", timeout=_AGAIN_S * 1000)
        # Stakes that rise make games short.
        calls = self.page.locator(_CALLS)
        chosen = (
            calls if calls.count() and self._numbers.random() < self._calls else self.page.locator(_OTHERS)
        )
        if not (count := chosen.count()):
            return False
        self.press(chosen.nth(self._numbers.randrange(count)), timeout=_AGAIN_S * 1000)
        again = self.page.locator("#choices .call:has-text('Tap again')")
        if again.count():
            self.press(again.first, timeout=_AGAIN_S * 1000)
        return True

    def _wait_for_another(self, turn: str) -> None:
        until = time.monotonic() + _AGAIN_S
        while time.monotonic() < until and self.page.locator("#turn-id").input_value() == turn:
            self.page.wait_for_timeout(20)

    def told(self) -> str:
        """How often it pressed, and what it was asked."""
        what = "taps" if self.touches else "clicks"
        asked = ", ".join(f"{kind} {count}" for kind, count in self.questions.most_common())
        return f"{self.presses} {what}; asked {self.questions.total()} times: {asked}"


def kind_of(question: str) -> str:
    """The kind of a question of :data:`QUESTIONS`."""
    (kind,) = [kind for kind, words in QUESTIONS.items() if re.match(words, question)]
    return kind


def table_data(page: Any) -> Any:
    """What a table was given when it was opened."""
    return json.loads(page.locator("#data").text_content())
