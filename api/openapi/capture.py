"""Captures the examples of the OpenAPI document from the running app: ``python -m api.openapi.capture``.

A script sends requests to an app with a fresh embedded database. The longest response per status and the body
of a successful request are kept for each operation. Tokens are shortened to their prefix.
"""

from __future__ import annotations

import re
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from itertools import islice
from typing import Any, Final
from urllib.parse import urlencode

import orjson
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api.app import create_app
from api.openapi import EXAMPLES_FILE, document
from arena.accounts.versions import Suspension
from arena.events.tournament import OVER
from arena.operations.operation import EVENT_STREAM, JSON_LINES
from arena.ops.jobs import InlineJobs
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.ratings.board import SETTLED_GROUPS
from arena.sandbox.runtime import sandbox_engine
from arena.store.embedded import EmbeddedStore
from arena.webhooks.addresses import Policy
from arena.webhooks.calling import Endpoint

ADMIN_TOKEN: Final = "example-admin-token-example-admin-token"

_TOKEN: Final = re.compile(rb"(btq_[obir]_[a-z0-9-]+_|whsec_)[A-Za-z0-9_+/=-]+")
_STREAM_EVENTS: Final = 4
_TEXT_LINES: Final = 20
_ENTRY_MS: Final = 1500
_RECORD_ACTIONS: Final = 6
_ROWS: Final = 4


class ExampleRecorder:
    """Records examples from requests to an app."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self.examples: dict[str, Any] = {}
        self._names = {
            (method.upper(), path): operation["operationId"]
            for path, operations in document(app)["paths"].items()
            for method, operation in operations.items()
            if isinstance(operation, dict) and "operationId" in operation
        }

    def client(self, token: str | None = None) -> RecordingClient:
        """Return a recording client that sends ``token``."""
        return RecordingClient(self, self._app.test_client(), token)

    def keep(
        self, method: str, path: str, body: object, response: TestResponse, is_text: bool = False
    ) -> None:
        """Keep an exchange, unless a longer one with the same operation and status was kept before."""
        rule, _ = self._app.url_map.bind("localhost").match(path.partition("?")[0], method, return_rule=True)
        template = rule.rule.replace("<", "{").replace(">", "}")
        example = self.examples.setdefault(self._names[method, template], {"responses": {}})
        status = str(response.status_code)
        shown = _abridged(response) if response.content_type else None
        if (is_text or "format=" in path) and isinstance(shown, str):
            example.setdefault("texts", {})[response.mimetype] = shown
            return
        known = example["responses"].get(status)
        if known is not None and len(orjson.dumps(shown)) <= len(orjson.dumps(known)):
            return
        if body is not None and response.status_code < 300:
            example["request"] = body
        if shown is not None:
            example["responses"][status] = shown


class RecordingClient:
    """A client whose exchanges are recorded."""

    def __init__(self, recorder: ExampleRecorder, client: FlaskClient, token: str | None) -> None:
        self._recorder = recorder
        self._client = client
        self._headers = {"X-Request-Id": "example", **({"Authorization": f"Bearer {token}"} if token else {})}

    def text(self, method: str, path: str, body: object = None) -> None:
        """Send one request whose response is text."""
        headers = {**self._headers, "Accept": "text/plain"}
        response = self._client.open(path, method=method, json=body, headers=headers)
        self._recorder.keep(method, path, body, response, is_text=True)

    def __call__(self, method: str, path: str, body: object = None) -> Any:
        """Send one request, and return the response's body if this is JSON."""
        response = self._client.open(path, method=method, json=body, headers=self._headers)
        self._recorder.keep(method, path, body, response)
        return response.json if response.is_json else None


def _abridged(response: TestResponse) -> object:
    if response.mimetype == EVENT_STREAM:
        chunks = b"".join(islice(response.iter_encoded(), 1 + _STREAM_EVENTS))
        response.close()
        return _TOKEN.sub(rb"\1...", chunks).decode()
    text = _TOKEN.sub(rb"\1...", response.get_data())
    if response.mimetype == JSON_LINES:
        return orjson.dumps(_shortened(orjson.loads(text.split(b"\n", 1)[0]))).decode()
    if not response.is_json:
        return "\n".join(text.decode().splitlines()[:_TEXT_LINES])
    return _shortened(orjson.loads(text))


def _shortened(value: Any) -> Any:
    if isinstance(value, dict) and "output" in (log := (value.get("seats") or [{}])[0]):
        del log["decisions"][_RECORD_ACTIONS:]
        log["output"] = "\n".join(log["output"].split("\n")[:_RECORD_ACTIONS])
    canonical = value.get("canonical") if isinstance(value, dict) else None
    if canonical is not None:
        del canonical["actions"][_RECORD_ACTIONS:]
        del value["info"].get("action_ms", [])[_RECORD_ACTIONS:]
    if isinstance(value, dict):
        for name in ("entries", "leaderboards"):
            del value.get(name, [])[_ROWS:]
    return value


def capture(app: Flask) -> Mapping[str, object]:
    """Return the examples of all operations. ``app`` must have an empty database and use ``ADMIN_TOKEN``."""
    recorder = ExampleRecorder(app)
    anonymous, admin = recorder.client(), recorder.client(ADMIN_TOKEN)
    for path in ("/healthz", "/readyz", "/metrics"):
        anonymous("GET", path)
    ana = recorder.client(anonymous("POST", "/v1/owners", {"name": "ana"})["token"])
    anonymous("POST", "/v1/owners", {"name": "ana"})
    _recoveries(ana, anonymous)
    anonymous("GET", "/v1/owners/ana")
    anonymous("GET", "/v1/owners/nobody")
    ana("GET", "/v1/owners/me")
    ana("POST", "/v1/owners/me/sign-in-links")
    _invitations(ana, admin, anonymous)
    anonymous("GET", "/v1/owners/me")
    zap = {"name": "zap-bot", "version": "1.0", "description": "Calls truco at once."}
    bots = [
        recorder.client(ana("POST", "/v1/bots", body)["token"])
        for body in (zap, {"name": "pica-bot"}, {"name": "espada-bot"}, {"name": "copas-bot"})
    ]
    anonymous("GET", "/v1/bots?limit=2")
    anonymous("GET", "/v1/bots/zap-bot")
    ana("PATCH", "/v1/bots/zap-bot", {"description": "Calls truco early."})
    ana("POST", "/v1/bots/zap-bot/versions", {"label": "1.1"})
    _bot_owners(ana, recorder.client(anonymous("POST", "/v1/owners", {"name": "dora"})["token"]))
    _webhooks(app, ana)
    _uploads(app, ana, admin)
    _games(recorder, app, ana, bots)
    _tournaments(recorder, app, ana, admin)
    _leaderboards(recorder, app, admin)
    _schedules(recorder, admin)
    ana("POST", "/v1/bots/pica-bot/token")
    ana("DELETE", "/v1/bots/pica-bot/token")
    ana("DELETE", "/v1/bots/pica-bot")
    admin("PUT", "/v1/admin/owners/ana/admin", {"admin": False})
    admin("POST", "/v1/admin/owners/ana/token")
    text = {"of": "bot", "id": "zap-bot", "text": "description"}
    admin("POST", "/v1/admin/hidden-texts", {**text, "reason": "It insults another bot."})
    admin("GET", "/v1/admin/hidden-texts")
    for _ in range(2):
        admin("DELETE", "/v1/admin/hidden-texts?" + urlencode(text))
    admin("GET", "/v1/admin/audit")
    carl = recorder.client(anonymous("POST", "/v1/owners", {"name": "carl"})["token"])
    carl("POST", "/v1/bots", {"name": "carls-bot"})
    exports = app.extensions["botequim"].exports
    exports.request("carl")
    exports.write("carl")
    carl("GET", "/v1/owners/me/export")
    admin("POST", "/v1/admin/owners/carl/games/cancel", {"reason": "They kept the workers busy."})
    admin("PUT", "/v1/admin/owners/carl/suspension", {"reason": "Bots of several owners play together."})
    admin("GET", "/v1/admin/suspensions")
    for _ in range(2):
        admin("DELETE", "/v1/admin/owners/carl/suspension")
    carl("DELETE", "/v1/owners/me?confirm=karl")
    carl("DELETE", "/v1/owners/me?confirm=carl")
    other = recorder.client(anonymous("POST", "/v1/owners", {"name": "bia"})["token"])
    renewed = recorder.client(other("POST", "/v1/owners/me/token")["token"])
    renewed("DELETE", "/v1/owners/me/token")
    return dict(sorted(recorder.examples.items()))


def _bot_owners(ana: RecordingClient, dora: RecordingClient) -> None:
    path = "/v1/bots/zap-bot/owners"
    dora("PUT", f"{path}/dora")
    ana("PUT", f"{path}/dora")
    dora("PUT", f"{path}/dora")
    dora("GET", path)
    for _ in range(2):
        ana("DELETE", f"{path}/dora")


def _invitations(ana: RecordingClient, admin: RecordingClient, anonymous: RecordingClient) -> None:
    people = [{"name": "Zé Pereira", "handle": "zeca"}, {"name": "Maria Lima"}]
    ana("POST", "/v1/invitations", {"people": people, "roster": "Class 7b"})
    admin("PUT", "/v1/admin/owners/ana/invitations", {"most": 200})
    made = ana("POST", "/v1/invitations", {"people": people, "roster": "Class 7b"})["invitations"]
    anonymous("POST", "/v1/owners", {"name": "zeca", "invitation": made[0]["code"]})
    anonymous("POST", "/v1/owners", {"name": "maria", "invitation": made[0]["code"]})
    ana("DELETE", f"/v1/invitations/{made[1]['id']}")
    ana("DELETE", "/v1/invitations/nothing")
    ana("GET", "/v1/invitations?roster=Class%207b")


def _webhooks(app: Flask, ana: RecordingClient) -> None:
    """Capture the webhook examples, with a local receiver in place of the URL shown in them."""
    webhooks = app.extensions["botequim"].webhooks
    connect, loopback = webhooks.connect, Policy(True, (ip_network("127.0.0.0/8"),))
    with ThreadingHTTPServer(("127.0.0.1", 0), _Ponger) as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{receiver.server_port}/"
        webhooks.connect = lambda *_: Endpoint(here, loopback)
        body = {"name": "sota-bot", "transport": "webhook", "url": "https://bots.example/sota"}
        ana("POST", "/v1/bots", body)
        ana("GET", "/v1/bots/sota-bot")
        ana("POST", "/v1/bots/sota-bot/versions", {"label": "2", "transport": "webhook", "url": body["url"]})
        ana("POST", "/v1/bots/sota-bot/webhook/secret", {})
        _subscriptions(ana)
        receiver.shutdown()
    webhooks.connect = connect
    ana("POST", "/v1/bots", {**body, "name": "rei-bot", "url": "https://127.0.0.1/rei"})
    ana("DELETE", "/v1/bots/sota-bot")


def _subscriptions(ana: RecordingClient) -> None:
    cup = {"name": "Followed cup", "kind": "truco", "format": "swiss", "locks_ms": _now_ms() + 86_400_000}
    path = f"/v1/tournaments/{ana('POST', '/v1/tournaments', cup)['id']}"
    made = ana("POST", f"{path}/subscriptions", {"url": "https://example.org/hook"})
    ana("GET", f"{path}/subscriptions")
    ana("POST", f"{path}/subscriptions/{made['id']}/ping")
    ana("POST", f"{path}/subscriptions/other/ping")
    ana("DELETE", f"{path}/subscriptions/{made['id']}")
    ana("DELETE", f"{path}/subscriptions/other")
    ana("POST", f"{path}/cancel", {"reason": "Rain."})


def _uploads(app: Flask, ana: RecordingClient, admin: RecordingClient) -> None:
    """Capture the upload examples, with a bot that prints and that qualifies as it would with workers."""
    source = "def choose(turn):\n    print(turn['turn'])\n    return turn['legal_actions'][0]\n"
    body = {"name": "valete-bot", "transport": "uploaded", "source": source}
    ana("POST", "/v1/bots", {**body, "source": ""})
    with checking(app):
        upload = ana("POST", "/v1/bots", body)["upload"]["id"]
        ana("POST", "/v1/bots/valete-bot/versions", {**_version("2"), "source": source + "# Second.\n"})
        ana("POST", "/v1/bots/valete-bot/versions", {**_version("3"), "source": "def choose(turn:\n"})
    ana("GET", f"/v1/bots/valete-bot/uploads/{upload}")
    ana("GET", "/v1/bots/valete-bot/uploads/other")
    ana("GET", "/v1/bots/valete-bot/uploads")
    ana("GET", "/v1/bots/valete-bot/versions/1/source")
    ana("GET", "/v1/bots/valete-bot/versions/3/source")
    ana("PATCH", "/v1/bots/valete-bot/versions/1", {"published": True})
    path = "/v1/bots/valete-bot/versions/1/qualifications"
    event = ana("POST", path, {"kind": "toepen"})["tournament"]
    worker = app.extensions["botequim"].tournaments
    while worker.step(event).state not in OVER:
        worker.play_local_groups(event)
    ana("GET", path)
    game = worker.groups(event).items[0]["games"][0]
    ana("GET", f"/v1/bots/valete-bot/games/{game}/log")
    ana("GET", "/v1/bots/valete-bot/games/other/log")
    why = "2 workers hung or crashed during calls of this bot"
    suspension = Suspension(why, _now_ms(), event, worker.groups(event).items[0]["id"])
    app.extensions["botequim"].suspensions.suspend("valete-bot", suspension)
    ana("POST", path, {"kind": "truco"})
    admin("GET", "/v1/admin/suspensions")
    for _ in range(2):
        admin("DELETE", "/v1/admin/suspensions/valete-bot")
    _comparisons(app, ana)
    duel = {"name": "Duel", "kind": "toepen", "preset": "duel@1", "format": "round_robin", "groups": 1}
    more = {"division": "sealed", "house": ["rookie"], "locks_ms": _now_ms() + _ENTRY_MS}
    event = admin("POST", "/v1/tournaments", {**duel, **more})["id"]
    ana("POST", f"/v1/tournaments/{event}/entries", {"bot": "valete-bot", "version": "1"})
    time.sleep(_ENTRY_MS / 1000)
    while worker.step(event).state not in OVER:
        worker.play_local_groups(event)
    ana("DELETE", "/v1/bots/valete-bot")


def _version(label: str) -> dict[str, str]:
    return {"label": label, "transport": "uploaded"}


@contextmanager
def checking(app: Flask) -> Iterator[None]:
    """Check uploads as the workers do, while requests are waiting for the checks."""
    sandbox_engine()
    uploads, done = app.extensions["botequim"].uploads, threading.Event()

    def check() -> None:
        while not done.wait(0.05):
            for upload in uploads.due():
                uploads.check(*upload)

    thread = threading.Thread(target=check)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class _Ponger(BaseHTTPRequestHandler):
    """A receiver that answers pings."""

    def do_POST(self) -> None:
        """Answer a ping."""
        ping = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = orjson.dumps({"challenge": ping["data"]["challenge"]})
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def _games(recorder: ExampleRecorder, app: Flask, ana: RecordingClient, bots: list[RecordingClient]) -> None:
    seats = [{"bot": "zap-bot"}, {"bot": "pica-bot"}, {"open": True}]
    body = {
        "kind": "toepen",
        "seats": seats,
        "rules": {"lives": 3},
        "clock": {"per_turn_ms": 20_000, "bank_ms": 60_000},
    }
    game = ana("POST", "/v1/games", body)["game"]
    ana("POST", "/v1/games", {**body, "rules": {"lives": 99}})
    cancelled = ana("POST", "/v1/games", body)["game"]
    ana("POST", f"/v1/games/{cancelled}/cancel")
    bots[2]("POST", f"/v1/games/{game}/join", {"nonce": "sete-belo"})
    ana("GET", f"/v1/games/{game}/record")
    for _ in _played(bots[:3]):
        ana("GET", f"/v1/games/{game}")
        bots[2]("GET", f"/v1/games/{game}/events")
    bots[2]("GET", f"/v1/games/{game}/events/stream")
    ana("GET", "/v1/games?limit=1")
    for bot in bots[:3]:
        bot("GET", "/v1/turns")
        bot("GET", "/v1/turns/stream")
        bot.text("GET", "/v1/turns")
        bot.text("POST", "/v1/turns", {"answers": []})
        bot("DELETE", "/v1/presence")
        bot("POST", f"/v1/games/{game}/resign", {})
    app.extensions["botequim"].live.finish(game)
    ana("GET", f"/v1/games/{game}/record")
    ana("GET", f"/v1/bots/zap-bot/games/{game}/notes")
    ana("PATCH", f"/v1/bots/zap-bot/games/{game}/notes", {"published": True})
    ana("GET", "/v1/records")
    ana("GET", "/v1/records/all")


def _tournaments(recorder: ExampleRecorder, app: Flask, ana: RecordingClient, admin: RecordingClient) -> None:
    anonymous, arena = recorder.client(), app.extensions["botequim"].tournaments
    cup = {
        "name": "Friday cup",
        "kind": "toepen",
        "preset": "duel@1",
        "format": "round_robin",
        "groups": 2,
        "house": ["rookie", "random"],
    }
    ana("POST", "/v1/tournaments", {**cup, "format": "open"})
    ana("POST", "/v1/tournament-dry-runs", {**cup, "format": "open"})
    ana("POST", "/v1/tournament-dry-runs?entrants=60", cup)
    called_off = ana("POST", "/v1/tournaments", cup)["id"]
    ana("POST", f"/v1/tournaments/{called_off}/entries", {"bot": "zap-bot", "nonce": "sete-belo"})
    edited = f"/v1/tournaments/{called_off}"
    ana("PATCH", edited, {"description": "Bring your own cards.", "link": "https://example.org/friday-cup"})
    ana("PATCH", edited, {"rounds": 2})
    ana("DELETE", f"/v1/tournaments/{called_off}/entries/zap-bot")
    _guests(recorder, ana, cup)
    ana("POST", f"/v1/tournaments/{called_off}/cancel", {"reason": "Rain."})
    ana("POST", f"/v1/tournaments/{called_off}/entries", {"bot": "zap-bot"})
    made = admin("POST", "/v1/tournaments", {**cup, "locks_ms": _now_ms() + _ENTRY_MS})["id"]
    time.sleep(_ENTRY_MS / 1000)
    while arena.step(made).state not in OVER:
        arena.play_local_groups(made)
    anonymous("GET", f"/v1/tournaments/{made}")
    anonymous("GET", f"/v1/tournaments/{made}/events")
    anonymous("GET", "/v1/tournaments?limit=1&state=finished")
    anonymous("GET", f"/v1/tournaments/{made}/results.csv")
    admin("POST", f"/v1/tournaments/{made}/clone", {"locks_ms": _now_ms() + 86_400_000, "name": "Next cup"})
    ana("POST", f"/v1/tournaments/{made}/clone", {"locks_ms": _now_ms() + 86_400_000})
    for form in ("json", "csv", "text"):
        anonymous("GET", f"/v1/tournaments/{made}/standings?format={form}")
    anonymous("GET", f"/v1/tournaments/{made}/groups?limit=1")
    anonymous("GET", f"/v1/tournaments/{made}/records?group=r1-p1-g1")
    anonymous("GET", "/v1/tournaments/nothing")
    _series(ana, anonymous, made)
    admin("GET", "/v1/admin/suspicions?kind=toepen&division=sealed")
    admin("POST", f"/v1/admin/games/{made}-r1-p1-g2-1/annul", {"reason": "The hall was on fire."})
    admin("POST", "/v1/admin/annulments", {"owners": ["ana", "bia"], "reason": "Arranged results."})
    anonymous("GET", "/v1/records/changes")


def _guests(recorder: ExampleRecorder, ana: RecordingClient, cup: Mapping[str, object]) -> None:
    anonymous = recorder.client()
    teo = recorder.client(anonymous("POST", "/v1/owners", {"name": "teo"})["token"])
    invited = {**cup, "name": "Class cup", "who": "invited", "invited_owners": ["ana"], "hidden": True}
    path = f"/v1/tournaments/{ana('POST', '/v1/tournaments', invited)['id']}"
    link = ana("POST", f"{path}/invitations/links", {})
    teo("POST", f"{path}/invitations/accept", {"code": link["code"]})
    ana("PUT", f"{path}/organisers/teo")
    teo("PUT", f"{path}/organisers/teo")
    teo("PATCH", "/v1/owners/me", {"invitable": True})
    ana("POST", f"{path}/invitations", {"owners": ["teo"]})
    ana("GET", f"{path}/invitations")
    ana("DELETE", f"{path}/invitations/owners/ana")
    ana("DELETE", f"{path}/invitations/links/{link['id']}")
    teo("POST", f"{path}/invitations/accept", {"code": link["code"]})
    teo("DELETE", f"{path}/organisers/ana")
    ana("DELETE", f"{path}/organisers/teo")


def _comparisons(app: Flask, ana: RecordingClient) -> None:
    service = app.extensions["botequim"]
    body = {"bot": "valete-bot", "kind": "truco", "preset": "mineiro-2@1", "most": 60}
    made = ana("POST", "/v1/comparisons", {**body, "new": "2", "old": "1"})["id"]
    while service.tournaments.step(made).state not in OVER:
        service.tournaments.play_local_groups(made)
    ana("GET", "/v1/comparisons")
    ana("GET", "/v1/comparisons?cursor=other")
    ana("GET", f"/v1/comparisons/{made}")
    ana("GET", "/v1/comparisons/nothing")
    ana("POST", "/v1/comparisons", {**body, "new": "2", "old": "2"})


def _series(ana: RecordingClient, anonymous: RecordingClient, made: str) -> None:
    season = {"name": "Autumn", "tournaments": [made], "points": [3, 2, 1], "best": 2}
    ana("POST", "/v1/series", {**season, "points": [1, 2]})
    series = ana("POST", "/v1/series", season)["id"]
    anonymous("GET", "/v1/series")
    anonymous("GET", f"/v1/series/{series}")
    anonymous("GET", "/v1/series/nothing")
    for form in ("json", "csv", "text"):
        anonymous("GET", f"/v1/series/{series}/table?format={form}")
    for _ in range(2):
        ana("PATCH", f"/v1/series/{series}", {"done": True})
    ana("DELETE", f"/v1/series/{series}")


def _leaderboards(recorder: ExampleRecorder, app: Flask, admin: RecordingClient) -> None:
    anonymous, service = recorder.client(), app.extensions["botequim"]
    service.boards.publish("toepen", "sealed")
    anonymous("GET", "/v1/leaderboards")
    for form in ("json", "csv", "text"):
        anonymous("GET", f"/v1/leaderboards/toepen/sealed?format={form}")
    anonymous("GET", "/v1/leaderboards/toepen/sealed/supplement")
    anonymous("GET", "/v1/leaderboards/toepen/sealed/history")
    anonymous("GET", "/v1/leaderboards/toepen/nothing")
    anonymous("GET", "/v1/leaderboards/toepen/sealed?preset=duel@9")
    duel = {"name": "Duel", "kind": "truco", "format": "round_robin", "groups": SETTLED_GROUPS}
    body = {**duel, "house": ["rookie", "random"], "locks_ms": _now_ms() + _ENTRY_MS}
    made = admin("POST", "/v1/tournaments", body)["id"]
    time.sleep(_ENTRY_MS / 1000)
    while service.tournaments.step(made).state not in OVER:
        service.tournaments.play_local_groups(made)
    anonymous("GET", "/v1/bots/rookie/games?kind=truco&against=random&limit=2")
    anonymous("GET", "/v1/bots/nobody/games")
    service.boards.publish("truco", "sealed")
    service.matchups.compute("truco", "sealed")
    for form in ("json", "csv", "text"):
        anonymous("GET", f"/v1/leaderboards/truco/sealed/matchups?format={form}")
    anonymous("GET", "/v1/leaderboards/toepen/sealed/matchups")
    service.styles.update("truco")
    for where in ("truco/sealed", "chess/sealed", "truco/shut"):
        anonymous("GET", f"/v1/leaderboards/{where}/styles")


def _schedules(recorder: ExampleRecorder, admin: RecordingClient) -> None:
    anonymous = recorder.client()
    cup = {"name": "Hourly cup", "kind": "truco", "format": "swiss", "auto_enter": True, "entry_s": 300}
    body = {"id": "hourly-cup", "cron": "0 * * * *", "tournament": cup}
    admin("POST", "/v1/schedules", body)
    admin("POST", "/v1/schedules", {**body, "id": "never", "cron": "0 0 31 2 *"})
    anonymous("GET", "/v1/schedules")
    anonymous("GET", "/v1/schedules/hourly-cup")
    admin("PATCH", "/v1/schedules/hourly-cup", {"enabled": False})
    admin("PATCH", "/v1/schedules/hourly-cup", {"cron": "never"})
    admin("DELETE", "/v1/schedules/hourly-cup")


def _played(bots: list[RecordingClient]) -> Iterator[None]:
    """Play a few rounds, choosing the least aggressive legal action in every turn."""
    for _ in range(4):
        for bot in bots:
            turns = bot("GET", "/v1/turns")["turns"]
            answers = [
                {"turn": turn["turn"], "action": _calmest(turn["legal_actions"]), "note": "The calmest move."}
                for turn in turns
                if not turn["optional"]
            ]
            if answers:
                bot("POST", "/v1/turns", {"answers": answers})
                yield


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _calmest(legal: list[str]) -> str:
    return next((action for action in legal if action in ("keep", "trust")), legal[0])


def _recoveries(ana: RecordingClient, anonymous: RecordingClient) -> None:
    ana("POST", "/v1/owners/me/recovery-code")
    ana("DELETE", "/v1/owners/me/identity")
    rui = anonymous("POST", "/v1/owners", {"name": "rui"})
    for _ in range(2):
        anonymous("POST", "/v1/recoveries", {"recovery_code": rui["recovery_code"]})


def main() -> None:
    """Write ``api/examples.json``."""
    with tempfile.TemporaryDirectory() as folder, EmbeddedStore(folder) as store:
        http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS), ping_seconds=0.1, upload_wait=600)
        app = create_app(Settings(store.url, admin_token=ADMIN_TOKEN, http=http), InlineJobs())
        app.extensions["botequim"].store.identity.register()
        examples = capture(app)
    EXAMPLES_FILE.write_bytes(orjson.dumps(examples, option=orjson.OPT_INDENT_2) + b"\n")


if __name__ == "__main__":
    main()
