"""High card for the rest of the service."""

from __future__ import annotations

from typing import Final

from arena.games.descriptor import Game, HouseVersion, Preset
from arena.games.random_player import RandomPlayer
from arena.games.shapes import (
    ActionForm,
    EventShape,
    ListShape,
    NumberShape,
    ObjectShape,
    TextShape,
    cards,
    numbers,
)
from tests.highcard.picture import HighCardPicture
from tests.highcard.players import Cheapest, Lowest, Storyteller, redeal
from tests.highcard.rules import PACK, RULES
from tests.highcard.text import news, summary, turn_text

_SEAT: Final = NumberShape("Whose event it is.")
_PLAY: Final = ObjectShape(
    "A card on the table.",
    name="HighCardPlay",
    fields={"seat": NumberShape("Who played it."), "card": TextShape("The card.")},
)

GAME: Final = Game(
    game_rules=RULES,
    title="High Card",
    seating="There are two to four seats, and everybody plays alone.",
    presets=(
        Preset(name="duel@1", title="High card for two", doc="Two players."),
        Preset(name="four@1", title="High card for four", doc="Four.", rules={"seats": 4}),
        Preset(
            name="short@1",
            title="Two hands of high card",
            doc="Three players and two hands.",
            rules={"seats": 3, "hands": 2},
        ),
    ),
    duel_rules={"seats": 2},
    ladder_rules=({"seats": 2},),
    house_bots={
        "random": HouseVersion(player=RandomPlayer, version="1.0.0"),
        "rookie": HouseVersion(player=Lowest, version="1.0.0"),
        "regular": HouseVersion(player=Cheapest, version="1.1.0"),
    },
    redeal=redeal,
    narrator=Storyteller,
    text=turn_text,
    news=news,
    summary=summary,
    picture=HighCardPicture,
    observation=ObjectShape(
        "What a seat of high card sees.",
        name="HighCardObservation",
        fields={
            "seat": NumberShape("Whose view this is; null: a spectator's.", nullable=True),
            "hand_number": NumberShape("From 1."),
            "awaiting": numbers("Whose decision it is; -1 is chance."),
            "leader": NumberShape("Who leads the trick."),
            "points": numbers("Tricks won, per seat."),
            "held": numbers("How many cards each seat holds."),
            "played": ListShape("The cards of this hand in the order of play.", of=_PLAY),
            "hand": cards("One's own cards; empty for a spectator."),
        },
    ),
    events=(
        EventShape("HighCardHandEvent", ("hand",), "A hand begins.", {"number": NumberShape("From 1.")}),
        EventShape(
            "HighCardDealtEvent",
            ("dealt",),
            "A seat gets cards.",
            {"seat": _SEAT, "cards": cards("Null for the other seats.", nullable=True)},
        ),
        EventShape(
            "HighCardPlayEvent", ("play",), "A card is played.", {"seat": _SEAT, "card": TextShape("Which.")}
        ),
        EventShape("HighCardTrickEvent", ("trick",), "A trick is won.", {"seat": _SEAT}),
        EventShape(
            "HighCardOverEvent",
            ("over",),
            "The end.",
            {"places": numbers("Per seat; 1 is the best."), "scores": numbers("Tricks won, per seat.")},
        ),
    ),
    actions=(
        ActionForm(
            "deal:([A-Z2-9]{2}){32}",
            "The pack for a hand, top card first.",
            by_chance=True,
            example="deal:" + "".join(PACK),
        ),
        ActionForm("play:[A-Z2-9]{2}", "Play a card.", example="play:4C"),
    ),
)
