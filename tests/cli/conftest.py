"""One service for the tests of the commands, and what they print."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.cli import run
from arena.client import Client
from tests.receiver import Receiver, receiving
from tests.service import Service

ADMIN_TOKEN = "the-admin-token-of-the-tests-0123456789"
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The database and the API, without workers."""
    folder = tmp_path_factory.mktemp("service")
    with Service(folder, workers=0, BOTEQUIM_ADMIN_TOKEN=ADMIN_TOKEN) as running:
        yield running


class Terminal:
    """Runs commands; what they print."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.errors = ""

    def __call__(self, *arguments: str, status: int = 0) -> str:
        found = run(arguments)
        printed = self._capsys.readouterr()
        self.errors = printed.err
        assert found == status, printed.err + printed.out
        return printed.out

    def json(self, *arguments: str, status: int = 0) -> Any:
        """The value that a command prints with ``--json``."""
        return json.loads(self(*arguments, "--json", status=status))

    def stderr(self, *arguments: str) -> str:
        """What a command prints to stderr, whether it fails or not."""
        run(arguments)
        return self._capsys.readouterr().err

    def error(self, *arguments: str) -> str:
        """The only line of a command that fails."""
        assert self(*arguments, status=2) == ""
        (line,) = self.errors.splitlines()
        return line.removeprefix("botequim: error: ")


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of configurations; the variables of the commands are not set."""
    for name in ("BOTEQUIM_URL", "BOTEQUIM_TOKEN", "BOTEQUIM_PROFILE", "BOTEQUIM_WEBHOOK_SECRET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "botequim" / "config.ini"


class Owner:
    """An owner, and how its commands reach the service."""

    def __init__(self, service: Service) -> None:
        self.name = f"owner-{next(_numbers)}"
        self.token = service.client().sign_up(self.name)
        self.client: Client = service.client(self.token)


@pytest.fixture
def owner(service: Service, config: Path, monkeypatch: pytest.MonkeyPatch) -> Owner:
    """A new owner; the commands are its own."""
    made = Owner(service)
    monkeypatch.setenv("BOTEQUIM_URL", service.url)
    monkeypatch.setenv("BOTEQUIM_TOKEN", made.token)
    return made


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    """A server that notes the requests of clients."""
    with receiving() as made:
        yield made
