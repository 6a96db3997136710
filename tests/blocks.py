"""The fenced code blocks of the pages, and a reader who types them in."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tests.ports import free_port
from tests.service import READY, ROOT, environment
from tests.waiting import PATIENCE

_BLOCK = re.compile(r"^```(\w+)(?: (background|file=\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ADDRESS = "127.0.0.1:8000"


class Block(NamedTuple):
    """A block: its language, the file that it is to be saved as (or empty), whether its one command runs
    on beside the others, its text.
    """

    language: str
    file: str
    background: bool
    text: str


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(language, mark.partition("=")[2], mark == "background", body)
        for language, mark, body in _BLOCK.findall(text)
    ]


def file_of(page: str, name: str) -> str:
    """The text of the block that is to be saved as ``name``."""
    (text,) = [block.text for block in blocks(page) if block.file == name]
    return text


def script(page: str, folder: Path) -> str:
    """The page as one bash script: files are written, commands run in order, and the first that fails
    ends it. A command in the background that starts the service is waited for.
    """
    lines = ["set -euo pipefail"]
    for block in blocks(page):
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")
            continue
        assert block.language == "console", f"{page}: a block of {block.language} that nothing runs"
        for command in commands(block):
            shown = command.replace("'", "'\\''")
            lines.append(f"printf '$ %s\\n' '{shown}'")
            if not block.background:
                lines.append(command)
            elif command.startswith("botequim up"):
                lines.append(f"{command} > up.txt 2>&1 &")
                lines.append(f"until grep -q '{READY}' up.txt; do sleep 0.1; kill -0 $! || cat up.txt; done")
            else:
                lines.append(f"{command} &")
    return "\n".join([*lines, "echo THE END"])


def commands(block: Block) -> list[str]:
    """The commands of a console block: each begins with a dollar sign, and goes on after a backslash."""
    found = [part.removeprefix("$ ") for part in re.split(r"\n(?=\$ )", block.text.rstrip("\n"))]
    assert block.text.startswith("$ "), block.text
    for command in found:
        assert all(line.endswith("\\") for line in command.split("\n")[:-1]), f"what is {command!r}?"
    return found


def follow(page: str, folder: Path, seconds: float = PATIENCE) -> str:
    """Do all that the page says, in ``folder``, with a service of its own address; what was printed."""
    port = free_port()
    program = folder / "bin" / "botequim"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m arena.cli "$@"\n')
    program.chmod(0o755)
    bind = f"127.0.0.1:{port}"
    settings = environment(
        PATH=f"{program.parent}:{os.environ['PATH']}", BOTEQUIM_BIND=bind, BOTEQUIM_URL=f"http://{bind}"
    )
    heard = folder / "heard.txt"
    with heard.open("wb") as out:
        process = subprocess.Popen(
            ["bash", "-c", script(page, folder).replace(_ADDRESS, bind)],
            cwd=folder,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"{page} does not come to its end: {heard.read_text()}") from None
    finally:
        _end_group(process.pid)
    told = heard.read_text()
    assert process.returncode == 0, told
    assert told.endswith("THE END\n") or "\nTHE END\n" in told, told
    return told


def _end_group(group: int) -> None:
    """End what still runs in the background."""
    for number, seconds in ((signal.SIGTERM, PATIENCE), (signal.SIGKILL, 5)):
        deadline = time.monotonic() + seconds
        try:
            os.killpg(group, number)
            while time.monotonic() < deadline:
                os.killpg(group, 0)
                time.sleep(0.05)
        except ProcessLookupError:
            return
