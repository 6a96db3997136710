"""``botequim replay`` tells a game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from games_played import PLAYERS, RULES, group, play, record_line, record_of, rehash, write

import arena.cli
from arena.bots import BotSpec, bot_spec
from arena.records.tell import seat_names, tell
from arena.replays.moves import read_moves
from arena.tournaments.local_run import Plan, play_group

KINDS = sorted(RULES)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variant", range(4))
def test_every_game_can_be_narrated(kind: str, variant: int) -> None:
    for number in range(4):
        record = json.loads(record_line(kind, variant, number, 0.05))
        lines = list(tell(record))
        assert lines[0] == f"{kind}, game {kind}-{number}"
        assert lines[1] == "seat 0: player A, version 1.0"
        canonical = record["canonical"]
        story = "\n".join(lines)
        assert story.count("(A fault of ") == len(canonical["faults"])
        assert story.count(" resigns.)") == len(canonical["resigned"])
        assert story.count("(The table acts for ") == sum(len(entry) == 3 for entry in canonical["actions"])
        places = [int(line.split(".")[0]) for line in lines[-len(canonical["players"]) :]]
        assert places == sorted(canonical["outcome"]["places"])
        assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variant", range(4))
def test_moves_tell_faults_and_marks_too(kind: str, variant: int) -> None:
    for number in range(4):
        record = json.loads(record_line(kind, variant, number, 0.05))
        narration = [line.text for move in read_moves(record).moves for line in move.lines]
        story = [line for line in tell(record) if line]
        assert narration == story[story.index(narration[0]) :][: len(narration)]
        assert sum(line.startswith("(") for line in narration) == sum(line.startswith("(") for line in story)


def test_the_heading_names_the_players_and_the_changed_rules() -> None:
    players = [("rookie", "1"), ("you", "2"), ("rookie", "1"), ("them", "3")]
    lines = list(tell(record_of(play("truco", rules={"cut": "none", "max_hands": 2}), players=players)))
    assert lines[:7] == [
        "truco, game truco-0",
        "seat 0: rookie 0, version 1",
        "seat 1: you, version 2",
        "seat 2: rookie 2, version 1",
        "seat 3: them, version 3",
        "rules: cut=none, max_hands=2",
        "",
    ]
    assert not any("cuts" in line for line in lines)


def test_events_are_narrated_in_order() -> None:
    record = json.loads(record_line("truco"))
    callers = [seat for seat, action, *_ in record["canonical"]["actions"] if action == "truco"]
    narration = [line for line in tell(record) if line.endswith(" calls truco!")]
    assert len(set(callers)) > 1
    assert narration == [f"{PLAYERS[seat][0]} calls truco!" for seat in callers]


def test_names_cannot_drive_the_terminal() -> None:
    assert seat_names(["a\x1b[2J", "b\n"]) == ["a\\x1b[2J", "b\\n"]


def test_choosing_the_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "games.jsonl", group("truco"))
    assert arena.cli.run(["replay", path, "--number", "2"]) == 0
    second = capsys.readouterr().out
    assert second.startswith("truco, game g1-1\n")
    assert arena.cli.run(["replay", path, "--game", "g1-1"]) == 0
    assert capsys.readouterr().out == second
    assert arena.cli.run(["replay", write(tmp_path / "one.json", group("truco")[:1])]) == 0
    assert capsys.readouterr().out.startswith("truco, game g1-0\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "contains more than one game; expected --number N or --game ID"),
        (["--number", "3"], "there is no game number 3 in"),
        (["--number", "0"], "0 is not in the range"),
        (["--game", "no\n"], "there is no game 'no\\n' in"),
        (["--game", "g1-0", "--number", "1"], "cannot be used together"),
    ],
)
def test_invalid_choices_of_a_game(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "games.jsonl", group("truco"))
    assert arena.cli.run(["replay", path, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("botequim: error: ")
    assert message in captured.err


def test_a_record_that_does_not_verify_is_not_narrated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = json.loads(record_line("truco"))
    record["canonical"]["players"].pop()
    path = write(tmp_path / "one.json", [rehash(record)])
    assert arena.cli.run(["replay", path]) == 2
    assert capsys.readouterr().err == (
        "botequim: error: game truco-0 does not verify: "
        "players: expected 4 items, one per seat, but found 3\n"
    )
    (tmp_path / "empty").write_text("")
    assert arena.cli.run(["replay", str(tmp_path / "empty")]) == 2
    assert "no record in" in capsys.readouterr().err


def test_a_record_of_an_earlier_house_bot_verifies_and_its_decisions_cannot_be_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No bot is asked to verify a record; the code of earlier versions is not kept."""
    bots = (BotSpec("regular", "0.0.9", "regular"), bot_spec("rookie", "toepen"))
    plan = Plan("toepen", {"seats": 2, "lives": 2}, bots, 1, "an earlier version")
    file = tmp_path / "games.jsonl"
    file.write_text("\n".join(play_group(plan, 0, plan.all_groups()[0]).records) + "\n")
    assert arena.cli.run(["verify", str(file)]) == 0
    assert "all verified" in capsys.readouterr().out
    players = [
        player["name"] for player in json.loads(file.read_text().splitlines()[0])["canonical"]["players"]
    ]
    said = {}
    for name in ("regular", "rookie"):
        arguments = ["bot", "debug", str(file), "--number", "1", "--turn", "1", "--bot", name]
        assert arena.cli.run([*arguments, "--seat", str(players.index(name))]) == 0
        said[name] = capsys.readouterr().out
    present = bot_spec("regular", "toepen").version
    assert f"regular 0.0.9 cannot be run again, because this release has regular {present}" in said["regular"]
    assert "cannot be run again" not in said["rookie"]
