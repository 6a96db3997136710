"""Playouts, in which all seats play a hand to its end like ``regular``. The search uses them to evaluate
actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.kernel import Turn
from arena.games.toepen.bots.model import knock_gain, stay_gain, would_knock
from arena.games.toepen.bots.sight import ToepenSight
from arena.games.toepen.bots.spot import Spot
from arena.games.toepen.bots.worth import Stakes, Worth
from arena.games.toepen.cards import PACK, WHOLE_PACK
from arena.games.toepen.state import ToepenState
from arena.games.toepen.table import KNOCKED, PLAY, POVERTY

_PLAY_CARD: Final = tuple("play:" + card for card in PACK)


class ToepenPlayout:
    """Plays out states consistent with one turn, which must come after the exchanges, to the end
    of the hand.
    """

    def __init__(self, turn: Turn, sight: ToepenSight) -> None:
        seen = turn["observation"]
        self._seat = sight.seat
        self._worth = Worth(turn)
        self._before = [lives + lost for lives, lost in zip(seen["lives"], seen["lost"], strict=True)]
        self._gone = sight.gone
        self._may_hold = sight.spot.may_hold
        self._stakes: dict[tuple[int, ...], Stakes] = {}

    def value(self, state: ToepenState, action: str) -> float:
        """Return the worth of ``action`` to the turn's seat when ``state`` is played to the end
        of the hand.
        """
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
                knocks = action[0] == "k" and would_knock(
                    knock_gain(spot, self._at_stake(state), state.value, len(state.tricks), odds), odds
                )
                if not knocks:
                    action = _PLAY_CARD[card]
                    gone |= 1 << card
                    if spot.led >= 0 and card >> 3 != spot.led:
                        may_hold[spot.led] &= ~(1 << asked)
            elif phase in (KNOCKED, POVERTY):
                action = self._answer(state, self._spot(state, asked, gone, may_hold))
            else:
                break
            state.apply(asked, action)
        after = [max(0, before - lost) for before, lost in zip(self._before, state.lost, strict=True)]
        return self._worth.of(seat, after)

    def _spot(self, state: ToepenState, seat: int, gone: int, may_hold: list[int]) -> Spot:
        hand = state.hands[seat]
        in_hand = state.in_hand
        others = in_hand & ~(1 << seat)
        for code in state.trick:  # TP-8.4: the rules may have played some of them.
            gone |= 1 << (code & 31)
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

    def _answer(self, state: ToepenState, spot: Spot) -> str:
        knocker = state.knocker if state.phase == KNOCKED else None
        undecided = state.answers & ~(1 << state.asked)
        gain = stay_gain(spot, self._at_stake(state), state.value, len(state.tricks), knocker, undecided)
        return state.legal[0 if gain >= 0 else 1]

    def _at_stake(self, state: ToepenState) -> Stakes:
        return self.stakes(state.lives, state.in_hand)

    def stakes(self, lives: Sequence[int], in_hand: int) -> Stakes:
        """Return what is at stake for the seats in the mask ``in_hand``."""
        key = (in_hand, *lives)
        stakes = self._stakes.get(key)
        if stakes is None:
            stakes = self._stakes[key] = Stakes(self._worth, list(lives), in_hand)
        return stakes
