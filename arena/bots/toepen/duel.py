"""The rest of a hand between two players, solved as if they saw each other's cards. Hands are masks."""

from __future__ import annotations

from typing import Final

from arena.bots.toepen.spot import Spot

_SUIT: Final = tuple(255 << (number >> 3 << 3) for number in range(32))
"""Per card number, all cards of its suit."""


def lead_wins(leader: int, follower: int) -> bool:
    """Whether the one to lead wins the last trick against the best answers; both hold as many cards."""
    if not leader:
        return True
    cards = leader
    while cards:
        card = cards & -cards
        cards ^= card
        if not answer_wins(follower, leader ^ card, card):
            return True
    return False


def answer_wins(follower: int, leader: int, card: int) -> bool:
    """Whether the one to answer ``card`` wins the last trick; ``leader``: what its leader has left."""
    suit = _SUIT[card.bit_length() - 1]
    answers = follower & suit
    if not leader:
        return answers > card
    answers = answers or follower
    while answers:
        answer = answers & -answers
        answers ^= answer
        if answer & suit and answer > card:
            if lead_wins(follower ^ answer, leader):
                return True
        elif not lead_wins(leader, follower ^ answer):
            return True
    return False


def card_wins(spot: Spot, card: int, theirs: int) -> bool:
    """Whether ``card`` wins the hand for the seat of ``spot`` if its one opponent holds ``theirs``."""
    rest = spot.hand & ~(1 << card)
    if spot.after:
        return not answer_wins(theirs, rest, 1 << card)
    return lead_wins(rest, theirs) if spot.beats(card) else not lead_wins(theirs, rest)


def hand_wins(spot: Spot, theirs: int) -> bool:
    """Whether the seat of ``spot`` wins the hand if its one opponent holds ``theirs``, whoever plays next."""
    if spot.led < 0:
        return lead_wins(spot.hand, theirs) if spot.leads else not lead_wins(theirs, spot.hand)
    if spot.played:
        return not answer_wins(theirs, spot.hand, 1 << spot.best)
    return answer_wins(spot.hand, theirs, 1 << spot.best)


def is_duel(spot: Spot) -> bool:
    """Whether the functions above fit: one opponent, and no cards on the table of players who left."""
    if spot.others & (spot.others - 1):
        return False
    if spot.led < 0:
        return True
    if spot.played:
        return spot.best_seat == spot.seat and spot.after != 0
    return spot.best_seat >= 0 and not spot.after
