"""Spots of Truco: what a seat distinguishes when it plays, calls or answers, and its actions there."""

from __future__ import annotations

from typing import Final

from arena.games.truco.bots.sight import play
from arena.games.truco.cards import FACE_DOWN
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, NO_CARD, NOBODY

_CLASS_OF: Final[tuple[int, ...]] = (1, 2, 3, 3, *(4 * [4]), *(4 * [5]), *(8 * [6]), *(21 * [7]))
"""The class of a card, from 1, by the number of unseen cards that beat it. Seen are the cards in the hand,
those played face up, and the vira. In the whole pack, with fixed manilhas, the classes are the zap, the next
manilha, the other two, 3s, 2s, aces to jacks, and the rest.
"""
_CLASSES: Final = 8
"""The number of classes, with 0 for no card."""
_TIE, _OURS, _THEIRS, _NONE = range(4)


def spot_of(state: TrucoState) -> tuple[int, list[str]]:
    """Return the number of the awaited seat's spot, and its actions there: the cards, weakest first, and the
    call; or to run, to accept, to raise and to defer. Both depend only on what the seat can see. No card is
    hidden (BT-3.2).
    """
    seat = state.actor
    rules = state.rules
    strength = state.order.strength
    cards = sorted(state.hands[seat], key=strength.__getitem__)
    if state.phase == ANSWER:
        actions = list(state.legal)
        # Which answers there are: up to the limit, and with a partner who can still be asked.
        kind = 2 + (len(actions) > 2 and actions[2] != "defer") + 2 * (actions[-1] == "defer")
        first = state.truco_seat
    else:
        actions = [play(card) for card in cards]
        call = state.turn_calls[seat & 1]
        kind = 0
        if call:
            actions.append(call)
            kind = 1
        first = seat
    number = (kind * 5 + rules.step_of[state.stake]) * 4 + _side(state.proposer, seat)
    number = number * 4 + _under_truco(state, seat)
    for trick in (0, 1):
        number = number * 4 + (_side(state.winners[trick], seat) if trick < len(state.winners) else _NONE)
    on_table = len(state.plays) & rules.mask
    number = (number * 4 + on_table) * 4 + ((seat - first) & rules.mask)
    return number * _BY_CARDS + _cards_number(state, seat, cards, on_table), actions


def _side(who: int, seat: int) -> int:
    return _TIE if who == NOBODY else _OURS if (who ^ seat) & 1 == 0 else _THEIRS


def _under_truco(state: TrucoState, seat: int) -> int:
    """Return whether this trick alone decides the hand, and who then loses a tie (BT-4.6, BT-4.7)."""
    if state.truco_seat == NOBODY or state.rules.whole_hand:
        return 0
    if not state.truco_on_table:
        return 1
    return 2 if (state.truco_seat ^ seat) & 1 == 0 else 3


_BY_CARDS: Final = _CLASSES * 4 * _CLASSES**3 * 4 * 4


def _cards_number(state: TrucoState, seat: int, cards: list[int], on_table: int) -> int:
    """Return the part of the number that is about cards: the best card on the table, and whose it is; the
    classes of the cards in the hand; and how many of them are weaker than that card, and equal to it.
    """
    strength = state.order.strength
    stronger = state.order.stronger
    seen = 0 if state.vira == NO_CARD else 1 << state.vira
    for code in (*cards, *state.plays):
        if code < FACE_DOWN:
            seen |= 1 << code
    best, side = 0, _NONE
    if on_table:
        ours = theirs = 0
        start = len(state.plays) - on_table
        for place in range(on_table):
            value = strength[state.plays[start + place]]
            if (state.leaders[-1] + place ^ seat) & 1:
                theirs = max(theirs, value)
            else:
                ours = max(ours, value)
        best = max(ours, theirs)
        side = _OURS if ours > theirs else _THEIRS if theirs > ours else _TIE
    number = (_CLASS_OF[(stronger[best] & ~seen).bit_count()] if on_table else 0) * 4 + side
    weaker = equal = 0
    for place in range(3):
        number *= _CLASSES
        if place < len(cards):
            value = strength[cards[place]]
            number += _CLASS_OF[(stronger[value] & ~seen).bit_count()]
            if side in (_THEIRS, _TIE):
                weaker += value < best
                equal += value == best
    return (number * 4 + weaker) * 4 + equal
