"""A bot online: the same class as in the local runner, whatever goes wrong."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.bots import Bot
from arena.client import ApiError, Client, OnlinePlayer, run
from arena.records.verify import verify
from tests.api.server import Server
from tests.client.conftest import Table
from tests.service import Process, Service, botequim, environment
from tests.waiting import PATIENCE

QUICK = {"per_turn_ms": 60_000, "bank_ms": 0}
SHORT = {"per_turn_ms": 300, "bank_ms": 0}


class Any_(Bot):
    """Plays at random."""

    def choose(self, turn: Mapping[str, Any]) -> str | None:
        return str(self.random.choice(turn["legal_actions"]))


class Calm(Bot):
    """Exchanges nothing, trusts, never knocks."""

    def choose(self, turn: Mapping[str, Any]) -> str | None:
        return str([action for action in turn["legal_actions"] if not action.startswith("knock")][-1])


def play_out(players: list[OnlinePlayer], games: int, seconds: float = PATIENCE) -> None:
    """Let the players step in turn until each has seen that many games end."""
    deadline = time.monotonic() + seconds
    while any(player.games_over < games for player in players):
        assert time.monotonic() < deadline, [player.games_over for player in players]
        for player in players:
            player.step(0)


def players(table: Table, *makes: Callable[[], Bot], said: list[str]) -> list[OnlinePlayer]:
    return [OnlinePlayer(table.client(bot), make, said.append) for bot, make in enumerate(makes)]


def faults(table: Table, game: str) -> list[str]:
    record = table.owner.record(game, wait=True)
    assert verify(record) == []
    return [fault["type"] for fault in record["canonical"]["faults"]]


def test_several_games_at_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.client.player.FIRST_LOOK", 0.2)
    games = [table.new_game(clock=QUICK, rules={"lives": 2}) for _ in range(12)]
    said: list[str] = []
    play_out(players(table, Any_, Calm, said=said), 12)
    for game in games:
        assert faults(table, game) == []
        assert len([line for line in said if game in line and "sat down" in line]) == 2
        assert (
            len([line for line in said if game in line and re.search(r"place [12], score -?\d+", line)]) == 2
        )


def test_each_seat_of_each_game_has_its_own_object(table: Table) -> None:
    made: list[Bot] = []

    def make() -> Bot:
        made.append(Calm())
        return made[-1]

    seats = [{"bot": table.names[0]}] * 2
    for _ in range(2):
        table.owner.create_game("toepen", seats, clock=QUICK)
    player = OnlinePlayer(table.client(0), make, lambda line: None)
    for _ in range(10):
        player.step(0)
    # And one to see whether it wants rights.
    assert len(made) == 5


def test_a_bot_that_raises_plays_on_by_default_actions(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.client.player.FIRST_LOOK", 0.2)
    raised: list[str] = []

    class Broken(Bot):
        def choose(self, turn: Mapping[str, Any]) -> str | None:
            raised.append(turn["turn"])
            raise RuntimeError("out of cards")

    said: list[str] = []
    game = table.new_game(clock=QUICK, rules={"lives": 1})
    play_out(players(table, Broken, Calm, said=said), 1)
    assert faults(table, game) == []
    output = "\n".join(said)
    # It is asked at every turn; the failure is reported once, with its turn, its line and what is done.
    failures = re.findall(
        r"^(\S+): the bot failed: tests/client/test_player\.py:\d+: RuntimeError: out of cards; "
        r"the default action (play|keep|trust|fold|stay)\S* is played for it$",
        output,
        re.MULTILINE,
    )
    assert [turn for turn, _ in failures] == raised[:1]
    assert len(raised) > 1
    assert re.search(
        rf"seat 0: place [12], score -?\d+; it failed {len(raised)} times$", output, re.MULTILINE
    )
    # The traceback has no frames of the player.
    assert output.count("Traceback (most recent call last):") == 1
    assert "in choose" in output
    assert "arena/client" not in output


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_a_default_action_follows_from_any_turn(kind: str, table: Table) -> None:
    """Also where the table would act for a seat that is late: the record says so."""

    class Lost(Bot):
        def choose(self, turn: Mapping[str, Any]) -> str | None:
            return None

    said: list[str] = []
    seats = [{"bot": name} for name in table.names] * (2 if kind == "truco" else 1)
    table.owner.create_game(kind, seats, clock=QUICK)
    both = players(table, Lost, Any_, said=said)
    for _ in range(200):
        for player in both:
            player.step(0)
    assert any("the default action" in line for line in said)
    assert not any("left to the clock" in line or "illegal" in line for line in said)


def test_a_bot_whose_making_fails_does_not_stop_the_others(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.client.player.FIRST_LOOK", 0.2)
    made = 0

    def make() -> Bot:
        nonlocal made
        made += 1
        if made == 2:
            raise RuntimeError("no room")
        return Calm()

    said: list[str] = []
    games = [table.new_game(clock=QUICK, rules={"lives": 1}) for _ in range(2)]
    play_out(players(table, make, Calm, said=said), 2)
    assert "RuntimeError: no room; the default action" in "\n".join(said)
    assert [fault for game in games for fault in faults(table, game)] == []


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (None, "NoneType is not an action"),
        (7, "int is not an action"),
        ("play:XX", "'play:XX' is not legal"),
        ("\ud800", r"'\\ud800' is not legal"),
        ("x" * 2_000_000, "'" + "x" * 199 + "…' is not legal"),
    ],
    ids=["nothing", "a number", "not legal", "not unicode", "too long"],
)
def test_what_is_no_legal_action_is_not_sent(
    table: Table, answer: Any, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.client.player.FIRST_LOOK", 0.2)

    class Odd(Bot):
        def choose(self, turn: Mapping[str, Any]) -> Any:
            return answer

    said: list[str] = []
    game = table.new_game(clock=QUICK, rules={"lives": 1})
    play_out(players(table, Odd, Calm, said=said), 1)
    assert faults(table, game) == []
    message = rf"^\S+\.0\.1: {re.escape(why)}; legal: \S+, .*; the default action \S+ is played for it$"
    # The failure is reported once, although it happens at every turn.
    assert len(re.findall(message, "\n".join(said), re.MULTILINE)) == 1
    assert len([line for line in said if why in line]) == 1


def test_an_answer_that_the_service_refuses_costs_one_fault(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It arrives as another one."""
    monkeypatch.setattr("arena.client.player.FIRST_LOOK", 0.2)
    said: list[str] = []
    game = table.new_game(clock=QUICK, rules={"lives": 1})
    both = players(table, Calm, Calm, said=said)
    exchange, changed = both[0].client.exchange, []

    def changing(answers: Any, *rest: Any, **more: Any) -> dict[str, Any]:
        if answers and not changed:
            changed.append(answers[0]["turn"])
            answers = [{**answer, "action": "play:XX"} for answer in answers]
        return exchange(answers, *rest, **more)

    monkeypatch.setattr(both[0].client, "exchange", changing)
    play_out(both, 1)
    assert faults(table, game) == ["illegal"]
    message = (
        rf"^{changed[0]}: illegal_action: .*'play:XX'.*; legal: \S+, .*; the default action \S+ is played"
    )
    assert len(re.findall(message, "\n".join(said), re.MULTILINE)) == 1
    assert not [line for line in said if "forfeited" in line]


def test_a_bot_that_ends_the_program_loses_one_decision(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.client.player.FIRST_LOOK", 0.2)

    class Quitting(Calm):
        def choose(self, turn: Mapping[str, Any]) -> str | None:
            turn["legal_actions"].clear()
            if turn["turn"].endswith(".1"):
                raise SystemExit
            return super().choose({**turn, "legal_actions": ["stay"]})

    said: list[str] = []
    game = table.new_game(clock=QUICK, rules={"lives": 1})
    play_out(players(table, Quitting, Calm, said=said), 1)
    assert faults(table, game) == []
    assert any("SystemExit; the default action" in line for line in said)
    assert any(re.search("'stay' is not legal; legal: [a-z]", line) for line in said)


def test_a_stale_turn_is_replaced_by_the_current_one(table: Table) -> None:
    """The clock acts while the bot thinks: its answer is stale, and it goes on with what stands now."""

    class Slow(Calm):
        waited = False

        def choose(self, turn: Mapping[str, Any]) -> str | None:
            if not Slow.waited:
                Slow.waited = True
                time.sleep(0.8)
            return super().choose(turn)

    said: list[str] = []
    game = table.new_game(clock={"per_turn_ms": 400, "bank_ms": 0}, rules={"lives": 2})
    both = players(table, Slow, Calm, said=said)
    deadline = time.monotonic() + PATIENCE
    while table.owner.request("GET", f"/v1/games/{game}")["state"] == "running":
        assert time.monotonic() < deadline
        for player in both:
            player.step(0.05)
    assert "late" in faults(table, game)
    assert any("stale_turn" in line for line in said)


@pytest.mark.parametrize("wanted", [False, True])
def test_rights_go_to_bots_that_want_them(
    table: Table, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.client.player.FIRST_LOOK", 0.2)
    offered: set[bool] = set()

    class Watching(Calm):
        wants_rights = wanted

        def choose(self, turn: Mapping[str, Any]) -> str | None:
            offered.add(turn["optional"])
            return None if turn["optional"] else super().choose(turn)

    game = table.new_game(clock=QUICK, rules={"lives": 5})
    play_out(players(table, Watching, Calm, said=[]), 1)
    assert faults(table, game) == []
    assert offered == ({False, True} if wanted else {False})


def test_a_wrong_token_ends_the_player_with_the_error_of_the_service(service: Server) -> None:
    with pytest.raises(ApiError) as refused:
        run(Calm, service.client("btq_b_nobody_xxxx"), games=1)
    assert refused.value.code == "invalid_token"


def test_games_that_no_longer_exist_are_dropped(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.client.player.FIRST_LOOK", 0.0)

    class Forgetful(Client):
        def game(self, game: str, *, since: int | None = None, wait: float = 0) -> dict[str, Any] | None:
            return super().game("0" * 18)

    table.new_game(clock=QUICK)
    said: list[str] = []
    seats = [Forgetful(table.service.url, token) for token in table.tokens]
    both = [OnlinePlayer(client, Calm, said.append) for client in seats]
    play_out(both, 1)
    assert any("gone (game_not_found)" in line for line in said)


def test_quiet_games_are_checked_less_and_less(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.client.player.FIRST_LOOK", 0.05)
    looks: list[float] = []

    class Watched(Client):
        def game(self, game: str, *, since: int | None = None, wait: float = 0) -> dict[str, Any] | None:
            looks.append(time.monotonic())
            return super().game(game, since=since, wait=wait)

    table.new_game(clock=QUICK)
    both = [
        OnlinePlayer(Watched(table.service.url, token), Calm, lambda line: None) for token in table.tokens
    ]
    while not (moved := [player for player in both if player.step(0)]):
        pass
    deadline = time.monotonic() + PATIENCE
    while len(looks) < 5:
        assert time.monotonic() < deadline
        moved[0].step(0.5)
    gaps = [after - before for before, after in itertools.pairwise(looks)]
    assert all(gap >= 0.05 * 2**number for number, gap in enumerate(gaps))


# The command


PATIENT = """
import pathlib, time
from botequim import Bot

class MyBot(Bot):
    def choose(self, turn):
        if not pathlib.Path("go").exists():
            time.sleep(0.1)
        return self.random.choice(turn["legal_actions"])
"""
"""Its games are not over before the test has done what it does in the middle of them."""


@pytest.fixture
def own_service(tmp_path: Path) -> Service:
    return Service(tmp_path, workers=0)


@pytest.mark.nightly("kills")
def test_bots_survive_restarts_of_the_service_in_the_middle_of_a_game(
    own_service: Server, tmp_path: Path
) -> None:
    bot_file = tmp_path / "patient.py"
    bot_file.write_text(PATIENT)
    with own_service as service:
        table = Table(service)
        games = [table.new_game(clock={"per_turn_ms": 5_000, "bank_ms": 20_000}) for _ in range(3)]
        command = botequim("bot", "run", str(bot_file), "--url", service.url, "--games", "3")
        with (
            Process(command, tmp_path, BOTEQUIM_TOKEN=table.tokens[0]) as one,
            Process(command, tmp_path, BOTEQUIM_TOKEN=table.tokens[1]) as two,
        ):
            for bot in (one, two):
                bot.wait_for("sat down", times=3)
            # The API by itself, by force; then everything, in order.
            for pid in service.pids("api"):
                os.kill(pid, signal.SIGKILL)
            one.wait_for("trying again in")
            (tmp_path / "go").touch()
            assert service.stop() == 0
            with Service(tmp_path, workers=0, port=service.port) as again:
                for game in games:
                    assert verify(again.client().record(game, wait=True)) == []
                assert [bot.process.wait(PATIENCE) for bot in (one, two)] == [0, 0]
        one.wait_for("place", times=len(games))
    assert sum("place" in line for line in one.lines) == len(games)


@pytest.mark.system
def test_who_stops_plays_what_has_begun_to_its_end(service: Server, table: Table, tmp_path: Path) -> None:
    """After the games that it was asked for, and after Ctrl-C; nothing is late."""
    bot_file = tmp_path / "patient.py"
    bot_file.write_text(PATIENT)
    games = [table.new_game(clock=QUICK, rules={"lives": 1 + 4 * number}) for number in range(2)]
    command = botequim("bot", "run", str(bot_file), "--url", service.url)
    with (
        Process([*command, "--games", "1"], tmp_path, BOTEQUIM_TOKEN=table.tokens[0]) as one,
        Process(command, tmp_path, BOTEQUIM_TOKEN=table.tokens[1]) as two,
    ):
        for bot in (one, two):
            bot.wait_for("sat down", times=2)
        two.process.send_signal(signal.SIGINT)
        two.wait_for("Ctrl-C again to leave at once")
        two.wait_for("2 games have begun and will be finished")
        (tmp_path / "go").touch()
        assert [bot.process.wait(PATIENCE) for bot in (one, two)] == [0, 130]
    assert [faults(table, game) for game in games] == [[], []]
    assert [sum(": place " in line for line in bot.lines) for bot in (one, two)] == [2, 2]


@pytest.mark.system
def test_a_second_interrupt_leaves_at_once(service: Server, table: Table, tmp_path: Path) -> None:
    bot_file = tmp_path / "patient.py"
    bot_file.write_text(PATIENT)
    game = table.new_game(clock=QUICK)
    command = botequim("bot", "run", str(bot_file), "--url", service.url)
    with Process(command, tmp_path, BOTEQUIM_TOKEN=table.tokens[0]) as one:
        for text in ("sat down", "Ctrl-C again to leave at once"):
            # Perhaps it is the other one's turn: it decides, and sends its answer.
            if text == "sat down":
                other = OnlinePlayer(table.client(1), Calm, lambda line: None)
                for _ in range(2):
                    other.step(0)
            one.wait_for(text)
            one.process.send_signal(signal.SIGINT)
        assert one.process.wait(PATIENCE) == 130
    assert table.owner.request("GET", f"/v1/games/{game}")["state"] == "running"


def test_a_bot_says_good_bye_and_whether_it_takes_part(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.client.player.FIRST_LOOK", 0.2)
    monkeypatch.setattr("arena.client.player.LINGER", 0.5)
    sent: list[str] = []

    class Recording(Client):
        def _with_status(self, method: str, path: str, *more: Any, **options: Any) -> Any:
            query = (more[1] if len(more) > 1 else options.get("query")) or {}
            said = [name for name in ("tournaments", "leaving") if query.get(name)]
            sent.append(" ".join([method, path, *said]))
            return super()._with_status(method, path, *more, **options)

    table.new_game(clock=QUICK, rules={"lives": 1})
    other = OnlinePlayer(table.client(1), Calm, lambda line: None)

    class Together(Calm):
        """Plays both sides: before its own turn, and so after its last one, the other's."""

        def choose(self, turn: Mapping[str, Any]) -> str | None:
            other.step(0)
            return super().choose(turn)

    client = Recording(table.service.url, table.tokens[0])
    step = OnlinePlayer.step
    monkeypatch.setattr(
        OnlinePlayer, "step", lambda self, wait=0.1: step(other, 0) + step(self, min(wait, 0.1))
    )
    run(Together, client, games=1, say=lambda line: None, tournaments=True)
    polls = [line for line in sent if line.startswith("POST /v1/turns")]
    good_bye = sent.index("DELETE /v1/presence")
    assert set(polls) == {"POST /v1/turns tournaments", "POST /v1/turns leaving"}
    assert "POST /v1/turns tournaments" not in sent[good_bye:]
    # It waits for what was about to begin.
    assert "POST /v1/turns leaving" in sent[good_bye:]
    assert sent[-1] == "DELETE /v1/presence"


@pytest.mark.system
def test_the_command_reports_in_one_line_why_it_cannot_play(
    service: Server, table: Table, bot_file: Path, tmp_path: Path
) -> None:
    def said(*arguments: str, token: str = table.tokens[0]) -> str:
        url = ("--url", service.url)
        with Process(botequim("bot", "run", *arguments, *url), tmp_path, BOTEQUIM_TOKEN=token) as process:
            assert process.process.wait(PATIENCE) == 2
        return process.lines[-1]

    assert "the token is not valid" in said(str(bot_file), token="btq_b_nobody_xxxx")
    assert "a token with scope owner does not permit this operation" in said(
        str(bot_file), token=table.owner_token
    )
    assert "there is no file 'nothing.py'" in said("nothing.py")
    assert "there is no game" in said(str(bot_file), "--join", "0" * 18)
    (tmp_path / "unfit.py").write_text(
        "class Bot:\n    def __init__(self):\n        1 / 0\n    choose = print"
    )
    assert "unfit.py failed: ZeroDivisionError" in said("unfit.py")


@pytest.mark.system
def test_the_commands_from_signing_up_to_the_record(service: Server, bot_file: Path, tmp_path: Path) -> None:
    def out(*arguments: str, token: str = "") -> str:
        command = botequim(*arguments, "--url", service.url)
        settings = {"BOTEQUIM_TOKEN": token} if token else {}
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment(**settings),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        # Of signing up, only the recovery code.
        assert done.stderr == "" or done.stderr.startswith("the recovery code, shown once: btq_r_")
        return done.stdout.strip()

    owner = out("signup", "commander")
    bots = [out("bot", "register", f"commander-{number}", token=owner) for number in range(2)]
    seats = ("commander-0", "open")
    rules = ("--rule", "lives=1", "--turn-seconds", "20", "--bank-seconds", "0")
    game = out("game", "create", "toepen", *seats, *rules, token=owner)
    command = botequim("bot", "run", str(bot_file), "--url", service.url, "--games", "1")
    with (
        Process(command, tmp_path, BOTEQUIM_TOKEN=bots[0]),
        Process([*command, "--join", game], tmp_path, BOTEQUIM_TOKEN=bots[1]) as joined,
    ):
        joined.wait_for(f"{game}: seat 1")
        record = json.loads(out("game", "record", game, "--wait"))
    assert verify(record) == []
    assert record["canonical"]["rules"]["lives"] == 1
    assert [player["name"] for player in record["canonical"]["players"]] == ["commander-0", "commander-1"]
