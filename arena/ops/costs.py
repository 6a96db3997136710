"""The page about what strangers can cost at most: ``python -m arena.ops.costs > docs/costs.md``.

With the variables of a service in its environment, the command prints the page for that service.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Final, NamedTuple

from arena.accounts.default_limits import GUESTS_PER_ADDRESS
from arena.errors import ArenaError
from arena.events.trial_games import GAME_SECONDS, MOST_BYTES
from arena.games import GAMES
from arena.live.limits import MOST_MOVES
from arena.ops.jobs import PLAY_SECONDS
from arena.ops.service import HOUSE_SECONDS
from arena.ops.settings import Limit, Settings
from arena.people.replays import PREPARE_SECONDS
from arena.people.reviews import REVIEW_SECONDS
from arena.previews.previews import DRAW_SECONDS
from arena.sandbox.checking import most_check_seconds
from arena.sandbox.limits import DEFAULT_LIMITS
from arena.tournaments import sealed
from arena.webhooks.resolving import NAMES, NAMES_PER_OWNER

_DAY_SECONDS: Final = 86_400

_REQUEST_MS: Final = 0.75
_PAGE_SECONDS: Final = 4.2
"""The measured processor time of the cheapest request, and of the page of a game with 10,750 moves."""

_MOVE_MS: Final = 8.4
"""The measured processor time of a move of the slowest house bot, at a table of eight."""

_EXPORT_SECONDS: Final = 0.25
_EXPORT_BYTES: Final = 100e6
"""The measured processor time to send an export, and the size of the uploads in it."""

_PIECE_MS: Final = 5
"""The measured processor time of a piece of it."""

_HEAD: Final = """# What strangers can cost

This page says how much processor time strangers can use at most with the default settings; it is generated
from them. To regenerate it, run `python -m arena.ops.costs > docs/costs.md`. With the variables of your
service in its environment, the command prints the page for your service. `botequim ops status` shows who uses
the machine today.

- **A day** is the most that is used in a day (UTC), in seconds of processor time. A core has 86,400.
- **The budget** is that of [processor time](operating.md#budgets). It is checked before work begins, and work
  is charged afterwards. What has begun is played to its end, except that groups of tournaments wait for the
  next day. So an account can exceed its budget by what it began before; the column says by how much.
- **At any moment** is what the work holds until others have their turn. A worker runs one job at a time, so
  all jobs together use at most as many cores as there are workers, and an account that is alone can use them
  all. All workers except live ones run at [nice 10](operating.md#kinds-of-workers).

[Limits](operating.md#limits), [quotas](operating.md#quotas) and [budgets](operating.md#budgets) say how to
change the numbers.
"""

_FOOT: Final = """\
A stranger who has many addresses has all this for each of them. If the accounts that an address can sign up
are too many for your machine, lower `sign_ups_per_address`, and give [invitations](classes.md#invitations),
which do not count, to people you know.
"""


_WAITING: Final = "requests that wait, and streams"
_NO_TIME: Final = "no processor time"


class Bound(NamedTuple):
    """A row of a table: some work, its limits, its seconds in a day, and what it holds at any moment."""

    work: str
    limits: str
    day: str
    moment: str


def page(settings: Settings) -> str:
    """Return the page in Markdown."""
    parts = [_HEAD]
    for title, rows in (
        ("One account", account_rows(settings)),
        ("One address without an account", address_rows(settings)),
    ):
        lines = ["| work | limits | a day | at any moment |", "|---|---|---|---|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows]
        parts.append("\n".join([f"## {title}", "", *lines, ""]))
    return "\n".join([*parts, _FOOT])


def account_rows(settings: Settings) -> Iterator[Bound]:
    """Yield the rows about an owner with an account."""
    limits, budget = _Limits(settings), settings.budget
    seconds = budget.fuel_ms / 1000
    seats = max(game.seat_range[1] for game in GAMES.values())
    game = sealed.GAME_SECONDS + seats * sealed.SEAT_SECONDS
    yield Bound("all jobs", f"`fuel_ms` {budget.fuel_ms}", _number(seconds), "see below")
    yield Bound(
        "house bots in live games, also of tournaments",
        f"the budget; {limits.text('games_per_owner')}; {limits.text('house_games_at_once_per_owner')}; "
        f"{MOST_MOVES} moves a game",
        f"the budget, and the games that have begun{limits.begun('house_games_at_once_per_owner')}",
        f"{HOUSE_SECONDS} s and the move in progress, then another account's turn",
    )
    yield Bound(
        "groups of tournaments, comparisons and qualifications",
        f"the budget; `groups` {budget.groups}; {limits.text('tournaments_per_owner')}; "
        f"{limits.text('qualifications_per_owner')}",
        f"the budget, and for each worker a game of {seats} uploaded bots: {_number(game)}",
        f"{PLAY_SECONDS:g} s and the game in progress: at most {_number(game)} s, then others have as much",
    )
    check = max(
        most_check_seconds("python", DEFAULT_LIMITS.source_bytes),
        most_check_seconds("javascript", DEFAULT_LIMITS.source_bytes),
        most_check_seconds("module", DEFAULT_LIMITS.module_bytes),
    )
    yield Bound(
        "checks of uploads",
        f"the budget; {limits.text('uploads_per_owner')}; {check} s a check",
        f"the budget, and one more for each worker: {check}",
        f"{check} s of a worker, then another account's turn",
    )
    export = _EXPORT_SECONDS * settings.quotas.owner.bytes / _EXPORT_BYTES
    yield Bound(
        "exports of the account",
        f"{limits.text('exports_per_owner')}; `owner_bytes` {settings.quotas.owner.bytes}; the budget",
        limits.day("exports_per_owner", export),
        f"{_PIECE_MS} ms of the API, a piece",
    )
    yield Bound(
        "host names of webhooks",
        f"{NAMES_PER_OWNER} pending names in each process",
        _NO_TIME,
        f"{NAMES_PER_OWNER} of {NAMES} threads",
    )
    places = settings.http.connections * settings.http.share // 100
    yield Bound(
        _WAITING,
        f"`BOTEQUIM_SHARE` {settings.http.share}; `BOTEQUIM_CONNECTIONS` {settings.http.connections}",
        _NO_TIME,
        f"{places} connections of each process",
    )
    yield Bound(
        f"requests with one token; an account has one, and one for each of {settings.quotas.owner.bots} bots",
        f"{limits.text('requests_per_token')}; {_REQUEST_MS} ms for the cheapest request",
        limits.day("requests_per_token", _REQUEST_MS / 1000),
        limits.cores("requests_per_token"),
    )


def address_rows(settings: Settings) -> Iterator[Bound]:
    """Yield the rows about people without an account at one address."""
    limits, guest_ms = _Limits(settings), settings.guest_ms
    seconds = GUESTS_PER_ADDRESS * guest_ms / 1000
    yield Bound("all jobs of one guest", f"`guest_fuel_ms` {guest_ms}", _number(guest_ms / 1000), "see below")
    yield Bound(
        "all jobs of all guests",
        f"{GUESTS_PER_ADDRESS} times `guest_fuel_ms`; {limits.text('guests_per_address')}",
        _number(seconds),
        "see below",
    )
    yield Bound(
        "house bots at tables",
        f"the budget; {limits.text('tables_per_address')}; {limits.text('tables_at_once_per_address')}; "
        f"{MOST_MOVES} moves a game",
        f"the budget, and the games that have begun{limits.begun('tables_at_once_per_address')}; a table "
        "pauses without its person",
        f"{HOUSE_SECONDS} s and the move in progress, then another account's turn",
    )
    yield Bound(
        "reviews",
        f"the budget; {limits.text('reviews_per_address')}; {REVIEW_SECONDS:g} s a review",
        limits.day("reviews_per_address", REVIEW_SECONDS, seconds),
        f"{REVIEW_SECONDS:g} s of a worker, after all other work, then another account's turn",
    )
    trial = most_check_seconds("python", MOST_BYTES) + GAME_SECONDS
    yield Bound(
        "trial games of pasted bots",
        f"the budget; {limits.text('trial_games_per_address')}; "
        f"{limits.text('trial_games_in_a_row_per_address')}; {_number(trial)} s a game",
        limits.day("trial_games_per_address", trial, seconds),
        f"{_number(trial)} s of a worker, after all other work, then another account's turn",
    )
    places = settings.http.connections * (settings.http.share // 2) // 100
    yield Bound(
        _WAITING,
        f"half of `BOTEQUIM_SHARE` {settings.http.share}; `BOTEQUIM_CONNECTIONS` {settings.http.connections}",
        _NO_TIME,
        f"{places} connections of each process",
    )
    yield Bound(
        "preparing replay pages",
        f"the budget; {PREPARE_SECONDS:g} s a page",
        f"the budget, and one more: {_number(seconds + PREPARE_SECONDS)}",
        f"{PREPARE_SECONDS:g} s of a worker, then another account's turn",
    )
    yield Bound(
        "drawing the images of links",
        f"the budget; {DRAW_SECONDS:g} s an image",
        f"the budget, and one more: {_number(seconds + DRAW_SECONDS)}",
        f"{DRAW_SECONDS:g} s of a worker, then another account's turn",
    )
    yield Bound(
        "requests without a token",
        f"{limits.text('requests_per_address')}; {_REQUEST_MS} ms for the cheapest request",
        limits.day("requests_per_address", _REQUEST_MS / 1000),
        limits.cores("requests_per_address"),
    )
    yield Bound(
        "accounts that the address signs up",
        limits.text("sign_ups_per_address"),
        limits.day("sign_ups_per_address", settings.budget.fuel_ms / 1000) + ": the budgets of them all",
        "each account takes turns with the others",
    )


class _Limits:
    """The limits of requests, in words."""

    def __init__(self, settings: Settings) -> None:
        self._limits = settings.http.limits

    def of(self, name: str) -> Limit | None:
        """Return the limit, or None if there is none."""
        return self._limits[name]

    def text(self, name: str) -> str:
        """Return the name of the limit with its value."""
        limit = self.of(name)
        return f"`{name}` off" if limit is None else f"`{name}` {limit.most}/{limit.seconds:g}"

    def day(self, name: str, seconds: float, budget: float | None = None) -> str:
        """Return the processor time of a day's requests that take ``seconds`` each. If a budget applies, only
        the last one can exceed it.
        """
        limit = self.of(name)
        asked = None if limit is None else (limit.most + int(limit.rate * _DAY_SECONDS)) * seconds
        if budget is not None and (asked is None or asked > budget):
            return f"the budget, and one more: {_number(budget + seconds)}"
        return "without a bound" if asked is None else _number(asked)

    def begun(self, name: str) -> str:
        """Return the number of games that can begin at once, with the processor time of their house bots."""
        limit = self.of(name)
        if limit is None:
            return ", so all time of the workers that others leave"
        return f": {limit.most} at once take up to {_number(limit.most * MOST_MOVES * _MOVE_MS / 1000)}"

    def cores(self, name: str) -> str:
        """Return how many cores the requests can keep busy, if all are cheap and if all are expensive."""
        limit = self.of(name)
        cheap = "" if limit is None else f"{limit.rate * _REQUEST_MS / 1000:.2g} cores with such requests; "
        return (
            f"{cheap}with pages of long games, which take up to {_PAGE_SECONDS} s, all processes of the API"
        )


def _number(value: float) -> str:
    return f"{value:,.0f}"


if __name__ == "__main__":
    try:
        # No database is used.
        print(page(Settings.from_environment({"REDIS_URL": "unix:///none", **os.environ})), end="")
    except ArenaError as error:
        sys.exit(f"botequim: error: {error}")
