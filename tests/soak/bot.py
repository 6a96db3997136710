"""``python -m tests.soak.bot``: one bot in a process of its own, which knows an address and a token.

It plays at random, with the SDK and nothing else, until its games are over. What the service has accepted
goes to the journal before the next request.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from arena.bots import Bot
from arena.client import Client, run


class Anything(Bot):
    """Any legal action; a right is used now and then."""

    wants_rights = True

    def choose(self, turn: Mapping[str, Any]) -> str | None:
        if turn["optional"] and self.random.random() > 0.05:
            return None
        return str(self.random.choice(turn["legal_actions"]))


class WritingClient(Client):
    """Writes down what became of every answer."""

    journal: int

    def exchange(
        self, answers: Sequence[Mapping[str, str]] = (), after: str | None = None, **options: Any
    ) -> dict[str, Any]:
        reply = super().exchange(answers, after, **options)
        lines = "".join(json.dumps(result) + "\n" for result in reply["results"])
        os.write(self.journal, lines.encode())
        return reply


@click.command()
@click.option("--url", envvar="BOTEQUIM_URL", required=True)
@click.option("--token", envvar="BOTEQUIM_TOKEN", required=True)
@click.option("--journal", envvar="BOTEQUIM_JOURNAL", required=True, type=click.Path(path_type=Path))
@click.option("--games", envvar="BOTEQUIM_GAMES", required=True, type=int)
def main(url: str, token: str, journal: Path, games: int) -> None:
    """Play until that many games are over."""
    client = WritingClient(url, token, patience=float("inf"))
    client.journal = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    run(Anything, client, games=games, say=lambda line: None)


if __name__ == "__main__":
    main()
