"""What commands write cannot control the terminal, whoever wrote the text."""

from __future__ import annotations

import io
import json
import sys

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.progress import Progress, TextColumn
from rich.text import Text

from arena.cli import run
from arena.cli.commands import Command
from arena.cli.terminal import console, escaped, escaping
from arena.text import JOINERS

HOSTILE = "\x1b[31mred\x1b]0;title\x07\r\b\x7f\x9b2J\u202e\u2028\ue000\U000e0041\ud800"
SHOWN = r"\u001b[31mred\u001b]0;title\u0007\u000d\u0008\u007f\u009b2J\u202e\u2028\ue000\udb40\udc41\ud800"


def test_unprintable_characters_are_escaped() -> None:
    assert escaped(HOSTILE) == SHOWN
    assert escaped(SHOWN) == SHOWN
    plain = f"ação 🃏\tç\r\nand{JOINERS}"
    assert escaped(plain) == plain


@given(st.text(st.characters()))
def test_escaped_json_is_the_same_json(text: str) -> None:
    value = {text: [text]}
    shown = escaped(json.dumps(value, ensure_ascii=False))
    assert json.loads(shown) == value
    assert shown.isprintable() or any(char in shown for char in JOINERS)


@click.command(cls=Command)
@click.option("--fail", is_flag=True)
def prints(fail: bool) -> None:
    click.echo(HOSTILE)
    click.echo(HOSTILE, err=True)
    print(HOSTILE)
    sys.stdout.writelines([HOSTILE, "\n"])
    sys.stderr.write(f"{HOSTILE}\n")
    if fail:
        raise click.UsageError(HOSTILE)


def test_everything_that_a_command_prints_is_escaped(capfd: pytest.CaptureFixture[str]) -> None:
    assert run([], prints) == 0
    printed = capfd.readouterr()
    # Click removes colours where there is no terminal.
    click_shown = SHOWN.removeprefix(r"\u001b[31m")
    assert printed.out.splitlines() == [click_shown, SHOWN, SHOWN]
    assert printed.err.splitlines() == [click_shown, SHOWN]
    assert run(["--fail"], prints) == 2
    assert all(line.isprintable() for line in capfd.readouterr().err.splitlines())


def test_an_ascii_stream_is_escaped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert run([], prints) == 0
    assert all(line.isprintable() for line in raw.getvalue().decode().splitlines())
    assert not sys.stdout.closed


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_bars_are_drawn_but_their_texts_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    with escaping():
        made = console()
        with Progress(TextColumn("{task.description}", markup=False), console=made) as bar:
            bar.add_task(HOSTILE)
            # Rich shows this line above the bar.
            click.echo(HOSTILE, err=True)
        with made.status(Text(HOSTILE)) as status:
            status.update(Text(f"[link=https://example.org]{HOSTILE}"))
        made.print("[bold]plain[/bold]")
    drawn = screen.getvalue()
    assert "\x1b[?25l" in drawn  # Rich hides the cursor
    assert "]0;title" in drawn
    assert "[bold]plain[/bold]" in drawn
    for sequence in ("\x1b[31m", "\x1b]", "\x07", "\x9b", "\u202e"):
        assert sequence not in drawn
