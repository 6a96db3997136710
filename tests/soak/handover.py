"""``python -m tests.soak.handover --old COMMIT``: this version opens the data of an earlier one.

The earlier version plays tournaments, publishes boards and begins live games; then all its processes are
stopped, and the database with them. This version upgrades the data and opens the folder: records, standings,
boards and their history have to be equal, open turns as they were, and the games go on to their end.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

import click

from arena.client import Client
from arena.games import game_of
from arena.records.verify import verify
from arena.store.embedded import EmbeddedStore
from tests.ports import free_port
from tests.service import ROOT
from tests.soak.two_versions import ADMIN, KINDS, Version, environment_of, running, unpacked
from tests.waiting import wait_until

CUPS: Final = ({"house": ["rookie", "random", "regular"]}, {"house": ["rookie", "random"], "rated": False})
OF_METHOD: Final = frozenset(
    {
        "method",
        "rank",
        "worst_rank",
        "supplement_hash",
        "published_ms",
        "house_groups",
        "without_house",
        "proven",
        "chosen",
        "proven_parties",
        "proven_needed",
        "luck_table",
        "adjusted",
        "adjusted_low",
        "adjusted_high",
    }
)
"""What another way of computing boards can change in a board, without a change of its ratings."""

OF_TABLES: Final = frozenset({"published_ms", "luck_table", "adjusted", "adjusted_low", "adjusted_high"})
"""What another equity table can change in a board."""

OF_TURNS: Final = (
    "turn",
    "game",
    "kind",
    "seat",
    "rules",
    "optional",
    "legal_actions",
    "observation",
    "events",
)
_ANSWERS: Final = 12


@contextmanager
def opened(version: Version, folder: Path) -> Iterator[Client]:
    """The service of the version on the data in ``folder``."""
    port = free_port()
    with EmbeddedStore(folder / "data") as store, running(version, store.url, folder, port):
        client = Anybody(f"http://127.0.0.1:{port}", ADMIN, patience=600)
        wait_until(client.is_ready)
        yield client


def upgrade(version: Version, folder: Path) -> None:
    """Bring the data in ``folder`` to the format of the version by its command."""
    with EmbeddedStore(folder / "data") as store:
        subprocess.run(
            [version.python, "-m", "arena.cli", "ops", "upgrade"],
            cwd=version.folder,
            env=environment_of(version, store.url, folder),
            check=True,
        )


def sign_up(url: str, name: str) -> str:
    """Sign up at a version whose reply can lack what this version's client expects; the token."""
    body, kind = json.dumps({"name": name}).encode(), {"Content-Type": "application/json"}
    with urlopen(Request(f"{url}/v1/owners", body, kind)) as reply:
        return str(json.load(reply)["token"])


def read(url: str, path: str = "") -> dict[str, Any]:
    """A reply about boards of a version, which can lack what this version's client expects."""
    with urlopen(f"{url}/v1/leaderboards{path}") as reply:
        found: dict[str, Any] = json.load(reply)
        return found


def board_of(url: str, kind: str, division: str, preset: str) -> dict[str, Any]:
    return read(url, f"/{kind}/{division}?preset={preset}")


class Anybody(Client):
    """A client that accepts replies of services of another version, which lack new fields."""

    def _check(self, operation: str, value: object) -> None:
        pass


def without(value: Any, keys: frozenset[str]) -> Any:
    """The value without these keys at any level."""
    if isinstance(value, Mapping):
        return {key: without(one, keys) for key, one in value.items() if key not in keys}
    return [without(one, keys) for one in value] if isinstance(value, list) else value


def begin(admin: Client) -> dict[str, str]:
    """Play tournaments to their boards, and begin games. Returns the tokens of the bots that play them."""
    cups = [
        admin.create_tournament(
            name="Cup", kind=kind, preset=game_of(kind).presets[0].name, format="round_robin", groups=4, **cup
        )["id"]
        for kind in KINDS
        for cup in CUPS
    ]
    wait_until(lambda: all((admin.tournament(cup) or {})["state"] == "finished" for cup in cups))
    wait_until(lambda: sum(board["groups"] == 12 for board in read(admin.url)["leaderboards"]) == len(KINDS))
    owner = Anybody(admin.url, sign_up(admin.url, "ana"))
    tokens = {name: owner.register_bot(name) for name in ("able", "keen")}
    patient = {"per_turn_ms": 3_600_000, "bank_ms": 600_000}
    for kind, house in (("truco", ["rookie", "random"]), ("toepen", ["rookie"])):
        seats = [*({"bot": name} for name in tokens), *({"house": name} for name in house)]
        owner.create_game(kind, seats, clock=patient)
    for _ in range(_ANSWERS):
        move(admin.url, tokens)
    # The house bots, which sit behind the others, have moved.
    wait_until(lambda: all(max(game["awaiting"], default=0) < len(tokens) for game in unfinished(admin)))
    return tokens


def unfinished(admin: Client) -> list[Any]:
    """The games that have not ended."""
    games = [admin.game(game["game"]) for game in admin.games()]
    return [game for game in games if game is not None and game["state"] == "running"]


def move(url: str, tokens: Mapping[str, str]) -> None:
    """Answer all turns of the bots that are open now."""
    for token in tokens.values():
        client = Anybody(url, token)
        turns = client.exchange(wait=1)["turns"]
        client.exchange(
            [{"turn": one["turn"], "action": one["legal_actions"][0]} for one in turns if not one["optional"]]
        )


def shown(admin: Client, tokens: Mapping[str, str]) -> dict[str, Any]:
    """What has to stay."""
    boards = [board for board in read(admin.url)["leaderboards"] if board["published_ms"] is not None]
    names = [(board["kind"], board["division"], board["preset"]) for board in boards]
    return {
        "records": list(admin.records()),
        "standings": {cup["id"]: json.loads(admin.standings(cup["id"])) for cup in admin.tournaments()},
        "list of boards": boards,
        "boards": [board_of(admin.url, *name) for name in names],
        "history": [admin.leaderboard_history(*name[:2], preset=name[2]) for name in names],
        "games": [(game["game"], game["state"], game["seats"]) for game in admin.games()],
        "turns": {
            name: [
                {key: turn[key] for key in OF_TURNS}
                for turn in sorted(Anybody(admin.url, token).exchange()["turns"], key=lambda one: one["turn"])
            ]
            for name, token in tokens.items()
        },
    }


def hand_over(old: Version, folder: Path) -> tuple[list[str], dict[str, int]]:
    """What is not as the earlier version showed it, and how much of each there was."""
    with opened(old, folder) as admin:
        tokens = begin(admin)
        before = shown(admin, tokens)
    new = Version("new", ROOT, sys.executable, {})
    upgrade(new, folder)
    with opened(new, folder) as admin:
        after = shown(admin, tokens)
        # Boards of another method, with other fields or with another equity table are published again.
        ways = {(board["method"], *board) for view in (before, after) for board in view["boards"]}
        tables = [[board.get("luck_table") for board in view["boards"]] for view in (before, after)]
        left_out = OF_TABLES if tables[0] != tables[1] else frozenset()
        left_out |= OF_METHOD if len(ways) > 1 else frozenset()
        pairs = {name: (without(before[name], left_out), without(after[name], left_out)) for name in before}
        wrong = [f"{name}: {old} and {new}" for name, (old, new) in pairs.items() if old != new]
        games = [game for game, state, _ in before["games"] if state == "running"]
        while any((admin.game(game) or {})["state"] == "running" for game in games):
            move(admin.url, tokens)
        wrong += [f"{game}: {problem}" for game in games for problem in verify(admin.record(game, wait=True))]
    return wrong, {name: len(value) for name, value in before.items()}


@click.command()
@click.option("--old", "commit", required=True, help="The commit of the earlier version.")
@click.option("--share/--install", help="Use this environment's packages for the earlier version too.")
def main(commit: str, share: bool) -> None:
    """Hand the data of the earlier version over; exit with 1 if anything was lost or changed."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wrong, counts = hand_over(unpacked(commit, folder, share), folder)
    click.echo(", ".join(f"{count} {name}" for name, count in counts.items()))
    for line in wrong:
        click.echo(f"WRONG: {line[:2000]}", err=True)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
