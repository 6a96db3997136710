"""A large service for :mod:`benchmarks.loop`, and every page and download of it."""

from __future__ import annotations

import http.client
import os
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Final, NamedTuple
from unittest.mock import patch
from urllib.parse import quote, urlencode

from redis import Redis

from arena.accounts.payers import ARENA
from arena.accounts.versions import Version, pack_version
from arena.bots.transports import UPLOADED
from arena.events import creation, local_groups
from arena.ops.service import Service
from arena.play.dealing import game_seed
from arena.play.game_ids import game_id
from arena.play.groups import PlayedGame
from arena.play.table import Table
from arena.tournaments.sealed import LocalGroup, PlayedGroup, recorded
from benchmarks.growth.fill import Filler, Place, settle

DAY_MS: Final = 86_400_000
OWN: Final = 40
"""How many bots and announced tournaments the owner has who looks at the own pages."""

_SEATS: Final = 8
_MODULES: Final = 20
_MODULE_BYTES: Final = 5_000_000
"""The uploads of the owner, which are in the export."""


class World(NamedTuple):
    """What the requests are about: an owner with its token, a bot, a tournament that is over, one with a long
    description, the longest game, and one that a bot has played.
    """

    owner: str
    token: str
    bot: str
    tournament: str
    announced: str
    long: str
    game: str


class Request(NamedTuple):
    """A request of a visitor, of the owner with a token (``owner``), or with a session (``signed in``)."""

    path: str
    who: str = ""


def fill(place: Place, service: Service, groups: int, bots: int, tournaments: int, actions: int) -> World:
    """Fill a service directly, without the API."""
    filler = Filler(place, bots, 0, 2)
    filler.fill(service, 2 * groups)
    accounts, now_ms = service.accounts, service.store.clock().now_ms
    _, token = accounts.sign_up("loop")
    for number in range(bots):
        if number % OWN == 0 and number:
            accounts.sign_up(f"owner-{number // OWN}")
        accounts.register_bot("loop" if number < OWN else f"owner-{number // OWN}", f"bot-{number + 1:05}")
    announced = ""
    for number in range(tournaments):
        fields = {
            "name": f"Cup {number}".ljust(60, "x"),
            "description": "d" * 1000,
            "kind": "toepen",
            "format": "round_robin",
            "rules": {"seats": 2},
            "opens_ms": now_ms + 30 * DAY_MS,
            "locks_ms": now_ms + 60 * DAY_MS + number,
            "house": ["rookie", "random", "regular", "shark"],
        }
        owner = "loop" if number < OWN else f"owner-{number // OWN}"
        announced = service.tournaments.create(fields, owner)["id"]
    for number in range(_MODULES):
        _upload(place, f"bot-{number + 1:05}", os.urandom(_MODULE_BYTES))
    long = play_long(service, actions)
    settle(service)
    return World("loop", token, "bot-00001", "played-1", announced, long, first_game(service, "played-1"))


def _upload(place: Place, bot: str, module: bytes) -> None:
    """Add an uploaded version to a bot, as if it had been checked."""
    digest = sha256(module).hexdigest()
    version = Version("large", UPLOADED.name, 1, language="module", digest=digest, size=len(module))
    with Redis.from_url(place.url) as database:
        database.hset(f"{{b:{bot}}}:sources", digest, module)
        database.hset(f"{{b:{bot}}}:versions", "large", pack_version(version))


def first_game(service: Service, tournament: str) -> str:
    """Return the first game of a tournament."""
    game: str = service.tournaments.groups(tournament, limit=1).items[0]["games"][0]
    return game


def play_long(service: Service, actions: int) -> str:
    """Play a tournament whose games are over after about ``actions`` actions each, because nobody knocks or
    folds, and return one of the games.
    """
    rules = {"seats": _SEATS, "lives": 30, "end": "rubber", "rubbers": max(1, actions // 1000)}
    now_ms = service.store.clock().now_ms
    fields = {
        "name": "The longest game",
        "kind": "toepen",
        "rules": rules,
        "format": "round_robin",
        "groups": 1,
        "house": ["rookie", *(f"rookie+{number}" for number in range(2, _SEATS + 1))],
        "opens_ms": now_ms,
        "locks_ms": now_ms + 1000,
    }
    with patch.object(creation, "check_length"):
        service.tournaments.create(fields, ARENA, tournament_id="long")
    with patch.object(local_groups, "play_local_group", _calm_group):
        while service.tournaments.step("long").state != "finished":
            service.tournaments.play_local_groups("long", 60)
    return first_game(service, "long")


def _calm_group(group: LocalGroup, finished_ms: Callable[[], int], *_: object) -> PlayedGroup:
    return recorded(group, _calm_games(group), finished_ms)


def _calm_games(group: LocalGroup) -> Iterator[PlayedGame]:
    for number, players in enumerate(group.seats):
        seed = game_seed(group.seed, number, group.mirrored)
        table = Table(game_id(group.id, number), group.kind, group.rules, seed)
        table.start()
        while awaited := table.awaited():
            seat = awaited[0]
            legal = table.legal_actions(seat)
            calm = [action for action in legal if not action.startswith(("knock", "fold"))]
            table.submit(seat, table.turn_number(seat), (calm or legal)[0])
        yield PlayedGame(number, players, table, (), ())


def prepare(service: Service, world: World) -> None:
    """Do the jobs that the requests wait for."""
    for game in (world.long, world.game):
        service.replays.prepare(game)
    service.exports.request(world.owner)
    service.exports.write(world.owner)


def requests(world: World) -> Sequence[Request]:
    """Return a request for every page and download."""
    cup, bot, game = f"/tournaments/{world.tournament}", f"/bots/{world.bot}", f"/v1/games/{world.game}"
    api = f"/v1{cup}"
    own = [
        *("/account", "/account/export", "/account/invitations", "/account/delete", "/account/bots/new"),
        *("/account/schedules/new", "/tournaments/new", "/series/new", "/tournaments", "/"),
        *(f"{bot}/settings", f"{bot}/log", f"{bot}/delete", f"{bot}/versions/new", bot),
        f"/tournaments/{world.announced}/subscriptions",
    ]
    owner = [
        *("/v1/owners/me", "/v1/comparisons", "/v1/invitations", "/v1/tournaments", "/v1/bots?owner=loop"),
        *(f"/v1{bot}/owners", f"/v1{bot}/uploads", f"/v1{bot}/games", "/v1/turns?wait=0"),
    ]
    anybody = [
        *(
            "/",
            "/tournaments",
            "/series",
            "/play",
            "/play/join",
            "/sign-in",
            "/sign-up",
            "/download/",
            "/docs",
        ),
        *("/docs/tournaments", "/docs/api", "/docs/errors", "/docs/search?q=" + quote("the a of to in is")),
        *("/llms.txt", "/SKILL.md", "/feeds/announcements.atom", "/feeds/results.atom"),
        *(cup, f"/feeds{cup}.atom", f"{cup}?bot=rookie", f"/tournaments/{world.announced}", bot),
        *("/leaderboards/toepen", "/leaderboards/toepen/sealed", "/leaderboards/toepen/sealed/matchups"),
        *(f"/games/{world.long}", f"/games/{world.long}?move={5000}", f"/games/{world.game}"),
        *("/metrics", "/readyz", "/openapi.json", "/healthz"),
        *(
            "/v1/bots",
            "/v1/bots?limit=100",
            f"/v1{bot}",
            f"/v1{bot}/games?limit=100",
            "/v1/bots/rookie/games",
        ),
        *("/v1/games", "/v1/games?limit=100", "/v1/games?state=running&limit=100", game, f"{game}/record"),
        *(f"/v1/games/{world.long}/record", "/v1/leaderboards", "/v1/leaderboards/toepen/sealed"),
        *("/v1/leaderboards/toepen/sealed?limit=200", "/v1/leaderboards/toepen/sealed/history"),
        *("/v1/leaderboards/toepen/sealed/matchups", "/v1/leaderboards/toepen/sealed/styles"),
        *("/v1/owners/loop", "/v1/records?limit=100", "/v1/records/all?kind=toepen", "/v1/records/changes"),
        *("/v1/schedules", "/v1/series", "/v1/tournaments?limit=100", "/v1/tournaments?state=running"),
        *("/v1/tournaments?state=announced&limit=100", "/v1/tournaments?state=over&limit=100", api),
        *(f"{api}/standings", f"{api}/standings?limit=200", f"{api}/groups?limit=200"),
        *(f"{api}/results.csv", f"{api}/records"),
        *("/v1/tournaments/long/records", "/v1/tournaments/long/groups"),
    ]
    return [
        *map(Request, anybody),
        *(Request(path, "owner") for path in owner),
        Request("/v1/owners/me/export", "owner"),
        *(Request(path, "signed in") for path in own),
    ]


def signed_in(port: int, token: str) -> str:
    """Sign in with a token, and return the cookies."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/sign-in", headers={"Accept": "text/html"})
    reply = connection.getresponse()
    (form,) = re.findall(rb'name="csrf_token" value="([^"]+)"', reply.read())[:1]
    cookies = _cookies(reply)
    body = urlencode({"csrf_token": form.decode(), "token": token})
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookies}
    connection.request("POST", "/sign-in", body, headers)
    reply = connection.getresponse()
    reply.read()
    assert reply.status == 303, reply.status
    connection.close()
    return _cookies(reply) or cookies


def _cookies(reply: http.client.HTTPResponse) -> str:
    return "; ".join(cookie.partition(";")[0] for cookie in reply.headers.get_all("Set-Cookie") or ())
