"""What the questions at a table of Toepen mean, for people who do not know the game. The rules are in
``docs/rules``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from arena.games.panels import AnswerHelp, QuestionHelp
from arena.games.texts import counted
from arena.games.toepen.cards import RANKS, ToepenRules

EXCHANGE: Final = "exchange"
KEEP: Final = "keep"
CHALLENGE: Final = "challenge"
POVERTY: Final = "poverty"
KNOCK: Final = "knock"
CARD: Final = "card"
RIGHT: Final = "right"
"""The kinds of questions."""


@lru_cache(maxsize=64)
def questions(rules: ToepenRules) -> Mapping[str, QuestionHelp]:
    """Return the texts by kind of question."""
    order = " ".join(RANKS[::-1]).replace("T", "10")
    return {
        EXCHANGE: QuestionHelp(
            "You may lay your hand away, face down, for four new cards. This is meant for dirty laundry "
            "(vuile was), a hand of nothing but aces, kings, queens and jacks, but any hand may be laid away "
            f"as a bluff. At most {counted(rules.max_exchanges, 'time')} in a hand.",
            {
                **_KEEP,
                "exchange": AnswerHelp(
                    "Exchange",
                    "Any other player may challenge you. With a ten, nine, eight or seven in the hand that "
                    "you laid away, you lose a life; otherwise the challenger does. "
                    "You play with the new cards, or exchange again.",
                ),
            },
        ),
        KEEP: QuestionHelp(
            "You cannot exchange your hand now, so you play with these four cards. Some hands are announced.",
            _KEEP,
        ),
        CHALLENGE: QuestionHelp(
            "A player laid a hand away as dirty laundry, which holds nothing but aces, kings, queens and "
            "jacks. It may be a bluff: only a challenge shows the cards.",
            {
                "trust": AnswerHelp(
                    "Trust", "You lose nothing. If nobody challenges, nobody ever sees those cards."
                ),
                "challenge": AnswerHelp(
                    "Challenge",
                    "Everybody sees those cards. If a ten, nine, eight or seven is among them, the other "
                    "player loses a life. If not, you lose one.",
                ),
            },
        ),
        POVERTY: QuestionHelp(
            "A player has only one life left. Such a hand is worth 2 from the start, and you decide whether "
            "to play it before the first card lies on the table.",
            {
                "stay": AnswerHelp(
                    "Stay", "You play. Unless you win the hand, you lose as many lives as it is worth."
                ),
                "fold": AnswerHelp("Fold", "You lose one life now, and do not play this hand."),
            },
        ),
        KNOCK: QuestionHelp(
            "A player knocked: the hand is worth one life more. Nobody plays a card before everybody has "
            "answered.",
            {
                "stay": AnswerHelp(
                    "Stay", "You play on. Unless you win the hand, you lose as many lives as it is worth."
                ),
                "fold": AnswerHelp(
                    "Fold",
                    "You lose now what the hand was worth before the knock, and do not play on. "
                    "Nobody sees your cards.",
                ),
            },
        ),
        CARD: QuestionHelp(
            "Only the last of the four tricks counts: whoever wins it wins the hand, and the others who are "
            f"still in lose as many lives as the hand is worth. From the highest: {order}.",
            {
                "play": AnswerHelp(
                    "A card",
                    "You must follow the suit of the first card if you can. The highest card of that suit "
                    "wins, and whoever played it leads to the next trick.",
                ),
                **_TOEP,
            },
        ),
        RIGHT: QuestionHelp(
            "It is not your turn, but you may knock at any time. If you do not want to, just wait.", _TOEP
        ),
    }


_TOEP: Final = {
    "knock": AnswerHelp(
        "Toep!",
        "You knock, and the hand is worth one life more. The others stay, or fold and lose what it was worth "
        "before. If all fold, you win the hand. You may knock again only after somebody else has knocked.",
    )
}
_KEEP: Final = {
    "keep": AnswerHelp("Keep", "You play with these four cards."),
    "keep_whistle": AnswerHelp(
        "Keep, whistle",
        "The same, and all hear that you have three tens or three jacks. With three tens you must.",
    ),
    "keep_stand": AnswerHelp(
        "Keep, stand up",
        "The same, and all see that you have four tens or four jacks. With four tens you must.",
    ),
}
