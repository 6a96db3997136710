"""``botequim compare --online`` against a service with workers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.service import Service
from tests.waiting import PATIENCE
from tests.workers.test_uploads import call

SOURCES = {
    "1": "def choose(turn):\n    raise ValueError('no')\n",
    "2": "def choose(turn):\n    return turn['legal_actions'][0]\n",
}


@pytest.mark.nightly("processes")
def test_the_workers_play_and_the_command_follows(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        token = service.client().sign_up("olga")
        owner = service.client(token)
        owner.create_bot("olgas-bot", version="1", transport="uploaded", source=SOURCES["1"].encode())
        owner.add_version("olgas-bot", "2", transport="uploaded", source=SOURCES["2"].encode())
        words = ("--online", "olgas-bot", "--new", "2", "--old", "1", "--kind", "truco")
        done = call(service, tmp_path, "compare", *words, "--preset", "mineiro-2@1", token=token)
        assert done.returncode == 0, done.stderr
        line, verdict = done.stdout.splitlines()
        found = r"LLR: \d+\.\d\d \(-2\.94, 2\.94\) <0, 20>, groups: 60, margin: \+\d\.\d\d\d "
        assert re.match(found, line), line
        assert verdict == "olgas-bot 2 is better than olgas-bot 1: elo1 is accepted"
        found = re.search(
            rf"^(q-\w+): ({re.escape(service.url)}/comparisons/q-\w+)$", done.stderr, re.MULTILINE
        )
        assert found is not None, done.stderr
        page = urlopen(Request(found[2], headers={"Authorization": f"Bearer {token}"}), timeout=PATIENCE)
        assert b"Yes, it is better." in page.read()

        again = call(service, tmp_path, "compare", "--follow", found[1], "--json", token=token)
        assert again.returncode == 0, again.stderr
        assert json.loads(again.stdout)["decision"] == "elo1"
        refused = call(service, tmp_path, "compare", *words, "--elo0", "20", "--elo1", "30", token="btq_x")
        assert refused.returncode == 2
        assert "Traceback" not in refused.stderr
