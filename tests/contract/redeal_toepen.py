"""Another world that looks the same to one seat: re-deals of a whole log of Toepen.

``alternative_log(log, seat, rng, rules)`` takes the actions of a game so far, ``(seat, action)`` with
those of chance, and returns a log of the same length in which every ``deal:`` may be another pack:
what ``seat`` did not see of each hand (hands of others as far as they were not played, laid-away
hands that nobody challenged, the stock not drawn by it) is dealt anew. All other actions stay as they
are, and stay legal: a seat that did not follow suit still cannot, and an announcement still fits
(TP-3.2, TP-4.1). Replayed, the other log must show ``seat`` the same after every action. ``rules`` are
the complete rules of the game, by default the default ones. The re-deal is a random walk from the
real deal; None if the log has no deal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from arena.games.cards import split_cards
from arena.games.kernel import CHANCE, Event
from arena.games.toepen.state import TOEPEN

SWAPS = 150


class HandSeen:
    """One hand: its pack, whose block of four each place is in, and what is known of each block."""

    def __init__(self, pack: list[str]) -> None:
        self.pack = pack
        self.drawn = 0
        self.block: dict[int, range] = {}
        """The places of the cards that each seat was last given."""
        self.seen: set[int] = set()
        """The places that the viewer knows."""
        self.said: dict[int, str] = {}
        self.voids: dict[int, set[str]] = {}
        self.led = ""

    def note(self, event: Event, viewer: int) -> None:
        """Take in what happened."""
        type, seat = event[0], event[1]
        if type in ("dealt", "new_cards"):
            self.block[seat] = range(self.drawn, self.drawn + 4)
            self.drawn += 4
            if seat == viewer:
                self.seen.update(self.block[seat])
        elif type == "challenge":
            self.seen.update(self.block[event[2]])
        elif type == "keep":
            self.said[seat] = event[2]
        elif type == "play":
            self.seen.add(self.pack.index(event[2]))
            self.led = self.led or event[2][1]
            if event[2][1] != self.led:
                self.voids.setdefault(seat, set()).add(self.led)
        elif type == "trick":
            self.led = ""

    def fits(self, whistling: bool) -> bool:
        """Whether the pack as it lies now allows all that the seats did."""
        for seat, block in self.block.items():
            left = [self.pack[place] for place in block if place not in self.seen]
            if any(card[1] in self.voids.get(seat, ()) for card in left):
                return False
            if whistling and seat in self.said and left:
                ranks = [self.pack[place][0] for place in block]
                if self.said[seat] not in announcements(ranks.count("T"), ranks.count("J")):
                    return False
        return True

    def redeal(self, whistling: bool, rng: Random) -> None:
        """Walk at random from the real deal to another that fits."""
        hidden = [place for place in range(len(self.pack)) if place not in self.seen]
        if len(hidden) < 2:
            return
        for _ in range(SWAPS):
            one, other = rng.sample(hidden, 2)
            self.swap(one, other)
            if not self.fits(whistling):
                self.swap(one, other)

    def swap(self, one: int, other: int) -> None:
        """Exchange two cards of the pack."""
        self.pack[one], self.pack[other] = self.pack[other], self.pack[one]


def announcements(tens: int, jacks: int) -> set[str]:
    """The announcements of a kept hand with that many tens and jacks (TP-3.2)."""
    if tens >= 3:
        return {"stand" if tens == 4 else "whistle"}
    return {"none"} | ({"stand"} if jacks == 4 else {"whistle"} if jacks == 3 else set())


def alternative_log(
    log: Sequence[tuple[int, str]], seat: int, rng: Random, rules: Mapping[str, Any] | None = None
) -> list[tuple[int, str]] | None:
    """See the top of this file."""
    complete = TOEPEN.options.complete(rules)
    state = TOEPEN.new_state(complete)
    hands: list[HandSeen] = []
    for actor, action in log:
        if action.startswith("deal:"):
            hands.append(HandSeen(split_cards(action.removeprefix("deal:"))))
        for event in state.apply(actor, action):
            if hands:
                hands[-1].note(event, seat)
    if not hands:
        return None
    for hand in hands:
        hand.redeal(complete["whistling"], rng)
    packs = iter("deal:" + "".join(hand.pack) for hand in hands)
    return [
        (actor, next(packs) if actor == CHANCE and action.startswith("deal:") else action)
        for actor, action in log
    ]
