"""The rules of Truco in one minute, for people who want to play it. ``docs/rules`` has all rules."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from arena.games.guides import Guide, GuideCard, GuideSection
from arena.games.options import Rules
from arena.games.texts import counted
from arena.games.truco.cards import CARD_NUMBER, TARGET
from arena.games.truco.narrate import titles
from arena.games.truco.options import TrucoRules, rules_from

_VARIANTS: Final = {"base": "Brazilian Truco", "paulista": "Truco paulista", "mineiro": "Truco mineiro"}
_SEATS: Final = {2: "for two", 4: "for four"}


def _title(options: Rules) -> str:
    return f"{_VARIANTS[str(options['variant'])]} {_SEATS[rules_from(options).seats]}"


def _sections(options: Rules) -> tuple[GuideSection, ...]:
    rules = rules_from(options)
    return (
        _aim(rules),
        _cards(rules),
        *_choosing(rules),
        _tricks(rules),
        _truco(rules),
        _threshold(rules),
        *_signs(rules),
    )


GUIDE: Final = Guide(
    _title,
    _sections,
    (
        {},
        {"variant": "paulista"},
        {"variant": "paulista", "seats": 2},
        {"variant": "mineiro"},
        {"variant": "mineiro", "seats": 2},
    ),
)


def _side(rules: TrucoRules) -> str:
    return "side" if rules.seats > 2 else "player"


def _aim(rules: TrucoRules) -> GuideSection:
    who = (
        "Four play, and the two who face each other are partners."
        if rules.seats > 2
        else "Two play against each other."
    )
    winner = "side that" if rules.seats > 2 else "player who"
    return GuideSection(
        "The aim",
        (
            f"{who} Everybody gets three cards, one for each of three tricks. The {winner} wins two tricks "
            f"wins the hand and scores what it is worth, {rules.low} if nobody called truco. The first with "
            f"{TARGET} points wins the game.",
        ),
    )


def _cards(rules: TrucoRules) -> GuideSection:
    """Show the order of the cards (BT-1.3, BT-1.4, TV-3.3, TV-3.4), with an example of a vira."""
    paragraphs, vira = [], ""
    if rules.turned:
        ranks = rules.pack.ranks
        vira = f"{ranks[len(ranks) // 4]}H"
        paragraphs.append(
            "After the deal one card is turned, the vira. The four cards of the next rank are the manilhas "
            f"of this hand and beat all others. The ranks follow each other like this: {' '.join(ranks)}, "
            f"and then {ranks[0]} again. Among the manilhas the suit decides."
        )
    else:
        paragraphs.append("Four cards beat all others, always in this order. They are called manilhas.")
    paragraphs.append(
        "All other cards count by their rank alone: their suits make no difference, and equal ranks are "
        "equally high."
    )
    order = rules.order(CARD_NUMBER[vira] if vira else -1)
    names = titles(order)
    manilhas = tuple(GuideCard(card, names[card]) for card in order.manilhas)
    found = [_plain(rank, vira, names) for rank in reversed(rules.pack.ranks)]
    plain = tuple(GuideCard(card) for card in found if card)
    rows = [("The manilhas, strongest first", manilhas), ("Then by rank", plain)]
    if vira:
        rows.insert(0, ("For example, this vira", (GuideCard(vira),)))
    return GuideSection("Which card beats which", tuple(paragraphs), tuple(rows))


def _plain(rank: str, vira: str, manilhas: Container[str]) -> str:
    """Return a card of this rank that is not a manilha, or an empty string if there is none."""
    cards = (rank + suit for suit in "SHCD")
    return next((card for card in cards if card not in manilhas and card != vira), "")


def _choosing(rules: TrucoRules) -> list[GuideSection]:
    paragraphs = []
    if rules.cut:
        paragraphs.append(
            "The player before the dealer may cut the pack, and says whether the cards are dealt from the "
            "top or from the bottom."
        )
    if rules.exchange:
        burn = (
            f" or burn them, at most {counted(rules.max_burns, 'time')}: everybody sees them, and nobody "
            "plays them"
            if rules.max_burns
            else ""
        )
        paragraphs.append(
            "The player after the dealer looks at three cards before the others get theirs, and may keep "
            f"them, pass them to the partner once{burn}. After passing or burning, the player gets three new "
            "cards."
        )
    return [GuideSection("Before the play", tuple(paragraphs))] if paragraphs else []


def _tricks(rules: TrucoRules) -> GuideSection:
    side = _side(rules)
    turn = "The player after the dealer leads" + (
        ", and the turn passes to the right." if rules.seats > 2 else "."
    )
    leads = "one who led" if rules.opener_leads else "one who played the first of them"
    nobody = f"the {side} of the first leader wins it" if rules.all_tied_to_forehand else "nobody wins it"
    paragraphs = [
        f"{turn} Any card may be played. The highest card wins the trick, and its player leads to the next.",
        f"If both {side}s played one of the highest cards, the trick is tied, and the {leads} leads to "
        "the next. With a tie, the first trick that somebody wins decides the hand; if all three are "
        f"tied, {nobody}.",
    ]
    if rules.face_down_from < 4:
        since = "" if rules.face_down_from == 1 else ", from the second trick on"
        paragraphs.append(
            f"A card may also be played face down{since}: nobody else sees it, and it cannot win."
        )
    return GuideSection("The tricks", tuple(paragraphs))


def _truco(rules: TrucoRules) -> GuideSection:
    side, second = _side(rules), rules.threshold_stake
    partner = " The one who is asked may leave the answer to the partner." if rules.seats > 2 else ""
    since = "" if rules.truco_from == 1 else ", from the second trick on,"
    paragraphs = [
        f"Before playing a card{since} you may call truco: the hand is to be worth {second}. The other "
        f"{side} runs, accepts or raises. If it runs, the hand is over, and you score what it was worth "
        f"before. If it raises, you are asked in the same way for the next value.{partner}",
        f"A hand can be worth {', '.join(map(str, rules.stakes[:-1]))} or {rules.stakes[-1]}.",
    ]
    if rules.whole_hand:
        paragraphs.append(
            f"A call changes only what the hand is worth. The next call belongs to the {side} that accepted."
        )
    else:
        paragraphs.append(
            "Once truco is accepted, the trick on the table alone decides the hand. If it is tied, and one "
            "of its highest cards was played before the call, those who called truco lose. Otherwise one "
            "more trick decides, if there are cards left. Truco is called once in a hand."
        )
    limits = {
        "own": f"A {side} may not raise if it would win the game without that.",
        "both": f"Nobody may raise if even the {side} that is behind would win the game without that.",
    }
    paragraphs += [limits[rules.limit]] if rules.limit else []
    return GuideSection("Truco!", tuple(paragraphs))


def _threshold(rules: TrucoRules) -> GuideSection:
    side, most = _side(rules), rules.threshold
    shown = "The partners see each other's cards, and decide" if rules.seats > 2 else "That player decides"
    both = (
        "nobody looks at the cards, and they are played as they lie"
        if rules.blind
        else "the hand is played without calls"
    )
    return GuideSection(
        f"At {most} points",
        (
            f"If one {side} has {most} points, nobody may call truco. {shown} before the first card: play "
            f"for {rules.threshold_stake}, or run and give the other {side} {rules.low}. If both have "
            f"{most}, {both}, for {rules.low}.",
        ),
    )


def _signs(rules: TrucoRules) -> list[GuideSection]:
    text = "Once per trick, every player may make a sign that all see. Partners decide what it means."
    return [GuideSection("Signs", (text,))] if rules.signals else []
