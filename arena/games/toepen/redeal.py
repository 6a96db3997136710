"""Re-deals the cards that a seat of Toepen cannot see: hands, discarded hands and the stock."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import chain
from math import comb
from typing import Final, NamedTuple

from arena.errors import ArenaError
from arena.games.kernel import Turn
from arena.games.toepen.cards import CARD_NUMBER, JACKS, PACK, TENS, mask_of
from arena.games.toepen.seen import ToepenHidden, ToepenObservation
from arena.games.toepen.state import TOEPEN, ToepenState

MIXING: Final = 12
"""The number of attempted swaps per restricted place and re-deal."""

_STOCK: Final = -1
_TRIES: Final = 10_000


class InconsistentTurn(ArenaError):
    """Raised for a turn that no deal of the pack can lead to."""

    code = "inconsistent_turn"


class _Heap(NamedTuple):
    """Unseen cards that lie together: the hand of ``owner``, a hand that it laid away, or the stock."""

    owner: int
    size: int
    held: bool
    """Whether this is the hand that the owner holds now."""
    place: int = 0
    """The number of the exchange in which these cards were laid away."""
    barred: int = 0
    """The mask of the cards that this heap cannot contain."""
    most_tens: int = 32
    """The maximum number of tens in this heap."""
    announced: bool = False
    """Whether this heap must contain the tens or jacks that its owner announced."""

    @property
    def is_free(self) -> bool:
        """Whether this heap can contain any cards."""
        return not self.barred and not self.announced and self.most_tens >= self.size


def redeal(turn: Turn, rng: random.Random) -> ToepenState:
    """Return a re-deal; see :func:`arena.bots.redeal.redeal`. It is consistent with suits that a seat could
    not follow, announcements, the seat's own laid-away cards, and challenged hands. Raises
    :class:`InconsistentTurn`.
    """
    return ToepenRedealer(turn).draw(rng)


def voids_of(observation: ToepenObservation) -> list[int]:
    """Return, for each seat, the mask of the cards that it cannot hold, because it failed to follow their
    suit (TP-4.1).
    """
    voids = [0] * len(observation["lives"])
    for cards in (*(trick["cards"] for trick in observation["tricks"]), observation["trick"]):
        for item in cards[1:]:
            led = cards[0]["card"][1]
            if item["card"][1] != led:
                voids[item["seat"]] |= 255 << (CARD_NUMBER["J" + led])
    return voids


class ToepenRedealer:
    """Draws re-deals of one turn.

    Each re-deal is uniform over all assignments that the rules allow. Restricted places, which cannot hold
    every card, are first filled with one valid assignment. It is then mixed by swaps of two cards, which
    preserve the uniform distribution.
    """

    def __init__(self, turn: Turn, *, stock: bool = True) -> None:
        """Prepare the re-deals of a turn. With ``stock=False``, the order of the stock is not randomised,
        which is faster.
        """
        self._turn = turn
        seen = turn["observation"]
        played = _played_by_seat(seen)
        own = mask_of(seen["hand"])
        for mask in played:
            own |= mask
        self._heaps: list[_Heap] = []
        voids = voids_of(seen)
        for seat, count in enumerate(seen["held"]):
            if count and seat != seen["seat"]:
                self._heaps.append(_hand_heap(turn, seat, count, voids[seat], played[seat]))
        for place, laid in enumerate(seen["laid_away"]):
            if laid["cards"] is None:
                self._heaps.append(_Heap(laid["seat"], 4, False, place))
            else:
                own |= mask_of(laid["cards"])
        if seen["stock"]:
            self._heaps.append(_Heap(_STOCK, seen["stock"], False))
        # Restricted heaps come first, then the others, and the stock comes last.
        self._heaps.sort(key=lambda heap: (heap.is_free, heap.owner == _STOCK))
        self._played = played
        self._heap_at = [heap for heap in self._heaps for _ in range(heap.size)]
        self._bound = sum(heap.size for heap in self._heaps if not heap.is_free)
        self._unseen = [number for number in range(len(PACK)) if not own >> number & 1]
        if len(self._unseen) != len(self._heap_at):
            raise InconsistentTurn(
                f"the turn has {len(self._unseen)} unseen cards but {len(self._heap_at)} places for them",
                field="observation",
            )
        self._hands = [0] * len(seen["lives"])
        self._hands[seen["seat"]] = mask_of(seen["hand"])
        self._shuffled = len(self._unseen) if stock else len(self._unseen) - seen["stock"]
        self._cards: list[int] = [] if self._bound else self._unseen[:]
        self._fixed: list[bool] = []
        self._barred_at: list[int] = []
        self._state: ToepenState | None = None

    def draw(self, rng: random.Random) -> ToepenState:
        """Return the next re-deal, as a state."""
        return self.state(self.deal(rng))

    def deal(self, rng: random.Random) -> list[int]:
        """Return the next re-deal, as a list of card numbers for :meth:`hands` and :meth:`state`."""
        if self._bound and (not self._cards or any(heap.announced for heap in self._heaps)):
            self._fill(rng)
        cards, uniform, last = self._cards, rng.random, len(self._cards)
        for place in range(self._bound, self._shuffled):
            other = place + int(uniform() * (last - place))
            cards[place], cards[other] = cards[other], cards[place]
        if self._bound:
            self._mix(rng)
        return cards[:]

    def hands(self, cards: Sequence[int]) -> list[int]:
        """Return the hands in a re-deal, as one mask per seat."""
        hands = self._hands[:]
        at = 0
        for heap in self._heaps:
            if heap.held:
                mask = 0
                for card in cards[at : at + heap.size]:
                    mask |= 1 << card
                hands[heap.owner] = mask
            at += heap.size
        return hands

    def state(self, cards: Sequence[int]) -> ToepenState:
        """Return the state of the turn with the cards of a re-deal."""
        if self._state is None:
            self._state = self._first_state(cards)
        state = self._state.clone()
        state.hands = self.hands(cards)
        at = 0
        for heap in self._heaps:
            if heap.owner == _STOCK:
                state.stock = "".join(_names(cards[at:]))
            elif not heap.held:
                seat, _, challenger, loser = state.laid[heap.place]
                mask = sum(1 << card for card in cards[at : at + heap.size])
                state.laid[heap.place] = (seat, mask, challenger, loser)
            at += heap.size
        state.set_legal()
        return state

    def _first_state(self, cards: Sequence[int]) -> ToepenState:
        hands: dict[int, list[str]] = {}
        laid_away: dict[int, list[list[str]]] = {}
        stock: list[str] = []
        at = 0
        for heap in self._heaps:
            names = _names(cards[at : at + heap.size])
            at += heap.size
            if heap.owner == _STOCK:
                stock = names
            elif heap.held:
                hands[heap.owner] = names
            else:
                laid_away.setdefault(heap.owner, []).append(names)
        hidden: ToepenHidden = {"hands": hands, "laid_away": laid_away, "stock": stock}
        return TOEPEN.from_observation(self._turn["rules"], self._turn["observation"], hidden)

    # Restricted places

    def _fill(self, rng: random.Random) -> None:
        for _ in range(_TRIES):
            if self._try_fill(rng):
                return
        raise InconsistentTurn("no deal of the pack is consistent with this turn", field="observation")

    def _try_fill(self, rng: random.Random) -> bool:
        """Find a valid assignment by augmenting paths. Return False if this attempt reached a dead end."""
        place_of: dict[int, int] = {}
        cards = [-1] * len(self._heap_at)
        self._fixed = [False] * self._bound
        start = 0
        barred_at = [heap.barred for heap in self._heap_at]
        for heap in self._heaps:
            if heap.announced:
                kinds = self._announcing_cards(heap, place_of, rng)
                if kinds is None:
                    return False
                chosen, kind = kinds
                for place, card in enumerate(chosen, start):
                    cards[place] = card
                    place_of[card] = place
                    self._fixed[place] = True
                for place in range(start, start + heap.size):
                    barred_at[place] |= kind
            start += heap.size
        order = self._unseen[:]
        rng.shuffle(order)

        def find(place: int, tried: set[int]) -> bool:
            for card in order:
                if card in tried or barred_at[place] >> card & 1:
                    continue
                holder = place_of.get(card)
                if holder is not None and self._fixed[holder]:
                    continue
                tried.add(card)
                if holder is None or find(holder, tried):
                    place_of[card] = place
                    cards[place] = card
                    return True
            return False

        for place in range(self._bound):
            if cards[place] < 0 and not find(place, set()):
                return False
        self._barred_at = barred_at
        rest = [card for card in order if card not in place_of]
        self._cards = cards[: self._bound] + rest
        return all(self._tens_fit(heap) for heap in self._heaps)

    def _announcing_cards(
        self, heap: _Heap, taken: Mapping[int, int], rng: random.Random
    ) -> tuple[list[int], int] | None:
        """Return the tens or jacks that must be in ``heap`` because of an announcement, and the mask of all
        four cards of that rank.
        """
        played = self._played[heap.owner]
        number = 3 if self._turn["observation"]["announcements"][heap.owner] == "whistle" else 4
        ways: list[tuple[int, list[int], int, int]] = []
        for kind in (TENS, JACKS):
            missing = number - (played & kind).bit_count()
            there = [c for c in self._unseen if kind >> c & 1 and not heap.barred >> c & 1 and c not in taken]
            if 0 <= missing <= min(heap.size, len(there)):
                others = sum(not (kind | heap.barred) >> c & 1 and c not in taken for c in self._unseen)
                ways.append(
                    (comb(len(there), missing) * comb(others, heap.size - missing), there, missing, kind)
                )
        if not ways:
            return None
        _, there, missing, kind = rng.choices(ways, [way[0] for way in ways])[0]
        return rng.sample(there, missing), kind

    def _tens_fit(self, heap: _Heap) -> bool:
        if heap.most_tens >= heap.size:
            return True
        start = self._heap_at.index(heap)
        return sum(TENS >> card & 1 for card in self._cards[start : start + heap.size]) <= heap.most_tens

    def _mix(self, rng: random.Random) -> None:
        """Repeatedly swap two cards that are both valid in each other's place."""
        cards, heap_at, barred_at, fixed = self._cards, self._heap_at, self._barred_at, self._fixed
        bound, places = self._bound, len(self._cards)
        uniform = rng.random
        for _ in range(MIXING * bound):
            one, other = int(uniform() * bound), int(uniform() * places)
            first, second = cards[one], cards[other]
            if barred_at[one] >> second & 1 or barred_at[other] >> first & 1:
                continue
            if fixed[one] or (other < bound and fixed[other]):
                continue
            cards[one], cards[other] = second, first
            if TENS >> first & 1 != TENS >> second & 1 and not (
                self._tens_fit(heap_at[one]) and self._tens_fit(heap_at[other])
            ):
                cards[one], cards[other] = first, second


def _hand_heap(turn: Turn, seat: int, count: int, void: int, played: int) -> _Heap:
    """Return the heap for the hand of another seat, with the restrictions implied by its play and its
    announcement (TP-3.1, TP-4.1).
    """
    said = turn["observation"]["announcements"][seat]
    if not turn["rules"]["whistling"] or said is None:
        return _Heap(seat, count, True, barred=void)
    if said == "none":
        left = 2 - (played & TENS).bit_count()
        return _Heap(seat, count, True, barred=void | (0 if left else TENS), most_tens=left or 32)
    return _Heap(seat, count, True, barred=void, announced=True)


def _played_by_seat(observation: ToepenObservation) -> list[int]:
    played = [0] * len(observation["lives"])
    tricks = [trick["cards"] for trick in observation["tricks"]]
    for item in chain(*tricks, observation["trick"]):
        played[item["seat"]] |= 1 << CARD_NUMBER[item["card"]]
    return played


def _names(cards: Sequence[int]) -> list[str]:
    return [PACK[card] for card in cards]
