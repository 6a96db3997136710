"""The Python of the sandbox: built once by componentize-py and linked, compiled once by wasmtime, and kept in
the cache.

    python -m arena.sandbox.runtime

builds both now, which takes about a minute, and prints the runtime's id.
"""

from __future__ import annotations

import hashlib
import platform
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

import arena
from arena.bots import InvalidBot
from arena.sandbox.binary import BuildFailed
from arena.sandbox.cache import cached
from arena.sandbox.compiler import NOT_A_BOT, RUNTIME, SETTINGS
from arena.sandbox.image import with_immortal_objects
from arena.sandbox.linking import linked
from arena.text import printable

SOURCES: Final = Path(arena.__file__).parent
GUEST: Final = SOURCES / "sandbox" / "guest"
STAGED: Final = ("bots", "games", "redeal", "sandbox/guest")
"""The packages of ``arena`` that are in the runtime, besides the modules of :data:`STAGED_MODULES`."""

STAGED_MODULES: Final = ("__init__", "errors", "dealing", "outcomes", "table")

_MADE_BY: Final = ("binary", "component", "linking", "image", "runtime")
"""The modules of this package that make the runtime of what componentize-py makes."""

_BUILD_SECONDS: Final = 300
_COMPILE_SECONDS: Final = 120
_BUILD_MEMORY: Final = 8 << 30
_COMPILE_MEMORY: Final = 3 << 30


def runtime_module() -> Path:
    """The core module in which Python sources run, built now if it is not in the cache.

    Raises :class:`~arena.sandbox.binary.BuildFailed`.
    """
    return cached(f"runtime-{_recipe()[:24]}.wasm", _build)


@cache
def runtime_digest() -> str:
    """The SHA-256 of :func:`runtime_module`, in hexadecimal."""
    with runtime_module().open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def runtime_id() -> str:
    """What names the runtime in records: bots replay exactly where this is the same."""
    return f"python-{runtime_digest()[:16]}-wasmtime-{version('wasmtime').partition('.')[0]}"


def compiled_runtime() -> Path:
    """The compiled form of the runtime, compiled now if it is not in the cache. Raises as
    :func:`runtime_module`.
    """
    return _compiled(runtime_digest(), lambda path: _compile(RUNTIME, str(runtime_module()), str(path)))


def compiled(component: bytes, digest: str) -> Path:
    """The compiled form of a component with this SHA-256, compiled now if it is not in the cache.

    Raises :class:`~arena.bots.InvalidBot` for what is no bot or takes too much to compile.
    """

    def make(path: Path) -> None:
        source = path.with_suffix(".wasm")
        source.write_bytes(component)
        _compile(str(source), str(path))

    return _compiled(digest, make)


def _compiled(digest: str, make: Callable[[Path], None]) -> Path:
    settings = repr((version("wasmtime"), platform.machine(), platform.system(), SETTINGS))
    tag = hashlib.sha256(settings.encode()).hexdigest()[:8]
    return cached(f"{digest[:32]}-{tag}.cwasm", make)


def _compile(*arguments: str) -> None:
    command = [sys.executable, "-m", "arena.sandbox.compiler", *arguments]
    try:
        done = _run_limited(command, SOURCES.parent, _COMPILE_SECONDS, _COMPILE_MEMORY)
    except subprocess.TimeoutExpired:
        raise InvalidBot("the component takes too long to compile", field="source") from None
    if done.returncode == 0:
        return
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode == NOT_A_BOT:
        raise InvalidBot(f"the component is no bot: {printable(lines[-1], 300)}", field="source")
    raise InvalidBot("the component takes too much time or memory to compile", field="source")


def _recipe() -> str:
    """The hash of all that goes into the runtime."""
    recipe = hashlib.sha256(version("componentize-py").encode())
    for path in (*_sources(), *(SOURCES / "sandbox" / f"{name}.py" for name in _MADE_BY)):
        recipe.update(f"\n{path.relative_to(SOURCES)} {path.stat().st_size}\n".encode())
        recipe.update(path.read_bytes())
    return recipe.hexdigest()


def _sources() -> list[Path]:
    files = [SOURCES / f"{name}.py" for name in STAGED_MODULES]
    for folder in STAGED:
        files += (SOURCES / folder).rglob("*.py")
    return [*sorted(files), GUEST / "bot.wit"]


def _build(target: Path) -> None:
    stage = target.parent / "stage"
    for path in _sources():
        copy = stage / "arena" / path.relative_to(SOURCES)
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
    target.write_bytes(with_immortal_objects(linked(target.read_bytes())))


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
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    # Nothing of the service's environment: it may hold secrets. With VIRTUAL_ENV componentize-py does
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
        timeout=4 * seconds,
    )


if __name__ == "__main__":
    compiled_runtime()
    print(runtime_id())
