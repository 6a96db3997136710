"""Another world that looks the same to one seat of Brazilian Truco, at the level of the log.

Interface (the same for every game)::

    alternative_log(log, seat, rng) -> [(seat, action), ...] or None

``log`` is a legal list of ``(seat, action)`` from the start of a game, in progress or over. In every
hand the cards that ``seat`` does not get to see by the end of the log are permuted among each other in
the ``deal:`` action, and other seats' ``hide:`` actions name the new cards; all else stays. The result is
legal under the same rules, whatever they are, and ``seat`` must be shown the same at every step of it.
None if there is nothing to permute (no deal, or one unseen card).

What is seen is read from the log alone and not from the rules, which are under test. Where
the log does not tell (moves that the rules force are not in it), the card counts as seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from arena.games.cards import split_cards
from arena.games.kernel import CHANCE

Move = tuple[int, str]


def alternative_log(
    log: Sequence[Move], seat: int, rng: Random, rules: Mapping[str, Any]
) -> list[Move] | None:
    """See the module."""
    starts = [number for number, (_, action) in enumerate(log) if action.startswith("deal:")]
    if not starts:
        return None
    dealer = int(log[0][1].removeprefix("dealer:"))
    may_force_plays = not any(action.startswith("hide:") for _, action in log)
    view = _View(seat, rules["seats"], rules["manilhas"] == "turned", may_force_plays)
    other = list(log[: starts[0]])
    for start, end in zip(starts, [*starts[1:], len(log)], strict=True):
        other += _hand(log[start:end], dealer, view, rng)
        dealer = (dealer + 1) % view.seats
    return None if other == list(log) else other


class _View(NamedTuple):
    """Who looks, at what table."""

    viewer: int
    seats: int
    turned: bool
    may_force_plays: bool


def _hand(moves: Sequence[Move], dealer: int, view: _View, rng: Random) -> list[Move]:
    pack = split_cards(moves[0][1].removeprefix("deal:"))
    seen = _seen(moves, _as_cut(pack, moves), dealer, view)
    unseen = [card for card in pack if card not in seen]
    new_name = dict(zip(unseen, rng.sample(unseen, len(unseen)), strict=True))
    other: list[Move] = [(CHANCE, "deal:" + "".join(new_name.get(card, card) for card in pack))]
    for seat, action in moves[1:]:
        verb, _, card = action.partition(":")
        other.append((seat, f"hide:{new_name.get(card, card)}" if verb == "hide" else action))
    return other


def _as_cut(pack: list[str], moves: Sequence[Move]) -> list[str]:
    """The pack in the order in which it is dealt (BT-2.2)."""
    for _, action in moves:
        if action.startswith("cut:"):
            _, lifted, end = action.split(":")
            pack = pack[int(lifted) :] + pack[: int(lifted)]
            return pack[::-1] if end == "bottom" else pack
    return pack


def _seen(moves: Sequence[Move], pack: list[str], dealer: int, view: _View) -> set[str]:
    viewer, seats = view.viewer, view.seats
    forehand = (dealer + 1) % seats
    threes = iter([pack[start : start + 3] for start in range(0, len(pack) - 2, 3)])
    hands: dict[int, list[str]] = {}
    seen: set[str] = set()
    verbs = [action.split(":")[0] for _, action in moves]
    for verb in verbs:
        if verb == "burn":
            seen.update(next(threes))
        elif verb == "pass":
            hands[(forehand + 2) % 4] = next(threes)
            if viewer % 2 == forehand % 2:
                seen.update(hands[(forehand + 2) % 4])
    for step in range(seats):
        seat = (forehand + step) % seats
        if seat not in hands:
            hands[seat] = next(threes)
    seen.update(hands[viewer])
    if view.turned:
        seen.add(pack[3 * seats])
    plays = [(seat, action[5:]) for seat, action in moves if action.startswith("play:")]
    seen.update(card for _, card in plays)
    if not {"truco", "pass", "burn"} & set(verbs):
        # Perhaps eleven (BT-5): the partner's hand is shown, or with both at 11 all hands play themselves.
        if seats == 4 and (not plays or "accept" in verbs):
            seen.update(hands[(viewer + 2) % 4])
        if not plays and not {"keep", "accept", "run", "defer"} & set(verbs):
            seen.update(card for hand in hands.values() for card in hand)
    if view.may_force_plays and len(plays) >= 2 * seats:
        seen.update(card for hand in hands.values() for card in hand)
    return seen
