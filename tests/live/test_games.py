"""The life of a game: made, joined, watched, resigned from, finished, listed, kept and forgotten."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.live.finalizer import GameNotOver
from arena.live.game import SETTLE_MS
from arena.live.header import GameNotFound
from arena.live.service import (
    EventsGone,
    GameNotOpen,
    GameNotRunning,
    LiveGames,
    RecordNotReady,
    Retention,
    SeatTaken,
    Viewer,
)
from arena.live.views import GameHidden, NotSeated
from arena.ops.jobs import Job, JobName
from arena.records.verify import verify
from arena.store.game_index import GameList
from arena.store.games import events_key, game_key, log_key, record_key
from tests.live.clock import expire, skip
from tests.live.conftest import MakeGames
from tests.live.playing import (
    BOTS,
    SEATS,
    NotedJobs,
    answer,
    awaited_turn,
    checked_record,
    new_game,
    open_games,
    play_out,
    quiet,
)
from tests.waiting import PATIENCE

OPEN = {"open": True}
ADMIN = Viewer(admin=True)
GROUP = {"id": "g-1", "index": 0, "size": 2, "mirrored": True}


def test_a_game_begins_when_its_open_seats_are_taken(games: LiveGames) -> None:
    seats = [{"bot": "ann", "version": "7", "nonce": "lucky"}, OPEN, OPEN, {"house": "random"}]
    made = games.create("truco", seats=seats, created_by="olga")
    game = made["game"]
    assert made["state"] == "waiting"
    assert [seat["type"] for seat in made["seats"]] == ["bot", "open", "open", "house"]
    view = games.view(game)
    assert view is not None
    assert view["observation"] is None
    assert games.turns("ann").turns == []
    joined = games.join(game, "bob", nonce="mine", version="2")
    assert (joined["seat"], joined["state"]) == (1, "waiting")
    assert games.join(game, "bob")["seat"] == 1, "joining again changes nothing"
    assert games.summary(game)["seats"][1]["nonce"] == "mine"
    with pytest.raises(SeatTaken) as taken:
        games.join(game, "cid", seat=1)
    assert taken.value.expected == "one of 2"
    joined = games.join(game, "cid", seat=2)
    assert (joined["seat"], joined["state"]) == (2, "running")
    with pytest.raises(GameNotOpen):
        games.join(game, "dee")
    assert joined["commitment"] == made["commitment"]
    play_with_house(games, game)
    canonical = checked_record(games, game)["canonical"]
    assert canonical["nonces"] == ["lucky", "mine", "", ""]
    assert canonical["commitment"] == made["commitment"]
    assert hashlib.sha256(bytes.fromhex(canonical["seed"])).hexdigest() == made["commitment"]
    assert [p["version"] for p in canonical["players"][:3]] == ["7", "2", "1"]


def play_with_house(games: LiveGames, game: str) -> None:
    while games.summary(game, ADMIN)["state"] == "running":
        games.move_house_bots(
            game, lambda name, seat, turn, seed: turn["legal_actions"][seed % len(turn["legal_actions"])]
        )
        for bot in ("ann", "bob", "cid"):
            for turn in games.turns(bot, rights=False).turns:
                answer(games, bot, turn["turn"], quiet(turn))


def test_racing_joins_take_every_seat_once(make_games: MakeGames) -> None:
    games = make_games()
    game = games.create("truco", seats=[OPEN] * 4)["game"]
    seats: list[int] = []
    refused: list[str] = []

    def join(number: int) -> None:
        try:
            seats.append(make_games().join(game, f"bot{number}")["seat"])
        except ArenaError as error:
            refused.append(error.code)

    threads = [threading.Thread(target=join, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(seats) == [0, 1, 2, 3]
    assert refused == ["game_not_open"] * 4
    assert games.summary(game)["state"] == "running"


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"kind": "chess"}, "kind_not_found", "kind"),
        ({"seats": SEATS[:3]}, "invalid_seats", "seats"),
        ({"seats": [*SEATS[:3], {}]}, "invalid_seats", "seats[3]"),
        ({"seats": [*SEATS[:3], {"bot": "a", "house": "random"}]}, "invalid_seats", "seats[3]"),
        ({"seats": [*SEATS[:3], {"open": False}]}, "invalid_seats", "seats[3]"),
        ({"seats": [*SEATS[:3], {"house": "nobody"}]}, "invalid_seats", "seats[3].house"),
        ({"seats": [*SEATS[:3], {"bot": "a{b}"}]}, "invalid_seats", "seats[3].bot"),
        ({"seats": [*SEATS[:3], {"bot": "a", "nonce": "with space"}]}, "invalid_nonce", "seats[3].nonce"),
        ({"rules": {"cut": "always"}}, "invalid_option", "rules.cut"),
        ({"visibility": "secret"}, "invalid_game", "visibility"),
        ({"group": {"id": "x"}}, "invalid_game", "group"),
        ({"seed": b"short"}, "invalid_seed", "seed"),
        ({"game_id": "no.dots"}, "game_not_found", "game"),
    ],
)
def test_invalid_games_are_rejected(single_url: str, changes: dict[str, Any], code: str, field: str) -> None:
    games = open_games(single_url)
    options = {"kind": "truco", "seats": SEATS, **changes}
    with pytest.raises(ArenaError) as caught:
        games.create(options.pop("kind"), **options)
    assert (caught.value.code, caught.value.field) == (code, field)
    assert games.list().items == []
    games.close()


def test_a_game_with_an_id_is_created_once(games: LiveGames) -> None:
    first = games.create("truco", seats=SEATS, game_id="cup-1")
    again = games.create("truco", seats=SEATS, game_id="cup-1")
    assert again == first
    assert len(games.list().items) == 1


def test_the_same_seed_and_nonces_give_the_same_deals(games: LiveGames) -> None:
    views = []
    for game in ("m-1", "m-2"):
        new_game(games, "truco", seed=bytes(range(32)), game_id=game)
        view = games.view(game, Viewer("ann"))
        assert view is not None
        views.append(view["observation"])
    assert views[0] == views[1]


def test_a_view_shows_only_the_seats_own_cards(games: LiveGames) -> None:
    game = new_game(games, "toepen")
    mine = games.view(game, Viewer("bob"))
    outside = games.view(game)
    assert mine is not None
    assert outside is not None
    assert (mine["seat"], outside["seat"]) == (1, None)
    assert len(mine["observation"]["hand"]) == 4
    assert outside["observation"]["hand"] == []
    assert outside["turn"] is None
    again = games.view(game, Viewer("bob"), seat=1)
    assert again is not None
    assert again["observation"] == mine["observation"]
    with pytest.raises(NotSeated):
        games.view(game, Viewer("bob"), seat=2)
    with pytest.raises(NotSeated):
        games.view(game, seat=0)
    assert "seed" not in json.dumps(outside)


def test_a_view_can_be_awaited(make_games: MakeGames) -> None:
    games = make_games()
    game = new_game(games, "truco")
    view = games.view(game)
    assert view is not None
    assert games.view(game, since=view["version"]) is None
    start = time.monotonic()
    assert games.view(game, since=view["version"], wait=0.2) is None
    assert time.monotonic() - start >= 0.2
    bot, turn = awaited_turn(games, game)
    threading.Timer(0.2, answer, (make_games(), bot, turn["turn"], quiet(turn))).start()
    start = time.monotonic()
    later = games.view(game, since=view["version"], wait=10 * PATIENCE)
    assert time.monotonic() - start < PATIENCE
    assert later is not None
    assert later["version"] > view["version"]


def test_events_are_paged_and_can_be_awaited(make_games: MakeGames) -> None:
    games = make_games()
    game = new_game(games, "truco")
    whole = games.events(game)
    assert [event["n"] for event in whole["events"]] == sorted({event["n"] for event in whole["events"]})
    assert not whole["over"]
    assert games.events(game, start=whole["next"])["events"] == []
    parts: list[dict[str, Any]] = []
    start = 0
    while (part := games.events(game, start=start, limit=1))["next"] > start:
        parts += part["events"]
        start = part["next"]
    assert parts == whole["events"]
    bot, turn = awaited_turn(games, game)
    threading.Timer(0.1, answer, (make_games(), bot, turn["turn"], quiet(turn))).start()
    news = games.events(game, start=whole["next"], wait=PATIENCE)
    assert news["events"]
    play_out(games, [game])
    done = games.events(game, start=news["next"], limit=100_000)
    assert done["over"]
    assert games.events(game, start=done["next"]) == {"events": [], "next": done["next"], "over": True}


def test_a_resigned_seat_is_played_to_the_end(games: LiveGames) -> None:
    game = new_game(games, "truco")
    with pytest.raises(NotSeated):
        games.resign(game, "eve")
    with pytest.raises(NotSeated):
        games.resign(game, "ann", seat=1)
    games.resign(game, "ann")
    games.resign(game, "ann")
    view = games.view(game)
    assert view is not None
    assert view["taken_over"] == [{"seat": 0, "reason": "resigned"}]
    assert games.turns("ann").turns == []
    play_out(games, [game])
    canonical = checked_record(games, game)["canonical"]
    assert [entry["seat"] for entry in canonical["resigned"]] == [0]
    with pytest.raises(GameNotRunning):
        games.resign(game, "bob")


def test_a_game_ends_when_all_resign(games: LiveGames) -> None:
    game = new_game(games, "toepen", seats=[{"bot": "ann"}] * 4)
    games.resign(game, "ann")
    assert games.summary(game)["state"] == "finished"
    checked_record(games, game)


def test_a_waiting_game_can_be_cancelled(make_games: MakeGames) -> None:
    games = make_games()
    game = games.create("truco", seats=[OPEN] * 4)["game"]
    assert games.cancel(game)["state"] == "cancelled"
    games.cancel(game)
    with pytest.raises(GameNotOpen):
        games.join(game, "ann")
    running = new_game(games, "truco")
    with pytest.raises(GameNotOpen):
        games.cancel(running)
    assert [item["game"] for item in games.list(state="cancelled").items] == [game]


def test_a_running_game_that_is_cancelled_is_void(make_games: MakeGames) -> None:
    jobs = NotedJobs()
    games = make_games(jobs=jobs)
    game = new_game(games, "truco", seats=[*SEATS[:3], {"house": "random"}])
    other = make_games()
    jobs.requested.clear()
    for _ in range(2):
        made = games.cancel(game, "cancelled by its creator: rain", running=True)
        assert (made["state"], made["reason"]) == ("void", "cancelled by its creator: rain")
    assert jobs.requested == [Job(JobName.FINISH_GAME, (game,))]
    for one in (games, other):
        assert one.turns("ann").turns == []
        assert answer(one, "ann", f"{game}.0.1", "x")["status"] == "unknown_turn"
        assert one.move_house_bots(game) == (0, False)
        with pytest.raises(GameNotRunning):
            one.resign(game, "ann")
    with pytest.raises(GameNotOpen):
        games.cancel(game, "another reason", running=True)
    assert games.finalizer.check(game) is None
    assert [item["game"] for item in other.list(state="void").items] == [game]


def test_the_sweeper_completes_a_cancellation(make_games: MakeGames) -> None:
    """The job is lost, as if the process was killed after the step."""
    jobs = NotedJobs()
    games = make_games(jobs=jobs)
    game = new_game(games, "truco", group=CUP_GROUP)
    games.cancel(game, "rain", running=True)
    jobs.requested.clear()
    assert games.sweeper().sweep() == 0
    skip(games, SETTLE_MS)
    assert games.sweeper().sweep() == 1
    assert jobs.requested == [Job(JobName.STEP_TOURNAMENT, ("cup",))]
    assert games.store.claim(10**15, 10**15, 10) == []


def test_the_unfinished_games_of_an_owner(games: LiveGames) -> None:
    waiting = games.create("truco", seats=[OPEN] * 4, created_by="olga")["game"]
    running = new_game(games, created_by="olga")
    for options in ({"created_by": "ana"}, {"created_by": "olga", "group": GROUP}):
        new_game(games, **options)
    games.cancel(new_game(games, created_by="olga"), "over", running=True)
    assert set(games.unfinished("olga")) == {waiting, running}


def test_a_game_whose_seats_are_not_taken_is_cancelled(make_games: MakeGames) -> None:
    games = make_games(retention=Retention(waiting_s=0))
    game = games.create("truco", seats=[OPEN] * 4)["game"]
    assert games.finalizer.check(game) is None
    assert games.summary(game)["state"] == "cancelled"
    assert games.summary(game)["reason"] == "not all seats were taken in time"


def test_only_its_players_see_a_private_game(games: LiveGames) -> None:
    game = new_game(games, "truco", visibility="private", created_by="olga")
    for outsider in (Viewer(), Viewer("eve", "otto")):
        for look in (games.view, games.summary, games.events, games.record):
            with pytest.raises(GameNotFound):
                look(game, outsider)  # type: ignore[operator]
        assert games.list(viewer=outsider).items == []
    for insider in (Viewer("ann"), Viewer(owner="olga"), ADMIN):
        view = games.view(game, insider)
        assert view is not None
        assert [item["game"] for item in games.list(viewer=insider).items] == [game]
    play_out(games, [game])
    assert list(games.iter_records()) == []
    checked_record(games, game, Viewer("ann"))


def test_games_of_a_mirrored_group_are_hidden_until_it_is_over(games: LiveGames) -> None:
    game = new_game(games, "truco", group=GROUP, created_by="olga")
    for state in ("running", "finished"):
        for outsider in (Viewer(), Viewer("eve"), Viewer(owner="olga"), ADMIN):
            for look in (games.view, games.summary, games.events, games.record):
                with pytest.raises(GameHidden):
                    look(game, outsider)  # type: ignore[operator]
            assert games.list(viewer=outsider).items == []
        assert games.view(game, Viewer("ann")) is not None
        if state == "running":
            bots = dict.fromkeys(BOTS)
            while games.summary(game, Viewer("ann"))["state"] == "running":
                for bot in bots:
                    for turn in games.turns(bot, rights=False).turns:
                        answer(games, bot, turn["turn"], quiet(turn))
    for _ in range(2):
        with pytest.raises(RecordNotReady, match="its group is not over"):
            games.record(game, Viewer("ann"))
        assert list(games.iter_records()) == []
        games.finish(game)
    games.release(game)
    games.release(game)
    assert checked_record(games, game)["canonical"]["group"] == {**GROUP, "attempt": 0}
    assert len(list(games.iter_records())) == 1
    assert len(games.list().items) == 1


def test_games_of_a_group_with_independent_deals_are_public(games: LiveGames) -> None:
    game = new_game(games, "truco", group={**GROUP, "mirrored": False, "attempt": 1})
    assert games.view(game) is not None
    play_out(games, [game])
    with pytest.raises(RecordNotReady, match="its group is not over"):
        games.record(game)
    games.release(game)
    checked_record(games, game)


def test_a_game_that_is_not_over_is_not_released(games: LiveGames) -> None:
    game = new_game(games, "truco", group=GROUP)
    with pytest.raises(GameNotOver):
        games.release(game)
    with pytest.raises(GameNotFound):
        games.release("nogame")


def test_lists_are_paged_and_filtered(games: LiveGames) -> None:
    made = []
    for number in range(12):
        kind = ("truco", "toepen")[number % 2]
        seats = [{"bot": "ann" if number % 3 else "zoe"}, OPEN, *SEATS[2:]]
        made.append(games.create(kind, seats=seats))
    joined = games.join(made[4]["game"], "eve")["game"]
    made.sort(key=lambda item: (item["created_ms"], item["game"]), reverse=True)

    def those(fits: Callable[[dict[str, Any]], bool]) -> list[str]:
        return [item["game"] for item in made if fits(item)]

    def has_zoe(item: dict[str, Any]) -> bool:
        return bool(item["seats"][0]["name"] == "zoe")

    def pages(**filters: Any) -> list[str]:
        found: list[str] = []
        cursor = None
        while True:
            page = games.list(cursor=cursor, limit=3, **filters)
            assert len(page.items) <= 3
            found += [item["game"] for item in page.items]
            cursor = page.cursor
            if cursor is None:
                return found

    assert pages() == those(lambda item: True)
    assert pages(kind="truco") == those(lambda item: item["kind"] == "truco")
    assert pages(state="running") == [joined]
    assert pages(state="waiting") == those(lambda item: item["game"] != joined)
    assert pages(bot="zoe") == those(has_zoe)
    assert pages(bot="zoe", kind="toepen") == those(lambda item: has_zoe(item) and item["kind"] == "toepen")
    assert pages(bot="eve", state="running") == [joined]
    assert pages(bot="nobody") == []
    assert games.list(cursor="1-2-3").items == []
    for bad in ({"kind": "chess"}, {"state": "lost"}, {"cursor": "x"}, {"cursor": "x-1"}, {"bot": "{}"}):
        with pytest.raises(ArenaError):
            games.list(**bad)  # type: ignore[arg-type]


def test_records_are_downloaded_in_bulk_and_from_a_cursor(games: LiveGames) -> None:
    ids = [new_game(games, kind, seats=[{"bot": "ann"}] * 4) for kind in ("truco", "toepen", "truco")]
    for game in ids:
        games.resign(game, "ann")
        games.finish(game)
    got = list(games.iter_records())
    assert [json.loads(record)["canonical"]["game"] for _, record in got] == ids
    assert all(verify(json.loads(record)) == [] for _, record in got)
    assert all(b"\n" not in record for _, record in got)
    assert list(games.iter_records(cursor=got[0][0])) == got[1:]
    assert [r for _, r in games.iter_records(kind="toepen")] == [got[1][1]]
    with pytest.raises(ArenaError):
        list(games.iter_records(cursor="x"))


def test_live_data_expire_and_the_record_stays(make_games: MakeGames) -> None:
    games = make_games(retention=Retention(live_s=600))
    game = new_game(games, "truco", seats=[{"bot": "ann"}] * 4)
    games.resign(game, "ann")
    games.finish(game)
    before = games.view(game, Viewer("ann"))
    assert before is not None
    assert before["observation"] is not None
    expire(games, 600_000, game_key(game), log_key(game), events_key(game))
    after = games.view(game, Viewer("ann"))
    assert after is not None
    assert after["observation"] is None
    assert after["version"] == before["version"]
    assert after["outcome"] == before["outcome"]
    with pytest.raises(EventsGone):
        games.events(game)
    checked_record(games, game)
    assert [item["game"] for item in games.list(state="finished", bot="ann").items] == [game]
    games.release(game)


def test_records_expire_if_retention_is_limited(make_games: MakeGames) -> None:
    games = make_games(retention=Retention(live_s=600, record_s=1200))
    game = new_game(games, "truco", seats=[{"bot": "ann"}] * 4)
    games.resign(game, "ann")
    games.finish(game)
    assert len(list(games.iter_records())) == 1
    expire(games, 600_000, game_key(game), log_key(game), events_key(game))
    expire(games, 1_200_000, record_key(game))
    assert list(games.iter_records()) == []
    assert games.list().items == []
    with pytest.raises(GameNotFound):
        games.view(game)
    games.finalizer.trim()
    for listed in (GameList(), GameList(kind="truco"), GameList(state="finished")):
        assert games.index.page(listed, None, 10) == []
    assert games.finished.released(None, 0, 10) == []


def test_a_game_whose_state_is_lost_is_void(make_games: MakeGames) -> None:
    games = make_games()
    game = new_game(games, "truco")
    games.store._connection.run([("DEL", game_key(game))])
    bot = BOTS[0]
    assert answer(games, bot, f"{game}.0.1", "x")["status"] == "unknown_turn"
    assert games.finalizer.check(game) is None
    view = games.view(game)
    assert view is not None
    assert (view["state"], view["reason"], view["outcome"]) == ("void", "state_lost", None)
    assert [item["game"] for item in games.list(state="void").items] == [game]
    assert games.list(state="running").items == []
    for name in BOTS:
        assert games.turns(name).turns == []


def test_a_game_that_cannot_be_read_is_void(make_games: MakeGames) -> None:
    games = make_games()
    game = new_game(games, "truco")
    games.store._connection.run([("HSET", game_key(game), "t", b'{"kind":"truco"}')])
    other = make_games()
    assert answer(other, "ann", f"{game}.0.1", "x")["status"] == "unknown_turn"
    assert games.finalizer.check(game) is None
    for name in BOTS:
        assert other.turns(name).turns == []
    view = other.view(game)
    assert view is not None
    assert (view["state"], view["observation"]) == ("void", None)
    games.void(game, "again")
    assert games.summary(game)["reason"] == "corrupt_state"


CUP_GROUP = {"id": "cup-r1-p1-g1", "index": 0, "size": 1, "mirrored": False, "attempt": 0}


@pytest.mark.parametrize("end", ["resign", "void"])
def test_the_end_of_a_game_requests_a_step_of_its_tournament(make_games: MakeGames, end: str) -> None:
    jobs = NotedJobs()
    games = make_games(jobs=jobs)
    for options, requested in (({}, []), ({"group": CUP_GROUP}, [Job(JobName.STEP_TOURNAMENT, ("cup",))])):
        game = new_game(games, "truco", seats=[{"bot": "ann"}] * 4, **options)
        if end == "resign":
            games.resign(game, "ann")
            assert jobs.requested.pop() == Job(JobName.FINISH_GAME, (game,))
            games.finish(game)
        else:
            games.void(game, "for the test")
        assert jobs.requested == requested


def test_the_last_answer_stores_the_end_and_a_job_the_record(make_games: MakeGames) -> None:
    """All but the record is there at once."""
    jobs = NotedJobs()
    games = make_games(jobs=jobs)
    game = new_game(games)
    while (job := Job(JobName.FINISH_GAME, (game,))) not in jobs.requested:
        bot, turn = awaited_turn(games, game)
        done = games.exchange(bot, [{"turn": turn["turn"], "action": quiet(turn)}])
    assert done.results[0]["status"] == "accepted"
    view = games.view(game)
    assert view is not None
    assert (view["state"], view["awaiting"]) == ("finished", [])
    assert 1 in view["outcome"]["places"]
    assert games.events(game, start=10**6)["over"]
    assert [item["outcome"] for item in games.list(state="finished").items] == [view["outcome"]]
    assert all(games.turns(name).turns == [] for name in BOTS)
    with pytest.raises(RecordNotReady, match="is still being written"):
        games.record(game)
    assert games.sweeper().sweep() == 0
    games.finish(game)
    first = games.record(game)
    games.finish(game)
    assert games.record(game) == first
    assert jobs.requested == [job]
    assert games.store.claim(10**15, 10**15, 10) == []


def test_the_sweeper_finishes_a_game_whose_finalizer_failed(
    make_games: MakeGames, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker dies before it has published the record."""
    calls: list[str] = []
    games = make_games()
    publish = games.finalizer._records.publish

    def fail_once(game: str) -> None:
        calls.append(game)
        if len(calls) == 1:
            raise RuntimeError("not now")
        publish(game)

    monkeypatch.setattr(games.finalizer._records, "publish", fail_once)
    game = new_game(games, "truco", seats=[{"bot": "ann"}] * 4)
    games.resign(game, "ann")
    with pytest.raises(RuntimeError):
        games.finish(game)
    assert games.store.claim(10**15, 10**15, 10) == [game]
    assert games.finalizer.check(game) is None
    assert calls == [game, game]
    assert games.store.claim(10**16, 10**16, 10) == []
    checked_record(games, game)
