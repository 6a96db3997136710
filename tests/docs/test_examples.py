"""Every example is run: the bots here, the others in ``tests/webhooks`` and ``tests/starters``."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.service import ROOT, Service, botequim, environment
from tests.waiting import PATIENCE

BOTS = {"truco_careful.py": "truco", "toepen_last_trick.py": "toepen"}
AGENT = "agent.py"
LEARNER = "learn_truco.py"
RECEIVERS = {"webhook_receiver.py", "webhook-receiver.mjs"}


def test_every_example_is_run_by_a_test() -> None:
    files = {path.name for path in (ROOT / "examples").iterdir() if path.is_file()}
    assert files == {*BOTS, *RECEIVERS, AGENT, LEARNER}
    folders = {path.name for path in (ROOT / "examples").iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders == {"ctruco"}
    assert "docs/ctruco.md" in (ROOT / "tests/starters/test_ctruco.py").read_text(encoding="utf-8")
    parts = (ROOT / "tests/webhooks/parts.py").read_text(encoding="utf-8")
    assert all(f"examples/{name}" in parts for name in RECEIVERS)


@pytest.mark.parametrize(("name", "kind"), BOTS.items())
@pytest.mark.system
def test_the_bot_plays_without_a_fault_and_beats_random(name: str, kind: str, tmp_path: Path) -> None:
    flags = ("--groups", "40", "--seed", "7", "--records", "out.jsonl")
    command = botequim("play", kind, str(ROOT / "examples" / name), "random", *flags)
    subprocess.run(command, check=True, cwd=tmp_path, env=environment(), timeout=PATIENCE)
    winners = Counter[str]()
    for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)["canonical"]
        assert record["faults"] == []
        names = [player["name"] for player in record["players"]]
        places = record["outcome"]["places"]
        winners.update({name for name, place in zip(names, places, strict=True) if place == 1})
    assert winners[Path(name).stem] > winners["random"]


@pytest.mark.nightly("agents")
def test_the_agent_plays_a_game_of_each_kind_by_tool_calls(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        owner = service.client(service.client().sign_up("ana"))
        token = owner.register_bot("ana-agent")
        for kind in sorted(set(BOTS.values())):
            command = [sys.executable, str(ROOT / "examples" / AGENT), service.url, kind]
            settings = {**environment(), "BOTEQUIM_TOKEN": token}
            done = subprocess.run(
                command, check=True, env=settings, timeout=PATIENCE, capture_output=True, text=True
            )
            assert "is finished. ana-agent place " in done.stdout
            (game,) = [one["game"] for one in service.client().games(kind=kind, limit=1)]
            record = service.client().record(game, wait=True)
            assert record["canonical"]["faults"] == []
            assert {one["note"] for one in owner.notes("ana-agent", game)["notes"]} <= {
                "an ace or a three in hand",
                "no ace and no three in hand",
            }


@pytest.mark.nightly("research")
def test_the_learner_learns_from_the_environment(tmp_path: Path) -> None:
    """Half a minute is enough to beat random; docs/research.md has the result of four."""
    command = [sys.executable, str(ROOT / "examples" / LEARNER), "--minutes", "0.5", "--games", "300"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), timeout=PATIENCE * 10, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    before, after = (float(line.split()[2]) for line in done.stdout.splitlines()[1:])
    assert 0.3 < before < after
