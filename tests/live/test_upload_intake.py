"""Uploads until they are versions or refused: whoever is killed, nothing is lost, doubled or left counted."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator

import pytest

from arena.accounts.accounts import UploadExists
from arena.accounts.default_limits import MAX_OF_BOT, Quotas
from arena.accounts.upload_intake import (
    EXPIRES_MS,
    LEASE_MS,
    MOST_ATTEMPTS,
    NotChecked,
    UploadNotFound,
    UploadRefused,
)
from arena.accounts.uploads import ReceivedUpload, python_upload
from arena.accounts.versions import VersionNotFound
from arena.errors import ArenaError
from arena.integrity.copies import copies
from arena.sandbox.errors import BuildFailed
from arena.store.accounts import StoredUpload
from arena.store.amounts import Stored
from tests.dying import KILLED, counted_to, in_child, status_of
from tests.live.arenas import Arena
from tests.live.clock import skip

pytestmark = pytest.mark.system

GOOD = "def choose(turn):\n    return turn['legal_actions'][0]\n"
BAD = "def choose(turn:\n"
SURELY_STORED_MS = 30_000


@pytest.fixture
def single(single_url: str) -> Iterator[Arena]:
    """An arena on the single server, whose runtime is there before anything is forked."""
    opened = Arena(single_url)
    opened.service.runtimes.ready()
    yield opened
    opened.live.close()


def register(arena: Arena, name: str, source: str) -> ReceivedUpload:
    return arena.uploads.register("olga", name, "1", python_upload(source))[2]


def work(arena: Arena) -> None:
    """What is due."""
    for bot, upload in arena.uploads.due():
        arena.uploads.check(bot, upload)


def counted(arena: Arena, owner: str | None) -> Stored:
    """What is known to be stored, which the quotas are compared with."""
    return arena.store.accounts.take(owner, Stored(), Stored(99, 99, 1 << 30))[1]


def refused(act: Callable[[], object]) -> ArenaError:
    with pytest.raises(ArenaError) as caught:
        act()
    return caught.value


def test_an_upload_counts_and_takes_its_label_until_it_is_a_version(arena: Arena) -> None:
    upload = register(arena, "first", GOOD)
    assert arena.uploads.find("first", upload.id).state == "received"
    assert arena.jobs.pending[-1].args == ("first", upload.id, "olga")
    for owner in ("olga", None):
        assert arena.store.accounts.stored(owner) == counted(arena, owner) == Stored(1, 1, len(GOOD))
    bot = arena.accounts.bot("first")
    assert (bot.version, bot.versions) == ("", ())
    with pytest.raises(VersionNotFound, match="no version yet"):
        _ = bot.current
    other = python_upload(GOOD + "\n")
    assert refused(lambda: arena.uploads.receive("first", "1", other)).code == "version_exists"
    assert refused(lambda: arena.accounts.add_version("first", "1")).code == "version_exists"
    assert [one.id for one in arena.uploads.unsettled("first")] == [upload.id]
    arena.jobs.run_pending(arena.service)
    assert arena.uploads.find("first", upload.id).state == "added"
    (version,) = arena.accounts.bot("first").versions
    assert (version.label, version.created_ms, version.size) == ("1", upload.received_ms, len(GOOD))
    assert arena.accounts.bot("first").current == version
    assert arena.accounts.upload_of("first", "1").source == GOOD
    arena.store.journals.forget("first")
    assert arena.store.accounts.stored("olga") == counted(arena, "olga") == Stored(1, 1, len(GOOD))
    assert arena.uploads.unsettled("first") == arena.uploads.due() == []


def test_the_upload_that_was_received_last_is_current(arena: Arena) -> None:
    arena.accounts.register_bot("olga", "first")
    uploads = []
    for label in ("2", "3"):
        uploads.append(arena.uploads.receive("first", label, python_upload(GOOD + f"# {label}\n")))
        time.sleep(0.002)
    for upload in reversed(uploads):
        arena.uploads.check("first", upload.id)
    assert arena.accounts.bot("first").version == "3"
    assert [version.label for version in arena.accounts.bot("first").versions] == ["1", "2", "3"]


def test_the_same_bytes_are_the_same_version(arena: Arena) -> None:
    arena.upload("first", GOOD)
    arena.upload("first", GOOD + "# 2\n", "2")
    before = arena.store.accounts.stored("olga")
    assert arena.accounts.bot("first").version == "2"
    same = arena.uploads.same_version("first", python_upload(GOOD))
    assert same is not None
    assert same.label == arena.accounts.bot("first").version == "1"
    error = refused(lambda: arena.uploads.receive("first", "3", python_upload(GOOD)))
    assert isinstance(error, UploadExists)
    assert arena.store.accounts.stored("olga") == counted(arena, "olga") == before
    assert [version.label for version in arena.accounts.bot("first").versions] == ["1", "2"]
    assert arena.uploads.same_version("first", python_upload(GOOD + "# 3\n")) is None


def test_the_same_bytes_are_checked_once(arena: Arena) -> None:
    arena.upload("first", GOOD)
    changed = python_upload(GOOD + "# 2\n")
    upload = arena.uploads.receive("first", "2", changed)
    before = arena.store.accounts.stored("olga")
    assert arena.uploads.receive("first", "3", changed) == upload
    # A request that did not see the other one.
    late = StoredUpload("u" + "1" * 16, b"{}", changed.digest, changed.data)
    assert arena.store.accounts.add_version("first", "3", "", MAX_OF_BOT, late) == ("same", 0)
    assert arena.store.accounts.stored("olga") == counted(arena, "olga") == before
    work(arena)
    assert [version.label for version in arena.accounts.bot("first").versions] == ["1", "2"]


def test_a_version_made_current_stays_it_when_an_older_upload_is_checked(arena: Arena) -> None:
    arena.upload("first", GOOD)
    arena.upload("first", GOOD + "# 2\n", "2")
    arena.uploads.receive("first", "3", python_upload(GOOD + "# 3\n"))
    time.sleep(0.002)
    assert arena.uploads.same_version("first", python_upload(GOOD)) is not None
    work(arena)
    assert arena.accounts.bot("first").version == "1"
    assert [version.label for version in arena.accounts.bot("first").versions] == ["1", "2", "3"]


def test_copies_under_other_owners_are_reported(arena: Arena) -> None:
    arena.upload("first", GOOD, owner="olga")
    arena.upload("other", GOOD + "# own\n", owner="paul")
    assert copies(arena.accounts, arena.store.accounts) == []
    arena.upload("other", GOOD, "2")
    arena.upload("second", GOOD, owner="olga")
    (found,) = copies(arena.accounts, arena.store.accounts)
    assert found.digest == python_upload(GOOD).digest
    assert [(one.name, one.version, one.owner) for one in found.versions] == [
        ("first", "1", "olga"),
        ("other", "2", "paul"),
        ("second", "1", "olga"),
    ]
    arena.accounts.delete_bot("other")
    assert copies(arena.accounts, arena.store.accounts) == []


def test_a_refused_upload_gives_everything_back(arena: Arena) -> None:
    arena.upload("first", GOOD)
    before = arena.store.accounts.stored("olga")
    upload = arena.uploads.receive("first", "2", python_upload(BAD))
    assert arena.store.accounts.stored("olga") == Stored(1, 2, len(GOOD + BAD))
    work(arena)
    found = arena.uploads.find("first", upload.id)
    assert (found.state, found.code) == ("refused", "compile_failed")
    assert found.reason == "SyntaxError: '(' was never closed (bot.py, line 1)"
    for owner in ("olga", None):
        assert arena.store.accounts.stored(owner) == counted(arena, owner) == before
    assert arena.store.accounts.source("first", upload.digest) is None
    # The same is refused at once now, and nothing is stored.
    for act in (
        lambda: arena.uploads.receive("first", "2", python_upload(BAD)),
        lambda: register(arena, "second", BAD),
    ):
        error = refused(act)
        assert isinstance(error, UploadRefused)
        assert (error.code, error.message) == (found.code, found.reason)
    assert arena.store.accounts.stored() == before
    assert arena.uploads.due() == []


def test_an_upload_that_nobody_checks_expires(arena: Arena) -> None:
    upload = register(arena, "first", GOOD)
    skip(arena.live, EXPIRES_MS - 60_000)
    assert arena.uploads.find("first", upload.id).state == "received"
    skip(arena.live, 60_000)
    # The worker is back; it does not begin with what is that old.
    work(arena)
    found = arena.uploads.find("first", upload.id)
    assert (found.state, found.code, found.attempts) == ("refused", NotChecked.code, 0)
    # The bot never had a version: its name is free, and it counts no more.
    assert refused(lambda: arena.accounts.bot("first")).code == "bot_not_found"
    assert arena.accounts.bots()[0] == []
    assert arena.store.accounts.stored() == counted(arena, None) == Stored()
    # It was nobody's fault, so the same may be sent again.
    again = register(arena, "first", GOOD)
    work(arena)
    assert arena.uploads.find("first", again.id).state == "added"


def test_a_deleted_bot_takes_its_uploads_along(arena: Arena) -> None:
    upload = register(arena, "first", GOOD)
    arena.accounts.delete_bot("first")
    assert arena.uploads.due() == []
    arena.jobs.run_pending(arena.service)
    with pytest.raises(UploadNotFound):
        arena.uploads.find("first", upload.id)
    assert arena.store.accounts.stored() == counted(arena, None) == Stored()


def test_a_worker_without_the_runtime_makes_no_attempt(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    upload = register(arena, "first", GOOD)

    def ready() -> None:
        raise BuildFailed("it cannot be built here")

    with monkeypatch.context() as patch:
        patch.setattr(arena.uploads, "_ready", ready)
        with pytest.raises(BuildFailed):
            arena.uploads.check("first", upload.id)
    found = arena.uploads.find("first", upload.id)
    assert (found.state, found.attempts) == ("received", 0)
    skip(arena.live, LEASE_MS)
    work(arena)
    assert arena.uploads.find("first", upload.id).state == "added"


def test_the_quota_of_an_owner_counts_uploads(url: str) -> None:
    arena = Arena(url)
    arena.accounts.quotas._quotas = Quotas(owner=Stored(9, 2, 1000))
    try:
        register(arena, "first", GOOD)
        second = arena.uploads.receive("first", "2", python_upload(BAD))
        third = python_upload(GOOD + "\n")
        error = refused(lambda: arena.uploads.receive("first", "3", third))
        assert (error.code, error.extra["quota"], error.extra["used"]) == (
            "quota_exceeded",
            "owner_versions",
            2,
        )
        assert len(arena.uploads.unsettled("first")) == len(arena.uploads.due()) == 2
        work(arena)
        assert arena.uploads.find("first", second.id).state == "refused"
        arena.uploads.receive("first", "3", third)
    finally:
        arena.live.close()


# Killed


def killed_at(arena: Arena, step: int, act: Callable[[], object]) -> bool:
    """Whether a process that does ``act`` was killed right before number ``step`` of its round trips."""

    def die() -> None:
        connection = arena.store._connection
        connection.run = counted_to(step)(connection.run)  # type: ignore[method-assign]
        act()

    status = status_of(in_child(die))
    assert status in (0, KILLED)
    return status == KILLED


def settle(arena: Arena) -> None:
    """Let the lease of the killed process end, then work, until nothing is left to do."""
    skip(arena.live, SURELY_STORED_MS + LEASE_MS)
    work(arena)
    assert arena.store.uploads.due(1 << 52, 10) == []


@pytest.mark.nightly("kills")
@pytest.mark.parametrize(("source", "state"), [(GOOD, "added"), (BAD, "refused")])
def test_a_worker_is_killed_at_every_step(single: Arena, source: str, state: str) -> None:
    arena = single
    for step in itertools.count(1):
        name = f"bot-{step}"
        upload = register(arena, name, f"{source}# {step}\n")
        is_killed = killed_at(arena, step, lambda name=name, id=upload.id: arena.uploads.check(name, id))
        settle(arena)
        assert arena.uploads.find(name, upload.id).state == state, step
        if state == "added":
            (version,) = arena.accounts.bot(name).versions
            assert arena.accounts.bot(name).version == version.label == "1"
            expected = Stored(1, 1, upload.size)
        else:
            assert refused(lambda name=name: arena.accounts.bot(name)).code == "bot_not_found"
            expected = Stored()
        assert arena.store.accounts.stored() == counted(arena, None) == expected, step
        if state == "added":
            arena.accounts.delete_bot(name)
        if not is_killed:
            break
    assert step > 8


@pytest.mark.nightly("kills")
def test_an_api_process_is_killed_at_every_step(single: Arena) -> None:
    arena = single
    outcomes = set()
    for step in itertools.count(1):
        name = f"bot-{step}"
        is_killed = killed_at(arena, step, lambda name=name: register(arena, name, GOOD))
        settle(arena)
        try:
            outcomes.add(arena.accounts.bot(name).version)
            arena.accounts.delete_bot(name)
        except ArenaError as error:
            outcomes.add(error.code)
        assert arena.store.accounts.stored() == counted(arena, None) == Stored(), step
        if not is_killed:
            break
    assert outcomes == {"1", "bot_not_found"}


def test_an_upload_whose_workers_die_is_refused(single: Arena) -> None:
    arena = single
    upload = register(arena, "first", GOOD)
    deaths = 0
    while arena.uploads.find("first", upload.id).state != "refused":
        deaths += 1
        assert deaths <= MOST_ATTEMPTS + 1
        # After the attempt was counted, before the end of the checks.
        killed_at(arena, 8, lambda: arena.uploads.check("first", upload.id))
        skip(arena.live, LEASE_MS)
    found = arena.uploads.find("first", upload.id)
    assert (found.code, found.attempts) == (NotChecked.code, MOST_ATTEMPTS)
    assert arena.store.accounts.stored() == Stored()


def test_one_worker_at_a_time_checks_an_upload(arena: Arena) -> None:
    upload = register(arena, "first", GOOD)
    now_ms = arena.now_ms()
    assert arena.store.uploads.claim("first", upload.id, now_ms, now_ms + LEASE_MS)
    arena.uploads.check("first", upload.id)
    assert arena.uploads.find("first", upload.id).attempts == 0
    assert arena.uploads.due() == []
    skip(arena.live, LEASE_MS)
    assert arena.uploads.due() == [("first", upload.id)]
    arena.service.tick()
    arena.jobs.run_pending(arena.service)
    assert arena.uploads.find("first", upload.id).state == "added"
