"""A second implementation of Brazilian Truco, written from the rules alone and sharing nothing with
``arena``: slow, plain and as close to the text as possible. A game is one generator that tells the story
from top to bottom; the tests compare it with the real rules step by step.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import product
from typing import Any

Ask = Generator[None, tuple[int, str], str]

PACK = [rank + suit for suit in "CHSD" for rank in "A234567JQK"]
ORDER = ["4C", "7H", "AS", "7D", "3", "2", "A", "K", "J", "Q", "7", "6", "5", "4"]
GESTURES = ["wink", "eyebrow", "cheek", "tongue", "shoulder", "nose"]

WINNER_BY_TRICKS = {
    "AA": "A",
    "A=": "A",
    "ABA": "A",
    "ABB": "B",
    "AB=": "A",
    "=A": "A",
    "==A": "A",
    "===": "=",
}
WINNER_BY_TRICKS |= {
    tricks.translate(str.maketrans("AB", "BA")): {"A": "B", "B": "A", "=": "="}[winner]
    for tricks, winner in WINNER_BY_TRICKS.items()
}


def rank_of(card: str) -> int:
    """0 is the strongest."""
    return ORDER.index(card) if card in ORDER else ORDER.index(card[0])


class Reference:
    """A game, and who is ``awaited`` (-1: chance) with what ``options``."""

    def __init__(self, rules: dict[str, Any]) -> None:
        self.rules = rules
        self.points = {"A": 0, "B": 0}
        self.over = False
        self.awaited: int | None = None
        self.options: list[str] = []
        self.signallers: set[int] = set()
        self.story = self.game()
        next(self.story)

    def legal(self, seat: int) -> set[str]:
        legal = set(self.options) if seat == self.awaited else set()
        if seat in self.signallers:
            legal |= {f"signal:{gesture}" for gesture in GESTURES}
        return legal

    def apply(self, seat: int, action: str) -> None:
        try:
            self.story.send((seat, action))
        except StopIteration:
            self.over = True
            self.awaited = None
            self.options = []
            self.signallers = set()

    def ask(self, seat: int, options: list[str]) -> Ask:
        """The seat's answer; any seat may signal first."""
        while True:
            if len(options) == 1 and not self.signallers:
                return options[0]
            self.awaited, self.options = seat, options
            who, action = yield
            if action.startswith("signal:"):
                assert who in self.signallers
                self.signallers.remove(who)
            else:
                assert who == seat
                assert action in options
                return action

    def chance(self) -> Ask:
        self.awaited, self.options, self.signallers = -1, [], set()
        _, action = yield
        return action.split(":")[1]

    def game(self) -> Generator[None, tuple[int, str], None]:
        dealer = int((yield from self.chance()))
        for _ in range(self.rules["max_hands"]):
            cards = yield from self.chance()
            yield from self.hand(dealer, [cards[i : i + 2] for i in range(0, 80, 2)])
            if 12 in self.points.values():
                return
            dealer = (dealer + 1) % 4

    def score(self, team: str, points: int) -> None:
        self.points[team] = min(12, self.points[team] + points)

    def hand(self, dealer: int, pack: list[str]) -> Generator[None, tuple[int, str], None]:
        elevens = [team for team in "AB" if self.points[team] == 11]
        forehand, second, third = ((dealer + step) % 4 for step in (1, 2, 3))
        if self.rules["signals"] == "table" and len(elevens) < 2:
            self.signallers = {0, 1, 2, 3}
        if self.rules["cut"] == "player":
            cuts = [f"cut:{n}:{end}" for n, end in product(range(1, 40), ("top", "bottom"))]
            cut = yield from self.ask(third, ["no_cut", *cuts])
            if cut != "no_cut":
                lifted = int(cut.split(":")[1])
                pack = pack[lifted:] + pack[:lifted]
                if cut.endswith("bottom"):
                    pack = list(reversed(pack))
        else:
            pack = list(pack)

        def three() -> list[str]:
            return [pack.pop(0) for _ in range(3)]

        hands: dict[int, list[str]] = {}
        burns = 0
        while forehand not in hands:
            cards = three()
            options = ["keep"]
            if not elevens:
                options += ["pass"] * (third not in hands) + ["burn"] * (burns < self.rules["max_burns"])
            choice = "keep" if len(elevens) == 2 else (yield from self.ask(forehand, options))
            if choice == "burn":
                burns += 1
            else:
                hands[forehand if choice == "keep" else third] = cards
        for seat in (second, third, dealer):
            if seat not in hands:
                hands[seat] = three()

        if len(elevens) == 1:
            members = [seat for seat in (forehand, second, third, dealer) if "AB"[seat % 2] == elevens[0]]
            answer = yield from self.ask(members[0], ["run:1", "accept:3", "defer"])
            if answer == "defer":
                answer = yield from self.ask(members[1], ["run:1", "accept:3"])
            if answer == "run:1":
                self.score("B" if elevens[0] == "A" else "A", 1)
                return
        yield from self.tricks(forehand, hands, elevens)

    def tricks(
        self, leader: int, hands: dict[int, list[str]], elevens: list[str]
    ) -> Generator[None, tuple[int, str], None]:
        value = 3 if len(elevens) == 1 else 1
        results = ""
        caller: int | None = None
        for number in (1, 2, 3):
            if number > 1 and self.rules["signals"] == "table" and len(elevens) < 2:
                self.signallers = {0, 1, 2, 3}
            extra = caller is not None
            table: list[tuple[int, str | None]] = []
            before_call: list[tuple[int, str | None]] = []
            for seat in [(leader + step) % 4 for step in range(4)]:
                if len(elevens) == 2:
                    table.append((seat, hands[seat].pop(0)))
                    continue
                options = ["play:" + card for card in hands[seat]]
                if self.rules["face_down"] == "any" or (
                    self.rules["face_down"] == "after_first_trick" and number > 1
                ):
                    options += ["hide:" + card for card in hands[seat]]
                call = ["truco"] if caller is None and not elevens else []
                action = yield from self.ask(seat, options + call)
                if action == "truco":
                    caller, before_call = seat, list(table)
                    proposer, proposed, fallback = seat, 3, 1
                    while True:
                        asked = (proposer + 1) % 4
                        answers = [f"run:{fallback}", f"accept:{proposed}"]
                        if proposed < 12:
                            answers.append(f"raise:{proposed + 3}")
                        answer = yield from self.ask(asked, [*answers, "defer"])
                        if answer == "defer":
                            asked = (asked + 2) % 4
                            answer = yield from self.ask(asked, answers)
                        if answer.startswith("run"):
                            self.score("AB"[proposer % 2], fallback)
                            return
                        if answer.startswith("accept"):
                            value = proposed
                            break
                        proposer, proposed, fallback = asked, proposed + 3, proposed
                    action = yield from self.ask(seat, options)
                card = action.split(":")[1]
                hands[seat].remove(card)
                table.append((seat, card if action.startswith("play") else None))

            shown = [(seat, card) for seat, card in table if card is not None]
            best = [
                (seat, card) for seat, card in shown if rank_of(card) == min(rank_of(c) for _, c in shown)
            ]
            teams = {"AB"[seat % 2] for seat, _ in best}
            result = teams.pop() if len(teams) == 1 else "="
            if best:
                leader = best[0][0]
            if caller is not None:
                callers = "AB"[caller % 2]
                if result != "=":
                    self.score(result, value)
                elif extra:
                    pass
                elif any(play in before_call for play in best):
                    self.score("B" if callers == "A" else "A", value)
                elif number < 3:
                    continue
                return
            results += result
            if results in WINNER_BY_TRICKS:
                if WINNER_BY_TRICKS[results] != "=":
                    self.score(WINNER_BY_TRICKS[results], value)
                return
