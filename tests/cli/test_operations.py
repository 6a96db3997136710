"""Every operation of the specification has a command."""

from __future__ import annotations

import pytest

from tests.cli.tree import LEAVES
from tests.documents import openapi

SPEC = openapi()

COMMANDS = {
    "signUp": "signup",
    "getMe": "whoami",
    "createSignInLink": "web",
    "replaceOwnerToken": "owner rotate",
    "revokeOwnerToken": "owner revoke",
    "exportOwner": "owner export",
    "deleteOwner": "owner delete",
    "suspendOwner": "admin suspend",
    "unsuspendOwner": "admin unsuspend",
    "hideText": "admin hide",
    "showText": "admin unhide",
    "listHiddenTexts": "admin hidden",
    "getOwner": "owner show",
    "createInvitations": "roster import",
    "listInvitations": "roster show",
    "revokeInvitation": "roster revoke",
    "allowInvitations": "roster allow",
    "registerBot": "bot register",
    "listBots": "bot list",
    "getBot": "bot show",
    "listBotGames": "bot games",
    "changeBot": "bot change",
    "deleteBot": "bot delete",
    "addVersion": "bot add-version",
    "listBotOwners": "bot owners",
    "addBotOwner": "bot owners",
    "removeBotOwner": "bot owners --remove",
    "listUploads": "bot uploads",
    "getUpload": "bot upload",
    "publishVersion": "bot publish",
    "getSource": "bot source",
    "qualify": "bot qualify",
    "listQualifications": "bot qualifications",
    "getLog": "bot log",
    "getNotes": "bot notes",
    "publishNotes": "bot notes --publish",
    "replaceWebhookSecret": "bot secret",
    "replaceBotToken": "bot rotate",
    "revokeBotToken": "bot revoke",
    "createGame": "game create",
    "listGames": "game list",
    "getGame": "game show",
    "joinGame": "game join",
    "resignGame": "game resign",
    "cancelGame": "game cancel",
    "listEvents": "game events",
    "streamEvents": "game watch",
    "getRecord": "game record",
    "exchangeTurns": "bot run",
    "endPresence": "bot run",
    "createTournament": "tournament create",
    "planTournament": "tournament create --dry-run",
    "createSeries": "series create",
    "listSeries": "series list",
    "getSeries": "series add",
    "changeSeries": "series done",
    "deleteSeries": "series delete",
    "getSeriesTable": "series show",
    "listTournaments": "tournament list",
    "getTournament": "tournament show",
    "enterTournament": "tournament enter",
    "leaveTournament": "tournament leave",
    "cancelTournament": "tournament cancel",
    "editTournament": "tournament edit",
    "cloneTournament": "tournament clone",
    "getResults": "tournament results",
    "subscribeToTournament": "tournament follow",
    "listSubscriptions": "tournament follow",
    "pingSubscription": "tournament follow --test",
    "deleteSubscription": "tournament follow --remove",
    "listGuests": "tournament invite",
    "inviteOwners": "tournament invite",
    "uninviteOwner": "tournament invite --remove",
    "createInvitationLink": "tournament invite --link",
    "revokeInvitationLink": "tournament invite --revoke",
    "acceptInvitation": "tournament accept",
    "addOrganiser": "tournament organisers",
    "removeOrganiser": "tournament organisers --remove",
    "getStandings": "tournament standings",
    "listGroups": "tournament groups",
    "downloadTournamentRecords": "tournament records",
    "listComparisons": "compare --list",
    "createComparison": "compare --online",
    "getComparison": "compare --online",
    "createSchedule": "schedule create",
    "listSchedules": "schedule list",
    "getSchedule": "schedule show",
    "changeSchedule": "schedule pause",
    "deleteSchedule": "schedule delete",
    "listLeaderboards": "leaderboard --online",
    "getLeaderboard": "leaderboard --online",
    "getHistory": "leaderboard --history",
    "getMatchups": "leaderboard --matchups",
    "getStyles": "leaderboard --styles",
    "downloadRecords": "records",
    "listRecordChanges": "records",
    "issueOwnerToken": "admin token",
    "setAdmin": "admin grant",
    "listAudit": "admin audit",
    "annulGame": "admin annul",
    "listSuspicions": "admin suspicions",
    "listSuspensions": "admin suspensions",
    "liftSuspension": "admin lift",
    "isAlive": "admin health",
    "isReady": "admin health",
    "getMetrics": "admin metrics",
}
"""The command of each operation, with an option if it is one of several things that the command does."""

WITHOUT = {
    "getTurns": "a bot that answers uses exchangeTurns, which returns the same turns",
    "streamTurns": "bot run gets its turns by long polling",
    "streamTournament": "tournament watch gets the same states by long polling",
    "downloadAllRecords": "records downloads the same in pages, which can be continued",
}
"""Operations without a command, and why."""


def operations() -> set[str]:
    """The ids of all operations of the specification."""
    return {
        operation["operationId"]
        for item in SPEC["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    }


def test_every_operation_has_a_command_or_a_reason() -> None:
    assert COMMANDS.keys() | WITHOUT.keys() == operations()
    assert COMMANDS.keys() & WITHOUT.keys() == set()


@pytest.mark.parametrize("line", sorted(set(COMMANDS.values())))
def test_the_commands_exist(line: str) -> None:
    name, _, option = line.partition(" --")
    assert name in LEAVES
    options = {opt for parameter in LEAVES[name].params for opt in parameter.opts}
    assert not option or f"--{option}" in options
