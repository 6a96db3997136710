"""Plays games with what openapi-python-client makes of ``openapi.yaml`` (the package ``generated``).

Run as ``python generated_player.py URL``; mypy reads it too: the bodies have what is required and no more.
"""

from __future__ import annotations

import sys
import time
from typing import TypeVar, cast

from generated.api.bots import add_version, change_bot, qualify, register_bot
from generated.api.games import create_game, get_record, join_game
from generated.api.owners import sign_up
from generated.api.tournaments import cancel_tournament, create_tournament, enter_tournament
from generated.api.turns import exchange_turns
from generated.client import AuthenticatedClient, Client
from generated.models import (
    Answer,
    Answers,
    BotSeat,
    ChangedBot,
    Enter,
    HouseSeat,
    HouseSeatHouse,
    Join,
    NewBot,
    NewOwner,
    NewToepenGame,
    NewToepenGameKind,
    NewToepenTournament,
    NewToepenTournamentKind,
    NewTournamentBaseFormat,
    NewTrucoGame,
    NewTrucoGameKind,
    NewTrucoTournament,
    NewTrucoTournamentKind,
    NewVersion,
    OpenSeat,
    Problem,
    Qualify,
    QualifyKind,
    Reason,
    ToepenGame,
    ToepenTournament,
    TrucoGame,
    TrucoTournament,
)
from generated.types import UNSET, Unset

T = TypeVar("T")


def good(reply: T | Problem | None) -> T:
    """The reply, which must be no problem document."""
    assert reply is not None
    assert not isinstance(reply, Problem), reply
    return reply


def play(bot: AuthenticatedClient, games: list[str]) -> None:
    """Answer the turns of the bot until each game has a record."""
    answers = Answers()
    cursor: str | Unset = UNSET
    waiting = set(games)
    while waiting:
        reply = good(exchange_turns.sync(client=bot, body=answers, after=cursor, wait=1, rights=False))
        assert [result.to_dict()["status"] for result in reply.results] == ["accepted"] * len(reply.results)
        answers = Answers(
            answers=[Answer(turn=turn.turn, action=turn.legal_actions[0]) for turn in reply.turns]
        )
        cursor = reply.cursor
        if not reply.turns:
            waiting -= {game for game in waiting if recorded(bot, game)}


def recorded(bot: AuthenticatedClient, game: str) -> bool:
    """Whether the game has a record, which names no fault."""
    record = get_record.sync(game, client=bot)
    if record is None or isinstance(record, Problem):
        return False
    assert record.canonical.faults == []
    assert record.canonical.outcome.forfeits == []
    print(f"{record.canonical.kind}: {len(record.canonical.actions)} actions")
    return True


def main(url: str) -> None:
    # A token is optional, which the generated types cannot express.
    visitor = cast(AuthenticatedClient, Client(base_url=url))
    signed = good(sign_up.sync(client=visitor, body=NewOwner(name=f"olga{time.time_ns():x}")))
    owner = AuthenticatedClient(base_url=url, token=signed.token)
    name = f"bot{time.time_ns():x}"
    registered = good(register_bot.sync(client=owner, body=NewBot(name=name)))
    good(change_bot.sync(name, client=owner, body=ChangedBot()))
    good(add_version.sync(name, client=owner, body=NewVersion(label="2")))
    rookie = HouseSeat(house=HouseSeatHouse.ROOKIE)
    truco = NewTrucoGame(
        kind=NewTrucoGameKind.TRUCO, seats=[BotSeat(bot=name), rookie, BotSeat(bot=name), rookie]
    )
    toepen = NewToepenGame(kind=NewToepenGameKind.TOEPEN, seats=[rookie, OpenSeat(open_=True)])
    games = []
    for body in (truco, toepen):
        game = create_game.sync(client=owner, body=body)
        assert isinstance(game, TrucoGame | ToepenGame), game
        games.append(game.game)
    bot = AuthenticatedClient(base_url=url, token=registered.token)
    good(join_game.sync(games[1], client=bot, body=Join()))
    play(bot, games)
    for cup in (
        NewTrucoTournament(
            name="Cup", kind=NewTrucoTournamentKind.TRUCO, format_=NewTournamentBaseFormat.SWISS
        ),
        NewToepenTournament(
            name="Cup", kind=NewToepenTournamentKind.TOEPEN, format_=NewTournamentBaseFormat.KNOCKOUT
        ),
    ):
        made = create_tournament.sync(client=owner, body=cup)
        assert isinstance(made, TrucoTournament | ToepenTournament), made
        good(enter_tournament.sync(made.id, client=owner, body=Enter(bot=name)))
        good(cancel_tournament.sync(made.id, client=owner, body=Reason(reason="Rain.")))
    good(qualify.sync(name, "2", client=owner, body=Qualify(kind=QualifyKind.TOEPEN)))


if __name__ == "__main__":
    main(sys.argv[1])
