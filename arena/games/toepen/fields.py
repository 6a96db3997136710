"""The fields of Toepen's observation and events, and its actions, for the API's documentation.

``view`` fills them in; the rules cited are those of ``docs/rules/toepen.md``.
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
    fields={"seat": NumberShape("Who played it."), "card": TextShape("The card.", pattern=CARD)},
)

_TRICK: Final = ObjectShape(
    "A finished trick of this hand.",
    name="ToepenTrick",
    fields={
        "leader": NumberShape("Who led."),
        "cards": ListShape("The cards in the order of play.", of=_PLAY),
        "winner": NumberShape("The seat."),
    },
)

_EXCHANGE: Final = ObjectShape(
    "A hand that was laid away.",
    name="ToepenExchange",
    fields={
        "seat": NumberShape("Who laid it away."),
        "cards": cards("Null unless one's own or shown.", CARD, nullable=True),
        "challenger": NumberShape("Who challenged; null: nobody.", nullable=True),
        "loser": NumberShape("Who lost a life by it; null: nobody.", nullable=True),
    },
)

_SAID: Final = ObjectShape(
    "A knock, or an answer to a knock or to poverty.",
    name="ToepenSaid",
    fields={
        "seat": NumberShape("Who."),
        "said": TextShape("What.", choices=CALLS),
        "value": NumberShape("Lives: what the hand is then worth, or what the fold costs."),
        "trick": NumberShape("In which trick, from 0; poverty is before the first."),
        "on_table": NumberShape("How many cards lay in that trick."),
    },
)

OBSERVATION: Final = ObjectShape(
    'What a seat of Toepen sees. "Per seat" is a list with one item per seat.',
    name="ToepenObservation",
    fields={
        "game": TextShape("Always `toepen`."),
        "seat": NumberShape("Whose view this is; null: a spectator's.", nullable=True),
        "phase": TextShape("What the game waits for.", choices=PHASES),
        "awaiting": numbers("Whose decision it is: nobody's or one; -1 is chance."),
        "to_answer": numbers("The seats still to answer an exchange, poverty or a knock."),
        "turn": NumberShape("Who exchanges, or whose turn it is to play.", nullable=True),
        "hand_number": NumberShape("From 1; 0 before the first."),
        "dealer": NumberShape("Between hands, of the next one; null before the lot.", nullable=True),
        "leader": NumberShape(
            "Who leads the present trick, or under poverty the first one; null before.", nullable=True
        ),
        "value": NumberShape("Lives that the hand is worth."),
        "knocker": NumberShape("The last to knock in this hand.", nullable=True),
        "lives": numbers("Per seat."),
        "lost": numbers("Per seat: lives lost in this hand so far."),
        "in_game": ListShape("Per seat: whether it has lives.", of=TruthShape()),
        "in_hand": ListShape(
            "Per seat: whether it is in this hand, which a seat that folds or goes out by a challenge "
            "leaves; one that goes out by paying for it stays in until the next deal.",
            of=TruthShape(),
        ),
        "out_in_hand": numbers("Per seat: the number of the hand in which it went out.", nullable_items=True),
        "hand": cards("One's own cards; empty for a spectator.", CARD),
        "held": numbers("Per seat: how many cards it holds; those of a folded hand count."),
        "stock": NumberShape("Cards in the stock."),
        "exchanges": numbers("Per seat: exchanges made in this hand."),
        "announcements": ListShape(
            "Per seat: what it announced; null until it keeps.",
            of=TextShape(choices=("none", "whistle", "stand"), nullable=True),
        ),
        "laid_away": ListShape("In order.", of=_EXCHANGE),
        "pelt": numbers("The seats on their last life in this hand."),
        "trick": ListShape("The present trick.", of=_PLAY),
        "tricks": ListShape("The finished ones of this hand.", of=_TRICK),
        "calls": ListShape("The knocks and the answers to them and to poverty, in order.", of=_SAID),
        "hands_won": numbers("Per seat, in the whole game."),
        "rubber": NumberShape("The number of the rubber, from 1."),
        "drinks": numbers("Per seat: drinks bought."),
    },
)

_SEAT: Final = NumberShape("Whose event it is.")
_LIVES: Final = numbers("Lives left, per seat.")
_VALUE: Final = NumberShape("Lives that the hand is worth.")
_OWN_CARDS: Final = cards("Null for the other seats.", CARD, nullable=True)
_EXCHANGER: Final = NumberShape("Who laid the hand away.")

EVENTS: Final = (
    EventShape(
        "ToepenSeatEvent",
        ("dealer", "out"),
        "`dealer`: drawn by lot. `out`: a seat has no lives left.",
        {"seat": _SEAT},
    ),
    EventShape(
        "ToepenHandEvent",
        ("hand",),
        "A hand begins.",
        {
            "seat": NumberShape("The dealer."),
            "hand": NumberShape("From 1."),
            "rubber": NumberShape("From 1."),
            "value": _VALUE,
            "lives": _LIVES,
        },
    ),
    EventShape(
        "ToepenCardsEvent",
        ("dealt", "new_cards"),
        "A seat gets cards.",
        {"seat": _SEAT, "cards": _OWN_CARDS, "count": NumberShape("How many.")},
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
            "loser": NumberShape("Who loses a life by it."),
        },
    ),
    EventShape(
        "ToepenKeepEvent",
        ("keep",),
        "A hand is kept.",
        {
            "seat": _SEAT,
            "announcement": TextShape("What is announced.", choices=("none", "whistle", "stand")),
        },
    ),
    EventShape(
        "ToepenPovertyEvent",
        ("poverty",),
        "Players on their last life make the others choose.",
        {
            "seat": NumberShape("The leader."),
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
        "`knock`: the hand is raised. `stay`: a seat plays on for that.",
        {"seat": _SEAT, "value": _VALUE},
    ),
    EventShape(
        "ToepenFoldEvent",
        ("fold",),
        "A seat leaves the hand.",
        {"seat": _SEAT, "lives": NumberShape("Lives that it loses.")},
    ),
    EventShape(
        "ToepenTrickEvent",
        ("trick",),
        "A trick is over.",
        {"seat": NumberShape("The winner."), "trick": NumberShape("From 1 to 4.")},
    ),
    EventShape(
        "ToepenResultEvent",
        ("result",),
        "A hand is over.",
        {
            "seat": NumberShape("The winner; null: nobody.", nullable=True),
            "value": _VALUE,
            "lost": numbers("Lives lost in the hand, per seat."),
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
            "drinks": NumberShape("Drinks that the seat has bought so far."),
        },
    ),
    EventShape(
        "ToepenOverEvent",
        ("over",),
        "The end.",
        {
            "seat": NumberShape("The first seat with place 1."),
            "places": numbers("Per seat; 1 is the best, shared places share the number."),
            "scores": numbers("Per seat; higher is better."),
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
