"""A running service with games, boards and tournaments to look at, and an empty one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from api.app import create_app
from arena.games import GAMES
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.store.embedded import EmbeddedStore
from tests.api.arenas import announce, play
from tests.api.conftest import ADMIN_TOKEN
from tests.api.contract import contract_client
from tests.api.players import play_out
from tests.api.server import Server

HOUSE = ("rookie", "random", "regular", "rookie+2", "random+2", "regular+2")
FORMATS = {"round_robin": 6, "swiss": 2, "knockout": 2}
"""Groups per pairing of each."""
GAMES_OVER_HTTP = {"truco": {}, "toepen": {"seats": 4}}


@dataclass
class Site:
    """A service at ``url``, and the addresses of its pages by name."""

    url: str
    pages: dict[str, str]
    store: str = ""


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
            "manual": "/docs",
            "guide": "/docs/five-minutes",
            "rules": "/docs/rules/toepen",
            "reference": "/docs/api",
            "search": "/docs/search?q=stake",
            "missing": "/nothing",
        }
        if not empty:
            pages |= _play_tournaments(store)
        with Server(store.url) as server:
            if not empty:
                pages |= _play_games(server)
            yield Site(server.url, pages, store.url)


def _play_tournaments(store: EmbeddedStore) -> dict[str, str]:
    http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS))
    app = create_app(Settings(store.url, admin_token=ADMIN_TOKEN, http=http))
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
    services.close()
    return pages


def _play_games(server: Server) -> dict[str, str]:
    """A finished game and one in progress of each kind."""
    owner = server.sign_up("ana")
    pages = {}
    for kind, rules in GAMES_OVER_HTTP.items():
        names = [f"{name}-{kind}" for name in ("zeca", "sete-belo", "pica-fumo", "kroegtijger")]
        tokens = server.register(owner, *names)
        body = {"kind": kind, "rules": rules, "seats": [{"bot": name} for name in names]}
        for state in ("replay", "live"):
            game = server.request("POST", "/v1/games", body, owner).json["game"]
            players = [server.player(token, seed) for seed, token in enumerate(tokens)]
            if state == "replay":
                play_out(players)
            else:
                for player in players:
                    player.step()
            pages[f"{state}-{kind}"] = f"/games/{game}"
    return pages
