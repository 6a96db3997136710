"""An environment into which a package was installed, and nothing of this tree."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def check_contents(handed_out: bytes, built: Path) -> None:
    """A wheel that a service hands out has the files of the one that was built, except what is about it."""
    mine, theirs = zipfile.ZipFile(io.BytesIO(handed_out)), zipfile.ZipFile(built)
    assert sorted(mine.namelist()) == sorted(theirs.namelist())
    for name in theirs.namelist():
        if name.endswith(".dist-info/METADATA"):
            # After the fields there is the README, as it was when an editable installation was made.
            heads = [archive.read(name).partition(b"\n\n")[0] for archive in (mine, theirs)]
            assert heads[0] == heads[1]
        elif not name.endswith((".dist-info/WHEEL", ".dist-info/RECORD")):
            assert mine.read(name) == theirs.read(name), name


class Environment:
    """A new virtual environment in ``folder`` with what ``pip install <wanted>`` installs."""

    def __init__(self, folder: Path, *wanted: str) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir()
        subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True, timeout=300)
        self.python("-m", "pip", "install", "--quiet", *wanted, seconds=900)

    @property
    def variables(self) -> dict[str, str]:
        """Without what would make this tree or another service visible."""
        ours = ("BOTEQUIM_", "REDIS_URL", "PYTHONPATH", "VIRTUAL_ENV")
        return {name: value for name, value in os.environ.items() if not name.startswith(ours)}

    @property
    def program(self) -> str:
        return str(self.folder / "venv/bin/botequim")

    def run(self, *arguments: str, seconds: float = 120) -> subprocess.CompletedProcess[str]:
        """Run ``botequim`` in the folder ``work``."""
        return self._run([self.program, *arguments], seconds)

    def printed(self, *arguments: str) -> str:
        """What ``botequim`` prints, which must succeed."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def python(self, *arguments: str, seconds: float = 120) -> str:
        """What the environment's Python prints, which must succeed."""
        done = self._run([str(self.folder / "venv/bin/python"), *arguments], seconds)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def shell(self, command: str, seconds: float = 120) -> str:
        """What a command prints in a shell in which the environment is active; it must succeed."""
        active = f'PATH="{self.folder}/venv/bin:$PATH"; {command}'
        done = self._run(["sh", "-c", active], seconds)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _run(self, command: list[str], seconds: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.work, env=self.variables, capture_output=True, text=True, timeout=seconds
        )

    def installed(self) -> set[str]:
        """The names of the installed packages."""
        listed = json.loads(self.python("-m", "pip", "list", "--format", "json"))
        return {package["name"].lower() for package in listed}
