"""What a seat of Brazilian Truco sees: observations, views of events, and the conversion from an observation
back to a state.

Everything is built up field by field (BT-7.1). Cards are strings in the order of ``PACK``, teams are 0 and 1,
seats are 0 to 3, and None (JSON null) is nobody.

``fields`` describes the fields of observations and events. ``tricks``, ``burned`` and ``calls`` together are
everything that the seat saw of the hand, in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from arena.errors import ArenaError
from arena.games.kernel import Event
from arena.games.truco.cards import (
    ACTION_CODE,
    CARD_NUMBER,
    FACE_DOWN,
    FIXED,
    GESTURES,
    PACK,
    PACKS,
    TURNED,
    Order,
    call_number,
    call_of,
    cards_of,
    numbers_of,
)
from arena.games.truco.seen import TrucoCall, TrucoHidden, TrucoObservation, TrucoPlay, TrucoSaid, TrucoTrick
from arena.games.truco.table import (
    ANSWER,
    BOTH,
    CHOOSE,
    CUT,
    DEAL,
    DEALER,
    ELEVEN,
    END,
    NO_CARD,
    NOBODY,
    OVER,
    PHASES,
    PLAY,
    TIE,
    TrucoTable,
)

_WORDS: Final[dict[int, list[str]]] = {code: action.split(":") for action, code in ACTION_CODE.items()}
"""The parts of the action with each code. If actions with the same code differ in their points, only one of
them is included.
"""
_CODE_OF_WORD: Final[dict[str, int]] = {
    action.split(":")[0]: code
    for action, code in ACTION_CODE.items()
    if not action.startswith(("cut:", "signal:"))
}
"""The code of an action by its first word. Words of actions that have several codes are not included."""


def observe(table: TrucoTable, seat: int | None) -> TrucoObservation:
    """Return the observation of ``seat``, or for None that of a spectator, who sees what is public."""
    order = table.order
    known_order = not table.rules.turned or table.vira != NO_CARD
    return {
        "seat": seat,
        "hand_number": table.hand_number,
        "score": list(table.score),
        "phase": PHASES[table.phase],
        "awaiting": list(table.awaiting()),
        "dealer": _seat_or_none(table.dealer),
        "forehand": None if table.dealer == NOBODY else table.forehand,
        "stake": table.stake,
        "elevens": [team for team in (0, 1) if table.elevens >> team & 1],
        "hand": _hand(table, seat),
        "partner_dealt": _partner_dealt(table, seat),
        "passed": table.passed,
        "passed_cards": _passed_cards(table, seat),
        "burned": [list(cards_of(hand)) for hand in table.burned],
        "held": [len(hand) for hand in table.hands],
        "tricks": [_trick(table, index, seat) for index in range(len(table.leaders))],
        "truco": _truco(table),
        "eleven_deferred": table.phase == ELEVEN and table.actor != table.eleven_asked,
        "extra_trick": table.truco_seat != NOBODY
        and table.truco_trick < len(table.leaders) - 1
        and not table.rules.whole_hand,
        "signals": [
            {"trick": signal >> 5, "seat": signal >> 3 & 3, "gesture": GESTURES[signal & 7]}
            for signal in table.signals
        ],
        "calls": [_call(call, table.rules.shift) for call in table.calls],
        "vira": None if table.vira == NO_CARD else PACK[table.vira],
        "manilhas": list(order.manilhas) if known_order else None,
        "right": _right(table),
    }


def _hand(table: TrucoTable, viewer: int | None) -> list[str]:
    return [] if viewer is None or table.blind else list(cards_of(table.hands[viewer]))


def _partner_dealt(table: TrucoTable, viewer: int | None) -> list[str]:
    if viewer is None or table.phase not in (ELEVEN, PLAY) or table.rules.seats == 2:
        return []
    return list(cards_of(table.as_dealt((viewer + 2) & 3))) if table.elevens == 1 << (viewer & 1) else []


def _passed_cards(table: TrucoTable, viewer: int | None) -> list[str]:
    partner = (table.forehand + 2) & 3
    shown = table.passed and viewer in (table.forehand, partner)
    return list(cards_of(table.as_dealt(partner))) if shown else []


def _seat_or_none(seat: int) -> int | None:
    return None if seat == NOBODY else seat


def _right(table: TrucoTable) -> Literal["either"] | int | None:
    right = 0 if table.phase in (DEALER, DEAL, END) else table.right
    return "either" if right == BOTH else right - 1 if right else None


def _trick(table: TrucoTable, index: int, viewer: int | None) -> TrucoTrick:
    leader = table.leaders[index]
    plays: list[TrucoPlay] = []
    seats = table.rules.seats
    for place, code in enumerate(table.plays[seats * index : seats * (index + 1)]):
        seat = (leader + place) & table.rules.mask
        face_down = code >= FACE_DOWN
        card = PACK[code & ~FACE_DOWN] if seat == viewer or not face_down else None
        plays.append({"seat": seat, "card": card, "face_down": face_down})
    over = index < len(table.winners)
    winner = _team_or_none(table.winners[index]) if over else None
    return {"leader": leader, "plays": plays, "over": over, "winner": winner}


def _truco(table: TrucoTable) -> TrucoCall | None:
    if table.truco_seat == NOBODY:
        return None
    pending = table.phase == ANSWER
    return {
        "seat": table.truco_seat,
        "team": table.truco_seat & 1,
        "trick": table.truco_trick,
        "on_table": table.truco_on_table,
        "proposer": table.proposer,
        "value": table.proposed if pending else table.stake,
        "pending": pending,
        "deferred": pending and table.actor != (table.proposer + 1) & table.rules.mask,
    }


def _call(number: int, shift: int) -> TrucoSaid:
    played, seat, value, code = call_of(number)
    words = _WORDS[code]
    said = words[0]
    shown: TrucoSaid = {
        "seat": seat,
        "said": said,
        "value": value or None,
        "trick": played >> shift,
        "on_table": played & (1 << shift) - 1,
        "from": None,
        "gesture": None,
    }
    if said == "cut":
        shown["value"] = int(words[1])
        shown["from"] = words[2]
    elif said == "signal":
        shown["gesture"] = words[1]
    return shown


def _call_number(call: TrucoSaid, seats: int) -> int:
    """Return the number for a call, which ``_call`` decodes."""
    said: str = call["said"]
    value: int = call["value"] or 0
    code = _CODE_OF_WORD.get(said, 0)
    if not code:
        code = ACTION_CODE[f"cut:{value}:{call['from']}" if said == "cut" else f"signal:{call['gesture']}"]
        if said == "cut":
            value = 0
    return call_number(call["trick"] * seats + call["on_table"], call["seat"], value, code)


def view_event(event: Event, seat: int | None) -> dict[str, object] | None:
    """Return what ``seat`` sees of an event, or None if it sees nothing."""
    kind: str = event[0]
    if kind == "play":
        return {"type": kind, "seat": event[1], "card": event[2]}
    view: dict[str, object] = {"type": kind}
    if kind in ("dealer", "kept", "defer", "hide", "signal", "truco", "raise", "accept", "run"):
        view["seat"] = event[1]
    if kind == "hide":
        view["card"] = event[2] if seat == event[1] else None
    elif kind in ("truco", "raise", "accept"):
        view["value"] = event[2]
    elif kind == "run":
        view["points"] = event[2]
    elif kind == "signal":
        view["gesture"] = event[2]
    elif kind == "vira":
        view["card"] = event[2]
    elif kind in ("dealt", "passed", "shown", "burned"):
        _view_cards(event, seat, view)
    elif kind == "hand":
        view["number"] = event[2]
        view["dealer"] = event[1]
        view["score"] = [event[3], event[4]]
    elif kind == "cut":
        view["seat"] = event[1]
        view["lifted"] = event[2]
        view["from"] = event[3]
    elif kind == "trick":
        view["number"] = event[2]
        view["winner"] = _team_or_none(event[3])
        view["leader"] = event[1]
    elif kind == "hand_over":
        view["winner"] = _team_or_none(event[2])
        view["points"] = event[3]
        view["score"] = [event[4], event[5]]
        view["reason"] = event[6]
    elif kind == "game_over":
        view["winner"] = _team_or_none(event[2])
        view["score"] = [event[3], event[4]]
    return view


def _view_cards(event: Event, viewer: int | None, view: dict[str, object]) -> None:
    kind, seat, cards = event[:3]
    view["seat"] = seat
    if kind == "dealt":
        view["count"] = len(cards)
        visible = viewer == seat and not event[3]
    elif kind == "burned":
        visible = True
    else:
        visible = viewer is not None and viewer & 1 == seat & 1
    view["cards"] = list(cards) if visible else None


def _team_or_none(team: int) -> int | None:
    return None if team == TIE else team


def order_seen(observation: TrucoObservation) -> Order:
    """Return the order of the cards. If the manilhas have yet to be turned, use the fixed ones."""
    vira, manilhas = observation["vira"], observation["manilhas"]
    return FIXED if vira is None or manilhas is None else TURNED[manilhas[0][0]]


def unplaced_cards(rules: Mapping[str, Any], observation: TrucoObservation) -> list[str]:
    """Return the cards in use whose place the observer does not know, in the order of the pack.

    They include a card that the partner is known to hold or to have played face down (BT-2.6, BT-5.2), as
    long as both are possible.
    """
    placed = {*observation["hand"], observation["vira"]}
    for cards in observation["burned"]:
        placed.update(cards)
    for trick in observation["tricks"]:
        placed.update(play["card"] for play in trick["plays"])
    return [card for card in PACKS[rules["pack"]].cards if card not in placed]


def place_cards(observation: TrucoObservation, order: Sequence[str]) -> TrucoHidden:
    """Assign the cards of ``order``, a permutation of ``unplaced_cards(observation)``, to the places that the
    observer cannot see. Return the ``hidden`` of ``fill_from_observation``. Every permutation is valid, and a
    uniformly random permutation gives a uniformly random assignment.
    """
    seat = observation["seat"]
    partner = None if seat is None else (seat + 2) & 3
    known = set(observation["partner_dealt"])
    if seat == observation["forehand"]:
        known.update(observation["passed_cards"])
    partners = [card for card in order if card in known]
    others = [card for card in order if card not in known]

    def take(owner: int, count: int) -> list[str]:
        pile = partners if known and owner == partner else others
        cards = pile[:count]
        del pile[:count]
        return cards

    hands = {owner: take(owner, count) for owner, count in enumerate(observation["held"]) if owner != seat}
    face_down = [
        [index, play["seat"], *take(play["seat"], 1)]
        for index, trick in enumerate(observation["tricks"])
        for play in trick["plays"]
        if play["card"] is None
    ]
    return {"hands": hands, "face_down": face_down, "rest": others}


def fill_from_observation(table: TrucoTable, observation: TrucoObservation, hidden: TrucoHidden) -> None:
    """Fill ``table``, which must be new, so that its seat would see ``observation``.

    ``hidden`` contains every card that the observation does not::

        {"hands": {seat: [card, ...]},                 for every other seat that holds cards
         "face_down": [[trick index, seat, card], ...],   others' face-down cards
         "rest": [card, ...]}                          the undealt pack, top first; only used while
                                                       cutting or dealing ("cut", "choose")

    ``place_cards`` creates such a value. Raises ArenaError (``invalid_assignment``) if it is inconsistent.
    """
    try:
        _fill(table, observation, hidden)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ArenaError(
            f"the hidden cards are inconsistent with the observation: {error}",
            code="invalid_assignment",
            field="hidden",
            expected="the number of cards that each seat holds, all face-down cards, and no card twice",
        ) from error


def _fill(table: TrucoTable, observation: TrucoObservation, hidden: TrucoHidden) -> None:
    table.phase = PHASES.index(observation["phase"])
    awaiting = observation["awaiting"]
    table.actor = awaiting[0] if awaiting else OVER
    table.dealer = NOBODY if observation["dealer"] is None else observation["dealer"]
    table.hand_number = observation["hand_number"]
    table.score = list(observation["score"])
    table.stake = observation["stake"]
    table.passed = observation["passed"]
    table.burned = [numbers_of(cards) for cards in observation["burned"]]
    _fill_tricks(table, observation, hidden)
    viewer = observation["seat"]
    for seat in range(table.rules.seats):
        cards = observation["hand"] if seat == viewer else hidden["hands"].get(seat, [])
        if len(cards) != observation["held"][seat]:
            raise ValueError(f"seat {seat} holds {observation['held'][seat]} cards, not {len(cards)}")
        table.hands[seat] = numbers_of(cards)
    vira = observation["vira"]
    table.vira = NO_CARD if vira is None else CARD_NUMBER[vira]
    if table.phase in (CUT, CHOOSE):
        table.take_pack(bytes([CARD_NUMBER[card] for card in hidden["rest"]]))
    truco = observation["truco"]
    if truco is not None:
        table.truco_seat = truco["seat"]
        table.truco_trick = truco["trick"]
        table.truco_on_table = truco["on_table"]
        table.proposer = truco["proposer"]
    for signal in observation["signals"]:
        gesture = GESTURES.index(signal["gesture"])
        table.signals.append(signal["trick"] << 5 | signal["seat"] << 3 | gesture)
    table.calls = [_call_number(call, table.rules.seats) for call in observation["calls"]]
    _check_cards(table, observation)
    table.refresh()


def _fill_tricks(table: TrucoTable, observation: TrucoObservation, hidden: TrucoHidden) -> None:
    hidden_cards = {(index, seat): card for index, seat, card in hidden["face_down"]}
    for index, trick in enumerate(observation["tricks"]):
        table.leaders.append(trick["leader"])
        if trick["over"]:
            table.winners.append(TIE if trick["winner"] is None else trick["winner"])
        for play in trick["plays"]:
            card = play["card"] or hidden_cards[index, play["seat"]]
            table.plays.append(CARD_NUMBER[card] + (FACE_DOWN if play["face_down"] else 0))


def _check_cards(table: TrucoTable, observation: TrucoObservation) -> None:
    numbers = list(table.undealt()) + [code & ~FACE_DOWN for code in table.plays]
    for hand in (*table.hands, *table.burned):
        numbers += hand
    if table.vira != NO_CARD:
        numbers.append(table.vira)
    if len(set(numbers)) != len(numbers):
        raise ValueError("a card is in two places")
    count = len(table.rules.pack.cards)
    if table.phase in (CUT, CHOOSE) and len(numbers) != count:
        raise ValueError(f"there must be {count} cards, not {len(numbers)}")
    partner = (table.forehand + 2) & 3
    dealt = [(observation["passed_cards"], partner)]
    if observation["seat"] is not None:
        dealt.append((observation["partner_dealt"], (observation["seat"] + 2) & 3))
    for cards, seat in dealt:
        if cards and table.as_dealt(seat) != numbers_of(cards):
            raise ValueError(f"seat {seat} was dealt different cards")
