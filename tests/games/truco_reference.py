"""A second implementation of Brazilian Truco and its variants, written from the rules alone and sharing
nothing with ``arena``: slow, plain and as close to the text as possible. A game is one generator that tells
the story from top to bottom; the tests compare it with the real rules step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from itertools import product
from typing import Any

Story = Generator[None, tuple[int, str], None]
Ask = Generator[None, tuple[int, str], str]

RANKS = {"full": "4567QJKA23", "clean": "QJKA23"}
PLAIN = list("32AKJQ7654")
OLD_MANILHAS = ["4C", "7H", "AS", "7D"]
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
OTHER = {"A": "B", "B": "A", "=": "="}
WINNER_BY_TRICKS |= {
    "".join(OTHER[trick] for trick in tricks): OTHER[winner] for tricks, winner in WINNER_BY_TRICKS.items()
}

OPTIONS: dict[str, list[Any]] = {
    "variant": ["base", "paulista", "mineiro"],
    "seats": [2, 3, 4],
    "pack": ["full", "clean"],
    "manilhas": ["fixed", "turned"],
    "cut": ["player", "none"],
    "exchange": [True, False],
    "max_burns": list(range(10)),
    "stakes": ["1-3-6-9-12", "2-4-6-10-12", "2-4-8-10-12", "2-4-8-12"],
    "truco_scope": ["trick", "hand"],
    "truco_from": ["any", "after_first_trick"],
    "raise_limit": ["none", "own", "both"],
    "face_down": ["any", "after_first_trick", "never"],
    "tie_lead": ["first_best", "opener"],
    "all_tied": ["nobody", "forehand"],
    "both_eleven": ["blind", "open"],
    "signals": ["off", "table"],
    "max_hands": [1, 2, 5, 100],
}
"""The options and their values; of ``max_hands`` a few (from 1 to 1000), and the three seats are refused."""

BASE: dict[str, Any] = {
    "seats": 4,
    "pack": "full",
    "manilhas": "fixed",
    "cut": "player",
    "exchange": True,
    "stakes": "1-3-6-9-12",
    "truco_scope": "trick",
    "truco_from": "any",
    "raise_limit": "none",
    "face_down": "any",
    "tie_lead": "first_best",
    "all_tied": "nobody",
    "both_eleven": "blind",
    "signals": "off",
    "max_hands": 100,
}
LATER = {"cut": "none", "exchange": False, "truco_scope": "hand", "face_down": "after_first_trick"}
PRESETS: dict[str, dict[str, Any]] = {
    "base": BASE,
    "paulista": {**BASE, **LATER, "manilhas": "turned"},
    "mineiro": {**BASE, **LATER, "stakes": "2-4-6-10-12"},
}


class Refused(Exception):
    """Rules that do not go together: the options that clash (``"seats=2"``), first the one to blame."""


def completed(given: Mapping[str, Any]) -> dict[str, Any]:
    """All the rules, with what the variant says where nothing is given."""
    variant = given.get("variant", "base")
    rules = {"variant": variant, **PRESETS[variant], **given}
    rules.setdefault("max_burns", 3 if rules["exchange"] else 0)

    def refuse(*names: str) -> Refused:
        return Refused(*(f"{name}={str(rules[name]).lower()}" for name in names))

    if rules["seats"] == 3:
        raise refuse("seats")
    if rules["exchange"] and rules["seats"] == 2:
        raise refuse("exchange", "seats")
    if rules["exchange"] and rules["manilhas"] == "turned":
        raise refuse("exchange", "manilhas")
    if rules["exchange"] and rules["pack"] == "clean":
        raise refuse("exchange", "pack")
    if rules["max_burns"] > 0 and not rules["exchange"]:
        raise refuse("max_burns", "exchange")
    if rules["pack"] == "clean" and rules["manilhas"] == "fixed":
        raise refuse("pack", "manilhas")
    if rules["signals"] == "table" and rules["seats"] == 2:
        raise refuse("signals", "seats")
    return rules


def pack_of(rules: Mapping[str, Any]) -> list[str]:
    return [rank + suit for suit in "CHSD" for rank in RANKS[rules["pack"]]]


class Reference:
    """A game, and who is ``awaited`` (-1: chance) with what ``options``."""

    def __init__(self, rules: Mapping[str, Any]) -> None:
        self.rules = completed(rules)
        self.seats: int = self.rules["seats"]
        self.stakes = [int(stake) for stake in self.rules["stakes"].split("-")]
        self.points = {"A": 0, "B": 0}
        self.over = False
        self.awaited: int | None = None
        self.options: list[str] = []
        self.signallers: set[int] = set()
        self.between_hands()
        self.story = self.game()
        next(self.story)

    def between_hands(self) -> None:
        """What is seen while there is no hand."""
        self.signallers = set()
        self.stake = self.stakes[0]
        self.right: str | None = None
        self.vira: str | None = None
        self.manilhas = OLD_MANILHAS if self.rules["manilhas"] == "fixed" else None
        self.blind = False
        self.hands: dict[int, list[str]] = {}
        self.partner_dealt: dict[int, list[str]] = {}
        self.deferred = False
        self.call: dict[str, Any] | None = None
        self.extra = False
        self.table: list[tuple[int, str]] = []
        self.before_call: list[tuple[int, str]] = []

    def team(self, seat: int) -> str:
        return "AB"[seat % 2]

    def next_stake(self, stake: int) -> int:
        return self.stakes[self.stakes.index(stake) + 1]

    def at_threshold(self) -> list[str]:
        return [team for team in "AB" if self.points[team] == 12 - self.stakes[0]]

    def public(self) -> dict[str, Any]:
        """What everybody sees, in the form of an observation."""
        return {
            "score": [self.points["A"], self.points["B"]],
            "stake": self.stake,
            "vira": self.vira,
            "manilhas": self.manilhas,
            "right": "AB".index(self.right) if self.right in ("A", "B") else self.right,
            "elevens": ["AB".index(team) for team in self.at_threshold()],
            "held": [len(self.hands.get(seat, [])) for seat in range(self.seats)],
            "truco": self.call and {**self.call, "deferred": self.deferred},
            "eleven_deferred": self.deferred and self.call is None,
            "extra_trick": self.extra,
        }

    def private(self, seat: int) -> dict[str, Any]:
        """What the seat sees besides in a hand, in the order of the pack; nothing of a blind hand."""
        hand = [] if self.blind else self.hands.get(seat, [])
        seen = {"hand": hand, "partner_dealt": self.partner_dealt.get(seat, [])}
        pack = pack_of(self.rules)
        return {name: sorted(cards, key=pack.index) for name, cards in seen.items()}

    def legal(self, seat: int) -> set[str]:
        legal = set(self.options) if seat == self.awaited else set()
        if seat in self.signallers:
            legal |= {f"signal:{gesture}" for gesture in GESTURES}
        return legal

    def late(self) -> str:
        """What is done for the awaited seat when it is late."""
        for option in self.options:
            if option in ("no_cut", "keep") or option.startswith("run:"):
                return option
        cards = [option[5:] for option in self.options if option.startswith("play:")]
        weakest = [card for card in cards if self.rank(card) == max(map(self.rank, cards))]
        return "play:" + min(weakest, key=lambda card: "DSHC".index(card[1]))

    def apply(self, seat: int, action: str) -> None:
        try:
            self.story.send((seat, action))
        except StopIteration:
            self.over = True
            self.awaited = None
            self.options = []
            self.between_hands()

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

    def ask_team(self, seat: int, answers: list[str]) -> Ask:
        """The answer of the seat, or of its partner if the seat defers."""
        if self.seats == 4:
            answer = yield from self.ask(seat, [*answers, "defer"])
            if answer != "defer":
                return answer
            seat = (seat + 2) % 4
            self.deferred = True
        answer = yield from self.ask(seat, answers)
        self.deferred = False
        return answer

    def chance(self) -> Ask:
        self.between_hands()
        self.awaited, self.options = -1, []
        _, action = yield
        return action.split(":")[1]

    def score(self, team: str, points: int) -> None:
        self.points[team] = min(12, self.points[team] + points)

    def new_signals(self) -> None:
        if self.rules["signals"] == "table" and not self.blind:
            self.signallers = {0, 1, 2, 3}

    def game(self) -> Story:
        dealer = int((yield from self.chance()))
        for _ in range(self.rules["max_hands"]):
            cards = yield from self.chance()
            pack = [cards[i : i + 2] for i in range(0, len(cards), 2)]
            assert sorted(pack) == sorted(pack_of(self.rules))
            yield from self.hand(dealer, pack)
            if 12 in self.points.values():
                return
            dealer = (dealer + 1) % self.seats

    def hand(self, dealer: int, pack: list[str]) -> Story:
        elevens = self.at_threshold()
        self.blind = len(elevens) == 2 and self.rules["both_eleven"] == "blind"
        self.stake = self.stakes[1] if len(elevens) == 1 else self.stakes[0]
        self.right = None if elevens else "either"
        self.new_signals()
        in_turn = [(dealer + 1 + step) % self.seats for step in range(self.seats)]

        if self.rules["cut"] == "player":
            cuts = [f"cut:{n}:{end}" for n, end in product(range(1, len(pack)), ("top", "bottom"))]
            cut = yield from self.ask(in_turn[-2], ["no_cut", *cuts])
            if cut != "no_cut":
                lifted = int(cut.split(":")[1])
                pack = pack[lifted:] + pack[:lifted]
                if cut.endswith("bottom"):
                    pack = list(reversed(pack))

        def three() -> list[str]:
            return [pack.pop(0) for _ in range(3)]

        pack = list(pack)
        if self.rules["exchange"]:
            yield from self.exchange(in_turn, three, bool(elevens))
        for seat in in_turn:
            if seat not in self.hands:
                self.hands[seat] = three()
        if self.rules["manilhas"] == "turned":
            self.vira = pack.pop(0)
            ranks = RANKS[self.rules["pack"]] * 2
            self.manilhas = [ranks[ranks.index(self.vira[0]) + 1] + suit for suit in "CHSD"]

        if len(elevens) == 1:
            play, run = f"accept:{self.stakes[1]}", f"run:{self.stakes[0]}"
            if self.seats == 4:
                members = [seat for seat in in_turn if self.team(seat) == elevens[0]]
                self.partner_dealt = {seat: list(self.hands[(seat + 2) % 4]) for seat in members}
            first = next(seat for seat in in_turn if self.team(seat) == elevens[0])
            if (yield from self.ask_team(first, [run, play])) == run:
                self.score(OTHER[elevens[0]], self.stakes[0])
                return
        yield from self.tricks(in_turn[0])

    def exchange(self, in_turn: list[int], three: Callable[[], list[str]], must_keep: bool) -> Story:
        forehand, partner = in_turn[0], in_turn[2]
        burns = 0
        while True:
            self.hands[forehand] = three()
            options = ["keep"]
            if not must_keep:
                options += ["pass"] * (partner not in self.hands)
                options += ["burn"] * (burns < self.rules["max_burns"])
            choice = "keep" if self.blind else (yield from self.ask(forehand, options))
            if choice == "keep":
                return
            cards = self.hands.pop(forehand)
            if choice == "burn":
                burns += 1
            else:
                self.hands[partner] = cards

    def rank(self, card: str) -> int:
        """0 is the strongest."""
        assert self.manilhas is not None
        return (self.manilhas + PLAIN).index(card if card in self.manilhas else card[0])

    def within_limit(self, team: str, worth: int) -> bool:
        """Whether the team may call or raise what is or would be worth so much."""
        lowest = {"none": 0, "own": self.points[team], "both": min(self.points.values())}
        limit = self.rules["raise_limit"]
        return worth < 12 and (limit == "none" or lowest[limit] + worth < 12)

    def turn(self, seat: int, cards: list[str], trick: int) -> Ask:
        """What the seat plays (or ``""``: somebody ran), and the calls before it."""
        while True:
            ways = ["play"]
            if self.rules["face_down"] == "any" or (self.rules["face_down"] != "never" and trick > 1):
                ways.append("hide")
            options = [f"{way}:{card}" for way, card in product(ways, cards)]
            if (
                self.right in ("either", self.team(seat))
                and (trick > 1 or self.rules["truco_from"] == "any")
                and self.within_limit(self.team(seat), self.stake)
            ):
                first = self.stake == self.stakes[0]
                options.append("truco" if first else f"raise:{self.next_stake(self.stake)}")
            action = yield from self.ask(seat, options)
            if action.startswith(("play:", "hide:")):
                return action
            self.before_call = list(self.table)
            self.call = {"seat": seat, "team": seat % 2, "trick": trick - 1, "on_table": len(self.table)}
            if (yield from self.propose(seat)) == "run":
                return ""

    def propose(self, proposer: int) -> Ask:
        """A call and all the answers to it; ``run`` ends the hand."""
        while True:
            proposed = self.next_stake(self.stake)
            asked = self.team(proposer + 1)
            assert self.call is not None
            self.call |= {"proposer": proposer, "value": proposed, "pending": True}
            self.right = asked if proposed < 12 else None
            answers = [f"run:{self.stake}", f"accept:{proposed}"]
            if self.within_limit(asked, proposed):
                answers.append(f"raise:{self.next_stake(proposed)}")
            answer = yield from self.ask_team((proposer + 1) % self.seats, answers)
            if answer.startswith("run"):
                self.score(self.team(proposer), self.stake)
                return "run"
            self.stake = proposed
            if answer.startswith("accept"):
                self.call["pending"] = False
                if self.rules["truco_scope"] == "trick":
                    self.right = None
                return "accept"
            assert self.awaited is not None
            proposer = self.awaited

    def tricks(self, forehand: int) -> Story:
        leader = forehand
        results = ""
        for number in (1, 2, 3):
            if number > 1:
                self.new_signals()
            self.extra = self.rules["truco_scope"] == "trick" and self.call is not None
            self.table = []
            for seat in [(leader + step) % self.seats for step in range(self.seats)]:
                if self.blind:
                    action = "play:" + self.hands[seat][0]
                else:
                    action = yield from self.turn(seat, self.hands[seat], number)
                if not action:
                    return
                card = action[5:]
                self.hands[seat].remove(card)
                self.table.append((seat, card if action.startswith("play") else "hidden"))

            shown = [(seat, card) for seat, card in self.table if card != "hidden"]
            highest = min((self.rank(card) for _, card in shown), default=0)
            best = [(seat, card) for seat, card in shown if self.rank(card) == highest]
            teams = {self.team(seat) for seat, _ in best}
            result = teams.pop() if len(teams) == 1 else "="
            if best and (result != "=" or self.rules["tie_lead"] == "first_best"):
                leader = best[0][0]

            if self.rules["truco_scope"] == "trick" and self.call is not None:
                if result != "=":
                    self.score(result, self.stake)
                elif self.extra:
                    pass
                elif any(play in self.before_call for play in best):
                    self.score(OTHER[self.team(self.call["seat"])], self.stake)
                elif number < 3:
                    continue
                return
            results += result
            if results in WINNER_BY_TRICKS:
                winner = WINNER_BY_TRICKS[results]
                if winner == "=" and self.rules["all_tied"] == "forehand":
                    winner = self.team(forehand)
                if winner != "=":
                    self.score(winner, self.stake)
                return
