"""The official conformance checks against a live service: of servers with a handshake, and of those without.

Most scenarios call tools, prompts and resources of the checks' own example server. The files of expected
failures list those, with the reason; a scenario that is listed and passes fails the test, too.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.service import Service, environment

PACKAGE = "@modelcontextprotocol/conformance"
NODE = "node@22"
"""What the checks need, whatever is installed."""

RUNS = {"2025-11-25": ("0.1.16", ()), "2026-07-28": ("0.2.0-alpha.12", ("--requirements", "2026-07-28"))}
"""By version of the protocol, that of the checks, and what selects the scenarios."""

HERE = Path(__file__).parent


@pytest.mark.nightly("agents")
@pytest.mark.skipif(shutil.which("npx") is None, reason="needs Node")
@pytest.mark.parametrize("version", RUNS)
def test_only_what_belongs_to_the_example_server_fails(version: str, tmp_path: Path) -> None:
    checks, selected = RUNS[version]
    expected = HERE / f"conformance-{version}.yml"
    with Service(tmp_path) as service:
        packages = [f"--package={name}" for name in (NODE, f"{PACKAGE}@{checks}")]
        command = ["npx", "--yes", *packages, "conformance", "server", "--url", f"{service.url}/mcp"]
        done = subprocess.run(
            [*command, *selected, "--expected-failures", str(expected)],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    passed = set(re.findall(r"^✓ (\S+): [1-9]\d* passed, 0 failed", done.stdout, re.MULTILINE))
    assert passed >= {"tools-list", "dns-rebinding-protection"}, done.stdout
