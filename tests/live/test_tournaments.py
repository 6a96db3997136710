"""Tournaments on a real store, single and cluster: what may be done, and that nothing changes results."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import orjson
import pytest

import arena.events.local_groups
from arena.accounts.accounts import Principal
from arena.errors import ArenaError
from arena.live.header import GameNotFound
from arena.ops.jobs import JobName
from arena.play.dealing import commitment, game_seed, group_seed
from arena.ratings.board import board
from arena.ratings.results import collect
from arena.records.verify import verify
from arena.store.tournaments import NewResult, event_key
from arena.tournaments.sealed import play_local_group
from tests.live.arenas import ENTRY_MS, SEED, Arena
from tests.live.clock import skip
from tests.live.playing import quiet

MakeArena = Callable[[], Arena]


@pytest.fixture
def make_arena(url: str) -> Iterator[MakeArena]:
    made: list[Arena] = []

    def make() -> Arena:
        made.append(Arena(url))
        return made[-1]

    yield make
    for one in made:
        one.live.close()


@pytest.fixture
def hall(make_arena: MakeArena) -> Arena:
    return make_arena()


def records_of(hall: Arena, name: str = "cup", group: str | None = None) -> list[dict[str, Any]]:
    records = [json.loads(line) for line in hall.tournaments.records(name, group)]
    assert all(verify(record) == [] for record in records)
    return records


def refused(code: str, act: Callable[..., object], *args: Any, **options: Any) -> ArenaError:
    with pytest.raises(ArenaError) as caught:
        act(*args, **options)
    assert caught.value.code == code, caught.value
    return caught.value


# What comes of it


@pytest.mark.parametrize(
    ("kind", "records_hash"),
    [
        ("truco", "044c469eff1c97ed8ae82047291c04d5af642f1a8697846aac31da0520fc5870"),
        ("toepen", "621832a19c00f41fd3dcfce775a9f2935b15d695c585a5be7dc1f95ef6fb2d82"),
    ],
)
def test_a_fixed_seed_gives_the_same_tournament_everywhere(kind: str, records_hash: str, hall: Arena) -> None:
    """Whoever changes these hashes has changed what is played or how it is recorded."""
    results = []
    for _ in range(2):
        made = hall.cup(kind)
        assert made["commitment"] == commitment(SEED)
        view = hall.run()
        results.append((view["records_hash"], hall.tournaments.standings("cup").table.as_json()))
        hashes = [record["hash"] for record in records_of(hall)]
        assert len(set(hashes)) == 12
        for key in list(_keys(hall)):
            hall.tournaments.store._connection.run([("DEL", key)])
    assert results[0] == results[1]
    assert results[0][0] == records_hash


def _keys(hall: Arena) -> Iterator[str]:
    parts = ("", ":groups", ":order", ":due", ":remote", ":results", ":records", ":unreleased")
    return (f"{{t:cup}}{part}" for part in parts)


def test_seeds_of_groups_and_games_can_be_derived(hall: Arena) -> None:
    hall.cup_in_entry()
    hall.tournaments.enter("cup", "shark", nonce="salt")
    hall.tournaments.leave("cup", "shark")
    view = hall.tournaments.view("cup")
    assert view["seed"] is None
    assert view["entries_hash"] is None
    hall.cup(name="other")
    view = hall.run("other")
    entries = bytes.fromhex(view["entries_hash"])
    groups = {f"other-{group['id']}": group for group in hall.tournaments.groups("other").items}
    for record in records_of(hall, "other"):
        group = record["canonical"]["group"]
        seed = group_seed(bytes.fromhex(view["seed"]), entries, group["id"], group["attempt"])
        assert groups[group["id"]]["commitment"] == commitment(seed)
        assert record["canonical"]["seed"] == game_seed(seed, group["index"], True).hex()


def test_results_count_once_and_lost_work_is_repeated(
    hall: Arena, make_arena: MakeArena, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall.cup("toepen", name="alone")
    expected = [hall.run("alone")["progress"], _scores(hall, "alone")]
    hall.cup("toepen")
    hall.lock()
    # One takes three groups and dies; another plays them twice over.
    store = hall.tournaments.store
    now = hall.now_ms()
    taken = store.claim_groups("cup", now, now + 10_000, 3)
    assert len(taken) == 3
    other = make_arena()
    other.tournaments.play_local_groups("cup", 30)
    assert other.tournaments.progress("cup")["done"] == 3
    assert other.tournaments.play_local_groups("cup", 30) == (0, False, False)
    monkeypatch.setattr(arena.events.local_groups, "LEASE_MS", -1)
    store.renew("cup", taken, 0)
    for one in (hall, other):
        one.tournaments.play_local_groups("cup", 30)
    view = hall.run()
    assert view["progress"]["games"] == expected[0]["games"] == 12  # type: ignore[index,call-overload]
    assert len(records_of(hall)) == 12
    # Other ids, other deals: but as many of everything.
    assert len(_scores(hall, "cup")) == len(expected[1])


def _scores(hall: Arena, name: str) -> list[Any]:
    return [group["score"] for group in hall.tournaments.groups(name).items]


def test_server_faults_void_a_group_and_the_third_stops_it(
    hall: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = {"cup-r1-p1-g1": 2, "cup-r2-p1-g2": 99}

    def play(group: Any, *args: Any) -> Any:
        if failures.get(group.id, 0) > 0:
            failures[group.id] -= 1
            raise RuntimeError("a disk is full")
        return play_local_group(group, *args)

    monkeypatch.setattr(arena.events.local_groups, "play_local_group", play)
    monkeypatch.setattr(arena.events.local_groups, "LEASE_MS", -1)
    hall.cup()
    view = hall.run()
    assert view["state"] == "finished"
    voids = [(void["group"], void["attempt"], void["reason"]) for void in view["voids"]]
    assert sorted(voids) == [
        ("r1-p1-g1", 0, "a disk is full"),
        ("r1-p1-g1", 1, "a disk is full"),
        *(("r2-p1-g2", attempt, "a disk is full") for attempt in range(3)),
    ]
    groups = {group["id"]: group for group in hall.tournaments.groups("cup").items}
    assert groups["r1-p1-g1"]["state"] == "done"
    assert groups["r2-p1-g2"]["state"] == "void"
    assert groups["r2-p1-g2"]["score"] is None
    # Replayed from the same seeds: nothing tells that it was void before.
    assert {record["canonical"]["group"]["attempt"] for record in records_of(hall)} == {0}
    assert hall.tournaments.standings("cup").table.groups == 5


def test_a_group_that_gives_way_after_each_game_is_played_to_its_end(
    hall: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each game is played in a job of its own, and a killed worker's game is played again."""
    house = ["random", "rookie", "regular", "random+2"]
    hall.cup("toepen", "slow", groups=3, rules={"seats": 4}, house=house)
    hall.lock("slow")
    monkeypatch.setattr(arena.events.local_groups, "BATCH_SECONDS", 0.0)
    assert hall.store.tournaments.keep_part("slow", "r1-p1-g1", 0, b"unreadable")
    keep, deaths = hall.store.tournaments.keep_part, [2]

    def die(*args: Any) -> bool:
        deaths[0] -= 1
        if not deaths[0]:
            raise SystemExit
        return keep(*args)

    monkeypatch.setattr(hall.store.tournaments, "keep_part", die)
    monkeypatch.setattr(arena.events.local_groups, "LEASE_MS", -1)
    assert hall.tournaments.play_local_groups("slow", 0) == (1, True, False)
    with pytest.raises(SystemExit):
        hall.tournaments.play_local_groups("slow", 0)
    ids = [group["id"] for group in hall.tournaments.groups("slow").items]
    jobs = 1
    while hall.tournaments.step("slow").state == "running":
        hall.tournaments.play_local_groups("slow", 0)
        jobs += 1
        # A group that is begun comes first. The killed worker has left one behind.
        assert 3 - hall.store.tournaments.parts("slow", ids).count(None) <= 2
    assert jobs == 12
    groups = hall.tournaments.groups("slow").items
    assert [(group["state"], len(group["games"])) for group in groups] == [("done", 4)] * 3
    assert [record["canonical"]["group"]["index"] for record in records_of(hall, "slow")] == [0, 1, 2, 3] * 3
    assert hall.store.tournaments.parts("slow", ids) == [None] * 3
    assert hall.tournaments.view("slow")["voids"] == []


def test_first_games_belong_to_one_attempt_of_a_group_that_is_not_over(hall: Arena) -> None:
    """A worker that was stopped for a long time stores them late."""
    hall.cup("toepen", "slow", groups=3, house=["random", "rookie"])
    hall.lock("slow")
    store, group = hall.store.tournaments, hall.tournaments.groups("slow").items[0]["id"]
    assert store.keep_part("slow", group, 0, b"first")
    assert store.void("slow", group, 0, b"{}", 3, b"null") == 1
    assert store.parts("slow", [group]) == [None]
    assert not store.keep_part("slow", group, 0, b"late")
    assert store.keep_part("slow", group, 1, b"second")
    # The attempt has changed, so that this void changes nothing.
    assert store.void("slow", group, 0, b"{}", 3, b"null") == 1
    assert store.parts("slow", [group]) == [b"second"]
    assert store.add_results("slow", [NewResult(group, 1, 2, b"{}", b"")], hall.now_ms()).new == 1
    assert store.parts("slow", [group]) == [None]
    assert not store.keep_part("slow", group, 1, b"late")
    assert store.parts("slow", [group]) == [None]


@pytest.mark.parametrize("format", ["swiss", "knockout"])
def test_other_formats_finish(format: str, hall: Arena) -> None:
    hall.cup(format=format, house=["random", "rookie", "regular", "rookie+2", "random+2"])
    view = hall.run()
    assert view["state"] == "finished"
    assert view["progress"]["done"] == view["progress"]["planned"]
    assert (view["places"] is None) == (format == "swiss")
    assert len(hall.tournaments.standings("cup").table.rows) == 5


@pytest.mark.parametrize(
    ("kind", "options", "players", "games"),
    [("toepen", {"rules": {"seats": 3}}, 3, 3), ("truco", {"partners": "mixed"}, 4, 2)],
    ids=["tables", "partners"],
)
def test_tables_and_changing_partners(
    kind: str, options: dict[str, Any], players: int, games: int, hall: Arena
) -> None:
    hall.cup(kind, house=["random", "rookie", "regular", "rookie+2"], groups=1, **options)
    assert hall.run()["state"] == "finished"
    groups = hall.tournaments.groups("cup").items
    assert {len(group["players"]) for group in groups} == {players}
    assert {len(group["games"]) for group in groups} == {games}
    assert len(records_of(hall)) == games * len(groups)
    assert len({row.groups for row in hall.tournaments.standings("cup").table.rows}) == 1


def test_an_open_tournament_runs_until_its_end_time(hall: Arena) -> None:
    now = hall.now_ms()
    hall.cup(format="open", ends_ms=now + ENTRY_MS, max_repeats=1000)
    # Without jobs: each round would request the next one, until the tournament ends in ten minutes.
    while hall.tournaments.view("cup")["progress"]["round"] < 3:
        hall.tournaments.step("cup")
        hall.tournaments.play_local_groups("cup", 5)
    hall.skip_entry()
    view = hall.run()
    assert view["finished_ms"] >= now + ENTRY_MS
    played = [row.groups for row in hall.tournaments.standings("cup").table.rows]
    assert max(played) - min(played) <= max(played) / 2


# Entering


def test_entry_opens_and_closes_on_time(hall: Arena) -> None:
    hall.bot("ann", "able")
    later = hall.now_ms() + 500_000
    made = hall.tournaments.create(
        {"name": "Later", "kind": "truco", "format": "swiss", "opens_ms": later, "locks_ms": later + 1000},
        "ann",
    )
    assert made["state"] == "announced"
    refused("entry_closed", hall.tournaments.enter, made["id"], "able")
    hall.cup()
    hall.run()
    refused("entry_closed", hall.tournaments.enter, "cup", "able")
    refused("tournament_over", hall.tournaments.leave, "cup", "rookie")
    refused("tournament_over", hall.tournaments.cancel, "cup")
    refused("tournament_not_found", hall.tournaments.enter, "none", "able")
    refused("tournament_not_found", hall.tournaments.view, "../etc")


def test_who_may_enter_what(hall: Arena) -> None:
    ann, bob = hall.bot("ann", "able"), hall.bot("bob", "baker")
    admin = Principal("admin", "admin", admin=True)
    olga = Principal("owner", "olga", "olga")
    hall.cup_in_entry(house=["rookie"], max_entries=3, per_owner=1)
    enter = hall.tournaments.enter
    refused("forbidden", enter, "cup", "able", by=bob)
    refused("forbidden", enter, "cup", "random", by=ann)
    refused("forbidden", enter, "cup", "able", by=Principal("bot", "other", "ann"))
    refused("bot_not_found", enter, "cup", "nobody", by=ann)
    refused("version_not_found", enter, "cup", "able", "7", by=ann)
    refused("invalid_nonce", enter, "cup", "able", nonce="two words", by=ann)
    assert enter("cup", "able", by=Principal("bot", "able", "ann"))["status"] == "qualifying"
    hall.bot("ann", "able2")
    refused("too_many_of_owner", enter, "cup", "able2", by=ann)
    assert enter("cup", "able", nonce="mine", by=ann)["nonce"] == "mine"
    assert enter("cup", "random", by=olga)["status"] == "qualified"
    refused("tournament_full", enter, "cup", "baker", by=admin)
    refused("forbidden", hall.tournaments.leave, "cup", "able", by=bob)
    refused("forbidden", hall.tournaments.leave, "cup", "able", by=Principal("bot", "able2", "ann"))
    refused("forbidden", hall.tournaments.leave, "cup", "rookie", by=Principal("bot", "olgas", "olga"))
    able = Principal("bot", "able", "ann")
    assert hall.tournaments.leave("cup", "able", by=able)["status"] == "withdrawn"
    enter("cup", "able", by=ann)
    assert hall.tournaments.leave("cup", "able", by=ann)["status"] == "withdrawn"
    hall.accounts.change_bot("baker", "withdrawn")
    refused("bot_withdrawn", enter, "cup", "baker", by=bob)
    hall.accounts.change_bot("baker", "active")
    enter("cup", "baker", by=bob)
    refused("entry_not_found", hall.tournaments.leave, "cup", "shark", by=olga)
    names = {entry["bot"]: entry["status"] for entry in hall.tournaments.view("cup")["entries"]}
    assert names == {"rookie": "qualified", "able": "withdrawn", "random": "qualified", "baker": "qualifying"}
    refused("forbidden", hall.tournaments.cancel, "cup", by=bob)
    view = hall.tournaments.cancel("cup", by=olga, reason="rain")
    assert (view["state"], view["reason"]) == ("cancelled", "rain")


def test_copies_of_a_house_bot_play_local_groups_only(hall: Arena) -> None:
    hall.bot("ann", "able")
    hall.cup_in_entry(house=["rookie", "rookie+2"], groups=1)
    hall.tournaments.enter("cup", "able")
    refused("bot_not_found", hall.tournaments.enter, "cup", "nobody+2")
    hall.skip_entry()
    view = hall.run("cup", {"able": quiet})
    entries = {entry["bot"]: entry["status"] for entry in view["entries"]}
    assert entries == {"able": "qualified", "rookie": "qualified", "rookie+2": "failed"}
    assert {row.name for row in hall.tournaments.standings("cup").table.rows} == {"able", "rookie"}


def test_too_few_entrants_at_the_lock_cancel_the_tournament(hall: Arena) -> None:
    hall.cup(house=["rookie"])
    view = hall.run()
    assert view["state"] == "cancelled"
    assert "too few" in view["reason"] or "cannot play" in view["reason"]


def test_lists_and_their_pages(hall: Arena) -> None:
    hall.cup(name="cup-0")
    for number in range(1, 5):
        hall.cup_in_entry(kind="toepen" if number % 2 else "truco", name=f"cup-{number}")
    hall.run("cup-0")
    listed = hall.tournaments.list
    names = [item["id"] for item in listed().items]
    assert sorted(names) == [f"cup-{number}" for number in range(5)]
    assert {item["id"] for item in listed(kind="toepen").items} == {"cup-1", "cup-3"}
    assert [item["id"] for item in listed(state="over").items] == ["cup-0"]
    paged: list[str] = []
    cursor = None
    while True:
        page = listed(cursor=cursor, limit=2)
        paged += (item["id"] for item in page.items)
        cursor = page.cursor
        if cursor is None:
            break
    assert paged == names
    refused("invalid_cursor", listed, cursor="x")
    refused("invalid_tournament", listed, state="lost")
    refused("kind_not_found", listed, kind="chess")
    refused("invalid_cursor", hall.tournaments.groups, "cup-0", "x")


# Other bots


def test_a_bot_qualifies_plays_and_its_lost_game_is_played_again(hall: Arena) -> None:
    hall.bot("ann", "able")
    hall.cup_in_entry(house=["random"], groups=2)
    assert hall.tournaments.enter("cup", "able")["status"] == "qualifying"
    hall.skip_entry()
    bots = {"able": quiet}
    lost: list[str] = []
    while (view := hall.tournaments.view("cup"))["state"] != "finished":
        hall.step("cup", bots)
        running = [item["game"] for item in hall.live.list(bot="able", state="running").items]
        mine = [game for game in running if game.startswith("cup-r1-p1-g2")]
        if mine and not lost:
            hall.live.void(mine[0], "the power was out")
            lost = mine[:1]
    assert [void["group"] for void in view["voids"]] == ["r1-p1-g2"]
    records = records_of(hall)
    attempts = {
        record["canonical"]["group"]["id"]: record["canonical"]["group"]["attempt"] for record in records
    }
    assert attempts == {"cup-r1-p1-g1": 0, "cup-r1-p1-g2": 1}
    assert all(len(set(map(str, (r["canonical"]["seed"] for r in records)))) == 4 for _ in records)
    assert hall.tournaments.standings("cup").table.groups == 2
    while hall.boards.due():
        for name in hall.boards.due():
            hall.boards.publish(*name)
    published = hall.boards.read("truco", "open")
    assert published is not None
    # Without that of the qualification.
    assert published["groups"] == 2
    downloaded = [json.loads(line) for _, line in hall.live.iter_records()]
    assert len(downloaded) == 4
    del published["published_ms"]
    supplement = hall.boards.supplement("truco", "open")
    found = board(collect(downloaded), "truco", "open", supplement=supplement)
    assert json.loads(json.dumps(found.as_json())) == published


def test_a_bot_with_malformed_answers_does_not_qualify_and_sees_why(hall: Arena) -> None:
    hall.bot("ann", "able")
    hall.cup_in_entry(house=["random", "rookie"])
    hall.tournaments.enter("cup", "able")
    hall.skip_entry()
    view = hall.run("cup", {"able": lambda turn: "play:XX"})
    entry = next(entry for entry in view["entries"] if entry["bot"] == "able")
    assert entry["status"] == "failed"
    assert entry["reason"] == "the version did not qualify; its owner can see why"
    (shown,) = hall.tournaments.qualifications("able", "1")
    assert "illegal, illegal, illegal" in shown["reason"]
    assert "play:XX" in shown["reason"]
    assert [row.name for row in hall.tournaments.standings("cup").table.rows] != []
    assert {row.name for row in hall.tournaments.standings("cup").table.rows} == {"random", "rookie"}
    # Entering again gives it another chance.
    hall.cup_in_entry(name="next")
    assert hall.tournaments.enter("next", "able")["status"] == "qualifying"


@pytest.mark.system
def test_a_faulty_bot_harms_only_itself(hall: Arena) -> None:
    for owner, name in (("ann", "able"), ("bob", "baker")):
        hall.bot(owner, name)
    hall.cup_in_entry(house=["random"], groups=2)
    for name in ("able", "baker"):
        hall.tournaments.enter("cup", name)
    hall.skip_entry()

    def able(turn: dict[str, Any]) -> str:
        return "nonsense" if turn["game"].startswith("cup-") else quiet(turn)

    view = hall.run("cup", {"able": able, "baker": quiet})
    assert view["state"] == "finished"
    rows = {row.name: row for row in hall.tournaments.standings("cup").table.rows}
    # It lost all its groups, which count for nobody else.
    assert (rows["able"].groups, rows["able"].points, rows["able"].forfeits) == (4, 0.0, 4)
    assert rows["baker"].groups == rows["random"].groups == 2
    assert rows["baker"].faults == rows["random"].faults == 0
    for group in hall.tournaments.groups("cup").items:
        assert group["forfeits"] == (["able"] if "able" in group["players"] else [])


def test_qualified_online_bots_are_entered_automatically(hall: Arena) -> None:
    for name in ("able", "away", "other"):
        hall.bot("ann", name)
    # Whoever was there in the last 40 s is online; to be there is not to take part.
    hall.cup(locks_ms=hall.now_ms() + 30_000, house=["random"], auto_enter=True)
    hall.live.turns("able", tournaments=True)
    hall.live.turns("other")
    assert hall.tournaments.online() == ["able", "other"]
    while not any(shown["state"] == "qualified" for shown in hall.tournaments.qualifications("able", "1")):
        hall.step("cup", {"able": quiet})
    skip(hall.live, 30_000)
    hall.live.turns("able", tournaments=True)
    view = hall.run("cup", {"able": quiet})
    assert hall.tournaments.qualifications("other", "1") == []
    assert [entry["bot"] for entry in view["entries"]].count("able") == 1
    assert {row.name for row in hall.tournaments.standings("cup").table.rows} == {"able", "random"}


# Annulling


def test_an_annulled_group_does_not_count_and_its_records_say_why(hall: Arena) -> None:
    hall.cup("toepen")
    before = hall.run()
    hall.boards.publish("toepen", "sealed")
    shown = hall.tournaments.annul("cup-r1-p1-g1-2", "admin", "they shared a screen")
    assert (shown["group"], shown["by"]) == ("r1-p1-g1", "admin")
    hall.tournaments.annul("cup-r1-p1-g1", "admin", "again")
    group = hall.tournaments.groups("cup").items[0]
    assert (group["id"], group["state"]) == ("r1-p1-g1", "void")
    assert group["annulled"]["reason"] == "they shared a screen"
    after = hall.tournaments.view("cup")
    assert hall.tournaments.standings("cup").table.groups == 5
    assert (
        after["records_hash"]
        == hall.tournaments.standings("cup").table.records_hash
        != before["records_hash"]
    )
    reasons = [record["info"].get("annulled") for record in records_of(hall)]
    assert reasons.count("they shared a screen") == 2
    assert reasons.count(None) == 10
    hall.boards.publish("toepen", "sealed")
    published = hall.boards.read("toepen", "sealed")
    assert published is not None
    assert published["groups"] == 5
    downloaded = [json.loads(line) for _, line in hall.live.iter_records()]
    del published["published_ms"]
    assert json.loads(json.dumps(board(collect(downloaded), "toepen", "sealed").as_json())) == published
    for unknown in ("cup-r9-p1-g1", "none-r1-p1-g1", "0" * 18):
        with pytest.raises(GameNotFound):
            hall.tournaments.annul(unknown, "admin", "")
    hall.cup(name="next")
    hall.lock("next")
    refused("group_not_over", hall.tournaments.annul, "next-r1-p1-g1", "admin", "")


# Live standings


@contextmanager
def hidden_results(hall: Arena) -> Iterator[None]:
    """Nobody finds the results of the cup."""
    key = f"{event_key('cup')}:results"
    connection = hall.store.tournaments._connection
    connection.run([("RENAME", key, f"{key}-hidden")])
    yield
    connection.run([("RENAME", f"{key}-hidden", key)])


def test_live_standings_are_computed_by_a_job_and_read_without_computing(hall: Arena) -> None:
    hall.cup(groups=4)
    assert hall.tournaments.standings("cup").state == "queued"
    hall.lock()
    assert hall.tournaments.play_local_groups("cup", 0).groups
    queued = hall.tournaments.standings("cup")
    assert (queued.state, queued.table.rows, queued.computed_ms) == ("queued", (), None)
    hall.service.step_tournament("cup")
    hall.service.step_tournament("cup")
    (job,) = [job for job in hall.jobs.pending if job.name == JobName.UPDATE_STANDINGS]
    hall.service.run(job)
    with hidden_results(hall):
        live = hall.tournaments.standings("cup")
    assert live.state == "live"
    assert {row.name for row in live.table.rows} == {"random", "rookie", "regular"}
    assert live.table.groups > 0
    assert live.computed_ms is not None
    assert live.computed_ms <= hall.now_ms()
    assert hall.tournaments.update_standings("cup") is False
    view = hall.run()
    final = hall.tournaments.standings("cup")
    assert (final.state, final.computed_ms) == ("final", None)
    assert final.table.records_hash == view["records_hash"]
    assert hall.store.tournaments.standings("cup") is None


def test_live_standings_are_computed_again_after_a_change_and_a_pause(hall: Arena) -> None:
    hall.cup(groups=40)
    hall.lock()
    hall.tournaments.play_local_groups("cup", 0)
    assert hall.tournaments.update_standings("cup")
    first = hall.tournaments.standings("cup").table.groups
    skip(hall.live, 60_000)
    assert not hall.tournaments.update_standings("cup"), "nothing has changed"
    hall.tournaments.play_local_groups("cup", 0)
    assert hall.tournaments.update_standings("cup")
    second = hall.tournaments.standings("cup").table.groups
    assert second > first
    hall.tournaments.play_local_groups("cup", 0)
    assert not hall.tournaments.update_standings("cup"), "they are new"
    assert hall.tournaments.standings("cup").table.groups == second


@pytest.mark.nightly("boards")
def test_standings_are_parsed_once_until_they_change(hall: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.events.lifecycle._LARGE", 2)
    hall.cup(groups=40)
    hall.lock()
    hall.tournaments.play_local_groups("cup", 0)
    assert hall.tournaments.update_standings("cup")
    live = hall.tournaments.standings("cup")
    assert hall.tournaments.standings("cup") is live
    hall.run()
    final = hall.tournaments.standings("cup")
    assert (final.state, final.table.groups) == ("final", 120)
    assert hall.tournaments.standings("cup") is final
    tournament, _ = hall.tournaments.lifecycle.load("cup")
    assert (tournament.final, tournament.final_hash) == (None, final.table.records_hash)
    page = orjson.loads(orjson.dumps(final.page("1", 1)))
    table = final.table.as_json()
    assert (page["rows"], page["crosstable"]) == (table["rows"][1:2], table["crosstable"][1:2])
    assert page["cursor"] == "2"
    hall.tournaments.annul("cup-r1-p1-g1", "admin", "")
    assert hall.tournaments.standings("cup").table.groups == 119


def test_only_some_standings_are_kept(hall: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.events.lifecycle._LARGE", 2)
    for name in ("one", "two", "three"):
        hall.cup(name=name, groups=1)
        hall.run(name)
    size = hall.tournaments.standings("one").size
    monkeypatch.setattr("arena.events.live_standings._KEPT_BYTES", 2 * size + 100)
    one, two = (hall.tournaments.standings(name) for name in ("one", "two"))
    assert hall.tournaments.standings("one") is one
    hall.tournaments.standings("three")
    assert hall.tournaments.standings("one") is one
    assert hall.tournaments.standings("two") is not two


def test_a_cancelled_tournament_has_the_standings_of_all_its_groups(hall: Arena) -> None:
    hall.cup(groups=40)
    hall.lock()
    hall.tournaments.play_local_groups("cup", 0)
    hall.tournaments.cancel("cup")
    hall.tournaments.standings("cup")
    hall.jobs.run_pending(hall.service)
    found = hall.tournaments.standings("cup")
    assert found.state == "live"
    assert found.table.groups == hall.tournaments.view("cup")["progress"]["done"] > 0
    assert hall.jobs.pending == []


def test_the_remaining_time_is_that_of_the_last_minute(hall: Arena) -> None:
    hall.cup(groups=200, max_entries=8)
    hall.lock()
    store = hall.store.tournaments
    groups = [group.id for group in store.groups("cup", 0, 1000)]
    assert len(groups) == 600

    def over(count: int) -> None:
        results = [NewResult(groups.pop(), 0, 2, b"null", b"") for _ in range(count)]
        assert store.add_results("cup", results, hall.now_ms()).new == count

    def left() -> float | None:
        found: float | None = hall.tournaments.view("cup")["progress"]["left_s"]
        return found

    # At once, as those of house bots.
    over(300)
    assert left() is None, "it is too early"
    for _ in range(12):
        skip(hall.live, 10_000)
        over(2)
    # Twelve a minute; by the mean since the start it would be two minutes.
    found = left()
    assert found is not None
    assert 1000 < found < 1500
    skip(hall.live, 120_000)
    assert left() is None, "nothing was over in the last minute"
