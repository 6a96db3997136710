"""A service that sends anything at all: each command ends, with one line if it cannot use the reply."""

from __future__ import annotations

import random
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli import run
from tests.cli.hostile import HostileService, hostile_service, spoils

COMMANDS = """
whoami
owner show ana
owner export
bot list
bot list --mine
bot show a
bot versions a
bot games a
bot source a --version 1
bot uploads a
bot upload a u
bot qualifications a
bot log a g
bot owners a
bot notes a g
bot register abcde
bot rotate a
game list
game show g
game events g
game watch g
game record g
game create toepen a house:rookie
game join g
tournament list
tournament show t
tournament groups t
tournament bracket t
tournament standings t
tournament standings t --format csv
tournament records t
tournament invite t
tournament organisers t
tournament follow t
tournament results t
tournament watch t
tournament edit t --name x
tournament clone t
schedule list
schedule show s
schedule pause s
series list
series show s
roster show
roster invite 2
leaderboard --online --kind toepen
leaderboard --online --json
leaderboard --history
leaderboard --styles
leaderboard --matchups
leaderboard --matchups --json
records --kind toepen
records --out all.jsonl
compare --list
compare --follow c
admin audit
admin hidden
admin suspensions
admin suspicions toepen open
admin health
admin metrics
signup x
owner rotate
owner recover --recovery-code c
owner recovery-code
web --no-browser
api get_bot bot=a
api list_bots --all
api get_turns
dataset toepen/duel@1 --out d.parquet
bot submit my_bot.py --name a --wait 0
""".strip().splitlines()

ALLOWED = "\u200c\u200d"


@pytest.fixture(scope="module")
def hostile() -> Iterator[HostileService]:
    with hostile_service() as service:
        yield service


@pytest.mark.parametrize("way", spoils(random.Random(0)))
def test_every_command_ends_with_one_line(
    way: str,
    hostile: HostileService,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    config: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOTEQUIM_URL", hostile.url)
    monkeypatch.setenv("BOTEQUIM_TOKEN", "token")
    monkeypatch.setattr("arena.cli.tournament._BREATH", 0)
    hostile.spoil = spoils(random.Random(way))[way]
    Path("my_bot.py").write_text("from botequim import Bot\n\n\nclass MyBot(Bot):\n    pass\n")
    for line in COMMANDS:
        hostile.requests = 0
        code = run(shlex.split(line))
        printed = capsys.readouterr()
        assert code in (0, 1, 2), line
        shown = printed.out + printed.err
        odd = [char for char in set(shown) if not char.isprintable() and char not in "\n\t"]
        assert not odd, (line, odd)
        assert "Traceback" not in shown
        if code == 2:
            assert printed.err.splitlines()[-1].startswith("botequim: error: "), line
            assert len(printed.err.splitlines()[-1]) < 1100, line


@pytest.mark.parametrize(
    ("sent", "opened"),
    [
        ("/sign-in?code=x", "URL/sign-in?code=x"),
        ("https://bar.example/sign-in?code=x", "https://bar.example/sign-in?code=x"),
        ("file:///etc/passwd", None),
        ("--help", None),
        ("javascript:alert(1)", None),
    ],
)
def test_only_pages_are_opened(
    sent: str,
    opened: str | None,
    hostile: HostileService,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BOTEQUIM_URL", hostile.url)
    monkeypatch.setenv("BOTEQUIM_TOKEN", "token")
    found: list[str] = []
    monkeypatch.setattr("webbrowser.open", found.append)
    hostile.requests = 0
    hostile.spoil = lambda value: {**value, "url": sent}
    assert run(["web"]) == (2 if opened is None else 0)
    assert found == ([] if opened is None else [opened.replace("URL", hostile.url)])
