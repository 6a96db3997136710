"""Schemathesis, all checks over the whole document: no 5xx, no undocumented reply, whoever asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.store.embedded import EmbeddedStore
from tests.api.contract import merged
from tests.api.server import Server
from tests.waiting import PATIENCE

ADMIN_TOKEN = "x" * 32
SETTINGS = Path(__file__).with_name("schemathesis.toml")
CHECKS = Path(__file__).with_name("schemathesis_checks.py")

END_OF_TOKEN = ("replaceOwnerToken", "revokeOwnerToken", "deleteBot", "replaceBotToken", "revokeBotToken")
"""What would leave the rest of a run without its token; these are tried on the way, by nobody."""


class Scene:
    """A server with an owner, bots, and a game for each to look at: running, waiting, finished."""

    def __init__(self, server: Server) -> None:
        self.server = server
        owner = server.sign_up("ana")
        first, second = server.register(owner, "zap-bot", "pica-bot")
        self.tokens = {"nobody": None, "owner": owner, "bot": first, "admin": ADMIN_TOKEN}
        seats = [{"bot": "zap-bot"}, {"bot": "pica-bot"}]

        def game(*who: dict[str, object]) -> str:
            body = {"kind": "toepen", "seats": list(who)}
            return str(server.request("POST", "/v1/games", body, owner).json["game"])

        finished = game(*seats)
        for token in (first, second):
            server.request("POST", f"/v1/games/{finished}/resign", {}, token)
        waiting = game({"bot": "pica-bot"}, {"open": True})
        self.games = {"owner": game(*seats), "bot": waiting, "admin": finished}
        self.tournament = _tournament(server, owner)

    def run(self, who: str, settings: Path) -> None:
        """One run; fails with what Schemathesis found."""
        known = ""
        if who in self.games:
            path = {
                "game": self.games[who],
                "bot": "pica-bot",
                "tournament": self.tournament,
                "entry": "pica-bot",
            }
            # A given id replaces that of a link, so the schedules that a run creates would seem to be lost.
            if who != "admin":
                path["schedule"] = "hourly"
            known = "[parameters]\n" + "".join(f'"path.{name}" = "{value}"\n' for name, value in path.items())
        settings.write_text(known + SETTINGS.read_text())
        command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings)]
        # Of schemas that extend others it generates mostly what has unknown fields.
        document = settings.with_name("openapi.json")
        document.write_text(json.dumps(merged(self.server.request("GET", "/openapi.json").json)))
        command += ["run", str(document), "--url", self.server.url, "--checks", "all"]
        command += ["--no-color", "--seed", "1"]
        command += ["--max-examples", "40"]
        token = self.tokens[who]
        if token is not None:
            command += ["-H", f"Authorization: Bearer {token}"]
            for operation in END_OF_TOKEN:
                command += ["--exclude-operation-id", operation]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE,
            cwd=settings.parent,
            env={**os.environ, "SCHEMATHESIS_HOOKS": str(CHECKS)},
        )
        assert done.returncode == 0, done.stdout[-40_000:] + done.stderr[-2000:]
        assert "Coverage" in done.stdout


def _tournament(server: Server, owner: str) -> str:
    """A tournament whose entry is open, and a schedule ``hourly``; the tournament's id."""
    cup = {"name": "Cup", "kind": "toepen", "format": "round_robin", "house": ["rookie"]}
    locks_ms = (time.time_ns() + 10**12) // 10**6
    made = server.request("POST", "/v1/tournaments", {**cup, "locks_ms": locks_ms}, owner).json["id"]
    server.request("POST", f"/v1/tournaments/{made}/entries", {"bot": "pica-bot"}, owner)
    schedule = {"id": "hourly", "cron": "0 * * * *", "tournament": cup}
    assert server.request("POST", "/v1/schedules", schedule, ADMIN_TOKEN).status == 201
    return str(made)


@pytest.fixture
def scene(clean_store: EmbeddedStore) -> Iterator[Scene]:
    """Waits and streams end at once, as they may anywhere."""
    settings = {"BOTEQUIM_MAX_WAIT": "0.05", "BOTEQUIM_STREAM": "0.05", "BOTEQUIM_LOG_LEVEL": "WARNING"}
    with Server(clean_store.url, BOTEQUIM_ADMIN_TOKEN=ADMIN_TOKEN, **settings) as server:
        yield Scene(server)


@pytest.mark.nightly("contract")
@pytest.mark.parametrize("who", ["nobody", "owner", "bot", "admin"])
def test_nothing_undocumented_is_found(scene: Scene, tmp_path: Path, who: str) -> None:
    scene.run(who, tmp_path / "schemathesis.toml")
