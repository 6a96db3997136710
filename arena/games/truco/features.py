"""Brazilian Truco for learning programs: actions as numbers and observations as vectors.

The vector has these parts. ``S`` is the number of seats, and ``P`` is the number of cards in the pack. Team 0
is the observer's team, and team 1 is the other::

    phase         8           what the game waits for, in the order of ``table.PHASES``
    awaited       S           the awaited seat
    dealer        S
    score         2 x 13      the points of each team
    stake         13          the value of the hand
    threshold     2           the teams that would win with the smallest stake (BT-5.1, TV-7.1)
    right         2           the teams that have the right to raise the stake (TV-6.2)
    hand          P           the observer's cards
    strengths     3 x 15      the strength of each (1 to 14), strongest first
    held          S x 4       the number of cards held
    vira          P
    manilhas      P
    cards         3 x S x P   the card of each seat in each trick, if the observer knows it
    played        3 x S x 15  the strength of that card: 1 to 14, or 0 if face down
    leader        3 x S       the leader of each trick
    won           3 x 3       the winner of each trick: a team, or nobody
    burned        P
    passed        1           whether the forehand passed a hand
    passed_cards  P           the hand passed, if the observer knows it
    partner       P           the partner's cards as dealt, if the rules reveal them
    caller        S           the seat that called truco
    proposer      S           the last seat to raise
    called_in     3           the trick in which truco was called
    proposed      13          the proposed points, while an answer is due
    deferred      1           whether the answer was left to the partner
    extra_trick   1           whether this is the extra trick of BT-4.7
    gestures      S x 3 x 6   the gestures by seat and trick; only with ``signals``
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from arena.games.features import Features, Layout, Vector
from arena.games.options import Rules
from arena.games.truco.cards import CARD_NUMBER, GESTURES, SIGNAL_ACTIONS, TARGET
from arena.games.truco.options import TrucoRules, rules_from
from arena.games.truco.seen import TrucoNews, TrucoObservation
from arena.games.truco.table import PHASES
from arena.games.truco.view import order_seen

_TRICKS: Final = 3
_GRADES: Final = 15
"""The number of strengths, which range from 0 to 14."""


class TrucoFeatures(Features):
    """The features of Brazilian Truco; see the module and :class:`~arena.games.features.Features`."""

    def __init__(self, rules: Rules) -> None:
        own = rules_from(rules)
        super().__init__(rules, own.seats)
        self.actions = _actions(own)
        cards = own.pack.cards
        self._place = {card: place for place, card in enumerate(cards)}
        pack, seats = len(cards), own.seats
        self.layout = Layout(
            {
                "phase": (len(PHASES),),
                "awaited": (seats,),
                "dealer": (seats,),
                "score": (2, TARGET + 1),
                "stake": (TARGET + 1,),
                "threshold": (2,),
                "right": (2,),
                "hand": (pack,),
                "strengths": (3, _GRADES),
                "held": (seats, 4),
                "vira": (pack,),
                "manilhas": (pack,),
                "cards": (_TRICKS, seats, pack),
                "played": (_TRICKS, seats, _GRADES),
                "leader": (_TRICKS, seats),
                "won": (_TRICKS, 3),
                "burned": (pack,),
                "passed": (1,),
                "passed_cards": (pack,),
                "partner": (pack,),
                "caller": (seats,),
                "proposer": (seats,),
                "called_in": (_TRICKS,),
                "proposed": (TARGET + 1,),
                "deferred": (1,),
                "extra_trick": (1,),
                **({"gestures": (seats, _TRICKS, len(GESTURES))} if own.signals else {}),
            }
        )
        hands = own.max_burns + 1 if own.exchange else 0
        self.dealt = pack if own.cut else 3 * seats + own.turned + 3 * hands
        self.most_hands = own.max_hands
        plays = 3 * seats
        # A call, a deferred answer and an answer per step of the ladder, and two decisions at eleven.
        calls = own.cut + hands + own.exchange + 3 * (len(own.stakes) - 1) + 2
        signals = plays if own.signals else 0
        decisions = plays + calls + signals
        self.most_decisions = self.decisions_with_rights(decisions) if signals else decisions
        declined = self.most_decisions - decisions
        dealing = 7 * (seats + hands) + 6 * hands + 6 + 2 + 12
        self.most_numbers = 3 * plays + 4 * (calls + signals) + 2 * declined + dealing + 4 * _TRICKS + 7
        # A team with 11 points can win 12 in a hand, of which only 1 counts.
        self.most_points = (2 * TARGET - 1) / TARGET

    def vector(self, observation: TrucoObservation) -> bytearray:
        """See :class:`~arena.games.features.Features`."""
        observer = observation["seat"] or 0
        vector = self.layout.vector()
        self._standing(vector, observation, observer)
        self._cards(vector, observation)
        self._tricks(vector, observation, observer)
        self._calls(vector, observation, observer)
        return vector.data

    def gains(self, event: TrucoNews) -> list[float] | None:
        """Return the points of a hand as a share of :data:`~arena.games.truco.cards.TARGET`."""
        if event["type"] != "hand_over":
            return None
        if event["winner"] is None:
            return [0.0] * self.seats
        share = event["points"] / TARGET
        return [share if seat & 1 == event["winner"] else -share for seat in range(self.seats)]

    def _standing(self, vector: Vector, seen: TrucoObservation, observer: int) -> None:
        vector.mark("phase", PHASES.index(seen["phase"]))
        vector.mark_all(
            "awaited", [self.seat_after(observer, seat) for seat in seen["awaiting"] if seat >= 0]
        )
        if seen["dealer"] is not None:
            vector.mark("dealer", self.seat_after(observer, seen["dealer"]))
        for team, points in enumerate(seen["score"]):
            vector.mark("score", (team ^ observer) & 1, points)
        vector.mark("stake", seen["stake"])
        vector.mark_all("threshold", [(team ^ observer) & 1 for team in seen["elevens"]])
        right = seen["right"]
        if right is not None:
            vector.mark_all("right", (0, 1) if right == "either" else ((right ^ observer) & 1,))
        for seat, held in enumerate(seen["held"]):
            vector.mark("held", self.seat_after(observer, seat), held)

    def _cards(self, vector: Vector, seen: TrucoObservation) -> None:
        place = self._place
        hand = seen["hand"]
        strength = order_seen(seen).strength
        vector.mark_all("hand", [place[card] for card in hand])
        for index, grade in enumerate(sorted((strength[CARD_NUMBER[card]] for card in hand), reverse=True)):
            vector.mark("strengths", index, grade)
        if seen["vira"] is not None:
            vector.mark("vira", place[seen["vira"]])
        vector.mark_all("manilhas", [place[card] for card in seen["manilhas"] or ()])
        vector.mark_all("burned", [place[card] for card in chain(*seen["burned"])])
        vector.mark_if("passed", seen["passed"])
        vector.mark_all("passed_cards", [place[card] for card in seen["passed_cards"]])
        vector.mark_all("partner", [place[card] for card in seen["partner_dealt"]])

    def _tricks(self, vector: Vector, seen: TrucoObservation, observer: int) -> None:
        strength = order_seen(seen).strength
        for index, trick in enumerate(seen["tricks"]):
            vector.mark("leader", index, self.seat_after(observer, trick["leader"]))
            for play in trick["plays"]:
                seat = self.seat_after(observer, play["seat"])
                card = play["card"]
                if card is not None:
                    vector.mark("cards", index, seat, self._place[card])
                grade = 0 if card is None or play["face_down"] else strength[CARD_NUMBER[card]]
                vector.mark("played", index, seat, grade)
            if trick["over"]:
                winner = trick["winner"]
                vector.mark("won", index, 2 if winner is None else (winner ^ observer) & 1)

    def _calls(self, vector: Vector, seen: TrucoObservation, observer: int) -> None:
        truco = seen["truco"]
        deferred = seen["eleven_deferred"]
        if truco is not None:
            vector.mark("caller", self.seat_after(observer, truco["seat"]))
            vector.mark("proposer", self.seat_after(observer, truco["proposer"]))
            vector.mark("called_in", truco["trick"])
            if truco["pending"]:
                vector.mark("proposed", truco["value"])
            deferred = deferred or truco["deferred"]
        vector.mark_if("deferred", deferred)
        vector.mark_if("extra_trick", seen["extra_trick"])
        for signal in seen["signals"]:
            seat = self.seat_after(observer, signal["seat"])
            vector.mark("gestures", seat, signal["trick"], GESTURES.index(signal["gesture"]))


def _actions(rules: TrucoRules) -> tuple[str, ...]:
    cards = rules.pack.cards
    actions = [f"play:{card}" for card in cards]
    if rules.face_down_from <= _TRICKS:
        actions += [f"hide:{card}" for card in cards]
    actions += dict.fromkeys(chain.from_iterable((*rules.answers.values(), rules.eleven_answers)))
    actions += rules.call_words.values()
    if rules.exchange:
        actions += ["keep", "pass", "burn"]
    if rules.cut:
        actions += rules.pack.cuts
    if rules.signals:
        actions += SIGNAL_ACTIONS
    return tuple(dict.fromkeys(actions))
