"""``make up`` and ``make test`` where something is missing: one line, and no ``.venv`` that is half made."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.service import ROOT, Process, environment

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")

OLD = sorted(
    path
    for folder in (Path("/usr/bin"), *Path.home().glob(".pyenv/versions/*/bin"))
    for path in folder.glob("python[23].*")
    if re.fullmatch(r"python(2\.7|3\.[0-9]|3\.10)", path.name)
)
"""The real Pythons of this machine that are too old."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with what the Makefile needs to install."""
    folder = tmp_path / "tree"
    for name in ("api", "arena", "botequim", "deploy", "queues", "requirements", "workers"):
        (folder / name).mkdir(parents=True)
    needed = ("Makefile", "pyproject.toml", "deploy/make_venv.py", "arena/__init__.py")
    for name in (*needed, "requirements/server.txt", "requirements/dev.txt"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def called(name: str, folder: Path, python: str) -> Path:
    """A folder for PATH in which ``name`` runs ``python``."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {python} "$@"\n')
    path.chmod(0o755)
    return path.parent


@pytest.fixture(autouse=True)
def outermost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests may have been called by ``make``, whose settings are not those of these."""
    for name in ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "PYTHON", "VENV"):
        monkeypatch.delenv(name, raising=False)


def make(tree: Path, *words: str, path: Path | None = None, **settings: str) -> list[str]:
    """What ``make`` prints, without the line in which it says that a step failed. It must fail."""
    settings = {"BOTEQUIM_BIND": f"127.0.0.1:{free_port()}", **settings}
    places = [] if path is None else [str(path)]
    command = ["make", *(() if path else (f"PYTHON={sys.executable}",)), *words]
    done = subprocess.run(
        command,
        cwd=tree,
        env=environment(PATH=os.pathsep.join([*places, os.environ["PATH"]]), **settings),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert not (tree / ".venv").exists()
    lines = (done.stdout + done.stderr).splitlines()
    return [line for line in lines if not line.startswith("make: *** ")]


@pytest.mark.parametrize("goal", ["up", "test"])
def test_an_old_python_is_told_which_one_to_name(tree: Path, tmp_path: Path, goal: str) -> None:
    pretend = "import runpy, sys; sys.version_info = (3, 10, 13, 'final', 0); sys.argv = sys.argv[1:]; "
    python = f"{sys.executable} -c \"{pretend}runpy.run_path(sys.argv[0], run_name='__main__')\""
    (line,) = make(tree, goal, path=called("python3", tmp_path, python))
    message = (
        r"make: needs Python 3\.11 or newer, and python3 is 3\.10\.13: (install one, then )?make PYTHON="
    )
    assert re.fullmatch(rf"{message}python3\.\d+ {goal}", line)


@pytest.mark.system
@pytest.mark.skipif(not OLD, reason="needs an old Python")
@pytest.mark.parametrize("python", OLD, ids=str)
def test_real_old_pythons(tree: Path, tmp_path: Path, python: Path) -> None:
    (line,) = make(tree, "up", path=called("python3", tmp_path, str(python)))
    version = python.name.removeprefix("python")
    assert line.startswith(f"make: needs Python 3.11 or newer, and python3 is {version}.")


def test_a_python_that_is_not_there(tree: Path) -> None:
    (line,) = make(tree, "up", "PYTHON=no-such-python")
    assert line.startswith(
        "make: there is no no-such-python: install Python 3.11 or newer, or name one, make PYTHON="
    )


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_a_python_without_venv(tree: Path, tmp_path: Path, module: str) -> None:
    """As that of Debian without its package ``python3-venv``."""
    (tmp_path / "missing").mkdir()
    (tmp_path / "missing" / f"{module}.py").write_text("raise ImportError(\"No module named 'x'\")\n")
    (line,) = make(tree, "test", PYTHONPATH=str(tmp_path / "missing"))
    package = "python{}.{}-venv".format(*sys.version_info[:2])
    assert "cannot make virtual environments (No module named 'x')" in line
    assert f"apt install {package}, or name another Python, make PYTHON=python3.12 test" in line


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("unshare"), reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to(tree: Path) -> None:
    line = f"make: cannot write to {tree}: copy the sources to a folder of your own"
    if os.geteuid() != 0:
        tree.chmod(0o555)
        assert make(tree, "up") == [line]
        return
    script = f"mount --bind {tree} {tree} && mount -o remount,ro,bind {tree} && cd {tree} && exec make up"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip("may not mount")
    assert line in done.stderr.splitlines()
    assert not (tree / ".venv").exists()


@contextlib.contextmanager
def listening() -> Iterator[int]:
    """A port at which somebody listens, with a free one after it."""
    port = free_port()
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        yield port


def test_a_port_that_is_taken(tree: Path) -> None:
    with listening() as port:
        (line,) = make(tree, "up", BOTEQUIM_BIND=f"127.0.0.1:{port}")
    found = re.fullmatch(
        rf"make: cannot listen at 127\.0\.0\.1:{port} \(Address already in use\): choose another address, "
        r"for instance BOTEQUIM_BIND=127\.0\.0\.1:(\d+) make up",
        line,
    )
    assert found
    assert port < int(found[1]) < port + 100


def test_an_address_that_is_none(tree: Path) -> None:
    (line,) = make(tree, "up", BOTEQUIM_BIND="nowhere")
    assert line == (
        "make: BOTEQUIM_BIND=nowhere is no address to listen at; expected host:port, such as 127.0.0.1:8000"
    )


OFFLINE = {"PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_EXTRA_INDEX_URL": ""}


@pytest.mark.nightly("packages")
def test_offline(tree: Path) -> None:
    """The tests need no port. What an earlier try has left is in nobody's way, and is not left either."""
    (tree / ".venv/bin").mkdir(parents=True)
    (tree / ".venv/pyvenv.cfg").touch()
    (tree / ".venv/bin/python").symlink_to("/bin/false")
    with listening() as port:
        nowhere = f"http://127.0.0.1:{free_port()}/simple"
        said = make(tree, "test", BOTEQUIM_BIND=f"127.0.0.1:{port}", PIP_INDEX_URL=nowhere, **OFFLINE)
    assert said == [
        "make: installs into .venv, which takes about a minute",
        "make: pip gets no packages ([Errno 111] Connection refused): connect this machine, or name an index "
        "that it reaches, PIP_INDEX_URL=https://... make test",
    ]


def test_the_environment_of_somebody_else_is_not_removed(tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "pyvenv.cfg").touch()
    (line,) = make(tree, "test", f"VENV={other}")
    assert line == f"make: {other} has no Python 3.11 with pip: remove it, or name another VENV"
    assert (other / "pyvenv.cfg").exists()


@pytest.mark.nightly("packages")
def test_after_tries_that_failed_it_runs(tmp_path: Path) -> None:
    """On a copy of the tree: with what a try with an old Python has left, and an index that is not there."""
    tree = tmp_path / "tree"
    for name in ("api", "arena", "botequim", "queues", "workers", "docs", "deploy", "requirements"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in ("Makefile", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    make(tree, "up", PIP_INDEX_URL=f"http://127.0.0.1:{free_port()}/simple", **OFFLINE)
    (tree / ".venv/bin").mkdir(parents=True)
    (tree / ".venv/pyvenv.cfg").touch()
    (tree / ".venv/bin/python").symlink_to("/bin/false")
    bind = f"127.0.0.1:{free_port()}"
    command = ["make", f"PYTHON={sys.executable}", "up"]
    with Process(command, tree, BOTEQUIM_BIND=bind, PYTHONPATH="", BOTEQUIM_SEED="0") as running:
        running.wait_for("Ctrl-C stops everything", seconds=900)
        assert f"API:      http://{bind}" in running.said
        # It passes this signal on; Ctrl-C in a terminal reaches all.
        running.stop(signal.SIGTERM)
