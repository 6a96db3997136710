"""The page /watch: the tables that anybody may watch, and the one stream that changes them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from flask import Flask

from api.pages import watched_tables
from api.pages.felts import Felt, FeltDrawings
from api.pages.watched_tables import WatchedTables
from api.spectators import Spectators, process_name
from api.watching import Watching
from arena.games import GAMES
from arena.live.service import LiveGames
from arena.ops.service import Service
from tests.api.contract import ContractClient
from tests.waiting import wait_until


@pytest.fixture
def service(app: Flask) -> Service:
    found: Service = app.extensions["botequim"]
    return found


@pytest.fixture
def live(service: Service) -> LiveGames:
    return service.live


@pytest.fixture
def tables(app: Flask) -> WatchedTables:
    found: WatchedTables = app.extensions["botequim-tables"]
    return found


@pytest.fixture(autouse=True)
def swift(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("INTERVAL", "CHOICE_SECONDS", "_PAUSE"):
        monkeypatch.setattr(watched_tables, name, 0.02)
    for name in ("LINGER", "OVER_SECONDS"):
        monkeypatch.setattr(watched_tables, name, math.inf)
    for name in ("_STEP_SECONDS", "_ENDED_SECONDS"):
        monkeypatch.setattr(watched_tables, name, 0.0)


OPEN: list[Any] = []


@pytest.fixture(autouse=True)
def quiet(swift: None, tables: WatchedTables, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield
    for reader in OPEN:
        reader.messages.close()
    OPEN.clear()
    monkeypatch.setattr(watched_tables, "LINGER", 0)
    wait_until(lambda: not tables._is_followed, 30)


def public_game(live: LiveGames, kind: str = "toepen", **options: Any) -> str:
    rules = {"seats": 2, "lives": 3} if kind == "toepen" else {}
    seats = [{"house": "random"}, {"house": "rookie"}, {"house": "regular"}, {"house": "shark"}]
    return live.create(kind, seats=seats[: 2 if rules else 4], rules=rules, **options)["game"]


def shown_games(page: str) -> list[str]:
    return re.findall(r'data-game="([^"]+)"', page)


def test_the_page_lists_what_anybody_may_watch(anybody: ContractClient, service: Service) -> None:
    live = service.live
    public, other = public_game(live), public_game(live, "truco")
    hidden = public_game(live, visibility="private")
    group = {"id": "cup-1", "index": 0, "size": 2, "mirrored": True, "attempt": 0}
    mirrored = public_game(live, group=group)
    assert sorted(shown_games(anybody.get("/watch").text)) == sorted([other, public])
    assert shown_games(anybody.get("/watch?game=truco").text) == [other]
    for game in (hidden, mirrored):
        live.cancel(game, running=True)
    # Whoever looks wants to see the exhibition.
    begun = service.exhibition.keep()
    assert len(begun) == len(GAMES)
    page = anybody.get("/watch").text
    wait_until(lambda: len(shown_games(anybody.get("/watch").text)) == 4)
    page = anybody.get("/watch").text
    assert shown_games(page)[:2] == list(service.exhibition.games().values())
    assert page.count("Follow this table") == 2
    for game in shown_games(page):
        assert f'href="/games/{game}"' in page


def test_an_unknown_game_is_refused(anybody: ContractClient) -> None:
    assert anybody.get("/watch?game=chess").status_code == 404


def test_no_card_of_a_hand_is_on_the_page(anybody: ContractClient, live: LiveGames) -> None:
    game = public_game(live, "truco")
    page = anybody.get("/watch").text
    view = live.view(game)
    assert view is not None
    drawn = page[page.index(f'data-game="{game}"') :]
    # Before the first card is played, only backs are drawn.
    assert "#suit-" not in drawn.partition("</article>")[0]


class Reader:
    """A browser's view of the stream: the parts of each table by name."""

    def __init__(self, tables: WatchedTables, after: str) -> None:
        self.parts: dict[str, dict[str, str]] = {}
        self.lines: dict[str, list[str]] = {}
        self.order: list[str] = []
        self.whole: dict[str, str] = {}
        self.last = after
        self.ids: list[str] = []
        self.messages = tables.messages(0.05, after)
        OPEN.append(self)

    def read(self) -> None:
        found = next(self.messages)
        if found is None:
            return
        self.last, message = found[0], orjson.loads(found[1])
        self.ids.append(self.last)
        if "order" in message:
            self.order = message["order"]
            self.whole |= message["tables"]
            for game in message["tables"]:
                self.lines[game] = []
        for game, one in message.get("changed", {}).items():
            self.parts.setdefault(game, {}).update(one["parts"])
            if one.get("clear"):
                self.lines[game] = []
            self.lines.setdefault(game, []).extend(one.get("lines", []))


def test_one_stream_brings_what_changes_on_all_tables(
    live: LiveGames, tables: WatchedTables, app: Flask
) -> None:
    games = [public_game(live), public_game(live, "truco")]
    last, _ = tables.shown()
    reader = Reader(tables, last)
    while any(live.summary(game)["state"] == "running" for game in games):
        for game in games:
            live.move_house_bots(game, seconds=0)
    felts = {one.felt.game: one.felt for one in tables._tables.values()}
    drawings = FeltDrawings(app)

    def is_shown() -> bool:
        reader.read()
        return all(felt.over for felt in felts.values()) and all(
            drawings.parts(felts[game]).items() >= reader.parts.get(game, {"": ""}).items() for game in games
        )

    wait_until(is_shown)


def test_who_missed_messages_gets_them_or_all_tables(live: LiveGames, tables: WatchedTables) -> None:
    game = public_game(live)
    last, _ = tables.shown()
    first = Reader(tables, last)
    first.read()

    def several() -> bool:
        live.move_house_bots(game, seconds=0)
        first.read()
        return len(first.ids) > 2

    wait_until(several)
    # Others get all messages after the last one that they have, or all tables if that is of another process.
    for known, missed in ((last, first.ids), (first.ids[0], first.ids[1:])):
        again = Reader(tables, known)
        while again.last != first.last:
            again.read()
        assert again.ids == missed
        assert not again.whole
    other = Reader(tables, "12345678-7")
    other.read()
    assert list(other.whole) == [game]
    assert not other.parts


def test_the_stream_tells_when_tables_come_and_go(
    live: LiveGames, tables: WatchedTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched_tables, "OVER_SECONDS", 0)
    last, shown = tables.shown()
    assert shown == []
    reader = Reader(tables, last)
    game = public_game(live)

    def order(wanted: list[str]) -> bool:
        reader.read()
        return reader.order == wanted

    wait_until(lambda: order([game]))
    assert f'href="/games/{game}"' in reader.whole[game]
    live.cancel(game, running=True)
    wait_until(lambda: order([]))


def test_the_stream_over_http(anybody: ContractClient, live: LiveGames) -> None:
    game = public_game(live)
    response = anybody.get("/watch/tables", buffered=False)
    chunk = b""
    for piece in response.response:
        chunk += piece if isinstance(piece, bytes) else piece.encode()
        if chunk.count(b"\n\n") >= 2:
            break
    response.close()
    assert b"event: felts\nid: " in chunk
    assert game.encode() in chunk


def test_spectators_of_the_page_count_for_its_tables(live: LiveGames, tables: WatchedTables) -> None:
    game = public_game(live)
    readers = [Reader(tables, "") for _ in range(3)]
    for reader in readers:
        reader.read()
    counts = tables._watching.counts
    assert counts.of(game) == 3
    for reader in readers:
        reader.messages.close()
    assert counts._own == {}


def test_spectators_of_a_game_are_counted_and_reported(service: Service) -> None:
    game = public_game(service.live)
    counts = Spectators(service.store, service.exhibition)
    watching = Watching(service.live, counts)
    messages = watching.messages(game, 0.05)
    first = next(messages)
    assert first is not None
    assert first.data["watch"] == 1
    # Another process has more.
    service.store.watchers.report("other", {game: 4}, service.store.clock().now_ms)
    counts._all = service.store.watchers.report(process_name(), counts._own, service.store.clock().now_ms)
    assert counts.of(game) == 5
    messages.close()
    assert counts._own == {}


@pytest.mark.parametrize("kind", GAMES)
@pytest.mark.parametrize("is_large", [True, False])
def test_names_are_whole_where_there_is_room(
    app: Flask, live: LiveGames, kind: str, *, is_large: bool
) -> None:
    seats = [{"house": "rookie"}] * 4
    rules = {"seats": 4} if kind == "toepen" else {}
    felt = Felt.of(live.summary(live.create(kind, seats=seats, rules=rules)["game"]), is_large)
    felt.table.layout["names"] = [f"kroegtijger-{number}" for number in range(4)]
    html = FeltDrawings(app).whole(felt)
    assert re.findall(r">(kroegtijger-\d)</text>", html) == felt.table.layout["names"]
    felt.table.layout["names"] = ["kroegtijger-with-a-long-name"] * 4
    html = FeltDrawings(app).whole(felt)
    assert all(len(name) > 8 for name in re.findall(r">(kroeg[^<]*…)</text>", html))
    assert html.count("<title>kroegtijger-with-a-long-name</title>") == 4
