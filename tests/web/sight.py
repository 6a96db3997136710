"""What of a table can be seen and touched: the own hand, the question and its answers."""

from __future__ import annotations

from typing import Any, Final

SIZES: Final = ((1440, 900), (1366, 650), (820, 1180), (390, 844), (844, 390), (360, 640))
WIDEST_TOUCHED: Final = 1180
LEAST_TARGET: Final = 44
"""Pixels on a screen that is touched."""

FIND_UNSEEN: Final = r"""({ least }) => {
    const findings = [];
    const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
    const name = (element) => {
        const card = element.querySelector(".card")?.dataset.card;
        const label = element.id || element.getAttribute("aria-label") || element.textContent.trim();
        const words = card ?? label;
        return `${element.localName}${card === undefined ? "" : " card"} "${words.slice(0, 40)}"`;
    };
    // The middle and four points near the corners.
    const POINTS = [[0.5, 0.5], [0.2, 0.2], [0.8, 0.2], [0.2, 0.8], [0.8, 0.8]];

    function look(element) {
        const box = element.getBoundingClientRect();
        const beyond = Math.max(-box.left, -box.top, box.right - innerWidth, box.bottom - innerHeight);
        if (!box.width || !box.height) return findings.push(`${name(element)} has no size`);
        if (beyond > 0.5) {
            return findings.push(`${name(element)} is ${Math.round(beyond)} px outside the window`);
        }
        for (const [x, y] of POINTS) {
            const top = document.elementFromPoint(box.left + x * box.width, box.top + y * box.height);
            if (element.contains(top)) continue;
            const kind = `${top?.localName}.${top?.getAttribute("class")}`;
            const words = top?.textContent.trim().slice(0, 20);
            return findings.push(`${name(element)} is covered by ${kind} "${words}"`);
        }
    }

    const root = document.documentElement;
    if (root.scrollHeight > innerHeight || root.scrollWidth > innerWidth) {
        findings.push(`the page is ${root.scrollWidth} × ${root.scrollHeight} px`);
    }
    const seat = JSON.parse(document.getElementById("data").textContent).seat;
    const own = document.querySelectorAll(`#felt .seat[data-seat="${seat}"] .hand li`);
    const kinds = ":is(button, input:not([type=checkbox]), label.toggle)";
    const answers = document.querySelectorAll(`#choices ${kinds}`);
    const [end, words, question] = ["end", "end-words", "question"].map((id) => document.getElementById(id));
    const isOver = end.classList.contains("is-over");
    const atEnd = isOver ? [words, end.querySelector(".actions button")] : [words];
    const said = end.hidden ? [question, ...answers] : atEnd;
    for (const element of [...(isOver ? [] : own), ...said]) look(element);
    if (least) {
        for (const element of document.querySelectorAll("a, button, summary, select, input, label.check")) {
            const isInLabel = element.localName === "input" && element.closest("label") !== null;
            if (!isShown(element) || isInLabel || element.closest(".skip")) continue;
            const { width, height } = element.getBoundingClientRect();
            if (Math.min(width, height) >= least - 0.5) continue;
            findings.push(`${name(element)} is ${Math.round(width)} × ${Math.round(height)} px`);
        }
    }
    return findings;
}"""

_PLACES: Final = """() => ["felt", "ask"].map((id) => {
    const { left, top, width, height } = document.getElementById(id).getBoundingClientRect();
    const isFixed = id === "felt" || innerHeight > innerWidth;
    return [id, ...[left, top, width, isFixed ? height : 0].map(Math.round)].join(" ");
}).join(", ")"""


def unseen(page: Any, *, touched: bool = False) -> list[str]:
    """The cards of the own hand, the question and its answers, or once there are none, the words of the end
    that are outside the window or under something else; that the page scrolls; and with ``touched``, what is
    too small for a finger.
    """
    found: list[str] = page.evaluate(FIND_UNSEEN, {"least": LEAST_TARGET if touched else 0})
    return found


def places(page: Any) -> str:
    """Where the felt and the question are, which is the same whatever is asked."""
    return str(page.evaluate(_PLACES))
