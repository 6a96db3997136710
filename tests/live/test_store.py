"""The store itself: steps that race, hints that come twice or late, leases, lost and restarted servers."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.live.games import LiveGames
from arena.live.store import DUE, GameStore, ListAdd, Pending, Step, TurnHint, outbox_key
from arena.live.store_waker import game_key, turn_key
from arena.live.store_wire import StoreUnavailable, connect
from tests.live.conftest import MakeGames, Server, free_port
from tests.live.playing import answer, awaited_turn, new_game, play_out, quiet


@pytest.fixture
def store(games: LiveGames) -> GameStore:
    return games.store


def put(store: GameStore, game: str, before: int, version: int, *hints: TurnHint | ListAdd) -> bool:
    step = Step(game, before, version, table=b"s%d" % version, state=b"t", log=[b"%d" % version])
    step.hints = list(hints)
    (taken,), _ = store.write([step])
    return taken


def test_of_racing_steps_one_is_taken(make_games: MakeGames) -> None:
    stores = [make_games().store for _ in range(8)]
    wins: list[tuple[int, int]] = []

    def race(number: int, store: GameStore) -> None:
        for round_ in range(60):
            before = round_ * 100
            if put(store, "g1", before, before + 100):
                wins.append((round_, number))
            while (row := store.load(["g1"])[0]) is None or row.version <= before:
                pass

    threads = [threading.Thread(target=race, args=item) for item in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(round_ for round_, _ in wins) == list(range(60))
    assert stores[0].log("g1") == [b"%d" % (n * 100 + 100) for n in range(60)]


def test_a_step_is_all_or_nothing(store: GameStore) -> None:
    assert put(store, "g1", 0, 5, TurnHint("ann", "g1.0", "must"))
    assert not put(store, "g1", 0, 6, TurnHint("bob", "g1.1", "must"))
    assert not put(store, "g1", 4, 7, TurnHint("bob", "g1.1", "must"))
    (row,) = store.load(["g1"])
    assert row is not None
    assert (row.version, row.table) == (5, b"s5")
    assert store.log("g1") == [b"5"]
    assert store.pending("bob", 0, 10, True) == []
    assert [entry.member for entry in store.pending("ann", 0, 10, True)] == ["g1.0"]


def test_long_logs_fit_into_one_step(store: GameStore) -> None:
    events = [b"%d" % n for n in range(7000)]
    store.write([Step("g1", 0, 1, events=events, log=events[:2500])])
    assert store.events("g1", 0, 10_000) == events
    assert store.log("g1") == events[:2500]


def test_hints_are_idempotent_and_ordered_by_version(store: GameStore) -> None:
    def hint(version: int, op: str) -> list[Pending]:
        wire_step = Step(f"x{version}{op}", 0, version, table=b"s", state=b"t")
        wire_step.hints = [TurnHint("ann", "g1.0", op)]
        store.write([wire_step])
        return store.pending("ann", 0, 10, True)

    (first,) = hint(10, "must")
    assert hint(10, "must") == [first]
    assert hint(9, "may") == [first], "an old hint changes nothing"
    (second,) = hint(11, "may")
    assert second.number > first.number
    assert store.pending("ann", 0, 10, False) == []
    assert store.pending("ann", first.number, 10, True) == [second]
    (third,) = hint(12, "must")
    assert third.number > second.number
    assert hint(11, "gone") == [third]
    assert hint(13, "gone") == []


def test_one_call_takes_many_steps_each_for_itself(store: GameStore) -> None:
    assert put(store, "old", 0, 5)
    steps = [
        Step("a", 0, 1, sheet=b"m", events=[b"e"], hints=[TurnHint("ann", "a.0", "must")]),
        Step("old", 4, 6, table=b"s6", state=b"t", log=[b"l"], due_ms=9, hints=[ListAdd("l", "old", 1)]),
        Step(
            "b",
            0,
            2,
            table=b"s",
            state=b"t",
            due_ms=7,
            hints=[TurnHint("bob", "b.1", "may"), ListAdd("l", "b", 2)],
        ),
    ]
    taken, replies = store.write(steps, [("ZRANGE", "l", 0, -1), ("EXISTS", "none")])
    assert (taken, replies) == ([True, False, True], [[b"b"], 0])
    assert [row and row.version for row in store.load(["a", "old", "b"])] == [1, 5, 2]
    assert [store.events("a", 0, 9), store.log("old")] == [[b"e"], [b"5"]]
    assert [entry.member for entry in store.pending("ann", 0, 9, True)] == ["a.0"]
    assert [entry.member for entry in store.pending("bob", 0, 9, True)] == ["b.1"]
    assert "b" in store.claim(7, 8, 9)


def test_prune_spares_a_newer_hint(store: GameStore) -> None:
    put(store, "g1", 0, 5, TurnHint("ann", "g1.0", "must"))
    (old,) = store.pending("ann", 0, 10, True)
    put(store, "g1", 5, 6, TurnHint("ann", "g1.0", "must"))
    store.prune("ann", [old])
    (new,) = store.pending("ann", 0, 10, True)
    store.prune("ann", [new])
    assert store.pending("ann", 0, 10, True) == []


def test_due_games_are_leased_to_one_sweeper(make_games: MakeGames) -> None:
    stores = [make_games().store for _ in range(4)]
    for number in range(200):
        stores[0].wire.run([("ZADD", DUE, 1000 + number, f"g{number}")])
    claimed: list[str] = []

    def claim(store: GameStore) -> None:
        while games := store.claim(1149, 9000, 7):
            claimed.extend(games)

    threads = [threading.Thread(target=claim, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert sorted(claimed) == sorted(f"g{number}" for number in range(150))
    assert len(stores[0].claim(9000, 20_000, 500)) == 200, "leases end"


def test_settling_spares_what_a_step_has_set(store: GameStore) -> None:
    store.wire.run([("ZADD", DUE, 100, "g1")])
    assert store.claim(100, 9000, 5) == ["g1"]
    store.wire.run([("ZADD", DUE, 500, "g1")])
    store.settle("g1", 9000, 800)
    assert store.claim(500, 9001, 5) == ["g1"]
    store.settle("g1", 9001, None)
    assert store.claim(99_999, 100_000, 5) == []


def test_lost_hints_are_sent_again_from_the_outbox(cluster_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process dies between the step and its hints: the next look at the game passes them on."""
    games, other = LiveGames.open(cluster_url), LiveGames.open(cluster_url)
    game = new_game(games, "truco")
    bot, turn = awaited_turn(games, game)

    def die(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(games.store, "_pass_on", die)
        with pytest.raises(SystemExit):
            answer(games, bot, turn["turn"], quiet(turn))
    view = other.view(game)
    assert view is not None
    asked = str(view["seats"][view["awaiting"][0]]["name"])
    assert [t for t in other.turns(asked).turns if t["turn"] != turn["turn"]] == [], "nobody was told"
    other.endings.look(game)
    assert [t["seat"] for t in other.turns(asked, rights=False).turns] == view["awaiting"]
    assert answer(other, bot, turn["turn"], quiet(turn))["repeated"] is True
    play_out(other, [game])


def test_an_acknowledgement_is_for_one_step_only(cluster_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed process did not pass on is not acknowledged by the steps of others after it."""
    first, second = GameStore.open(cluster_url), GameStore.open(cluster_url)
    with monkeypatch.context() as patch:
        patch.setattr(first, "_pass_on", lambda *_: None)
        assert put(first, "g1", 0, 5, TurnHint("ann", "g1.0", "must"))
    assert put(second, "g1", 5, 6, TurnHint("bob", "g1.1", "must"))
    assert put(second, "g1", 6, 7, TurnHint("cid", "g1.2", "must"))
    assert second.pending("ann", 0, 10, True) == []
    second.resend("g1")
    for bot, member in (("ann", "g1.0"), ("bob", "g1.1"), ("cid", "g1.2")):
        assert [entry.member for entry in second.pending(bot, 0, 10, True)] == [member]
    assert second.wire.run([("LLEN", outbox_key("g1"))]) == [0]


def test_one_subscription_wakes_those_concerned(make_games: MakeGames) -> None:
    games, other = make_games(), make_games()
    game = new_game(games, "truco")
    bot, turn = awaited_turn(games, game)
    with other.waker.waiting(game_key(game)) as near, other.waker.waiting(turn_key("nobody")) as far:
        deadline = time.monotonic() + 5
        while not other.waker.is_subscribed:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        near.wait(0.05)
        far.wait(0.05)
        answer(games, bot, turn["turn"], quiet(turn))
        start = time.monotonic()
        near.wait(5)
        assert time.monotonic() - start < 1
        start = time.monotonic()
        far.wait(0.3)
        assert time.monotonic() - start >= 0.3
        assert other.waker.count() == 2
    assert other.waker.count() == 0


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, append_only=True, fsync="no")
    yield server
    server.stop()


def test_a_restarted_server_is_found_again_and_everybody_looks_anew(mortal: Server) -> None:
    games = LiveGames.open(mortal.url)
    game = new_game(games, "truco")
    bot, turn = awaited_turn(games, game)
    cursor = games.turns(bot).cursor
    with games.waker.waiting(turn_key(bot)) as waiter:
        while not games.waker.is_subscribed:
            time.sleep(0.01)
        waiter.wait(0.05)
        time.sleep(1.1)
        mortal.kill()
        start = time.monotonic()
        waiter.wait(10)
        assert time.monotonic() - start < 1, "losing the subscription wakes everybody"
    threading.Timer(0.3, mortal.start).start()
    page = games.turns(bot, cursor)
    assert [t["turn"] for t in page.turns] == [turn["turn"]], "an old cursor brings all that is pending"
    assert page.cursor != cursor
    assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"
    games.close()


def test_a_server_that_stays_away_is_reported(mortal: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.live.store_wire._PATIENCE", (0.0, 0.05))
    games = LiveGames.open(mortal.url)
    game = new_game(games, "truco")
    os.kill(mortal.process.pid, signal.SIGSTOP)
    os.kill(mortal.process.pid, signal.SIGCONT)
    mortal.kill()
    with pytest.raises(StoreUnavailable):
        games.view(game)
    mortal.start()
    assert games.view(game) is not None
    games.close()


def test_scripts_that_were_flushed_are_loaded_again(games: LiveGames) -> None:
    game = new_game(games, "truco")
    if games.store.wire.is_cluster:
        games.store.wire._redis.script_flush()  # type: ignore[attr-defined]
    else:
        games.store.wire.run([("SCRIPT", "FLUSH")])
    bot, turn = awaited_turn(games, game)
    assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"


def test_a_forked_child_has_connections_of_its_own(single_url: str) -> None:
    games = LiveGames.open(single_url)
    game = new_game(games, "truco")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for _ in range(200):
                assert games.summary(game)["game"] == game
            code = 0
        finally:
            os._exit(code)
    for _ in range(200):
        assert games.summary(game)["game"] == game
    assert os.waitpid(child, 0)[1] == 0
    games.close()


@pytest.mark.parametrize("url", ["mysql://x", "127.0.0.1:6379", ""])
def test_addresses_of_something_else_are_refused(url: str) -> None:
    with pytest.raises(ArenaError) as caught:
        connect(url, ())
    assert caught.value.code == "invalid_store_url"


def test_an_address_where_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.live.store_wire._PATIENCE", (0.0,))
    with pytest.raises(StoreUnavailable):
        connect(f"redis://127.0.0.1:{free_port()}", ()).run([("PING",)])
