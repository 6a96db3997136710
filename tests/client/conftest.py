"""Tables for the tests of the client."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from arena.client import Client
from tests.api.server import Server
from tests.service import Service
from tests.waiting import wait_until

_numbers = itertools.count(1)


class Table:
    """An owner and two bots of its own, who play Toepen with each other."""

    def __init__(self, service: Server | Service) -> None:
        number = next(_numbers)
        self.service = service
        self.owner_token = service.client().sign_up(f"author-{number}")
        self.owner = service.client(self.owner_token)
        self.names = [f"bot-{number}-a", f"bot-{number}-b"]
        self.tokens = [self.owner.register_bot(name) for name in self.names]

    def await_records(self) -> None:
        """Wait until the records of all its games are in the lists."""
        games = [game["game"] for game in self.owner.games(bot=self.names[0])]
        wait_until(lambda: all(game in text for text in [self.owner.all_records("toepen")] for game in games))

    def client(self, bot: int) -> Client:
        return self.service.client(self.tokens[bot])

    def new_game(self, **options: object) -> str:
        seats = [{"bot": name} for name in self.names]
        return str(self.owner.create_game("toepen", seats, **options)["game"])


@pytest.fixture
def table(service: Server) -> Table:
    return Table(service)


@pytest.fixture
def bot_file(tmp_path: Path) -> Path:
    """A bot that plays at random."""
    path = tmp_path / "my_bot.py"
    path.write_text(
        "from botequim import Bot\n\n\n"
        "class MyBot(Bot):\n"
        "    def choose(self, turn):\n"
        '        return self.random.choice(turn["legal_actions"])\n'
    )
    return path
