"""``python -m benchmarks.loop``: how long one client's requests keep an API process from answering others.

An API process is sent what costs a server time: large, deep and wide bodies, long and many headers, queries,
cursors, and requests that arrive slowly or all at once. Meanwhile ``/healthz`` is asked again and again.
Printed per kind: the processor time of the process, and the most of it that went by during one ``/healthz``,
which must stay below 250 ms.

Then every page and download of a large service (:mod:`benchmarks.pages`) is requested. None may keep
``/healthz`` waiting for more than 100 ms of processor time, and the median may cost at most 15 ms.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import click

from arena.client import Client
from arena.ops.service import Service
from arena.store.embedded import EmbeddedStore
from benchmarks.growth.fill import Place
from benchmarks.pages import LargeService, fill, prepare, requests, signed_in

MOST_MS: Final = 250.0
MOST_PAGE_MS: Final = 100.0
MEDIAN_MS: Final = 15.0
TIMES: Final = 5
ADMIN: Final = "the-admin-token-of-the-benchmark-0123456789"
_QUIET: Final = 0.3
_LONGEST: Final = 30.0


class Measured(NamedTuple):
    """One kind: the statuses of the answers, and milliseconds of processor time in all and during one
    ``/healthz``.
    """

    name: str
    statuses: str
    total_ms: float
    waited_ms: float


class Answer(NamedTuple):
    """The status and the size of an answer."""

    status: str
    size: int


class Victim:
    """The API process at ``port``, whose processor time is that of process ``pid``."""

    def __init__(self, port: int, pid: int, owner: str, bot: str) -> None:
        self.port, self.pid, self.owner, self.bot = port, pid, owner, bot

    def used_ms(self) -> float:
        """The processor time so far."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6

    def connect(self) -> socket.socket:
        """A connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=_LONGEST)

    def measure(self, name: str, attack: Callable[[Victim], str]) -> Measured:
        """Measure one kind."""
        before = self.used_ms()
        longest = [0.0]
        over = threading.Event()
        watch = threading.Thread(target=self._watch, args=(over, longest))
        watch.start()
        try:
            statuses = attack(self)
        except OSError as error:
            statuses = f"closed ({type(error).__name__})"
        time.sleep(_QUIET)
        over.set()
        watch.join()
        return Measured(name, statuses, self.used_ms() - before, longest[0])

    def _watch(self, over: threading.Event, longest: list[float]) -> None:
        with self.connect() as connection:
            while not over.is_set():
                before = self.used_ms()
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                if not connection.recv(65536):
                    return
                longest[0] = max(longest[0], self.used_ms() - before)
                time.sleep(0.002)

    def ask(self, request: bytes) -> Answer:
        """Send a request that closes its connection, and read the answer."""
        with self.connect() as connection:
            connection.sendall(request)
            head = connection.recv(1 << 16)
            size = len(head)
            while data := connection.recv(1 << 18):
                size += len(data)
        return Answer(head[9:12].decode(errors="replace"), size)

    def send(self, *parts: bytes, pause: float = 0.0) -> str:
        """Send ``parts`` on one connection, and return the statuses of the answers."""
        with self.connect() as connection:

            def push() -> None:
                with suppress(OSError):
                    for part in parts:
                        connection.sendall(part)
                        time.sleep(pause)
                    connection.shutdown(socket.SHUT_WR)

            pusher = threading.Thread(target=push)
            pusher.start()
            received = b""
            # It may be reset while there is still something to send.
            with suppress(OSError):
                while data := connection.recv(1 << 16):
                    received += data
            pusher.join()
        found: dict[str, int] = {}
        for line in received.split(b"HTTP/1.1 ")[1:]:
            status = line[:3].decode(errors="replace")
            found[status] = found.get(status, 0) + 1
        return " ".join(f"{count}x{status}" for status, count in found.items()) or "none"

    def request(
        self, method: str, path: str, body: bytes | None = None, *headers: str, token: str = ""
    ) -> bytes:
        """A request's bytes."""
        lines = [f"{method} {path} HTTP/1.1", "Host: x", *headers]
        if token:
            lines.append(f"Authorization: Bearer {token}")
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode("latin1") + (body or b"")


def _bodies() -> Iterator[tuple[str, bytes]]:
    """Bodies of 64 KB to 1 MB of which JSON parsers and validators are afraid."""
    for size in (63_000, 480_000, 990_000):
        kb = f"{size // 1000} KB"
        yield f"{kb}: one number of digits", b'{"x":' + b"9" * (size - 10) + b"}"
        yield f"{kb}: one float of digits", b'{"x":0.' + b"9" * (size - 10) + b"}"
        yield f"{kb}: exponent", b'{"x":1e' + b"9" * (size - 10) + b"}"
        yield f"{kb}: one string", b'{"x":"' + b"a" * (size - 10) + b'"}'
        yield f"{kb}: string of escapes", b'{"x":"' + b"\\u0041" * (size // 6 - 4) + b'"}'
        yield f"{kb}: string of backslashes", b'{"x":"' + b"\\\\" * (size // 2 - 8) + b'"}'
        yield f"{kb}: string of surrogates", b'{"x":"' + b"\\ud800" * (size // 6 - 4) + b'"}'
        yield f"{kb}: combining characters", b'{"name":"' + "e\u0301".encode() * (size // 3 - 8) + b'"}'
        yield f"{kb}: quotes", b'"' * size
        yield f"{kb}: brackets", b"[" * size
        yield f"{kb}: commas", b"[" + b"," * (size - 2) + b"]"
        yield f"{kb}: white space", b" " * (size - 2) + b"{}"
        yield f"{kb}: zeros and NUL", b"\0" * size
        yield f"{kb}: numbers", b'{"x":[' + b"1," * (size // 2 - 8) + b"1]}"
        yield f"{kb}: values below the limit", _wide(990)
        yield f"{kb}: one name of a field", b'{"' + b"k" * (size - 10) + b'":1}'
    yield "500 long names of fields", _named(500, 100)


def _wide(values: int) -> bytes:
    return json.dumps({f"k{number}": number for number in range(values)}).encode()


def _named(fields: int, length: int) -> bytes:
    return json.dumps({f"{number:0{length}}": [number] for number in range(fields)}).encode()


OPERATIONS: Final = (
    ("POST", "/v1/owners", ""),
    ("POST", "/v1/bots", "owner"),
    ("POST", "/v1/bots/loop-bot/versions", "owner"),
    ("PATCH", "/v1/bots/loop-bot", "owner"),
    ("POST", "/v1/games", "owner"),
    ("POST", "/v1/tournaments", "owner"),
    ("POST", "/v1/turns", "bot"),
)


def kinds(victim: Victim) -> Iterator[tuple[str, Callable[[Victim], str]]]:
    """Every kind of attack."""
    tokens = {"": "", "owner": victim.owner, "bot": victim.bot}
    for method, path, who in OPERATIONS:

        def every(victim: Victim, method: str = method, path: str = path, who: str = who) -> str:
            worst = 0.0
            names: dict[str, int] = {}
            for _, body in _bodies():
                before = victim.used_ms()
                status = victim.send(
                    victim.request(method, path, body, "Connection: close", token=tokens[who])
                )
                names[status] = names.get(status, 0) + 1
                worst = max(worst, victim.used_ms() - before)
            return f"{names} worst body {worst:.0f} ms"

        yield f"{method} {path}, every body", every
    yield from _full_bodies(victim)
    yield from _requests(victim)


def _full_bodies(victim: Victim) -> Iterator[tuple[str, Callable[[Victim], str]]]:
    """Bodies that are valid for their operation, or nearly, and as large as it allows."""
    turn = "g" * 64 + ".0.1"
    answers = {
        "1000 answers to turns": [{"turn": f"g{n}.0.1", "action": "play:4C"} for n in range(1000)],
        "1000 answers to one game": [{"turn": f"game.0.{n}", "action": "play:4C"} for n in range(1000)],
        "1000 malformed answers": [[] for _ in range(1000)],
        "1000 answers with long turns": [{"turn": turn * 3, "action": "x" * 100} for _ in range(1000)],
        "1000 answers with huge numbers": [{"turn": "g.0." + "9" * 300, "action": "a"} for _ in range(1000)],
    }
    for name, values in answers.items():
        body = json.dumps({"answers": values}).encode()
        yield name, _sender("POST", "/v1/turns", body, victim.bot)
    names = [f"bot-{number}" for number in range(1000)]
    base = {"name": "Cup", "kind": "truco", "format": "round_robin", "locks_ms": 1, "groups": 1}
    tournaments: dict[str, dict[str, object]] = {
        "tournament with 1000 house bots": {"house": [f"rookie+{number}" for number in range(2, 1000)]},
        "tournament with 900 bots": {"bots": names[:900]},
        "tournament with 1000 tie-breaks": {"tie_breaks": ["buchholz"] * 1000},
        "tournament with a long name": {"name": "\u0301" * 60_000},
    }
    for name, fields in tournaments.items():
        yield name, _sender("POST", "/v1/tournaments", json.dumps({**base, **fields}).encode(), victim.owner)
    seats = [{"house": "shark"}] * 300
    yield (
        "game with 300 seats",
        _sender("POST", "/v1/games", json.dumps({"kind": "toepen", "seats": seats}).encode(), victim.owner),
    )
    cron = ("*/1 " * 20 + ",".join(map(str, range(30))))[:99]
    template = {"name": "Cup", "kind": "truco", "format": "round_robin", "house": ["rookie", "random"]}
    lines = {
        "cron of lists": cron,
        "cron that never fires": "0 0 30 2 *",
        "rare cron": "0 0 29 2 1",
    }
    for number, (name, line) in enumerate(lines.items()):
        body = json.dumps({"id": f"loop-{number}", "cron": line, "tournament": template}).encode()
        yield f"schedule, {name}", _sender("POST", "/v1/schedules", body, ADMIN)
    source = b"x = f'" + b"{a}" * 80_000 + b"'"
    yield (
        "source of 240 KB of f-strings",
        _sender(
            "POST", "/v1/bots/loop-bot/versions?label=f", source, victim.owner, "Content-Type: text/x-python"
        ),
    )
    module = b"\0asm\x01\0\0\0" + bytes(8_000_000)
    yield (
        "module of 8 MB",
        _sender(
            "POST",
            "/v1/bots/loop-bot/versions?label=w",
            module,
            victim.owner,
            "Content-Type: application/wasm",
        ),
    )


def _sender(method: str, path: str, body: bytes, token: str, *headers: str) -> Callable[[Victim], str]:
    def send(victim: Victim) -> str:
        head = victim.request(
            method, path, None if headers else body, "Connection: close", *headers, token=token
        )
        if headers:
            end = head.index(b"\r\n\r\n")
            head = head[:end] + b"\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        return victim.send(head)

    return send


def _requests(victim: Victim) -> Iterator[tuple[str, Callable[[Victim], str]]]:
    """Heads, queries and ways to send."""
    close = "Connection: close"

    def get(path: str, *headers: str) -> Callable[[Victim], str]:
        return lambda victim: victim.send(victim.request("GET", path, None, close, *headers))

    big = ",".join(f'"{number}"' for number in range(700))
    yield "ETag list", get("/v1/leaderboards/truco/sealed", f"If-None-Match: {big[:4000]}")
    yield "ETag of weak marks", get("/v1/leaderboards/truco/sealed", "If-None-Match: " + "W/" * 2000)
    yield "ETag of quotes", get("/v1/leaderboards/truco/sealed", "If-None-Match: " + '"' * 4000)
    yield "Range list", get("/static/pages.css", "Range: bytes=" + ",".join(f"{n}-" for n in range(900)))
    yield "Accept list", get("/nothing", "Accept: " + ",".join(f"a/b;q=0.{n}" for n in range(330)))
    yield "Accept of semicolons", get("/nothing", "Accept: text/html" + ";" * 3900)
    yield "Accept of quotes", get("/nothing", 'Accept: text/html;a="' + "\\" * 3900)
    yield "Accept of white space", get("/nothing", "Accept: text/html;" + " " * 3900 + "x")
    yield "cookies", get("/", "Cookie: " + ";".join(f"a{n}=b" for n in range(700))[:4000])
    yield "Host", get("/", "Host: " + "a." * 1900)
    yield "Host of digits", get("/", "Host: " + "1" * 3900)
    yield "token of 4 KB", get("/v1/owners/me", "Authorization: Bearer btq_o_" + "a" * 3900)
    yield "token of underscores", get("/v1/owners/me", "Authorization: Bearer btq_o_" + "_" * 3900)
    yield "many headers", get("/", *(f"X-{n}: {'a' * 4000}" for n in range(45)))
    yield "more headers", get("/", *(f"X-{n}: a" for n in range(5000)))
    yield "header of 1 MB", get("/", "X-A: " + "a" * 1_000_000)
    yield "header without end", lambda victim: victim.send(b"GET / HTTP/1.1\r\nX: " + b"a" * 30_000_000)
    yield "request line of 4 KB", get("/v1/games?" + "a" * 4000)
    yield "request line of 1 MB", get("/" + "a" * 1_000_000)
    yield "path of slashes", get("/" * 4000)
    yield "path of escapes", get("/v1/bots/" + "%2e" * 1300)
    yield "path of dots", get("/v1/" + "../" * 1300)
    yield "query of parameters", get("/v1/games?" + "&".join(f"a{n}=1" for n in range(900)))
    yield "query of ampersands", get("/v1/games?" + "&" * 4000)
    yield "query of escapes", get("/v1/games?cursor=" + "%F0" * 1300)
    yield "query, long number", get("/v1/games?limit=" + "9" * 4000)
    yield "query, long float", get("/v1/turns?wait=" + "9" * 4000)
    yield "query, digits of Unicode", get("/v1/games?limit=" + "%D9%A1" * 600)
    yield "cursor of digits", get("/v1/games?cursor=" + "1" * 199)
    yield "cursor of a board", get("/v1/leaderboards/truco/sealed?cursor=" + "9" * 199)
    yield "cursor of a history", get("/v1/leaderboards/truco/sealed/history?cursor=99999999-" + "9" * 180)
    yield "name of a bot for regular expressions", get("/v1/bots/" + "a-" * 1900)
    yield "id of a game for regular expressions", get("/v1/games/" + "g-1-x1-" * 500 + "!")
    yield "Last-Event-ID", get("/v1/games/nothing/events", "Last-Event-ID: " + "9" * 3900)
    yield "X-Request-Id", get("/", "X-Request-Id: " + "a" * 3900)
    small = victim.request("POST", "/v1/owners", None, "Content-Type: application/json")
    chunked = small[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"
    yield (
        "60,000 chunks of a byte",
        lambda victim: victim.send(chunked + b"1\r\n \r\n" * 60_000 + b"0\r\n\r\n"),
    )
    yield (
        "chunk extensions",
        lambda victim: victim.send(chunked + (b"1;" + b"a" * 4000 + b"\r\n \r\n") * 2000),
    )
    yield "chunk size of digits", lambda victim: victim.send(chunked + b"0" * 3_000_000 + b"1\r\n \r\n")
    yield "trailers", lambda victim: victim.send(chunked + b"0\r\n" + b"X: a\r\n" * 200_000 + b"\r\n")
    multipart = chunked.replace(b"application/json", b"multipart/form-data; boundary=a")
    yield "multipart", lambda victim: victim.send(multipart + b"5\r\n--a\r\n\r\n" * 10_000)
    pipelined = victim.request("GET", "/healthz")
    yield "20,000 requests at once", lambda victim: victim.send(pipelined * 20_000)
    games = victim.request("GET", "/v1/games")
    yield "2,000 lists at once", lambda victim: victim.send(games * 2000)
    yield (
        "bytes one by one",
        lambda victim: victim.send(
            *(bytes([byte]) for byte in victim.request("GET", "/v1/games", None, close)), pause=0.001
        ),
    )
    yield "noise", lambda victim: victim.send(os.urandom(2_000_000))
    yield "300 connections at once", _many


def _many(victim: Victim) -> str:
    connections = [victim.connect() for _ in range(300)]
    for connection in connections:
        connection.sendall(victim.request("GET", "/v1/games"))
    answered = sum(bool(connection.recv(100)) for connection in connections)
    for connection in connections:
        connection.close()
    return f"{answered} answered"


@click.command()
@click.option("--only", default="", help="Only the kinds and pages whose name contains this.")
@click.option("--part", type=click.Choice(["attacks", "pages", "all"]), default="all", help="What to send.")
@click.option("--groups", default=48_000, help="How many groups have been played.")
@click.option("--bots", default=10_000, help="How many bots there are.")
@click.option("--tournaments", default=1_000, help="How many announced tournaments there are.")
@click.option("--actions", default=10_000, help="The actions of the longest game.")
def main(only: str, part: str, groups: int, bots: int, tournaments: int, actions: int) -> None:
    """Measure every kind of attack, then every page and download of a large service. Exits with 1 if any
    keeps others waiting for too long, or if the median page costs too much.
    """
    slow = False
    with tempfile.TemporaryDirectory() as folder, EmbeddedStore(Path(folder) / "data", maxmemory=0) as store:
        place = Place(store.url, str(Path(folder) / "archive"))
        if part != "pages":
            with _api(place, Path(folder)) as (port, pid):
                slow = bool(_attack(port, pid, only))
        if part != "attacks":
            service = place.open()
            world = fill(place, service, groups, bots, tournaments, actions)
            with _api(place, Path(folder)) as (port, pid):
                slow = _visit(port, pid, service, world, only) or slow
            service.close()
    sys.exit(1 if slow else 0)


@contextmanager
def _api(place: Place, folder: Path) -> Iterator[tuple[int, int]]:
    """Run the API, and yield its port and the id of its process."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        port = listener.getsockname()[1]
        settings = {
            "REDIS_URL": place.url,
            "BOTEQUIM_ARCHIVE": place.archive,
            "BOTEQUIM_LIMITS": "off",
            "BOTEQUIM_ADMIN_TOKEN": ADMIN,
            "BOTEQUIM_LOG_LEVEL": "WARNING",
        }
        bind = ["--bind", f"fd://{listener.fileno()}"]
        command = [sys.executable, "-m", "gunicorn", "-c", "python:api.http.gunicorn_conf", *bind]
        with (folder / "api.log").open("wb") as log:
            server = subprocess.Popen(
                command,
                env={**os.environ, **settings},
                pass_fds=[listener.fileno()],
                stdout=log,
                stderr=log,
            )
        try:
            Client(f"http://127.0.0.1:{port}", patience=600).request("GET", "/healthz")
            (child,) = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
            yield port, int(child)
        finally:
            server.terminate()
            server.wait()


def _attack(port: int, pid: int, only: str) -> list[Measured]:
    client = Client(f"http://127.0.0.1:{port}", patience=120)
    owner = client.sign_up("attacker")
    bot = Client(client.url, owner).register_bot("loop-bot")
    victim = Victim(port, pid, owner, bot)
    slow = []
    click.echo(f"{'total':>9} {'waited':>9}  kind: answers (milliseconds of processor time)")
    for name, attack in kinds(victim):
        if only in name:
            found = victim.measure(name, attack)
            click.echo(f"{found.total_ms:9.1f} {found.waited_ms:9.1f}  {name}: {found.statuses}")
            if found.waited_ms > MOST_MS:
                slow.append(found)
    click.echo(f"{len(slow)} kinds keep others waiting for more than {MOST_MS:.0f} ms")
    return slow


def _visit(port: int, pid: int, service: Service, world: LargeService, only: str) -> bool:
    """Measure the pages and downloads, and return whether any holds the loop or they cost too much."""
    victim = Victim(port, pid, world.token, "")
    headers = {
        "": (),
        "owner": (f"Authorization: Bearer {world.token}",),
        "signed in": (f"Cookie: {signed_in(port, world.token)}", "Accept: text/html"),
    }
    costs = []
    held = wrong = 0
    click.echo(f"{'cost':>9} {'waited':>9} {'bytes':>11}  page: answers (milliseconds of processor time)")
    for one in requests(world):
        name = f"GET {one.path}{one.who and f' ({one.who})'}"
        if only not in name:
            continue
        sent = victim.request("GET", one.path, None, "Connection: close", *headers[one.who])
        # The first answer requests what a worker prepares.
        victim.ask(sent)
        answers, costs_of_one = [], []
        for _ in range(TIMES):
            prepare(service, world)
            before = victim.used_ms()
            answers.append(victim.ask(sent))
            costs_of_one.append(victim.used_ms() - before)
        prepare(service, world)
        cost = median(costs_of_one)
        found = victim.measure(name, partial(_status, sent))
        statuses = sorted({answer.status for answer in answers})
        click.echo(f"{cost:9.1f} {found.waited_ms:9.1f} {answers[0].size:11,}  {name}: {' '.join(statuses)}")
        costs.append(cost)
        held += found.waited_ms > MOST_PAGE_MS
        # Random games have no matchups if all bots are equally strong.
        wrong += statuses not in ([["200"], ["404"]] if "/matchups" in one.path else [["200"]])
    middle = median(costs)
    click.echo(f"{held} pages keep others waiting for more than {MOST_PAGE_MS:.0f} ms, {wrong} fail")
    click.echo(f"the median page costs {middle:.1f} ms; at most {MEDIAN_MS:.0f} are allowed")
    return bool(held or wrong or middle > MEDIAN_MS)


def _status(sent: bytes, victim: Victim) -> str:
    return victim.ask(sent).status


if __name__ == "__main__":
    main()
