"""``clients/typescript``: types made of ``openapi.yaml``, and tests that run against a live service."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from arena import __version__
from tests.service import ROOT, Service, environment

CLIENT = ROOT / "clients/typescript"
ADMIN = "an-admin-token-of-32-letters-at-least"


@pytest.mark.nightly("contract")
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs Node")
def test_the_client_type_checks_and_plays(tmp_path: Path) -> None:
    folder = tmp_path / "clients/typescript"
    made = shutil.ignore_patterns("node_modules", "dist", "api.ts")
    shutil.copytree(CLIENT, folder, ignore=made)
    shutil.copy(ROOT / "openapi.yaml", tmp_path)
    for number, code in enumerate(readme()):
        (folder / "src" / f"readme{number}.ts").write_text(code, encoding="utf-8")
    with Service(tmp_path, BOTEQUIM_ADMIN_TOKEN=ADMIN) as service:
        variables = {"BOTEQUIM_URL": service.url, "BOTEQUIM_ADMIN_TOKEN": ADMIN}
        run(["npm", "install", "--no-audit", "--no-fund"], folder)
        said = run(["npm", "test"], folder, **variables)
    tests = [path.read_text(encoding="utf-8") for path in (CLIENT / "tests").glob("*.test.ts")]
    # One of them is made for three games.
    written = sum(len(re.findall(r"^ *test\(", text, re.MULTILINE)) for text in tests) + 2
    assert re.search(rf"^# pass {written}$", said, re.MULTILINE), said
    # What the package contains runs without the sources.
    names = {path.name for path in (folder / "dist/src").iterdir()}
    assert names >= {"index.js", "index.d.ts", "api.d.ts", "client.js", "player.js"}
    # As the README says: a package that is made in a fresh folder, in a project of one's own.
    shutil.rmtree(folder / "dist")
    run(["npm", "pack"], folder)
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text('{"name": "mine", "private": true}')
    package = f"{folder}/botequim-{__version__}.tgz"
    run(["npm", "install", "--no-audit", "--no-fund", package], project)
    code = 'import("botequim").then((it) => console.log(typeof it.connect, typeof it.play))'
    assert run(["node", "--input-type=module", "--eval", code], project) == "function function\n"


def readme() -> list[str]:
    """The programs of the README, with this package in place of an installed one."""
    text = (CLIENT / "README.md").read_text(encoding="utf-8")
    codes = re.findall(r"^```ts\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(codes) == 2
    return [code.replace('from "botequim"', 'from "./index.js"') for code in codes]


def run(command: list[str], folder: Path, **variables: str) -> str:
    """What a command prints, which must succeed."""
    done = subprocess.run(
        command, cwd=folder, env=environment(**variables), capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_versions_are_pinned_without_a_lock_file_or_a_host() -> None:
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    versions = [*package["dependencies"].values(), *package["devDependencies"].values()]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)
    assert (CLIENT / ".npmrc").read_text(encoding="utf-8") == "package-lock=false\n"
    assert not any((CLIENT / name).exists() for name in ("package-lock.json", "yarn.lock", "pnpm-lock.yaml"))
