"""What the questions at a table of Truco mean, for people who do not know the game. The rules are in
``docs/rules``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from arena.games.panels import AnswerHelp, QuestionHelp
from arena.games.texts import counted
from arena.games.truco.options import TrucoRules

CUT: Final = "cut"
EXCHANGE: Final = "exchange"
CALL: Final = "call"
THRESHOLD: Final = "threshold"
CARD: Final = "card"
SIGN: Final = "sign"
"""The kinds of questions."""


@lru_cache(maxsize=64)
def questions(rules: TrucoRules) -> Mapping[str, QuestionHelp]:
    """Return the texts by kind of question."""
    side = "side" if rules.seats > 2 else "player"
    return {
        CUT: QuestionHelp(
            "Before the cards are dealt, you cut the pack: the cards that you lift go under the others. "
            "Nobody has seen a card yet, so this is pure luck.",
            {
                "cut": AnswerHelp("From the top or the bottom", "The end from which the cards are dealt."),
                "no_cut": AnswerHelp("Do not cut", "The cards are dealt from the top of the pack as it is."),
                **_SIGNS,
            },
        ),
        EXCHANGE: QuestionHelp(
            "You lead in this hand, so you may choose your cards. You have seen these three; "
            "the others get theirs when you keep.",
            {
                "keep": AnswerHelp("Keep", "You play with these three cards."),
                "pass": AnswerHelp(
                    "Pass",
                    "Your partner plays with these three cards, and you get three new ones. "
                    "Possible once in a hand.",
                ),
                "burn": AnswerHelp(
                    "Burn",
                    "Everybody sees these three cards, nobody plays them, and you get three new ones. "
                    f"At most {counted(rules.max_burns, 'time')} in a hand.",
                ),
                **_SIGNS,
            },
        ),
        CALL: QuestionHelp(
            f"The other {side} wants the hand to be worth more. {_steps(rules)} "
            "Nobody plays a card before you have answered.",
            {
                "run": AnswerHelp(
                    "Run", f"The hand is over. The other {side} scores what it was worth before this call."
                ),
                "accept": AnswerHelp(
                    "Accept", f"You play on for the value that was called. {_scope(rules)}".strip()
                ),
                "raise": AnswerHelp(
                    "Raise",
                    f"You accept, and call the next value. Now the other {side} has to run, accept or raise.",
                ),
                "defer": _DEFER,
                **_SIGNS,
            },
        ),
        THRESHOLD: QuestionHelp(
            f"You have {rules.threshold} points and may choose whether to play this hand. It is worth "
            f"{rules.threshold_stake}, and nobody may call truco."
            + (" You know your partner's cards, and your partner knows yours." if rules.seats > 2 else ""),
            {
                "accept": AnswerHelp(
                    "Play",
                    f"If you win the hand, you win the game. If you lose it, the other {side} scores "
                    f"{rules.threshold_stake}.",
                ),
                "run": AnswerHelp(
                    "Run", f"The hand is over, the other {side} scores {rules.low}, and a new hand is dealt."
                ),
                "defer": _DEFER,
                **_SIGNS,
            },
        ),
        CARD: QuestionHelp(
            f"The {side} that wins two of the three tricks wins the hand. If a trick is tied, the first one "
            "that is won decides. The highest card wins a trick, and suits need not be followed."
            + ("" if rules.whole_hand else " Once truco is accepted, the trick on the table decides alone."),
            {
                "play": AnswerHelp(
                    "A card",
                    "It lies open. Whoever wins the trick leads to the next. "
                    f"If the highest cards of both {side}s are equally high, the trick is tied.",
                ),
                "hide": AnswerHelp("Face down", "Nobody else sees the card, and it cannot win."),
                "truco": AnswerHelp(
                    "Truco!",
                    f"You want the hand to be worth {rules.threshold_stake}, and play your card after the "
                    f"answer. If the other {side} runs, you score {rules.low}. {_scope(rules)}".strip(),
                ),
                "raise": AnswerHelp(
                    "The next value",
                    f"You want the hand to be worth more, and play your card after the answer. If the other "
                    f"{side} runs, you score what the hand is worth now.",
                ),
                **_SIGNS,
            },
        ),
        SIGN: QuestionHelp(
            "It is not your turn, but you may give your partner a sign, or wait. Everybody sees it, and the "
            "two of you decide what it means.",
            _SIGNS,
        ),
    }


_DEFER: Final = AnswerHelp("Ask partner", "Your partner decides, and cannot hand the question back to you.")
_SIGNS: Final = {
    "signal": AnswerHelp(
        "A sign",
        "Everybody sees it, and you and your partner decide what it means. It changes nothing else. "
        "At most one per player and trick.",
    )
}


def _steps(rules: TrucoRules) -> str:
    first, *others = rules.stakes
    return f"A hand is worth {first}, and calls raise it to {', '.join(map(str, others))}."


def _scope(rules: TrucoRules) -> str:
    """Say what truco does apart from the value (BT-4.1, BT-4.7)."""
    if rules.whole_hand:
        return ""
    return (
        "Then the trick on the table alone decides the hand. If it is tied, and one of its highest cards was "
        "played before truco was called, those who called truco lose."
    )
