"""A fast player of whole hands of Brazilian Truco, for the shark's simulations.

It works on states of the rules, but every seat's choice looks only at what that seat may know.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from arena.games.truco.bots.chances import TOP, best_of, better_of, certain, compare
from arena.games.truco.cards import FACE_DOWN, FIXED, PACK
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, CHOOSE, CUT, ELEVEN, PLAY

_WORTH: Final = (0, 0, 0, 0, 0, 0, 0, 1, 3, 5, 8, 13, 15, 18, 20)
"""What a card of each strength is worth, as the ``regular`` player reckons."""

_KEEP_FROM: Final = 14
_RUNS: Final = 0.45
_DARED: Final = 0.6
"""As the ``regular`` player reckons: how often a called team runs, and by how much a chance shrinks when
the other team dares to call or to stay."""

_STAY_FROM: Final = (0.44, 0.34, 0.24, 0.18)
"""From which chance on a team stays, by the step of the ladder that the hand is worth if it runs."""

_PACK_STRENGTHS: Final = [
    sum(strength == own for own in FIXED.strength[: len(PACK)]) for strength in range(TOP + 1)
]


@cache
def trick_chance(mine: int, theirs: int, partners: int, others: int) -> float:
    """How likely my team wins a trick in which it shows ``mine`` or the best of ``partners`` unknown cards,
    and the other team ``theirs`` or the best of ``others`` unknown ones; a tie counts half.
    """
    ours = better_of(certain(mine), best_of(partners, _PACK_STRENGTHS))
    chances = compare(ours, better_of(certain(theirs), best_of(others, _PACK_STRENGTHS)))
    return chances.win + chances.tie / 2


class TrucoPlayout:
    """Plays hands to their end."""

    def finish(self, state: TrucoState) -> None:
        """Play ``state`` until its hand is over."""
        while state.phase in (PLAY, ANSWER, CHOOSE, CUT, ELEVEN):
            seat = state.actor
            state.apply(seat, self.choose(state, seat))

    def choose(self, state: TrucoState, seat: int) -> str:
        """What the awaited ``seat`` does."""
        phase = state.phase
        if phase == PLAY:
            return self._play(state, seat)
        if phase == ANSWER:
            return self._answer(state, seat)
        if phase == CHOOSE:
            worth = sum(_WORTH[state.order.strength[card]] for card in state.hands[seat])
            return "burn" if worth < _KEEP_FROM and "burn" in state.legal else "keep"
        if phase == ELEVEN:
            cards = state.hands[seat]
            if state.rules.seats > 2:
                cards += state.hands[(seat + 2) & 3]
            strength = state.order.strength
            return state.legal[int(sum(_WORTH[strength[card]] for card in cards) >= 24)]
        return state.legal[0]

    def _play(self, state: TrucoState, seat: int) -> str:
        best, holder, place = best_on_table(state)
        strength = state.order.strength
        hand = sorted(state.hands[seat], key=strength.__getitem__)
        ours = holder >= 0 and holder & 1 == seat & 1
        if "truco" in state.legal and self.would_call(state, seat):
            return "truco"
        if place == 0:
            card = hand[-1]
        elif ours and (place == 3 or best >= 11):
            card = hand[0]
        else:
            winners = [card for card in hand if strength[card] > best]
            if winners:
                card = winners[0] if place >= 2 else winners[-1]
            else:
                ties = [card for card in hand if strength[card] == best and not ours]
                card = ties[0] if ties else hand[0]
        return "play:" + PACK[card]

    def would_call(self, state: TrucoState, seat: int) -> bool:
        """Whether ``seat`` would call truco with the cards on the table as they are."""
        best, holder, place = best_on_table(state)
        chance = self._chance(state, seat, best, holder, place)
        dared = chance * _DARED if chance < 0.999 else 1.0
        called = _RUNS + (1 - _RUNS) * (6 * dared - 3)
        quiet = (2 * chance - 1) * (1.0 if len(state.leaders) == 3 else 0.6)
        return called > quiet + 0.05

    def would_raise(self, state: TrucoState, seat: int) -> bool:
        """Whether ``seat`` would raise what the other team has called or raised."""
        best, holder, place = best_on_table(state)
        return self._chance(state, seat, best, holder, place, (seat + 1) & state.rules.mask) > 0.93

    def _answer(self, state: TrucoState, seat: int) -> str:
        best, holder, place = best_on_table(state)
        chance = self._chance(state, seat, best, holder, place, state.proposer)
        if chance > 0.93 and len(state.legal) > 2 and state.legal[2].startswith("raise"):
            return state.legal[2]
        if chance > _STAY_FROM[state.rules.step_of[state.stake]]:
            return state.legal[1]
        return "defer" if state.legal[-1] == "defer" else state.legal[0]

    def _chance(
        self, state: TrucoState, seat: int, best: int, holder: int, place: int, bold: int = -1
    ) -> float:
        """The chance of the seat's team to win the trick, as far as the seat can tell.

        ``bold``: who has called, and so holds the best of several hands, as it were.
        """
        side = seat & 1
        mine = best if holder >= 0 and holder & 1 == side else 0
        theirs = best if holder >= 0 and holder & 1 != side else 0
        if holder < 0:
            mine = theirs = best
        partners = others = 0
        leader = state.leaders[-1]
        strength = state.order.strength
        for turn in range(place, state.rules.seats):
            player = (leader + turn) & state.rules.mask
            cards = state.hands[player]
            if player == seat:
                for card in cards:
                    if strength[card] > mine:
                        mine = strength[card]
            elif player & 1 == side:
                partners += len(cards)
            else:
                others += 5 * len(cards) if player == bold else len(cards)
        return trick_chance(mine, theirs, partners, others)


def best_on_table(state: TrucoState) -> tuple[int, int, int]:
    """Of the trick in progress: the best strength, the seat that holds it (-1: nobody or both teams), and
    how many cards lie there.
    """
    plays = state.plays
    start = state.rules.seats * (len(state.leaders) - 1)
    best, holder = 0, -1
    for place in range(len(plays) - start):
        code = plays[start + place]
        if code >= FACE_DOWN:
            continue
        strength = state.order.strength[code]
        seat = (state.leaders[-1] + place) & state.rules.mask
        if strength > best:
            best, holder = strength, seat
        elif strength == best and holder & 1 != seat & 1:
            holder = -1
    return best, holder, len(plays) - start
