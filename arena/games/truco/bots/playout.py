"""A fast player of whole hands of Brazilian Truco for the simulations of ``shark``.

It works on full states, but each seat's choice depends only on what that seat can see.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Final

from arena.games.truco.bots.chances import TOP, Chances, best_of, better_of, certain, compare
from arena.games.truco.bots.manner import REGULAR
from arena.games.truco.bots.solved import solved_choice
from arena.games.truco.bots.whole import (
    RUNS_FROM_RAISE,
    RaceState,
    chance_of_hand,
    raise_from,
    runs_of,
    stay_from,
)
from arena.games.truco.cards import CARD_NUMBER, FACE_DOWN, PACK, Order, Pack
from arena.games.truco.state import TrucoState
from arena.games.truco.table import ANSWER, CHOOSE, CUT, ELEVEN, PLAY

_WORTH: Final[tuple[int, ...]] = (0, 0, 0, 0, 0, 0, 0, 1, 3, 5, 8, 13, 15, 18, 20)
"""The value of a card of each strength, as in ``regular``."""

_KEEP_FROM: Final = 14
_DARED: Final = 0.6
"""The factor for a chance if the other team calls or stays, as in ``regular``."""

_STAY_FROM: Final[tuple[float, ...]] = (0.44, 0.34, 0.24, 0.18)
"""The chance above which a team stays, by the step of the ladder that the hand is worth if it runs."""


@cache
def _strengths(pack: Pack, order: Order) -> list[int]:
    """Return the number of cards of each strength in the pack."""
    cards = [order.strength[CARD_NUMBER[card]] for card in pack.cards]
    return [cards.count(strength) for strength in range(TOP + 1)]


@cache
def trick_chance(mine: int, theirs: int, partners: int, others: int, pack: Pack, order: Order) -> float:
    """Return the probability that a team wins a trick; a tie counts as half. The team shows the better of
    ``mine`` and ``partners`` unknown cards. The other team shows the better of ``theirs`` and ``others``
    unknown cards.
    """
    strengths = _strengths(pack, order)
    ours = better_of(certain(mine), best_of(partners, strengths))
    chances = compare(ours, better_of(certain(theirs), best_of(others, strengths)))
    return chances.win + chances.tie / 2


def race_state_of(state: TrucoState, team: int) -> RaceState:
    """Return the parameters from which a team evaluates the points of the hand."""
    rules = state.rules
    hands_left = rules.max_hands - state.hand_number
    return RaceState(
        state.score[team], state.score[1 - team], hands_left if hands_left < 60 else 60, rules.stakes
    )


class TrucoPlayout:
    """Plays hands to their end."""

    def __init__(self, random: random.Random) -> None:
        self._random = random

    def finish(self, state: TrucoState) -> None:
        """Play ``state`` until its hand is over."""
        while state.phase in (PLAY, ANSWER, CHOOSE, CUT, ELEVEN):
            seat = state.actor
            state.apply(seat, self.choose(state, seat))

    def choose(self, state: TrucoState, seat: int) -> str:
        """Return the action of the awaited ``seat``."""
        phase = state.phase
        if phase in (PLAY, ANSWER) and state.rules.seats == 2 and state.rules.whole_hand:
            action = solved_choice(state, seat, self._random)
            if action is not None:
                return action
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
            return state.legal[int(sum(_WORTH[strength[card]] for card in cards) >= 6 * state.rules.seats)]
        return state.legal[0]

    def _play(self, state: TrucoState, seat: int) -> str:
        best, holder, place = best_on_table(state)
        strength = state.order.strength
        hand = sorted(state.hands[seat], key=strength.__getitem__)
        ours = holder >= 0 and holder & 1 == seat & 1
        last = state.rules.seats - 1
        call = state.turn_calls[seat & 1]
        if call and self.would_call(state, seat):
            return call
        if place == 0:
            card = hand[-1]
        elif ours and (place == last or best >= 11):
            card = hand[0]
        else:
            winners = [card for card in hand if strength[card] > best]
            if winners:
                card = winners[0] if place >= last - 1 else winners[-1]
            else:
                ties = [card for card in hand if strength[card] == best and not ours]
                card = ties[0] if ties else hand[0]
        return "play:" + PACK[card]

    def would_call(self, state: TrucoState, seat: int) -> bool:
        """Return whether ``seat`` would call truco with the cards currently on the table."""
        runs = runs_of(lead_of(state.winners))
        if state.rules.whole_hand:
            stake = state.stake
            value = state.rules.next_stake[stake]
            return self.hand_chance(state, seat) > raise_from(
                race_state_of(state, seat & 1), stake, value, runs, REGULAR.whole_hand.doubt
            )
        best, holder, place = best_on_table(state)
        chance = self._chance(state, seat, best, holder, place)
        dared = chance * _DARED if chance < 0.999 else 1.0
        called = runs + (1 - runs) * (6 * dared - 3)
        quiet = (2 * chance - 1) * (1.0 if len(state.leaders) == 3 else 0.6)
        return called > quiet + 0.05

    def would_raise(self, state: TrucoState, seat: int) -> bool:
        """Return whether ``seat`` would raise in answer to the other team's call or raise."""
        before = (seat + 1) & state.rules.mask
        best, holder, place = best_on_table(state)
        return self._chance(state, seat, best, holder, place, before) > 0.93

    def _answer(self, state: TrucoState, seat: int) -> str:
        if state.rules.whole_hand:
            return self._answer_hand(state, seat)
        best, holder, place = best_on_table(state)
        chance = self._chance(state, seat, best, holder, place, state.proposer)
        if chance > 0.93 and len(state.legal) > 2 and state.legal[2].startswith("raise"):
            return state.legal[2]
        if chance > _STAY_FROM[state.rules.step_of[state.stake]]:
            return state.legal[1]
        return "defer" if state.legal[-1] == "defer" else state.legal[0]

    def _answer_hand(self, state: TrucoState, seat: int) -> str:
        chance = self.hand_chance(state, seat, state.proposer)
        race = race_state_of(state, seat & 1)
        stake, value = state.stake, state.proposed
        higher = state.rules.next_stake.get(value, 0)
        # A limit can forbid the raise (TV-6.9); `defer` can be at its index.
        raising = f"raise:{higher}"
        doubt = REGULAR.whole_hand.doubt
        if raising in state.legal and chance > raise_from(race, value, higher, RUNS_FROM_RAISE, doubt):
            return raising
        if chance > stay_from(race, stake, value):
            return state.legal[1]
        return "defer" if state.legal[-1] == "defer" else state.legal[0]

    def hand_chance(self, state: TrucoState, seat: int, bold: int = -1) -> float:
        """Return the chance of the seat's team to win the hand. For ``bold``, see ``_chance``."""
        best, holder, place = best_on_table(state)
        chance = self._chance(state, seat, best, holder, place, bold)
        rules, order = state.rules, state.order
        team = seat & 1
        results = [0 if winner < 0 else 1 if winner == team else -1 for winner in state.winners]
        cards = sorted([order.strength[card] for card in state.hands[seat]])
        left = 2 - len(results)
        later = last = 0.0
        if left:
            # The best card is reserved for the trick in progress, unless the seat has already played to it.
            cards = cards[:left]
            pairs = rules.seats >> 1
            others = pairs
            if bold >= 0:
                others += round(REGULAR.whole_hand.bold_of(sum(results))) - 1
            later = trick_chance(cards[-1], 0, (pairs - 1) * left, others * left, rules.pack, order)
            last = trick_chance(cards[0], 0, pairs - 1, others, rules.pack, order)
        return chance_of_hand(results, Chances(chance, 0.0, 1 - chance), later, last)

    def _chance(
        self, state: TrucoState, seat: int, best: int, holder: int, place: int, bold: int = -1
    ) -> float:
        """Return the chance of the seat's team to win the trick, given only what the seat can see.

        ``bold`` is the seat that has called. It is assumed to hold the best of several hands.
        """
        side = seat & 1
        mine = best if holder >= 0 and holder & 1 == side else 0
        theirs = best if holder >= 0 and holder & 1 != side else 0
        if holder < 0:
            mine = theirs = best
        partners = others = 0
        rules = state.rules
        manner = REGULAR.whole_hand if rules.whole_hand else REGULAR.trick
        bolder = manner.bold_of(lead_of(state.winners)) if bold >= 0 else 1
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
                others += round((bolder if player == bold else 1) * len(cards))
        return trick_chance(mine, theirs, partners, others, state.rules.pack, state.order)


def lead_of(winners: Sequence[int]) -> int:
    """Return how many more tricks team 0 has won than team 1."""
    return winners.count(0) - winners.count(1)


def best_on_table(state: TrucoState) -> tuple[int, int, int]:
    """Return the best strength in the trick in progress, the seat that played it (-1 for nobody or both
    teams), and the number of cards played.
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
