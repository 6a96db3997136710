"""How bots play, over HTTP and on their pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from api.app import create_app
from api.pages import styles
from arena.games import GAMES
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service, open_service
from arena.ops.settings import Settings
from arena.store.embedded import EmbeddedStore
from tests.api.arenas import play_rated
from tests.api.conftest import ADMIN_TOKEN
from tests.api.contract import ContractClient, contract_client
from tests.api.test_leaderboards import pages
from tests.api.test_web_pages import read

PATH = "/v1/leaderboards/truco/sealed/styles"


@pytest.fixture
def counted(app: Flask, admin: ContractClient, monkeypatch: pytest.MonkeyPatch) -> Service:
    """A board of house bots whose records are counted."""
    monkeypatch.setattr(styles, "LEAST", 1)
    services = play_rated(app.extensions["botequim"], admin, groups=2)
    services.compute_matchups("truco", "sealed", "base@1")
    return services


def test_styles_of_a_board(counted: Service, anybody: ContractClient) -> None:
    found = anybody.get(PATH).json
    style = GAMES["truco"].style
    assert style is not None
    assert found["figures"] == [dict(vars(figure)) for figure in style.figures]
    assert [bot["name"] for bot in found["bots"]] == ["random", "rookie", "rookie+2"]
    for bot in found["bots"]:
        assert bot["games"] == 8
        assert list(bot["counts"]) == [figure.name for figure in style.figures]
        assert bot["counts"]["calls"]["of"] > 0
        for count in bot["counts"].values():
            assert 0 <= count["count"] <= count["of"]
            expected = round(count["count"] / count["of"], 4) if count["of"] else None
            assert count["share"] == expected
    assert pages(anybody, PATH, "bots", 2) == [found["bots"][:2], found["bots"][2:]]
    tag = anybody.get(PATH).headers["ETag"]
    assert anybody.get(PATH, headers={"If-None-Match": tag}).status_code == 304


def test_boards_without_styles(anybody: ContractClient) -> None:
    found = anybody.get("/v1/leaderboards/toepen/open/styles?preset=table-4@1").json
    assert (found["bots"], found["cursor"]) == ([], None)
    assert [figure["name"] for figure in found["figures"]][:3] == ["knocks", "folds", "exchanges"]
    assert anybody.get("/v1/leaderboards/chess/open/styles").json["code"] == "kind_not_found"
    assert anybody.get(f"{PATH}?preset=nothing").json["code"] == "preset_not_found"
    assert anybody.get(f"{PATH}?cursor=x").json["code"] == "invalid_cursor"


def test_the_page_of_a_bot_shows_the_same(counted: Service, anybody: ContractClient) -> None:
    bots = {bot["name"]: bot["counts"] for bot in anybody.get(PATH).json["bots"]}
    page = read(anybody, "/bots/random")
    rows = page.rows("How it plays in Truco, uploaded bots")
    assert [row["count"] for row in rows] == [
        f"{count['count']} of {count['of']}" for count in bots["random"].values()
    ]
    assert page.html.count('<circle class="first"') == sum(
        count["of"] > 0 for count in bots["random"].values()
    )
    assert page.html.count('<circle class="other"') == sum(
        count["of"] > 0 for name in ("rookie", "rookie+2") for count in bots[name].values()
    )
    assert "/docs/ratings#how-bots-play" in page.links


def test_a_page_before_anything_is_counted(
    app: Flask, admin: ContractClient, anybody: ContractClient
) -> None:
    play_rated(app.extensions["botequim"], admin, groups=1)
    assert "Not counted yet" in read(anybody, "/bots/random").html


def test_workers_without_the_archive_leave_it_to_the_archiver(
    settings: Settings, clean_store: EmbeddedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(styles, "LEAST", 1)
    app = create_app(replace(settings, archive=str(tmp_path / "archive")))
    services = app.extensions["botequim"]
    services.store.identity.check()
    play_rated(services, contract_client(app, ADMIN_TOKEN), groups=2)
    worker = open_service(settings, InlineJobs())
    archiver = services.archiver()
    assert archiver.run() > 0
    worker.compute_matchups("truco", "sealed", "base@1")
    archiver.run()
    found = contract_client(app).get(PATH).json
    assert [(bot["name"], bot["games"]) for bot in found["bots"]] == [
        ("random", 8),
        ("rookie", 8),
        ("rookie+2", 8),
    ]
    worker.close()
    services.close()
