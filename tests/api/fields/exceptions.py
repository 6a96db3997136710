"""Gaps that there may be, and why. A test fails if one of them is closed, or another opens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from tests.api.fields.gaps import Gap

DERIVED: Final = (
    "it is written by hand; derived from one declaration of the field it is there, and says the same"
)

_LISTED: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "choices": {
        "the other states are what their names say": ("entered qualifying qualified failed withdrawn",)
    },
    "default of control": {"most bots are uploaded": ("addVersion.transport", "registerBot.transport")},
    "default of option": {
        "an option says how many in all, on any number of pages": ("* --limit",),
        "people read text, programs JSON": (
            "leaderboard --format",
            "series show --format",
            "tournament standings --format",
        ),
        "the shortest command is to work": ("schedule create --format", "tournament create --format"),
        "within the minute of the API nobody could enter": (
            "tournament clone --starts",
            "tournament create --starts",
        ),
        "a file may be a further version": ("bot submit --version",),
        "it says the same in words": ("bot add-version --webhook",),
    },
    "default of request": {
        "by default as in the tournament that is cloned": ("cloneTournament.{description link}",)
    },
    "no control": {
        DERIVED: (
            "cloneTournament.{description ends_ms link name opens_ms}",
            "createInvitationLink.expires_ms",
            "enterTournament.{nonce version}",
            "replaceWebhookSecret.secret",
        )
    },
    "no default": {
        "it is needed with its transport": ("addVersion.{source url}", "registerBot.{source url}"),
        "one of the two is needed": ("createInvitations.{count people}", "createSchedule.{at_ms cron}"),
        "it is left out if there is none": (
            "annulBetween.cursor",
            "createInvitations.people.{email handle}",
            "createSchedule.until_groups",
            "exchangeTurns.answers",
            "exchangeTurns.answers.note",
            "signUp.invitation",
        ),
    },
    "no option": {
        "the client joins the pages": ("*?cursor", "*?limit"),
        "the command sends it until all is done": ("annulBetween.cursor",),
        "bot run takes and answers turns by itself": (
            "exchangeTurns.answers",
            "exchangeTurns.answers.{action note turn}",
            "exchangeTurns?{after leaving legal limit rights wait}",
        ),
        "the client waits for what is new by itself": ("*?since", "*?wait"),
        "the client continues a download by itself": ("downloadRecords?after",),
        "they are columns of FILE": ("createInvitations.people.{email handle name}",),
        "a SEAT is one word; game join takes a nonce": ("createGame.seats.nonce",),
        "it is --online; locally a bot is an argument": ("createComparison.bot",),
        "the name of the command says it": (
            "changeSchedule.enabled",
            "changeSeries.done",
            "publishVersion.published",
            "setAdmin.admin",
        ),
        "its tournaments stay of that kind": ("changeSchedule.tournament.kind",),
    },
    "range of option": {
        "an option says how many in all, on any number of pages": ("* --limit",),
        "local comparisons may be longer": ("compare --most",),
        DERIVED: (
            "game events {--seat --start}",
            "game join --seat",
            "game resign --seat",
            "game show --seat",
            "game watch --seat",
            "roster allow MOST",
        ),
    },
    "range of request": {
        "the kind may be another one then": ("editTournament.preset",),
        "it is for other admins": ("hideText.reason",),
    },
    "text of control": {
        DERIVED: (
            "addVersion.{rights secret source url}",
            "changeSchedule.cron",
            "changeSchedule.tournament.clock.bank_ms",
            "createInvitations.{count people}",
            "createSchedule.cron",
            "createSchedule.tournament.clock.bank_ms",
            "createTournament.clock.bank_ms",
            "editTournament.clock.bank_ms",
            "registerBot.{name rights secret source url}",
            "signUp.invitation",
            "subscribeToTournament.secret",
        ),
        "it lists the choices, too": (
            "changeSchedule.tournament.tie_breaks",
            "changeSeries.tie_breaks",
            "createSchedule.tournament.tie_breaks",
            "createSeries.tie_breaks",
            "createTournament.tie_breaks",
            "editTournament.tie_breaks",
        ),
    },
    "text of option": {
        DERIVED: (
            "admin suspend --reason",
            "admin suspicions --preset",
            "bot add-version {--rights --secret --webhook}",
            "bot change --state",
            "bot games {--kind --preset}",
            "bot list --limit",
            "bot notes --publish",
            "bot qualify --preset",
            "bot register {--rights --secret --webhook}",
            "bot run --tournaments",
            "bot secret --secret",
            "bot submit {--name --tournaments --version}",
            "bot upload --wait",
            "compare {--alpha --beta --elo0 --elo1 --most --new --old --preset}",
            "game create {--bank-seconds --clock --rule --turn-seconds}",
            "game events {--seat --start}",
            "game join {--nonce --seat}",
            "game list {--bot --kind --limit}",
            "game resign --seat",
            "game show --seat",
            "game watch --seat",
            "leaderboard {--bot --preset}",
            "owner delete --confirm",
            "records --kind",
            "roster import --expires",
            "roster invite --expires",
            "roster show --roster",
            "schedule create {--bank-seconds --clock --cron --rule --turn-seconds}",
            "schedule edit {--bank-seconds --clock --cron --rule --turn-seconds}",
            "signup --invitation",
            "tournament clone {--description --ends --link --name --opens --starts}",
            "tournament create {--bank-seconds --clock --entrants --rule --turn-seconds}",
            "tournament edit {--bank-seconds --clock --rule --turn-seconds}",
            "tournament enter {--nonce --version}",
            "tournament follow --secret",
            "tournament groups {--against --bot --limit}",
            "tournament invite --expires",
            "tournament list {--bot --kind --limit --state}",
        )
    },
    "text of request": {
        "by default as in the tournament that is cloned": (
            "cloneTournament.{description ends_ms link locks_ms name}",
        ),
        "it is another seat": ("resignGame.seat",),
        "it is for other admins": ("hideText.reason",),
        "it is of something else": ("publishNotes.published",),
        "what is left out, or null, means something else there": (
            "addVersion.secret",
            "replaceWebhookSecret.secret",
        ),
    },
}
"""Where there may be a gap, by kind and reason. ``*``: anything; ``create.{name link}``: both of them."""


class Entry(NamedTuple):
    """A gap that there may be, and why."""

    kind: str
    where: str
    reason: str


def _entries() -> Iterator[Entry]:
    for kind, reasons in _LISTED.items():
        for reason, places in reasons.items():
            for place in places:
                start, _, names = place.partition("{")
                for name in names.removesuffix("}").split() or ("",):
                    yield Entry(kind, start + name, reason)


EXCEPTIONS: Final = tuple(_entries())


def matches(entry: Entry, gap: Gap) -> bool:
    """Whether the entry allows the gap."""
    pattern = re.escape(entry.where).replace(r"\*", ".*")
    return entry.kind == gap.kind and re.fullmatch(pattern, gap.where) is not None
