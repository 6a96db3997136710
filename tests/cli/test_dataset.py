"""Data sets of a service, and how owners keep their bots out of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from arena.research.dataset import LICENCE
from tests.api.server import Server
from tests.cli.conftest import Owner, Terminal

pytestmark = pytest.mark.nightly("research")


def test_a_data_set_of_the_public_games(
    owner: Owner, service: Server, terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{owner.name}-{letter}" for letter in "ab"]
    tokens = [terminal("bot", "register", name).strip() for name in names]
    game = terminal.json("game", "create", "toepen", *names)["game"]
    bots = [service.client(token) for token in tokens]
    for bot in bots * 3:
        turns = [turn for turn in bot.turns(None, wait=0)["turns"] if not turn["optional"]]
        bot.exchange([{"turn": turn["turn"], "action": turn["legal_actions"][0]} for turn in turns])
    for bot in bots:
        bot.resign(game)
    record = owner.client.record(game, wait=True)
    decided = sum(seat >= 0 and not mark for seat, _, *mark in record["canonical"]["actions"])

    licences: list[str | None] = []

    def bots_in(*options: str) -> set[str]:
        out = tmp_path / "data.parquet"
        terminal("dataset", "toepen/duel@1", "--out", str(out), *options)
        licences.append(json.loads(pq.read_schema(out).metadata[b"botequim"])["licence"])
        rows = [row for row in pq.read_table(out).to_pylist() if row["game"] == game]
        assert len(rows) <= decided
        return {row["bot"] for row in rows}

    file = tmp_path / "records.jsonl"
    terminal("records", "--out", str(file))
    assert bots_in() == {*names}
    assert terminal("bot", "change", names[0], "--no-datasets") == "datasets: no\n"
    assert re.search(r"in data sets: +no\n", terminal("bot", "show", names[0]))
    assert bots_in() == {names[1]}
    # A download of the service asks it as well, and so does any file if a service is named.
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(file.read_bytes())
    assert bots_in("--records", str(copy)) == {names[1]}
    assert licences == [LICENCE] * 3
    monkeypatch.delenv("BOTEQUIM_URL")
    assert bots_in("--records", str(copy)) == {*names}
    assert licences.pop() is None
    monkeypatch.setenv("BOTEQUIM_URL", service.url)
    assert bots_in("--records", str(file)) == {names[1]}
    assert bots_in("--records", str(file), "--without", names[1]) == set()
    assert terminal.json("bot", "change", names[0], "--datasets")["datasets"] is True
    assert bots_in() == {*names}
    state = file.with_name("records.jsonl.state")
    state.write_text(state.read_text().replace('"finished": true', '"finished": false'))
    assert "is not finished" in terminal.error(
        "dataset", "toepen/duel@1", "--records", str(file), "--out", str(tmp_path / "out")
    )
