"""The descriptor of Toepen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from arena.games.descriptor import Award, Awards, Game, HouseVersion, Preset, RulesPage
from arena.games.random_player import RandomPlayer
from arena.games.toepen.bots import regular, rookie, shark
from arena.games.toepen.features import ToepenFeatures
from arena.games.toepen.fields import ACTIONS, EVENTS, OBSERVATION
from arena.games.toepen.guide import GUIDE
from arena.games.toepen.length import OPTIONS_OF_LENGTH, usual_moves
from arena.games.toepen.luck import LUCK
from arena.games.toepen.narrate import ToepenTeller
from arena.games.toepen.news import news
from arena.games.toepen.panel import panel
from arena.games.toepen.picture import ToepenPicture
from arena.games.toepen.redeal import redeal
from arena.games.toepen.state import TOEPEN
from arena.games.toepen.style import STYLE
from arena.games.toepen.summary import summary
from arena.games.toepen.text import turn_text
from arena.games.toepen.titles import Style, styles


def _tally(style: Sequence[int]) -> dict[str, int]:
    counts = Style(*style)
    return {
        "king_games": int(counts.is_toepkoning),
        "folds": counts.folds,
        "fold_opportunities": counts.fold_opportunities,
    }


def _fold_rate(tally: Mapping[str, int]) -> float | None:
    opportunities = tally["fold_opportunities"]
    return round(tally["folds"] / opportunities, 4) if opportunities else None


GAME: Final = Game(
    game_rules=TOEPEN,
    title="Toepen",
    rules_pages=(RulesPage("rules/toepen", "TP", "Toepen"),),
    seating="There are two to eight seats, and everybody plays alone. If the option `seats` is not given, "
    "it is set to the number of listed seats.",
    presets=(
        Preset(
            name="duel@1",
            title="Toepen for two",
            doc="Toepen for two.",
            rules={"seats": 2},
        ),
        Preset(
            name="table-4@1",
            title="Toepen for four",
            doc="Toepen for four, everybody for themselves.",
            rules={"seats": 4},
        ),
    ),
    duel_rules={"seats": 2},
    ladder_rules=({"seats": 2}, {"seats": 4}),
    house_bots={
        "random": HouseVersion(player=RandomPlayer, version="0.1.0"),
        "rookie": HouseVersion(player=rookie.ToepenRookie, version="0.1.0"),
        "regular": HouseVersion(player=regular.ToepenRegular, version="0.2.0"),
        "barfly": HouseVersion(player=regular.ToepenBarfly, version="0.1.0"),
        "shark": HouseVersion(player=shark.ToepenShark, version="0.4.0"),
    },
    redeal=redeal,
    narrator=ToepenTeller,
    text=turn_text,
    news=news,
    summary=summary,
    picture=ToepenPicture,
    panel=panel,
    guide=GUIDE,
    features=ToepenFeatures,
    observation=OBSERVATION,
    events=EVENTS,
    actions=ACTIONS,
    usual_moves=usual_moves,
    length_options=OPTIONS_OF_LENGTH,
    style=STYLE,
    luck=LUCK,
    # TP-7.3
    awards=Awards(
        styles=styles,
        tally=_tally,
        given_up="folds",
        could_give_up="fold_opportunities",
        awards=(
            Award(
                title="toepkoning",
                measure="games with three hands won in a row",
                value=lambda tally: tally["king_games"],
            ),
            Award(title="lijntoeper", measure="share of folds when asked", value=_fold_rate, settled=True),
        ),
    ),
)
