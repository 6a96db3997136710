"""The settings of tournaments, each declared once (see :mod:`arena.declarations`)."""

from __future__ import annotations

from typing import Final

from arena.declarations import Moment, declared, setting
from arena.play.players import DIVISION_TEXT, DIVISIONS
from arena.play.players import OPEN as OPEN_DIVISION
from arena.ratings.standings import TIE_BREAKS

FORMAT_NAMES: Final = ("round_robin", "swiss", "knockout", "open", "rating")
"""The names of the formats, which this module cannot import. A test compares these names, and what is said
about formats here, with the formats.
"""

SAME: Final = "same"
MIXED: Final = "mixed"
PARTNERS: Final = (SAME, MIXED)

WHO: Final = ("anyone", "house", "invited")

MAX_ENTRIES: Final = 512
MAX_GUESTS: Final = 1000
MAX_SECONDS: Final = 31 * 86_400

_UNTIL_GROUPS: Final = (
    "Fires only if some bot that would be entered has fewer groups than this on its board and the "
    "schedule's previous tournament is over."
)


@declared
class SharedSettings:
    """The stored settings that one-off and scheduled tournaments share. Both also have a game, its rules, and
    a clock.
    """

    name: str = setting(
        "A display name, of printable characters.",
        label="Name",
        min_length=1,
        max_length=80,
        response="The display name.",
    )
    description: str = setting(
        "Plain text about the tournament, which can have several lines; public.",
        label="Description",
        max_length=2000,
        lines=True,
        default="",
        response="Plain text about the tournament; can be empty.",
    )
    link: str = setting(
        "The http or https address of the tournament's web page.",
        label="Link",
        max_length=300,
        default="",
        response="The address of a web page about the tournament; can be empty.",
    )
    format: str = setting(
        "The pairing format; see the page on tournaments.",
        label="Format",
        choices=FORMAT_NAMES,
        response="The pairing format.",
    )
    groups: int = setting(
        "The number of groups per pairing.", label="Groups per pairing", minimum=1, maximum=1000, default=1
    )
    rounds: int | None = setting(
        "`round_robin`: how many times each bot meets every other. `swiss`: the number of rounds; by default "
        "as many as halve the field to one. `rating`: the number of groups that each bot plays.",
        label="Rounds",
        minimum=1,
        maximum=100,
        nullable=True,
        default=None,
    )
    partners: str = setting(
        "`mixed`: every bot partners every other, and is rated individually.",
        label="Partners",
        choices=PARTNERS,
        default=SAME,
        response="How partners are chosen in games with teams of several seats.",
    )
    max_entries: int = setting(
        "The maximum number of bots.", label="Places", minimum=2, maximum=MAX_ENTRIES, default=64
    )
    per_owner: int | None = setting(
        "The maximum number of bots per owner. By default 4, or 1 at tables of the format `knockout`.",
        label="Bots per owner",
        minimum=1,
        maximum=MAX_ENTRIES,
        default=None,
    )
    who: str = setting("Who may enter.", label="Who may enter", choices=WHO, default="anyone")
    division: str = setting(DIVISION_TEXT, label="Division", choices=DIVISIONS, default=OPEN_DIVISION)
    invited: tuple[str, ...] = setting(
        "The names of the bots that may enter, if `who` is `invited`.",
        label="Invited bots",
        max_items=MAX_ENTRIES,
        max_length=80,
        default=(),
    )
    baseline: tuple[str, ...] = setting(
        "House bots and organisers' bots that play without taking a place. They need no invitation, do not "
        "count in `per_owner`, and come last. Not for `knockout`.",
        label="Baseline bots",
        max_items=MAX_ENTRIES,
        max_length=40,
        default=(),
        response="The names of the bots that take no place, provided that organisers own them.",
    )
    auto_enter: bool = setting(
        "Whether every qualified bot that is online or uploaded is entered automatically.",
        label="Enter every qualified bot that is online or uploaded",
        default=False,
    )
    rated: bool | None = setting(
        "Whether the tournament counts for the leaderboards. By default, tournaments of admins whose rules "
        "match a preset do; no others can.",
        label="Counts for the leaderboards",
        default=None,
    )
    games_per_bot: int = setting(
        "The maximum number of simultaneous live games per bot.",
        label="Live games of a bot at once",
        minimum=1,
        maximum=64,
        default=4,
    )
    max_repeats: int = setting(
        "`open` only: the maximum number of pairings of the same two bots.",
        label="Pairings of the same two bots",
        minimum=1,
        maximum=10_000,
        default=10,
    )
    tie_breaks: tuple[str, ...] = setting(
        "The tie-breaks, in the order applied.",
        label="Tie-breaks",
        choices=tuple(TIE_BREAKS),
        max_items=len(TIE_BREAKS),
        default=("head_to_head", "sonneborn_berger", "won"),
    )


@declared
class OneOffSettings(SharedSettings):
    """The stored settings of a one-off tournament."""

    hidden: bool = setting(
        "Whether only organisers, admins, and owners who are invited or have entered can see the tournament, "
        "its games and its records. Requires `who` to be `invited` or `house`; cannot be rated.",
        label="Hidden",
        default=False,
        response="Whether only organisers, participants and admins can see the tournament.",
    )
    opens_ms: Moment | None = setting("When entry opens; by default now.", label="Entry opens", default=None)
    locks_ms: Moment | None = setting(
        "When entry is locked and play starts; by default a minute after entry opens.",
        label="Entry closes and play starts",
        default=None,
    )
    ends_ms: Moment | None = setting(
        "`open` only, and required there: when play ends.", label="Play ends", default=None
    )


@declared
class TemplateSettings(SharedSettings):
    """The settings for the tournaments of a schedule."""

    entry_s: int = setting(
        "Seconds from the opening of entry until it is locked and play starts.",
        label="Seconds of entry",
        minimum=1,
        maximum=MAX_SECONDS,
        default=60,
    )
    play_s: int | None = setting(
        "`open` only, and required there: seconds of play.",
        label="Seconds of play",
        minimum=1,
        maximum=MAX_SECONDS,
        default=None,
    )


@declared
class ScheduleSettings:
    """The settings of when a schedule fires, in addition to its cron line."""

    at_ms: Moment | None = setting(
        "The time at which to fire once.",
        label="Or once, at",
        default=None,
        response="The time at which a one-off schedule fires; otherwise null.",
    )
    until_groups: int | None = setting(
        f"{_UNTIL_GROUPS} Requires `auto_enter`.",
        label="Until groups",
        minimum=1,
        maximum=100_000,
        default=None,
        response=f"{_UNTIL_GROUPS} Null: no such condition.",
    )


@declared
class HouseBots:
    """The setting for house bots that are entered from the start; they are stored as entries."""

    house: tuple[str, ...] = setting(
        "The house bots to enter. If all entrants are house bots, each can enter several times: `rookie`, "
        "`rookie+2`. `pool`: `regular` or `barfly`, drawn by lot at the lock.",
        label="House bots that play",
        max_items=MAX_ENTRIES,
        max_length=40,
        default=(),
    )


@declared
class InvitedOwners:
    """The setting for owners who are invited from the start. They are stored as guests, and invitations
    change them later.
    """

    invited_owners: tuple[str, ...] = setting(
        "The owners whose bots may enter, if `who` is `invited`; not public. They can be changed later, and "
        "invitation links can add others.",
        label="Invited owners",
        max_items=MAX_GUESTS,
        max_length=80,
        default=(),
    )
