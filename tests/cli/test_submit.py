"""``bot submit`` and ``bot qualify``: what they say until the rank stands. The test is the worker."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.cli.submit import QUALIFYING, RANKING, Patience
from arena.play.board_names import rank_text
from tests.api.server import ADMIN_TOKEN, Server
from tests.cli.conftest import Owner, Terminal
from tests.live.arenas import Arena

SOURCE = "def choose(turn):\n    return turn['legal_actions'][0]\n"
CUP = {
    "name": "Sealed Toepen",
    "kind": "toepen",
    "rules": {"seats": 2},
    "format": "rating",
    "rounds": 4,
    "division": "sealed",
    "auto_enter": True,
    "house": ["random", "rookie", "regular"],
    "entry_s": 1,
}
ONLY_TOEPEN = ("--kind", "toepen")


@pytest.fixture
def arena(service: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arena]:
    """What works on the database of the service."""
    monkeypatch.setattr("arena.ratings.board.SETTLED_GROUPS", 3)
    opened = Arena(service.redis_url)
    yield opened
    opened.live.close()


@pytest.fixture
def bot(arena: Arena, owner: Owner, tmp_path: Path) -> str:
    """A bot whose file has been uploaded and has qualified in Toepen."""
    name = f"bot-{owner.name}"
    (tmp_path / "bot.py").write_text(SOURCE)
    arena.upload(name, SOURCE, owner=owner.name)
    arena.run(arena.tournaments.qualify("toepen", name, "1")["tournament"])
    return name


@pytest.fixture
def sealed(service: Server) -> Iterator[str]:
    """A schedule for bots that have qualified, which rests until one comes."""
    admin = service.client(ADMIN_TOKEN)
    admin.create_schedule(id="sealed", cron="0 0 1 1 *", tournament=CUP, until_groups=4)
    yield "sealed"
    admin.delete_schedule("sealed")


def worker(monkeypatch: pytest.MonkeyPatch, *steps: Callable[[], object]) -> list[float]:
    """Between two looks of the command, the next of ``steps`` is done, and no time passes; the pauses."""
    left, pauses = list(steps), list[float]()

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        assert left, "the command goes on waiting"
        left.pop(0)()

    for module in ("ranks", "submit"):
        clock = SimpleNamespace(sleep=sleep, monotonic=lambda: 0.0, time=time.time)
        monkeypatch.setattr(f"arena.cli.{module}.time", clock)
    return pauses


def play(arena: Arena, event: str) -> None:
    arena.run(event)
    arena.boards.publish("toepen", "sealed")


def submit(tmp_path: Path, bot: str, *more: str) -> tuple[str, ...]:
    return "bot", "submit", str(tmp_path / "bot.py"), "--name", bot, *ONLY_TOEPEN, *more


def said(terminal: Terminal) -> list[str]:
    """What was said meanwhile, without times of day and addresses."""
    lines = [line.partition(" ")[2] for line in terminal.errors.splitlines()]
    return [line.partition(": http")[0].removeprefix("toepen: ") for line in lines]


@pytest.mark.system
def test_it_ends_with_the_rank(
    terminal: Terminal,
    arena: Arena,
    bot: str,
    sealed: str,
    service: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events: list[str] = []

    def announce() -> None:
        events.extend(arena.schedules.fire())

    def begin() -> None:
        arena.lock(events[0])

    worker(monkeypatch, announce, begin, lambda: play(arena, events[0]))
    lines = terminal(*submit(tmp_path, bot)).splitlines()
    page = f"{service.url}/leaderboards/toepen"
    assert lines[:-1] == [f"{bot} 1: already has this source", f"toepen: qualified; watch {page}"]
    board = json.loads(service.client().leaderboard("toepen", "sealed"))
    (row,) = [row for row in board["rows"] if row["name"] == bot]
    ranked = sum(one["rank"] is not None for one in board["rows"])
    interval = f"{row['low']:.0f}-{row['high']:.0f}"
    ranks = rank_text(row["rank"], row["worst_rank"])
    assert lines[-1] == (
        f"toepen: rank {ranks} of {ranked}, {row['rating']:.0f} ({interval}), 4 groups: {page}"
    )
    locks, plays = said(terminal)[1:3]
    assert said(terminal) == ["waits for 'Sealed Toepen', which starts automatically", locks, plays]
    assert locks.startswith("plays in 'Sealed Toepen', which ")
    assert plays.startswith("plays in 'Sealed Toepen', 0 of ")
    # Every page that it named is there.
    (named,) = {line.partition("/tournaments/")[2] for line in terminal.errors.splitlines()} - {""}
    assert named == events[0]
    assert service.client().tournament(named) is not None
    # Again, and for programs.
    found = terminal.json("bot", "qualify", bot, "toepen")
    (rank,) = found["ranks"]
    assert (rank["rank"], rank["groups"], rank["state"]) == (row["rank"], 4, "rests")
    assert [one["state"] for one in found["qualifications"]] == ["qualified"]


def test_it_says_where_the_bot_is_when_the_time_is_over(
    terminal: Terminal, arena: Arena, bot: str, sealed: str, service: Server, tmp_path: Path
) -> None:
    lines = terminal(*submit(tmp_path, bot, "--wait", "0")).splitlines()[2:]
    again = "the service continues by itself; to continue waiting, repeat the command"
    assert lines == ["toepen: waits for 'Sealed Toepen', which starts automatically", again]
    assert terminal.errors == ""
    (event,) = arena.schedules.fire()
    arena.lock(event)
    lines = terminal(*submit(tmp_path, bot, "--wait", "0")).splitlines()[2:]
    planned = arena.tournaments.view(event)["progress"]["planned"]
    where = f"{service.url}/tournaments/{event}"
    assert lines == [f"toepen: plays in 'Sealed Toepen', 0 of {planned} groups: {where}", again]
    while all(group["state"] != "done" for group in arena.tournaments.groups(event, bots=[bot]).items):
        assert arena.tournaments.play_local_groups(event, 0).groups == 1
    arena.boards.publish("toepen", "sealed")
    lines = terminal(*submit(tmp_path, bot, "--wait", "0")).splitlines()[2:]
    assert lines[0] == (
        f"toepen: provisional: 1 of 30 groups; no rank until then: {service.url}/leaderboards/toepen"
    )
    play(arena, event)


def test_ctrl_c_ends_the_wait_with_what_is_known(
    terminal: Terminal, arena: Arena, bot: str, sealed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    worker(monkeypatch, interrupt)
    lines = terminal(*submit(tmp_path, bot), status=130).splitlines()
    assert lines[-2] == "toepen: waits for 'Sealed Toepen', which starts automatically"
    assert "Traceback" not in terminal.errors


def test_it_does_not_wait_for_what_is_far_away(
    terminal: Terminal,
    arena: Arena,
    bot: str,
    service: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker(monkeypatch)
    nothing = "toepen: no schedule of this service enters uploaded bots in it"
    assert terminal(*submit(tmp_path, bot)).splitlines()[2:] == [nothing]
    admin = service.client(ADMIN_TOKEN)
    at_ms = round(1000 * time.time()) + 4 * 3_600_000
    admin.create_schedule(id="nightly", at_ms=at_ms, tournament={**CUP, "name": "Nightly"})
    lines = terminal(*submit(tmp_path, bot)).splitlines()[2:]
    assert lines[0] == "toepen: plays in 'Nightly', which is announced in 4 h"
    admin.delete_schedule("nightly")
    settings = {name: value for name, value in CUP.items() if name != "entry_s"}
    made = admin.create_tournament(**settings, locks_ms=at_ms)
    lines = terminal(*submit(tmp_path, bot)).splitlines()[2:]
    where = f"{service.url}/tournaments/{made['id']}"
    assert lines[0] == f"toepen: plays in 'Sealed Toepen', which locks in 4 h: {where}"
    admin.cancel_tournament(made["id"], "over")


def test_a_bot_that_takes_part_in_nothing_does_not_wait(
    terminal: Terminal, bot: str, sealed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker(monkeypatch)
    lines = terminal(*submit(tmp_path, bot, "--no-tournaments")).splitlines()
    assert lines[-1] == f"{bot}: takes part in no scheduled tournament; use --tournaments to change that"


def test_it_says_that_nothing_happens(
    terminal: Terminal, bot: str, sealed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += 20

    for module in ("ranks", "submit"):
        clock = SimpleNamespace(sleep=sleep, monotonic=lambda: now[0], time=time.time)
        monkeypatch.setattr(f"arena.cli.{module}.time", clock)
    terminal(*submit(tmp_path, bot))
    silent = "no news for 45 s: the service is busy, or its workers are not running"
    assert said(terminal).count(silent) == 1


def test_how_long_it_waits() -> None:
    now = [0.0]

    def patience(seconds: float | None) -> Patience:
        now[0] = 0.0
        return Patience(seconds, lambda: now[0])

    usual = patience(None)
    now[0] = 90.0
    assert (usual.qualifying, usual.ranking) == (QUALIFYING - 90, RANKING)
    given = patience(100)
    now[0] = 90.0
    assert (given.qualifying, given.ranking) == (10, 10)
    assert (patience(0).qualifying, patience(0).ranking) == (0, 0)


def test_schedules_that_rest_are_listed_as_such(terminal: Terminal, owner: Owner, sealed: str) -> None:
    assert "as soon as a new bot comes" in terminal("schedule", "list")
    assert "as soon as a new bot comes" in terminal("schedule", "show", "sealed")
