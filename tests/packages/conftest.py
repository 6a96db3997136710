"""The packages as ``python -m build`` makes them, and environments that have nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packages.installed import ROOT, Environment

SOURCES = ("api", "arena", "botequim", "queues", "workers", "docs", "examples")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the sdist of a copy of this tree, and the wheel that was built from the sdist."""
    folder = tmp_path_factory.mktemp("packages")
    tree = folder / "tree"
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info")
    for name in SOURCES:
        shutil.copytree(ROOT / name, tree / name, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, tree)
    command = [sys.executable, "-m", "build", "--outdir", str(folder / "dist"), str(tree)]
    subprocess.run(command, check=True, timeout=600, stdout=subprocess.DEVNULL)
    return folder / "dist"


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (path,) = built.glob("botequim-*.whl")
    return path


@pytest.fixture(scope="session")
def authors(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the package alone, as authors of bots install it."""
    return Environment(tmp_path_factory.mktemp("authors"), str(wheel))


@pytest.fixture(scope="session")
def server(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with what the service needs."""
    return Environment(tmp_path_factory.mktemp("server"), f"{wheel}[server]")
