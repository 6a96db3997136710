"""``python -m tests.mistakes``: frequent mistakes with the errors that they get."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

from arena.cli import run
from tests.mistakes.cases import BOT, FOUND, MORE, OFFLINE, ONLINE, OTHER_BOT, Command, Request
from tests.service import Service


def reply(url: str, tokens: Mapping[str, str], one: Request) -> tuple[int, Any]:
    """The status of a reply, and its JSON."""
    data = (
        one.body
        if isinstance(one.body, bytes)
        else None
        if one.body is None
        else json.dumps(one.body).encode()
    )
    headers = {"Content-Type": "application/json"} if data is not None else {}
    if one.who:
        headers["Authorization"] = f"Bearer {tokens[one.who]}"
    sent = HttpRequest(url + one.path, data, {**headers, **one.headers}, method=one.method)
    try:
        with urlopen(sent) as response:
            return response.status, json.load(response)
    except HTTPError as error:
        return error.code, json.load(error)


def said(one: Command) -> str:
    """The line that a wrong command writes to stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(shlex.split(one.line))
    return f"exit code {status}: {' / '.join(err.getvalue().splitlines())}"


def lines(service: Service) -> Iterator[tuple[str, str]]:
    """The lines of the table."""
    ana = service.client().sign_up("ana")
    pia = service.client().sign_up("pia")
    tokens = {"ana": ana, BOT: service.client(ana).register_bot(BOT)}
    service.client(pia).register_bot(OTHER_BOT)
    for one in (*FOUND, *MORE):
        status, found = reply(service.url, tokens, one)
        words = [f"{status} {found['code']}: {found['detail']}"] if "code" in found else [json.dumps(found)]
        words += [f"expected {found['expected']}"] if found.get("expected") else []
        words += [f"and {more['detail']}" for more in found.get("more", ())]
        yield one.name, "; ".join(words)
    for command in OFFLINE:
        yield f"botequim {command.line}", said(command)
    os.environ.update(BOTEQUIM_URL=service.url, BOTEQUIM_TOKEN=ana)
    for command in ONLINE:
        yield f"botequim {command.line}", said(command)


def main() -> None:
    """Start a service, make all mistakes, and print the table."""
    for name in [name for name in os.environ if name.startswith("BOTEQUIM_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        with Service(Path(folder), workers=0) as service:
            table = list(lines(service))
    print("| mistake | error |\n|---|---|")
    for line in table:
        print("|", " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line), "|")


if __name__ == "__main__":
    sys.exit(main())
