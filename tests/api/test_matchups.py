"""Who beats whom over HTTP, on the pages, and the same from the downloaded records."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from arena.cli import run
from arena.events.matchups import BoardMatchups
from arena.ops.service import Service
from arena.ratings.matchups import Matchups
from tests.api.arenas import play_rated
from tests.api.contract import ContractClient
from tests.api.test_web_pages import read, whole

PATH = "/v1/leaderboards/truco/sealed/matchups"
PAGE = "/leaderboards/truco/sealed/matchups"


@pytest.fixture
def computed(app: Flask, admin: ContractClient, monkeypatch: pytest.MonkeyPatch) -> Service:
    """House bots, ranked after two groups, on a published board with matchups."""
    monkeypatch.setattr("arena.ratings.board.SETTLED_GROUPS", 2)
    return play_rated(app.extensions["botequim"], admin, groups=4)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (PATH, 404, "matchups_not_found"),
        ("/v1/leaderboards/chess/sealed/matchups", 404, "kind_not_found"),
        ("/v1/leaderboards/truco/shut/matchups", 404, "division_not_found"),
        (f"{PATH}?preset=nothing", 422, "preset_not_found"),
        (f"{PATH}?format=xml", 422, "invalid"),
    ],
)
def test_matchups_that_are_not(anybody: ContractClient, path: str, status: int, code: str) -> None:
    response = anybody.get(path)
    assert (response.status_code, response.json["code"]) == (status, code)
    assert anybody.get(PAGE, headers={"Accept": "text/html"}).status_code == 404


def test_matchups_in_all_formats(computed: Service, anybody: ContractClient) -> None:
    response = anybody.get(PATH)
    assert response.status_code == 200
    board = anybody.get("/v1/leaderboards/truco/sealed").json
    assert response.json["records_hash"] == board["records_hash"]
    assert [bot["name"] for bot in response.json["bots"]] == [row["name"] for row in board["rows"]]
    assert len(response.json["pairs"]) == response.json["fit"]["pairs"] == 3
    assert anybody.get(f"{PATH}?preset={response.json['preset']}").json == response.json
    table = Matchups.from_json(response.json)
    text, sheet = anybody.get(f"{PATH}?format=text"), anybody.get(f"{PATH}?format=csv")
    assert (text.mimetype, text.text) == ("text/plain", table.as_text())
    assert (sheet.mimetype, sheet.text) == ("text/csv", table.as_csv())
    assert len(list(csv.DictReader(io.StringIO(sheet.text)))) == 6


def test_an_unchanged_answer_is_not_sent_again(computed: Service, anybody: ContractClient) -> None:
    etag = anybody.get(PATH).headers["ETag"]
    for form in ("json", "csv", "text"):
        again = anybody.get(f"{PATH}?format={form}", headers={"If-None-Match": etag})
        assert (again.status_code, again.data) == (304, b"")
    assert anybody.get(PATH, headers={"If-None-Match": 'W/"other"'}).status_code == 200


@pytest.mark.nightly("boards")
def test_the_command_computes_the_published_matchups(
    computed: Service,
    anybody: ContractClient,
    online: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "records.jsonl"
    file.write_bytes(anybody.get("/v1/records").data)

    def said(*options: str, code: int = 0) -> str:
        assert run(["leaderboard", "--matchups", *options]) == code
        return capsys.readouterr().out

    published = anybody.get(PATH).json
    for options in ([str(file)], [str(file), "--online", *online], ["--online", *online]):
        assert said(*options) == anybody.get(f"{PATH}?format=text").text
        assert said(*options, "--format", "csv") == anybody.get(f"{PATH}?format=csv").text
        (shown,) = json.loads(said(*options, "--format", "json"))["matchups"]
        assert {**shown, "computed_ms": published["computed_ms"]} == published
    assert said(str(file), "--kind", "toepen") == "no board here has matchups\n"
    assert said("--online", *online, "--kind", "toepen") == "no matchups have been published\n"
    # Somebody publishes other ones of the same records.
    other: dict[str, Any] = json.loads(json.dumps(published))
    other["bots"][0]["nash"] -= 50
    found = computed.matchups.published("truco", "sealed")
    assert found is not None
    monkeypatch.setattr(BoardMatchups, "published", lambda *_: type(found)(found.version, other))
    line = f"truco/base@1, sealed: nash of {other['bots'][0]['name']} is"
    assert f"DIFFERENT: {line}" in said(str(file), "--online", *online, code=1)
    shown = json.loads(said(str(file), "--online", *online, "--format", "json", code=1))
    assert shown["different"][0].startswith(line)
    # Those of other records are not compared.
    other["records_hash"] = "0" * 64
    assert "DIFFERENT" not in said(str(file), "--online", *online)


def test_a_part_of_the_records_is_called_a_part(
    computed: Service, anybody: ContractClient, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"".join(anybody.get("/v1/records").data.splitlines(keepends=True)[:-1]))
    assert run(["leaderboard", str(part), "--matchups"]) == 0
    assert "ONLY A PART: games of 1 groups are missing" in capsys.readouterr().out


def test_the_pages(computed: Service, anybody: ContractClient) -> None:
    found = anybody.get(PATH).json
    table = Matchups.from_json(found)
    page = read(anybody, PAGE)
    assert table.fit.as_text() in page.html
    assert found["records_hash"] in page.html
    assert {f"{PATH}?preset=base@1", f"{PATH}?preset=base@1&format=csv"} <= {
        link.replace("%40", "@") for link in page.links
    }
    nash = page.rows("Nash averaging")
    assert [(row["bot"], row["Nash"], row["in the mix"]) for row in nash] == [
        (bot.name, str(bot.nash), f"{100 * bot.in_mix:.0f}%") for bot in table.bots
    ]
    assert all(
        row["worst opponent"].startswith(f"{bot.worst}, ") for row, bot in zip(nash, table.bots, strict=True)
    )
    matrix = page.rows("All pairs")
    for number, (row, pairs) in enumerate(zip(matrix, table.rows(), strict=True)):
        for other, pair in enumerate(pairs):
            cell = row[str(other + 1)]
            if pair is None:
                assert (number, cell) == (other, "")
            else:
                assert pair.share is not None
                assert pair.low is not None
                assert pair.high is not None
                assert cell == f"{100 * pair.share:.0f}{'' if pair.fits else '*'}"
                interval = f"{100 * pair.low:.0f}%–{100 * pair.high:.0f}% over {pair.groups} groups"
                assert f'title="against {pair.opponent}: {interval}' in page.html
    # Beside the ratings, too.
    for path in ("/leaderboards/truco", "/leaderboards/truco/sealed"):
        few = read(anybody, path)
        assert f"{path}?columns=all#sealed" in few.links
        assert "Nash" not in few.html
        board = read(anybody, f"{path}?columns=all")
        assert f"{path}#sealed" in board.links
        for one in (few, board):
            assert PAGE in [link.partition("?")[0] for link in one.links]
            assert (table.fit.as_text() in one.html) == (one is board)
        (rows,) = [
            [
                (row["bot"], row["Nash"], row["in the mix"], row["worst opponent"])
                for row in board.rows(caption)
            ]
            for caption in board.captions
            if caption.startswith("Truco")
        ]
        assert rows == [
            (bot.name, whole(bot.nash), f"{100 * bot.in_mix:.0f}%", bot.worst) for bot in table.bots
        ]
    assert "Nash" not in read(anybody, "/leaderboards/toepen").html
