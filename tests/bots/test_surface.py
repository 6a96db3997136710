"""The package ``botequim``: what it has, what it costs, and that bots import nothing else."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import botequim
from arena.bots import InvalidBot, bot_spec
from arena.bots.imports import internal_imports
from tests.service import ROOT

STORED = Path(__file__).parent / "stored"
OF_CARDS = ("botequim.cards", "botequim.toepen", "botequim.truco")
NEED_EXTRAS = {"Ledger", "check_bot", "ledger_board", "sandboxed_spec", "spiel", "toepen_v0", "truco_v0"}


def imported(source: str) -> dict[str, set[str]]:
    """The names that a source imports, by the modules of which they are."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            found.setdefault(node.module or "", set()).update(alias.name for alias in node.names)
    return found


def public(module: str) -> set[str]:
    return {name for name in vars(import_module(module)) if name[0] != "_" and name != "annotations"}


def test_type_checkers_read_the_names_that_are_loaded() -> None:
    source = (ROOT / "botequim/__init__.py").read_text(encoding="utf-8")
    (block,) = [node for node in ast.parse(source).body if ast.unparse(node).startswith("if TYPE_CHECKING:")]
    read = {}
    for node in ast.walk(block):
        if isinstance(node, ast.ImportFrom):
            (alias,) = node.names
            # Without this the name is not one that the package has for others.
            assert alias.asname == alias.name
            read[alias.name] = node.module
    assert read == botequim._MODULES
    assert (ROOT / "botequim/py.typed").exists()


def test_every_name_loads() -> None:
    assert {*botequim.__all__} < {*botequim._MODULES} < {*dir(botequim)}
    for name, module in botequim._MODULES.items():
        assert getattr(botequim, name) is getattr(import_module(module), name)
    with pytest.raises(ImportError, match="cannot import name 'Bott' from 'botequim'"):
        exec("from botequim import Bott", {})


def test_a_star_takes_what_is_for_bots() -> None:
    names: dict[str, object] = {}
    exec("from botequim import *", names)
    assert names.keys() - {"__builtins__"} == {*botequim.__all__}


def test_the_page_lists_every_name() -> None:
    page = (ROOT / "docs/bots.md").read_text(encoding="utf-8")
    section = page.partition("## What to import\n")[2].partition("\n## ")[0]
    listed = set(re.findall(r"`(\w+)", section))
    for names in ({*botequim._MODULES} - {"__version__"}, *map(public, OF_CARDS)):
        assert names <= listed


def test_the_stored_bot_uses_every_name() -> None:
    source = (STORED / "public.py").read_text(encoding="utf-8")
    names = imported(source)
    assert names["botequim"] == {*botequim.__all__}
    assert {f"botequim.{name}" for name in re.findall(r"^import botequim\.(\w+)$", source, re.MULTILINE)} == {
        *OF_CARDS
    }
    for module in OF_CARDS:
        used = set(re.findall(rf"\b{module}\.(\w+)", source))
        assert names[module] | used >= public(module)


def libraries_of_the_server() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = {
        Requirement(line).name for extra in ("server", "ratings", "rl", "spiel") for line in extras[extra]
    }
    names = {name.replace("-", "_") for name in wanted} | {"pyspiel", "marshmallow_oneofschema"}
    # The library rich needs it as well.
    return names - {"botequim", "markdown_it_py"}


def run(code: str) -> str:
    """What a new process prints in which the libraries of the server are not installed."""
    without = f"import sys; sys.modules |= dict.fromkeys({libraries_of_the_server()!r}); "
    done = subprocess.run(
        [sys.executable, "-c", without + code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_it_costs_nothing_until_a_name_is_used() -> None:
    found = "[name for name in sys.modules if name.partition('.')[0] in ('arena', 'botequim')]"
    assert run(f"import botequim; print({found})") == "['botequim']"
    assert "arena.client" not in run(f"from botequim import Bot; print({found})")


def test_only_what_says_so_needs_a_library_of_the_server() -> None:
    said = run(
        "import botequim\n"
        "for name in botequim._MODULES:\n"
        "    try:\n"
        "        getattr(botequim, name)\n"
        "    except ImportError as error:\n"
        "        print(error)\n"
    )
    names = re.findall(r"^(\w+) of botequim is not available here: ", said, re.MULTILINE)
    assert sorted(names) == sorted(NEED_EXTRAS)
    assert len(said.splitlines()) == len(names)


CHOOSES = "def choose(turn):\n    return turn['legal_actions'][0]\n"


@pytest.mark.parametrize(
    ("source", "line", "module", "new"),
    [
        ("from arena.games.toepen.cards import PACK\n", 1, "arena.games.toepen.cards", "botequim.toepen"),
        ("from arena.games.truco import cards\n", 1, "arena.games.truco.cards", "botequim.truco"),
        ("import random, arena.games.cards as cards\n", 1, "arena.games.cards", "botequim.cards"),
        (
            "import random\nfrom arena.bots.rookie import RookieBot as Bot\n",
            2,
            "arena.bots.rookie",
            "botequim",
        ),
        ("from arena.bots import Bot, Turn\n", 1, "arena.bots", "botequim"),
        ("import arena\n", 1, "arena", "botequim"),
        ("def late():\n    from arena.play.table import Table\n", 2, "arena.play.table", "botequim"),
    ],
)
def test_a_bot_that_imports_what_is_internal_reads_the_new_name(
    source: str, line: int, module: str, new: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source + CHOOSES)
    with pytest.raises(InvalidBot) as caught:
        bot_spec(str(path))
    assert caught.value.code == "internal_import"
    assert caught.value.message == f"{path}:{line}: {module} is internal; bots import {new}"


@pytest.mark.parametrize(
    "source",
    [
        "from arena import bots\nfrom arena.bots import Bot, redeal\nimport arena.bots.redeal\n",
        '"""Replaces\nfrom arena.games.truco.cards import PACK\n"""\n',
        "arena = 'arena.games'\n",
    ],
)
def test_other_imports_and_texts_are_no_fault(source: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(source + CHOOSES)
    assert bot_spec(str(path)).name == "mine"


@pytest.mark.parametrize("source", ["arena\0", "arena(", "arena\n" + 10**6 * "-" + "1", b"arena \xff"])
def test_a_source_that_cannot_be_parsed_is_left_to_who_runs_it(source: str | bytes) -> None:
    assert list(internal_imports(source)) == []
