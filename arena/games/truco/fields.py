"""Descriptions of the fields of Brazilian Truco's observation and events, and of its actions, for the API
documentation.

``view`` fills in the fields. The numbers of rules refer to ``docs/rules/brazilian-truco.md`` and
``docs/rules/truco-variants.md``.
"""

from __future__ import annotations

from typing import Final

from arena.games.cards import card_pattern
from arena.games.shapes import (
    ActionForm,
    ChoiceShape,
    EventShape,
    ListShape,
    NumberShape,
    ObjectShape,
    TextShape,
    TruthShape,
    cards,
    numbers,
)
from arena.games.truco.cards import GESTURES, PACK, RANKS, SAID
from arena.games.truco.table import PHASES

CARD: Final = card_pattern(RANKS)

_PLAY: Final = ObjectShape(
    "A card on the table.",
    name="TrucoPlay",
    fields={
        "seat": NumberShape("The seat that played it."),
        "card": TextShape(
            "The card; null if it lies face down and is not your own.", pattern=CARD, nullable=True
        ),
        "face_down": TruthShape("Whether the card lies face down."),
    },
)

_TRICK: Final = ObjectShape(
    "A trick of this hand.",
    name="TrucoTrick",
    fields={
        "leader": NumberShape("The seat that led."),
        "plays": ListShape("The cards in the order of play.", of=_PLAY),
        "over": TruthShape("Whether the trick is over."),
        "winner": NumberShape("The team that won the trick; null if it is tied or not over.", nullable=True),
    },
)

_CALL: Final = ObjectShape(
    "The truco call of this hand.",
    name="TrucoCall",
    nullable=True,
    fields={
        "seat": NumberShape("The seat that called."),
        "team": NumberShape("The caller's team."),
        "trick": NumberShape("The trick in which it was called, from 0."),
        "on_table": NumberShape("The number of cards in that trick at the time."),
        "proposer": NumberShape("The last seat to call or raise."),
        "value": NumberShape("The accepted value, or the proposed value while `pending`."),
        "pending": TruthShape("Whether an answer is due."),
        "deferred": TruthShape("Whether the seat that was asked first left the answer to its partner."),
    },
)

_SIGNAL: Final = ObjectShape(
    "A gesture that was made.",
    name="TrucoSignal",
    fields={
        "trick": NumberShape("The trick in which it was made, from 0."),
        "seat": NumberShape("The seat that made it."),
        "gesture": TextShape("The gesture.", choices=GESTURES),
    },
)

_SAID: Final = ObjectShape(
    "An action other than playing a card.",
    name="TrucoSaid",
    fields={
        "seat": NumberShape("The seat that acted."),
        "said": TextShape("The word of the action.", choices=SAID),
        "value": NumberShape(
            "The points of `truco`, `raise` and `accept`, or the number of cards lifted by `cut`; "
            "otherwise null.",
            nullable=True,
        ),
        "trick": NumberShape("The trick in which it happened, from 0; the deal is part of the first."),
        "on_table": NumberShape("The number of cards in that trick at the time."),
        "from": TextShape(
            "For `cut`: the end of the pack from which the cards are dealt; otherwise null.",
            choices=("top", "bottom"),
            nullable=True,
        ),
        "gesture": TextShape("For `signal`: the gesture; otherwise null.", choices=GESTURES, nullable=True),
    },
)

OBSERVATION: Final = ObjectShape(
    "What a seat of Brazilian Truco sees. The teams are 0 (even seats) and 1 (odd seats).",
    name="TrucoObservation",
    fields={
        "seat": NumberShape("The viewer's seat; null for a spectator.", nullable=True),
        "hand_number": NumberShape("The number of the hand in progress or about to be dealt, from 1."),
        "score": numbers("The points of each team."),
        "phase": TextShape("What the game waits for.", choices=PHASES),
        "awaiting": numbers("The seats that must decide; -1 is chance."),
        "dealer": NumberShape("The dealer; null before the first is drawn.", nullable=True),
        "forehand": NumberShape("The forehand; null before the first dealer is drawn.", nullable=True),
        "stake": NumberShape("The current value of the hand."),
        "elevens": numbers(
            "The teams that would win with the smallest stake. They have 11 points, or 10 if that stake is 2."
        ),
        "hand": cards("The viewer's cards; empty for a spectator, and in a hand played blind.", CARD),
        "partner_dealt": cards(
            "The partner's cards as dealt, if only your team is one hand from winning; otherwise empty.", CARD
        ),
        "passed": TruthShape("Whether the forehand passed a hand to its partner."),
        "passed_cards": cards(
            "The hand passed, visible to the forehand and its partner; otherwise empty.", CARD
        ),
        "burned": ListShape("The burned hands.", of=cards("", CARD)),
        "held": numbers("The number of cards held by each seat."),
        "tricks": ListShape("The tricks of this hand, including the one in progress.", of=_TRICK),
        "truco": _CALL,
        "eleven_deferred": TruthShape(
            "Whether the first seat to decide at eleven has left the decision to its partner."
        ),
        "extra_trick": TruthShape("Whether this is the extra trick after a tie under truco."),
        "signals": ListShape("The gestures made in this hand.", of=_SIGNAL),
        "calls": ListShape(
            "All actions of this hand other than playing cards, in order: the cut, passes and burns, "
            "calls and answers, the decision at eleven, gestures.",
            of=_SAID,
        ),
        "vira": TextShape(
            "The vira, the card that was turned; null if there is none.", pattern=CARD, nullable=True
        ),
        "manilhas": cards("The manilhas, strongest first; null until they are known.", CARD, nullable=True),
        "right": ChoiceShape(
            "The team that has the right to raise the stake, or `either`; null if neither has.",
            choices=("either", 0, 1),
            nullable=True,
        ),
    },
)

_SEAT: Final = NumberShape("The event's seat.")
_SCORE: Final = numbers("The points of each team.")
_WINNER: Final = NumberShape("The team that won; null if neither did.", nullable=True)
_OWN_CARDS: Final = cards("The cards; null for viewers who cannot see them.", CARD, nullable=True)

EVENTS: Final = (
    EventShape(
        "TrucoSeatEvent",
        ("dealer", "kept", "defer"),
        "`dealer`: the first dealer is drawn at random. `kept`: the forehand keeps its cards. "
        "`defer`: the decision is left to the partner.",
        {"seat": _SEAT},
    ),
    EventShape(
        "TrucoHandEvent",
        ("hand",),
        "A hand begins.",
        {
            "number": NumberShape("The number of the hand, from 1."),
            "dealer": NumberShape("The seat of the dealer."),
            "score": _SCORE,
        },
    ),
    EventShape(
        "TrucoCutEvent",
        ("cut",),
        "The pack is cut, or left uncut.",
        {
            "seat": _SEAT,
            "lifted": NumberShape("The number of cards lifted; 0 if the pack is not cut."),
            "from": TextShape(
                "The end of the pack from which the cards are dealt.", choices=("top", "bottom")
            ),
        },
    ),
    EventShape(
        "TrucoDealtEvent",
        ("dealt",),
        "A seat gets cards.",
        {"seat": _SEAT, "count": NumberShape("The number of cards."), "cards": _OWN_CARDS},
    ),
    EventShape(
        "TrucoViraEvent",
        ("vira",),
        "A card is turned, which determines the manilhas of the hand.",
        {"card": TextShape("The card.", pattern=CARD)},
    ),
    EventShape(
        "TrucoShownEvent",
        ("passed", "shown"),
        "`passed`: the forehand's cards go to its partner. `shown`: a seat shows its cards to its partner.",
        {"seat": _SEAT, "cards": _OWN_CARDS},
    ),
    EventShape(
        "TrucoBurnedEvent",
        ("burned",),
        "The forehand's cards are burned, visible to everybody.",
        {"seat": _SEAT, "cards": cards("The burned cards.", CARD)},
    ),
    EventShape(
        "TrucoStakeEvent",
        ("truco", "raise", "accept"),
        "The stake is called, raised or accepted.",
        {"seat": _SEAT, "value": NumberShape("The value of the hand if the call is accepted.")},
    ),
    EventShape(
        "TrucoRunEvent",
        ("run",),
        "A team concedes the hand.",
        {"seat": _SEAT, "points": NumberShape("The points that the other team scores.")},
    ),
    EventShape(
        "TrucoPlayEvent",
        ("play",),
        "A card is played.",
        {"seat": _SEAT, "card": TextShape("The card.", pattern=CARD)},
    ),
    EventShape(
        "TrucoHideEvent",
        ("hide",),
        "A card is played face down.",
        {
            "seat": _SEAT,
            "card": TextShape(
                "The card; null except for the seat that played it.", pattern=CARD, nullable=True
            ),
        },
    ),
    EventShape(
        "TrucoTrickEvent",
        ("trick",),
        "A trick is over.",
        {
            "number": NumberShape("The number of the trick, from 1."),
            "winner": _WINNER,
            "leader": NumberShape("The seat that leads next."),
        },
    ),
    EventShape(
        "TrucoHandOverEvent",
        ("hand_over",),
        "A hand is over.",
        {
            "winner": _WINNER,
            "points": NumberShape("The points that the winners score."),
            "score": _SCORE,
            "reason": TextShape(
                "The reason for the result.", choices=("run", "tricks", "truco", "tied_before_call")
            ),
        },
    ),
    EventShape(
        "TrucoSignalEvent",
        ("signal",),
        "A gesture is made.",
        {"seat": _SEAT, "gesture": TextShape("The gesture.", choices=GESTURES)},
    ),
    EventShape(
        "TrucoGameOverEvent", ("game_over",), "The game is over.", {"winner": _WINNER, "score": _SCORE}
    ),
)

ACTIONS: Final = (
    ActionForm("dealer:[0-3]", "The first dealer by lot.", by_chance=True, example="dealer:2"),
    ActionForm(
        f"deal:({CARD}){{24}}(({CARD}){{16}})?",
        "The pack for a hand, top card first: 40 cards, or 24.",
        by_chance=True,
        example="deal:" + "".join(PACK),
    ),
    ActionForm(
        "cut:([1-9]|[12][0-9]|3[0-9]):(top|bottom)",
        "Lift that many cards and have the cards dealt from that end (BT-2.2).",
        example="cut:17:bottom",
    ),
    ActionForm("no_cut", "Leave the pack as it is (BT-2.2)."),
    ActionForm("keep", "Keep the three cards (BT-2.3)."),
    ActionForm("pass", "Pass the cards to the partner and take new ones (BT-2.3)."),
    ActionForm("burn", "Burn the cards, for all to see, and take new ones (BT-2.3)."),
    ActionForm(f"play:{CARD}", "Play a card (BT-3.1).", example="play:4C"),
    ActionForm(f"hide:{CARD}", "Play a card face down (BT-3.2).", example="hide:4C"),
    ActionForm("truco", "Call truco (BT-4.1, TV-6.3)."),
    ActionForm(
        "accept:(3|4|6|8|9|10|12)",
        "Accept a call and play on for that many points (BT-4.2); with 11 points `accept:3` plays the hand "
        "(BT-5.2, TV-7.2).",
        example="accept:6",
    ),
    ActionForm(
        "raise:(6|8|9|10|12)",
        "Answer a call by raising to that many points (BT-4.2), or call that on the turn (TV-6.3).",
        example="raise:9",
    ),
    ActionForm(
        "run:(1|2|3|4|6|8|9|10)",
        "Concede the hand for that many points (BT-4.2); with 11 points `run:1` gives the hand up "
        "(BT-5.2, TV-7.2).",
        example="run:3",
    ),
    ActionForm("defer", "Leave the answer to the partner (BT-4.3, BT-5.2)."),
    ActionForm(f"signal:({'|'.join(GESTURES)})", "Make a gesture (BT-6.2).", example="signal:wink"),
)
