"""The rules of Toepen (``docs/rules/toepen.md``) as a state machine.

Chance draws the first dealer once, and deals a pack for each hand (TP-2.1). ``fields`` lists all actions.

A player who cannot exchange and has nothing to announce is not asked. The cards of the last trick are played
automatically if nobody can knock (TP-8.4). Both appear as events.
"""

from __future__ import annotations

from typing import Final

from arena.errors import IllegalAction
from arena.games.kernel import CHANCE, Chance, Event, GameRules, Outcome
from arena.games.options import Rules
from arena.games.toepen.cards import (
    ANSWERS,
    BIT,
    CHALLENGE_ANSWERS,
    CLEAN,
    DEAL_READER,
    EXCHANGE_OR_KEEP,
    KEEP_EVENTS,
    KEEP_SAYS,
    KNOCK,
    LOWEST_FIRST,
    MAX_SEATS,
    NO_CARD,
    NOTHING_SAID,
    OPTIONS,
    PACK,
    PAIR_BITS,
    PLAY_CARD,
    PLAY_EVENTS,
    SEATS_OF,
    STRENGTHS,
    SUIT_OF_CODE,
    TRUST_EVENTS,
    keep_actions,
    plays_of,
    rules_from,
    text_of,
)
from arena.games.toepen.seen import ToepenHidden, ToepenObservation
from arena.games.toepen.table import (
    CHALLENGE,
    DEAL,
    DEALER,
    EXCHANGE,
    KNOCKED,
    NO_SEAT,
    NOBODY,
    OVER,
    PLAY,
    POVERTY,
    VERSION,
    ToepenTable,
    fill,
    rules_of,
)
from arena.games.toepen.view import observe, restore, view

_AWAITED: Final[tuple[tuple[int, ...], ...]] = (*((seat,) for seat in range(8)), (), (CHANCE,))
"""The results of ``awaiting``, indexed by the seat asked. ``NO_SEAT`` and ``CHANCE`` index the last two."""

_DEALERS: Final = tuple(f"dealer:{seat}" for seat in range(MAX_SEATS))


class ToepenState(ToepenTable):
    """One game of Toepen in progress."""

    __slots__ = ()

    def awaiting(self) -> tuple[int, ...]:
        """Return the awaited seat, or ``CHANCE``. A seat is not awaited merely because it has a right to
        knock.
        """
        return _AWAITED[self.asked]

    def answer_pending(self) -> bool:
        """Return whether an answer to an exchange, poverty or a knock is pending."""
        return self.answers != 0

    def right_of(self, seat: int) -> tuple[int, ...]:
        """Return the hand that a right to knock belongs to (TP-5.1)."""
        return (self.number,)

    def legal_actions(self, seat: int) -> tuple[str, ...]:
        """Return everything that ``seat`` can do: cards in the pack's order, then a knock."""
        if seat == self.asked:
            return self.legal
        if self.phase == PLAY and self._may_knock(seat):
            return KNOCK[self.value + 1]
        return ()

    def apply(self, seat: int, action: str) -> list[Event]:
        """Apply ``action``. ``fields`` lists the actions."""
        phase = self.phase
        if seat != self.asked:
            if action not in self.legal_actions(seat):
                raise self.illegal(seat, action)
            return self._knock(seat)
        if seat == CHANCE:
            return self._draw(action)
        if phase == PLAY:
            card = PLAY_CARD.get(action, NO_CARD)
            if card != NO_CARD and self.playable >> card & 1:
                events: list[Event] = [PLAY_EVENTS[seat * 32 + card]]
                self._play(seat, card, events)
                return events
            if card == NO_CARD and action == self.legal[-1]:
                return self._knock(seat)
            raise self.illegal(seat, action)
        if action not in self.legal:
            raise self.illegal(seat, action)
        if phase == KNOCKED:
            return self._answer_knock(seat, action)
        if phase == EXCHANGE:
            return self._exchange_or_keep(seat, action)
        if phase == CHALLENGE:
            return self._challenge_or_trust(seat, action)
        return self._answer_poverty(seat, action)

    def set_legal(self) -> None:
        """Set the legal actions of the awaited seat. Call this after all other fields have been set from
        outside.
        """
        if self.phase == PLAY:
            self._ask_card(self.turn, [])
        elif self.phase == EXCHANGE:
            self._ask_exchange(self.turn, [])
        elif self.phase == CHALLENGE:
            self.legal = CHALLENGE_ANSWERS
        elif self.phase in (KNOCKED, POVERTY):
            self._ask_answer(self.asked)

    def chance(self) -> Chance | None:
        """Return the draw for the first dealer (TP-1.4), or the deal of a hand (TP-2.1)."""
        if self.phase == DEALER:
            return Chance("dealer", 1, [str(seat) for seat in range(self.rules.seats)])
        if self.phase == DEAL:
            return Chance("deal", self.number + 1, PACK)
        return None

    def observation(self, seat: int | None) -> ToepenObservation:
        """Return the observation of ``seat``. :mod:`arena.games.toepen.fields` describes its fields."""
        return observe(self, seat)

    def default_action(self, seat: int) -> str:
        """Return the default action: keep, trust, fold, or the lowest legal card (TP-8.3).

        Raises :class:`~arena.errors.IllegalAction` for a seat that is not awaited.
        """
        if seat < 0 or seat != self.asked:
            raise IllegalAction(f"seat {seat} is not awaited now", field="seat")
        if self.phase == PLAY:
            return next(play for play in LOWEST_FIRST if play in self.legal)
        if self.phase == EXCHANGE:
            return next(action for action in self.legal if action != "exchange")
        return self.legal[1]

    def outcome(self) -> Outcome | None:
        """Return places and scores (TP-7.1, TP-7.2).

        With elimination, the winner's score is its number of lives. The score of every other seat is minus
        the number of hands played after it went out. In rubbers, the score of a seat is minus the number of
        drinks that it bought.
        """
        if self.phase != OVER:
            return None
        if self.rules.rubber:
            scores = [-drinks for drinks in self.drinks]
            hands = self.number + 1
            merits = [score * hands + won for score, won in zip(scores, self.won, strict=True)]
        else:
            number = self.number
            merits = scores = [lives or out - number for lives, out in zip(self.lives, self.out, strict=True)]
        ranking = sorted(merits, reverse=True)
        return Outcome(tuple([1 + ranking.index(merit) for merit in merits]), tuple(scores))

    def clone(self) -> ToepenState:
        """Return an independent copy."""
        copy = ToepenState(self.rules)
        copy.copy_from(self)
        return copy

    # Rights

    def _may_knock(self, seat: int) -> bool:
        """Return whether ``seat`` can knock while cards are played (TP-5.1, TP-5.4, TP-5.5, TP-5.6)."""
        return (
            seat >= 0
            and self.in_hand >> seat & 1 == 1
            and seat != self.knocker
            and self.lives[seat] > self.value
            and (seat == self.turn or self.rules.anytime)
        )

    def _may_exchange(self, seat: int) -> bool:
        """Return whether ``seat`` can exchange its hand (TP-2.3)."""
        return len(self.stock) >= 8 and self.exchanges[seat] < self.rules.max_exchanges

    # Dealing and exchanging

    def _draw(self, action: str) -> list[Event]:
        if self.phase == DEAL:
            return self._deal(action)
        if self.phase == DEALER and action in _DEALERS[: self.rules.seats]:
            self.dealer = _DEALERS.index(action)
            self.phase = DEAL
            return [("dealer", self.dealer)]
        raise IllegalAction(
            f"{action[:80]!r} is not a legal action for chance now", field="action", expected="dealer:<seat>"
        )

    def _deal(self, action: str) -> list[Event]:
        numbers = DEAL_READER.read(action)
        if numbers is None:
            raise IllegalAction(
                f"{action[:80]!r} does not deal the whole pack",
                field="action",
                expected=f"deal: followed by {len(PACK)} different cards",
            )
        seats = self.rules.seats
        lives = self.lives
        self.number += 1
        events: list[Event] = [("hand", self.dealer, self.number, self.rubber, 1, tuple(lives))]
        hands: list[int] = []
        in_hand = 0
        at = 0
        for seat in range(seats):
            if lives[seat]:
                in_hand += BIT[seat]
                hands.append(
                    BIT[numbers[at]] + BIT[numbers[at + 1]] + BIT[numbers[at + 2]] + BIT[numbers[at + 3]]
                )
                events.append(("dealt", seat, action[5 + 2 * at : 13 + 2 * at]))
                at += 4
            else:
                hands.append(0)
        self.stock = action[5 + 2 * at :]
        self.hands = hands
        self.in_hand = self.todo = in_hand
        self.value = 1
        self.knocker = self.leader = NOBODY
        self.pelt = 0
        self.lost = [0] * seats
        self.exchanges = [0] * seats
        self.said = [0] * seats
        self.laid = []
        self.trick = []
        self.tricks = []
        self.calls = []
        self._ask_exchange(self.next_seats[in_hand * 8 + self.dealer], events)
        return events

    def _ask_exchange(self, seat: int, events: list[Event]) -> None:
        """Ask ``seat``, or the first seat after it that has a decision to make (TP-2.3, TP-3.2)."""
        if not self.rules.whistling:
            while len(self.stock) < 8 or self.exchanges[seat] >= self.rules.max_exchanges:
                self.said[seat] = NOTHING_SAID
                events.append(KEEP_EVENTS[seat * 4 + NOTHING_SAID])
                self.todo -= BIT[seat]
                if not self.todo:
                    self._start_play(events)
                    return
                seat = self.next_seats[self.todo * 8 + seat]
            self.legal = EXCHANGE_OR_KEEP
        else:
            self.legal = keep_actions(self.hands[seat])
            if self._may_exchange(seat):
                self.legal = ("exchange", *self.legal)
        self.phase = EXCHANGE
        self.asked = self.turn = seat

    def _exchange_or_keep(self, seat: int, action: str) -> list[Event]:
        if action == "exchange":
            hand = self.hands[seat]
            self.exchanges[seat] += 1
            self.laid.append((seat, hand, NOBODY, NOBODY))
            self.hands[seat] = 0
            self.answers = answers = self.in_hand - BIT[seat]
            self.asked = self.next_seats[answers * 8 + seat]
            self.phase = CHALLENGE
            self.legal = CHALLENGE_ANSWERS
            return [("exchange", seat, text_of(hand))]
        said = KEEP_SAYS[action]
        self.said[seat] = said
        events: list[Event] = [KEEP_EVENTS[seat * 4 + said]]
        self.todo -= BIT[seat]
        self._go_on_exchanging(seat, events)
        return events

    def _challenge_or_trust(self, seat: int, action: str) -> list[Event]:
        exchanger = self.turn
        if action == "trust":
            events: list[Event] = [TRUST_EVENTS[seat * 8 + exchanger]]
            self.answers -= BIT[seat]
            if self.answers:
                self.asked = self.next_seats[self.answers * 8 + seat]
                return events
        else:
            hand = self.laid[-1][1]
            loser = exchanger if hand & CLEAN else seat  # TP-2.5
            self.laid[-1] = (exchanger, hand, seat, loser)
            events = [("challenge", seat, exchanger, text_of(hand), loser)]
            self.answers = 0
            self._lose(loser, 1, events)
            if not self.lives[loser]:
                self.in_hand -= BIT[loser]
                self.todo &= ~(1 << loser)
                if self.rules.rubber:
                    self._end_hand(NOBODY, events)  # TP-7.2
                    return events
                if self.in_hand & (self.in_hand - 1) == 0:
                    self._end_hand(self.in_hand.bit_length() - 1, events)
                    return events
        if self.in_hand >> exchanger & 1:
            new = self.stock[:8]
            self.stock = self.stock[8:]
            self.hands[exchanger] = PAIR_BITS[new[:4]] | PAIR_BITS[new[4:]]
            events.append(("new_cards", exchanger, new))
        self._go_on_exchanging(exchanger, events)
        return events

    def _go_on_exchanging(self, seat: int, events: list[Event]) -> None:
        todo = self.todo
        if not todo:
            self._start_play(events)
        elif todo >> seat & 1:
            self._ask_exchange(seat, events)
        else:
            self._ask_exchange(self.next_seats[todo * 8 + seat], events)

    # Poverty and play

    def _start_play(self, events: list[Event]) -> None:
        next_seats = self.next_seats
        in_hand = self.in_hand
        lives = self.lives
        if 1 not in lives:
            self._lead(next_seats[in_hand * 8 + self.dealer], events)
            return
        pelt = 0
        for seat in SEATS_OF[in_hand]:
            if lives[seat] == 1:
                pelt |= 1 << seat
        self.pelt = pelt
        self.value = 2  # TP-6.1
        self.leader = next_seats[pelt * 8 + self.dealer]
        self.answers = in_hand ^ pelt
        events.append(("poverty", self.leader, SEATS_OF[pelt], 2))
        if self.answers:
            self.phase = POVERTY
            self._ask_answer(next_seats[self.answers * 8 + self.dealer])
        else:
            self._lead(self.leader, events)  # TP-6.3

    def _answer_poverty(self, seat: int, action: str) -> list[Event]:
        events = self._stay_or_fold(seat, action)
        if self.answers:
            self._ask_answer(self.next_seats[self.answers * 8 + seat])
        elif self.in_hand & (self.in_hand - 1):
            self._lead(self.leader, events)
        else:
            self._end_hand(self.leader, events)  # TP-6.2
        return events

    def _lead(self, seat: int, events: list[Event]) -> None:
        self.phase = PLAY
        self.leader = seat
        self.todo = self.in_hand
        self.trick = []
        self._ask_card(seat, events)

    def _ask_card(self, seat: int, events: list[Event]) -> None:
        self.turn = self.asked = seat
        hand = self.hands[seat]
        if len(self.tricks) == 3 and not self._knocking_is_open():
            card = hand.bit_length() - 1
            events.append(PLAY_EVENTS[seat * 32 + card])
            self._play(seat, card, events)  # TP-8.4
            return
        trick = self.trick
        following = hand & SUIT_OF_CODE[trick[0]] if trick else 0
        playable = following or hand  # TP-4.1
        self.playable = playable
        plays = plays_of(playable)
        may_knock = seat != self.knocker and self.lives[seat] > self.value
        self.legal = plays + KNOCK[self.value + 1] if may_knock else plays

    def _play(self, seat: int, card: int, events: list[Event]) -> None:
        self.hands[seat] -= BIT[card]
        self.trick.append(seat * 32 + card)
        todo = self.todo - BIT[seat]
        if todo:
            self.todo = todo
            self._ask_card(self.next_seats[todo * 8 + seat], events)
        else:
            self._end_trick(events)

    def _knocking_is_open(self) -> bool:
        return any(self._may_knock(seat) for seat in SEATS_OF[self.in_hand])

    def _end_trick(self, events: list[Event]) -> None:
        """Award the trick to the highest card of the suit led, among the seats still in the hand (TP-4.3)."""
        trick = self.trick
        in_hand = self.in_hand
        strengths = STRENGTHS[trick[0]]
        best = 0
        winner = NOBODY
        for code in trick:
            if strengths[code] > best and in_hand >> (code >> 5) & 1:
                best = strengths[code]
                winner = code >> 5
        if winner == NOBODY:
            winner = self.next_seats[in_hand * 8 + self.leader]
        self.tricks.append((self.leader, tuple(trick), winner))
        events.append(("trick", winner, len(self.tricks)))
        if len(self.tricks) == 4:
            self.trick = []
            self._end_hand(winner, events)
        else:
            self._lead(winner, events)

    # Knocking

    def _knock(self, seat: int) -> list[Event]:
        self.value += 1
        self.knocker = seat
        self.calls.append((seat, 0, self.value, len(self.tricks), len(self.trick)))
        self.answers = answers = self.in_hand - BIT[seat]
        self.phase = KNOCKED
        self._ask_answer(self.next_seats[answers * 8 + seat])
        return [("knock", seat, self.value)]

    def _ask_answer(self, seat: int) -> None:
        """Ask ``seat`` whether it stays or loses the previous value of the hand, limited to its lives
        (TP-5.2, TP-5.7).
        """
        self.asked = seat
        due = self.value - 1
        lives = self.lives[seat]
        self.legal = ANSWERS[due + 1][due if due < lives else lives]

    def _answer_knock(self, seat: int, action: str) -> list[Event]:
        events = self._stay_or_fold(seat, action)
        if self.answers:
            self._ask_answer(self.next_seats[self.answers * 8 + seat])
        elif self.in_hand == BIT[self.knocker]:
            self._end_hand(self.knocker, events)  # TP-5.3
        elif not self.todo:
            self._end_trick(events)
        else:
            self.phase = PLAY
            if not self.todo >> self.turn & 1:
                self.turn = self.next_seats[self.todo * 8 + self.turn]
                if not self.trick:
                    self.leader = self.turn
            self._ask_card(self.turn, events)
        return events

    def _stay_or_fold(self, seat: int, action: str) -> list[Event]:
        bit = BIT[seat]
        self.answers -= bit
        if action == self.legal[0]:
            self.calls.append((seat, 1, self.value, len(self.tricks), len(self.trick)))
            return [("stay", seat, self.value)]
        due = self.value - 1
        lives = self.lives[seat]
        lost = due if due < lives else lives  # TP-5.7
        self.calls.append((seat, 2, lost, len(self.tricks), len(self.trick)))
        self.in_hand -= bit
        self.todo &= ~bit
        events: list[Event] = [("fold", seat, lost)]
        self._lose(seat, lost, events)
        return events

    # The ends of hands, rubbers and games

    def _lose(self, seat: int, lives: int, events: list[Event]) -> None:
        self.lost[seat] += lives
        self.lives[seat] -= lives
        if not self.lives[seat]:
            self.out[seat] = self.number
            events.append(("out", seat))

    def _end_hand(self, winner: int, events: list[Event]) -> None:
        """Subtract the lives of the losers still in the hand (TP-4.4, TP-5.7), then end the rubber or the
        game if it is over (TP-7.1, TP-7.2).
        """
        lives = self.lives
        paid: list[Event] = []
        if winner != NOBODY:
            self.won[winner] += 1
            self.dealer = winner  # TP-1.4
            value = self.value
            for seat in SEATS_OF[self.in_hand - BIT[winner]]:
                self._lose(seat, value if value < lives[seat] else lives[seat], paid)
        events.append(("result", winner, self.value, tuple(self.lost), tuple(lives)))
        events.extend(paid)
        self.phase = DEAL
        self.asked = CHANCE
        self.turn = NOBODY
        self.legal = ()
        self.todo = self.answers = 0
        if self.rules.rubber:
            if 0 in lives:
                self._end_rubber(events)
        elif lives.count(0) == self.rules.seats - 1:
            self._end_game(events)

    def _end_rubber(self, events: list[Event]) -> None:
        for seat, lives in enumerate(self.lives):
            if not lives:
                self.drinks[seat] += 1
                events.append(("drinks", seat, self.rubber, self.drinks[seat]))
        if self.rubber == self.rules.rubbers:
            self._end_game(events)
            return
        self.rubber += 1
        self.lives = [self.rules.lives] * self.rules.seats
        self.out = [0] * self.rules.seats

    def _end_game(self, events: list[Event]) -> None:
        self.phase = OVER
        self.asked = NO_SEAT
        outcome = self.outcome()
        assert outcome is not None
        events.append(("over", outcome.places.index(1), outcome.places, outcome.scores))


class ToepenGameRules(GameRules):
    """The rules of Toepen."""

    kind = "toepen"
    version = VERSION
    options = OPTIONS

    def seats(self, rules: Rules) -> int:
        """Return the option ``seats``."""
        return int(rules["seats"])

    def teams(self, rules: Rules) -> tuple[tuple[int, ...], ...]:
        """Return one team per seat, because everybody plays alone."""
        return tuple((seat,) for seat in range(self.seats(rules)))

    def new_state(self, rules: Rules) -> ToepenState:
        """Return the state before the first dealer is drawn."""
        return ToepenState(rules_from(rules))

    def deserialise(self, data: bytes) -> ToepenState:
        """Restore a state that ``serialise`` wrote. Raises :class:`~arena.errors.CorruptState`."""
        rules, content = rules_of(data)
        state = ToepenState(rules)
        fill(state, content)
        state.set_legal()
        return state

    def view_event(self, event: Event, seat: int | None) -> dict[str, object] | None:
        """Return what ``seat`` sees of ``event``; see :mod:`arena.games.toepen.fields`."""
        return view(event, seat)

    def from_observation(
        self, rules: Rules, observation: ToepenObservation, hidden: ToepenHidden
    ) -> ToepenState:
        """Return a state consistent with the arguments. For ``hidden``, see
        :mod:`arena.games.toepen.view`.
        """
        state = ToepenState(rules_from(rules))
        restore(state, observation, hidden)
        state.set_legal()
        return state


TOEPEN: Final = ToepenGameRules()
