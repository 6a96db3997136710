"""JavaScript files as bots, which Node plays on this machine. They export a function ``choose(turn)``, or a
class with such a method. The sandbox plays them by ``seat.js``, too.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Final

from arena.bots import Bot, BotFailure, BotSpec, InvalidBot, Turn, UnknownBot
from arena.bots.games import check_game
from arena.bots.loader import data_of
from arena.inputs.files import MARK, decode_script
from arena.play.lines import first_line, read_answer, read_opening, turn_line
from arena.play.programs import PREFIX, ProgramBot, ProgramSpec
from arena.play.time_limits import OutOfTime, time_limit

ENDING: Final = ".js"

_HERE: Final = Path(__file__).parent

SEAT: Final = _HERE / "seat.js"
"""What plays one seat, in every engine."""

_LOAD_SECONDS: Final = 30.0
"""How long the check of a file waits until it is loaded."""

_OPTIONS: Final = ("--no-warnings", "--experimental-vm-modules")

_keys: Final = count(1)


@dataclass(frozen=True)
class ScriptSpec(BotSpec):
    """A JavaScript file that Node plays. ``digest`` is that of its contents. For ``shows_log``, see
    :class:`~arena.play.programs.ProgramSpec`.
    """

    digest: str = ""
    shows_log: bool = False

    def make(self, seed: int) -> Bot:
        """See :meth:`arena.bots.BotSpec.make`. Raises :class:`~arena.bots.BotFailure`, too."""
        return ScriptBot(self, seed)


def has_node() -> bool:
    """Return whether Node is on the PATH."""
    return shutil.which("node") is not None


def split_label(text: str) -> tuple[str, str]:
    """Return the label and the rest of ``label=rest``. Without a label, it is empty."""
    label, separator, rest = text.partition("=")
    return (label, rest) if separator and not text.startswith(PREFIX) else ("", text)


def script_spec(text: str) -> ScriptSpec:
    """Return the bot in a JavaScript file, ``path/to/file.js`` or ``label=path/to/file.js``, without loading
    it. Raises :class:`~arena.errors.UnknownBot` or :class:`~arena.bots.InvalidBot`.
    """
    label, source = split_label(text)
    path = Path(source)
    if not path.is_file():
        raise UnknownBot(
            f"there is no file {source!r}",
            field="bot",
            expected="a JavaScript file that exports a function choose(turn)",
        )
    script_of(path)
    digest = hashlib.sha256(data_of(path)).hexdigest()[:12]
    return ScriptSpec(label or path.stem, digest, source, digest=digest)


def script_of(path: str | Path) -> str:
    """Return the source in a JavaScript file. Raises :class:`~arena.bots.InvalidBot`."""

    def refuse(message: str, field: str, expected: str) -> InvalidBot:
        return InvalidBot(f"{path}: {message}", field=field, expected=expected)

    return decode_script(data_of(path), "bot", refuse).removeprefix(MARK)


def checked_script(spec: ScriptSpec, kind: str | None = None) -> ScriptSpec:
    """Load a JavaScript file once with Node, and return the bot with the games that it plays. Raises
    :class:`~arena.bots.InvalidBot`, or :class:`~arena.bots.GameNotPlayed` if it does not play ``kind``.
    """
    try:
        with time_limit(_LOAD_SECONDS):
            # In a process of its own, which ends at once.
            bot = ScriptBot(replace(spec, digest="check"), 0)
    except OutOfTime:
        message = f"{spec.source}: it does not load within {_LOAD_SECONDS:g} s"
        raise InvalidBot(message, field="bot") from None
    except BotFailure as failure:
        raise InvalidBot(f"{spec.source}: {failure}", field="bot") from None
    bot.end()
    if kind is not None:
        check_game(spec.source, bot.games, kind)
    return replace(spec, games=bot.games)


class ScriptBot(ProgramBot):
    """One seat of one game, played by a JavaScript file. All seats of a file share a process of Node."""

    def __init__(self, spec: ScriptSpec, seed: int) -> None:
        self._script = spec
        self._key = b"%d " % next(_keys)
        # With the digest, so that a process does not play a file that has changed.
        words = ("node", *_OPTIONS, str(_HERE / "node.mjs"), spec.source, spec.digest)
        super().__init__(ProgramSpec(spec.name, spec.version, spec.source, (), words, spec.shows_log), seed)
        self._open()

    def choose(self, turn: Turn) -> str | None:
        """See :meth:`arena.bots.Bot.choose`. Raises :class:`~arena.bots.BotFailure`."""
        if self._program.ended:
            self._program = self._started()
            self._open()
        return read_answer(self._program.ask(self._key + turn_line(turn)), turn)

    def close(self) -> None:
        """End the seat."""
        if not self._program.ended:
            self._program.ask(self._key + b"\n")

    def end(self) -> None:
        """End the process, and with it all its seats."""
        self._program.end()

    def _open(self) -> None:
        try:
            line = self._program.ask(self._key + first_line(self._seed))
        except BotFailure as failure:
            raise _syntax_error(failure, self._script.source) or failure from None
        try:
            opening = read_opening(line, self._script.source)
        except InvalidBot:
            self.end()
            raise
        self.games, self.wants_rights = opening.games, opening.rights


def _syntax_error(failure: BotFailure, source: str) -> InvalidBot | None:
    """Return the error for a file that Node could not compile, with the line, or None."""
    line = re.search(rf"^{re.escape(source)}:(\d+)$", failure.report, re.MULTILINE)
    what = re.search(r"^SyntaxError: .*$", failure.report, re.MULTILINE)
    return InvalidBot(f"{source}:{line[1]}: {what[0]}", field="bot") if line and what else None
