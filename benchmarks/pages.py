"""A large service for :mod:`benchmarks.loop`, and every page and download of it."""

from __future__ import annotations

import http.client
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple
from unittest.mock import patch
from urllib.parse import urlencode

from redis import Redis

from arena.accounts.payers import ARENA
from arena.accounts.versions import Version, pack_version
from arena.bots.transports import UPLOADED
from arena.events import creation, local_groups
from arena.games import GAMES, game_of
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service
from arena.play.dealing import game_seed
from arena.play.game_ids import game_id
from arena.play.groups import PlayedGame
from arena.play.players import SEALED
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


class LargeService(NamedTuple):
    """What the requests are about: an owner with its token, a bot, a tournament that is over, an announced
    one, the longest game, a short one, and one outside tournaments.
    """

    owner: str
    token: str
    bot: str
    tournament: str
    announced: str
    long: str
    game: str
    live: str


PATHS: Final = {
    "": """
        / /watch /tournaments /series /play /bring /sign-in /sign-up /download/ /docs /docs/tournaments
        /docs/api /docs/api/tournaments /docs/toepen /docs/errors /docs/search?q=the+a+of+to+in+is
        /llms.txt /SKILL.md
        /feeds/announcements.atom /feeds/results.atom /feeds/tournaments/{tournament}.atom
        /tournaments/{tournament} /tournaments/{tournament}?bot=rookie
        /tournaments/{tournament}?tab=crosstable /tournaments?of=ratings /tournaments/{announced} /bots/{bot}
        /bots/rookie /leaderboards/toepen /leaderboards/toepen/sealed /leaderboards/toepen/sealed/matchups
        /games/{long} /games/{long}?move=5000 /games/{game} /games/{live} /embed/{long} /embed/{live}
        /previews/botequim.png /previews/bots/{bot}.png /previews/games/{long}.png /previews/games/{live}.png
        /previews/leaderboards/toepen/sealed.png /previews/seats/toepen/4.png
        /previews/tournaments/{tournament}.png
        /metrics /readyz /healthz /openapi.json
        /v1/bots /v1/bots?limit=100 /v1/bots/{bot} /v1/bots/rookie/games?limit=100
        /v1/games /v1/games?limit=100 /v1/games?state=running&limit=100 /v1/games/{live}
        /v1/games/{live}/events?limit=1000 /v1/games/{game}/record /v1/games/{long}/record
        /v1/leaderboards /v1/leaderboards/toepen/sealed?limit=200 /v1/leaderboards/toepen/sealed/history
        /v1/leaderboards/toepen/sealed/matchups /v1/leaderboards/toepen/sealed/styles
        /v1/leaderboards/toepen/sealed/supplement
        /owners/{owner} /owners/{owner}?cursor=bot-0 /search?q=bot /search?q=cup
        /v1/owners/{owner} /v1/records?limit=100 /v1/records/all?kind=toepen /v1/records/changes
        /v1/schedules /v1/series /v1/tournaments?limit=100 /v1/tournaments?state=running
        /v1/tournaments?state=announced&limit=100 /v1/tournaments?state=over&limit=100
        /v1/tournaments/{tournament} /v1/tournaments/{tournament}/standings?limit=200
        /v1/tournaments/{tournament}/groups?limit=100 /v1/tournaments/{tournament}/results.csv
        /v1/tournaments/{tournament}/records /v1/tournaments/long/groups /v1/tournaments/long/records
    """,
    "owner": """
        /v1/owners/me /v1/owners/me/export /v1/comparisons /v1/invitations /v1/tournaments?limit=100
        /v1/bots?owner={owner} /v1/bots/{bot}/owners /v1/bots/{bot}/uploads /v1/bots/{bot}/games
        /v1/bots/{bot}/versions/1/qualifications /v1/bots/{bot}/versions/large/source
        /v1/tournaments/{announced}/subscriptions
    """,
    "signed in": """
        /account /account/export /account/delete /account/invitations /account/bots/new
        /account/schedules/new /tournaments/new /series/new /tournaments /
        /bots/{bot} /bots/{bot}/settings /bots/{bot}/log /bots/{bot}/losses /bots/{bot}/delete
        /bots/{bot}/versions/new
        /tournaments/{announced} /tournaments/{announced}/edit /tournaments/{announced}/subscriptions
    """,
}
"""The pages and downloads: of visitors, of an owner with a token, and of one with a session."""

_STREAM: Final = "a stream, which waits"
_ONE: Final = "one row of a limited size"
_FILE: Final = "a file that the process keeps"
_FEW: Final = "what a person does, which is limited"
_ADMIN: Final = "for admins only"
_LESSON: Final = "texts and deals of the program, which are the same for everybody"
_PROVIDER: Final = "a redirection to or from the provider of identities"

NOT_MEASURED: Final[Mapping[str, str]] = {
    "admin.list_audit": _ADMIN,
    "admin.list_hidden_texts": _ADMIN,
    "admin.list_suspensions": _ADMIN,
    "admin.list_suspicions": _ADMIN,
    "assets.asset": _FILE,
    "bots.get_log": _ONE,
    "bots.get_notes": _ONE,
    "bots.get_upload": _ONE,
    "comparisons.get_comparison": _ONE,
    "games.stream_events": _STREAM,
    "guests.list_guests": _ONE,
    "pages.begin_sign_in": _PROVIDER,
    "pages.bot_game_log": _ONE,
    "pages.challenge_page": _FEW,
    "pages.comparison_page": _ONE,
    "pages.guide_page": _LESSON,
    "pages.lesson_page": _LESSON,
    "pages.download_program": _FILE,
    "pages.download_starter": _FILE,
    "pages.edit_schedule_page": _ONE,
    "pages.export_file": "the same as the export of the API",
    "pages.finish_sign_in": _PROVIDER,
    "pages.guests_page": _ONE,
    "pages.invitation_page": _ONE,
    "pages.join_page": _FEW,
    "pages.manual_record_schema": _FILE,
    "pages.recover_page": _FEW,
    "pages.seat_state": _FEW,
    "pages.security_txt": _FILE,
    "pages.series_page": _ONE,
    "pages.stream_table": _STREAM,
    "pages.stream_tables": _STREAM,
    "pages.table_page": _FEW,
    "pages.trial_game_page": _FEW,
    "pages.trial_game_replay": "prepared like the replays of games",
    "pages.upload_page": _ONE,
    "schedules.get_schedule": _ONE,
    "series.get_series": _ONE,
    "series.get_series_table": _ONE,
    "tournaments.stream_tournament": _STREAM,
    "turns.get_turns": "for bots only, and at most 500 turns",
    "turns.stream_turns": _STREAM,
}
"""The other addresses that answer to GET, and why they are not measured."""


class PageRequest(NamedTuple):
    """A request of a visitor, of the owner with a token (``owner``), or with a session (``signed in``)."""

    path: str
    who: str = ""


def fill(
    place: Place, service: Service, groups: int, bots: int, tournaments: int, actions: int
) -> LargeService:
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
        made = service.tournaments.create(fields, owner)["id"]
        announced = made if owner == "loop" else announced
    for number in range(_MODULES):
        _upload(place, f"bot-{number + 1:05}", os.urandom(_MODULE_BYTES))
    long = play_long(service, actions)
    live = service.live.create("truco", seats=[{"house": "rookie"}] * 4)["game"]
    assert isinstance(service.jobs, InlineJobs)
    service.jobs.run_pending(service)
    settle(service)
    for kind in GAMES:
        service.compute_matchups(kind, SEALED, game_of(kind).presets[0].name)
    game = first_game(service, "played-1")
    return LargeService("loop", token, "bot-00001", "played-1", announced, long, game, live)


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


def prepare(service: Service, world: LargeService) -> None:
    """Do the jobs that the requests wait for."""
    for game in (world.long, world.game, world.live):
        service.replays.prepare(game)
    service.exports.request(world.owner)
    service.exports.write(world.owner)


def requests(world: LargeService) -> Sequence[PageRequest]:
    """Return a request for every page and download."""
    return [
        PageRequest(path.format_map(world._asdict()), who)
        for who, paths in PATHS.items()
        for path in paths.split()
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
