"""The logs of ``botequim up``, as an operator reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.service import Service
from tests.waiting import wait_until

BOT = "def choose(turn):\n    return turn['legal_actions'][0]\n"


def lines(service: Service, name: str) -> list[dict[str, Any]]:
    """The lines of a log that are complete."""
    path = service.data / "logs" / f"{name}.log"
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def test_a_request_is_followed_through_the_jobs_that_it_causes(tmp_path: Path) -> None:
    with Service(tmp_path, BOTEQUIM_LOG_LEVEL="DEBUG") as service:
        owner = service.client().sign_up("olga")
        service.client(owner).register_bot("bot-of-olga", transport="uploaded", source=BOT)
        request = Request(
            f"{service.url}/v1/bots/bot-of-olga/versions/1/qualifications",
            b'{"kind": "toepen"}',
            {
                "Content-Type": "application/json",
                "Authorization": f"Bearer {owner}",
                "X-Request-Id": "find-me",
            },
        )
        with urlopen(request, timeout=60) as reply:
            assert reply.headers["X-Request-Id"] == "find-me"

        def caused() -> set[str]:
            found = [line for line in lines(service, "worker-1") if line.get("request_id") == "find-me"]
            return {str(line["job"]).split("-")[1] for line in found}

        # The request causes the first job, and that the others.
        wait_until(lambda: caused() >= {"step_tournament", "play_local_groups"})
        ticks = [line for line in lines(service, "worker-1") if line.get("job") and "request_id" not in line]
        assert ticks
    for name, process in (
        *(("api", "api"), ("worker-1", "worker"), ("scheduler", "scheduler"), ("up", "supervisor")),
    ):
        found = lines(service, name)
        assert {line["process"] for line in found} <= {process, "sweeper"}, name
        assert all({"time", "level", "process", "message"} <= line.keys() for line in found), name
    assert any(line["message"].startswith("API:") for line in lines(service, "up"))
    (asked,) = [
        line for line in lines(service, "api") if line.get("request_id") == "find-me" and "ms" in line
    ]
    assert (asked["operation"], asked["status"], asked["who"]) == ("qualify", 200, "owner:olga")
    assert all(not said.startswith("{") for said in service.lines)
