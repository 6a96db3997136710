"""Type definitions for what a seat of Brazilian Truco sees. :mod:`arena.games.truco.fields` describes
their fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypedDict, final


@final
class TrucoPlay(TypedDict):
    """A card on the table."""

    seat: int
    card: str | None
    face_down: bool


class TrucoTrick(TypedDict):
    """A trick of this hand."""

    leader: int
    plays: list[TrucoPlay]
    over: bool
    winner: int | None


class TrucoCall(TypedDict):
    """The truco call of this hand."""

    seat: int
    team: int
    trick: int
    on_table: int
    proposer: int
    value: int
    pending: bool
    deferred: bool


class TrucoSignal(TypedDict):
    """A gesture."""

    trick: int
    seat: int
    gesture: str


_From = TypedDict("_From", {"from": str | None})


@final
class TrucoSaid(_From):
    """An action other than playing a card."""

    seat: int
    said: str
    value: int | None
    trick: int
    on_table: int
    gesture: str | None


class TrucoObservation(TypedDict):
    """What a seat or a spectator sees."""

    seat: int | None
    hand_number: int
    score: list[int]
    phase: str
    awaiting: list[int]
    dealer: int | None
    forehand: int | None
    stake: int
    elevens: list[int]
    hand: list[str]
    partner_dealt: list[str]
    passed: bool
    passed_cards: list[str]
    burned: list[list[str]]
    held: list[int]
    tricks: list[TrucoTrick]
    truco: TrucoCall | None
    eleven_deferred: bool
    extra_trick: bool
    signals: list[TrucoSignal]
    calls: list[TrucoSaid]
    vira: str | None
    manilhas: list[str] | None
    right: Literal["either"] | int | None


class TrucoHidden(TypedDict):
    """The cards that are hidden from a seat. ``face_down`` lists trick, seat and card for each face-down
    card.
    """

    hands: Mapping[int, Sequence[str]]
    face_down: Sequence[Sequence[Any]]
    rest: Sequence[str]


_Cut = TypedDict("_Cut", {"from": str}, total=False)


class TrucoNews(_Cut, total=False):
    """An event as a viewer sees it. :mod:`arena.games.truco.fields` lists the fields of each type."""

    type: Required[str]
    seat: int
    number: int
    dealer: int
    score: list[int]
    lifted: int
    count: int
    cards: list[str] | None
    value: int
    points: int
    card: str | None
    winner: int | None
    leader: int
    reason: str
    gesture: str
