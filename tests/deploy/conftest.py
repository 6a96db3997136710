"""What the image would contain, made once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.files import copy_context


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as installed from a wheel, made of what the image builder gets and nothing
    else; its libraries are those of this environment.
    """
    folder = tmp_path_factory.mktemp("image")
    source = folder / "src"
    copy_context(source)
    _pip("wheel", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    (wheel,) = folder.glob("botequim-*.whl")
    _pip("install", "--target", str(folder / "site"), str(wheel))
    return folder / "site"


def _pip(command: str, *arguments: str) -> None:
    quiet = ["--no-deps", "--no-index", "--disable-pip-version-check", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", command, *quiet, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout
