"""A newcomer with nothing but Python and the address of a service; and commands that install an extra."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import threading
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.cli.new import commands
from tests.packages.installed import ROOT, Environment, check_contents
from tests.ports import free_port
from tests.service import Service

pytestmark = pytest.mark.nightly("packages")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service of this tree, which runs from its sources."""
    with Service(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture(scope="module")
def newcomer(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with what the first command for authors installs."""
    (address,) = re.findall(r"<code>pip install (\S+)\n", fetch(f"{service.url}/bring").decode())
    return Environment(tmp_path_factory.mktemp("newcomer"), unescape(address))


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as reply:
        content: bytes = reply.read()
        return content


def test_the_wheel_of_the_sources_is_that_of_the_build(service: Service, wheel: Path) -> None:
    check_contents(fetch(f"{service.url}/download/{wheel.name}"), wheel)


def test_a_newcomer_gets_from_the_address_to_a_submitted_bot(service: Service, newcomer: Environment) -> None:
    newcomer.printed("new", "my_bot", "--game", "truco")
    assert "my_bot" in newcomer.printed("play", "truco", "my_bot/my_bot.py", "rookie", "--groups", "2")
    tried = newcomer.run("bot", "test", "my_bot/my_bot.py", "--games", "2", "--kind", "truco")
    assert "not played in the sandbox, because it needs the library wasmtime" in tried.stdout
    assert f"[server] @ {service.url}/download/botequim-" in tried.stdout
    address = ("--url", service.url)
    token = newcomer.printed("signup", "nina", *address).strip()
    options = (*address, "--token", token)
    # It waits until the service has built its sandbox and has played the qualification.
    done = newcomer.run("bot", "submit", "my_bot/my_bot.py", "--name", "nina-bot", *options, seconds=900)
    assert "nina-bot 1: registered" in done.stdout
    (bot,) = json.loads(newcomer.printed("bot", "list", "--owner", "nina", "--json", *address))["bots"]
    assert bot["name"] == "nina-bot"


def test_a_starter_of_the_page_passes_its_tests(service: Service, newcomer: Environment) -> None:
    content = fetch(f"{service.url}/download/starters/python-toepen.zip")
    zipfile.ZipFile(io.BytesIO(content)).extractall(newcomer.work / "zip")
    folder = newcomer.work / "zip/my-bot"
    python = newcomer.folder / "venv/bin/python"
    for what in ("build", "test"):
        command = commands((folder / "README.md").read_text(encoding="utf-8"))[what]
        command = command.replace("python", str(python), 1)
        done = subprocess.run(command.split(), cwd=folder, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr


# Each way to install, and the command that adds an extra


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The address at which the files of the test can be read."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", free_port()), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Sources(NamedTuple):
    """Where an installation may come from: a service, a wheel, and a folder whose files are ``served``."""

    service: Service
    wheel: Path
    folder: Path
    served: str


def from_a_service(of: Sources) -> list[str]:
    return [f"{of.service.url}/download/{of.wheel.name}"]


def from_a_file(of: Sources) -> list[str]:
    return [str(shutil.copy(of.wheel, of.folder))]


def from_a_folder(of: Sources) -> list[str]:
    return [str(_tree(of.folder))]


def editable(of: Sources) -> list[str]:
    return ["--editable", str(_tree(of.folder))]


def from_a_repository(of: Sources) -> list[str]:
    tree = _tree(of.folder)
    who = ("-c", "user.name=test", "-c", "user.email=test@test.example")
    for command in (["init", "-q"], ["add", "--all"], [*who, "commit", "-q", "-m", "All."]):
        subprocess.run(["git", "-C", str(tree), *command], check=True)
    bare = of.folder / "repository.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(tree), str(bare)], check=True)
    subprocess.run(["git", "-C", str(bare), "update-server-info"], check=True)
    return [f"git+{of.served}/repository.git"]


def from_an_index(of: Sources) -> list[str]:
    return ["--no-index", "--find-links", str(of.wheel.parent), "botequim"]


def _tree(folder: Path) -> Path:
    """A copy of what is built, in a folder with a space."""
    tree = folder / "a tree"
    for name in ("api", "arena", "botequim", "queues", "workers", "docs"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    return tree


@pytest.mark.parametrize(
    ("way", "form"),
    [
        (from_a_service, r"'botequim\[ratings\] @ http://127\.0\.0\.1:\d+/download/botequim-\S+\.whl'"),
        (from_a_file, r"'\S+/botequim-\S+\.whl\[ratings\]'"),
        (from_a_folder, r"'\S+/a tree\[ratings\]'"),
        (editable, r"--editable '\S+/a tree\[ratings\]'"),
        (
            from_a_repository,
            r"'botequim\[ratings\] @ git\+http://127\.0\.0\.1:\d+/repository\.git@[0-9a-f]{40}'",
        ),
        (from_an_index, r"'numpy<\d,>=[\d.]+' 'scipy<\d,>=[\d.]+'"),
    ],
)
def test_pip_takes_the_command_that_adds_an_extra(
    way: Callable[[Sources], list[str]], form: str, service: Service, wheel: Path, tmp_path: Path, served: str
) -> None:
    environment = Environment(tmp_path, "--no-deps", *way(Sources(service, wheel, tmp_path, served)))
    code = "from arena.installation import install_command; print(install_command('ratings'))"
    said = environment.python("-c", code).strip()
    command = re.fullmatch(f"pip install ({form})", said)
    assert command, said
    output = environment.shell(f"python -m pip install --dry-run {command[1]}", seconds=900)
    assert re.search(r"^Would install .*\bnumpy-\S+ .*\bscipy-", output, re.MULTILINE), output
