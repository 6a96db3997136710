"""Descriptions of the fields of Toepen's observation and events, and of its actions, for the API
documentation.

``view`` fills in the fields. The numbers of rules refer to ``docs/rules/toepen.md``.
"""

from __future__ import annotations

from typing import Final

from arena.games.cards import card_pattern
from arena.games.shapes import (
    ActionForm,
    EventShape,
    ListShape,
    NumberShape,
    ObjectShape,
    TextShape,
    TruthShape,
    cards,
    numbers,
)
from arena.games.toepen.cards import PACK, RANKS
from arena.games.toepen.table import CALLS, PHASES

CARD: Final = card_pattern(RANKS)

_PLAY: Final = ObjectShape(
    "A card on the table.",
    name="ToepenPlay",
    fields={"seat": NumberShape("The seat that played it."), "card": TextShape("The card.", pattern=CARD)},
)

_TRICK: Final = ObjectShape(
    "A finished trick of this hand.",
    name="ToepenTrick",
    fields={
        "leader": NumberShape("The seat that led."),
        "cards": ListShape("The cards in the order of play.", of=_PLAY),
        "winner": NumberShape("The seat that won it."),
    },
)

_EXCHANGE: Final = ObjectShape(
    "A hand that was laid away.",
    name="ToepenExchange",
    fields={
        "seat": NumberShape("The seat that laid it away."),
        "cards": cards("The cards; null unless they are your own or were shown.", CARD, nullable=True),
        "challenger": NumberShape("The seat that challenged; null if none did.", nullable=True),
        "loser": NumberShape("The seat that lost a life by the challenge, or null.", nullable=True),
    },
)

_SAID: Final = ObjectShape(
    "A knock, or an answer to a knock or to poverty.",
    name="ToepenSaid",
    fields={
        "seat": NumberShape("The seat that made the call."),
        "said": TextShape("The call.", choices=CALLS),
        "value": NumberShape("The value of the hand in lives after the call, or the lives lost by a fold."),
        "trick": NumberShape("The trick, from 0; answers to poverty have 0."),
        "on_table": NumberShape("The number of cards in that trick at the time."),
    },
)

OBSERVATION: Final = ObjectShape(
    'What a seat of Toepen sees. "Per seat" marks lists with one item per seat.',
    name="ToepenObservation",
    fields={
        "game": TextShape("Always `toepen`."),
        "seat": NumberShape("The viewer's seat; null for a spectator.", nullable=True),
        "phase": TextShape("What the game waits for.", choices=PHASES),
        "awaiting": numbers("The seat that must decide, if any; -1 is chance."),
        "to_answer": numbers("The seats that have yet to answer an exchange, poverty or a knock."),
        "turn": NumberShape("The seat that decides on an exchange or must play a card.", nullable=True),
        "hand_number": NumberShape("The number of the hand, from 1; 0 before the first."),
        "dealer": NumberShape(
            "The dealer, between hands that of the next hand; null before the first is drawn.", nullable=True
        ),
        "leader": NumberShape(
            "The leader of the current trick, or in poverty of the first trick; null before that.",
            nullable=True,
        ),
        "value": NumberShape("The value of the hand in lives."),
        "knocker": NumberShape("The last seat to knock in this hand.", nullable=True),
        "lives": numbers("Per seat: lives left."),
        "lost": numbers("Per seat: lives lost in this hand so far."),
        "in_game": ListShape("Per seat: whether it has lives.", of=TruthShape()),
        "in_hand": ListShape(
            "Per seat: whether it is in this hand. A seat leaves the hand if it folds or goes out by a "
            "challenge. A seat that goes out at the end of the hand stays in it until the next deal.",
            of=TruthShape(),
        ),
        "out_in_hand": numbers("Per seat: the number of the hand in which it went out.", nullable_items=True),
        "hand": cards("The viewer's cards; empty for a spectator.", CARD),
        "held": numbers("Per seat: number of cards held, including those of a folded hand."),
        "stock": NumberShape("The number of cards in the stock."),
        "exchanges": numbers("Per seat: number of exchanges made in this hand."),
        "announcements": ListShape(
            "Per seat: its announcement; null until it keeps its hand.",
            of=TextShape(choices=("none", "whistle", "stand"), nullable=True),
        ),
        "laid_away": ListShape("The hands laid away in this hand, in order.", of=_EXCHANGE),
        "pelt": numbers("The seats on their last life in this hand."),
        "trick": ListShape("The current trick.", of=_PLAY),
        "tricks": ListShape("The finished tricks of this hand.", of=_TRICK),
        "calls": ListShape("The knocks, and the answers to knocks and to poverty, in order.", of=_SAID),
        "hands_won": numbers("Per seat: hands won in the whole game."),
        "rubber": NumberShape("The number of the rubber, from 1."),
        "drinks": numbers("Per seat: number of drinks bought."),
    },
)

_SEAT: Final = NumberShape("The event's seat.")
_LIVES: Final = numbers("Per seat: lives left.")
_VALUE: Final = NumberShape("The value of the hand in lives.")
_OWN_CARDS: Final = cards("The cards; null for the other seats.", CARD, nullable=True)
_EXCHANGER: Final = NumberShape("The seat that laid the hand away.")

EVENTS: Final = (
    EventShape(
        "ToepenSeatEvent",
        ("dealer", "out"),
        "`dealer`: the first dealer is drawn at random. `out`: a seat has no lives left.",
        {"seat": _SEAT},
    ),
    EventShape(
        "ToepenHandEvent",
        ("hand",),
        "A hand begins.",
        {
            "seat": NumberShape("The dealer."),
            "hand": NumberShape("The number of the hand, from 1."),
            "rubber": NumberShape("The number of the rubber, from 1."),
            "value": _VALUE,
            "lives": _LIVES,
        },
    ),
    EventShape(
        "ToepenCardsEvent",
        ("dealt", "new_cards"),
        "A seat gets cards.",
        {"seat": _SEAT, "cards": _OWN_CARDS, "count": NumberShape("The number of cards.")},
    ),
    EventShape(
        "ToepenExchangeEvent", ("exchange",), "A hand is laid away.", {"seat": _SEAT, "cards": _OWN_CARDS}
    ),
    EventShape(
        "ToepenTrustEvent", ("trust",), "An exchange is trusted.", {"seat": _SEAT, "exchanger": _EXCHANGER}
    ),
    EventShape(
        "ToepenChallengeEvent",
        ("challenge",),
        "An exchange is challenged.",
        {
            "seat": _SEAT,
            "exchanger": _EXCHANGER,
            "cards": cards("The hand that was laid away.", CARD),
            "loser": NumberShape("The seat that loses a life by the challenge."),
        },
    ),
    EventShape(
        "ToepenKeepEvent",
        ("keep",),
        "A hand is kept.",
        {
            "seat": _SEAT,
            "announcement": TextShape("The announcement.", choices=("none", "whistle", "stand")),
        },
    ),
    EventShape(
        "ToepenPovertyEvent",
        ("poverty",),
        "Poverty: because some seats are on their last life, the others must stay or fold.",
        {
            "seat": NumberShape("The seat that leads the first trick."),
            "pelt": numbers("The seats on their last life."),
            "value": _VALUE,
        },
    ),
    EventShape(
        "ToepenPlayEvent",
        ("play",),
        "A card is played.",
        {"seat": _SEAT, "card": TextShape("The card.", pattern=CARD)},
    ),
    EventShape(
        "ToepenStakeEvent",
        ("knock", "stay"),
        "`knock`: a seat raises the value of the hand. `stay`: a seat plays on for that value.",
        {"seat": _SEAT, "value": _VALUE},
    ),
    EventShape(
        "ToepenFoldEvent",
        ("fold",),
        "A seat leaves the hand.",
        {"seat": _SEAT, "lives": NumberShape("The number of lives that it loses.")},
    ),
    EventShape(
        "ToepenTrickEvent",
        ("trick",),
        "A trick is over.",
        {"seat": NumberShape("The winner."), "trick": NumberShape("The number of the trick, from 1 to 4.")},
    ),
    EventShape(
        "ToepenResultEvent",
        ("result",),
        "A hand is over.",
        {
            "seat": NumberShape("The winner; null if nobody wins.", nullable=True),
            "value": _VALUE,
            "lost": numbers("Per seat: lives lost in the hand."),
            "lives": _LIVES,
        },
    ),
    EventShape(
        "ToepenDrinksEvent",
        ("drinks",),
        "A rubber is over, and a seat buys the drinks.",
        {
            "seat": _SEAT,
            "rubber": NumberShape("The rubber that is over."),
            "drinks": NumberShape("The number of drinks that the seat has bought so far."),
        },
    ),
    EventShape(
        "ToepenOverEvent",
        ("over",),
        "The game is over.",
        {
            "seat": NumberShape("The first seat with place 1."),
            "places": numbers(
                "Per seat: its place; 1 is best, and seats that share a place have the same number."
            ),
            "scores": numbers("Per seat: its score; higher is better."),
        },
    ),
)

ACTIONS: Final = (
    ActionForm("dealer:[0-7]", "The first dealer by lot (TP-1.4).", by_chance=True, example="dealer:2"),
    ActionForm(
        f"deal:({CARD}){{32}}",
        "The pack for a hand, top card first (TP-2.1).",
        by_chance=True,
        example="deal:" + "".join(PACK),
    ),
    ActionForm("exchange", "Lay the hand away for four new cards (TP-2.2)."),
    ActionForm("keep", "Play with this hand (TP-2.3)."),
    ActionForm(
        "keep_(whistle|stand)",
        "Play with this hand and announce tens or jacks (TP-3.2).",
        example="keep_whistle",
    ),
    ActionForm("challenge", "Look at the hand that was laid away (TP-2.5)."),
    ActionForm("trust", "Do not look at it (TP-2.4)."),
    ActionForm(f"play:{CARD}", "Play a card (TP-4.1).", example="play:TS"),
    ActionForm(
        "knock:[1-9][0-9]?", "Raise the hand to that many lives, in turn or not (TP-5.1).", example="knock:3"
    ),
    ActionForm(
        "stay:[1-9][0-9]?",
        "Play on for that many lives, after a knock or against poverty (TP-5.2, TP-6.1).",
        example="stay:3",
    ),
    ActionForm(
        "fold:[1-9][0-9]?",
        "Leave the hand and lose that many lives: what it was worth before, or all that the seat has if "
        "those are fewer (TP-5.2, TP-5.7).",
        example="fold:2",
    ),
)
