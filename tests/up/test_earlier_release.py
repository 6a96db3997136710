"""A data folder of the release before opens: records, boards and running games are all there."""

from __future__ import annotations

import json
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from arena.games import game_of
from arena.ratings.board import METHOD
from arena.ratings.board import boards as boards_of
from arena.ratings.results import collect
from arena.records.group_checks import GroupChecks, group_facts
from arena.records.record import parse_record
from arena.records.verify import verify
from tests.service import Service
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

FOLDER = Path(__file__).parent / "release-0.1.0"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text())
"""What release 0.1.0 itself returned for this folder, just before it was stopped."""


ADMIN = "x" * 32


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the release's data folder, ``data`` in it."""
    with tarfile.open(FOLDER / "data.tar.xz") as archive:
        # Python 3.11 has the filter from 3.11.4 on.
        archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)
        archive.extractall(tmp_path)
    return tmp_path


def test_records_and_boards_are_the_same(folder: Path) -> None:
    with Service(folder, workers=0) as service:
        client = service.client()
        records = [json.loads(line) for line in client.records()]
        boards = {board: json.loads(client.leaderboard(*board.split("/"))) for board in EXPECTED["boards"]}
    assert {record["canonical"]["game"]: record["hash"] for record in records} == EXPECTED["records"]
    assert [problem for record in records for problem in verify(record)] == []
    checks = GroupChecks()
    assert [problem for record in records for problem in checks.add(group_facts(record))] == []
    for board, expected in EXPECTED["boards"].items():
        for key, value in expected.items():
            assert _known(boards[board][key], value) == value, f"{board}: {key}"


def _known(found: Any, expected: Any) -> Any:
    """``found`` with those fields of its objects that ``expected`` has too: later releases add some."""
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        return [_known(*pair) for pair in zip(found, expected, strict=True)]
    if isinstance(found, dict) and isinstance(expected, dict):
        return {key: _known(value, expected[key]) for key, value in found.items() if key in expected}
    return found


def test_running_games_continue(folder: Path) -> None:
    with Service(folder, workers=1) as service:
        bots = {name: service.client(EXPECTED["tokens"][name]) for name in EXPECTED["pending"]}
        for name, pending in EXPECTED["pending"].items():
            turns = {turn["turn"]: turn for turn in bots[name].exchange()["turns"]}
            for turn in pending["turns"]:
                found = turns[turn["turn"]]
                for key in ("game", "kind", "seat", "legal_actions", "events"):
                    assert found[key] == turn[key], key
                assert found["rules"] == game_of(turn["kind"]).options.complete(turn["rules"])
                seen = found["observation"]
                assert {key: seen[key] for key in turn["observation"]} == turn["observation"]
                assert seen["calls"] == [], "that release did not store the calls"
        deadline = time.monotonic() + PATIENCE
        owner = service.client()
        while any(owner.game(game)["state"] == "running" for game in EXPECTED["running"]):
            assert time.monotonic() < deadline
            for client in bots.values():
                turns = client.exchange(wait=0.1)["turns"]
                answers = [
                    {"turn": turn["turn"], "action": turn["legal_actions"][0]}
                    for turn in turns
                    if not turn["optional"]
                ]
                client.exchange(answers)
        for game in EXPECTED["running"]:
            assert verify(owner.record(game, wait=True)) == []


def test_boards_are_counted_anew_by_themselves(folder: Path) -> None:
    """Each is published again, and is that of the records; its history goes on."""
    with Service(folder, workers=0, BOTEQUIM_ADMIN_TOKEN=ADMIN) as service:
        admin = service.client(ADMIN)
        for schedule in admin.schedules():
            admin.change_schedule(schedule["id"], enabled=False)
    with Service(folder, workers=1) as service:
        client = service.client()
        # One was in play when the release was stopped.
        wait_until(lambda: all(one["state"] in ("finished", "cancelled") for one in client.tournaments()))

        pairs: list[tuple[Any, Any]] = []

        def are_published() -> bool:
            """Whether all boards are those of the records; puts both in ``pairs``, None without a record."""
            boards = [json.loads(client.leaderboard(*board.split("/"))) for board in EXPECTED["boards"]]
            found = boards_of(collect(parse_record(line) for line in client.records()))
            computed = {(board.kind, board.division, board.preset): board.as_json() for board in found}
            pairs[:] = [(one, computed.get((one["kind"], one["division"], one["preset"]))) for one in boards]
            return all(
                board.get("method") == METHOD
                and (board["groups"] == 0 if own is None else board["records_hash"] == own["records_hash"])
                for board, own in pairs
            )

        wait_until(are_published)
        points = client.leaderboard_history("toepen", "sealed", "rookie")["points"]
    for board, own in pairs:
        # That release did not store when a game was forfeited, which decides for whom it counts. It rated the
        # tournaments of owners, and had no others in the division ``open``.
        if board["division"] == "sealed":
            assert own is not None
            assert _without_luck(board["rows"]) == _without_luck(json.loads(json.dumps(own["rows"])))
        else:
            assert own is None
    assert {board["preset"] for board, _ in pairs} == {"base@1", "duel@1"}
    assert len(points) == 2, "the day of the release, and today"


def _without_luck(found: Any) -> Any:
    """``found`` without the ratings less luck, which that release did not measure: later groups have it."""
    if isinstance(found, list):
        return [_without_luck(one) for one in found]
    if isinstance(found, dict):
        return {key: _without_luck(value) for key, value in found.items() if not key.startswith("adjusted")}
    return found


def test_qualifications_are_for_the_game(folder: Path) -> None:
    """That release had no presets for which bots qualify separately."""
    with Service(folder, workers=0, BOTEQUIM_ADMIN_TOKEN=ADMIN) as service:
        admin = service.client(ADMIN)
        found = {bot: admin.qualifications(bot, "1") for bot in ("careful", "last", "one")}
    states = {
        bot: [(one["kind"], one["preset"], one["state"]) for one in of_bot] for bot, of_bot in found.items()
    }
    assert states == {
        "careful": [("truco", "base@1", "qualified")],
        "last": [("toepen", "duel@1", "qualified")],
        "one": [("truco", "base@1", "failed"), ("toepen", "duel@1", "failed")],
    }
