"""The last games and tournaments of a bot."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.accounts.accounts import BotNotFound
from arena.events.account_data import AccountData
from arena.events.bot_games import BotGames, OverGroup, PlayedGames
from arena.events.tournament import PlannedGroup, Tournament
from arena.live.header import ANYBODY, Viewer
from arena.ratings.results import GroupResult
from arena.store.bot_games import BotGroup, group_lists
from arena.store.tournaments import TournamentStore
from tests.live.arenas import Arena

Item = dict[str, Any]


def games(arena: Arena, bot: str, **filters: Any) -> list[Item]:
    found: BotGames = arena.service.bot_games
    return list(found.list(bot, **filters))


def tournaments(arena: Arena, bot: str, viewer: Viewer = ANYBODY) -> list[str]:
    return [one["id"] for one in arena.tournaments.list(bot=bot, viewer=viewer).items]


def stored(arena: Arena, name: str) -> tuple[Tournament, list[OverGroup]]:
    """A tournament, and its groups as they were when they were released."""
    tournament, _ = arena.tournaments.lifecycle.load(name)
    groups = arena.store.tournaments.groups(name, 0, 1000)
    return tournament, [OverGroup(PlannedGroup.loads(own.id, own.row), own.result) for own in groups]


def test_games_of_the_arena_are_listed_by_bot(arena: Arena) -> None:
    arena.cup()
    arena.run()
    found = games(arena, "rookie")
    # Two groups of two games with each of two others.
    assert len(found) == 8
    assert {seat["name"] for one in found for seat in one["seats"]} == {"rookie", "random", "regular"}
    records = {record["canonical"]["game"]: record["canonical"] for record in recorded(arena)}
    for one in found:
        canonical = records[one["game"]]
        assert one["outcome"] == canonical["outcome"]
        assert [seat["name"] for seat in one["seats"]] == [player["name"] for player in canonical["players"]]
        assert one["seats"][one["seat"]]["name"] == "rookie"
        assert one["team"] == [one["seat"], one["seat"] + 2]
        won = canonical["outcome"]["places"][one["seat"]] == 1
        assert (one["result"], one["sides"]) == ("won" if won else "lost", 2)
        assert one["tournament"] == {"id": "cup", "name": "The Cup"}
        assert (one["kind"], one["preset"], one["rated"]) == ("truco", "base@1", True)
    assert [one["at_ms"] for one in found] == sorted((one["at_ms"] for one in found), reverse=True)
    assert tournaments(arena, "rookie") == tournaments(arena, "random") == ["cup"]


def recorded(arena: Arena, name: str = "cup") -> list[Item]:
    return [json.loads(line) for line in arena.tournaments.records(name)]


def test_they_are_filtered(arena: Arena) -> None:
    arena.cup()
    arena.run()
    assert len(games(arena, "rookie", against="random")) == 4
    assert games(arena, "rookie", against="rookie") == []
    assert games(arena, "rookie", kind="toepen") == games(arena, "rookie", preset="duel@1") == []
    won = games(arena, "rookie", result="won")
    lost = games(arena, "rookie", result="lost")
    assert len(won) + len(lost) == 8
    assert {one["result"] for one in won} == {"won"}
    assert len(games(arena, "rookie", limit=3)) == 3
    with pytest.raises(BotNotFound):
        games(arena, "nobody")


def test_writing_them_again_changes_nothing(arena: Arena) -> None:
    arena.cup()
    arena.run()
    before = games(arena, "rookie")
    for _ in range(2):
        PlayedGames(arena.store).add(*stored(arena, "cup"))
    assert games(arena, "rookie") == before
    assert tournaments(arena, "rookie") == ["cup"]


def test_a_process_that_dies_before_the_release_loses_none(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: Any) -> None:
        raise KeyboardInterrupt

    arena.cup()
    arena.lock()
    with monkeypatch.context() as patch:
        # After the results are stored.
        patch.setattr(PlayedGames, "add", dies)
        with pytest.raises(KeyboardInterrupt):
            arena.tournaments.play_local_groups("cup")
    assert games(arena, "rookie") == []
    arena.run()
    assert len(games(arena, "rookie")) == 8


def test_a_worker_that_was_not_the_first_lists_what_is_stored(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_results = TournamentStore.add_results

    def beside(self: TournamentStore, event: str, results: Any, now_ms: int) -> Any:
        # Another worker has just stored the same groups.
        add_results(self, event, [one._replace(result=late(one.result)) for one in results], now_ms)
        return add_results(self, event, results, now_ms)

    def late(data: bytes) -> bytes:
        result = GroupResult.from_json(json.loads(data))
        result.games = tuple(game._replace(finished_ms=1234567890123) for game in result.games)
        return json.dumps(result.as_json()).encode()

    monkeypatch.setattr(TournamentStore, "add_results", beside)
    arena.cup()
    arena.run()
    assert {one["at_ms"] for one in games(arena, "rookie")} == {1234567890123}


def test_a_bot_has_so_many_groups_at_most(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.bot_games.KEPT_GROUPS", 3)
    monkeypatch.setattr("arena.store.bot_games.KEPT_TOURNAMENTS", 1)
    for name in ("one", "two"):
        arena.cup(name=name)
        arena.run(name)
    assert len(arena.store.bot_games.groups("rookie", private=False)) == 3
    assert tournaments(arena, "rookie") == ["two"]
    # What is on the list of the opponent is found, too.
    (row,) = {one["tournament"]["id"] for one in games(arena, "random", against="rookie")}
    assert row == "two"


def test_long_lists_are_stored_compactly(arena: Arena) -> None:
    store = arena.store.bot_games
    name = "c" * 40
    groups = [BotGroup(f"{name}-r1-p{at}-g1", 10**12 + at, frozenset({"ann"})) for at in range(300)]
    store.add(groups, private=False)
    assert [own.name for own in store.groups("ann", private=False)] == [own.id for own in groups[:-101:-1]]
    key, _ = group_lists("ann")
    assert arena.store._connection.run([("OBJECT", "ENCODING", key)]) == [b"listpack"]


def test_a_table_has_places(arena: Arena) -> None:
    arena.cup(
        kind="toepen",
        rules={"seats": 4, "lives": 2},
        groups=1,
        house=["random", "rookie", "regular", "rookie+2"],
        rated=False,
    )
    arena.run()
    found = games(arena, "rookie+2")
    assert len(found) == 4
    assert {(one["sides"], one["preset"], one["rated"], len(one["team"])) for one in found} == {
        (4, None, False, 1)
    }
    assert {one["seat"] for one in found} == {0, 1, 2, 3}


def test_qualifications_and_what_is_not_over_are_not_listed(arena: Arena) -> None:
    arena.upload("first", "def choose(turn):\n    return turn['legal_actions'][0]\n")
    begun = arena.tournaments.qualify("toepen", "first", "1")
    arena.run(begun["tournament"])
    arena.cup()
    arena.lock()
    assert games(arena, "first") == games(arena, "rookie") == []
    assert tournaments(arena, "first") == []


def test_hidden_tournaments_are_seen_by_those_who_may(arena: Arena) -> None:
    arena.accounts.sign_up("olga")
    arena.accounts.sign_up("pia")
    arena.cup(name="q-hushed", who="invited", hidden=True, invited_owners=["pia"], rated=False)
    arena.run("q-hushed")
    for viewer in (ANYBODY, Viewer(owner="teo")):
        assert games(arena, "rookie", viewer=viewer) == []
        assert games(arena, "rookie", viewer=viewer, against="random") == []
        assert tournaments(arena, "rookie", viewer) == []
    for viewer in (Viewer(owner="pia"), Viewer(owner="olga"), Viewer(admin=True)):
        assert len(games(arena, "rookie", viewer=viewer)) == 8
    for viewer in (Viewer(owner="olga"), Viewer(admin=True)):
        assert tournaments(arena, "rookie", viewer) == ["q-hushed"]
    # Its texts reach the invited owner's lists only after she has accepted.
    assert tournaments(arena, "rookie", Viewer(owner="pia")) == []


def test_annulled_groups_are_marked(arena: Arena) -> None:
    arena.cup()
    arena.run()
    game = games(arena, "rookie")[0]["game"]
    arena.tournaments.annul(game, "admin", "Fire alarm.")
    marked = {one["game"].rpartition("-")[0] for one in games(arena, "rookie") if one["annulled"]}
    assert marked == {game.rpartition("-")[0]}


def test_hidden_names_are_not_shown(arena: Arena) -> None:
    arena.cup()
    arena.run()
    shown = arena.service.moderation.delete_name("bot", "random")
    arena.service.moderation.hide("tournament", "cup", "name", by="admin", reason="rude")
    found = games(arena, "rookie")
    assert "'random'" not in str(found)
    assert "The Cup" not in str(found)
    # A link on a page has the name that is shown.
    assert len(games(arena, "rookie", against=shown)) == 4
    assert len(arena.tournaments.groups("cup", bots=["rookie", shown]).items) == 2


def test_deleting_a_bot_deletes_its_lists(arena: Arena) -> None:
    arena.accounts.sign_up("olga")
    arena.upload("first", "def choose(turn):\n    return turn['legal_actions'][0]\n")
    arena.run(arena.tournaments.qualify("toepen", "first", "1")["tournament"])
    arena.cup(kind="toepen", division="sealed", auto_enter=True, house=["rookie"], groups=1)
    arena.run()
    assert len(games(arena, "first")) == 2
    data: AccountData = arena.service.account_data
    bots: Any = data.document("olga")["bots"]
    assert set(next(bots)["games"]) == {one["game"] for one in games(arena, "first")}
    data.delete("olga", "olga")
    with pytest.raises(BotNotFound):
        games(arena, "first")
    for private in (False, True):
        assert arena.store.bot_games.groups("first", private=private) == []
    assert tournaments(arena, "first") == []
    # The opponent keeps the games, without the name.
    assert len(games(arena, "rookie")) == 2
    assert "first" not in str(games(arena, "rookie"))


def test_damaged_rows_are_left_out(arena: Arena) -> None:
    arena.cup()
    arena.run()
    key = "{b:rookie}:groups"
    rows = ("[1]", "cup-r1", "cup-r9-p1-g1", "lost-r1-p1-g1")
    arena.store._connection.run([("ZADD", key, 9e15, row) for row in rows])
    assert len(games(arena, "rookie")) == 8
    arena.store.tournaments.replace_result("cup", "r1-p1-g1", b"[1]")
    left = len(games(arena, "random")) + len(games(arena, "rookie")) + len(games(arena, "regular"))
    assert left == 3 * 8 - 2 * 2


def test_the_groups_of_two_bots_are_found_page_by_page(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.events.group_lists._AT_ONCE", 2)
    monkeypatch.setattr("arena.events.group_lists._READS", 1)
    arena.cup(groups=3)
    arena.run()
    every = arena.tournaments.groups("cup").items
    pair = ["rookie", "random"]
    expected = [one["id"] for one in every if set(one["players"]) == set(pair)]
    assert len(expected) == 3
    cursor, found, pages = None, list[str](), 0
    while True:
        page = arena.tournaments.groups("cup", cursor, 2, bots=pair)
        found += [one["id"] for one in page.items]
        pages, cursor = pages + 1, page.cursor
        if cursor is None:
            break
    assert found == expected
    assert pages > 2
    assert arena.tournaments.groups("cup", bots=["rookie", "nobody"]).items == []
