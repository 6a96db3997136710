"""What the commands print, and who calls them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from arena.cli import run
from arena.client import Client
from tests.api.server import Server

_numbers = itertools.count(1)


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

    def __init__(self, service: Server) -> None:
        self.name = f"owner-{next(_numbers)}"
        self.token = service.client().sign_up(self.name)
        self.client: Client = service.client(self.token)


@pytest.fixture
def owner(service: Server, config: Path, monkeypatch: pytest.MonkeyPatch) -> Owner:
    """A new owner; the commands are its own."""
    made = Owner(service)
    monkeypatch.setenv("BOTEQUIM_URL", service.url)
    monkeypatch.setenv("BOTEQUIM_TOKEN", made.token)
    return made
