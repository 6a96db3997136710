"""Quotas: what is refused leaves nothing behind, and no number of requests at once gets more."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from arena.accounts.accounts import Accounts, VersionExists
from arena.accounts.allowances import QuotaExceeded
from arena.accounts.default_limits import MAX_OF_BOT, Quotas
from arena.accounts.uploads import ReceivedUpload, Upload, module_upload
from arena.errors import ArenaError
from arena.sandbox.limits import MODULE_MAGIC
from arena.store.accounts import StoredUpload, _owner
from arena.store.amounts import Stored
from arena.store.repositories import Store, open_store
from arena.store.rows import write_row

MEGABYTE = 1 << 20


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


def upload(size: int = MEGABYTE, seed: int = 0) -> Upload:
    start = MODULE_MAGIC + bytes([seed])
    return module_upload(start + bytes(size - len(start)))


def accounts(store: Store, owner: Stored | None = None, service: Stored | None = None) -> Accounts:
    quotas = Quotas(owner or Quotas().owner, service or Quotas().service)
    return Accounts(store.accounts, quotas=quotas)


def add(here: Accounts, label: str, what: Upload, bot: str = "zap") -> None:
    here.add_version(bot, label, "uploaded", upload=incoming(bot, label, what))


def register(here: Accounts, owner: str, bot: str, what: Upload) -> None:
    here.register_bot(owner, bot, transport="uploaded", upload=incoming(bot, "1", what))


def incoming(bot: str, label: str, what: Upload) -> StoredUpload:
    """An upload that no worker checks."""
    upload_id = f"u{secrets.token_hex(8)}"
    row = ReceivedUpload(upload_id, bot, "ana", label, what.language, what.digest, len(what.data), 1, 1)
    return StoredUpload(upload_id, write_row(row), what.digest, what.data)


def refused(act: Callable[[], object]) -> ArenaError:
    with pytest.raises(ArenaError) as caught:
        act()
    return caught.value


def test_a_refused_version_leaves_nothing(store: Store) -> None:
    here = accounts(store, Stored(5, 5, 3 * MEGABYTE))
    register(here, "ana", "zap", upload())
    before = store.accounts.stored("ana")
    assert before == Stored(1, 1, MEGABYTE)
    for seed in range(1, 9):
        assert isinstance(refused(lambda seed=seed: add(here, "1", upload(seed=seed))), VersionExists)
    error = refused(lambda: add(here, "2", upload(3 * MEGABYTE, 1)))
    assert isinstance(error, QuotaExceeded)
    assert error.extra == {
        "quota": "owner_bytes",
        "most": 3 * MEGABYTE,
        "used": MEGABYTE,
        "left": 2 * MEGABYTE,
    }
    assert store.accounts.stored("ana") == before
    # A label that another request took a moment ago, and other races, are decided by the same script.
    source = StoredUpload("u" + "0" * 16, b"{}", "0" * 64, b"x" * 100)
    assert store.accounts.add_version("zap", "1", "", MAX_OF_BOT, source) == ("exists", 0)
    assert store.accounts.add_version("zap", "2", "", Stored(1, 1, MEGABYTE), source) == ("full", 0)
    assert store.accounts.add_version("zap", "2", "", Stored(1, 9, MEGABYTE), source) == ("large", MEGABYTE)
    assert not store.accounts.create_bot("zap", "bia", "token", {}, "", "", source)
    assert store.accounts.stored() == before
    assert here.quotas.of_owner("ana")["bytes"] == {
        "used": MEGABYTE,
        "most": 3 * MEGABYTE,
        "left": 2 * MEGABYTE,
    }
    add(here, "2", upload(2 * MEGABYTE, 2))
    assert store.accounts.stored("ana") == Stored(1, 2, 3 * MEGABYTE)


def test_a_refused_version_changes_no_secret(store: Store) -> None:
    here = accounts(store)
    here.register_bot("ana", "zap")
    url = "https://bots.example/zap"
    error = refused(lambda: here.add_version("zap", "1", "webhook", url=url, secret="whsec_new"))
    assert isinstance(error, VersionExists)
    assert here.signing_secrets("zap") == []
    here.add_version("zap", "2", "webhook", url=url, secret="whsec_new")
    assert here.signing_secrets("zap") == ["whsec_new"]


def test_registering_at_once_does_not_exceed_the_quota(store: Store) -> None:
    here = accounts(store, Stored(20, 100, MEGABYTE))
    here.register_bot("ana", "first")

    def register(number: int) -> str:
        try:
            here.register_bot("ana", f"bot-{number}")
        except QuotaExceeded as error:
            return str(error.extra["quota"])
        return "made"

    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(register, range(60)))
    assert sorted(results) == ["made"] * 19 + ["owner_bots"] * 41
    assert len(here.bots("ana")[0]) == 20
    assert store.accounts.stored("ana") == Stored(20, 20, 0)
    here.register_bot("bia", "another")


def test_uploading_at_once_does_not_exceed_the_quota(store: Store) -> None:
    here = accounts(store, Stored(20, 100, 5 * MEGABYTE))
    for name in ("zap", "copas"):
        here.register_bot("ana", name)

    def add_one(number: int) -> str:
        try:
            add(here, str(2 + number // 2), upload(seed=number), ("zap", "copas")[number % 2])
        except QuotaExceeded as error:
            return str(error.extra["quota"])
        return "made"

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(add_one, range(16)))
    assert sorted(results) == ["made"] * 5 + ["owner_bytes"] * 11
    assert store.accounts.stored("ana") == Stored(2, 7, 5 * MEGABYTE)


@pytest.mark.parametrize(
    ("most", "quota"),
    [
        (Stored(1, 9, 9 * MEGABYTE), "service_bots"),
        (Stored(9, 1, 9 * MEGABYTE), "service_versions"),
        (Stored(9, 9, 5 * MEGABYTE // 2), "service_bytes"),
    ],
)
def test_the_service_has_quotas(store: Store, most: Stored, quota: str) -> None:
    here = accounts(store, service=most)
    register(here, "ana", "zap", upload())
    for _ in range(2):
        error = refused(lambda: register(here, "bia", "copas", upload(seed=1)))
        assert error.extra["quota"] == quota
    assert store.accounts.stored() == Stored(1, 1, MEGABYTE)
    here.delete_bot("zap")
    register(here, "bia", "copas", upload(seed=1))
    # Bia's own quota was not charged for what was refused.
    assert here.quotas.of_owner("bia")["bots"]["used"] == 1


def test_the_same_source_is_stored_once(store: Store) -> None:
    here = accounts(store, Stored(1, 5, 2 * MEGABYTE))
    register(here, "ana", "zap", upload())
    for label in ("2", "3"):
        assert refused(partial(add, here, label, upload())).code == "version_exists"
    assert store.accounts.stored("ana") == Stored(1, 1, MEGABYTE)
    add(here, "2", upload(seed=1))
    assert refused(lambda: add(here, "3", upload(100, 2))).code == "quota_exceeded"


def test_a_bot_has_a_maximum_of_its_own(store: Store) -> None:
    here = accounts(store, Stored(5, 500, 2 * MAX_OF_BOT.bytes))
    here.register_bot("ana", "zap")
    size = 7 * MEGABYTE
    for number in range(MAX_OF_BOT.bytes // size):
        add(here, str(2 + number), upload(size, number))
    error = refused(lambda: add(here, "full", upload(size, 99)))
    assert error.code == "quota_exceeded"
    assert error.extra["left"] == MAX_OF_BOT.bytes % size
    add(here, "fits", upload(MEGABYTE, 99))


def wait_a_minute(store: Store, owner: str) -> None:
    """As if the owner had stored nothing for that time."""
    store._connection.run([("HINCRBY", f"{_owner(owner)}:stored", "taken_ms", -60_000)])


def test_what_a_killed_process_took_is_given_back(store: Store) -> None:
    here = accounts(store, Stored(2, 9, MEGABYTE))
    here.register_bot("ana", "zap")
    most = Stored(2, 9, MEGABYTE)
    # It took the room, and died before it stored anything.
    assert store.accounts.take("ana", Stored(1, 1, 100), most)[0] == "taken"
    assert refused(lambda: here.register_bot("ana", "copas")).code == "quota_exceeded"
    wait_a_minute(store, "ana")
    here.register_bot("ana", "copas")
    assert refused(lambda: here.register_bot("ana", "ouros")).code == "quota_exceeded"
