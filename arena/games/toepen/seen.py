"""Type definitions for what a seat of Toepen sees; :mod:`arena.games.toepen.fields` describes the fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Required, TypedDict, final


class ToepenExchange(TypedDict):
    """A hand that was exchanged."""

    seat: int
    cards: list[str] | None
    challenger: int | None
    loser: int | None


@final
class ToepenPlay(TypedDict):
    """A card on the table."""

    seat: int
    card: str


class ToepenTrick(TypedDict):
    """A finished trick."""

    leader: int
    cards: list[ToepenPlay]
    winner: int


@final
class ToepenSaid(TypedDict):
    """A knock, or an answer to a knock or to poverty."""

    seat: int
    said: str
    value: int
    trick: int
    on_table: int


class ToepenObservation(TypedDict):
    """What a seat or a spectator sees."""

    game: str
    seat: int | None
    phase: str
    awaiting: list[int]
    to_answer: list[int]
    turn: int | None
    hand_number: int
    dealer: int | None
    leader: int | None
    value: int
    knocker: int | None
    lives: list[int]
    lost: list[int]
    in_game: list[bool]
    in_hand: list[bool]
    out_in_hand: list[int | None]
    hand: list[str]
    held: list[int]
    stock: int
    exchanges: list[int]
    announcements: list[str | None]
    laid_away: list[ToepenExchange]
    pelt: list[int]
    trick: list[ToepenPlay]
    tricks: list[ToepenTrick]
    calls: list[ToepenSaid]
    hands_won: list[int]
    rubber: int
    drinks: list[int]


class ToepenHidden(TypedDict, total=False):
    """The cards that are hidden from a seat."""

    hands: Mapping[int, Sequence[str]]
    laid_away: Mapping[int, Sequence[Sequence[str]]]
    stock: Sequence[str]


class ToepenNews(TypedDict, total=False):
    """An event as a viewer sees it. :mod:`arena.games.toepen.fields` lists the fields of each type. ``lives``
    is a single number for a fold, otherwise a list with one number per seat.
    """

    type: Required[str]
    seat: Required[int | None]
    hand: int
    rubber: int
    value: int
    lives: Any
    cards: list[str] | None
    count: int
    exchanger: int
    loser: int
    announcement: str
    pelt: list[int]
    card: str
    trick: int
    lost: list[int]
    drinks: int
    places: list[int]
    scores: list[int]
