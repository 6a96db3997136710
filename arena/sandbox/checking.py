"""Check an upload before it becomes a version: compile it, and load it once, in a process with limits.

    python -m arena.sandbox.checking python|javascript|module FILE RUNTIME

prints a line of JSON for each step: :data:`COMPILED`, then :data:`LOADED`, or the reason why the upload is
refused. ``RUNTIME`` is the component of the sandbox's Python.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, NamedTuple, cast

from arena.bots import HostFailure, InvalidBot
from arena.sandbox.bot import Language, check_bot, compile_bot, sandboxed_spec
from arena.sandbox.building import SOURCES
from arena.sandbox.cache import cache_environment
from arena.sandbox.compiler import compile_budget
from arena.sandbox.limits import DEFAULT_LIMITS, FUEL_PER_MS, compile_ms, processor_seconds
from arena.sandbox.runtime import load_runtime, use_runtime

Step = Literal["compiled", "loaded"]
COMPILED: Final = "compiled"
LOADED: Final = "loaded"

CHECK_MEMORY: Final = 1536 << 20
"""The number of bytes to which the process can write. The address space of wasmtime's memories is larger."""

_OWN_SECONDS: Final = 20
"""The processor time of the process in addition to the upload's, to start and to map the sandbox's Python."""

_PYTHON_FACTOR: Final = 3
"""The processor time allowed per time of fuel for Python, whose fuel is accurate."""

_WALL_FACTOR: Final = 8
"""The wall-clock seconds allowed per second of processor time."""

MOST_SECONDS: Final = 600
"""The maximum wall-clock seconds allowed: a worker's job ends after 15 minutes."""


class CheckedUpload(NamedTuple):
    """An upload that is a valid bot. ``games`` are the games that it says it plays; an empty list means
    all.
    """

    games: tuple[str, ...]


class Objection(NamedTuple):
    """The reason why an upload is not a valid bot. ``step`` is the step at which it failed."""

    step: Step
    detail: str


class CheckEnded(HostFailure):
    """The process that checked an upload was terminated, through no fault of the upload."""


def check_upload(
    source: str | bytes, runtime: Path, reached: Callable[[Step], None], language: Language = "python"
) -> CheckedUpload | Objection:
    """Compile and load a source or module (as for :func:`~arena.sandbox.bot.sandboxed_spec`), calling
    ``reached`` after each step. ``runtime`` is the component of the sandbox's Python, whose engine must be in
    the cache. ``language`` is that of a text.

    Raises :class:`~arena.bots.HostFailure`.
    """
    data = source.encode() if isinstance(source, str) else source
    language = language if isinstance(source, str) else "module"
    seconds = _seconds(language, len(data))
    with tempfile.TemporaryDirectory(prefix="botequim-check-") as folder:
        path = Path(folder) / "upload"
        path.write_bytes(data)
        command = [sys.executable, "-m", "arena.sandbox.checking", language, str(path), str(runtime)]
        with (Path(folder) / "errors").open("w+") as errors:
            child = subprocess.Popen(
                command,
                cwd=SOURCES,
                env={"PATH": "/usr/bin:/bin", **cache_environment()},
                preexec_fn=lambda: _limit(seconds),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
            wall = _WALL_FACTOR * (seconds + compile_budget(len(data)).seconds)
            timer = threading.Timer(min(wall, MOST_SECONDS), child.kill)
            timer.start()
            try:
                return _follow(child, reached)
            except CheckEnded as error:
                errors.seek(0)
                raise CheckEnded(f"{error}: {errors.read()[-500:].strip() or 'it printed nothing'}") from None
            finally:
                timer.cancel()
                child.kill()
                child.communicate()


def children_seconds() -> float:
    """Return the processor time of all ended children of this process, and of their children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def most_check_seconds(language: Language, size: int) -> int:
    """Return the processor time that the check of an upload of ``size`` bytes can use, with its compiler."""
    compiler = compile_budget(size).seconds if language == "module" else 0
    return _seconds(language, size) + compiler


def _seconds(language: Language, size: int) -> int:
    """Return the processor time that the process can use. Modules are compiled in another process."""
    if language == "python":
        return _OWN_SECONDS + _PYTHON_FACTOR * (DEFAULT_LIMITS.load_ms + compile_ms(size)) // 1000
    return _OWN_SECONDS + int(processor_seconds(DEFAULT_LIMITS.load_ms * FUEL_PER_MS))


def _limit(seconds: int) -> None:
    # Set only the soft limits: the compiler of modules, a child of this process, has separate limits.
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, most))
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (CHECK_MEMORY, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _follow(child: subprocess.Popen[str], reached: Callable[[Step], None]) -> CheckedUpload | Objection:
    assert child.stdout is not None
    seen: list[Step] = []
    for line in child.stdout:
        message = json.loads(line)
        if "detail" in message:
            return Objection(message["step"], message["detail"])
        seen.append(message["step"])
        reached(message["step"])
        if LOADED in seen:
            return CheckedUpload(tuple(message["games"]))
    status = child.wait()
    if status == -signal.SIGXCPU:
        return Objection(LOADED if COMPILED in seen else COMPILED, "it takes too much processor time")
    raise CheckEnded(f"the process that checked the upload ended with {status}")


def main() -> int:
    """Run the check, as described at the top of this file."""
    language, path, runtime = cast("tuple[Language, str, str]", tuple(sys.argv[1:]))
    use_runtime(load_runtime(Path(runtime)))
    data = Path(path).read_bytes()
    step: Step = COMPILED
    try:
        source = data if language == "module" else data.decode()
        spec = sandboxed_spec("bot", "1", source, language=language)
        compile_bot(spec)
        _tell(step=COMPILED)
        step = LOADED
        games = check_bot(spec)
        _tell(step=LOADED, games=games)
    except InvalidBot as error:
        _tell(step=step, detail=error.message)
    return 0


def _tell(**fields: object) -> None:
    print(json.dumps(fields), flush=True)


if __name__ == "__main__":
    sys.exit(main())
