"""A class of sixty behind one address: invitations, uploads, three weekly contests, and a season table."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import pytest
from flask import Flask
from flask.testing import FlaskClient

from api.app import create_app
from api.openapi.capture import checking
from arena.ops.service import Service
from arena.ops.settings import DEFAULT_LIMITS, Settings
from arena.ratings.series import recomputed
from arena.store.embedded import EmbeddedStore
from tests.api.conftest import ADMIN_TOKEN
from tests.live.clock import skip

STUDENTS: Final = 60
WEEKS: Final = 3
HOUR_MS: Final = 3_600_000
WEEK_MS: Final = 7 * 24 * HOUR_MS

SOURCE: Final = """\
from arena.bots import Bot


class Student(Bot):
    def choose(self, turn):
        plays = [action for action in turn["legal_actions"] if action.startswith("play:")]
        return sorted(plays or turn["legal_actions"])[{number} % len(plays or turn["legal_actions"])]
"""
CONTEST: Final = {
    "kind": "toepen",
    "preset": "duel@1",
    "format": "swiss",
    "rounds": 4,
    "groups": 2,
    "division": "sealed",
    "per_owner": 1,
}


class Desk:
    """Somebody with a token, at the one address of the school."""

    def __init__(self, app: Flask, token: str | None = None) -> None:
        self._client = FlaskClient(app, app.response_class)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def __call__(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        response = self._client.open(path, method=method, json=body, headers=self._headers)
        assert response.status_code == status, (method, path, response.text)
        return response.json


def run_class(app: Flask, students: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Everything from the first invitation to the season table, which is returned."""
    service: Service = app.extensions["botequim"]
    anybody, admin = Desk(app), Desk(app, ADMIN_TOKEN)

    @contextmanager
    def timed(step: str) -> Iterator[None]:
        start = time.monotonic()
        yield
        say(f"{step}: {time.monotonic() - start:.1f} s")

    def play(until_over: str = "") -> None:
        """As the workers, until nothing is due, or one tournament is over."""
        while True:
            states = {
                name: service.tournaments.step(name).state for name in service.store.tournaments.active()
            }
            for name, state in states.items():
                if state == "running":
                    service.tournaments.play_local_groups(name)
            if until_over and service.tournaments.view(until_over)["state"] in ("finished", "cancelled"):
                return
            if not until_over and "running" not in states.values():
                return

    with timed("the teacher signs up and may invite"):
        token = anybody("POST", "/v1/owners", {"name": "teacher"}, 201)["token"]
        admin("PUT", "/v1/admin/owners/teacher/invitations", {"most": students})
        teacher = Desk(app, token)
    with timed(f"roster of {students}"):
        people = [{"name": f"Student {n}", "handle": f"student-{n}"} for n in range(students)]
        roster = teacher("POST", "/v1/invitations", {"people": people, "roster": "7b"}, 201)["invitations"]
    desks = []
    with timed(f"{students} sign-ups from one address"):
        for one in roster:
            body = {"name": one["handle"], "invitation": one["code"]}
            desks.append(Desk(app, anybody("POST", "/v1/owners", body, 201)["token"]))
    with timed(f"{students} uploads"), checking(app):
        for number, desk in enumerate(desks):
            body = {"name": f"bot-{number}", "transport": "uploaded", "source": SOURCE.format(number=number)}
            desk("POST", "/v1/bots", body, 201)
    series = teacher("POST", "/v1/series", {"name": "Season", "best": 2}, 201)["id"]
    cups: list[str] = []
    for week in range(1, WEEKS + 1):
        with timed(f"week {week}: announced, {students} entries and qualifications"):
            now_ms = service.store.clock().now_ms
            body = {**CONTEST, "name": f"Wek {week}", "max_entries": students, "locks_ms": now_ms + HOUR_MS}
            plan = teacher("POST", "/v1/tournament-dry-runs", body)
            cup = teacher("POST", "/v1/tournaments", body, 201)["id"]
            for number, desk in enumerate(desks):
                desk("POST", f"/v1/tournaments/{cup}/entries", {"bot": f"bot-{number}"})
            play()
        say(f"  the dry run said: {plan['text']}")
        if week == 1:
            with timed("one edit after the first entry"):
                edited = teacher("PATCH", f"/v1/tournaments/{cup}", {"name": "Week 1"})
                assert edited["name"] == "Week 1"
        with timed(f"week {week}: played"):
            skip(service.live, HOUR_MS)
            play(cup)
        view = anybody("GET", f"/v1/tournaments/{cup}")
        assert view["state"] == "finished", view["reason"]
        assert sum(entry["status"] == "qualified" for entry in view["entries"]) == students
        say(f"  {view['progress']['games']} games")
        cups.append(cup)
        teacher("PATCH", f"/v1/series/{series}", {"tournaments": cups})
        skip(service.live, WEEK_MS - HOUR_MS)
    with timed("the season table, made again from its JSON"):
        teacher("PATCH", f"/v1/series/{series}", {"done": True})
        table = anybody("GET", f"/v1/series/{series}/table")
        text = recomputed(table).as_text()
    say(text)
    listed = [one for start in range(0, students, 100) for one in invitations(teacher, start)]
    assert {one["owner"] for one in listed} == {one["handle"] for one in roster}
    return dict(table)


def invitations(teacher: Desk, start: int) -> list[dict[str, Any]]:
    """A page of them."""
    found: list[dict[str, Any]] = teacher("GET", f"/v1/invitations?limit=100&cursor={start}")["invitations"]
    return found


@pytest.mark.nightly("contract")
def test_a_class_of_sixty(
    settings: Settings, clean_store: EmbeddedStore, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = {**dict.fromkeys(DEFAULT_LIMITS), "sign_ups_per_address": DEFAULT_LIMITS["sign_ups_per_address"]}
    app = create_app(replace(settings, http=replace(settings.http, limits=limits)))

    def say(line: str) -> None:
        with capsys.disabled():
            print(line)

    start = time.monotonic()
    try:
        table = run_class(app, STUDENTS, say)
    finally:
        app.extensions["botequim"].close()
    say(f"all: {time.monotonic() - start:.0f} s")
    assert len(table["rows"]) == STUDENTS
    assert [one["name"] for one in table["inputs"]][1:] == ["Wek 2", "Wek 3"]
    points = sum(sum(filter(None, row["results"])) for row in table["rows"])
    assert points == pytest.approx(WEEKS * 39)
