"""Quick sound play of everybody to the end of a hand: what a search thinks will happen."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from arena.bots.base import Turn
from arena.bots.toepen.habits import Habits
from arena.bots.toepen.model import exchange_chance, knock_chance, knocked_odds, stay_chance, stayers_odds
from arena.bots.toepen.sight import Sight
from arena.bots.toepen.spot import Spot
from arena.bots.toepen.worth import Stakes, Worth
from arena.games.toepen import ToepenState
from arena.games.toepen_cards import PACK, WHOLE_PACK
from arena.games.toepen_fields import CHALLENGE, EXCHANGE, KNOCKED, PLAY, POVERTY

_PLAY_CARD: Final = tuple("play:" + card for card in PACK)


class Playout:
    """Plays states that fit one turn to the end of the hand."""

    def __init__(self, turn: Turn, sight: Sight, habits: Habits) -> None:
        seen = turn["observation"]
        self._seat = sight.seat
        self._seats = sight.seats
        self._worth = Worth(turn)
        self._lives = sight.lives
        self._before = [lives + lost for lives, lost in zip(seen["lives"], seen["lost"], strict=True)]
        self._gone = sight.gone
        self._may_hold = sight.spot.may_hold
        seats = range(sight.seats)
        self._suspicion = [
            [habits.suspicion(seat, max(1, players - 1)) for seat in seats]
            for players in (*seats, sight.seats)
        ]
        self._honesty = habits.honesty(sight.exchanger) if sight.phase == "challenge" else 1.0
        self._needed: dict[int, float] = {}

    def value(self, state: ToepenState, action: str, rng: random.Random) -> float:
        """The worth to the turn's seat of ``action`` in ``state``, which is played to the end of the hand."""
        seat = self._seat
        gone = self._gone
        if action.startswith("play"):
            gone |= 1 << _PLAY_CARD.index(action)
        state.apply(seat, action)
        may_hold = list(self._may_hold)
        while True:
            phase = state.phase
            asked = state.asked
            if phase == PLAY:
                spot = self._spot(state, asked, gone, may_hold)
                card, odds = spot.best_card()
                action = state.legal[-1]
                if action[0] == "p" or rng.random() > knock_chance(
                    odds, spot.others.bit_count(), state.knocker >= 0
                ):
                    action = _PLAY_CARD[card]
                    gone |= 1 << card
                    if spot.led >= 0 and card >> 3 != spot.led:
                        may_hold[spot.led] &= ~(1 << asked)
            elif phase in (KNOCKED, POVERTY):
                action = self._answer(state, self._spot(state, asked, gone, may_hold), rng)
            elif phase == EXCHANGE:
                action = self._exchange(state, self._spot(state, asked, gone, may_hold), rng)
            elif phase == CHALLENGE:
                suspicion = self._suspicion[state.in_hand.bit_count()][asked]
                action = "challenge" if rng.random() < suspicion else "trust"
            else:
                break
            state.apply(asked, action)
        after = [max(0, before - lost) for before, lost in zip(self._before, state.lost, strict=True)]
        return self._worth.of(seat, after)

    def usual(self, sight: Sight, actions: Sequence[str]) -> str:
        """The most likely of ``actions`` by the same model, without search."""
        spot = sight.spot
        if sight.phase == "exchange":
            exchanges = exchange_chance(spot, sight.in_hand.bit_count()) > 0.5
            return next(action for action in actions if (action == "exchange") == exchanges)
        if sight.phase == "challenge":
            return actions[0 if self._honesty < 0.5 else 1]
        if sight.phase == "play":
            card, odds = spot.best_card()
            if knock_chance(odds, spot.others.bit_count(), sight.knocker is not None) > 0.5:
                knocks = [action for action in actions if action.startswith("knock")]
                if knocks:
                    return knocks[0]
            play = _PLAY_CARD[card]
            return play if play in actions else actions[0]
        if sight.knocker is None:
            odds = stayers_odds(spot, sight.to_answer)
        else:
            odds = knocked_odds(spot, sight.tricks, sight.knocker, sight.to_answer)
        return actions[0 if odds >= self.needed(sight.in_hand, sight.seat, sight.value) else 1]

    def _spot(self, state: ToepenState, seat: int, gone: int, may_hold: list[int]) -> Spot:
        hand = state.hands[seat]
        in_hand = state.in_hand
        others = in_hand & ~(1 << seat)
        spot = Spot(seat, hand, WHOLE_PACK & ~gone & ~hand, others, may_hold)
        if state.phase >= PLAY:
            trick = state.trick
            if trick:
                spot.led = led = trick[0] >> 3 & 3
                for code in trick:
                    if code >> 3 & 3 == led and code & 31 > spot.best and in_hand >> (code >> 5) & 1:
                        spot.best, spot.best_seat = code & 31, code >> 5
                spot.played = not state.todo >> seat & 1
                spot.after = state.todo & ~(1 << seat)
            else:
                spot.leads = state.leader == seat
                spot.after = others
        else:
            spot.leads = state.leader == seat
            spot.after = others
        return spot

    def _answer(self, state: ToepenState, spot: Spot, rng: random.Random) -> str:
        if state.phase == KNOCKED:
            odds = knocked_odds(spot, len(state.tricks), state.knocker, state.answers)
        else:
            odds = stayers_odds(spot, state.answers)
        stay, fold = state.legal
        return (
            stay
            if rng.random() < stay_chance(odds, self.needed(state.in_hand, spot.seat, state.value))
            else fold
        )

    def needed(self, in_hand: int, seat: int, value: int) -> float:
        """The odds from which ``seat`` stays for ``value`` rather than to lose one less, or its lives."""
        key = in_hand << 16 | seat << 8 | value
        needed = self._needed.get(key)
        if needed is None:
            stakes = Stakes(self._worth, self._lives, in_hand)
            needed = stakes.needed(seat, min(value - 1, self._lives[seat]), value)
            self._needed[key] = needed
        return needed

    def _exchange(self, state: ToepenState, spot: Spot, rng: random.Random) -> str:
        if state.legal[0] != "exchange":
            return state.legal[0]
        lays = rng.random() < exchange_chance(spot, state.in_hand.bit_count())
        return state.legal[0 if lays else 1]
