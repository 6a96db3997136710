"""Toepen for learning programs: actions as numbers and observations as vectors.

The vector has these parts. ``S`` is the number of seats, which are counted from the observer. ``L`` is the
number of lives at the start, and ``V`` is the larger of ``L`` and 2::

    phase         8           what the game waits for, in the order of ``table.PHASES``
    awaited       S           the awaited seat
    to_answer     S           the seats that have yet to answer
    turn          S           the seat that exchanges or must play
    dealer        S
    leader        S           the seat that leads the trick
    knocker       S           the last seat to knock in this hand
    value         V + 1       the value of the hand in lives
    lives         S x (L + 1)
    in_hand       S           seats dealt in that have neither folded nor gone out by a challenge
    pelt          S           seats on their last life (TP-6.1)
    hand          32          the observer's cards
    held          S x 5       the number of cards held
    stock         8           the number of exchanges that the stock still allows
    exchanges     S x 7       the number of exchanges made
    announced     S x 3       the announcement: nothing, whistled, stood up
    laid_away     S x 32      hands laid away: the observer's own, and those that were shown
    challenged    S x 2       whether an exchange of the seat was challenged: rightly, wrongly
    trick         S x 32      the cards of the current trick
    led           4           its suit
    played        S x 32      the cards of earlier tricks
    tricks        5           the number of earlier tricks
    won           3 x S       the winner of each earlier trick
    rubber        R           the rubber, of R; like ``drinks``, only with ``end=rubber``
    drinks        S x (R + 1) the number of drinks bought
"""

from __future__ import annotations

from typing import Final

from arena.games.cards import SUITS
from arena.games.features import Features, Layout, Vector
from arena.games.options import Rules
from arena.games.toepen.cards import CARD_NUMBER, PACK, SAID, ToepenRules, rules_from
from arena.games.toepen.seen import ToepenNews, ToepenObservation
from arena.games.toepen.table import PHASES

_CARDS: Final = len(PACK)
_HAND: Final = 4
_TRICKS: Final = 4
_MOST_EXCHANGES: Final = 6


class ToepenFeatures(Features):
    """The features of Toepen; see the module and :class:`~arena.games.features.Features`."""

    def __init__(self, rules: Rules) -> None:
        own = rules_from(rules)
        super().__init__(rules, own.seats)
        self._lives = own.lives
        self._rubber = own.rubber
        self._most_value = max(own.lives, 2)
        self.actions = _actions(own, self._most_value)
        seats, lives = own.seats, own.lives
        rubbers = {"rubber": (own.rubbers,), "drinks": (seats, own.rubbers + 1)} if own.rubber else {}
        self.layout = Layout(
            {
                "phase": (len(PHASES),),
                "awaited": (seats,),
                "to_answer": (seats,),
                "turn": (seats,),
                "dealer": (seats,),
                "leader": (seats,),
                "knocker": (seats,),
                "value": (self._most_value + 1,),
                "lives": (seats, lives + 1),
                "in_hand": (seats,),
                "pelt": (seats,),
                "hand": (_CARDS,),
                "held": (seats, _HAND + 1),
                "stock": (_CARDS // _HAND,),
                "exchanges": (seats, _MOST_EXCHANGES + 1),
                "announced": (seats, len(SAID) - 1),
                "laid_away": (seats, _CARDS),
                "challenged": (seats, 2),
                "trick": (seats, _CARDS),
                "led": (len(SUITS),),
                "played": (seats, _CARDS),
                "tricks": (_TRICKS + 1,),
                "won": (_TRICKS - 1, seats),
                **rubbers,
            }
        )
        self._set_bounds(own)

    def _set_bounds(self, own: ToepenRules) -> None:
        seats, lives = own.seats, own.lives
        exchanges = min(seats * own.max_exchanges, _CARDS // _HAND - 2)
        self.dealt = _CARDS if exchanges else _HAND * seats
        # Every seat that is dealt in and does not win loses a life in each hand.
        self.most_hands = seats * lives * (own.rubbers if own.rubber else 1)
        # A knock requires as many lives as the hand is then worth (TP-5.4).
        answers = exchanges + lives
        acts = exchanges + 2 * seats + lives + _TRICKS * seats
        decisions = acts + answers * (seats - 1)
        self.most_decisions = self.decisions_with_rights(decisions) if own.anytime else decisions
        declined = self.most_decisions - decisions
        hand = (7 + seats) + 8 * seats + (5 + seats) + 2 * seats + (5 + 2 * seats) + 4 * seats
        exchanged = exchanges * (7 + 9 + 8)
        self.most_numbers = hand + exchanged + 3 * decisions + 2 * declined + 3 * _TRICKS
        self.most_points = float(own.rubbers if own.rubber else 1)

    def vector(self, observation: ToepenObservation) -> bytearray:
        """See :class:`~arena.games.features.Features`."""
        observer = observation["seat"] or 0
        vector = self.layout.vector()
        self._standing(vector, observation, observer)
        self._cards(vector, observation, observer)
        self._tricks(vector, observation, observer)
        return vector.data

    def gains(self, event: ToepenNews) -> list[float] | None:
        """Return the average number of lives lost by the other seats in a hand, minus the seat's own loss, as
        a share of the lives at the start.
        """
        if event["type"] != "result":
            return None
        lost = event["lost"]
        others = self.seats - 1
        return [((sum(lost) - own) / others - own) / self._lives for own in lost]

    def _standing(self, vector: Vector, seen: ToepenObservation, observer: int) -> None:
        vector.mark("phase", PHASES.index(seen["phase"]))
        vector.mark_all(
            "awaited", [self.seat_after(observer, seat) for seat in seen["awaiting"] if seat >= 0]
        )
        for part, seats in (("to_answer", seen["to_answer"]), ("pelt", seen["pelt"])):
            vector.mark_all(part, [self.seat_after(observer, seat) for seat in seats])
        single = {name: seen[name] for name in ("turn", "dealer", "leader", "knocker")}
        for part, seat in single.items():
            if seat is not None:
                vector.mark(part, self.seat_after(observer, seat))
        vector.mark("value", seen["value"])
        for seat in range(self.seats):
            place = self.seat_after(observer, seat)
            vector.mark("lives", place, seen["lives"][seat])
            vector.mark("held", place, seen["held"][seat])
            vector.mark("exchanges", place, seen["exchanges"][seat])
            if seen["in_hand"][seat]:
                vector.mark("in_hand", place)
            said = seen["announcements"][seat]
            if said is not None:
                vector.mark("announced", place, SAID.index(said) - 1)
            if self._rubber:
                vector.mark("drinks", place, seen["drinks"][seat])
        if self._rubber:
            vector.mark("rubber", seen["rubber"] - 1)

    def _cards(self, vector: Vector, seen: ToepenObservation, observer: int) -> None:
        vector.mark_all("hand", [CARD_NUMBER[card] for card in seen["hand"]])
        vector.mark("stock", seen["stock"] // _HAND)
        for laid in seen["laid_away"]:
            place = self.seat_after(observer, laid["seat"])
            for card in laid["cards"] or ():
                vector.mark("laid_away", place, CARD_NUMBER[card])
            if laid["loser"] is not None:
                vector.mark("challenged", place, int(laid["loser"] != laid["seat"]))

    def _tricks(self, vector: Vector, seen: ToepenObservation, observer: int) -> None:
        for play in seen["trick"]:
            vector.mark("trick", self.seat_after(observer, play["seat"]), CARD_NUMBER[play["card"]])
        if seen["trick"]:
            vector.mark("led", SUITS.index(seen["trick"][0]["card"][1]))
        vector.mark("tricks", len(seen["tricks"]))
        for index, trick in enumerate(seen["tricks"]):
            if index < _TRICKS - 1:
                vector.mark("won", index, self.seat_after(observer, trick["winner"]))
            for play in trick["cards"]:
                vector.mark("played", self.seat_after(observer, play["seat"]), CARD_NUMBER[play["card"]])


def _actions(rules: ToepenRules, most_value: int) -> tuple[str, ...]:
    actions = [f"play:{card}" for card in PACK]
    actions += ["exchange", "keep"]
    if rules.whistling:
        actions += ["keep_whistle", "keep_stand"]
    actions += ["challenge", "trust"]
    for value in range(2, most_value + 1):
        actions += [f"stay:{value}", f"knock:{value}"]
    actions += [f"fold:{value}" for value in range(1, most_value)]
    return tuple(actions)
