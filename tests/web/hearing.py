"""What a page shows as current and speaks, noted in the browser from the moment that it is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from arena.games.cards import spoken

PLAYED = ("play", "hide")
SAID = {
    "truco": ("cut", "kept", "passed", "burned", "truco", "raise", "accept", "run", "defer", "signal"),
    "toepen": ("exchange", "trust", "challenge", "keep", "knock", "stay", "fold"),
}
CALLS = ("truco", "raise", "knock", "accept", "stay", "fold", "exchange", "trust", "challenge", "cut")

_NOTE = """(() => {
    const seatOf = (bubble) => Number(bubble.closest(".seat").dataset.seat);
    const look = () => {
        const felt = document.getElementById("felt");
        const current = felt.querySelectorAll(".bubble:not(.past):not(.question)");
        const lying = [...felt.querySelectorAll(".lying[data-card]")].at(-1);
        note("shown", {
            n: Number(felt.dataset.event),
            said: [...current].map((bubble) => [seatOf(bubble), bubble.innerText]),
            lying: lying ? [Number(lying.dataset.seat), lying.dataset.card] : null,
        });
    };
    const begin = () => {
        const [felt, spoken] = ["felt", "spoken"].map((id) => document.getElementById(id));
        new MutationObserver(look).observe(felt, { attributeFilter: ["data-event"] });
        new MutationObserver((changes) => {
            for (const added of changes.flatMap((change) => [...change.addedNodes])) {
                note("spoken", added.textContent);
            }
        }).observe(spoken, { childList: true });
    };
    document.addEventListener("DOMContentLoaded", () => document.getElementById("spoken") && begin());
})();"""


class Shown(NamedTuple):
    """What is current on the felt: the event, the bubbles by seat, and the seat and name of the last card."""

    n: int
    said: list[list[Any]]
    lying: list[Any] | None


class Heard:
    """What the pages of a context have shown and spoken, in order."""

    def __init__(self, context: Any) -> None:
        self.shown: list[Shown] = []
        self.spoken: list[str] = []
        context.expose_binding("note", self._note)
        context.add_init_script(_NOTE)

    def _note(self, _: Any, kind: str, what: Any) -> None:
        if kind == "spoken":
            self.spoken.append(what)
        elif not self.shown or self.shown[-1].n != what["n"]:
            self.shown.append(Shown(**what))


def check_currents(heard: Heard, kind: str, events: Iterable[Mapping[str, Any]]) -> None:
    """Each event that says or shows something was current exactly once, and in order."""
    expected = [event for event in events if event["type"] in (*PLAYED, *SAID[kind])]
    numbers = {event["n"] for event in expected}
    shown = [one for one in heard.shown if one.n in numbers]
    missed = numbers - {one.n for one in shown}
    assert [one.n for one in shown] == [event["n"] for event in expected], f"{len(missed)} of {len(numbers)}"
    for one, event in zip(shown, expected, strict=True):
        if event["type"] in PLAYED:
            assert one.lying == [event["seat"], event["card"] or ""]
        else:
            assert [seat for seat, _ in one.said] == [event["seat"]], event


def check_spoken(heard: Heard, names: Sequence[str], events: Iterable[Mapping[str, Any]]) -> None:
    """Each card and each call was spoken, by the name of who played or called, in order."""
    lines = iter(heard.spoken)
    for event in events:
        if event["type"] not in (*PLAYED, *CALLS):
            continue
        card = event["card"] if event["type"] in PLAYED else None
        words = f"{spoken(card)}" if card else "face down" if event["type"] == "hide" else ""
        who = f"{names[event['seat']]} "
        # Who runs or folds is said at the latest with the end of the hand.
        assert any(line.startswith(who) and words in line for line in lines), event
