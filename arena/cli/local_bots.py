"""Bots that play on this machine, by what people type: house bots, Python and JavaScript files, programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.bots import BotSpec, UnknownBot
from arena.bots.games import check_game
from arena.installation import not_installed
from arena.play import programs
from arena.play.javascript import (
    ENDING,
    ScriptSpec,
    checked_script,
    has_node,
    script_of,
    script_spec,
    split_label,
)

if TYPE_CHECKING:
    from arena.sandbox.bot import SandboxedSpec


def local_bot(text: str, kind: str | None = None, *, check: bool = True, shows_log: bool = False) -> BotSpec:
    """Return the bot that ``text`` names: like :func:`arena.play.programs.local_bot`, or
    ``path/to/file.js`` or ``label=path/to/file.js``.

    Unless ``check`` is false, a JavaScript file is loaded once. Node plays it or, if Node is not on the PATH,
    the engine of the sandbox. Raises the same errors, and :class:`~arena.errors.ArenaError` if neither is
    installed.
    """
    if not is_script(text):
        try:
            return programs.local_bot(text, kind, check=check, shows_log=shows_log)
        except UnknownBot as error:
            error.expected = (error.expected or "").replace("file.py", "file.py or .js", 1)
            raise
    spec = script_spec(text)
    if has_node():
        return replace(checked_script(spec, kind) if check else spec, shows_log=shows_log)
    found = script_in_sandbox(spec, "a JavaScript file without Node on the PATH")
    return checked_in_sandbox(text, found, kind) if check else found


def is_script(text: str) -> bool:
    """Return whether ``text`` names a JavaScript file."""
    _, source = split_label(text)
    return source.endswith(ENDING) and not source.startswith(programs.PREFIX)


def files_of(text: str) -> list[Path]:
    """Return the files of a bot: its source, or those that the command of a program names."""
    if is_script(text):
        return [Path(split_label(text)[1])]
    return programs.files_of(programs.local_bot(text, check=False))


def script_in_sandbox(spec: ScriptSpec, what: str = "the sandbox") -> SandboxedSpec:
    """Return a JavaScript file to run in the sandbox, without loading it. Raises
    :class:`~arena.bots.InvalidBot`, and :class:`~arena.errors.ArenaError` if the sandbox is not installed.
    """
    try:
        from arena.sandbox.bot import sandboxed_spec
    except ModuleNotFoundError as error:
        raise not_installed(what, str(error.name)) from None
    return sandboxed_spec(spec.name, spec.version, script_of(spec.source), language="javascript")


def checked_in_sandbox(text: str, spec: SandboxedSpec, kind: str | None) -> SandboxedSpec:
    """Load a bot once in the sandbox, and return it with the games that it plays. Raises
    :class:`~arena.bots.InvalidBot`, or :class:`~arena.bots.GameNotPlayed` if it does not play ``kind``.
    """
    from arena.sandbox.bot import check_bot

    games = check_bot(spec)
    if kind is not None:
        check_game(text, games, kind)
    return replace(spec, games=games)
