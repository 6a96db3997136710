"""The rules of Truco in short, for the options of one game."""

from __future__ import annotations

from arena.games.options import Rules
from arena.games.texts import counted
from arena.games.truco.cards import MANILHAS, TARGET
from arena.games.truco.options import TrucoRules, rules_from


def summary(options: Rules) -> tuple[str, ...]:
    """Return the rules in short, one paragraph per item; see :class:`~arena.games.descriptor.Game`."""
    rules = rules_from(options)
    return (
        _players(rules),
        _cards(rules),
        *_deal(rules),
        *_tricks(rules, options),
        *_calls(rules),
        *_threshold(rules),
        *_signals(rules),
        "If an answer is late, the table "
        + ("does not cut, " if rules.cut else "")
        + ("keeps, " if rules.exchange else "")
        + "runs, or plays the weakest card face up.",
    )


def _side(rules: TrucoRules) -> str:
    return "team" if rules.seats > 2 else "player"


def _signals(rules: TrucoRules) -> list[str]:
    text = "Signals: any player may make one gesture per trick, which all see (`signal:wink`)."
    return [text] if rules.signals else []


def _players(rules: TrucoRules) -> str:
    who = "four; seats 0 and 2 play against 1 and 3" if rules.seats > 2 else "two"
    return (
        f"Players: {who}. The turn passes to the next higher seat. The first {_side(rules)} with {TARGET} "
        f"points wins; after {counted(rules.max_hands, 'hand')} the one with more."
    )


def _cards(rules: TrucoRules) -> str:
    ranks = " ".join(reversed(rules.pack.ranks))
    if rules.turned:
        manilhas = (
            "A card, the vira, is turned after the deal. The four cards of the rank after it (in the order "
            f"{' '.join(rules.pack.ranks)}, and then from the beginning) are the manilhas and beat all "
            "others; of these, clubs are strongest, then hearts, spades, diamonds."
        )
    else:
        manilhas = f"The manilhas beat all others, strongest first: {' '.join(MANILHAS)}."
    return (
        f"Cards: {len(rules.pack.cards)}, rank then suit: 4C is the four of clubs. {manilhas} The other "
        f"cards, strongest first: {ranks}; suits make no difference, so equal ranks tie."
    )


def _deal(rules: TrucoRules) -> list[str]:
    lines = []
    if rules.cut:
        lines.append(
            "Cut: the player before the dealer lifts some cards and says from which end the cards are dealt "
            "(`cut:17:bottom`), or does not cut (`no_cut`)."
        )
    if rules.exchange:
        burn = f", or burn them for all to see (`burn`, up to {counted(rules.max_burns, 'time')})"
        lines.append(
            "Deal: three cards each. The forehand, the player after the dealer, looks at its cards first. "
            "It may keep them (`keep`), pass them to its partner once "
            f"(`pass`){burn if rules.max_burns else ''}, and then takes three new ones. The forehand leads."
        )
    else:
        lines.append("Deal: three cards each. The forehand, the player after the dealer, leads.")
    return lines


def _tricks(rules: TrucoRules, options: Rules) -> list[str]:
    lead = "the one who led" if rules.opener_leads else "the one who played the first of the tied cards"
    nobody = f"the forehand's {_side(rules)} wins" if rules.all_tied_to_forehand else "nobody wins"
    lines = [
        "Tricks: a hand has up to three. Any card may be played (`play:4C`). The strongest wins, and its "
        f"player leads next. If both sides have played the strongest, the trick is tied, and {lead} leads. "
        "Two tricks win the hand. If the first trick is tied, the second decides; if the first two are "
        "tied, the third decides; if only a later one is tied, the first decides; if all are tied, "
        f"{nobody}."
    ]
    if options["face_down"] != "never":
        since = "in any trick" if rules.face_down_from == 1 else "from the second trick on"
        lines.append(
            f"Face down: {since}, a card can be hidden (`hide:4C`). It wins nothing, and nobody sees it."
        )
    return lines


def _calls(rules: TrucoRules) -> list[str]:
    second = rules.threshold_stake
    stakes = " ".join(map(str, rules.stakes))
    since = "" if rules.truco_from == 1 else ", from the second trick on"
    defer = ", or leave the answer to the partner (`defer`)" if rules.seats > 2 else ""
    lines = [
        f"Truco: a hand is worth {rules.low}; the stakes are {stakes}. On its turn{since}, a player may "
        f"call before it plays: `truco` proposes {second}. The other side must answer: run, so that the "
        f"callers score what the hand was worth (`run:{rules.low}`), accept (`accept:{second}`), or raise "
        f"to the next stake (`raise:{rules.next_stake[second]}`), which the callers answer in the same "
        f"way{defer}."
    ]
    if rules.whole_hand:
        lines.append(
            "A call changes only what the hand is worth. Later calls on the turn are raises; the right to "
            "raise belongs to the side that accepted last."
        )
    else:
        lines.append(
            "Once truco is accepted, the trick in progress alone decides the hand, whatever happened "
            "before, and nobody calls again. If that trick is tied: if one of the tied cards lay on the "
            "table before truco was called, the side that called loses; otherwise one more trick decides, "
            "if cards are left, and if that is tied too, nobody scores."
        )
    limits = {
        "own": "its points",
        "both": "the points of the side that has fewer",
    }
    if rules.limit:
        lines.append(
            f"A side may not call or raise if {limits[rules.limit]}, and what the hand is worth or was "
            f"called for, make {TARGET} or more."
        )
    return lines


def _threshold(rules: TrucoRules) -> list[str]:
    side, most = _side(rules), rules.threshold
    shown = "Its players see each other's cards as dealt. " if rules.seats > 2 else ""
    keep = " The forehand must keep." if rules.exchange else ""
    both = (
        "nobody looks at the cards, and the hand plays itself"
        if rules.blind
        else "the hand is played as usual, without calls"
    )
    return [
        f"At {most} points: if one {side} has {most} when a hand begins, nobody may call. {shown}Before the "
        f"first card it plays the hand for {rules.threshold_stake} (`accept:{rules.threshold_stake}`) or "
        f"runs and gives the other {side} {rules.low} (`run:{rules.low}`).{keep} If both have {most}, "
        f"{both}, for {rules.low}."
    ]
