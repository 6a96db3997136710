"""``python -m tests.soak.two_versions --old COMMIT``: an earlier version beside this one on one database.

Of each version an API process, a worker and the scheduler run, this one's without an archive. Bots in
threads, uploaded bots and house bots play live games and tournaments through both APIs in turn. No answer may
be a 5xx, no group or game void, everything must end, and all records verify. No process may end, except the
workers whose release has another runtime of uploaded bots than the first to build one.
"""

from __future__ import annotations

import json
import os
import random
import site
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from arena.client import Client
from arena.client.http import ApiError
from arena.client.player import OnlinePlayer
from arena.records.verify import verify
from arena.store.embedded import EmbeddedStore
from tests.ports import free_port
from tests.service import ROOT
from tests.soak.bot import Anything
from tests.waiting import wait_until

KINDS: Final = ("truco", "toepen")
SEATS: Final = {"truco": 4, "toepen": 3}
CLOCK: Final = {"per_turn_ms": 60_000, "bank_ms": 60_000}
SOURCE: Final = "def choose(turn):\n    return turn['legal_actions'][{number} % len(turn['legal_actions'])]\n"
READ: Final = (
    "/",
    "/tournaments",
    "/watch",
    "/leaderboards/toepen",
    "/healthz",
    "/readyz",
    "/metrics",
    "/v1/games",
    "/v1/games?state=running",
    "/v1/games?state=finished&kind=truco",
    "/v1/bots",
    "/v1/tournaments",
    "/v1/leaderboards",
    "/v1/leaderboards/toepen/sealed",
    "/v1/records?limit=5",
    "/v1/leaderboards/toepen/sealed/history",
    "/v1/schedules",
    "/v1/owners/me",
    "/openapi.json",
)
ADMIN: Final = "the-admin-token-of-two-versions-0123456789"


class Version(NamedTuple):
    """A version: the folder of its code, the Python of its environment, and its settings."""

    name: str
    folder: Path
    python: str
    settings: Mapping[str, str]


class Counts:
    """What the versions answered, and what was wrong. Threads share it."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, int]] = Counter()
        self.wrong: list[str] = []


class BothClient(Client):
    """Sends its requests to the addresses in turn."""

    def __init__(self, urls: Mapping[str, str], counts: Counts, token: str | None = None) -> None:
        super().__init__(next(iter(urls.values())), token, patience=60)
        connections = [(name, Client(url)._connection) for name, url in urls.items()]
        random.shuffle(connections)
        self._turns = cycle(connections)
        self._counts = counts

    def _once(self, method: str, target: str, *rest: Any) -> Any:
        timeout = self._connection.timeout
        name, self._connection = next(self._turns)
        self._connection.timeout = timeout
        reply = super()._once(method, target, *rest)
        self._counts.answers[name, reply.status] += 1
        if reply.status >= 500:
            self._counts.wrong.append(f"{name}: {method} {target}: {reply.status} {reply.body[:300]!r}")
        return reply


def unpacked(commit: str, folder: Path, share: bool) -> Version:
    """The version of ``commit`` with an environment of its own; ``share``: with this one's packages."""
    code = folder / "old"
    code.mkdir()
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x"], cwd=code, check=True, input=archive.stdout)
    environment = folder / "environment"
    venv.create(environment, with_pip=not share, symlinks=True)
    python = str(environment / "bin" / "python")
    if share:
        own = next((environment / "lib").glob("python3*/site-packages"))
        paths = [path for path in sys.path if path.endswith("site-packages")] or site.getsitepackages()
        (own / "shared.pth").write_text("\n".join(paths))
        (own / "code.pth").write_text(f"import sys; sys.path.insert(0, {str(code)!r})\n")
    else:
        subprocess.run([python, "-m", "pip", "install", "-q", f"{code}[server]"], check=True)
    return Version("old", code, python, {})


def environment_of(version: Version, database: str, folder: Path) -> dict[str, str]:
    """The environment of the processes of a version, with the archive in ``folder``."""
    ours = ("BOTEQUIM_", "REDIS_URL", "PYTHON")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(ours)},
        "REDIS_URL": database,
        "BOTEQUIM_LIMITS": "off",
        "BOTEQUIM_ARCHIVE": str(folder / "archive"),
        "BOTEQUIM_ADMIN_TOKEN": ADMIN,
        "BOTEQUIM_LOG_LEVEL": "WARNING",
        **version.settings,
    }


@contextmanager
def running(
    version: Version, database: str, folder: Path, port: int
) -> Iterator[dict[Path, subprocess.Popen[bytes]]]:
    """An API process at ``port``, a worker and a scheduler of the version, by their logs in ``folder``."""
    environment = {**environment_of(version, database, folder), "BOTEQUIM_BIND": f"127.0.0.1:{port}"}
    commands = {"api": ["api"], "worker": ["workers"], "scheduler": ["workers", "--scheduler"]}
    with ExitStack() as stack:
        processes = {}
        for name, command in commands.items():
            path = folder / f"{version.name}-{name}.log"
            log = stack.enter_context(path.open("ab"))
            process = subprocess.Popen(
                [version.python, "-m", *command],
                cwd=version.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
            stack.callback(stop, process)
            processes[path] = process
        yield processes


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process in order."""
    process.terminate()
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Load:
    """Games, tournaments and uploads on both APIs, until :meth:`finish`."""

    def __init__(self, urls: Mapping[str, str], counts: Counts) -> None:
        self._urls = urls
        self.counts = counts
        self.made: Counter[str] = Counter()
        self.tournaments: list[str] = []
        self.uploads: list[str] = []
        self._over = threading.Event()
        token = self.client().sign_up("two-versions")
        self.owner = self.client(token)
        self.admin = self.client(ADMIN)
        self.bots = {f"remote-{number}": self.owner.register_bot(f"remote-{number}") for number in range(4)}
        self._threads = [threading.Thread(target=self._play, args=(token,)) for token in self.bots.values()]
        for thread in self._threads:
            thread.start()

    def client(self, token: str | None = None) -> BothClient:
        """A client of both APIs."""
        return BothClient(self._urls, self.counts, token)

    def step(self, number: int) -> None:
        """Begin something, and read everything."""
        kind = KINDS[number % 2]
        names = [*self.bots, "house:rookie", "house:random"][number % 3 :]
        seats = [_seat(name) for name in names[: SEATS[kind]]]
        rules = {"seats": SEATS[kind]} if kind == "toepen" else {}
        self.owner.create_game(kind, seats, clock=CLOCK, rules=rules)
        self.made["games"] += 1
        if number % 8 == 3:
            self._upload(number)
        if number % 5 == 0:
            self._announce(number, kind)
        for path in READ:
            self._read(path)
        for name in self.tournaments[-2:]:
            for part in ("", "/standings", "/groups", "/records"):
                self._read(f"/v1/tournaments/{name}{part}")
            self._read(f"/tournaments/{name}")

    def finish(self, seconds: float) -> Counter[str]:
        """Wait until everything is over. Returns games and tournaments by state, and voids."""
        reader = self.client()

        def is_over() -> bool:
            games = reader.request("GET", "/v1/games", query={"state": "running", "limit": 1})["games"]
            states = {self._tournament(name)["state"] for name in self.tournaments}
            return not games and states <= {"finished", "cancelled"}

        try:
            wait_until(is_over, seconds, pause=1)
        except AssertionError as error:
            self.counts.wrong.append(f"games or tournaments go on: {error}")
        finally:
            self._over.set()
            for thread in self._threads:
                thread.join()
        found: Counter[str] = Counter()
        for state in ("waiting", "running", "finished", "cancelled", "void"):
            found[f"games {state}"] = sum(1 for _ in self.owner.games(state=state))
        for name in self.tournaments:
            view = self._tournament(name)
            found[f"tournaments {view['state']}"] += 1
            found["voids"] += len(view["voids"])
            self.counts.wrong += [f"void: {name}: {void}" for void in view["voids"]]
        return found

    def _tournament(self, name: str) -> dict[str, Any]:
        view = self.owner.tournament(name)
        assert view is not None
        return view

    def _play(self, token: str) -> None:
        player = OnlinePlayer(self.client(token), Anything, say=lambda line: None)
        while not self._over.is_set():
            try:
                player.step(2)
            except ApiError as error:
                self.counts.wrong.append(f"a bot: {error}")

    def _upload(self, number: int) -> None:
        name = f"uploaded-{number}"
        self.owner.create_bot(name, transport="uploaded", source=SOURCE.format(number=number))
        for kind in KINDS:
            self.owner.qualify(name, "1", kind)
        self.owner.add_version(name, "2", transport="uploaded", source=SOURCE.format(number=number + 1))
        for kind in KINDS:
            self.owner.qualify(name, "2", kind)
        self.uploads.append(name)
        self.made["uploads"] += 2

    def _announce(self, number: int, kind: str) -> None:
        formats = ("round_robin", "swiss", "knockout")
        fields: dict[str, Any] = {
            "name": f"Cup {number}",
            "kind": kind,
            "format": formats[number // 5 % 3],
            "groups": 2,
            "house": ["rookie", "random"],
            "locks_ms": int(time.time() * 1000) + 5_000,
            "clock": CLOCK,
        }
        if kind == "toepen":
            fields["rules"] = {"seats": 2}
        entrants: Sequence[str] = list(self.bots)
        if number % 3 == 0:
            fields["division"], entrants = "sealed", self.uploads[-3:]
        by = self.admin if number % 2 else self.owner
        made = by.create_tournament(**fields)
        for name in entrants:
            self.owner.enter_tournament(made["id"], name)
        self.tournaments.append(made["id"])
        self.made["tournaments"] += 1

    def _read(self, path: str) -> None:
        for _ in self._urls:
            self.owner._once("GET", path, None, self.owner._headers, True)


def _seat(name: str) -> dict[str, str]:
    house = name.removeprefix("house:")
    return {"bot": name} if house == name else {"house": house}


def verified(urls: Mapping[str, str], counts: Counts) -> int:
    """Verify all released records, which both APIs must give alike. Returns their number."""
    downloads = {name: _records(Client(url)) for name, url in urls.items()}
    (first, found), *others = downloads.items()
    for name, other in others:
        if other != found:
            counts.wrong.append(f"{first} and {name} do not have the same records")
    for line in found:
        counts.wrong += [f"a record: {problem}" for problem in verify(json.loads(line))]
    return len(found)


def _records(client: Client) -> list[bytes]:
    found: list[bytes] = []
    after: str | None = None
    while True:
        reply = client._once("GET", f"/v1/records{f'?after={after}' if after else ''}", None, {}, True)
        lines = reply.body.splitlines()
        if not lines:
            return found
        found += lines
        after = reply.headers["X-Next"]


def play(old: Version, folder: Path, minutes: float, patience: float = 1200) -> tuple[Counts, Counter[str]]:
    """Play for ``minutes`` and to the end. Returns the answers, what was wrong, and what was counted."""
    new = Version("new", ROOT, sys.executable, {})
    ports = {version.name: free_port() for version in (old, new)}
    urls = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
    counts = Counts()
    with ExitStack() as stack:
        store = stack.enter_context(EmbeddedStore(folder / "data"))
        processes: dict[Path, subprocess.Popen[bytes]] = {}
        for version in (old, new):
            processes |= stack.enter_context(running(version, store.url, folder, ports[version.name]))
        for url in urls.values():
            Client(url, patience=patience).is_ready()
        load = Load(urls, counts)
        try:
            until = time.monotonic() + 60 * minutes
            number = 0
            while time.monotonic() < until:
                began = time.monotonic()
                load.step(number)
                number += 1
                time.sleep(max(0.0, began + 2 - time.monotonic()))
        finally:
            found = load.finish(patience)
        found["records verified"] = verified(urls, counts)
        found.update(load.made)
        for log, process in processes.items():
            if process.poll() is None:
                continue
            if process.returncode == 0 and "which is from another release" in log.read_text(errors="replace"):
                found["workers ended by the other runtime"] += 1
            else:
                counts.wrong.append(f"{process.args!r} has ended with {process.returncode}")
    found["voids"] += found["games void"]
    return counts, found


@click.command()
@click.option("--old", "commit", required=True, help="The commit of the earlier version.")
@click.option("--minutes", default=5.0, show_default=True)
@click.option("--share/--install", help="Use this environment's packages for the earlier version too.")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder for data and logs, to be kept.")
def main(commit: str, minutes: float, share: bool, keep: Path | None) -> None:
    """Play beside the earlier version, and say what was counted; exit with 1 if anything was wrong."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        old = unpacked(commit, folder, share)
        counts, found = play(old, folder, minutes)
        for (name, status), count in sorted(counts.answers.items()):
            click.echo(f"{name}: {count} answers with {status}")
        click.echo(", ".join(f"{count} {name}" for name, count in sorted(found.items())))
        for log in sorted(folder.glob("*.log")):
            text = log.read_text(errors="replace")
            click.echo(
                f"{log.name}: {text.count('Traceback')} tracebacks, {text.count('is left out')} rows left out"
            )
    for line in counts.wrong[:50]:
        click.echo(f"WRONG: {line}", err=True)
    if counts.wrong or found["voids"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
