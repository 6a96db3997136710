"""The rules of Brazilian Truco (docs/rules/brazilian-truco.md, cited as BT-x.y) and of its variants
(docs/rules/truco-variants.md, cited as TV-x.y).

There are four seats with the teams {0, 2} and {1, 3}, or two seats. Play passes to the next higher seat, and
from the last seat to the first.

``fields`` lists the actions. Chance does ``dealer`` once, then ``deal`` for every hand. The cutter can cut
the pack or leave it uncut (BT-2.2, BT-7.3). Only the forehand does ``keep``, ``pass`` and ``burn``.

Events (the tuples that ``apply`` returns; teams are 0 and 1, -1 is nobody; cards are strings)
    ``("dealer", seat)``                            the first dealer is drawn
    ``("hand", dealer, number, points0, points1)``  a hand begins
    ``("cut", seat, lifted, "top" | "bottom")``     no cut if 0 are lifted
    ``("dealt", seat, (card, card, card), blind)``  blind: not even the owner looks (BT-5.3)
    ``("kept", seat)`` ``("passed", seat, cards)`` ``("burned", seat, cards)``
    ``("vira", -1, card)``                          the vira is turned after the last deal (TV-4.4)
    ``("shown", seat, cards)``                      to its partner (BT-5.2)
    ``("truco", seat, value)`` ``("raise", seat, value)`` ``("accept", seat, value)``
    ``("run", seat, points)`` ``("defer", seat)``
    ``("play", seat, card)`` ``("hide", seat, card)``
    ``("trick", next leader, number, winning team)``
    ``("hand_over", -1, winning team, points, points0, points1, why)``  why: ``run`` ``tricks`` ``truco``
                                                    (the trick under truco), ``tied_before_call`` (BT-4.7)
    ``("signal", seat, gesture)``
    ``("game_over", -1, winning team, points0, points1)``

``view`` defines what a seat sees of events and of the state. The winners have place 1 and the losers
place 2; in a draw, all seats have place 1. The score of a seat is the points of its team.
"""

from __future__ import annotations

from typing import Final

from arena.errors import IllegalAction
from arena.games.kernel import CHANCE, Chance, Event, GameRules, Outcome
from arena.games.options import Rules
from arena.games.truco.cards import (
    ACCEPT,
    ACTION_CODE,
    BURN,
    CUT_BOTTOM,
    CUT_TOP,
    DEFER,
    FACE_DOWN,
    GESTURES,
    KEEP,
    NO_ACTION,
    PACK,
    PASS,
    PLAY_EVENTS,
    RAISE,
    RUN,
    SIGNAL,
    SIGNAL_ACTIONS,
    TARGET,
    cards_of,
    hand_of,
    turn_actions,
    without,
)
from arena.games.truco.cards import (
    TRUCO as CALL,
)
from arena.games.truco.options import OPTIONS, rules_from
from arena.games.truco.seen import TrucoHidden, TrucoObservation
from arena.games.truco.table import (
    ANSWER,
    BOTH,
    CHOOSE,
    CUT,
    DEAL,
    DEALER,
    ELEVEN,
    END,
    EVERY_SEAT,
    NO_CALLS,
    NOBODY,
    NOTHING,
    OVER,
    PLAY,
    TIE,
    VERSION,
    TrucoTable,
    corrupt,
    read_serialised,
)
from arena.games.truco.view import fill_from_observation, observe, view_event

_AWAITING: Final[tuple[tuple[int, ...], ...]] = ((CHANCE,), (0,), (1,), (2,), (3,), ())
_DEALER_ACTIONS: Final = ("dealer:0", "dealer:1", "dealer:2", "dealer:3")
_SEAT_NAMES: Final = ("0", "1", "2", "3")


class TrucoState(TrucoTable):
    """One game of Brazilian Truco. For actions and events, see the module."""

    __slots__ = ()

    def awaiting(self) -> tuple[int, ...]:
        """See :class:`~arena.games.kernel.State`."""
        return _AWAITING[self.actor + 1]

    def legal_actions(self, seat: int) -> tuple[str, ...]:
        """See :class:`~arena.games.kernel.State`."""
        legal = self.legal if seat == self.actor else NOTHING
        if self.may_signal and seat >= 0 and self.may_signal >> seat & 1:
            return legal + SIGNAL_ACTIONS
        return legal

    def answer_pending(self) -> bool:
        """See :class:`~arena.games.kernel.State`."""
        return self.phase == ANSWER

    def right_of(self, seat: int) -> tuple[int, ...]:
        """Return the hand and the trick that a gesture belongs to. For a seat without cards, the result
        stands for the time before it receives them (BT-6.2).
        """
        return (self.hand_number, max(len(self.leaders), 1), int(bool(self.hands[seat])))

    def chance(self) -> Chance | None:
        """See :class:`~arena.games.kernel.State`."""
        if self.phase == DEAL:
            return Chance("deal", self.hand_number, self.rules.pack.cards)
        if self.phase == DEALER:
            return Chance("dealer", self.hand_number, _SEAT_NAMES[: self.rules.seats])
        return None

    def observation(self, seat: int | None) -> TrucoObservation:
        """See :class:`~arena.games.kernel.State`. ``fields`` describes the fields."""
        return observe(self, seat)

    def default_action(self, seat: int) -> str:
        """Return the default action (BT-7.3). Raises IllegalAction unless ``seat`` is awaited."""
        if seat != self.actor or seat < 0 or self.phase == END:
            raise IllegalAction(
                f"seat {seat} is not awaited now",
                field="seat",
                expected=f"one of {list(self.awaiting())}",
            )
        if self.phase == PLAY:
            hand = self.hands[seat]
            return "play:" + next(PACK[number] for number in self.order.weakest_first if number in hand)
        return self.legal[0]

    def outcome(self) -> Outcome | None:
        """See :class:`~arena.games.kernel.State`."""
        if self.phase != END:
            return None
        ours, theirs = self.score
        first, second = int(ours < theirs) + 1, int(theirs < ours) + 1
        pairs = self.rules.seats >> 1
        return Outcome((first, second) * pairs, (ours, theirs) * pairs)

    def clone(self) -> TrucoState:
        """See :class:`~arena.games.kernel.State`."""
        other = TrucoState(self.rules)
        self.copy_to(other)
        return other

    def apply(self, seat: int, action: str) -> list[Event]:
        """See :class:`~arena.games.kernel.State`."""
        if seat == CHANCE:
            return self._apply_chance(action)
        code = ACTION_CODE.get(action, NO_ACTION)
        if code < RUN:
            events = self._play(seat, code, action)
        elif code >= CUT_TOP:
            # With 24 cards, fewer can be lifted than there are codes for.
            if seat != self.actor or self.phase != CUT or code % 100 >= len(self.pack):
                raise self.illegal(seat, action)
            events = self._cut(seat, code)
        elif action not in self.legal_actions(seat):
            raise self.illegal(seat, action)
        elif code <= DEFER:
            events = self._answer(seat, code) if self.phase != PLAY else self._call(seat, code)
        elif code == CALL:
            events = self._call(seat, code)
        elif code == KEEP:
            events = self._keep(seat)
        elif code <= BURN:
            events = self._discard(seat, code)
        else:
            events = self._signal(seat, code - SIGNAL)
        if len(self.legal) == 1 and not self.may_signal:
            # BT-7.4, TV-9.2: public facts alone prove that this is the only action: the limits of BT-2.4 and
            # BT-5.1, or a last card that can be neither hidden nor preceded by a call.
            events += self.apply(self.actor, self.legal[0])
        return events

    def _apply_chance(self, action: str) -> list[Event]:
        if self.phase == DEAL:
            pack = self.rules.pack.reader.read(action)
            if pack is not None:
                return self._begin_hand(pack)
            expected = f"deal: followed by the {len(self.rules.pack.cards)} cards of the pack, each once"
        elif self.phase == DEALER:
            dealers = _DEALER_ACTIONS[: self.rules.seats]
            if action in dealers:
                self.dealer = dealers.index(action)
                self.phase = DEAL
                return [("dealer", self.dealer)]
            expected = "one of " + ", ".join(dealers)
        else:
            expected = "no action from chance now"
        raise IllegalAction(
            f"{action!r} is not a legal action for chance now",
            field="action",
            expected=expected,
            extra={"legal_actions": []},
        )

    # 2. Deal

    def _begin_hand(self, pack: bytes) -> list[Event]:
        self.take_pack(pack)
        rules = self.rules
        score = self.score
        elevens = self.elevens
        if not elevens:
            self.turn_calls = rules.first_calls
        elif elevens != BOTH:
            self.stake = rules.threshold_stake
        if rules.signals and not self.blind:
            self.may_signal = EVERY_SEAT
        events: list[Event] = [("hand", self.dealer, self.hand_number, score[0], score[1])]
        if rules.cut:
            self.phase = CUT
            self.actor = (self.dealer + 3) & rules.mask
            self.legal = rules.pack.cuts
        else:
            self._deal_first(events)
            if len(self.legal) == 1 and not self.may_signal:
                events += self.apply(self.actor, self.legal[0])
        return events

    def _cut(self, seat: int, code: int) -> list[Event]:
        """Move the lifted packet to the bottom (BT-2.2). If the cards are dealt from the bottom, they are
        dealt in reverse order.
        """
        count = len(self.pack)
        if code < CUT_BOTTOM:
            lifted = code - CUT_TOP
            self.top, self.end = lifted - count, lifted
            events: list[Event] = [("cut", seat, lifted, "top")]
        else:
            lifted = code - CUT_BOTTOM
            self.top, self.end = lifted - 1, lifted - 1 - count
            events = [("cut", seat, lifted, "bottom")]
        self.note(seat, code)
        self._deal_first(events)
        return events

    def _deal(self, seat: int, blind: bool) -> Event:
        """Deal three cards from the pack; see ``undealt``."""
        pack = self.pack
        top = self.top
        if top < self.end:
            first, second, third = pack[top], pack[top + 1], pack[top + 2]
            self.top = top + 3
        else:
            first, second, third = pack[top], pack[top - 1], pack[top - 2]
            self.top = top - 3
        self.hands[seat] = hand_of(first, second, third)
        return ("dealt", seat, (PACK[first], PACK[second], PACK[third]), blind)

    def _deal_first(self, events: list[Event]) -> None:
        """Deal three cards to the forehand, who must then choose (BT-2.3), or three cards to every seat at
        once (TV-4.3).
        """
        rules = self.rules
        if rules.exchange and not self.blind:
            self._deal_forehand(events)
            return
        forehand = self.forehand
        mask = rules.mask
        for seat in range(forehand, forehand + rules.seats):
            events.append(self._deal(seat & mask, self.blind))
        if rules.turned:
            self._turn_vira(events)
        self.end = self.top
        if self.blind:
            self._play_blind(events)
        else:
            self._begin_play(events)

    def _deal_forehand(self, events: list[Event]) -> None:
        forehand = (self.dealer + 1) & 3
        events.append(self._deal(forehand, False))
        self.phase = CHOOSE
        self.actor = forehand
        self.legal = self.choices()

    def _turn_vira(self, events: list[Event]) -> None:
        """Turn the vira (TV-4.4)."""
        self.vira = self.pack[self.top]
        self.order = self.rules.order(self.vira)
        events.append(("vira", NOBODY, PACK[self.vira]))

    def _discard(self, seat: int, code: int) -> list[Event]:
        """Pass or burn the hand, and deal three more cards (BT-2.3)."""
        self.note(seat, code)
        hand = self.hands[seat]
        if code == PASS:
            self.passed = True
            self.hands[(seat + 2) & 3] = hand
            events: list[Event] = [("passed", seat, cards_of(hand))]
        else:
            self.burned.append(hand)
            events = [("burned", seat, cards_of(hand))]
        self._deal_forehand(events)
        return events

    def _keep(self, seat: int) -> list[Event]:
        """Deal the other hands (BT-2.5), then continue with BT-5.2 or the first lead."""
        self.note(seat, KEEP)
        events: list[Event] = [("kept", seat), self._deal((seat + 1) & 3, False)]
        if not self.passed:
            events.append(self._deal((seat + 2) & 3, False))
        events.append(self._deal(self.dealer, False))
        self.end = self.top
        if self.elevens:
            self._begin_play(events)
        else:
            self._lead(seat)
        return events

    def _begin_play(self, events: list[Event]) -> None:
        """Ask for the first lead, or first for the decision of a team that alone has 11 (BT-5.2, TV-7.2)."""
        if not self.elevens or self.elevens == BOTH:
            self._lead(self.forehand)
            return
        asked = self.eleven_asked
        if self.rules.seats > 2:
            for member in (asked, (asked + 2) & 3):
                events.append(("shown", member, cards_of(self.hands[member])))
        self.phase = ELEVEN
        self.actor = asked
        self.legal = self.rules.eleven_answers

    # 3. Tricks

    def _lead(self, seat: int) -> None:
        """Begin a trick (BT-3.1)."""
        rules = self.rules
        leaders = self.leaders
        leaders.append(seat)
        number = len(leaders)
        self.phase = PLAY
        self.actor = seat
        if not self.blind:
            if number >= rules.face_down_from:
                self.may_hide = True
            if number == 2 and rules.truco_from == 2:
                self.refresh_calls()
            if number > 1 and rules.signals:
                self.may_signal = EVERY_SEAT
        self.legal = turn_actions(self.hands[seat], self.may_hide, self.turn_calls[seat & 1])

    def _play_blind(self, events: list[Event]) -> None:
        """Play each seat's cards in the order dealt, because nobody looks at them (BT-5.3)."""
        piles = {event[1]: event[2] for event in events if event[0] == "dealt"}
        self._lead(self.forehand)
        while self.phase == PLAY:
            seat = self.actor
            events += self.apply(seat, "play:" + piles[seat][len(self.winners)])

    def _play(self, seat: int, code: int, action: str) -> list[Event]:
        """Play a card, face up or face down (BT-3.1, BT-3.2)."""
        if seat != self.actor or self.phase != PLAY or (code >= FACE_DOWN and not self.may_hide):
            raise self.illegal(seat, action)
        hand = self.hands[seat]
        rest = without(hand, code & ~FACE_DOWN)
        if len(rest) == len(hand):
            raise self.illegal(seat, action)
        self.hands[seat] = rest
        events: list[Event] = [PLAY_EVENTS[code * 4 + seat]]
        plays = self.plays
        plays.append(code)
        mask = self.rules.mask
        if len(plays) & mask:
            self.actor = seat = (seat + 1) & mask
            self.legal = turn_actions(self.hands[seat], self.may_hide, self.turn_calls[seat & 1])
        else:
            self._end_trick(events)
        return events

    def _end_trick(self, events: list[Event]) -> None:
        """Determine the winner of the trick and the next leader (BT-3.3, BT-3.4), and whether the hand is
        over (BT-3.5).
        """
        plays = self.plays
        strength = self.order.strength
        rules = self.rules
        if rules.seats == 2:
            ours = first = strength[plays[-2]]
            theirs = second = strength[plays[-1]]
            third = 0
        else:
            start = len(plays) - 4
            first = strength[plays[start]]
            second = strength[plays[start + 1]]
            third = strength[plays[start + 2]]
            fourth = strength[plays[start + 3]]
            ours = first if first > third else third
            theirs = second if second > fourth else fourth
        best = ours if ours > theirs else theirs
        place = 0 if first == best else 1 if second == best else 2 if third == best else 3
        leader = (self.leaders[-1] + place) & rules.mask
        winner = TIE if ours == theirs else leader & 1
        if winner == TIE and rules.opener_leads:
            leader = self.leaders[-1]
        winners = self.winners
        winners.append(winner)
        number = len(winners)
        events.append(("trick", leader, number, winner))
        if self.truco_seat != NOBODY and not rules.whole_hand:
            tied_before_call = best > 0 and place < self.truco_on_table
            self._end_truco_trick(winner, number, leader, tied_before_call, events)
        elif number == 1:
            self._lead(leader)
        elif number == 2:
            earlier = winners[0]
            if earlier == winner == TIE or TIE != earlier != winner != TIE:
                self._lead(leader)
            else:
                self._end_hand(winner if earlier == TIE else earlier, self.stake, "tricks", events)
        else:
            last = winners[0] if winner == TIE else winner
            if last == TIE and rules.all_tied_to_forehand:
                last = self.forehand & 1
            self._end_hand(last, self.stake, "tricks", events)

    def _end_truco_trick(
        self, winner: int, number: int, leader: int, tied_before_call: bool, events: list[Event]
    ) -> None:
        """End the trick under truco (BT-4.6, BT-4.7)."""
        extra = self.truco_trick < number - 1
        if winner != TIE:
            self._end_hand(winner, self.stake, "truco", events)
        elif tied_before_call and not extra:
            self._end_hand((self.truco_seat + 1) & 1, self.stake, "tied_before_call", events)
        elif extra or number == 3:
            self._end_hand(TIE, 0, "truco", events)
        else:
            self._lead(leader)

    def _end_hand(self, team: int, points: int, why: str, events: list[Event]) -> None:
        """Score the hand (BT-3.6, BT-1.6, BT-1.7), and pass the deal to the right (BT-1.5)."""
        score = self.score
        if team == TIE:
            points = 0
        else:
            score[team] = min(TARGET, score[team] + points)
        events.append(("hand_over", NOBODY, team, points, score[0], score[1], why))
        self.clear_hand()
        if score[0] == TARGET or score[1] == TARGET or self.hand_number == self.rules.max_hands:
            self.phase = END
            self.actor = OVER
            winner = TIE if score[0] == score[1] else int(score[1] > score[0])
            events.append(("game_over", NOBODY, winner, score[0], score[1]))
        else:
            self.phase = DEAL
            self.actor = CHANCE
            self.dealer = (self.dealer + 1) & self.rules.mask
            self.hand_number += 1

    # 4. Truco, and the same questions at eleven (BT-5.2)

    def _call(self, seat: int, code: int) -> list[Event]:
        value = self.rules.next_stake[self.stake]
        self.truco_seat = self.proposer = seat
        self.truco_trick = len(self.leaders) - 1
        self.truco_on_table = len(self.plays) & self.rules.mask
        self.turn_calls = NO_CALLS
        self.note(seat, code, value)
        self._ask()
        return [("truco" if code == CALL else "raise", seat, value)]

    def _ask(self) -> None:
        """Ask the first opponent after the seat that called or raised (BT-4.3)."""
        self.phase = ANSWER
        self.actor = (self.proposer + 1) & self.rules.mask
        self.legal = self.answers(self.actor & 1)

    def _answer(self, seat: int, code: int) -> list[Event]:
        if code == DEFER:
            self.note(seat, DEFER)
            self.actor = (seat + 2) & 3
            self.legal = self.legal[:-1]
            return [("defer", seat)]
        if self.phase == ELEVEN:
            return self._answer_eleven(seat, code)
        if code == RUN:
            events: list[Event] = [("run", seat, self.stake)]
            self._end_hand(self.proposer & 1, self.stake, "run", events)
            return events
        self.stake = self.proposed
        self.note(seat, code, self.proposed if code == RAISE else self.stake)
        if code == RAISE:
            self.proposer = seat
            self._ask()
            return [("raise", seat, self.proposed)]
        self.phase = PLAY
        self.actor = caller = self.truco_seat
        if self.rules.whole_hand:
            self.refresh_calls()
        self.legal = turn_actions(self.hands[caller], self.may_hide, self.turn_calls[caller & 1])
        return [("accept", seat, self.stake)]

    def _answer_eleven(self, seat: int, code: int) -> list[Event]:
        if code == ACCEPT:
            self.note(seat, ACCEPT, self.stake)
            self._lead(self.forehand)
            return [("accept", seat, self.stake)]
        points = self.rules.low
        events: list[Event] = [("run", seat, points)]
        self._end_hand((seat + 1) & 1, points, "run", events)
        return events

    # 6. Signals

    def _signal(self, seat: int, gesture: int) -> list[Event]:
        self.may_signal &= ~(1 << seat)
        self.note(seat, SIGNAL + gesture)
        trick = max(len(self.leaders), 1) - 1
        self.signals.append(trick << 5 | seat << 3 | gesture)
        return [("signal", seat, GESTURES[gesture])]


class TrucoGameRules(GameRules):
    """The rules of Brazilian Truco."""

    kind = "truco"
    version = VERSION
    options = OPTIONS

    def seats(self, rules: Rules) -> int:
        """Return the number of seats (BT-1.1, TV-2.1)."""
        return int(rules["seats"])

    def teams(self, rules: Rules) -> tuple[tuple[int, ...], ...]:
        """Return the seats of each team (BT-1.1, TV-2.1)."""
        return ((0, 2), (1, 3)) if rules["seats"] == 4 else ((0,), (1,))

    def new_state(self, rules: Rules) -> TrucoState:
        """See :class:`~arena.games.kernel.GameRules`."""
        return TrucoState(rules_from(rules))

    def deserialise(self, data: bytes) -> TrucoState:
        """See :class:`~arena.games.kernel.GameRules`."""
        rules, fields = read_serialised(data)
        state = TrucoState(rules)
        try:
            state.load(fields)
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise corrupt(error) from error
        return state

    def view_event(self, event: Event, seat: int | None) -> dict[str, object] | None:
        """See :class:`~arena.games.kernel.GameRules`. ``fields`` describes the fields."""
        return view_event(event, seat)

    def from_observation(
        self, rules: Rules, observation: TrucoObservation, hidden: TrucoHidden
    ) -> TrucoState:
        """See :class:`~arena.games.kernel.GameRules`. For ``hidden``, see ``view.fill_from_observation``."""
        state = TrucoState(rules_from(rules))
        fill_from_observation(state, observation, hidden)
        return state


TRUCO: Final = TrucoGameRules()
