"""The packages that ``python -m build`` makes install into an empty environment, and work there."""

from __future__ import annotations

import re
import subprocess
import tarfile
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.packages.installed import ROOT, Environment, check_contents
from tests.ports import free_port
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

BOT = """
from botequim import Bot


class MyBot(Bot):
    def choose(self, turn):
        return self.random.choice(turn["legal_actions"])
"""


def sources(folder: str) -> set[str]:
    """The files of this tree below ``folder``, without what Python or a compiler made of them."""
    return {
        str(path.relative_to(ROOT))
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".so", ".pyc")
    }


def test_the_wheel_has_every_file_of_the_packages_and_the_manual(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = set().union(*map(sources, ("api", "arena", "botequim", "queues", "workers")))
    wanted |= {f"api/manual/{name[5:]}" for name in sources("docs") if name.endswith(".md")}
    about = {name for name in names if ".dist-info/" in name}
    assert names - about == wanted
    assert {name.split("/", 1)[1] for name in about} >= {"METADATA", "entry_points.txt", "licenses/LICENSE"}
    # What pages, commands and schemas read at run time.
    for some in (
        "api/templates/base.html",
        "api/static/pages.css",
        "api/examples.json",
        "api/manual/rules/toepen.md",
        "arena/store/scripts/publish.lua",
        "arena/games/truco/bots/tables/base.bin",
        "arena/luck/tables/truco-base-1.json",
        "arena/records/record-v1.schema.json",
        "arena/replays/static/replay.html",
        "arena/py.typed",
        "botequim/py.typed",
    ):
        assert some in names, some


def test_the_sdist_has_what_describes_the_package(built: Path) -> None:
    (path,) = built.glob("botequim-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    wanted = {"openapi.yaml", "CHANGELOG.md", "README.md", "LICENSE", "setup.py", "pyproject.toml"}
    assert names >= wanted | sources("examples") | {n for n in sources("docs") if n.endswith(".md")}


@pytest.mark.nightly("packages")
def test_authors_get_no_library_of_the_server(authors: Environment) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    of_server = {Requirement(line).name for line in project["optional-dependencies"]["server"]} - {"botequim"}
    installed = authors.installed()
    assert installed >= {"botequim", *(Requirement(line).name for line in project["dependencies"])}
    assert of_server >= {"flask", "redis", "rq", "wasmtime"}
    # The library rich, which draws tables, needs markdown-it-py too.
    assert installed & of_server <= {"markdown-it-py"}


@pytest.mark.nightly("packages")
def test_authors_play_verify_and_replay(authors: Environment) -> None:
    (authors.work / "my_bot.py").write_text(BOT)
    for kind in ("truco", "toepen"):
        out = f"{kind}.jsonl"
        flags = ("--groups", "2", "--seed", "7", "--records", out)
        assert "my_bot" in authors.printed("play", kind, "my_bot.py", "rookie", *flags)
        assert "records, all verified" in authors.printed("verify", out)
        assert "my_bot" in authors.printed("replay", out, "--number", "1")
        authors.printed("replay", out, "--number", "1", "--html", "--out", f"{kind}.html")
        assert "</html>" in (authors.work / f"{kind}.html").read_text(encoding="utf-8")


@pytest.mark.nightly("packages")
def test_authors_have_every_command_with_its_help(authors: Environment) -> None:
    # Commands stand in sections, each name two spaces from the edge.
    names = set(re.findall(r"^  ([a-z]+)  ", authors.printed("--help"), re.MULTILINE))
    assert names >= {"bot", "game", "play", "replay", "signup", "tournament", "up", "verify"}
    for name in names - {"serve"}:
        assert authors.run(name, "--help").returncode == 0, name


@pytest.mark.nightly("packages")
@pytest.mark.parametrize("command", ["up", "serve"])
def test_authors_read_how_to_install_what_a_command_of_the_server_needs(
    authors: Environment, wheel: Path, command: str
) -> None:
    done = authors.run(command)
    assert done.returncode == 2
    assert f"which is not installed; expected pip install '{wheel}[server]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.nightly("packages")
def test_an_error_of_a_bot_is_no_error_of_the_installation(authors: Environment) -> None:
    (authors.work / "needs.py").write_text("import no_such_library\n" + BOT)
    done = authors.run("play", "truco", "needs.py", "rookie", "--groups", "1")
    assert done.returncode != 0
    assert "no_such_library" in done.stderr
    assert "[server]" not in done.stderr


@pytest.mark.nightly("packages")
def test_the_server_starts_from_the_wheel(server: Environment, wheel: Path) -> None:
    url = f"http://127.0.0.1:{(port := free_port())}"
    command = [server.program, "up", "--bind", f"127.0.0.1:{port}", "--workers", "1", "--data", "data"]
    with (server.work / "up.log").open("w") as log:
        process = subprocess.Popen(command, cwd=server.work, env=server.variables, stdout=log, stderr=log)
    try:
        said = server.work / "up.log"
        wait_until(lambda: "Ctrl-C stops everything" in said.read_text() or process.poll() is not None)
        assert process.poll() is None, said.read_text()
        for page, text in {
            "/readyz": '"status"',
            "/": "Botequim",
            "/docs/rules/toepen": "TP-1",
            "/docs/api": "openapi",
            "/static/pages.css": "{",
        }.items():
            with urllib.request.urlopen(url + page, timeout=30) as reply:
                assert reply.status == 200, page
                assert text in reply.read().decode(), page
        server.printed("signup", "ana", "--url", url)
        with urllib.request.urlopen(f"{url}/download/{wheel.name}", timeout=30) as reply:
            check_contents(reply.read(), wheel)
    finally:
        process.terminate()
        process.wait(PATIENCE)
    assert process.returncode == 0, said.read_text()
