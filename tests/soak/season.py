"""A season: many games at once among bots that are processes of their own, and its proof."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.client import ApiError, Client
from arena.records.verify import verify
from tests.service import Service, environment

CLOCK = {"per_turn_ms": 20_000, "bank_ms": 60_000}
LAST_POLL_S = 22
"""How long a request with ``wait=20`` may take to bring its results."""


@dataclass
class Player:
    """A bot: its name, its token and the file in which it notes what was accepted."""

    name: str
    token: str
    journal: Path

    def results(self) -> Iterator[dict[str, Any]]:
        """What became of its answers, in order."""
        if self.journal.exists():
            for line in self.journal.read_text().split("\n")[:-1]:
                yield json.loads(line)


@dataclass
class Season:
    """Games of ``bots`` and house bots at ``service``."""

    service: Service
    folder: Path
    owner: Client = field(init=False)
    players: list[Player] = field(default_factory=list)
    games: list[str] = field(default_factory=list)
    private: set[str] = field(default_factory=set)
    """Those of the games that only the owner sees."""
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The records that were read so far, by game."""

    def enter(self, count: int) -> None:
        """Create the owner and ``count`` bots."""
        self.owner = Client(self.service.url, self.service.client().sign_up("season"), patience=120)
        for number in range(count):
            name = f"player-{number}"
            self.players.append(Player(name, self.owner.register_bot(name), self.folder / f"{name}.jsonl"))

    def create(
        self, kinds: Sequence[str], games: int, house: Sequence[str] = (), *, private: bool = False
    ) -> None:
        """Make ``games`` games of each kind, with everybody at every table, the seats going round.
        ``private``: every other round is.
        """
        seats: list[Mapping[str, Any]] = [{"bot": player.name} for player in self.players]
        seats += ({"house": name} for name in house)
        for number in range(games):
            turned = number % len(seats)
            for kind in kinds:
                hidden = {"visibility": "private"} if private and number % 2 else {}
                made = self.owner.create_game(kind, seats[turned:] + seats[:turned], clock=CLOCK, **hidden)
                self.games.append(made["game"])
                if hidden:
                    self.private.add(made["game"])

    @contextmanager
    def playing(self, commands: Sequence[list[str]] = ()) -> Iterator[None]:
        """All bots play, each in a process; ``commands`` are the first ones, the SDK the others."""
        sdk = [[sys.executable, "-m", "tests.soak.bot"]] * (len(self.players) - len(commands))
        with ExitStack() as stack:
            processes = []
            for player, command in zip(self.players, [*commands, *sdk], strict=True):
                settings = {
                    "BOTEQUIM_URL": self.service.url,
                    "BOTEQUIM_TOKEN": player.token,
                    "BOTEQUIM_JOURNAL": str(player.journal),
                    "BOTEQUIM_GAMES": str(len(self.games)),
                }
                process = subprocess.Popen(
                    command,
                    cwd=self.folder,
                    env=environment(**settings),
                    stdin=subprocess.DEVNULL,
                    start_new_session=True,
                )
                stack.callback(end, process)
                processes.append(process)
            yield
            if commands:
                # They never end, and the results of their last answers come with the end of a long poll.
                time.sleep(LAST_POLL_S)
            # The others end when they know that all their games are over.
            for process in processes[len(commands) :]:
                assert process.wait(120) == 0

    def wait(self, seconds: float, meanwhile: Callable[[], None] = lambda: time.sleep(0.5)) -> None:
        """Until no game is running any more."""
        deadline = time.monotonic() + seconds
        query = {"state": "running", "limit": 1}
        while self.owner.request("GET", "/v1/games", query=query)["games"]:
            assert time.monotonic() < deadline, "the games do not end"
            meanwhile()

    def read(self) -> None:
        """Read the records of the games that have ended since the last time."""
        for game in self.owner.games(state="finished"):
            if game["game"] not in self.records:
                with suppress(ApiError):
                    self.records[game["game"]] = self.owner.record(game["game"])

    def prove(self) -> Counter[str]:
        """Every game is over and listed once, every record verifies and is as it was when it was read first,
        and the records and what the bots were told agree: no accepted action is missing, and none is there
        that was not accepted. Returns counts.
        """
        counts: Counter[str] = Counter()
        accepted: dict[tuple[str, int], dict[int, str]] = {}
        for player in self.players:
            for result in player.results():
                counts[result["status"]] += 1
                if result["status"] == "accepted":
                    counts["repeated"] += result["repeated"]
                    game, seat, _ = result["turn"].rsplit(".", 2)
                    own = accepted.setdefault((game, int(seat)), {})
                    assert own.setdefault(result["after"], result["action"]) == result["action"]
        names = {player.name for player in self.players}
        for game in self.games:
            record = self.owner.record(game, wait=True)
            assert verify(record) == [], game
            assert self.records.setdefault(game, record) == record, game
            canonical = record["canonical"]
            counts[canonical["kind"]] += 1
            counts["actions"] += len(canonical["actions"])
            counts["faults"] += len(canonical["faults"])
            for seat, entry in enumerate(canonical["players"]):
                if entry["name"] in names:
                    logged = {
                        after: action
                        for after, (who, action, *mark) in enumerate(canonical["actions"], 1)
                        if who == seat and not mark
                    }
                    told = accepted.pop((game, seat), {})
                    assert logged == told, f"{game} seat {seat}: {logged.items() ^ told.items()}"
        assert not accepted, "answers were accepted of games that are not there"
        listed = Counter(game["game"] for game in self.owner.games())
        assert listed == Counter(self.games)
        public = [record for game, record in self.records.items() if game not in self.private]
        prove_downloads(self.owner.records(), public)
        return counts


def prove_downloads(lines: Iterable[str], expected: Iterable[Mapping[str, Any]]) -> None:
    """What is downloaded are the expected records, each once."""
    downloaded = [json.loads(line) for line in lines]
    records = {record["canonical"]["game"]: record for record in downloaded}
    assert len(records) == len(downloaded), "a record is downloaded twice"
    assert records == {record["canonical"]["game"]: record for record in expected}


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that leads its group, and all that it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
