"""The commands of the README and of the five-minute guide, followed at the worst second: tournaments that
enter bots automatically are open and lock while the bot plays and just after it, 20 times, half of them by
each page; nobody collects a fault.

``python -m pytest -s tests/docs/test_worst_second.py`` prints what happened each time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.client import Client
from tests.blocks import blocks, commands, file_of
from tests.service import Service, environment
from tests.waiting import PATIENCE, wait_until

TIMES = 10
ADMIN = "the-admin-token-of-this-test-0123456789"
LOCKS_MS = (3_000, 6_000, 10_000, 15_000, 25_000)
"""When tournaments lock that were announced with the first command: before, while and after a bot plays, on
any machine, and while a bot that was online would still count as such.
"""

GUIDES = ("README.md", "docs/five-minutes.md")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """As a new one, with its own recurring tournaments, too."""
    folder = tmp_path_factory.mktemp("service")
    with Service(folder, BOTEQUIM_SEED="1", BOTEQUIM_ADMIN_TOKEN=ADMIN) as running:
        yield running


def script(page: str, number: int) -> str:
    """What the page does with ``botequim``, under other names each time."""
    if page == "README.md":
        (text,) = [block.text for block in blocks(page) if block.language == "sh"]
        lines = [text]
        names = ["ana-bot", "ana"]
    else:
        own = (block for block in blocks(page) if block.language == "console" and not block.background)
        lines = [command for block in own for command in commands(block)]
        # The rest is without botequim.
        end = next(at for at, line in enumerate(lines) if line.startswith("OWNER=$(curl"))
        lines = lines[: end - 1]
        names = ["olgas-bot", "olgas-other-bot", "olga"]
    told = "\n".join(lines)
    marks = {name: f"@{at}@" for at, name in enumerate(names)}
    for name in sorted(names, key=len, reverse=True):
        told = told.replace(name, marks[name])
    for at, name in enumerate(names):
        told = told.replace(f"@{at}@", f"{name}-{number}")
    return told


def announce(admin: Client, kind: str, after_ms: int) -> str:
    """A rated tournament that enters who takes part, and locks after ``after_ms``."""
    now_ms = time.time_ns() // 1_000_000
    made = admin.create_tournament(
        name="Worst second",
        kind=kind,
        rules={"seats": 2} if kind == "toepen" else {},
        format="round_robin",
        house=["rookie", "random"],
        auto_enter=True,
        opens_ms=now_ms,
        locks_ms=now_ms + after_ms,
    )
    return str(made["id"])


@pytest.mark.nightly("guides")
@pytest.mark.parametrize("page", GUIDES)
def test_nobody_who_follows_the_guide_collects_a_fault(page: str, service: Service, tmp_path: Path) -> None:
    admin = service.client(ADMIN)
    (tmp_path / "my_bot.py").write_text(file_of(page, "my_bot.py"), encoding="utf-8")
    prelude = f'set -eu\nbotequim() {{ "{sys.executable}" -m arena.cli "$@"; }}\n'
    cups: list[str] = []
    for number in range(TIMES):
        cups += [announce(admin, kind, after) for kind in ("truco", "toepen") for after in LOCKS_MS]
        text = script(page, number).replace("http://127.0.0.1:8000", service.url)
        done = subprocess.run(
            ["bash", "-c", prelude + text],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE,
            env=environment(BOTEQUIM_URL=service.url),
        )
        assert done.returncode == 0, done.stderr
    for cup in cups:
        wait_until(lambda cup=cup: admin.tournament(cup)["state"] in ("finished", "cancelled"))
    entered = [
        entry["bot"] for cup in cups for entry in admin.tournament(cup)["entries"] if not entry["house"]
    ]
    for number in range(TIMES):
        bots = [bot["name"] for bot in admin.bots() if bot["name"].endswith(f"-{number}")]
        games = {game["game"] for bot in bots for game in admin.games(bot=bot)}
        records = [admin.record(game, wait=True)["canonical"] for game in games]
        faults = [fault for record in records for fault in record["faults"]]
        forfeits = [seat for record in records for seat in record["outcome"]["forfeits"]]
        asked = [one for bot in bots for one in admin.qualifications(bot, "1")]
        told = {"page": page, "time": number + 1, "bots": bots, "games": len(games)}
        told |= {"entered": len(set(bots) & set(entered)), "qualifications": len(asked)}
        print(json.dumps({**told, "faults": len(faults), "forfeits": len(forfeits)}))
        assert games
        assert (faults, forfeits, asked, set(bots) & set(entered)) == ([], [], [], set())
