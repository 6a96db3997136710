"""``botequim up``: what it prints, what it keeps running, and that nothing is left of it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from http.client import HTTPConnection
from pathlib import Path
from urllib.request import urlopen

import pytest

from arena.client import ApiError, Client
from arena.client.http import Unreachable
from arena.ops.supervisor import Address
from arena.records.verify import verify
from tests.ports import free_port
from tests.service import READY, Process, Service, botequim, command_line, descendants, environment, is_alive
from tests.waiting import PATIENCE
from tests.waiting import wait_until as until

pytestmark = pytest.mark.system


def refused(folder: Path, *arguments: str, **settings: str) -> str:
    """What the command that cannot work says: one line, and nothing is left running."""
    done = subprocess.run(
        botequim("up", *arguments),
        cwd=folder,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("botequim: error: ")
    return line


def play_house_game(client: Client) -> str:
    """A game among house bots, to its end and verified; its id."""
    made = client.create_game("truco", [{"house": "random"}] * 4)
    assert verify(client.record(made["game"], wait=True)) == []
    return str(made["game"])


def play_house_game_again(client: Client) -> None:
    """The same, where a request may still reach what is about to end, or what is not yet there again."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            play_house_game(client)
            return
        except (Unreachable, ApiError) as error:
            if time.monotonic() > deadline or (isinstance(error, ApiError) and error.status != 503):
                raise
        time.sleep(0.2)


def check_priorities(service: Service) -> None:
    """Only what no move waits for has a lower priority."""
    own = os.getpriority(os.PRIO_PROCESS, 0)
    for what, nice in (
        ("worker", 10),
        ("checks", 10),
        ("archiver", 10),
        ("live", 0),
        ("api", 0),
        ("scheduler", 0),
        ("webhooks", 0),
    ):
        # The last one does the work, below its watchdog or its server.
        expected = min(19, own + nice)
        until(
            lambda what=what, expected=expected: (  # type: ignore[misc]
                os.getpriority(os.PRIO_PROCESS, service.pids(what)[-1]) == expected
            )
        )


def check_hosts(service: Service) -> None:
    """Only this machine reaches it, and only under its own names."""
    for host, status in ((f"localhost:{service.port}", 200), ("arena.example", 421)):
        connection = HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE)
        connection.request("GET", "/healthz", headers={"Host": host})
        assert connection.getresponse().status == status
        connection.close()


def test_it_starts_plays_stops_cleanly_and_keeps_its_data(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        assert f"API:      {service.url}" in service.lines
        assert f"docs:     {service.url}/docs" in service.lines
        assert str(service.data) in service.said
        token = service.client().sign_up("olga")
        bot = service.client(token).register_bot("bot-of-olga")
        game = play_house_game(service.client(token))
        check_priorities(service)
        check_hosts(service)
        began = descendants(service.process.pid)
        assert len(began) >= 4
        assert service.stop(signal.SIGINT) == 0
        assert not any(map(is_alive, began))
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", service.port)) != 0
    with Service(tmp_path, port=service.port) as service:
        assert service.client().record(game, wait=True)["canonical"]["game"] == game
        assert service.client(bot).exchange()["turns"] == []
        assert service.client(token).request("GET", "/v1/owners/me")["name"] == "olga"
        assert service.stop(signal.SIGTERM) == 0


@pytest.mark.nightly("processes")
def test_a_killed_process_is_restarted(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        token = service.client().sign_up("olga")
        for what, line in (
            ("worker", "worker 1: ended"),
            ("api", "api: ended"),
            ("database", "database: ended"),
        ):
            (first, *_) = service.pids(what)
            os.kill(first, signal.SIGKILL)
            service.wait_for(line)
            until(lambda what=what, first=first: service.pids(what) and first not in service.pids(what))  # type: ignore[misc]
            play_house_game_again(service.client(token))
        assert service.client(token).request("GET", "/v1/owners/me")["name"] == "olga"
        # One that answers requests is replaced by its own server.
        until(lambda: len(service.pids("api")) == 2)
        server, answering = service.pids("api")
        os.kill(answering, signal.SIGKILL)
        until(lambda: len(service.pids("api")) == 2 and answering not in service.pids("api"))
        assert service.pids("api")[0] == server
        play_house_game(service.client(token))


@pytest.mark.nightly("processes")
def test_a_killed_supervisor_takes_api_and_workers_with_it_and_the_next_start_works(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        token = service.client().sign_up("olga")
        began = [*service.pids("api"), *service.pids("worker")]
        database = service.pids("database")
        service.stop(signal.SIGKILL)
        until(lambda: not any(map(is_alive, began)))
    with Service(tmp_path, port=service.port) as service:
        assert not any(is_alive(pid) and "unixsocket" in command_line(pid) for pid in database)
        assert service.client(token).request("GET", "/v1/owners/me")["name"] == "olga"


@pytest.mark.nightly("processes")
def test_a_folder_in_use_and_an_address_in_use_are_one_line(tmp_path: Path) -> None:
    with Service(tmp_path, workers=0) as service:
        bind = f"127.0.0.1:{service.port}"
        output = refused(tmp_path, "--data", str(service.data), "--bind", bind)
        assert f"the data folder {service.data} is in use by process {service.process.pid}" in output
        other = tmp_path / "other"
        output = refused(tmp_path, "--data", str(other), "--bind", bind)
        assert f"cannot listen on {bind}: Address already in use" in output
        assert "expected a free address and port" in output
        # The first goes on.
        assert service.client().request("GET", "/readyz") == {"status": "ok"}


@pytest.mark.nightly("processes")
def test_it_waits_for_an_address_that_is_being_freed(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        bind = f"127.0.0.1:{other.getsockname()[1]}"
        with Process(botequim("up", "--bind", bind, "--workers", "0"), tmp_path) as process:
            # Somebody who takes connections and answers nothing, as an API that is stopping.
            until(lambda: any("unixsocket" in command_line(pid) for pid in descendants(process.process.pid)))
            time.sleep(0.5)
            assert process.process.poll() is None
            other.close()
            process.wait_for(READY)
            assert process.stop() == 0


@pytest.mark.nightly("processes")
@pytest.mark.parametrize("mark", ["gunicorn", "unixsocket"])
def test_what_dies_while_it_starts_is_started_again(tmp_path: Path, mark: str) -> None:
    def found() -> list[int]:
        return [pid for pid in descendants(process.process.pid) if mark in command_line(pid)]

    bind = f"127.0.0.1:{free_port()}"
    with Process(botequim("up", "--bind", bind, "--workers", "0"), tmp_path) as process:
        until(found, pause=0.001)
        (first, *_) = found()
        os.kill(first, signal.SIGKILL)
        process.wait_for(READY)
        assert "restarting" in process.said
        assert process.stop() == 0


def test_an_api_that_never_starts_is_reported_with_the_reason_of_this_start(tmp_path: Path) -> None:
    logs = tmp_path / "botequim-data" / "logs"
    logs.mkdir(parents=True)
    (logs / "api.log").write_text('{"exception": "Traceback\\nOldError: long ago"}\n')
    output = refused_after(tmp_path, GUNICORN_CMD_ARGS="--no-such-option")
    assert "the API did not start (status 2)" in output
    assert "no-such-option" in output
    assert "OldError" not in output


def refused_after(folder: Path, **settings: str) -> str:
    """The error line of ``botequim up`` that gives up after several attempts."""
    command = botequim("up", "--bind", f"127.0.0.1:{free_port()}", "--workers", "0")
    done = subprocess.run(
        command, cwd=folder, env=environment(**settings), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.nightly("processes")
def test_all_waiting_polls_are_answered_at_a_stop_whatever_the_grace(tmp_path: Path) -> None:
    with Service(tmp_path, workers=0, BOTEQUIM_GRACE="0") as service:
        token = service.client(service.client().sign_up("olga")).register_bot("bot-of-olga")
        head = f"GET /v1/turns?wait=50 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}"
        request = f"{head}\r\n\r\n".encode()
        polls = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(400)]
        for poll in polls:
            poll.sendall(request)
        until(lambda: b"botequim_waiting 400.0" in urlopen(f"{service.url}/metrics").read())
        service.process.send_signal(signal.SIGTERM)
        assert {poll.recv(12) for poll in polls} == {b"HTTP/1.1 200"}
        for poll in polls:
            poll.close()
        assert service.stop() == 0


def test_invalid_options_are_reported_in_one_line(tmp_path: Path) -> None:
    bind = ("--bind", f"127.0.0.1:{free_port()}")
    assert "is not a valid listen address" in refused(tmp_path, "--bind", "8000")
    (tmp_path / "file").write_text("")
    assert "cannot be created" in refused(tmp_path, *bind, "--data", "file/inside")
    output = refused(tmp_path, *bind, BOTEQUIM_ADMIN_TOKEN="short")
    assert "the admin token is too short" in output


def test_stopping_while_it_starts(tmp_path: Path) -> None:
    with Process(botequim("up", "--bind", f"127.0.0.1:{free_port()}"), tmp_path) as process:
        until(lambda: any("gunicorn" in command_line(pid) for pid in descendants(process.process.pid)))
        began = descendants(process.process.pid)
        assert process.stop(signal.SIGTERM) == 0
        assert not any(map(is_alive, began))
    assert "Traceback" not in process.said
    assert "Traceback" not in (tmp_path / "botequim-data" / "logs" / "api.log").read_text()


@pytest.mark.parametrize(
    ("text", "url", "bind"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8000", "127.0.0.1:8000"),
        (":80", "http://127.0.0.1:80", "0.0.0.0:80"),
        ("[::1]:8000", "http://[::1]:8000", "[::1]:8000"),
        ("[::]:8000", "http://[::1]:8000", "[::]:8000"),
        ("box:1", "http://box:1", "box:1"),
    ],
)
def test_addresses(text: str, url: str, bind: str) -> None:
    address = Address.parse(text)
    assert (address.url, address.bind) == (url, bind)
