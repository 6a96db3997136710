"""The services of docker-compose.yml, run by their own commands from the installed package: only addresses
differ.
"""

from __future__ import annotations

import http.client
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from arena.client import Client
from arena.records.verify import verify
from arena.store.embedded import find_server
from benchmarks.proxy import caddy, caddyfile
from tests.deploy.files import PASSWORD, health_command, services
from tests.ports import free_port
from tests.service import ROOT, Process, environment
from tests.waiting import PATIENCE
from tests.waiting import wait_until as until

pytestmark = pytest.mark.nightly("packages")

ADMIN = "the-admin-token-of-the-tests-0123456789"

needs_caddy = pytest.mark.skipif(caddy() is None, reason="needs caddy")


class Deployment:
    """One process per copy of each of our services, and the database."""

    def __init__(self, installed: Path, folder: Path) -> None:
        self.services = services({"BOTEQUIM_ADMIN_TOKEN": ADMIN})
        self.folder = folder
        self.redis_port = free_port()
        self.api_ports = [free_port() for _ in range(self.services["api"]["deploy"]["replicas"])]
        path = [str(installed / "bin"), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
        self.code = {"PYTHONPATH": str(installed), "PATH": os.pathsep.join(path)}

    def settings(self, service: str) -> dict[str, str]:
        given = self.services[service]["environment"]
        here = f"127.0.0.1:{self.redis_port}"
        archive = {"BOTEQUIM_ARCHIVE": str(self.folder / "archive")} if "BOTEQUIM_ARCHIVE" in given else {}
        return {**self.code, **given, **archive, "REDIS_URL": given["REDIS_URL"].replace("redis:6379", here)}

    def database(self) -> Process:
        program, *options = shlex.split(self.services["redis"]["command"])
        assert program == "valkey-server"
        where = ["--port", str(self.redis_port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        return Process([str(find_server()), *options, *where], self.folder)

    def api(self, port: int) -> Process:
        command = self.services["api"]["command"].replace("0.0.0.0:8000", f"127.0.0.1:{port}")
        return Process(self._found(shlex.split(command)), self.folder, **self.settings("api"))

    def copies(self, service: str) -> list[Process]:
        """One process per copy of a service that listens at no port."""
        command = self._found(shlex.split(self.services[service]["command"]))
        number = self.services[service]["deploy"]["replicas"]
        return [Process(command, self.folder, **self.settings(service)) for _ in range(number)]

    def is_ready(self, port: int) -> bool:
        """What the health check of the image says."""
        command = [part.replace("127.0.0.1:8000", f"127.0.0.1:{port}") for part in health_command()]
        return self._check(command, "api")

    def is_working(self) -> bool:
        """What the health check of the worker says."""
        kind, *command = self.services["worker"]["healthcheck"]["test"]
        assert kind == "CMD"
        return self._check(command, "worker")

    def _found(self, command: list[str]) -> list[str]:
        """As a shell with the image's PATH would find the program."""
        program = shutil.which(command[0], path=self.code["PATH"])
        assert program is not None, command[0]
        return [program, *command[1:]]

    def _check(self, command: list[str], service: str) -> bool:
        settings = environment(**self.settings(service))
        done = subprocess.run(
            self._found(command), cwd=self.folder, env=settings, capture_output=True, timeout=PATIENCE
        )
        assert done.returncode in (0, 1)
        return done.returncode == 0


@pytest.fixture(scope="module")
def deployment(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    deployed = Deployment(installed, tmp_path_factory.mktemp("deployment"))
    with ExitStack() as stack:
        stack.enter_context(deployed.database())
        redis = Redis(port=deployed.redis_port, password=PASSWORD)
        until(lambda: _answers(redis))
        assert redis.config_get("append*")["appendonly"] == "yes"
        assert not deployed.is_ready(deployed.api_ports[0])
        assert not deployed.is_working()
        for port in deployed.api_ports:
            stack.enter_context(deployed.api(port))
        for service in ("worker", "live", "checks", "scheduler", "webhooks", "archiver"):
            for process in deployed.copies(service):
                stack.enter_context(process)
        until(lambda: all(map(deployed.is_ready, deployed.api_ports)))
        until(deployed.is_working)
        yield deployed


def _answers(redis: Redis) -> bool:
    try:
        return bool(redis.ping())
    except RedisConnectionError:
        # Not there yet, or it reads its files.
        return False


def test_the_wheel_has_all_that_is_no_code(installed: Path) -> None:
    for package in ("botequim", "arena", "api", "queues", "workers"):
        data = [path for path in (ROOT / package).rglob("*") if path.is_file() and _is_data(path)]
        for path in data:
            there = installed / path.relative_to(ROOT)
            assert there.is_file(), path
            assert there.read_bytes() == path.read_bytes()
        modules = {path.relative_to(ROOT) for path in (ROOT / package).rglob("*.py")}
        assert modules == {path.relative_to(installed) for path in (installed / package).rglob("*.py")}
    assert list((installed / "arena/store/scripts").glob("*.lua"))
    manual = installed / "api/manual"
    for path in (ROOT / "docs").rglob("*.md"):
        assert (manual / path.relative_to(ROOT / "docs")).read_bytes() == path.read_bytes()
    assert not (installed / "tests").exists()


def _is_data(path: Path) -> bool:
    return path.suffix not in (".py", ".pyc", ".so")


def test_the_code_that_runs_is_the_installed_one(deployment: Deployment, installed: Path) -> None:
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import arena, api, workers; print(arena.__file__, api.__file__, workers.__file__)",
        ],
        cwd=deployment.folder,
        env=environment(**deployment.code),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert all(Path(file).is_relative_to(installed) for file in said.split())


def test_all_copies_serve_one_service(deployment: Deployment) -> None:
    first, second = (Client(f"http://127.0.0.1:{port}", patience=30) for port in deployment.api_ports[:2])
    token = first.sign_up("olga")
    owner = Client(f"http://127.0.0.1:{deployment.api_ports[1]}", token, patience=30)
    made = owner.create_game("truco", [{"house": "random"}] * 4)
    assert verify(second.record(made["game"], wait=True)) == []
    admin = Client(f"http://127.0.0.1:{deployment.api_ports[0]}", ADMIN, patience=30)
    assert "entries" in admin.request("GET", "/v1/admin/audit")
    first.close()
    second.close()


def test_a_tournament_runs_by_itself(deployment: Deployment) -> None:
    with closing(Client(f"http://127.0.0.1:{deployment.api_ports[0]}", ADMIN, patience=30)) as admin:
        made = admin.create_tournament(
            name="A night out",
            kind="truco",
            format="round_robin",
            house=["random", "rookie"],
            locks_ms=time.time_ns() // 1_000_000 + 5_000,
        )
        until(lambda: (admin.tournament(made["id"]) or made)["state"] == "finished")
        rows = admin.request("GET", f"/v1/tournaments/{made['id']}/standings")["rows"]
        assert sorted(row["name"] for row in rows) == ["random", "rookie"]


@needs_caddy
def test_the_proxy_spreads_waits_and_streams(deployment: Deployment, tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "Caddyfile").write_text(caddyfile(deployment.api_ports), encoding="utf-8")
    written = [caddy() or "", "validate", "--config", str(ROOT / "deploy/Caddyfile")]
    settings = {"SITE": f"http://127.0.0.1:{port}", "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    adapter = ["--adapter", "caddyfile"]
    assert (
        subprocess.run([*written, *adapter], env=environment(**settings), capture_output=True).returncode == 0
    )
    command = [written[0], "run", "--config", str(tmp_path / "Caddyfile"), *adapter]
    with Process(command, tmp_path, **settings) as proxy:
        proxy.wait_for("serving initial configuration")
        url = f"http://127.0.0.1:{port}"
        owner = Client(url, Client(url, patience=30).sign_up("wim"), patience=30)
        tokens = [owner.register_bot(f"wim-{number}") for number in (1, 2)]
        assert _status(port, "/metrics") == 404
        assert _status(port, "/readyz") == 200
        heard: list[str] = []
        connection, stream = _open(port, "/v1/turns/stream", tokens[0])
        ear = threading.Thread(target=_listen, args=(stream, heard), daemon=True)
        ear.start()
        until(lambda: "retry: 1000" in heard)
        polled: list[Any] = []
        bot = Client(url, tokens[1], patience=30)
        poll = threading.Thread(target=lambda: polled.append(bot.exchange(wait=20)), daemon=True)
        poll.start()
        owner.create_game("toepen", [{"bot": "wim-1"}, {"bot": "wim-2"}])
        # Whoever begins gets a turn at once; the proxy keeps none of it back.
        until(lambda: "event: turn" in heard or (polled and polled[0]["turns"]))
        asked = [json.loads(line[6:]) for line in heard if line.startswith("data: ")]
        asked += polled[0]["turns"] if polled else []
        assert asked[0]["kind"] == "toepen"
        # To close it would wait for the thread that reads.
        connection.sock.shutdown(socket.SHUT_RDWR)
        ear.join(30)


def _open(port: int, path: str, token: str) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
    response = connection.getresponse()
    assert response.status == 200
    return connection, response


def _listen(stream: http.client.HTTPResponse, heard: list[str]) -> None:
    with suppress(OSError, http.client.HTTPException):
        while line := stream.readline():
            heard.append(line.decode().rstrip("\n"))


def _status(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()
