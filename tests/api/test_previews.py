"""The cache of pictures: drawn once, paid by who asks, one for each subject, and bounded."""

from __future__ import annotations

import pytest

from arena.accounts.allowances import BudgetExceeded
from arena.ops.jobs import Job, JobName
from arena.ops.service import Service
from arena.previews.previews import Preview, welcome
from arena.previews.sketches import Sketch
from tests.replays.games import played

PAYER = "ana"


def sketch(title: str) -> Sketch:
    return {"title": title, "lead": "", "foot": "", "rows": []}


def preview(title: str, subject: str = "board") -> Preview:
    return Preview(subject, sketch=sketch(title))


@pytest.fixture
def jobs(services: Service, monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    requested: list[Job] = []
    monkeypatch.setattr(services.jobs, "request", requested.append)
    return requested


def run(services: Service, jobs: list[Job]) -> None:
    while jobs:
        services.run(jobs.pop())


def test_a_picture_is_drawn_once_by_a_job(services: Service, jobs: list[Job]) -> None:
    one = preview("one")
    for _ in range(2):
        assert services.previews.picture(one, PAYER, 0) is None
    assert set(jobs) == {Job(JobName.DRAW_PREVIEW, (one.id, PAYER))}
    run(services, jobs)
    picture = services.previews.picture(one, PAYER, 0)
    assert picture is not None
    assert jobs == []
    services.previews.draw(one.id)
    assert services.previews.picture(one, PAYER, 0) == picture


def test_another_state_of_a_subject_replaces_its_picture(services: Service, jobs: list[Job]) -> None:
    pictures = set()
    for title in ("one", "two", "three"):
        services.previews.picture(preview(title), PAYER, 0)
        run(services, jobs)
        pictures.add(services.previews.picture(preview(title), PAYER, 0))
    assert len(pictures) == 3
    assert services.store.prepared.bytes() < 70_000
    # A job that is late draws what was asked for last.
    services.previews.picture(preview("four"), PAYER, 0)
    services.previews.picture(preview("five"), PAYER, 0)
    run(services, jobs)
    assert services.previews.picture(preview("five"), PAYER, 0)
    assert services.previews.picture(preview("four"), PAYER, 0) is None


def test_pictures_make_room_for_one_another(
    services: Service, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services.store.prepared, "most_bytes", 30_000)
    for number in range(8):
        services.previews.picture(preview("one", f"board {number}"), PAYER, 0)
        run(services, jobs)
        assert services.store.prepared.bytes() <= 30_000
    assert services.previews.picture(preview("one", "board 7"), PAYER, 0)
    assert services.previews.picture(preview("one", "board 0"), PAYER, 0) is None


def test_who_has_no_budget_gets_what_is_there(services: Service, jobs: list[Job]) -> None:
    services.previews.picture(preview("one"), PAYER, 0)
    services.budgets.charge(PAYER, 1e12)
    run(services, jobs)
    with pytest.raises(BudgetExceeded):
        services.previews.picture(preview("one"), PAYER, 0)
    assert services.previews.picture(preview("one"), "bia", 0) is None
    run(services, jobs)
    assert services.previews.picture(preview("one"), PAYER, 0)


def test_what_cannot_be_drawn_is_the_picture_of_the_service(services: Service, jobs: list[Job]) -> None:
    record = played("toepen", {"seats": 2})
    record["canonical"]["actions"][5:] = [[0, "play:9Z"]]
    one = Preview("game", record=record)
    services.previews.picture(one, PAYER, 0)
    run(services, jobs)
    assert services.previews.picture(one, PAYER, 0) == welcome()
