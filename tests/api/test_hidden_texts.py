"""What admins hid is on no page and in no response: every address that can be read is tried."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Final

import pytest
from flask import Flask
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from arena.ops.service import Service
from arena.previews.previews import Preview
from tests.api.arenas import announce, play_models
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.api.tables import TOEPEN, open_table

OWNER, BOT, CUP, WORDS = "rude-owner", "rude-bot", "Rude cup", "Rude words."

RECORDS: Final = ("/record", "/records", "/records/all", ".json", ".jsonl")
"""The ends of the addresses of records, which keep the names of bots in the part that is hashed."""

FILES: Final = ("/static/", "/docs", "/v1/openapi", "/download")
"""The beginnings of the addresses of what is the same for every service."""


@pytest.fixture
def values(
    app: Flask, sign_up: Callable[..., Account], register: Callable[..., Account], admin: ContractClient
) -> dict[str, list[str]]:
    """Something of every kind with texts that an admin has hidden: what the parts of an address may be."""
    services: Service = app.extensions["botequim"]
    rude, teo = sign_up(OWNER), sign_up("teo")
    agent = register(BOT, rude, description=WORDS, model="Some Model 3")
    assert rude.client.patch(f"/v1/bots/{BOT}", json={"people": True}).status_code == 200
    assert agent.client.get("/v1/turns").status_code == 200
    register("teos-bot", teo)
    teo.client.put(f"/v1/bots/teos-bot/owners/{OWNER}")
    rude.client.put(f"/v1/bots/teos-bot/owners/{OWNER}")
    play_models(services, admin, rude.client, agent.client, BOT)
    assert services.matchups.compute("toepen", "models")
    services.histories.update("toepen", "models")
    services.styles.update("toepen")
    (finished,) = services.tournaments.list(state="finished").items
    body = {"name": CUP, "description": WORDS, "kind": "toepen", "format": "swiss"}
    cup = announce(rude.client, body)
    assert rude.client.post(f"/v1/tournaments/{cup}/entries", json={"bot": BOT}).status_code == 200
    league = {"name": "League", "tournaments": [cup, finished["id"]]}
    series = rude.client.post("/v1/series", json=league).json["id"]
    daily = {"name": "Daily", "kind": "toepen", "format": "swiss", "entry_s": 60}
    schedule = {"id": "daily", "cron": "0 12 * * *", "tournament": daily}
    assert rude.client.post("/v1/schedules", json=schedule).status_code == 201
    seats = [{"bot": BOT}, {"bot": "teos-bot"}]
    games = [rude.client.post("/v1/games", json={"kind": "toepen", "seats": seats}).json["game"]]
    games += [one["game"] for one in services.live.list(state="finished", limit=1).items]
    hidden = [("owner", OWNER, "name"), ("bot", BOT, "name"), ("bot", BOT, "description")]
    hidden += [("tournament", cup, "name"), ("tournament", cup, "description")]
    for of, id, text in hidden:
        sent = {"of": of, "id": id, "text": text, "reason": "It insults."}
        assert admin.post("/v1/admin/hidden-texts", json=sent).status_code == 201
    return {
        "kind": ["toepen"],
        "division": ["models"],
        "tournament": [cup, finished["id"]],
        "series": [series],
        "schedule": ["daily"],
        "game": games,
        "bot": [BOT, "teos-bot"],
        "owner": [OWNER, "teo"],
        "version": ["1"],
    }


def addresses(app: Flask, values: dict[str, list[str]]) -> Iterator[str]:
    """All addresses that can be read, except of records and of files."""
    for rule in app.url_map.iter_rules():
        assert isinstance(rule, Rule)
        if "GET" in (rule.methods or ()) and not rule.rule.startswith(FILES):
            names = sorted(rule.arguments)
            for chosen in product(*(values.get(name, []) for name in names)):
                path = rule.rule
                for name, value in zip(names, chosen, strict=True):
                    path = path.replace(f"<{name}>", value)
                if not path.endswith(RECORDS):
                    yield path


def text_of(response: TestResponse, drawn: list[str]) -> str:
    """The body; of a stream, which does not end, the first message; of an image, what is ``drawn``."""
    if response.mimetype == "image/png":
        return drawn.pop() if drawn else ""
    if response.mimetype != "text/event-stream":
        return response.text
    message: bytes = next(iter(response.iter_encoded()))
    response.close()
    return message.decode()


def test_what_admins_hid_is_nowhere(
    app: Flask,
    values: dict[str, list[str]],
    sign_up: Callable[..., Account],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[str] = []
    image = app.extensions["botequim"].previews.image

    def asked(preview: Preview, payer: str, wait: float) -> bytes | None:
        drawn.append(preview.content.decode())
        found: bytes | None = image(preview, payer, 0)
        return found

    monkeypatch.setattr(app.extensions["botequim"].previews, "image", asked)
    zeca = sign_up("zeca")
    visitor, anybody = Browser(app), Browser(app)
    visitor.sign_in(zeca.token)
    waits = open_table(visitor, {**TOEPEN, "seats": "3", "seat1": f"bot:{BOT}", "seat2": "friend"})
    values["game"] += [waits, open_table(visitor, {**TOEPEN, "seat1": f"bot:{BOT}"})]
    (invitation,) = re.findall(
        'value="http://localhost(/play/join[^"]*)"', visitor.get(f"/play/{waits}").text
    )
    read = 0
    for path in (*addresses(app, values), invitation):
        for who, client in (("anybody", anybody.client), ("zeca", visitor.client), ("token", zeca.client)):
            response = client.get(path)
            text = text_of(response, drawn)
            # An address may have the name that it was asked for.
            for hidden in {OWNER, BOT, CUP, WORDS} - set(path.split("/")):
                assert hidden not in text or response.status_code >= 300, (who, path, hidden)
            read += response.status_code == 200
    assert read > 150
