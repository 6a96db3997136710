"""The logs of ``botequim up``, as an operator reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.service import Service
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

REQUESTS = [f"find-me-{number}" for number in range(5)]
CAUSED = {"check_upload", "step_tournament", "play_local_groups"}
BOT = "def choose(turn):\n    return turn['legal_actions'][0]\n"


def lines(service: Service, name: str) -> list[dict[str, Any]]:
    """The lines of a log that are complete."""
    path = service.data / "logs" / f"{name}.log"
    text = path.read_text() if path.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def worker_lines(service: Service) -> list[dict[str, Any]]:
    """The lines of all workers, by their times."""
    found = [line for name in ("worker-1", "live", "checks") for line in lines(service, name)]
    return sorted(found, key=lambda line: str(line["time"]))


def is_followed(service: Service, owner: str, request_id: str) -> bool:
    """Upload a bot, which qualifies; whether the jobs of all that have the id of this request."""
    bot = f"bot-{request_id}"
    body = {"name": bot, "transport": "uploaded", "source": BOT}
    request = Request(
        f"{service.url}/v1/bots",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {owner}", "X-Request-Id": request_id},
    )
    with urlopen(request, timeout=PATIENCE) as reply:
        assert reply.headers["X-Request-Id"] == request_id
        uploaded = json.load(reply)["upload"]["id"]
    client = service.client(owner)
    wait_until(lambda: client.uploads(bot) == [])
    wait_until(lambda: client.qualifications(bot, "1"))
    tournament = client.qualifications(bot, "1")[0]["tournament"]

    def jobs() -> dict[str, str | None]:
        """The request ids of its first jobs that have ended."""
        found: dict[str, str | None] = {}
        for line in worker_lines(service):
            name, _, rest = str(line.get("job")).partition("-")
            if tournament in rest or tournament == line.get("tournament") or uploaded in rest:
                found.setdefault(name, line.get("request_id"))
        return found

    # The request causes the first job, that the second, and so on.
    wait_until(lambda: jobs().keys() >= CAUSED)
    return {jobs()[name] for name in CAUSED} == {request_id}


def test_a_request_is_followed_through_the_jobs_that_it_causes(tmp_path: Path) -> None:
    with Service(tmp_path, BOTEQUIM_LOG_LEVEL="DEBUG") as service:
        owner = service.client().sign_up("olga")
        # A tick may request a job of a new tournament first, and then the job has no request id.
        request_id = next(found for found in REQUESTS if is_followed(service, owner, found))
        ticks = [line for line in worker_lines(service) if line.get("job") and "request_id" not in line]
        assert ticks
    for name, process in (
        *(("api", "api"), ("worker-1", "worker"), ("checks", "checks"), ("live", "live")),
        *(("scheduler", "scheduler"), ("up", "supervisor")),
    ):
        found = lines(service, name)
        assert {line["process"] for line in found} <= {process, "sweeper"}, name
        assert all({"time", "level", "process", "message"} <= line.keys() for line in found), name
    assert any(line["message"].startswith("API:") for line in lines(service, "up"))
    (logged,) = [
        line for line in lines(service, "api") if line.get("request_id") == request_id and "ms" in line
    ]
    assert (logged["operation"], logged["who"]) == ("registerBot", "owner:olga")
    assert logged["status"] in (201, 202)
    assert all(not said.startswith("{") for said in service.lines)
