"""The store itself: steps that race, hints that come twice or late, leases, lost and restarted servers."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from arena.errors import ArenaError
from arena.live.service import LiveGames
from arena.store.connection import StoreUnavailable, connect
from arena.store.game_index import GameList
from arena.store.games import (
    DUE,
    GameStep,
    GameStore,
    Listing,
    PendingQuery,
    PendingTurn,
    TurnChange,
    game_key,
    outbox_key,
)
from arena.store.notifications import game_topic, turn_topic
from arena.store.repositories import open_store
from tests.live.conftest import MakeGames, Server, free_port
from tests.live.playing import answer, awaited_turn, new_game, open_games, play_out, quiet
from tests.waiting import PATIENCE, wait_until


@pytest.fixture
def store(games: LiveGames) -> GameStore:
    return games.store


def put(store: GameStore, game: str, before: int, version: int, *turns: TurnChange) -> bool:
    step = GameStep(game, before, version, table=b"s%d" % version, state=b"t", log=[b"%d" % version])
    step.turns = list(turns)
    (taken,), _ = store.write([step])
    return taken


def pending(store: GameStore, bot: str, after: int = 0, rights: bool = True) -> list[PendingTurn]:
    return store.pending(PendingQuery(bot, after, 10, rights))


def seats_of(store: GameStore, bot: str) -> list[str]:
    return [f"{turn.game}.{turn.seat}" for turn in pending(store, bot)]


def test_one_of_several_racing_steps_is_accepted(make_games: MakeGames) -> None:
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
        thread.join(PATIENCE)
    assert sorted(round_ for round_, _ in wins) == list(range(60))
    assert stores[0].log("g1") == [b"%d" % (n * 100 + 100) for n in range(60)]


def test_a_step_is_atomic(store: GameStore) -> None:
    assert put(store, "g1", 0, 5, TurnChange("ann", 0, "must"))
    assert not put(store, "g1", 0, 6, TurnChange("bob", 1, "must"))
    assert not put(store, "g1", 4, 7, TurnChange("bob", 1, "must"))
    (row,) = store.load(["g1"])
    assert row is not None
    assert (row.version, row.table) == (5, b"s5")
    assert store.log("g1") == [b"5"]
    assert pending(store, "bob") == []
    assert seats_of(store, "ann") == ["g1.0"]


def test_long_logs_fit_into_one_step(store: GameStore) -> None:
    events = [b"%d" % n for n in range(7000)]
    store.write([GameStep("g1", 0, 1, events=events, log=events[:2500])])
    assert store.events("g1", 0, 10_000) == events
    assert store.log("g1") == events[:2500]


def test_hints_are_idempotent_and_ordered_by_version(store: GameStore) -> None:
    def hint(version: int, op: Literal["must", "may", "gone"]) -> list[PendingTurn]:
        # So that the same step can be taken again, as when an outbox is passed on twice.
        store._connection.run([("DEL", game_key("g1"))])
        assert put(store, "g1", 0, version, TurnChange("ann", 0, op))
        return pending(store, "ann")

    (first,) = hint(10, "must")
    assert hint(10, "must") == [first]
    assert hint(9, "may") == [first], "an old hint changes nothing"
    (second,) = hint(11, "may")
    assert second.number > first.number
    assert pending(store, "ann", rights=False) == []
    assert pending(store, "ann", first.number) == [second]
    (third,) = hint(12, "must")
    assert third.number > second.number
    assert hint(11, "gone") == [third]
    assert hint(13, "gone") == []


def test_one_call_takes_several_steps_independently(games: LiveGames) -> None:
    store, index = games.store, games.index
    assert put(store, "old", 0, 5)
    steps = [
        GameStep("a", 0, 1, header=b"m", events=[b"e"], turns=[TurnChange("ann", 0, "must")]),
        GameStep("old", 4, 6, table=b"s6", state=b"t", log=[b"l"], due_ms=9),
        GameStep("b", 0, 2, table=b"s", state=b"t", due_ms=7, turns=[TurnChange("bob", 1, "may")]),
    ]
    steps[1].listing = Listing("truco", 1, "running", None)
    steps[2].listing = Listing("truco", 2, "running", None, ["bob"])
    taken, found = store.write(steps, PendingQuery("bob", 0, 9, True))
    assert taken == [True, False, True]
    assert [(turn.game, turn.seat, turn.version) for turn in found] == [("b", 1, 2)]
    for listed in (GameList(), GameList(state="running"), GameList(kind="truco"), GameList(bot="bob")):
        assert index.page(listed, None, 9) == [(2, "b")]
    assert [row and row.version for row in store.load(["a", "old", "b"])] == [1, 5, 2]
    assert [store.events("a", 0, 9), store.log("old")] == [[b"e"], [b"5"]]
    assert seats_of(store, "ann") == ["a.0"]
    assert seats_of(store, "bob") == ["b.1"]
    assert "b" in store.claim(7, 8, 9)


def test_prune_spares_a_newer_hint(store: GameStore) -> None:
    put(store, "g1", 0, 5, TurnChange("ann", 0, "must"))
    (old,) = pending(store, "ann")
    put(store, "g1", 5, 6, TurnChange("ann", 0, "must"))
    store.prune("ann", [old])
    (new,) = pending(store, "ann")
    store.prune("ann", [new])
    assert pending(store, "ann") == []


def test_due_games_are_leased_to_one_sweeper(make_games: MakeGames) -> None:
    stores = [make_games().store for _ in range(4)]
    for number in range(200):
        stores[0]._connection.run([("ZADD", DUE, 1000 + number, f"g{number}")])
    claimed: list[str] = []

    def claim(store: GameStore) -> None:
        while games := store.claim(1149, 9000, 7):
            claimed.extend(games)

    threads = [threading.Thread(target=claim, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(claimed) == sorted(f"g{number}" for number in range(150))
    assert len(stores[0].claim(9000, 20_000, 500)) == 200, "leases end"


def test_settling_keeps_the_time_set_by_a_step(store: GameStore) -> None:
    store._connection.run([("ZADD", DUE, 100, "g1")])
    assert store.claim(100, 9000, 5) == ["g1"]
    store._connection.run([("ZADD", DUE, 500, "g1")])
    store.settle("g1", 9000, 800)
    assert store.claim(500, 9001, 5) == ["g1"]
    store.settle("g1", 9001, None)
    assert store.claim(99_999, 100_000, 5) == []


def test_lost_hints_are_sent_again_from_the_outbox(cluster_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process dies between the step and its hints: the next look at the game passes them on."""
    games, other = open_games(cluster_url), open_games(cluster_url)
    game = new_game(games, "truco")
    bot, turn = awaited_turn(games, game)

    def die(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(games.store, "_deliver_hints", die)
        with pytest.raises(SystemExit):
            answer(games, bot, turn["turn"], quiet(turn))
    view = other.view(game)
    assert view is not None
    asked = str(view["seats"][view["awaiting"][0]]["name"])
    assert [t for t in other.turns(asked).turns if t["turn"] != turn["turn"]] == [], "nobody was told"
    other.finalizer.check(game)
    assert [t["seat"] for t in other.turns(asked, rights=False).turns] == view["awaiting"]
    assert answer(other, bot, turn["turn"], quiet(turn))["repeated"] is True
    play_out(other, [game])


def test_an_acknowledgement_is_for_one_step_only(cluster_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed process did not pass on is not acknowledged by the steps of others after it."""
    first, second = open_store(cluster_url).games, open_store(cluster_url).games
    with monkeypatch.context() as patch:
        patch.setattr(first, "_deliver_hints", lambda *_: None)
        assert put(first, "g1", 0, 5, TurnChange("ann", 0, "must"))
    assert put(second, "g1", 5, 6, TurnChange("bob", 1, "must"))
    assert put(second, "g1", 6, 7, TurnChange("cid", 2, "must"))
    assert pending(second, "ann") == []
    second.resend("g1")
    for bot, member in (("ann", "g1.0"), ("bob", "g1.1"), ("cid", "g1.2")):
        assert seats_of(second, bot) == [member]
    assert second._connection.run([("LLEN", outbox_key("g1"))]) == [0]


def test_notifications_wake_the_subscriptions_of_their_topic(make_games: MakeGames) -> None:
    games, other = make_games(), make_games()
    game = new_game(games, "truco")
    bot, turn = awaited_turn(games, game)
    with (
        other.notifier.waiting(game_topic(game)) as near,
        other.notifier.waiting(turn_topic("nobody")) as far,
    ):
        wait_until(lambda: other.notifier.is_subscribed)
        near.wait(0.05)
        far.wait(0.05)
        answer(games, bot, turn["turn"], quiet(turn))
        start = time.monotonic()
        near.wait(10 * PATIENCE)
        assert time.monotonic() - start < PATIENCE
        start = time.monotonic()
        far.wait(0.3)
        assert time.monotonic() - start >= 0.3
        assert other.notifier.count() == 2
    assert other.notifier.count() == 0


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, append_only=True, fsync="no")
    yield server
    server.stop()


def test_after_a_restart_of_the_server_all_waiting_requests_wake(mortal: Server) -> None:
    games = open_games(mortal.url)
    game = new_game(games, "truco")
    bot, turn = awaited_turn(games, game)
    cursor = games.turns(bot).cursor
    with games.notifier.waiting(turn_topic(bot)) as subscription:
        wait_until(lambda: games.notifier.is_subscribed)
        subscription.wait(0.05)
        time.sleep(1.1)
        mortal.kill()
        start = time.monotonic()
        subscription.wait(10 * PATIENCE)
        assert time.monotonic() - start < PATIENCE, "losing the subscription wakes everybody"
    starter = threading.Timer(0.3, mortal.start)
    starter.start()
    page = games.turns(bot, cursor)
    starter.join()
    assert [t["turn"] for t in page.turns] == [turn["turn"]], "an old cursor brings all that is pending"
    assert page.cursor != cursor
    assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"
    games.close()


def test_a_server_that_stays_down_is_reported(mortal: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.connection._PATIENCE", (0.0, 0.05))
    games = open_games(mortal.url)
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
    if games.store._connection.is_cluster:
        games.store._connection._redis.script_flush()  # type: ignore[attr-defined]
    else:
        games.store._connection.run([("SCRIPT", "FLUSH")])
    bot, turn = awaited_turn(games, game)
    assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"


def test_a_forked_child_has_its_own_connections(single_url: str) -> None:
    games = open_games(single_url)
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
def test_other_addresses_are_rejected(url: str) -> None:
    with pytest.raises(ArenaError) as caught:
        connect(url, ())
    assert caught.value.code == "invalid_store_url"


def test_an_address_without_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.connection._PATIENCE", (0.0,))
    with pytest.raises(StoreUnavailable):
        connect(f"redis://127.0.0.1:{free_port()}", ()).run([("PING",)])
