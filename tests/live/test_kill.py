"""Any process may be killed at any moment: no accepted answer is lost, and every game ends."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import orjson
import pytest

from arena.live.game import SETTLE_MS
from arena.live.header import Viewer
from arena.live.service import LiveGames
from arena.live.sweeper import LEASE_MS
from arena.ops.jobs import InlineJobs, Job, JobName
from arena.ops.service import open_service
from arena.ops.settings import Settings
from arena.records.verify import verify
from arena.store.connection import StoreUnavailable
from arena.store.games import ALL_GAMES, DUE
from arena.store.records import PENDING_PRIVATE
from tests.dying import KILLED, counted_to, in_child, status_of
from tests.live.clock import skip
from tests.live.conftest import MakeGames, Server
from tests.live.playing import BOTS, bot_loop, checked_record, new_game, open_games, play_out, random_player
from tests.waiting import PATIENCE, wait_until

ADMIN = Viewer(admin=True)


class Journal:
    """What a process was told was accepted, written down before it goes on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115

    def append(self, result: dict[str, object]) -> None:
        if result["status"] == "accepted":
            self._file.write(orjson.dumps(result) + b"\n")

    def extend(self, results: list[dict[str, object]]) -> None:
        for result in results:
            self.append(result)

    def wait_for(self, more: int) -> None:
        """Until ``more`` entries were added."""
        wanted = self._path.read_bytes().count(b"\n") + more
        wait_until(lambda: self._path.read_bytes().count(b"\n") >= wanted, pause=0.005)

    def check(self, games: LiveGames) -> int:
        """Every entry stands in the log of its game where it was said to stand; how many entries."""
        logs: dict[str, list[bytes]] = {}
        lines = self._path.read_bytes().split(b"\n")[:-1]
        for line in lines:
            entry = orjson.loads(line)
            game, seat, number = entry["turn"].rsplit(".", 2)
            if game not in logs:
                logs[game] = games.store.log(game)
            logged = orjson.loads(logs[game][entry["after"] - 1])
            assert [logged[0], logged[1], logged[4]] == [int(seat), entry["action"], int(number)]
        return len(lines)


def forked(work: Callable[[], None]) -> int:
    """Run ``work`` in a process of its own; its process id."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def killed(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.mark.system
def test_a_killed_player_process_loses_no_accepted_answer(
    make_games: MakeGames, url: str, tmp_path: Path
) -> None:
    games = make_games()
    ids = [new_game(games, kind) for kind in ("truco", "toepen") * 6]
    journal = Journal(tmp_path / "journal")
    source = random.Random(2)

    def play(seed: int) -> None:
        mine = open_games(url)
        cursors: dict[str, str | None] = dict.fromkeys(BOTS)
        choose = random_player(seed)
        while True:
            for bot in BOTS:
                page = mine.turns(bot, cursors[bot], rights=False, limit=3)
                answers = [{"turn": turn["turn"], "action": choose(turn)} for turn in page.turns]
                journal.extend(mine.answer(bot, answers))
                cursors[bot] = page.cursor

    for round_ in range(12):
        child = forked(lambda seed=round_: play(seed))  # type: ignore[misc]
        journal.wait_for(source.randrange(1, 60))
        killed(child)
        journal.check(games)
        for game in ids:
            # As a sweeper does within ten seconds: on a cluster a killed process may have published nothing.
            games.finalizer.check(game)
    play_out(games, ids)
    assert journal.check(games) > 100
    for game in ids:
        checked_record(games, game)
    for bot in BOTS:
        assert games.turns(bot).turns == []


@pytest.mark.parametrize("fsync", ["no", "everysec"])
@pytest.mark.system
def test_a_killed_database_loses_no_accepted_answer(tmp_path: Path, fsync: str) -> None:
    """Its process, not its machine. A server that syncs every second holds back what it has replied to
    while a sync takes long, for two seconds at the most; otherwise it has written it before the reply.
    """
    with Server(tmp_path, append_only=True, fsync=fsync) as mortal:
        play_while_killed(mortal, tmp_path, nothing_lost=fsync == "no")


def play_while_killed(mortal: Server, tmp_path: Path, nothing_lost: bool) -> None:
    games = open_games(mortal.url)
    ids = [new_game(games, kind) for kind in ("truco", "toepen") * 3]
    journal = Journal(tmp_path / "journal")

    def is_over() -> bool:
        return all(games.summary(game)["state"] == "finished" for game in ids)

    def play(bot: str, seed: int) -> None:
        mine = open_games(mortal.url)
        while True:
            try:
                bot_loop(mine, bot, random_player(seed), is_over, wait=0.3, results=journal)  # type: ignore[arg-type]
                return
            except StoreUnavailable:
                # On a busy machine the database may take longer to come back than is waited for.
                pass
            finally:
                mine.close()

    threads = [threading.Thread(target=play, args=(bot, seed)) for seed, bot in enumerate(BOTS)]
    stop = threading.Event()
    threads.append(threading.Thread(target=open_games(mortal.url).sweeper().run, args=(stop,)))
    for thread in threads:
        thread.start()
    source = random.Random(4)
    for _ in range(5):
        journal.wait_for(source.randrange(20, 60))
        mortal.kill()
        time.sleep(source.random() * 0.1)
        mortal.start()
    for thread in threads[:-1]:
        thread.join(2 * PATIENCE)
        assert not thread.is_alive()
    stop.set()
    threads[-1].join(PATIENCE)
    if nothing_lost:
        assert journal.check(games) > 100
    for game in ids:
        checked_record(games, game)
    games.close()


def test_a_killed_sweeper_leaves_its_lease_to_the_others(make_games: MakeGames, url: str) -> None:
    games = make_games()
    game = new_game(games, "truco", clock={"per_turn_ms": 100, "bank_ms": 0})
    time.sleep(0.15)

    def claim_and_hang() -> None:
        mine = open_games(url)
        now_ms = mine.store.clock().now_ms
        mine.store._connection.run([("SET", "claimed", len(mine.store.claim(now_ms, now_ms + 300_000, 5)))])
        time.sleep(600)

    child = forked(claim_and_hang)
    wait_until(lambda: games.store._connection.run([("GET", "claimed")]) == [b"1"])
    killed(child)
    sweeper = games.sweeper()
    assert sweeper.sweep() == 0
    skip(games, 300_000)
    assert sweeper.sweep() == 1
    view = games.view(game)
    assert view is not None
    assert [fault["type"] for fault in view["faults"]] == ["late"]


@pytest.mark.parametrize("sort", ["public", "private", "group"])
def test_a_game_whose_end_is_killed_at_any_step_is_finished_once(
    make_games: MakeGames, url: str, sort: str
) -> None:
    """The one who plays the last action, requests the job and runs it gets one step further each time."""
    options: dict[str, dict[str, object]] = {
        "public": {},
        "private": {"visibility": "private"},
        "group": {"group": {"id": "cup-r1-p1-g1", "index": 0, "size": 1, "mirrored": False, "attempt": 0}},
    }
    games = make_games()
    step_of_cup = Job(JobName.STEP_TOURNAMENT, ("cup",))

    def end_and_die(game: str, step: int) -> None:
        mine = open_service(Settings(url), own := InlineJobs())
        counted = counted_to(step)
        connection = mine.store._connection
        connection.run = counted(connection.run)  # type: ignore[method-assign]
        own.request = counted(own.request)  # type: ignore[method-assign]
        mine.live.resign(game, "ann")
        assert Job(JobName.FINISH_GAME, (game,)) in own.pending
        while own.pending and own.pending[0] != step_of_cup:
            job = own.pending[0]
            del own._pending[job]
            mine.run(job)
        if sort == "group":
            mine.live.release(game)

    status, step = KILLED, 0
    while status == KILLED:
        step += 1
        game = new_game(games, "truco", seats=[{"bot": "ann"}] * 4, **options[sort])
        status = status_of(in_child(partial(end_and_die, game, step)))
        skip(games, SETTLE_MS + LEASE_MS)
        if games.summary(game, ADMIN)["state"] == "running":
            # It was killed before the step.
            games.resign(game, "ann")
        games.sweeper().sweep()
        if sort == "group":
            games.release(game)
        if status == KILLED:
            skip(games, SETTLE_MS)
            games.sweeper().sweep()
        record = json.loads(games.record(game, ADMIN))
        assert verify(record) == []
        assert record["canonical"]["game"] == game
        (private,) = games.store._connection.run([("ZCARD", PENDING_PRIVATE)])
        assert len(list(games.iter_records())) == (0 if sort == "private" else step)
        assert private == (step if sort == "private" else 0)
        assert games.store.claim(10**15, 10**15, 10) == []
        assert games.list(state="running", viewer=ADMIN).items == []
        assert len(games.list(state="finished", viewer=ADMIN, limit=100).items) == step
    assert status == 0
    assert step > 8, "there are steps to be killed at"


def test_a_killed_creator_leaves_a_complete_game_or_none(make_games: MakeGames, url: str) -> None:
    games = make_games()

    def create() -> None:
        mine = open_games(url)
        while True:
            new_game(mine, "truco", seats=[{"bot": "ann"}] * 4)

    source = random.Random(6)
    for round_ in range(6):
        child = forked(create)
        wanted = 4 * (round_ + 1) + source.random()
        while games.store._connection.run([("ZCARD", ALL_GAMES)])[0] < wanted:
            time.sleep(0.001)
        killed(child)
    (due,) = games.store._connection.run([("ZRANGE", DUE, 0, -1)])
    ids = [game.decode() for game in due]
    for game in ids:
        games.finalizer.check(game)
    found = [game for game, row in zip(ids, games.store.load(ids), strict=True) if row is not None]
    assert len(found) >= 24
    assert len(ids) - len(found) <= 6
    listed = {item["game"] for item in _all_games(games)}
    assert listed == set(found)
    pending = {turn["game"] for turn in games.turns("ann", limit=10_000, rights=False).turns}
    assert pending == set(found)


def _all_games(games: LiveGames) -> Iterator[dict[str, object]]:
    cursor = None
    while True:
        page = games.list(cursor=cursor, limit=200)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return
