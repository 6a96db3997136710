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
        "the other states are what their names say": ("entered qualifying qualified failed withdrawn",),
    },
    "default of control": {
        "most bots are uploaded": (
            "addVersion.transport",
            "registerBot.transport",
        ),
    },
    "default of option": {
        "an option says how many in all, on any number of pages": ("* --limit",),
        "people read text, programs JSON": (
            "leaderboard --format",
            "series show --format",
            "tournament standings --format",
        ),
        "the shortest command is to work": (
            "schedule create --format",
            "tournament create --format",
        ),
        "within the minute of the API nobody could enter": (
            "tournament clone --starts",
            "tournament create --starts",
        ),
        "a file may be a further version": ("bot submit --version",),
        "it says the same in words": ("bot add-version --webhook",),
    },
    "default of request": {
        "by default as in the tournament that is cloned": ("cloneTournament.{description link}",),
    },
    "no control": {
        DERIVED: (
            "cloneTournament.{description ends_ms link name opens_ms}",
            "createInvitationLink.expires_ms",
            "enterTournament.{nonce version}",
            "replaceWebhookSecret.secret",
        ),
    },
    "no default": {
        "it is needed with its transport": (
            "addVersion.{source url}",
            "registerBot.{source url}",
        ),
        "one of the two is needed": (
            "createInvitations.{count people}",
            "createSchedule.{at_ms cron}",
        ),
        "it is left out if there is none": (
            "createInvitations.people.{email handle}",
            "createSchedule.until_groups",
            "exchangeTurns.answers",
            "exchangeTurns.answers.note",
            "registerBot.game_cost",
            "signUp.invitation",
        ),
    },
    "no option": {
        "the client joins the pages": (
            "*?cursor",
            "*?limit",
        ),
        "bot run takes and answers turns by itself": (
            "exchangeTurns.answers",
            "exchangeTurns.answers.{action note turn}",
            "exchangeTurns?{after leaving legal limit rights wait}",
        ),
        "the client waits for what is new by itself": (
            "*?since",
            "*?wait",
        ),
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
        DERIVED: (
            "changeSchedule.tournament.{auto_enter baseline description division format games_per_bot "
            "house invited kind link max_repeats partners per_owner play_s preset rated rules tie_breaks "
            "who}",
            "changeSchedule.tournament.clock.{bank_ms per_turn_ms preset}",
        ),
    },
    "range of option": {
        "an option says how many in all, on any number of pages": ("* --limit",),
        "local comparisons may be longer": ("compare --most",),
        DERIVED: (
            "bot change --game-cost",
            "bot register --game-cost",
            "game events {--seat --start}",
            "game join --seat",
            "game resign --seat",
            "game show --seat",
            "game watch --seat",
            "roster allow MOST",
            "schedule create {--games-per-bot --groups --rounds --until-groups}",
            "schedule edit {--groups --rounds}",
            "tournament create {--games-per-bot --groups --rounds}",
        ),
    },
    "range of request": {
        "the kind may be another one then": ("editTournament.preset",),
        "it is for other admins": ("hideText.reason",),
    },
    "text of control": {
        DERIVED: (
            "addVersion.{rights secret source url}",
            "changeBot.{datasets model people tournaments}",
            "changeSchedule.{at_ms cron}",
            "changeSchedule.tournament.{baseline description division entry_s groups invited link name "
            "per_owner play_s tie_breaks}",
            "changeSchedule.tournament.clock.bank_ms",
            "changeSeries.{best points tie_breaks tournaments}",
            "createInvitations.{count people}",
            "createSchedule.{at_ms cron}",
            "createSchedule.tournament.{baseline description division entry_s groups invited link name "
            "per_owner play_s tie_breaks}",
            "createSchedule.tournament.clock.bank_ms",
            "createSeries.{best points tie_breaks tournaments}",
            "createTournament.{baseline description division ends_ms groups hidden invited invited_owners "
            "link locks_ms name opens_ms per_owner tie_breaks}",
            "createTournament.clock.bank_ms",
            "editTournament.{baseline description division ends_ms groups hidden invited link locks_ms "
            "name opens_ms per_owner tie_breaks}",
            "editTournament.clock.bank_ms",
            "registerBot.{description name rights secret source tournaments url}",
            "signUp.invitation",
            "subscribeToTournament.secret",
        ),
    },
    "text of option": {
        DERIVED: (
            "admin audit --limit",
            "admin hide --reason",
            "admin suspend --reason",
            "admin suspicions --preset",
            "bot add-version {--rights --secret --webhook}",
            "bot change {--datasets --description --game-cost --model --people --state --tournaments}",
            "bot games {--kind --limit --preset}",
            "bot list --limit",
            "bot notes --publish",
            "bot qualify --preset",
            "bot register {--description --game-cost --model --rights --secret --tournaments --webhook}",
            "bot run --tournaments",
            "bot secret --secret",
            "bot submit {--name --tournaments --version}",
            "bot upload --wait",
            "compare {--alpha --beta --elo0 --elo1 --most --new --old --preset}",
            "game create {--bank-seconds --clock --rule --turn-seconds}",
            "game events {--limit --seat --start}",
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
            "schedule create {--at --auto-enter --bank-seconds --baseline --clock --cron --description "
            "--entry --format --games-per-bot --groups --house --invite --link --partners --per-owner "
            "--play --preset --rule --tie-break --turn-seconds --unrated --until-groups}",
            "schedule edit {--at --cron --entry --groups --name --rounds}",
            "series create {--best --by --points --tie-break --tournament}",
            "series edit {--best --by --points --tie-break}",
            "signup --invitation",
            "tournament clone {--description --ends --link --name --opens --starts}",
            "tournament create {--auto-enter --bank-seconds --baseline --clock --description --ends "
            "--entrants --format --games-per-bot --groups --hidden --house --invite --invite-owner --link "
            "--opens --partners --per-owner --preset --rule --starts --tie-break --turn-seconds "
            "--unrated}",
            "tournament edit {--auto-enter --bank-seconds --baseline --clock --description --division "
            "--ends --format --games-per-bot --groups --hidden --house --invite --link --name --opens "
            "--partners --per-owner --preset --rated --rounds --rule --starts --tie-break --turn-seconds}",
            "tournament enter {--nonce --version}",
            "tournament follow --secret",
            "tournament groups {--against --bot --limit}",
            "tournament invite --expires",
            "tournament list {--bot --kind --limit --state}",
        ),
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
            "changeBot.{game_cost tournaments}",
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
