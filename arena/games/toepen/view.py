"""What a seat sees of Toepen: observations, views of events, and the conversion back to a state (TP-8.1).

Events are ``(type, seat, ...)``. :func:`view` names the other values, and ``fields`` describes the fields of
views and observations.

An observation contains everything about the current hand, including who did what in which order, so that a
bot needs no memory. After the end of a hand it shows that hand until the next deal.

**Hidden assignment** for ``from_observation``: ``{"hands": {seat: cards}, "laid_away": {seat: [cards, ...]},
"stock": cards}``. ``hands`` contains the hand of every other seat that holds cards. ``laid_away`` contains,
for each seat, the exchanged hands that the observation does not show, oldest first. ``stock`` lists the cards
in the order in which they are drawn. Together with the cards in the observation they must form the whole
pack. Hands must also be consistent with the play so far: a hand cannot contain a suit that its seat failed to
follow, and must fit the seat's announcement (TP-3.1). The caller is responsible for this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from arena.errors import ArenaError
from arena.games.cards import split_cards
from arena.games.kernel import CHANCE, Event
from arena.games.toepen.cards import CARD_BIT, CARD_NUMBER, PACK, SAID, SEATS_OF, WHOLE_PACK, cards_of
from arena.games.toepen.seen import ToepenHidden, ToepenObservation, ToepenPlay
from arena.games.toepen.table import (
    CALLS,
    CHALLENGE,
    DEAL,
    DEALER,
    EXCHANGE,
    KNOCKED,
    NO_SEAT,
    NOBODY,
    OVER,
    PHASES,
    PLAY,
    ToepenTable,
)


class InconsistentHidden(ArenaError):
    """Raised for a hidden assignment that, together with the observation, does not form one whole pack."""

    code: ClassVar[str] = "inconsistent_hidden"


def view(event: Event, viewer: int | None) -> dict[str, object]:
    """Return what ``viewer`` (None: a spectator) sees of ``event``. Every event is visible to everybody, but
    not all of its cards.
    """
    type, seat = event[0], event[1]
    seen: dict[str, object] = {"type": type, "seat": seat}
    if type == "play":
        seen["card"] = event[2]
    elif type in ("dealt", "new_cards"):
        seen["cards"] = split_cards(event[2]) if seat == viewer else None
        seen["count"] = 4
    elif type in ("knock", "stay"):
        seen["value"] = event[2]
    elif type == "fold":
        seen["lives"] = event[2]
    elif type == "trick":
        seen["trick"] = event[2]
    elif type == "keep":
        seen["announcement"] = event[2]
    elif type == "exchange":
        seen["cards"] = split_cards(event[2]) if seat == viewer else None
    elif type == "trust":
        seen["exchanger"] = event[2]
    elif type == "challenge":
        seen["exchanger"] = event[2]
        seen["cards"] = split_cards(event[3])
        seen["loser"] = event[4]
    elif type == "hand":
        seen["hand"], seen["rubber"], seen["value"] = event[2], event[3], event[4]
        seen["lives"] = list(event[5])
    elif type == "result":
        seen["seat"] = _seat_or_none(seat)
        seen["value"] = event[2]
        seen["lost"] = list(event[3])
        seen["lives"] = list(event[4])
    elif type == "poverty":
        seen["pelt"] = list(event[2])
        seen["value"] = event[3]
    elif type == "drinks":
        seen["rubber"], seen["drinks"] = event[2], event[3]
    elif type == "over":
        seen["places"], seen["scores"] = list(event[2]), list(event[3])
    return seen


def observe(state: ToepenTable, viewer: int | None) -> ToepenObservation:
    """Return the observation of ``viewer`` (None: a spectator)."""
    seats = range(state.rules.seats)
    return {
        "game": "toepen",
        "seat": viewer,
        "phase": PHASES[state.phase],
        "awaiting": list(state.awaiting()),
        "to_answer": list(SEATS_OF[state.answers]),
        "turn": _seat_or_none(state.turn),
        "hand_number": state.number,
        "dealer": _seat_or_none(state.dealer),
        "leader": _seat_or_none(state.leader),
        "value": state.value,
        "knocker": _seat_or_none(state.knocker),
        "lives": list(state.lives),
        "lost": list(state.lost),
        "in_game": [lives > 0 for lives in state.lives],
        "in_hand": [state.in_hand >> seat & 1 == 1 for seat in seats],
        "out_in_hand": [hand or None for hand in state.out],
        "hand": [] if viewer is None else cards_of(state.hands[viewer]),
        "held": [hand.bit_count() for hand in state.hands],
        "stock": len(state.stock) // 2,
        "exchanges": list(state.exchanges),
        "announcements": [SAID[said] or None for said in state.said],
        "laid_away": [
            {
                "seat": seat,
                "cards": cards_of(mask) if seat == viewer or challenger != NOBODY else None,
                "challenger": _seat_or_none(challenger),
                "loser": _seat_or_none(loser),
            }
            for seat, mask, challenger, loser in state.laid
        ],
        "pelt": list(SEATS_OF[state.pelt]),
        "trick": _shown(state.trick),
        "tricks": [
            {"leader": leader, "cards": _shown(codes), "winner": winner}
            for leader, codes, winner in state.tricks
        ],
        "calls": [
            {"seat": seat, "said": CALLS[said], "value": lives, "trick": trick, "on_table": on_table}
            for seat, said, lives, trick, on_table in state.calls
        ],
        "hands_won": list(state.won),
        "rubber": state.rubber,
        "drinks": list(state.drinks),
    }


def restore(state: ToepenTable, observation: ToepenObservation, hidden: ToepenHidden) -> None:
    """Fill a new state so that ``observe`` returns the same observation.

    Raises :class:`InconsistentHidden`.
    """
    state.phase = phase = PHASES.index(observation["phase"])
    if phase in (DEALER, DEAL):
        state.asked = CHANCE
    else:
        state.asked = NO_SEAT if phase == OVER else observation["awaiting"][0]
    state.turn = _seat_number(observation["turn"])
    state.answers = _seat_mask(observation["to_answer"])
    state.number = observation["hand_number"]
    state.dealer = _seat_number(observation["dealer"])
    state.leader = _seat_number(observation["leader"])
    state.value = observation["value"]
    state.knocker = _seat_number(observation["knocker"])
    state.lives = list(observation["lives"])
    state.lost = list(observation["lost"])
    state.in_hand = _seat_mask(s for s, is_in in enumerate(observation["in_hand"]) if is_in)
    state.out = [hand or 0 for hand in observation["out_in_hand"]]
    state.exchanges = list(observation["exchanges"])
    state.said = [SAID.index(said or "") for said in observation["announcements"]]
    state.pelt = _seat_mask(observation["pelt"])
    state.trick = _codes(observation["trick"])
    state.tricks = [
        (trick["leader"], tuple(_codes(trick["cards"])), trick["winner"]) for trick in observation["tricks"]
    ]
    state.calls = [
        (call["seat"], CALLS.index(call["said"]), call["value"], call["trick"], call["on_table"])
        for call in observation["calls"]
    ]
    state.won = list(observation["hands_won"])
    state.rubber = observation["rubber"]
    state.drinks = list(observation["drinks"])
    if phase in (EXCHANGE, CHALLENGE):
        kept = _seat_mask(seat for seat, said in enumerate(state.said) if said)
        state.todo = state.in_hand & ~kept
    elif phase in (PLAY, KNOCKED):
        state.todo = state.in_hand & ~_seat_mask(code >> 5 for code in state.trick)
    if state.number:
        _restore_cards(state, observation, hidden)


def _restore_cards(state: ToepenTable, observation: ToepenObservation, hidden: ToepenHidden) -> None:
    viewer = observation["seat"]
    bits: list[int] = []
    for codes in (state.trick, *(trick[1] for trick in state.tricks)):
        bits.extend(1 << (code & 31) for code in codes)
    hands = hidden.get("hands", {})
    for seat, count in enumerate(observation["held"]):
        cards = observation["hand"] if seat == viewer else hands.get(seat, ())
        state.hands[seat] = _take(cards, count, bits, f"hands.{seat}")
    unshown = {seat: iter(laid) for seat, laid in hidden.get("laid_away", {}).items()}
    for laid in observation["laid_away"]:
        seat = laid["seat"]
        cards = laid["cards"] if laid["cards"] is not None else next(unshown.get(seat, iter(())), ())
        mask = _take(cards, 4, bits, f"laid_away.{seat}")
        state.laid.append((seat, mask, _seat_number(laid["challenger"]), _seat_number(laid["loser"])))
    stock = hidden.get("stock", ())
    _take(stock, observation["stock"], bits, "stock")
    state.stock = "".join(stock)
    # Powers of two have this sum only if all of them are different.
    if len(bits) != len(PACK) or sum(bits) != WHOLE_PACK:
        raise InconsistentHidden(
            "the observed cards and the assigned cards do not form one whole pack",
            field="hidden",
            expected="each of the 32 cards once",
        )


def _take(cards: Sequence[str], count: int, bits: list[int], field: str) -> int:
    taken = [CARD_BIT.get(card, 0) for card in cards]
    if len(taken) != count or 0 in taken:
        raise InconsistentHidden(
            "the number of assigned cards does not match the observation",
            field=f"hidden.{field}",
            expected=f"{count} cards",
        )
    bits.extend(taken)
    return sum(taken)


def _shown(codes: Sequence[int]) -> list[ToepenPlay]:
    return [{"seat": code >> 5, "card": PACK[code & 31]} for code in codes]


def _codes(shown: Sequence[ToepenPlay]) -> list[int]:
    return [item["seat"] << 5 | CARD_NUMBER[item["card"]] for item in shown]


def _seat_or_none(seat: int) -> int | None:
    return None if seat == NOBODY else seat


def _seat_number(seat: int | None) -> int:
    return NOBODY if seat is None else seat


def _seat_mask(seats: Iterable[int]) -> int:
    mask = 0
    for seat in seats:
        mask |= 1 << seat
    return mask
