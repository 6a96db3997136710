"""The driver: bots that are called play their games to the end, and bad ones harm nobody else."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from arena.accounts.owners import OwnerSuspension
from arena.accounts.versions import OF_OWNER, Suspension, pack_suspension
from arena.records.verify import verify
from arena.store.embedded import EmbeddedStore
from arena.webhooks import driver as driver_module
from arena.webhooks.addresses import Policy
from arena.webhooks.calling import Endpoint
from arena.webhooks.driver import Driver
from tests.ports import free_port
from tests.service import Process
from tests.waiting import PATIENCE
from tests.webhooks.parts import (
    CLOCK,
    LOOPBACK,
    SECRET,
    Arena,
    bad_receiver,
    first_legal,
    handler,
    node_receiver,
    python_receiver,
    reply,
    until,
)

SHORT = {"per_turn_ms": 500, "bank_ms": 0}


def faults(record: dict[str, Any]) -> Counter[str]:
    return Counter(fault["type"] for fault in record["canonical"]["faults"])


@pytest.mark.system
def test_receivers_in_other_processes_play_to_the_end(arena: Arena) -> None:
    has_node = shutil.which("node") is not None
    with python_receiver() as here, node_receiver() if has_node else python_receiver() as there:
        arena.bot("first-bot", here)
        arena.bot("second-bot", there)
        seats = [{"bot": "first-bot"}, {"bot": "second-bot"}]
        with arena.driven():
            games = [arena.game(*seats) for _ in range(4)]
            games.append(arena.game(*seats, {"house": "random"}, {"bot": "first-bot"}, kind="truco"))
            for record in arena.wait(*games):
                assert verify(record) == []
                assert record["canonical"]["faults"] == []
    assert arena.circuit("first-bot").state == "closed"
    assert arena.circuit("first-bot").last_ok_ms is not None
    assert arena.circuit("first-bot").last_error is None


@pytest.mark.parametrize("way", ["hang", "redirect", "failing", "gigabyte", "garbage"])
def test_a_bad_receiver_costs_only_itself(arena: Arena, way: str) -> None:
    """Its own games go by the clock or by its faults, and meanwhile those of others are played to the end."""
    kind = "malformed" if way in ("gigabyte", "garbage") else "late"
    clock = SHORT if kind == "late" else CLOCK
    with bad_receiver(way) as bad, python_receiver() as good:
        arena.bot("bad-bot", bad)
        arena.bot("good-bot", good)
        with arena.driven():
            lost = [arena.game({"bot": "bad-bot"}, {"house": "random"}, clock=clock) for _ in range(2)]
            until(lambda: arena.circuit("bad-bot").last_error is not None)
            games = [arena.game({"bot": "good-bot"}, {"bot": "good-bot"}) for _ in range(3)]
            assert all(faults(record) == {} for record in arena.wait(*games))
            for record in arena.wait(*lost):
                assert verify(record) == []
                assert {fault["seat"] for fault in record["canonical"]["faults"]} == {0}
                assert faults(record)[kind] >= 3
                assert record["canonical"]["outcome"]["places"] == [2, 1]
    assert arena.circuit("good-bot").failures == 0


def test_a_name_with_a_private_address_is_never_called(arena: Arena) -> None:
    called = threading.Event()

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        called.set()
        reply(to, {})

    def connect(url: str, policy: Policy, owner: str) -> Endpoint:
        return Endpoint(url, Policy(http=True), resolve=lambda *_: ["127.0.0.1"])

    with handler(answer) as url:
        arena.bot("inner-bot", url.replace("127.0.0.1", "inner.example"))
        with arena.driven(connect=connect):
            game = arena.game({"bot": "inner-bot"}, {"house": "random"})
            arena.let_turns_pass("inner-bot", game)
            (record,) = arena.wait(game)
    assert faults(record) == {"unreachable": 3}
    assert not called.is_set()
    assert arena.circuit("inner-bot").last_error == "the host has an address to which calls are not allowed"


def test_a_webhook_with_a_closed_port_is_unreachable(arena: Arena) -> None:
    arena.bot("shut-bot", f"http://127.0.0.1:{free_port()}/")
    seats = [{"bot": "shut-bot"}, {"house": "random"}]
    with arena.driven():
        first = arena.game(*seats)
        until(lambda: arena.circuit("shut-bot").state == "open")
        # Nothing is posted in the first turn of this one.
        second = arena.game(*seats)
        arena.let_turns_pass("shut-bot", first, second)
        records = arena.wait(first, second)
    for record in records:
        assert verify(record) == []
        assert faults(record) == {"unreachable": 3}
        marks = [mark for seat, _, *marks in record["canonical"]["actions"] if seat == 0 for mark in marks]
        assert marks[:3] == ["clock", "clock", "forfeit"]
        assert record["canonical"]["outcome"]["places"] == [2, 1]
        assert record["info"]["fault_details"] == ["the webhook could not be reached"] * 3


def test_only_the_version_that_cannot_be_reached_is_unreachable(arena: Arena) -> None:
    """A version that asks for its turns itself, and does not, is late."""
    arena.bot("both-bot", f"http://127.0.0.1:{free_port()}/")
    arena.accounts.add_version("both-bot", "2", "remote")
    with arena.driven():
        games = [
            arena.game({"bot": "both-bot", "version": version}, {"house": "random"}) for version in ("1", "2")
        ]
        arena.let_turns_pass("both-bot", *games)
        called, asking = arena.wait(*games)
    assert faults(called) == {"unreachable": 3}
    assert faults(asking) == {"late": 3}


def test_a_webhook_is_unreachable_until_a_connection_is_made(arena: Arena) -> None:
    hooks = arena.webhooks
    bot = arena.bot("some-bot", "http://127.0.0.1:9/")
    assert not hooks.is_unreachable(bot, "1", 0), "nothing was posted"
    hooks.failed(bot, "1", 1000, "attempt 1", "refused", connected=False)
    assert hooks.is_unreachable(bot, "1", 1000)
    assert not hooks.is_unreachable(bot, "1", 1001), "that was before the turn"
    assert not hooks.is_unreachable(bot, "2", 1000)
    hooks.failed(bot, "1", 1100, "attempt 2", "cut short", connected=None)
    assert hooks.is_unreachable(bot, "1", 1000)
    hooks.failed(bot, "1", 1200, "attempt 3", "status 503")
    assert not hooks.is_unreachable(bot, "1", 1000), "it was reached"
    for number in (4, 5):
        opened = hooks.failed(bot, "1", 1300, f"attempt {number}", "refused", connected=False)
    assert opened == 3300
    assert hooks.is_unreachable(bot, "1", 3300), "the circuit was open when the turn began"
    assert not hooks.is_unreachable(bot, "1", 3301)
    hooks.replied(bot, "1", 3400)
    assert not hooks.is_unreachable(bot, "1", 1000)


def test_the_circuit_opens_and_closes_again(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_module, "FIRST_BACKOFF", 0.02)
    failing = True
    posts: list[bool] = []

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        posts.append(failing)
        if failing:
            reply(to, {}, 503)
        else:
            first_legal(to, body)

    with handler(answer) as url:
        arena.bot("moody-bot", url)
        assert arena.circuit("moody-bot").state == "closed"
        with arena.driven():
            game = arena.game({"bot": "moody-bot"}, {"house": "random"})
            until(lambda: arena.circuit("moody-bot").state == "open")
            seen = arena.circuit("moody-bot")
            assert seen.failures >= 5
            assert seen.open_until_ms is not None
            assert seen.last_error == "it replied with status 503"
            # A closed door is not knocked at.
            assert len(posts) <= seen.failures + 1
            failing = False
            (record,) = arena.wait(game)
            assert faults(record) == {}
    assert posts == sorted(posts, reverse=True)
    now = arena.circuit("moody-bot")
    assert (now.state, now.failures, now.open_until_ms) == ("closed", 0, None)
    assert now.last_ok_ms is not None
    assert now.last_error == "it replied with status 503"


def test_a_half_open_circuit_allows_one_post_at_a_time(arena: Arena) -> None:
    hooks = arena.webhooks
    bot = arena.bot("some-bot", "http://127.0.0.1:9/")
    now = arena.store.games.clock().now_ms
    untils = [hooks.failed(bot, "1", now, f"attempt {number}", "no") for number in range(5)]
    assert untils == [None, None, None, None, now + 2000]
    assert hooks.failed(bot, "1", now, "attempt 4", "no") == now + 2000, "a repeated command counts once"
    assert hooks.begin(bot, "g.0.1", "one", now).status == "open"
    later = now + 2001
    assert hooks.circuits([bot], later)[0].state == "half_open"
    assert hooks.begin(bot, "g.0.1", "one", later).status == "go"
    assert hooks.begin(bot, "g.0.1", "one", later).status == "go", "asking again does no harm"
    assert hooks.begin(bot, "g.0.2", "two", later).status == "open"
    assert hooks.failed(bot, "1", later, "attempt 5", "no") == later + 4000
    assert hooks.begin(bot, "g.0.2", "two", later).status == "open"
    assert hooks.begin(bot, "g.0.2", "two", later + 4001).status == "go"
    hooks.replied(bot, "1", later + 4002)
    assert hooks.circuits([bot], later + 4002)[0].state == "closed"
    assert hooks.begin(bot, "g.0.3", "three", later + 4003).status == "go"


def test_a_lease_excludes_other_drivers(arena: Arena) -> None:
    hooks = arena.webhooks
    now = arena.store.games.clock().now_ms
    assert hooks.begin("some-bot", "g.0.1", "one", now).status == "go"
    begun = hooks.begin("some-bot", "g.0.1", "two", now)
    assert begun.status == "leased"
    assert 0 < begun.wait_ms <= 4000
    assert hooks.begin("some-bot", "g.0.2", "two", now).status == "go"
    hooks.release("some-bot", "g.0.1")
    assert hooks.begin("some-bot", "g.0.1", "two", now).status == "go"
    hooks.finish("some-bot", "g.0.1", 60_000)
    assert hooks.begin("some-bot", "g.0.1", "one", now).status == "done"


def test_two_drivers_do_not_post_a_turn_twice(arena: Arena) -> None:
    turns: Counter[str] = Counter()

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        turns[json.loads(body)["data"]["turn"]] += 1
        first_legal(to, body)

    with handler(answer) as url:
        arena.bot("only-bot", url)
        with arena.driven(), arena.driven():
            games = [arena.game({"bot": "only-bot"}, {"bot": "only-bot"}) for _ in range(4)]
            assert all(faults(record) == {} for record in arena.wait(*games))
    assert len(turns) > 40
    # A lease can run out under a busy machine, so a few may come twice.
    assert sum(turns.values()) - len(turns) <= len(turns) // 20


def test_a_rejected_answer_is_posted_again_with_the_reason(arena: Arena) -> None:
    refused: list[dict[str, Any]] = []

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        message = json.loads(body)
        if "refused" in message:
            refused.append(message["refused"])
            first_legal(to, body)
        else:
            reply(to, {"action": "play:the house"} if len(refused) < 1 else {"action": 7})

    with handler(answer) as url:
        arena.bot("slow-bot", url)
        with arena.driven():
            (record,) = arena.wait(arena.game({"bot": "slow-bot"}, {"house": "random"}))
    assert verify(record) == []
    assert refused[0]["status"] == "illegal_action"
    assert refused[0]["legal_actions"]
    assert refused[1]["status"] == "malformed"
    # The third fault in a game forfeits it, so there is no third answer.
    assert len(refused) == 2
    assert faults(record) == {"illegal": 1, "malformed": 2}


def test_rights_are_posted_if_wanted_and_passed_once(arena: Arena) -> None:
    wanted: Counter[str] = Counter()
    others: list[bool] = []

    def passing(to: BaseHTTPRequestHandler, body: bytes) -> None:
        turn = json.loads(body)["data"]
        if turn["optional"]:
            wanted[f"{turn['turn']} {turn['events'][-1]['n']}"] += 1
            reply(to, b"", 204)
        else:
            first_legal(to, body)

    def plain(to: BaseHTTPRequestHandler, body: bytes) -> None:
        others.append(json.loads(body)["data"]["optional"])
        first_legal(to, body)

    with handler(passing) as one, handler(plain) as two:
        arena.bot("alert-bot", one, rights=True)
        arena.bot("quiet-bot", two)
        with arena.driven():
            seats = [{"bot": "alert-bot"}, {"bot": "quiet-bot"}, {"bot": "quiet-bot"}]
            (record,) = arena.wait(arena.game(*seats))
    assert faults(record) == {}
    assert wanted
    assert max(wanted.values()) == 1
    assert others
    assert not any(others)


def test_each_game_is_played_by_the_version_that_sits_there(arena: Arena) -> None:
    calls: Counter[str] = Counter()
    hold = threading.Event()

    def old(to: BaseHTTPRequestHandler, body: bytes) -> None:
        hold.wait(PATIENCE)
        calls["old"] += 1
        first_legal(to, body)

    def new(to: BaseHTTPRequestHandler, body: bytes) -> None:
        calls["new"] += 1
        first_legal(to, body)

    with handler(old) as one, handler(new) as two:
        arena.bot("both-bot", one)
        with arena.driven():
            first = arena.game({"bot": "both-bot"}, {"house": "random"})
            arena.accounts.add_version("both-bot", "2", "webhook", url=two)
            second = arena.game({"bot": "both-bot", "version": "2"}, {"house": "random"})
            (record,) = arena.wait(second)
            mine = sum(action[0] == 0 for action in record["canonical"]["actions"])
            assert calls == {"new": mine}
            hold.set()
            arena.wait(first)
            assert calls["new"] == mine
            assert calls["old"] > 0


def test_a_new_secret_signs_and_the_old_one_goes_on_for_a_day(arena: Arena) -> None:
    other = "whsec_" + "QUFB" * 8
    with python_receiver(SECRET) as before, python_receiver(other) as after:
        arena.bot("first-bot", before)
        arena.bot("second-bot", after)
        for bot in ("first-bot", "second-bot"):
            until_ms = arena.accounts.set_signing_secret(bot, other)
            assert until_ms is not None
            assert 86_000_000 < until_ms - time.time() * 1000 < 87_000_000
        assert arena.accounts.signing_secrets("first-bot") == [other, SECRET]
        with arena.driven():
            (record,) = arena.wait(arena.game({"bot": "first-bot"}, {"bot": "second-bot"}))
            assert faults(record) == {}


def test_a_deleted_bot_is_no_longer_called(arena: Arena) -> None:
    posts: list[bytes] = []

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        posts.append(body)
        first_legal(to, body)

    with handler(answer) as url:
        arena.bot("gone-bot", url)
        arena.bot("here-bot", url)
        arena.accounts.delete_bot("gone-bot")
        assert arena.accounts.webhooks() == ["here-bot"]
        with arena.driven() as driver:
            arena.wait(arena.game({"bot": "here-bot"}, {"house": "random"}))
            until(lambda: list(driver._hooks) == ["here-bot"])
            posts.clear()
            game = arena.game(
                {"bot": "gone-bot"}, {"house": "random"}, clock={"per_turn_ms": 300, "bank_ms": 0}
            )
            (record,) = arena.wait(game)
    assert faults(record) == {"late": 3}
    assert posts == []


def test_a_bot_of_a_suspended_owner_is_not_called(arena: Arena) -> None:
    posts: list[bytes] = []

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        posts.append(body)
        first_legal(to, body)

    with handler(answer) as url:
        arena.bot("out-bot", url)
        owner = arena.accounts.bot("out-bot").owner
        clock = {"per_turn_ms": 300, "bank_ms": 0}
        game = arena.game({"bot": "out-bot"}, {"bot": "out-bot"}, clock=clock)
        # A game with bots of others goes on after a suspension.
        arena.accounts.set_suspended(owner, OwnerSuspension("rain", "admin", 0))
        suspended = {OF_OWNER: pack_suspension(Suspension("rain", 0, "", ""))}
        arena.store.accounts.change_bot("out-bot", suspended)
        with arena.driven():
            (record,) = arena.wait(game)
    assert set(faults(record)) == {"late"}
    assert posts == []


@pytest.mark.system
def test_nothing_is_lost_when_a_driver_is_killed(store: EmbeddedStore, arena: Arena, tmp_path: Path) -> None:
    """The process dies with posts under way; the next one asks again."""
    command = [sys.executable, "-m", "workers", "--webhooks"]
    settings = {
        "REDIS_URL": store.url,
        "BOTEQUIM_WEBHOOK_HTTP": "1",
        "BOTEQUIM_WEBHOOK_NETWORKS": "127.0.0.0/8",
    }
    held = threading.Event()
    hold = True

    def answer(to: BaseHTTPRequestHandler, body: bytes) -> None:
        if hold:
            held.set()
            time.sleep(0.2)
            return
        first_legal(to, body)

    with handler(answer) as url:
        arena.bot("calm-bot", url)
        games = [arena.game({"bot": "calm-bot"}, {"bot": "calm-bot"}) for _ in range(2)]
        with Process(command, tmp_path, **settings) as process:
            assert held.wait(PATIENCE)
            process.process.send_signal(signal.SIGKILL)
            process.process.wait(PATIENCE)
        hold = False
        with arena.swept(), Process(command, tmp_path, **settings) as process:
            for record in arena.wait(*games):
                assert verify(record) == []
                assert faults(record) == {}
            assert process.stop(signal.SIGTERM) == 0
            assert process.said == ""


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "no database is configured; at REDIS_URL"),
        (
            {"REDIS_URL": "unix:///nothing", "BOTEQUIM_WEBHOOK_NETWORKS": "here"},
            "'here' is not a valid network; at BOTEQUIM_WEBHOOK_NETWORKS",
        ),
    ],
)
@pytest.mark.system
def test_a_driver_that_cannot_start_reports_why_in_one_line(
    settings: dict[str, str], said: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "workers", "--webhooks"]
    with Process(command, tmp_path, **settings) as process:
        assert process.process.wait(PATIENCE) == 1
        process._ear.join(PATIENCE)
    (line,) = process.lines
    logged = json.loads(line)
    assert logged["level"] == "critical"
    assert said in logged["message"]


def test_posts_are_shared_among_bots(arena: Arena) -> None:
    """With room for two posts, a bot that hangs in many games does not hold up another for good."""
    with bad_receiver("hang") as bad, python_receiver() as good:
        arena.bot("bad-bot", bad)
        arena.bot("good-bot", good)
        driver = Driver(arena.live, arena.accounts, arena.webhooks, LOOPBACK, arena.signs, posts=2)
        thread = threading.Thread(target=driver.run, daemon=True)
        thread.start()
        try:
            for _ in range(6):
                arena.game({"bot": "bad-bot"}, {"house": "random"}, clock={"per_turn_ms": 1000, "bank_ms": 0})
            arena.wait(arena.game({"bot": "good-bot"}, {"bot": "good-bot"}))
        finally:
            driver.stop()
            thread.join(PATIENCE)
