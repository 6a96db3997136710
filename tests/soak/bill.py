"""``python -m tests.soak.bill``: compares the sum of all charges with the processor time of the workers.

A service with two workers of each kind plays groups of house bots and uploaded bots, live games, tables of
guests and trial games, checks uploads and reviews games, for several accounts. The processor time of the
worker processes and of their children is read from /proc. Start-up is over before the measurement begins,
and what the processes use without jobs is measured first and subtracted.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from arena.accounts.accounts import Accounts
from arena.accounts.uploads import module_upload, python_upload
from arena.errors import ArenaError
from arena.events.trial_games import TrialGames
from arena.live.header import person_account
from arena.ops.service import Service as Parts
from arena.ops.service import open_service
from arena.ops.settings import Settings
from queues.rq_jobs import RqJobs
from tests.sandbox import modules
from tests.service import Service
from tests.waiting import wait_until

KINDS: Final = ("worker", "live", "checks")
GOOD: Final = "def choose(turn):\n    return turn['legal_actions'][0]\n"
THINKS: Final = "def choose(turn):\n    sum(range(20_000))\n    return turn['legal_actions'][0]\n"
MOST_DIFFERENCE: Final = 0.05
_LIVE_GAMES: Final = 3
_PAUSE: Final = 1.0
_EACH: Final = 5.0
"""Seconds between two uploads, reviews and trial games."""

_MOST_WAITING: Final = 10
"""Waiting jobs above which no more of these are requested."""

_TICK: Final = 1.0 / os.sysconf("SC_CLK_TCK")
_GUEST: Final = "person_guest"


class Reading(NamedTuple):
    """Seconds at one moment: the time, the processor time of the workers, and the sum of all charges."""

    at: float
    outside: float
    counted: float


class Outcome(NamedTuple):
    """Seconds: the processor time of the workers during the work, that of the same time without jobs, and the
    sum of the charges. ``accounts`` has the charges by account.
    """

    outside: float
    idle: float
    counted: float
    charged: float
    accounts: dict[str, float]

    @property
    def difference(self) -> float:
        """The share by which the charges differ from the processor time."""
        return self.counted / (self.outside - self.idle) - 1


def processor_seconds(service: Service) -> float:
    """The processor time of all workers, their watchdogs, and all their children that have ended."""
    seconds = 0.0
    for kind in KINDS:
        for pid in service.pids(kind):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            seconds += _TICK * sum(map(int, fields[11:15]))
    return seconds


class _Bench:
    """A service, and what several accounts let it do."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.jobs = RqJobs(service.database)
        self.parts: Parts = open_service(Settings(service.database), self.jobs)
        self.done = 0
        self._games: list[str] = []
        self._cups = count()
        self._uploads = count()
        self._table = ""
        for owner in ("olga", "pia", "rita"):
            self.parts.accounts.sign_up(owner)

    def read(self) -> Reading:
        usage = self.parts.budgets.usage(0)
        return Reading(time.monotonic(), processor_seconds(self.service), usage.all_ms / 1000)

    def _waiting(self) -> int:
        figures = self.jobs.figures()
        assert figures is not None
        return sum(queue.jobs for queue in figures.queues)

    def is_idle(self) -> bool:
        """Whether no job waits or runs, except a tick."""
        figures = self.jobs.figures()
        assert figures is not None
        return not figures.busy and self._waiting() <= 1

    def drain(self, tell: Callable[[str], object]) -> None:
        """Wait until all requested work is done, however slow the machine is."""
        while not self.is_idle():
            tell(f"{self._waiting()} jobs wait")
            time.sleep(_EACH)
        # The last job may still be charged.
        time.sleep(_EACH)

    def start(self) -> None:
        """Upload the bots that play tournaments, so that everything is prepared and imported."""
        for name, upload in (
            ("good", python_upload(GOOD)),
            ("thinks", python_upload(THINKS)),
            ("module", module_upload(modules.PLAYS)),
        ):
            _, _, received = self.parts.uploads.register("olga", name, "1", upload)
            wait_until(lambda one=received: self.parts.uploads.wait(one, 5).is_settled)  # type: ignore[misc]
        for name in ("good", "thinks", "module"):
            wait_until(lambda name=name: self._is_qualified(name))  # type: ignore[misc]

    def _is_qualified(self, name: str) -> bool:
        known = self.parts.tournaments.qualifications(name, "1")
        return bool(known) and all(one["state"] != "qualifying" for one in known)

    def work(self, is_over: Callable[[], bool]) -> None:
        """Request work of each kind until it is enough."""
        next_one, cup = 0.0, self._cup()
        while not is_over():
            if self._state(cup) in ("finished", "cancelled"):
                cup = self._cup()
            self._games = [game for game in self._games if not self._is_over(game)]
            for _ in range(_LIVE_GAMES - len(self._games)):
                made = self.parts.live.create("toepen", seats=[{"house": "shark"}] * 4, created_by="pia")
                self._games.append(str(made["game"]))
            if time.monotonic() >= next_one and self._waiting() < _MOST_WAITING:
                next_one = time.monotonic() + _EACH
                self._one_of_each()
            time.sleep(_PAUSE)
        with suppress(ArenaError):
            self.parts.tournaments.cancel(cup)

    def _cup(self) -> str:
        name = f"cup-{next(self._cups)}"
        now_ms = self.parts.store.clock().now_ms
        fields: dict[str, Any] = {
            "name": "The Cup",
            "kind": "toepen",
            "format": "round_robin",
            "division": "sealed",
            "groups": 20,
            "house": ["rookie", "regular", "shark"],
            "opens_ms": now_ms,
            "locks_ms": now_ms + 3000,
        }
        self.parts.tournaments.create(fields, "olga", tournament_id=name)
        for bot in ("good", "thinks", "module"):
            self.parts.tournaments.enter(name, bot)
        return name

    def _state(self, tournament: str) -> str:
        return str(self.parts.tournaments.view(tournament)["state"])

    def _is_over(self, game: str) -> bool:
        return self.parts.live.header(game).state not in ("waiting", "running")

    def _one_of_each(self) -> None:
        """An upload, a table of a guest, a review of the last one, and a trial game."""
        number = next(self._uploads)
        upload = python_upload(f"{GOOD}# {number}\n")
        if number:
            self.parts.uploads.receive("ritas", str(number + 1), upload)
        else:
            self.parts.uploads.register("rita", "ritas", "1", upload)
        if self._table and self._is_over(self._table):
            payer = self.parts.payers.of_person(_GUEST, "", "192.0.2.1", f"review-{self._table}")
            with suppress(ArenaError):
                self.parts.reviews.request(self._table, 1, payer)
        if not self._table or self._is_over(self._table):
            self._table = self.parts.people.open(_GUEST, "192.0.2.1", "toepen", ["house:shark"] * 3, {})
            self.parts.live.resign(self._table, _GUEST)
        games: TrialGames = self.parts.trial_games
        games.begin(GOOD, self.parts.payers.of_address("192.0.2.2"))
        self.done += 1

    def charged(self) -> float:
        """The sum of the budgets, in seconds: where fuel is more than processor time, fuel counts."""
        accounts: Accounts = self.parts.accounts
        day = self.parts.store.clock().now_ms // 86_400_000
        names = [name for name in self.parts.budgets.usage(100).accounts if name != "all guests"]
        visitors = [
            person_account(_GUEST),
            self.parts.payers.of_address("192.0.2.1"),
            self.parts.payers.of_address("192.0.2.2"),
        ]
        assert accounts.owner("olga")
        return sum(self.parts.store.budgets.used(name, day).fuel_ms for name in names + visitors) / 1000


def measure(folder: Path, seconds: float, idle_seconds: float, tell: Callable[[str], object]) -> Outcome:
    """Run the service until ``seconds`` of processor time are charged."""
    limits = {"BOTEQUIM_BUDGET": "groups=1000000,fuel_ms=100000000,guest_fuel_ms=100000000"}
    with Service(folder, workers=2, BOTEQUIM_LOG_LEVEL="warning", **limits) as service:
        bench = _Bench(service)
        try:
            bench.start()
            bench.drain(tell)
            first = bench.read()
            time.sleep(idle_seconds)
            before = bench.read()
            # Ticks run also now, and are charged.
            idle = (before.outside - first.outside) - (before.counted - first.counted)
            rate = max(0.0, idle / (before.at - first.at))
            tell(f"without other jobs: {1000 * rate:.2f} ms of processor time a second are not charged")
            charged = bench.charged()
            accounts = bench.parts.budgets.usage(100).accounts
            bench.work(lambda: bench.read().counted - before.counted >= seconds)
            bench.drain(tell)
            after = bench.read()
            return Outcome(
                after.outside - before.outside,
                rate * (after.at - before.at),
                after.counted - before.counted,
                bench.charged() - charged,
                {
                    name: (ms - accounts.get(name, 0)) / 1000
                    for name, ms in bench.parts.budgets.usage(100).accounts.items()
                },
            )
        finally:
            bench.parts.close()


@click.command()
@click.option("--seconds", default=300.0, show_default=True, help="Processor time that is charged.")
@click.option("--idle", default=60.0, show_default=True, help="Seconds without work before it.")
def main(seconds: float, idle: float) -> None:
    """Compare the sum of all charges with the processor time of the workers. Fails above 5 %."""
    with tempfile.TemporaryDirectory(prefix="botequim-bill-") as folder:
        found = measure(Path(folder), seconds, idle, click.echo)
    for line in lines(found):
        click.echo(line)
    if abs(found.difference) > MOST_DIFFERENCE:
        raise click.ClickException(f"the difference is more than {MOST_DIFFERENCE:.0%}")


def lines(found: Outcome) -> list[str]:
    """The outcome in words."""
    return [
        f"processor time of the workers   {found.outside:8.1f} s, {found.idle:.1f} s of it without jobs",
        f"processor time that is charged  {found.counted:8.1f} s, {found.difference:+.1%}",
        f"with fuel where that is more    {found.charged:8.1f} s",
        *(f"  {name:29} {seconds:8.1f} s" for name, seconds in found.accounts.items()),
    ]


if __name__ == "__main__":
    main()
