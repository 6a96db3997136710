"""The cache of images: drawn once, paid by who asks, one for each subject, and bounded."""

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


def test_a_image_is_drawn_once_by_a_job(services: Service, jobs: list[Job]) -> None:
    one = preview("one")
    for _ in range(2):
        assert services.previews.image(one, PAYER, 0) is None
    assert set(jobs) == {Job(JobName.DRAW_PREVIEW, (one.id, PAYER))}
    run(services, jobs)
    image = services.previews.image(one, PAYER, 0)
    assert image is not None
    assert jobs == []
    services.previews.draw(one.id)
    assert services.previews.image(one, PAYER, 0) == image


def test_another_state_of_a_subject_replaces_its_image(services: Service, jobs: list[Job]) -> None:
    images = set()
    for title in ("one", "two", "three"):
        services.previews.image(preview(title), PAYER, 0)
        run(services, jobs)
        images.add(services.previews.image(preview(title), PAYER, 0))
    assert len(images) == 3
    assert services.store.prepared.bytes() < 70_000
    # A job that is late draws what was asked for last.
    services.previews.image(preview("four"), PAYER, 0)
    services.previews.image(preview("five"), PAYER, 0)
    run(services, jobs)
    assert services.previews.image(preview("five"), PAYER, 0)
    assert services.previews.image(preview("four"), PAYER, 0) is None


def test_an_image_of_an_older_state_is_not_stored(
    services: Service, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(shown: Sketch) -> bytes:
        services.previews.image(preview("two"), PAYER, 0)
        return b"one"

    services.previews.image(preview("one"), PAYER, 0)
    with monkeypatch.context() as patched:
        patched.setattr("arena.previews.previews.png", slow)
        services.run(jobs.pop(0))
    assert services.previews.image(preview("two"), PAYER, 0) is None
    run(services, jobs)
    assert services.previews.image(preview("two"), PAYER, 0) not in (None, welcome())


def test_images_make_room_for_one_another(
    services: Service, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services.store.prepared, "most_bytes", 30_000)
    for number in range(8):
        services.previews.image(preview("one", f"board {number}"), PAYER, 0)
        run(services, jobs)
        assert services.store.prepared.bytes() <= 30_000
    assert services.previews.image(preview("one", "board 7"), PAYER, 0)
    assert services.previews.image(preview("one", "board 0"), PAYER, 0) is None


def test_who_has_no_budget_gets_what_is_there(services: Service, jobs: list[Job]) -> None:
    services.previews.image(preview("one"), PAYER, 0)
    services.budgets.charge(PAYER, 1e12)
    run(services, jobs)
    with pytest.raises(BudgetExceeded):
        services.previews.image(preview("one"), PAYER, 0)
    assert services.previews.image(preview("one"), "bia", 0) is None
    run(services, jobs)
    assert services.previews.image(preview("one"), PAYER, 0)


def test_what_cannot_be_drawn_is_the_image_of_the_service(services: Service, jobs: list[Job]) -> None:
    record = played("toepen", {"seats": 2})
    record["canonical"]["actions"][5:] = [[0, "play:9Z"]]
    one = Preview("game", record=record)
    services.previews.image(one, PAYER, 0)
    run(services, jobs)
    assert services.previews.image(one, PAYER, 0) == welcome()
