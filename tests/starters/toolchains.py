"""The compilers of the starters, and how long it takes to use them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from arena.client import Client
from arena.client.games import LIVE_STATES
from tests.service import ROOT, Process, environment
from tests.waiting import wait_until

TOOLS: Final = {
    "python": "python3",
    "javascript": "node",
    "go": "go",
    "rust": "cargo",
    "java": "javac",
    "c": "cc",
}

CRATES: Final = Path("/usr/share/cargo/registry")
"""Where Debian's packages of crates are."""

CLOCK: Final = {"per_turn_ms": 120_000, "bank_ms": 600_000}
"""Of the games: no turn is late because the machine is busy."""

_CACHES: Final = ROOT / "build/toolchains"
"""Where the compilers keep what all starters have in common, for the next run too."""

_BUILD_SECONDS: Final = 3600


def needs(language: str) -> pytest.MarkDecorator:
    """Skip where the language is not installed; `.ci/run` installs all of them."""
    there = shutil.which(TOOLS[language]) and (language != "rust" or any(CRATES.glob("ureq-2*")))
    return pytest.mark.skipif(not there, reason=f"needs {TOOLS[language]} and the packages of .ci/run")


def prepare(language: str, folder: Path) -> dict[str, str]:
    """The environment for commands in a folder inside ``folder``, in which the build settings are."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, command in (("python", ""), ("botequim", " -m arena.cli")):
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable}{command} "$@"\n')
        (programs / name).chmod(0o755)
    settings = environment()
    settings["PATH"] = f"{programs}:{settings['PATH']}"
    if language == "go":
        settings |= {"GOCACHE": str(_CACHES / "go"), "GOPATH": str(folder / "gopath"), "GOPROXY": "off"}
    if language == "rust":
        (folder / ".cargo").mkdir(exist_ok=True)
        (folder / ".cargo/config.toml").write_text(
            '[source.crates-io]\nreplace-with = "debian"\n'
            f'[source.debian]\ndirectory = "{CRATES}"\n[net]\noffline = true\n'
        )
        settings |= {
            "CARGO_BUILD_BUILD_DIR": str(_CACHES / "cargo"),
            "CARGO_TARGET_DIR": str(folder / "target"),
            "CARGO_INCREMENTAL": "0",
            "CARGO_PROFILE_DEV_DEBUG": "0",
        }
    return settings


def done(command: str, folder: Path, settings: dict[str, str]) -> str:
    """Run a command of a README to its end; what it printed."""
    ended = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=_BUILD_SECONDS,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def runs(command: str, folder: Path, settings: dict[str, str], url: str, token: str) -> Process:
    """The command of a README that runs a bot, on the service at ``url``."""
    kept = {key: value for key, value in settings.items() if key.startswith(("GO", "CARGO"))}
    kept |= {"PATH": settings["PATH"], "BOTEQUIM_URL": url, "BOTEQUIM_TOKEN": token}
    return Process(["bash", "-c", f"exec {command}"], folder, **kept)


def played(client: Client, game: str, bot: Process) -> dict[str, Any]:
    """The record of the game, which ends while the bot runs."""

    def over() -> bool:
        view = client.game(game)
        assert view is not None
        return view["state"] not in LIVE_STATES

    wait_until(lambda: over() or bot.process.poll() is not None, pause=0.2)
    assert bot.process.poll() is None, bot.said
    return client.record(game, wait=True)


def count_passed(language: str, said: str) -> int:
    """How many tests the test command of a starter reports as passed."""
    pattern = {
        "python": r"Ran (\d+) tests?",
        "javascript": r"^\S+ pass (\d+)$",
        "java": r"^(\d+) tests passed",
        "c": r"^(\d+) tests passed",
        "rust": r"test result: ok\. (\d+) passed",
    }.get(language)
    if pattern is None:
        return len(re.findall(r"^--- PASS", said, re.MULTILINE))
    return sum(map(int, re.findall(pattern, said, re.MULTILINE)))
