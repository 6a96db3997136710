"""What a command says that lacks a library; ``tests/packages`` lets pip do it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arena
from arena import __version__
from arena.cli import run
from arena.installation import install_command
from tests.service import ROOT

WHEEL = f"http://bar.example:8000/download/botequim-{__version__}-py3-none-any.whl"
METADATA = f"""Metadata-Version: 2.4
Name: botequim
Version: {__version__}
Requires-Dist: click>=8.1
Provides-Extra: server
Requires-Dist: redis[hiredis]>=8.1; extra == "server"
Requires-Dist: botequim[ratings]; extra == "server"
Provides-Extra: ratings
Requires-Dist: numpy>=1.26; extra == "ratings"
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of what is noted about an installation in place of that of the tests."""
    about = tmp_path / f"botequim-{__version__}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(METADATA)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(arena, "__file__", str(tmp_path / "arena/__init__.py"))
    return about


def note(about: Path, origin: dict[str, Any]) -> None:
    (about / "direct_url.json").write_text(json.dumps(origin))


@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        ({"url": WHEEL, "archive_info": {}}, f"[rl] @ {WHEEL}'"),
        (
            {"url": "https://git.example/b.git", "vcs_info": {"vcs": "git", "commit_id": "a1"}},
            "[rl] @ git+https://git.example/b.git@a1'",
        ),
        (
            {"url": "https://git.example/b c.zip", "archive_info": {}, "subdirectory": "d"},
            "[rl] @ https://git.example/b%20c.zip#subdirectory=d'",
        ),
    ],
)
def test_a_url_is_named_with_the_extra(installed: Path, origin: dict[str, Any], wanted: str) -> None:
    note(installed, origin)
    name, separator, rest = install_command("rl").partition("botequim")
    assert (name, separator, rest) == ("pip install '", "botequim", wanted)


@pytest.mark.parametrize("editable", [False, True])
def test_a_folder_is_named_with_the_extra(installed: Path, tmp_path: Path, editable: bool) -> None:
    tree = tmp_path / "a tree"
    tree.mkdir()
    note(installed, {"url": tree.as_uri(), "dir_info": {"editable": editable}})
    flag = "--editable " if editable else ""
    assert install_command("rl") == f"pip install {flag}'{tree}[rl]'"


def test_a_folder_that_is_gone_is_not_named(installed: Path, tmp_path: Path) -> None:
    note(installed, {"url": (tmp_path / "gone").as_uri(), "dir_info": {}})
    assert install_command("server") == "pip install 'redis[hiredis]>=8.1' 'numpy>=1.26'"


def test_without_a_note_the_libraries_are_named(installed: Path) -> None:
    assert install_command("ratings") == "pip install 'numpy>=1.26'"


def test_the_tree_is_named_where_nothing_was_noted(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    assert install_command("ratings") == f"pip install --editable '{tmp_path}[ratings]'"


def test_without_an_installation_the_extra_is_one_of_the_sources(installed: Path) -> None:
    (installed / "METADATA").unlink()
    installed.rmdir()
    assert install_command("s3") == "pip install '.[s3]'"


def test_a_data_set_needs_another_extra_than_the_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "arena.research.dataset", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert run(["dataset", "truco/base", "--out", "data.parquet"]) == 2
    line = capsys.readouterr().err
    assert "'botequim dataset' needs the library pyarrow, which is not installed" in line
    assert line.endswith(f"expected {install_command('rl')}\n")


def test_nothing_names_a_package_that_no_index_has() -> None:
    """Whoever registers the name would get his code onto the machines of those who follow it."""
    named = re.compile(r"(pip3? install|npm (install|i|add)|npx) +(-\S+ +)*['\"]?botequim\b")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    names = [name for name in listed.stdout.split("\0") if name]
    if not names:
        pytest.skip("not a clone")
    found = []
    for name in names:
        path = ROOT / name
        if path.is_file() and name not in ("CHANGELOG.md", "Makefile"):
            text = path.read_bytes().decode(errors="replace")
            found += [f"{name}: {hit[0]}" for hit in named.finditer(text)]
    assert found == []
