"""``python -m tests.soak.faulty``: bots that die, hang, answer rubbish or answer late, in one tournament.

Every bot is a process of its own that plays over HTTP, and all of them qualify before they go wrong. Each
may cost nobody but itself.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import click

from arena.records.verify import verify
from tests.service import Service, botequim, environment
from tests.soak.season import end

KINDS: Final[dict[str, dict[str, Any]]] = {"truco": {}, "toepen": {"seats": 2}}
HOUSE: Final = ("random", "rookie")
CLOCK: Final = {"per_turn_ms": 2000, "bank_ms": 2000}
WRONG: Final = {
    "dies": "os._exit(1)",
    "hangs": "time.sleep(1e6)",
    "rubbish": "answer_for_ever(turn, 'rubbish')",
    "late": "time.sleep(5)",
}
"""What the bots of these names do at their turns in the tournament."""

_FILE: Final = """
import json, os, time, urllib.request
from botequim import Bot, bot_spec

def answer_for_ever(turn, action):
    # By a request of its own: a player sends legal actions only.
    token = os.environ["BOTEQUIM_TOKEN"]
    headers = {{"Authorization": "Bearer " + token, "Content-Type": "application/json"}}
    body = json.dumps({{"answers": [{{"turn": turn["turn"], "action": action}}]}}).encode()
    request = urllib.request.Request(os.environ["BOTEQUIM_URL"] + "/v1/turns", body, headers)
    while True:
        urllib.request.urlopen(request).close()
        time.sleep(0.2)

class Faulty(Bot):
    def choose(self, turn):
        if turn["game"].startswith("{tournament}-"):
            {wrong}
        return bot_spec("rookie").make(1).choose(turn)
"""


def play(folder: Path, kind: str, *, seconds: float = 600) -> dict[str, dict[str, Any]]:
    """A round robin of the house, a good bot and the faulty ones; the rows of the standings by name."""
    names = ("good", *WRONG)
    with Service(folder, workers=2, BOTEQUIM_LOG_LEVEL="warning") as service, ExitStack() as stack:
        owners = {name: service.client(service.client().sign_up(f"owner-{name}")) for name in names}
        tokens = {
            name: owner.request("POST", "/v1/bots", {"name": f"bot-{name}"})["token"]
            for name, owner in owners.items()
        }
        made = owners["good"].create_tournament(
            name="Troublemakers",
            kind=kind,
            rules=KINDS[kind],
            format="round_robin",
            house=list(HOUSE),
            clock=CLOCK,
            locks_ms=time.time_ns() // 1_000_000 + 20_000,
        )
        for name, owner in owners.items():
            file = folder / f"{name}.py"
            wrong = WRONG.get(name, "pass")
            file.write_text(_FILE.format(tournament=made["id"], wrong=wrong), encoding="utf-8")
            settings = {"BOTEQUIM_URL": service.url, "BOTEQUIM_TOKEN": tokens[name]}
            command = botequim("bot", "run", str(file))
            with (folder / f"{name}.log").open("wb") as log:
                process = subprocess.Popen(
                    command, env=environment(**settings), stdout=log, stderr=log, start_new_session=True
                )
            stack.callback(end, process)
            owner.request("POST", f"/v1/tournaments/{made['id']}/entries", {"bot": f"bot-{name}"})
        deadline = time.monotonic() + seconds
        while (view := owners["good"].tournament(made["id"]) or made)["state"] != "finished":
            assert view["state"] != "cancelled", view
            assert time.monotonic() < deadline, view
            time.sleep(0.5)
        table = owners["good"].request("GET", f"/v1/tournaments/{made['id']}/standings")
        for line in owners["good"].records():
            assert verify(json.loads(line)) == []
    rows = {row["name"]: row for row in table["rows"]}
    check(rows, table["crosstable"], [row["name"] for row in table["rows"]])
    return rows


def check(rows: dict[str, dict[str, Any]], crosstable: list[Any], order: list[str]) -> None:
    """Whoever went wrong lost everything; everybody else lost nothing by it, and met all the others."""
    healthy = ["bot-good", *HOUSE]
    assert sorted(rows) == sorted([*healthy, *(f"bot-{name}" for name in WRONG)])
    for name in WRONG:
        row = rows[f"bot-{name}"]
        assert row["points"] == 0, row
        assert row["forfeits"] == row["groups"] > 0, row
    for name in healthy:
        row = rows[name]
        assert row["faults"] == row["forfeits"] == 0, row
        # What was finished of a group that the other one forfeited counts as well.
        assert len(healthy) - 1 <= row["groups"] <= len(rows) - 1, row
        for other in order:
            meeting = crosstable[order.index(name)][order.index(other)]
            assert (meeting is None) == (name == other or other not in healthy), (name, other)


@click.command()
@click.option("--kind", "kinds", multiple=True, type=click.Choice(list(KINDS)), default=list(KINDS))
def main(kinds: tuple[str, ...]) -> None:
    """Play, check, and say what became of everybody."""
    for kind in kinds:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            rows = play(Path(folder), kind)
        for row in rows.values():
            click.echo(
                f"{kind} {row['name']:<12} place {row['place']}: {row['points']:g} points "
                f"of {row['groups']} groups, {row['forfeits']} forfeits, {row['faults']} faults"
            )
        click.echo(f"{kind}: each cost nobody but itself; {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
