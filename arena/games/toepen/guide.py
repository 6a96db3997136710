"""The rules of Toepen in one minute, for people who want to play it. ``docs/rules`` has all rules."""

from __future__ import annotations

from typing import Final

from arena.games.guides import Guide, GuideCard, GuideSection
from arena.games.options import Rules
from arena.games.texts import counted
from arena.games.toepen.cards import CLEAN, MAX_SEATS, PACK, RANKS, ToepenRules, rules_from

_SEATS: Final = ("two", "three", "four", "five", "six", "seven", "eight")
_SUIT: Final = "S"


def _title(options: Rules) -> str:
    return f"Toepen for {_SEATS[rules_from(options).seats - 2]}"


def _sections(options: Rules) -> tuple[GuideSection, ...]:
    rules = rules_from(options)
    return (
        _aim(rules),
        GuideSection(
            "Which card beats which",
            ("Within a suit the ten is the highest card and the jack the lowest. No suit is trump.",),
            (("Strongest first", tuple(GuideCard(rank + _SUIT) for rank in reversed(RANKS))),),
        ),
        GuideSection(
            "The tricks",
            (
                "Everybody gets four cards, and the player on the dealer's left leads. You must follow the "
                "suit that was led if you can. The highest card of that suit wins the trick, and its player "
                "leads to the next.",
                "Only the last trick counts. Whoever wins it wins the hand and deals the next one. The "
                "others who are still in lose as many lives as the hand is worth: one, if nobody knocked.",
            ),
        ),
        _knocking(rules),
        *_laundry(rules),
        GuideSection(
            "Poverty",
            (
                "If a player has one life left, the hand is worth 2 from the start, and that player leads. "
                "Before the first card, the others stay for 2, or fold and lose 1.",
            ),
        ),
        *_whistling(rules),
    )


GUIDE: Final = Guide(_title, _sections, ({"seats": 2}, {"seats": 4}, {"seats": MAX_SEATS}))


def _aim(rules: ToepenRules) -> GuideSection:
    seats, lives = _SEATS[rules.seats - 2].capitalize(), counted(rules.lives, "life", "lives")
    begin = f"{seats} play, everybody alone, and everybody has {lives}."
    if rules.rubber:
        end = (
            "Whoever has lost them all buys a round of drinks, everybody gets all lives back, and the next "
            f"rubber begins. After {counted(rules.rubbers, 'rubber')}, whoever bought the fewest rounds wins."
        )
    else:
        end = "Whoever has lost them all is out, and the last one in the game wins."
    return GuideSection("The aim", (f"{begin} {end}",))


def _knocking(rules: ToepenRules) -> GuideSection:
    when = "at any time during the play" if rules.anytime else "on your turn, before you play a card"
    return GuideSection(
        "Toep!",
        (
            f"You may knock {when}: the hand is then worth one life more. The others stay, or fold and lose "
            "what it was worth before. If all fold, you win the hand.",
            "You need as many lives as the hand is then worth, and knock again only after somebody else has "
            "knocked.",
        ),
    )


def _laundry(rules: ToepenRules) -> list[GuideSection]:
    if rules.max_exchanges == 0 or rules.seats == MAX_SEATS:
        return []
    times = counted(rules.max_exchanges, "time")
    dirty = [card for number, card in enumerate(PACK) if not CLEAN >> number & 1]
    return [
        GuideSection(
            "Dirty laundry",
            (
                "Before the play, a hand of nothing but aces, kings, queens and jacks may be laid away, face "
                "down, for four new cards. In fact any hand may: others can challenge it. If the hand is "
                "then found to hold a ten, nine, eight or seven, its player loses a life; otherwise the "
                "challenger does.",
                f"A player may do so {times} in a hand, while the stock lasts.",
            ),
            (("Such a hand", tuple(GuideCard(card) for card in dirty[::5])),),
        )
    ]


def _whistling(rules: ToepenRules) -> list[GuideSection]:
    text = (
        "Whoever keeps three tens must whistle, and with four tens stand up. With jacks one may do the "
        "same, so nobody knows which it is."
    )
    return [GuideSection("Whistling", (text,))] if rules.whistling else []
