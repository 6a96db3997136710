"""The fields of Brazilian Truco's observation and events, and its actions, for the API's documentation.

``view`` fills them in; the rules cited are those of ``docs/rules/brazilian-truco.md``.
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
        "seat": NumberShape("Who played it."),
        "card": TextShape("Null where it lies face down and is not one's own.", pattern=CARD, nullable=True),
        "face_down": TruthShape("Whether it lies face down."),
    },
)

_TRICK: Final = ObjectShape(
    "A trick of this hand.",
    name="TrucoTrick",
    fields={
        "leader": NumberShape("Who led."),
        "plays": ListShape("The cards in the order of play.", of=_PLAY),
        "over": TruthShape("Whether it is over."),
        "winner": NumberShape("The team, not the seat; null: tied, or not over.", nullable=True),
    },
)

_CALL: Final = ObjectShape(
    "The truco of this hand.",
    name="TrucoCall",
    nullable=True,
    fields={
        "seat": NumberShape("Who called."),
        "team": NumberShape("The caller's team."),
        "trick": NumberShape("In which trick, from 0."),
        "on_table": NumberShape("How many cards lay in that trick."),
        "proposer": NumberShape("Who raised last."),
        "value": NumberShape("What is accepted, or proposed while `pending`."),
        "pending": TruthShape("Whether an answer is due."),
        "deferred": TruthShape("Whether the first to be asked left it to the partner."),
    },
)

_SIGNAL: Final = ObjectShape(
    "A gesture that was shown.",
    name="TrucoSignal",
    fields={
        "trick": NumberShape("In which trick, from 0."),
        "seat": NumberShape("Who showed it."),
        "gesture": TextShape("Which.", choices=GESTURES),
    },
)

_SAID: Final = ObjectShape(
    "Something that a seat did besides playing a card.",
    name="TrucoSaid",
    fields={
        "seat": NumberShape("Who."),
        "said": TextShape("The word of the action.", choices=SAID),
        "value": NumberShape(
            "The points of `truco`, `raise` and `accept`, or the cards lifted by `cut`; else null.",
            nullable=True,
        ),
        "trick": NumberShape("In which trick, from 0; the deal is part of the first."),
        "on_table": NumberShape("How many cards lay in that trick."),
        "from": TextShape(
            "Of `cut`: from where the cards are dealt; else null.", choices=("top", "bottom"), nullable=True
        ),
        "gesture": TextShape("Of `signal`: which; else null.", choices=GESTURES, nullable=True),
    },
)

OBSERVATION: Final = ObjectShape(
    "What a seat of Brazilian Truco sees. Teams are 0 (even seats) and 1 (odd seats).",
    name="TrucoObservation",
    fields={
        "seat": NumberShape("Whose view this is; null: a spectator's.", nullable=True),
        "hand_number": NumberShape("The hand in progress or about to be dealt, from 1."),
        "score": numbers("Points by team."),
        "phase": TextShape("What the game waits for.", choices=PHASES),
        "awaiting": numbers("Whose decision it is; -1 is chance."),
        "dealer": NumberShape("Null before the lot.", nullable=True),
        "forehand": NumberShape("Null before the lot.", nullable=True),
        "stake": NumberShape("What the hand is worth now."),
        "elevens": numbers(
            "The teams that the smallest stake would make win: those with 11 points, or 10 if it is 2."
        ),
        "hand": cards("One's own cards; empty for a spectator, and while nobody looks at them.", CARD),
        "partner_dealt": cards(
            "The partner's cards as dealt, while one's team alone is a hand from the end; else empty.", CARD
        ),
        "passed": TruthShape("Whether the forehand passed a hand."),
        "passed_cards": cards("The hand passed, for the forehand and its partner; else empty.", CARD),
        "burned": ListShape("The burned hands.", of=cards("", CARD)),
        "held": numbers("How many cards each seat holds."),
        "tricks": ListShape("This hand's, the one in progress included.", of=_TRICK),
        "truco": _CALL,
        "eleven_deferred": TruthShape(
            "Whether the team that decides whether to play has deferred its decision."
        ),
        "extra_trick": TruthShape("Whether this trick is the one more after a tie under truco."),
        "signals": ListShape("This hand's gestures.", of=_SIGNAL),
        "calls": ListShape(
            "All that was done in this hand besides playing cards, in order: the cut, passes and burns, "
            "calls and answers, the decision at eleven, gestures.",
            of=_SAID,
        ),
        "vira": TextShape("The card turned.", pattern=CARD, nullable=True),
        "manilhas": cards("Strongest first; null while they are not known.", CARD, nullable=True),
        "right": ChoiceShape(
            "Who may raise the stake: `either` team, or the one with that number; null: nobody.",
            choices=("either", 0, 1),
            nullable=True,
        ),
    },
)

_SEAT: Final = NumberShape("Whose event it is.")
_SCORE: Final = numbers("Points by team.")
_WINNER: Final = NumberShape("The team; null: nobody.", nullable=True)
_OWN_CARDS: Final = cards("Null for those who may not see them.", CARD, nullable=True)

EVENTS: Final = (
    EventShape(
        "TrucoSeatEvent",
        ("dealer", "kept", "defer"),
        "`dealer`: drawn by lot. `kept`: the forehand keeps its cards. `defer`: it is left to the partner.",
        {"seat": _SEAT},
    ),
    EventShape(
        "TrucoHandEvent",
        ("hand",),
        "A hand begins.",
        {"number": NumberShape("From 1."), "dealer": NumberShape("The seat."), "score": _SCORE},
    ),
    EventShape(
        "TrucoCutEvent",
        ("cut",),
        "The pack is cut, or left as it is.",
        {
            "seat": _SEAT,
            "lifted": NumberShape("Cards lifted; 0: it is not cut."),
            "from": TextShape("From where the cards are dealt.", choices=("top", "bottom")),
        },
    ),
    EventShape(
        "TrucoDealtEvent",
        ("dealt",),
        "A seat gets cards.",
        {"seat": _SEAT, "count": NumberShape("How many."), "cards": _OWN_CARDS},
    ),
    EventShape(
        "TrucoViraEvent",
        ("vira",),
        "A card is turned, which makes the manilhas of the hand.",
        {"card": TextShape("The card.", pattern=CARD)},
    ),
    EventShape(
        "TrucoShownEvent",
        ("passed", "shown"),
        "`passed`: the forehand's cards go to its partner. `shown`: a seat shows its partner its cards.",
        {"seat": _SEAT, "cards": _OWN_CARDS},
    ),
    EventShape(
        "TrucoBurnedEvent",
        ("burned",),
        "The forehand's cards are burned, for all to see.",
        {"seat": _SEAT, "cards": cards("The burned cards.", CARD)},
    ),
    EventShape(
        "TrucoStakeEvent",
        ("truco", "raise", "accept"),
        "The stake is called, raised or accepted.",
        {"seat": _SEAT, "value": NumberShape("What the hand is worth, or would be.")},
    ),
    EventShape(
        "TrucoRunEvent",
        ("run",),
        "A team gives the hand up.",
        {"seat": _SEAT, "points": NumberShape("What the other team gets.")},
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
        {"seat": _SEAT, "card": TextShape("Null except for its player.", pattern=CARD, nullable=True)},
    ),
    EventShape(
        "TrucoTrickEvent",
        ("trick",),
        "A trick is over.",
        {"number": NumberShape("From 1."), "winner": _WINNER, "leader": NumberShape("Who leads next.")},
    ),
    EventShape(
        "TrucoHandOverEvent",
        ("hand_over",),
        "A hand is over.",
        {
            "winner": _WINNER,
            "points": NumberShape("What the winners get."),
            "score": _SCORE,
            "reason": TextShape("Why.", choices=("run", "tricks", "truco", "tied_before_call")),
        },
    ),
    EventShape(
        "TrucoSignalEvent",
        ("signal",),
        "A gesture.",
        {"seat": _SEAT, "gesture": TextShape("Which.", choices=GESTURES)},
    ),
    EventShape("TrucoGameOverEvent", ("game_over",), "The end.", {"winner": _WINNER, "score": _SCORE}),
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
