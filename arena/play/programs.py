"""Bots that are programs in any language, run on this machine: ``cmd:./bot --stdio``. They read and write
JSON lines (``arena/play/lines.py``).
"""

from __future__ import annotations

import atexit
import hashlib
import os
import select
import shlex
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena.bots import HOUSE_BOTS, Bot, BotFailure, BotSpec, InvalidBot, Turn, UnknownBot, bot_spec
from arena.bots.games import check_game
from arena.play.lines import LINE_BYTES, Opening, first_line, read_answer, read_opening, too_long, turn_line
from arena.play.time_limits import OutOfTime, deferred_alarms, time_limit

PREFIX: Final = "cmd:"

_FIRST_ANSWER_SECONDS: Final = 10.0
"""How long the check of a program waits for its first line."""

_END_SECONDS: Final = 0.5
"""How long a program may take to end when its standard input is closed."""

_CHUNK: Final = 64 * 1024
_MOST_UNREAD: Final = 4 * LINE_BYTES
_LOG_BYTES: Final = 4000
"""The number of final bytes of standard error that are kept."""

_LOG_SHOWN: Final = 300
"""The number of final characters of standard error in the error of a program that cannot start."""


@dataclass(frozen=True)
class ProgramSpec(BotSpec):
    """A program. ``words`` are its command. ``shows_log``: whether its standard error goes to that of this
    process; otherwise, its end is part of the report of a crash.
    """

    words: tuple[str, ...] = ()
    shows_log: bool = False

    def make(self, seed: int) -> Bot:
        """See :meth:`arena.bots.BotSpec.make`. Raises :class:`~arena.bots.BotFailure`, too."""
        return ProgramBot(self, seed)


class RunningProgram:
    """A running program, which answers each line with a line. It leads its own process group, so that its
    children end with it, and Ctrl-C does not reach it.
    """

    def __init__(self, spec: ProgramSpec, seed: int) -> None:
        """Start the program and send the first line. Raises :class:`~arena.bots.InvalidBot`,
        :class:`~arena.bots.BotFailure` or an expired time limit.
        """
        self._owner = os.getpid()
        self._unread = bytearray()
        self._log = bytearray()
        self._ended = False
        errors = None if spec.shows_log else subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                spec.words,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise InvalidBot(f"{spec.source}: {error.strerror}", field="bot") from error
        _running.add(self)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        os.set_blocking(self._input, False)
        if self._process.stderr is not None:
            os.set_blocking(self._process.stderr.fileno(), False)
            self._poll.register(self._process.stderr.fileno(), select.POLLIN)
        self.opening = Opening()
        try:
            self.opening = read_opening(self.ask(first_line(seed)), spec.source)
        except BaseException:
            self.end()
            raise

    @property
    def foreign(self) -> bool:
        """Whether another process has started the program, and forked into this one."""
        return self._owner != os.getpid()

    @property
    def ended(self) -> bool:
        """Whether the program has ended, for this process."""
        return self._ended or self.foreign

    def ask(self, line: bytes) -> bytes:
        """Write a line, and return the program's next line without its end.

        Raises :class:`~arena.bots.BotFailure` if the program ends, or writes too much. After any exception,
        also that of a time limit, the program is ended.
        """
        try:
            while True:
                line = self._write(line)
                answer = self._next_line()
                if answer is not None and not line:
                    del self._unread[: len(answer) + 1]
                    return answer
                self._wait(bool(line))
        except BaseException:
            self.end()
            raise

    def _write(self, line: bytes) -> bytes:
        """Write what the pipe can take, and return the rest."""
        try:
            return line[os.write(self._input, line) :] if line else line
        except BlockingIOError:
            return line
        except BrokenPipeError:
            return b""

    def _next_line(self) -> bytes | None:
        end = self._unread.find(b"\n")
        if end > LINE_BYTES or (end < 0 and len(self._unread) > LINE_BYTES):
            raise too_long(bytes(self._unread))
        return None if end < 0 else bytes(self._unread[:end])

    def _wait(self, writing: bool) -> None:
        """Wait until the program writes something or, if there is something to write, reads."""
        if writing:
            self._poll.register(self._input, select.POLLOUT)
        try:
            ready = self._poll.poll()
        finally:
            if writing:
                self._poll.unregister(self._input)
        for file, _ in ready:
            if file == self._output:
                chunk = os.read(file, _CHUNK)
                if not chunk:
                    raise self._crash()
                self._unread += chunk
                if len(self._unread) > _MOST_UNREAD:
                    raise BotFailure("malformed", "it writes without reading turns")
            elif file != self._input and not self._read_log():
                self._poll.unregister(file)

    def _read_log(self) -> bool:
        """Read from standard error. Return False at its end."""
        assert self._process.stderr is not None
        try:
            chunk = os.read(self._process.stderr.fileno(), _CHUNK)
        except BlockingIOError:
            return True
        self._log = (self._log + chunk)[-_LOG_BYTES:]
        return bool(chunk)

    def _crash(self) -> BotFailure:
        how = "it closed its standard output"
        if self.end(_END_SECONDS):
            code = self._process.returncode
            how = "it ended with "
            how += f"exit code {code}" if code >= 0 else f"signal {-code} ({signal.strsignal(-code)})"
        return BotFailure("crashed", how, self._log.decode(errors="replace"))

    def end(self, patience: float = 0) -> bool:
        """Close the program's standard input, and kill it with all its children after ``patience`` seconds.
        Return whether it ended before.
        """
        if self.ended:
            return True
        process = self._process
        assert process.stdin is not None
        with deferred_alarms:
            self._ended = True
            process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(patience)
            by_itself = process.returncode is not None
            self.kill()
            process.wait()
            _running.discard(self)
            if process.stderr is not None:
                self._read_log()
            for file in (process.stdout, process.stderr):
                if file is not None:
                    file.close()
        return by_itself

    def kill(self) -> None:
        """Kill the program with all its children."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


_running: Final[set[RunningProgram]] = set()

_shared: Final[dict[tuple[str, ...], RunningProgram]] = {}
"""The programs of this process that play all seats, by their commands."""


@atexit.register
def end_programs() -> None:
    """End all programs of this process."""
    for program in list(_running):
        program.end(_END_SECONDS)


def kill_programs() -> None:
    """Kill all programs of this process, for handlers of signals."""
    for program in list(_running):
        if not program.foreign:
            program.kill()


class ProgramBot(Bot):
    """One seat of one game, played by a program. A program that has crashed, or was ended because it was
    late, is started again for the next decision.
    """

    def __init__(self, spec: ProgramSpec, seed: int) -> None:
        self._spec = spec
        self._seed = seed
        self._program = self._started()
        self.wants_rights = self._program.opening.rights

    def _started(self) -> RunningProgram:
        shared = _shared.get(self._spec.words)
        if shared is not None and not shared.ended:
            return shared
        program = RunningProgram(self._spec, self._seed)
        if program.opening.all_seats:
            _shared[self._spec.words] = program
        return program

    def choose(self, turn: Turn) -> str | None:
        """See :meth:`arena.bots.Bot.choose`. Raises :class:`~arena.bots.BotFailure`."""
        if self._program.ended:
            self._program = self._started()
        return read_answer(self._program.ask(turn_line(turn)), turn)

    def close(self) -> None:
        """End the program, unless it plays all seats."""
        if not self._program.opening.all_seats:
            self._program.end(_END_SECONDS)


def local_bot(text: str, kind: str | None = None, *, check: bool = True, shows_log: bool = False) -> BotSpec:
    """Return the bot that ``text`` names: like :func:`~arena.bots.bot_spec`, or ``cmd:COMMAND`` or
    ``label=cmd:COMMAND``, with a command as in a shell.

    Unless ``check`` is false, the program is started once, and must answer the first line. Its version
    depends on the command and on the files that it names. For ``shows_log``, see :class:`ProgramSpec`. Raises
    the same errors as :func:`~arena.bots.bot_spec`.
    """
    label, _, source = ("", "", text) if text.startswith(PREFIX) else text.partition("=")
    if not source.startswith(PREFIX):
        try:
            return bot_spec(text, kind, check=check)
        except UnknownBot as error:
            error.expected = f'{error.expected}, or a program, such as "{PREFIX}./bot --stdio"'
            raise
    words = _words(source)
    files = [word for word in words if os.path.isfile(word)]
    digest = hashlib.sha256("\0".join(words).encode("utf-8", "surrogateescape"))
    for file in files:
        digest.update(Path(file).read_bytes())
    name = label or Path(files[0] if files else words[0]).stem
    spec = ProgramSpec(name, digest.hexdigest()[:12], source, words=words)
    return replace(_checked(spec, kind) if check else spec, shows_log=shows_log)


def _words(source: str) -> tuple[str, ...]:
    """Return the words of the command in ``source``, whose first one is a program that can be run."""
    try:
        words = tuple(shlex.split(source.removeprefix(PREFIX)))
    except ValueError as error:
        raise InvalidBot(f"{source}: {error}", field="bot", expected="a command as in a shell") from None
    if not words:
        raise UnknownBot(f"{source!r} names no program", field="bot", expected=f'"{PREFIX}./bot --stdio"')
    if shutil.which(words[0]) is None:
        there = os.path.exists(words[0])
        raise UnknownBot(
            f"{words[0]!r} is not executable" if there else f"there is no program {words[0]!r}",
            field="bot",
            expected="a file with permission to execute it" if there else "a path, or a program on the PATH",
        )
    return words


def _checked(spec: ProgramSpec, kind: str | None = None) -> ProgramSpec:
    """Start the program once, and return its specification with the games that it plays. Raises
    :class:`~arena.bots.InvalidBot`, or :class:`~arena.bots.GameNotPlayed` if it does not play ``kind``.
    """
    try:
        with time_limit(_FIRST_ANSWER_SECONDS):
            program = RunningProgram(spec, 0)
    except OutOfTime:
        message = f"{spec.source}: no answer to the first line within {_FIRST_ANSWER_SECONDS:g} s"
        raise InvalidBot(message, field="bot") from None
    except BotFailure as failure:
        report = failure.report.strip()[-_LOG_SHOWN:]
        raise InvalidBot(": ".join(filter(None, (spec.source, str(failure), report))), field="bot") from None
    program.end(_END_SECONDS)
    games = program.opening.games
    if kind is not None:
        check_game(spec.source, games, kind)
    return replace(spec, games=games)


def in_sandbox(spec: BotSpec) -> InvalidBot:
    """Return the error for a program that is to run in the sandbox."""
    return InvalidBot(
        f"{spec.source}: a program cannot run in the sandbox",
        field="bot",
        expected="a house bot, path/to/file.py, or path/to/file.wasm",
    )


def files_of(spec: BotSpec) -> list[Path]:
    """Return the files of a bot: its source, or those that the command of a program names."""
    if isinstance(spec, ProgramSpec):
        return [Path(word) for word in spec.words if os.path.isfile(word)]
    return [] if spec.source in HOUSE_BOTS else [Path(spec.source)]
