"""The descriptor of Brazilian Truco."""

from __future__ import annotations

from typing import Final

from arena.games.descriptor import Game, HouseVersion, Preset, RulesPage
from arena.games.random_player import RandomPlayer
from arena.games.truco.bots import regular, rookie, shark
from arena.games.truco.features import TrucoFeatures
from arena.games.truco.fields import ACTIONS, EVENTS, OBSERVATION
from arena.games.truco.guide import GUIDE
from arena.games.truco.length import OPTIONS_OF_LENGTH, usual_moves
from arena.games.truco.luck import LUCK
from arena.games.truco.narrate import TrucoTeller
from arena.games.truco.news import news
from arena.games.truco.panel import panel
from arena.games.truco.picture import TrucoPicture
from arena.games.truco.redeal import redeal
from arena.games.truco.state import TRUCO
from arena.games.truco.style import STYLE
from arena.games.truco.summary import summary
from arena.games.truco.text import turn_text

GAME: Final = Game(
    game_rules=TRUCO,
    title="Brazilian Truco",
    rules_pages=(
        RulesPage("rules/brazilian-truco", "BT", "Brazilian Truco"),
        RulesPage("rules/truco-variants", "TV", "Truco paulista and Truco mineiro"),
    ),
    seating="There are four seats, of which 0 and 2 play against 1 and 3, or two seats.",
    presets=(
        Preset(
            name="base@1",
            title="Truco",
            doc="Truco for four, with fixed manilhas and a cut before each deal.",
        ),
        Preset(
            name="no-cut@1",
            title="Truco without a cut",
            doc="Truco for four, with fixed manilhas and without a cut.",
            rules={"cut": "none"},
        ),
        Preset(
            name="paulista@1",
            title="Truco paulista",
            doc="Truco paulista for four: a card that is turned determines the manilhas.",
            rules={"variant": "paulista"},
            apart=True,
            recurring=True,
        ),
        Preset(
            name="paulista-2@1",
            title="Paulista for two",
            doc="Truco paulista for two.",
            rules={"variant": "paulista", "seats": 2},
            apart=True,
            recurring=True,
        ),
        Preset(
            name="mineiro@1",
            title="Truco mineiro",
            doc="Truco mineiro for four: fixed manilhas, and stakes from 2.",
            rules={"variant": "mineiro"},
            apart=True,
            recurring=True,
        ),
        Preset(
            name="mineiro-2@1",
            title="Mineiro for two",
            doc="Truco mineiro for two.",
            rules={"variant": "mineiro", "seats": 2},
            apart=True,
        ),
    ),
    duel_rules={},
    # Without the cut, which is luck, fewer games are needed to compare bots.
    ladder_rules=(
        {"cut": "none"},
        {"variant": "paulista"},
        {"variant": "paulista", "seats": 2},
        {"variant": "mineiro"},
        {"variant": "mineiro", "seats": 2},
    ),
    house_bots={
        "random": HouseVersion(player=RandomPlayer, version="0.1.0"),
        "rookie": HouseVersion(player=rookie.TrucoRookie, version="0.1.0"),
        "regular": HouseVersion(player=regular.TrucoRegular, version="0.6.0"),
        "barfly": HouseVersion(player=regular.TrucoBarfly, version="0.4.0"),
        "shark": HouseVersion(player=shark.TrucoShark, version="0.6.0"),
    },
    redeal=redeal,
    narrator=TrucoTeller,
    text=turn_text,
    news=news,
    summary=summary,
    picture=TrucoPicture,
    panel=panel,
    guide=GUIDE,
    features=TrucoFeatures,
    observation=OBSERVATION,
    events=EVENTS,
    actions=ACTIONS,
    usual_moves=usual_moves,
    length_options=OPTIONS_OF_LENGTH,
    style=STYLE,
    luck=LUCK,
)
