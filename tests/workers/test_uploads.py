"""From a file to the leaderboard: bots handed in by the command line to a real service with a real worker."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.request import urlopen

import pytest

from arena.client import ApiError
from arena.client.bots import UploadPending
from arena.events.local_groups import BATCH_SECONDS
from arena.ops.jobs import PLAY_SECONDS
from arena.records.record import dumps
from arena.sandbox.checking import MOST_SECONDS
from arena.sandbox.runtime import python_program, runtime_id
from arena.tournaments.sealed import GAME_SECONDS, SEAT_SECONDS
from tests.service import ROOT, Service, botequim, command_line, descendants, environment
from tests.waiting import PATIENCE, wait_until
from workers.worker import JOB_SECONDS

pytestmark = pytest.mark.system

ADMIN = "a" * 32
BOTS = {"truco": "truco_careful.py", "toepen": "toepen_last_trick.py"}


@pytest.fixture(scope="module", autouse=True)
def runtime() -> None:
    """The sandbox's Python is there, so that nobody waits for it."""
    python_program()


def call(
    service: Service, folder: Path, *arguments: str, token: str = ""
) -> subprocess.CompletedProcess[str]:
    """The command line, against the service."""
    return subprocess.run(
        botequim(*arguments),
        cwd=folder,
        env=environment(BOTEQUIM_URL=service.url, BOTEQUIM_TOKEN=token),
        capture_output=True,
        text=True,
        timeout=400,
    )


@pytest.mark.nightly("processes")
def test_two_examples_are_submitted_and_reach_the_leaderboard(tmp_path: Path) -> None:
    with Service(tmp_path, BOTEQUIM_ADMIN_TOKEN=ADMIN) as service:
        client = service.client()
        owner = client.sign_up("olga")
        service.client(ADMIN).create_schedule(
            id="yearly",
            cron="0 0 1 1 *",
            tournament={
                "name": "Yearly cup",
                "kind": "toepen",
                "format": "swiss",
                "division": "sealed",
                "auto_enter": True,
            },
        )
        # Both are far away, so that it does not wait.
        outlook = {
            "truco": "truco: no schedule of this service enters uploaded bots in it",
            "toepen": r"toepen: plays in 'Yearly cup', which is announced in [0-9]+ (days|h|min)\n",
        }
        sources = tmp_path / "sources"
        sources.mkdir()
        for kind, file in BOTS.items():
            name = f"my-{kind}"
            done = call(
                service, ROOT / "examples", "bot", "submit", file, "--name", name, "--kind", kind, token=owner
            )
            assert done.returncode == 0, done.stderr
            assert f"{name} 1: registered" in done.stdout
            page = f"{service.url}/leaderboards/{kind}"
            assert f"{kind}: qualified; watch {page}\n" in done.stdout
            with urlopen(page, timeout=PATIENCE) as reply:
                assert reply.status == 200
            assert re.search(outlook[kind], done.stdout), done.stdout
            shutil.copy(ROOT / "examples" / file, sources / f"{name}@1.py")
        records = tmp_path / "records.jsonl"
        lines: list[str] = []
        owned = service.client(owner)
        for kind in BOTS:
            made = service.client(ADMIN).create_tournament(
                name="Sealed cup",
                kind=kind,
                format="round_robin",
                rules={"seats": 2} if kind == "toepen" else {},
                house=["rookie", "random"],
                division="sealed",
                auto_enter=True,
                locks_ms=time.time_ns() // 1_000_000 + 1500,
            )
            view = made
            deadline = time.monotonic() + PATIENCE
            while view["state"] != "finished":
                assert view["state"] != "cancelled", view
                assert time.monotonic() < deadline, view
                view = owned.tournament(made["id"], since=view["version"], wait=10) or view
            assert {entry["bot"] for entry in view["entries"]} == {f"my-{kind}", "rookie", "random"}
            assert view["voids"] == []
            path = f"/v1/tournaments/{made['id']}/groups"
            groups = owned.request("GET", path)["groups"]
            lines += [dumps(owned.record(game)) for group in groups for game in group["games"]]
            deadline = time.monotonic() + PATIENCE
            while f"my-{kind}" not in owned.leaderboard(kind, "sealed", "text"):
                assert time.monotonic() < deadline
                time.sleep(0.2)
        records.write_text("\n".join(lines) + "\n")
    done = verify(tmp_path, "--sources", str(sources))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 records, all verified" in done.stdout
    assert "8 games replayed" in done.stdout
    assert "all as recorded" in done.stdout
    # Another bot than the one that played decides otherwise, and that is said.
    other = tmp_path / "other.py"
    other.write_text("def choose(turn):\n    return turn['legal_actions'][-1]\n")
    done = verify(tmp_path, "--source", f"my-toepen@1={other}")
    assert done.returncode == 1
    assert "recorded is" in done.stdout
    assert "not replayed, because its source is missing: my-truco@1" in done.stderr


def verify(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = botequim("verify", "records.jsonl", "--jobs", "1", "--replay-bots", *options)
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=400)


@pytest.mark.nightly("processes")
def test_the_service_builds_its_sandbox_in_the_background(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        log = service.data / "logs" / "sandbox.log"
        deadline = time.monotonic() + PATIENCE
        while not (log.exists() and "is ready" in log.read_text()):
            assert time.monotonic() < deadline, service.said
            time.sleep(0.1)
    last = json.loads(log.read_text().splitlines()[-1])
    assert last["message"] == f"the sandbox runtime is ready: {runtime_id()}"
    assert "building its Python failed" not in service.said


@pytest.mark.nightly("processes")
def test_submitting_without_waiting_reports_that_it_is_not_over(tmp_path: Path) -> None:
    with Service(tmp_path, workers=0) as service:
        owner = service.client().sign_up("olga")
        submit = ("bot", "submit", BOTS["truco"], "--name", "mine", "--wait", "0", "--no-tournaments")
        done = call(service, ROOT / "examples", *submit, token=owner)
        assert done.returncode == 0
        assert "mine 1: received; waiting for a worker" in done.stderr
        client = service.client(owner)
        (upload,) = client.uploads("mine")
        assert (upload["state"], upload["version"], upload["code"]) == ("received", "1", None)
        # The same file is not uploaded twice.
        done = call(service, ROOT / "examples", *submit, token=owner)
        assert "mine 1: received; waiting for a worker" in done.stderr
        assert client.uploads("mine") == [upload]
        bot = client.bot("mine")
        assert (bot["version"], bot["versions"], bot["tournaments"]) == (None, [], False)
        used = {name: one["used"] for name, one in client.me()["quotas"].items()}
        assert (used["bots"], used["versions"]) == (1, 1)
        assert upload["size"] <= used["bytes"] < upload["size"] + REPLIES
        with pytest.raises(UploadPending) as caught:
            client.add_version("mine", "2", transport="uploaded", source=b"x = 2\n", wait=0)
        assert (caught.value.field or "").startswith("/v1/bots/mine/uploads/u")


@pytest.mark.nightly("processes")
def test_a_qualification_for_a_preset_is_requested(tmp_path: Path) -> None:
    with Service(tmp_path, workers=0) as service:
        owner = service.client().sign_up("olga")
        client = service.client(owner)
        client.register_bot("mine")
        qualify = ("bot", "qualify", "mine", "truco", "--wait", "0")
        done = call(service, tmp_path, *qualify, "--preset", "paulista-2@1", token=owner)
        assert done.returncode == 2
        assert "mine 1: qualifying in truco/paulista-2@1\n" in done.stdout
        assert "mine 1 has not qualified yet: truco/paulista-2@1: not over after 0 s" in done.stderr
        done = call(service, tmp_path, *qualify, token=owner)
        assert "mine 1: qualifying in truco\n" in done.stdout
        done = call(service, tmp_path, *qualify, "--preset", "duel@1", token=owner)
        assert done.returncode == 2
        assert "Brazilian Truco has no preset 'duel@1'" in done.stderr
        assert "paulista-2@1" in done.stderr
        submit = ("bot", "submit", str(ROOT / "examples" / BOTS["truco"]), "--name", "other")
        done = call(service, tmp_path, *submit, "--preset", "paulista@1", token=owner)
        assert "exactly one --kind" in done.stderr
        found = client.qualifications("mine", "1")
        assert [(one["preset"], one["state"]) for one in found] == [
            ("base@1", "qualifying"),
            ("paulista-2@1", "qualifying"),
        ]


@pytest.mark.nightly("processes")
def test_a_bot_of_one_game_is_submitted_for_it(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        owner = service.client().sign_up("olga")
        file = tmp_path / "mine.py"
        file.write_text(
            "games = ('truco',)\n"
            "def choose(turn):\n"
            "    assert turn['kind'] == 'truco'\n"
            "    return turn['default_action'] or turn['legal_actions'][0]\n"
        )
        submit = ("bot", "submit", "mine.py", "--name", "mine")
        done = call(service, tmp_path, *submit, token=owner)
        assert done.returncode == 0, done.stderr
        assert "mine 1: qualifying in truco\n" in done.stdout
        assert f"truco: qualified; watch {service.url}/leaderboards/truco\n" in done.stdout
        assert "toepen" not in done.stdout + done.stderr
        found = service.client(owner).qualifications("mine", "1")
        assert [(one["kind"], one["state"]) for one in found] == [("truco", "qualified")]
        done = call(service, tmp_path, "bot", "qualify", "mine", "toepen", token=owner)
        assert done.returncode == 2
        assert "mine 1 does not play toepen: its games do not name it; at KIND; expected truco" in done.stderr


@pytest.mark.nightly("processes")
def test_a_bot_is_submitted_for_a_preset(tmp_path: Path) -> None:
    with Service(tmp_path, BOTEQUIM_SEED="1") as service:
        owner = service.client().sign_up("olga")
        # It plays no other variant.
        file = tmp_path / "mine.py"
        file.write_text(
            "def choose(turn):\n"
            "    assert turn['rules']['variant'] == 'paulista'\n"
            "    return turn['legal_actions'][0]\n"
        )
        submit = ("bot", "submit", "mine.py", "--name", "mine", "--kind", "truco", "--preset", "paulista@1")
        done = call(service, tmp_path, *submit, token=owner)
        assert done.returncode == 0, done.stderr
        page = f"{service.url}/leaderboards/truco?preset=paulista@1"
        assert f"truco/paulista@1: qualified; watch {page}\n" in done.stdout
        assert re.search(r"truco/paulista@1: (rank [0-9] of [0-9]|plays in|waits for)", done.stdout), (
            done.stdout
        )
        with urlopen(page, timeout=PATIENCE) as reply:
            assert reply.status == 200
        client = service.client(owner)
        wait_until(lambda: all(one["state"] != "qualifying" for one in client.qualifications("mine", "1")))
        states = {one["preset"]: one["state"] for one in client.qualifications("mine", "1")}
        assert (states["base@1"], states["paulista@1"]) == ("failed", "qualified")


# It compiles for seconds.
REPLIES = 4096
"""More bytes than the replies take that are kept for the keys of the requests."""

LONG = b"x = " + b"[],\\\n" * 190_000 + b"0\ndef choose(turn):\n    return turn['legal_actions'][0]\n"
FIELDS = b"def choose(turn):\n    return f'" + b"{turn}" * 80_000 + b"'\n"


def checkers(service: Service) -> list[int]:
    """The processes that check an upload."""
    return [pid for pid in descendants(service.process.pid) if "arena.sandbox.checking" in command_line(pid)]


def test_a_job_may_last_longer_than_anything_in_it() -> None:
    assert MOST_SECONDS < JOB_SECONDS - 120
    assert GAME_SECONDS + 8 * SEAT_SECONDS + BATCH_SECONDS + PLAY_SECONDS < JOB_SECONDS - 60


@pytest.mark.nightly("processes")
def test_a_worker_is_killed_while_it_checks_an_upload(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        client = service.client(service.client().sign_up("olga"))
        with ThreadPoolExecutor(1) as pool:
            made = pool.submit(client.create_bot, "long", wait=600, transport="uploaded", source=LONG)
            wait_until(lambda: checkers(service))
            *_, worker = service.pids("worker")
            os.kill(worker, signal.SIGKILL)
            # Its watchdog starts another one, which begins again; the client follows 202 by itself.
            answer = made.result(600)
        assert answer["upload"]["state"] == "added"
        assert [version["label"] for version in answer["bot"]["versions"]] == ["1"]
        assert (answer["bot"]["version"], client.uploads("long")) == ("1", [])
        used = client.me()["quotas"]["bytes"]["used"]
        assert len(LONG) <= used < len(LONG) + REPLIES
        assert worker not in service.pids("worker")
        with pytest.raises(ApiError) as caught:
            client.add_version("long", "2", wait=600, transport="uploaded", source=FIELDS)
        assert caught.value.code == "compile_failed"
        assert "ms of fuel, the maximum for its size" in caught.value.message
        assert [version["label"] for version in client.bot("long")["versions"]] == ["1"]
        # The reply 202, which a check gets that takes long, is kept.
        assert used <= client.me()["quotas"]["bytes"]["used"] < used + REPLIES < used + len(FIELDS)


@pytest.mark.nightly("processes")
def test_a_failed_bot_is_explained_and_fixed(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        owner = service.client().sign_up("olga")
        file = tmp_path / "mine.py"
        file.write_text("def choose(turn):\n    return turn['nothing of the kind']\n")
        submit = ("bot", "submit", "mine.py", "--name", "mine", "--kind", "toepen")
        done = call(service, tmp_path, *submit, token=owner)
        assert done.returncode == 2
        assert "mine 1 did not qualify: toepen: " in done.stderr
        assert "nothing of the kind" in done.stderr
        assert "line 2" in done.stderr
        # The command that is shown asks the bot again, where it failed.
        found = re.search(
            r"toepen: to repeat this decision, with your token in BOTEQUIM_TOKEN: "
            r"(botequim .* --turn (\S+) .*)",
            done.stdout,
        )
        assert found, done.stdout
        assert f"the last was crashed at turn {found[2]}, after " in done.stderr
        again = subprocess.run(
            ["bash", "-c", f'botequim() {{ "{sys.executable}" -m arena.cli "$@"; }}\n{found[1]}'],
            cwd=tmp_path,
            env=environment(BOTEQUIM_TOKEN=owner),
            capture_output=True,
            text=True,
            timeout=400,
        )
        assert again.returncode == 0, again.stderr
        assert f"turn {found[2]}, seat " in again.stdout
        assert "recorded: a fault (crashed)" in again.stdout
        assert "now:      crashed: KeyError: 'nothing of the kind' (bot.py, line 2)" in again.stdout
        file.write_text("def choose(turn:\n")
        done = call(service, tmp_path, *submit, token=owner)
        assert done.returncode == 2
        assert "mine 2 was refused: SyntaxError: '(' was never closed (bot.py, line 1)" in done.stderr
        file.write_text("def choose(turn):\n    return turn['legal_actions'][0]\n")
        done = call(service, tmp_path, *submit, token=owner)
        assert (done.returncode, done.stderr) == (0, "")
        assert "mine 2: added" in done.stdout
        for flag, takes_part in (("--no-tournaments", False), ("--tournaments", True)):
            done = call(service, tmp_path, *submit, flag, token=owner)
            assert ("mine: takes part in no scheduled tournament" in done.stdout) is not takes_part
            assert service.client().bot("mine")["tournaments"] is takes_part
        cup = service.client(owner).create_tournament(
            name="Sealed cup",
            kind="toepen",
            format="swiss",
            division="sealed",
            auto_enter=True,
            locks_ms=time.time_ns() // 1_000_000 + 3_600_000,
        )
        done = call(service, tmp_path, *submit, token=owner)
        assert done.returncode == 0
        assert "mine 2: already has this source" in done.stdout
        page = f"{service.url}/tournaments/{cup['id']}"
        assert f"toepen: plays in 'Sealed cup', which locks in 1 h: {page}\n" in done.stdout
