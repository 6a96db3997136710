"""Clients that others' generators make from ``openapi.yaml``."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service import ROOT, Service
from tests.waiting import PATIENCE

DOCUMENT = ROOT / "openapi.yaml"
PLAYER = Path(__file__).with_name("generated_player.py")

pytestmark = pytest.mark.nightly("contract")


def test_openapi_python_client(tmp_path: Path) -> None:
    out = tmp_path / "generated"
    generator = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none"]
    command = [*generator, "--path", str(DOCUMENT), "--output-path", str(out)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    script = (
        "import generated.models as models\n"
        "from generated.api.turns import exchange_turns\n"
        "from generated.api.leaderboards import get_leaderboard\n"
        "assert models.GameRecord and models.TrucoTurn and models.ToepenTurn\n"
        "board = str(get_leaderboard.sync.__annotations__['return'])\n"
        "assert 'Board' in board, board\n"
        "answers = models.Answers(answers=[models.Answer(turn='t', action='play:4C')])\n"
        "assert answers.to_dict() == {'answers': [{'turn': 't', 'action': 'play:4C'}]}\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path, timeout=PATIENCE)
    # The smallest bodies type-check, are accepted, and a game of each kind is played without a fault.
    shutil.copy(PLAYER, tmp_path)
    (out / "py.typed").touch()
    check = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", PLAYER.name]
    checked = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert checked.returncode == 0, checked.stdout
    with Service(tmp_path) as service:
        play = [sys.executable, PLAYER.name, service.url]
        played = subprocess.run(play, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert played.returncode == 0, played.stderr
    assert sorted(line.split(":")[0] for line in played.stdout.splitlines()) == ["toepen", "truco"]


@pytest.mark.skipif(shutil.which("npx") is None, reason="needs Node")
def test_openapi_typescript(tmp_path: Path) -> None:
    out = tmp_path / "api.d.ts"
    command = ["npx", "--yes", "openapi-typescript@7", str(DOCUMENT), "--output", str(out)]
    subprocess.run(command, check=True, capture_output=True, timeout=300, cwd=tmp_path)
    text = out.read_text()
    # What has a default may be left out of a request.
    (game,) = re.findall(r"^        NewTrucoGame: \{.*?^        \};", text, re.MULTILINE | re.DOTALL)
    assert re.search(r"^            visibility\?:", game, re.MULTILINE), game
    assert re.search(r"^            seats:", game, re.MULTILINE), game
