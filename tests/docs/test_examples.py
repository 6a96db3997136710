"""Every file of ``examples/`` is run: the bots here, the receivers of webhooks in ``tests/webhooks``."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.service import ROOT, botequim, environment

BOTS = {"truco_careful.py": "truco", "toepen_last_trick.py": "toepen"}
RECEIVERS = {"webhook_receiver.py", "webhook-receiver.mjs"}


def test_every_example_is_run_by_a_test() -> None:
    files = {path.name for path in (ROOT / "examples").iterdir() if path.is_file()}
    assert files == {*BOTS, *RECEIVERS}
    parts = (ROOT / "tests/webhooks/parts.py").read_text(encoding="utf-8")
    assert all(f"examples/{name}" in parts for name in RECEIVERS)


@pytest.mark.parametrize(("name", "kind"), BOTS.items())
def test_the_bot_plays_without_a_fault_and_beats_random(name: str, kind: str, tmp_path: Path) -> None:
    flags = ("--groups", "40", "--seed", "7", "--records", "out.jsonl")
    command = botequim("play", kind, str(ROOT / "examples" / name), "random", *flags)
    subprocess.run(command, check=True, cwd=tmp_path, env=environment(), timeout=120)
    winners = Counter[str]()
    for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)["canonical"]
        assert record["faults"] == []
        names = [player["name"] for player in record["players"]]
        places = record["outcome"]["places"]
        winners.update({name for name, place in zip(names, places, strict=True) if place == 1})
    assert winners[Path(name).stem] > winners["random"]
