"""A running service with games, boards and tournaments to look at, and an empty one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flask import Flask

from api.app import create_app
from api.openapi.capture import checking
from arena.games import GAMES
from arena.ops.service import Service
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.store.embedded import EmbeddedStore
from tests.api.arenas import announce, lock, play, play_models
from tests.api.conftest import ADMIN_TOKEN
from tests.api.contract import ContractClient, contract_client
from tests.api.players import play_out
from tests.api.server import Server
from tests.conftest import register
from tests.waiting import PATIENCE, wait_until

HOUSE = ("rookie", "random", "regular", "rookie+2", "random+2", "regular+2")
FORMATS = {"round_robin": 6, "swiss": 2, "knockout": 2}
"""Groups per pairing of each."""
HALF_BOT = """def choose(turn):
    print("my turn")
    return turn["legal_actions"][0] if turn["kind"] == "toepen" else turn["no such field"]
"""
AGENT = "an-agent-whose-name-has-32-chars"
MODEL = "Some Model 3, with sixty characters in what its owner says of"
GAMES_OVER_HTTP = {"truco": {}, "toepen": {"seats": 4}}
NEARLY_AN_HOUR_MS = 3_540_000
"""The clock of live tables, at which nobody plays on."""


@dataclass
class Site:
    """A service at ``url``, and the addresses of its pages by name. ``own``: those that the owner of
    ``token`` sees.
    """

    url: str
    pages: dict[str, str]
    own: dict[str, str] = field(default_factory=dict)
    token: str = ""
    store: str = ""

    def sign_in(self, page: Any) -> None:
        """Sign the browser of a page in."""
        page.goto(f"{self.url}/sign-in")
        page.fill("input[name=token]", self.token)
        page.click("main form button")
        page.wait_for_url("**/account")


@contextmanager
def site(*, empty: bool = False) -> Iterator[Site]:
    """Serves it while the block lasts."""
    with TemporaryDirectory() as folder, EmbeddedStore(Path(folder)) as store:
        pages = {
            "home": "/",
            **{f"play-{kind}": f"/play?game={kind}" for kind in GAMES},
            **{f"board-{kind}": f"/leaderboards/{kind}" for kind in GAMES},
            "bot": "/bots/regular",
            "tournaments": "/tournaments",
            "watch": "/watch",
            **{f"guide-{kind}": f"/learn/{kind}" for kind in GAMES},
            **{f"lesson-{kind}": f"/learn/{kind}/lesson?deal=3&step=2" for kind in GAMES},
            "lesson-answered": "/learn/truco/lesson?deal=3&step=3&answer=run:1",
            "lesson-over": "/learn/toepen/lesson?deal=2&step=4",
            "manual": "/docs",
            "guide": "/docs/five-minutes",
            "rules": "/docs/rules/toepen",
            "reference": "/docs/api",
            "reference-part": "/docs/api/leaderboards",
            "search": "/docs/search?q=stake",
            "download": "/download/",
            "bring": "/bring",
            "missing": "/nothing",
            "sign-in": "/sign-in",
            "sign-up": "/sign-up",
            "recover": "/recover",
        }
        own, token = {}, ""
        register(store.url)
        if not empty:
            pages |= _play_tournaments(store)
            own, token = _submit_bot(store)
        with Server(store.url) as server:
            if not empty:
                pages |= _play_games(server, _app(store).extensions["botequim"])
            yield Site(server.url, pages, own, token, store.url)


def _play_tournaments(store: EmbeddedStore) -> dict[str, str]:
    app = _app(store)
    services = app.extensions["botequim"]
    admin = contract_client(app, ADMIN_TOKEN)
    pages = {}
    for kind, preset in (("truco", "base@1"), ("toepen", "duel@1")):
        for form, groups in FORMATS.items():
            body = {"kind": kind, "format": form, "preset": preset, "groups": groups, "house": list(HOUSE)}
            event = announce(admin, {"name": f"{kind.capitalize()} {form.replace('_', ' ')}", **body})
            play(services, event)
            pages[f"{form}-{kind}"] = f"/tournaments/{event}"
        assert services.boards.publish(kind, "sealed")
        services.compute_matchups(kind, "sealed", preset)
    pages["running"] = f"/tournaments/{_play_one_round(services, admin)}"
    pages |= _play_other_boards(app, services, admin)
    services.close()
    return pages


def _play_other_boards(app: Flask, services: Service, admin: ContractClient) -> dict[str, str]:
    """Boards that look otherwise: of four players, of language models, and with all columns."""
    table = {"kind": "toepen", "format": "round_robin", "preset": "table-4@1", "groups": 1}
    play(services, announce(admin, {"name": "Tables of four", **table, "house": list(HOUSE[:4])}))
    assert services.boards.publish("toepen", "sealed", "table-4@1")
    token = contract_client(app).post("/v1/owners", json={"name": "owner-of-an-agent"}).json["token"]
    owner = contract_client(app, token)
    agent = owner.post("/v1/bots", json={"name": AGENT, "model": MODEL[:60], "game_cost": 0.0125}).json[
        "token"
    ]
    play_models(services, admin, owner, contract_client(app, agent), AGENT)
    return {
        "board-four": "/leaderboards/toepen/sealed?preset=table-4@1",
        "board-models": "/leaderboards/toepen/models",
        **{f"board-{kind}-all": f"/leaderboards/{kind}?columns=all" for kind in GAMES},
    }


def _play_one_round(services: Service, admin: ContractClient) -> str:
    """A knockout between two of its rounds; its id."""
    body = {"kind": "truco", "format": "knockout", "preset": "base@1", "groups": 2, "house": list(HOUSE)}
    event = announce(admin, {"name": "Truco knockout, running", **body})
    lock(services, event)
    while services.tournaments.view(event)["progress"]["round"] < 2:
        services.tournaments.step(event)
        services.tournaments.play_local_groups(event)
    assert services.tournaments.view(event)["state"] == "running"
    return event


def _app(store: EmbeddedStore) -> Flask:
    http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS), upload_wait=PATIENCE)
    return create_app(Settings(store.url, admin_token=ADMIN_TOKEN, http=http))


def _submit_bot(store: EmbeddedStore) -> tuple[dict[str, str], str]:
    """An uploaded bot of an owner that has qualified in one game and failed in the other, an open tournament
    of the owner, and the pages of these; and the owner's token.
    """
    app = _app(store)
    services = app.extensions["botequim"]
    anybody = contract_client(app)
    token = anybody.post("/v1/owners", json={"name": "pia"}).json["token"]
    owner = contract_client(app, token)
    body = {"name": "half-bot", "transport": "uploaded", "source": HALF_BOT}
    with checking(app):
        upload = owner.post("/v1/bots", json=body).json["upload"]["id"]
    services.tournaments.qualify_added("half-bot", "1")
    for one in services.tournaments.qualifications("half-bot", "1"):
        play(services, one["tournament"])
    cup = {"name": "Cup of pia", "kind": "toepen", "format": "round_robin", "preset": "duel@1"}
    event = announce(owner, {**cup, "division": "sealed", "house": ["rookie"]})
    game = services.tournaments.journals.latest("half-bot", 1)[0].game
    comparison = _compare_versions(services, owner, app)
    weekly = {"id": "weekly", "cron": "0 20 * * 1", "tournament": cup}
    assert owner.post("/v1/schedules", json=weekly).status_code == 201
    trial = services.trial_games.begin(HALF_BOT, "")
    services.trial_games.play(trial)
    services.close()
    bot = "/bots/half-bot"
    return {
        "bring-played": f"/bring/{trial}",
        "bring-replay": f"/bring/{trial}/replay",
        "account": "/account",
        "new-bot": "/account/bots/new",
        "new-webhook": "/account/bots/new?transport=webhook",
        "own-bot": bot,
        "upload": f"{bot}/uploads/{upload}",
        "log": f"{bot}/log",
        "losses": f"{bot}/losses",
        "game-log": f"{bot}/log/{game}",
        "settings": f"{bot}/settings",
        "new-version": f"{bot}/versions/new",
        "delete": f"{bot}/delete",
        "new-tournament": "/tournaments/new",
        "own-tournament": f"/tournaments/{event}",
        "comparison": f"/comparisons/{comparison}",
        "new-schedule": "/account/schedules/new",
        "schedule": "/account/schedules/weekly/edit",
        "webhooks": f"/tournaments/{event}/subscriptions",
    }, token


def _compare_versions(services: Service, owner: ContractClient, app: Flask) -> str:
    """A comparison of two versions of another bot that is over; its id."""
    sources = [f"def choose(turn):\n    return turn['legal_actions'][{index}]\n" for index in (0, -1)]
    with checking(app):
        owner.post("/v1/bots", json={"name": "twin-bot", "transport": "uploaded", "source": sources[0]})
        version = {"label": "2", "transport": "uploaded", "source": sources[1]}
        assert owner.post("/v1/bots/twin-bot/versions", json=version).status_code == 201
    body = {"bot": "twin-bot", "new": "2", "old": "1", "kind": "truco", "preset": "mineiro-2@1", "most": 60}
    found: str = owner.post("/v1/comparisons", json=body).json["id"]
    play(services, found)
    return found


def _asks_for_replay(server: Server, services: Service, game: str) -> bool:
    """Open the page of a game, and return whether it has asked for the replay: it does not before
    the record is written.
    """
    server.request("GET", f"/games/{game}")
    return services.replays.find(game) is not None


def _play_games(server: Server, services: Service) -> dict[str, str]:
    """A finished game and one in progress of each kind."""
    owner = server.sign_up("ana")
    pages = {}
    for kind, rules in GAMES_OVER_HTTP.items():
        names = [f"{name}-{kind}" for name in ("zeca", "sete-belo", "pica-fumo", "kroegtijger")]
        tokens = server.register(owner, *names)
        clock = {"per_turn_ms": NEARLY_AN_HOUR_MS}
        body = {"kind": kind, "rules": rules, "seats": [{"bot": name} for name in names], "clock": clock}
        for state in ("replay", "live"):
            game = server.request("POST", "/v1/games", body, owner).json["game"]
            players = [server.player(token, seed) for seed, token in enumerate(tokens)]
            if state == "replay":
                play_out(players)
                wait_until(partial(_asks_for_replay, server, services, game))
                services.replays.prepare(game)
            else:
                for player in players:
                    player.step()
            pages[f"{state}-{kind}"] = f"/games/{game}"
    services.close()
    return pages
