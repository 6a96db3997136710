"""Leaderboards over HTTP: empty, published, the same as from the downloaded records."""

from __future__ import annotations

import csv
import io
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from arena.cli import run
from arena.client import Client
from arena.games import GAMES
from arena.ops.service import Service
from arena.play.board_names import BoardName
from arena.play.players import DIVISIONS
from arena.ratings.supplement import BotFacts, Party, Supplement, name_digest
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.live.snapshots import made_once

PATH = "/v1/leaderboards/toepen/sealed"


@pytest.fixture
def published(services: Service, admin: ContractClient) -> None:
    """A tournament of house bots was played, and its board published."""
    body = {
        "name": "Cup",
        "kind": "toepen",
        "format": "round_robin",
        "preset": "duel@1",
        "groups": 4,
        "house": ["rookie", "random", "rookie+2"],
    }

    def make() -> None:
        play(services, announce(admin, body))
        assert services.boards.publish("toepen", "sealed")

    made_once(services, "a published Toepen board", make)


def test_boards_are_empty_before_anybody_has_played(anybody: ContractClient) -> None:
    boards = anybody.get("/v1/leaderboards").json["leaderboards"]
    assert [(board["kind"], board["preset"], board["division"]) for board in boards] == [
        (game.kind, preset.name, division)
        for game in GAMES.values()
        for preset in game.presets
        for division in DIVISIONS
    ]
    board = anybody.get(PATH).json
    assert (board["rows"], board["groups"], board["published_ms"]) == ([], 0, None)
    assert anybody.get(f"{PATH}/history").json["points"] == []


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/v1/leaderboards/chess/sealed", 404, "kind_not_found"),
        ("/v1/leaderboards/toepen/shut", 404, "division_not_found"),
        ("/v1/leaderboards/toepen/shut/history", 404, "division_not_found"),
        ("/v1/leaderboards/toepen/open?preset=duel@9", 422, "preset_not_found"),
        ("/v1/leaderboards/toepen/shut/supplement", 404, "division_not_found"),
        ("/v1/leaderboards/toepen/open/supplement?preset=duel@9", 422, "preset_not_found"),
        ("/v1/leaderboards/toepen/open/history?preset=base@1", 422, "preset_not_found"),
        ("/v1/leaderboards/toepen", 404, "not_found"),
    ],
)
def test_boards_that_are_not(anybody: ContractClient, path: str, status: int, code: str) -> None:
    response = anybody.get(path)
    assert (response.status_code, response.json["code"]) == (status, code)


def test_the_command_gives_the_published_board(
    published: None, anybody: ContractClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "records.jsonl"
    file.write_bytes(anybody.get("/v1/records").data)
    for form in ("json", "csv", "text"):
        options = ["--kind", "toepen", "--division", "sealed", "--format", form]
        assert run(["leaderboard", str(file), *options]) == 0
        printed = capsys.readouterr().out
        told = anybody.get(f"{PATH}?format={form}")
        if form == "json":
            board = told.json
            assert abs(board.pop("published_ms") / 1000 - time.time()) < 600
            assert board.pop("cursor") is None
            assert board == json.loads(printed)["boards"][0]
        elif form == "csv":
            assert told.mimetype == "text/csv"
            assert told.text == printed
        else:
            assert told.mimetype == "text/plain"
            assert printed.startswith(told.text)


def test_the_downloaded_file_gives_the_published_board(
    published: None,
    anybody: ContractClient,
    admin: ContractClient,
    online: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    board = anybody.get(PATH).json
    file = tmp_path / "all.jsonl"
    download = ["records", *online, "--kind", "toepen", "--out", str(file)]
    assert run(download) == 0
    assert (
        f"24 records on the published board, records hash {board['records_hash']}" in capsys.readouterr().out
    )
    assert file.read_bytes() == anybody.get("/v1/records/all?kind=toepen").data
    for options in ([], ["--online", *online]):
        assert run(["leaderboard", str(file), *options]) == 0
        out, err = capsys.readouterr()
        assert f"records hash: {board['records_hash']}" in out
        assert ("These are the boards published by http://arena." in out) == bool(options)
        assert ("ONLY A PART" in out, err) == (False, "")
    # A change after the release reaches the file, and with it the board.
    game = json.loads(file.read_text().splitlines()[0])["canonical"]["game"]
    assert admin.post(f"/v1/admin/games/{game}/annul", json={"reason": "fire"}).status_code == 200
    assert run(download) == 0
    assert file.read_bytes() == anybody.get("/v1/records/all?kind=toepen").data
    (change,) = anybody.get("/v1/records/changes").json["changes"]
    assert change["info"] == {"annulled": "fire"}
    annulled = [
        record for record in map(json.loads, file.read_text().splitlines()) if "annulled" in record["info"]
    ]
    assert [record["canonical"]["group"]["id"] for record in annulled] == 2 * [change["group"]]
    capsys.readouterr()
    assert run(["leaderboard", str(file)]) == 0
    assert "toepen/duel@1, sealed: 11 groups, 22 records" in capsys.readouterr().out


def test_another_supplement_is_a_difference(
    published: None,
    anybody: ContractClient,
    online: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    records, file = tmp_path / "all.jsonl", tmp_path / "supplement.json"
    assert run(["records", *online, "--kind", "toepen", "--out", str(records)]) == 0
    capsys.readouterr()
    command = ["leaderboard", str(records), "--supplement", str(file)]
    response = anybody.get(f"{PATH}/supplement?preset=duel@1")
    assert response.json["hash"] == anybody.get(PATH).json["supplement_hash"]
    file.write_text(response.text)
    assert run([*command, "--online", *online]) == 0
    out = capsys.readouterr().out
    assert "These are the boards published by" in out
    assert "supplement" not in out
    supplement = Supplement((Party(True, {name_digest("random"): BotFacts(withdrawn=True)}),))
    file.write_text(json.dumps(supplement.as_json(BoardName("toepen", "sealed", "duel@1"))))
    assert run([*command, "--online", *online]) == 1
    own = f"toepen/duel@1, sealed: the supplement has the hash {supplement.hash} here"
    assert f"ONLY A PART: {own}, but http://arena publishes" in capsys.readouterr().out
    # Without the service, the download knows which boards were published.
    assert run(command) == 0
    out = capsys.readouterr().out
    assert f"supplement hash: {supplement.hash}" in out
    assert f"ONLY A PART: {own}, but http://arena had published" in out
    file.write_text("[]")
    assert run(command) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "botequim: error: a supplement is a JSON object; expected an object"
    assert run(["leaderboard", "--supplement", str(file)]) == 2
    assert "--supplement requires FILE" in capsys.readouterr().err


def test_a_part_of_the_records_is_called_a_part(
    published: None,
    online: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole, part = tmp_path / "all.jsonl", tmp_path / "part.jsonl"
    assert run(["records", *online, "--out", str(whole)]) == 0
    lines = whole.read_text().splitlines(keepends=True)
    by_group = sorted(lines, key=lambda line: json.loads(line)["canonical"]["group"]["id"])
    part.write_text("".join(by_group[:10]))
    capsys.readouterr()

    def said(*options: str, code: int = 0) -> str:
        assert run(["leaderboard", str(part), *options]) == code
        return capsys.readouterr().out

    own = "toepen/duel@1, sealed: 10 records count here"
    lacking = f"{own}, but http://arena publishes the board of 24 records"
    assert "ONLY A PART" not in said()
    assert f"ONLY A PART: {lacking}" in said("--online", *online, code=1)
    assert json.loads(said("--online", *online, "--format", "json", code=1))["partial"][0].startswith(lacking)
    # Half of a group.
    part.write_text("".join(by_group[:11]))
    missing = "games of 1 groups are missing, which do not count"
    assert f"ONLY A PART: {missing}" in said()
    assert json.loads(said("--format", "json"))["partial"] == [missing]
    assert run(["leaderboard", str(part), "--format", "csv"]) == 0
    assert missing in capsys.readouterr().err
    # A download that was interrupted.
    part.unlink()
    fetch = Client.records_page
    calls = []

    def interrupt(self: Client, *arguments: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return fetch(self, *arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Client, "records_page", interrupt)
        assert run(["records", *online, "--out", str(part)]) == 130
    assert f"interrupted after {2 * 5} records" in capsys.readouterr().err
    assert f"ONLY A PART: the download of {part} is not complete" in said()
    # The published board had more records than the file when the download ended.
    assert run(["records", *online, "--out", str(part)]) == 0
    capsys.readouterr()
    assert "ONLY A PART" not in said()
    part.write_text("".join(by_group[:10]))
    assert f"ONLY A PART: {own}, but http://arena had published" in said()


def test_the_published_boards_are_shown(
    published: None, anybody: ContractClient, online: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for form in ("text", "csv"):
        assert run(["leaderboard", "--online", *online, "--format", form]) == 0
        assert capsys.readouterr().out == anybody.get(f"{PATH}?format={form}").text
    assert run(["leaderboard", "--online", *online, "--format", "json"]) == 0
    (board,) = json.loads(capsys.readouterr().out)["boards"]
    assert {**board, "cursor": None} == anybody.get(PATH).json
    assert run(["leaderboard", "--online", *online, "--kind", "truco"]) == 0
    assert capsys.readouterr().out == "no board has been published\n"


def test_what_a_board_says(published: None, anybody: ContractClient) -> None:
    board = anybody.get(PATH).json
    names = {row["name"] for row in board["rows"]}
    assert names == {"rookie", "random", "rookie+2"}
    (anchor,) = [row for row in board["rows"] if row["name"] == "rookie"]
    assert (anchor["rating"], anchor["low"], anchor["high"]) == (1500, 1500, 1500)
    assert board["groups"] == 12
    rows = list(csv.DictReader(io.StringIO(anybody.get(f"{PATH}?format=csv").text)))
    assert [(row["name"], float(row["rating"])) for row in rows] == [
        (row["name"], row["rating"]) for row in board["rows"]
    ]
    listed = anybody.get("/v1/leaderboards").json["leaderboards"]
    played = [(one["kind"], one["preset"], one["division"]) for one in listed if one["groups"]]
    assert played == [("toepen", "duel@1", "sealed")]
    assert [one["groups"] for one in listed if one["groups"]] == [12]
    other = anybody.get(f"{PATH}?preset=table-4@1").json
    assert (other["preset"], other["rows"]) == ("table-4@1", [])
    assert anybody.get(f"{PATH}?preset=duel@1").json == board


def test_the_history_has_a_point_per_day_and_bot(published: None, anybody: ContractClient) -> None:
    points = anybody.get(f"{PATH}/history").json["points"]
    board = anybody.get(PATH).json
    days = {point["day"] for point in points}
    assert len(days) == 1
    assert abs((datetime.fromisoformat(days.pop()).replace(tzinfo=UTC) - datetime.now(UTC)).days) <= 1
    assert {point["name"]: point["rating"] for point in points} == {
        row["name"]: row["rating"] for row in board["rows"]
    }
    only = anybody.get(f"{PATH}/history?bot=random").json["points"]
    assert [point["name"] for point in only] == ["random"]


def pages(client: ContractClient, path: str, key: str, limit: int) -> list[list[dict[str, Any]]]:
    """The ``key`` of every page."""
    found, cursor = [], ""
    while True:
        page = client.get(f"{path}{'&' if '?' in path else '?'}limit={limit}{cursor}").json
        found.append(page[key])
        if page["cursor"] is None:
            return found
        cursor = f"&cursor={page['cursor']}"


def test_boards_history_and_standings_come_in_pages(published: None, anybody: ContractClient) -> None:
    (event,) = [one["id"] for one in anybody.get("/v1/tournaments").json["tournaments"]]
    for path, key in [
        (PATH, "rows"),
        (f"{PATH}/history", "points"),
        (f"/v1/tournaments/{event}/standings", "rows"),
        (f"/v1/tournaments/{event}/standings", "crosstable"),
    ]:
        whole = anybody.get(path).json[key]
        assert len(whole) == 3
        assert pages(anybody, path, key, 1) == [[one] for one in whole]
        assert pages(anybody, path, key, 2) == [whole[:2], whole[2:]]
        assert pages(anybody, path, key, 3) == [whole]
        for wrong in ("cursor=x", "cursor=-1", "cursor=1-x"):
            if wrong != "cursor=1-x" or key == "points":
                assert anybody.get(f"{path}?{wrong}").json["code"] == "invalid_cursor"
        assert anybody.get(f"{path}?limit=201").json["field"] == "limit"
    one = pages(anybody, f"{PATH}/history?bot=random", "points", 1)
    assert [[point["name"] for point in page] for page in one] == [["random"]]


def test_what_has_not_changed_is_not_sent_again(
    published: None, anybody: ContractClient, owner: Account, services: Service
) -> None:
    (event,) = [one["id"] for one in anybody.get("/v1/tournaments").json["tournaments"]]
    paths = [PATH, f"{PATH}?format=csv", f"{PATH}/history", f"/v1/tournaments/{event}/standings"]
    tags = {}
    for path in paths:
        first = anybody.get(path)
        assert first.headers["Cache-Control"] == "no-cache"
        tags[path] = first.headers["ETag"]
        again = anybody.get(path, headers={"If-None-Match": tags[path]})
        assert (again.status_code, again.data) == (304, b"")
    services.boards.renew("toepen", "sealed")
    assert services.boards.publish("toepen", "sealed")
    for path in paths[:3]:
        again = anybody.get(path, headers={"If-None-Match": tags[path]})
        assert again.status_code == 200
        assert again.headers["ETag"] != tags[path]


def test_the_page_of_a_division_goes_on_where_the_last_one_ended(
    published: None, anybody: ContractClient
) -> None:
    names = [row["name"] for row in anybody.get(PATH).json["rows"]]
    page = anybody.get("/leaderboards/toepen/sealed?cursor=2")
    assert page.status_code == 200
    assert names[2] in page.text
    assert f">{names[0]}</th>" not in page.text
    assert "First page" in page.text
    assert "More bots" not in page.text
    assert anybody.get("/leaderboards/toepen/shut").status_code == 404
