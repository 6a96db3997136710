"""The rules of Toepen in short, for the options of one game."""

from __future__ import annotations

from arena.games.options import Rules
from arena.games.texts import counted
from arena.games.toepen.cards import RANKS, rules_from


def summary(options: Rules) -> tuple[str, ...]:
    """Return the rules in short, one paragraph per item; see :class:`~arena.games.descriptor.Game`."""
    rules = rules_from(options)
    lives = counted(rules.lives, "life", "lives")
    when = "at any time, in turn or not," if rules.anytime else "on its turn, before it plays,"
    lines = [
        f"Players: {rules.seats}, each for itself. Everybody begins with {lives}.",
        "Cards: 32, rank then suit: TS is the ten of spades. In every suit, strongest first: "
        f"{' '.join(reversed(RANKS))}. There are no trumps.",
        "Deal: four cards each; the others are the stock.",
    ]
    if rules.max_exchanges:
        lines.append(
            "Exchange: in turn from the dealer's left, each player keeps its hand (`keep`) or lays it away "
            f"face down for four new cards (`exchange`), at most {counted(rules.max_exchanges, 'time')} and "
            "while the stock has four cards. The hand should have nothing but A K Q J; any other is a "
            "bluff. The opponents decide in turn: `trust`, or `challenge` to see the hand. If it has a "
            "ten, nine, eight or seven, the player who exchanged loses a life, otherwise the challenger "
            "does. Either way the new cards stay."
        )
    if rules.whistling:
        lines.append(
            "Announcements: players keep their hands in turn (`keep`). One with three tens must whistle "
            "(`keep_whistle`), and one with three jacks may; one with four tens must stand up "
            "(`keep_stand`), and one with four jacks may."
        )
    lines += [
        "Play: the player on the dealer's left leads. The others follow suit if they can, and may play any "
        "card otherwise (`play:TS`). The highest card of the suit led wins the trick, and its player leads "
        "to the next. Only the fourth trick counts: its winner wins the hand, and everybody else who is "
        "still in loses as many lives as the hand is worth, 1 if nobody knocks.",
        f"Knocking: while cards are played, each player may knock {when} so that the hand is worth one life "
        "more (`knock:2`), unless a knock waits for answers. The others answer: stay for the new value "
        "(`stay:2`), or fold and lose what the hand was worth before (`fold:1`). If all fold, the one who "
        "knocked wins the hand. A knock for a value requires as many lives, and whoever knocked last may not "
        "knock again.",
        "Poverty: if somebody has one life after the exchanges, the hand is worth 2 from the start, and that "
        "player leads (of several the first from the dealer's left). Before that, the others stay (`stay:2`) "
        "or fold and lose 1 (`fold:1`); if all of them fold, a single player with one life wins the hand.",
        "The winner of a hand deals the next.",
    ]
    if rules.rubber:
        lines.append(
            "End: as soon as a player has no lives left, it buys a round of drinks, and everybody has "
            f"{lives} again. After {counted(rules.rubbers, 'such rubber')} those with the fewest rounds are "
            "first; of these, those who won more hands."
        )
    else:
        lines.append(
            "End: a player without lives is out. The last one with lives is first, and the others are placed "
            "by how long they lasted."
        )
    return (
        *lines,
        "If an answer is late, the table keeps, trusts, folds, or plays the lowest legal card; it never "
        "knocks.",
    )
