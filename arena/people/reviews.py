"""Reviews: what the house bot ``shark`` would have decided in a person's place, and what the decisions of the
person cost, computed after the game.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import orjson

from arena.accounts.allowances import BudgetExceeded
from arena.accounts.payers import Payers
from arena.errors import ArenaError
from arena.live.header import GameNotFound, Viewer
from arena.live.house import Choose, house_choice
from arena.live.service import LiveGames, RecordNotReady
from arena.people.coach import costs_as_json, costs_of, told_cost, told_remark
from arena.records.record import Record, parse_record
from arena.records.remarks import Remark, own_decisions, remark_on
from arena.store.documents import ExpiringRows
from arena.store.rows import OPTIONAL, optional, read_row, write_row

REVIEW_SECONDS: Final = 20.0
"""The processor time of one review, first for what the reviewer would have done and then for the costs. Later
decisions are not reviewed.
"""

KEPT_MS: Final = 30 * 86_400_000
"""How long a review is stored."""

_REQUESTED_MS: Final = 3_600_000
"""The time after which a review that was requested but has not been made can be requested again."""


class ReviewExists(ArenaError):
    """The review exists, or has been requested."""

    code = "review_exists"


@dataclass(frozen=True)
class Review:
    """A review. ``remarks`` says in words what the reviewer would have done, by the number of actions before
    the decision. ``same`` is the number of the ``asked`` decisions at which the person did the same.
    ``costs`` has the costs of the others, dearest first (:func:`~arena.people.coach.costs_as_json`).
    ``complete`` is false if time ran out. ``record`` is the record of the game until the review is done,
    because the worker that makes the review might have no access to the archive. ``payer`` is the account
    that pays for the review.
    """

    done: bool = False
    remarks: dict[str, str] = field(default_factory=dict)
    asked: int = 0
    same: int = 0
    complete: bool = True
    record: str = optional("")
    payer: str = optional("")
    costs: list[dict[str, Any]] = field(default_factory=list, metadata=OPTIONAL)
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)


class ReviewJobs(Protocol):
    """Requests the job that makes reviews."""

    def review_game(self, game_id: str, seat: int, account: str) -> None:
        """Make a review when it is the turn of ``account``."""


class Reviews:
    """The reviews of all games. ``jobs`` receives requests for the job that makes a review, ``check_payer``
    raises :class:`~arena.accounts.allowances.BudgetExceeded` if an account cannot pay now, and ``charge_to``
    charges the running job to an account.
    """

    def __init__(
        self,
        live: LiveGames,
        rows: ExpiringRows,
        jobs: ReviewJobs,
        payers: Payers,
        check_payer: Callable[[str], None],
        charge_to: Callable[[str], None],
    ) -> None:
        self._live = live
        self._rows = rows
        self._jobs = jobs
        self._payers = payers
        self._check_payer = check_payer
        self._charge_to = charge_to

    def find(self, game_id: str, seat: int) -> Review | None:
        """Return the review of a seat's decisions, or None if nobody has requested it."""
        data = self._rows.find(_name(game_id, seat))
        return None if data is None else read_row(Review, orjson.loads(data))

    def check(self, game_id: str, seat: int) -> None:
        """Check that a review can be requested. Raises :class:`ReviewExists`, or ``record_not_ready``."""
        if self.find(game_id, seat) is not None:
            raise ReviewExists("this review has already been requested", field="game")
        self._record(game_id)

    def request(self, game_id: str, seat: int, payer: str) -> None:
        """Request the review, for which ``payer`` pays."""
        requested = Review(record=self._record(game_id).decode(), payer=payer)
        self._rows.put(_name(game_id, seat), write_row(requested), _REQUESTED_MS)
        self._jobs.review_game(game_id, seat, self._payers.in_charge(payer))

    def make(
        self,
        game_id: str,
        seat: int,
        choose: Choose = house_choice,
        clock: Callable[[], float] = time.process_time,
    ) -> None:
        """Make the review. It is safe to do this twice. If the payer's budget was used up while the job
        waited, the request is forgotten, so that the review can be requested again.
        """
        requested = self.find(game_id, seat)
        if requested is not None:
            self._charge_to(requested.payer)
            try:
                self._check_payer(requested.payer)
            except BudgetExceeded:
                self._rows.take(_name(game_id, seat))
                return
        try:
            line = requested.record.encode() if requested and requested.record else self._record(game_id)
        except (GameNotFound, RecordNotReady):
            return
        review = review_of(parse_record(line), seat, choose, clock)
        self._rows.put(_name(game_id, seat), write_row(review), KEPT_MS)

    def _record(self, game_id: str) -> bytes:
        return self._live.record(game_id, Viewer(admin=True))


def review_of(record: Record, seat: int, choose: Choose, clock: Callable[[], float]) -> Review:
    """Return the review of the decisions of a seat in a verified record."""
    until = clock() + REVIEW_SECONDS

    def is_time_up() -> bool:
        return clock() >= until

    found: list[Remark] = []
    complete = True
    for one in own_decisions(record, [seat]):
        if is_time_up():
            complete = False
            break
        found.append(remark_on(record, one, choose))
    others = [remark for remark in found if not remark.same]
    costs = costs_of(record, others, is_time_up)
    remarks = {str(remark.decision.after): told_remark(record, remark) for remark in found}
    listed = costs_as_json(record, costs)
    for cost in listed:
        remarks[str(cost["after"])] += f"; yours cost {told_cost(cost)}"
    complete = complete and len(costs) == len(others)
    return Review(True, remarks, len(found), len(found) - len(others), complete, costs=listed)


def _name(game_id: str, seat: int) -> str:
    return f"{game_id}:{seat}"
