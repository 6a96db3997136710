"""The room of the service is shared: newcomers get less, and the last fifth is kept for first bots."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from arena.accounts.accounts import Accounts, NameTaken
from arena.accounts.allowances import QuotaExceeded, fair_most
from arena.accounts.default_limits import Quotas
from arena.store.accounts import _first
from arena.store.amounts import Stored
from arena.store.repositories import Store, open_store
from tests.live.test_quotas import incoming, upload

ROOM = 1 << 24
DAY_MS = 86_400_000


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


@pytest.fixture
def here(store: Store) -> Accounts:
    quotas = Quotas(Stored(50, 200, ROOM), Stored(1000, 2000, ROOM))
    return Accounts(store.accounts, quotas=quotas)


def register(here: Accounts, owner: str, bot: str, size: int, address: str = "1a") -> None:
    what = upload(size, len(bot))
    here.register_bot(owner, bot, transport="uploaded", upload=incoming(bot, "1", what), address=address)


def fill(here: Accounts, owner: str, least: int = 1000) -> int:
    """Upload bots of ever smaller sizes until nothing more is accepted, and return the bytes stored."""
    size, number, stored = ROOM // 4, 0, 0
    while size > least:
        try:
            register(here, owner, f"{owner}-{number}", size, "1f")
        except QuotaExceeded:
            size //= 2
        else:
            number, stored = number + 1, stored + size
    return stored


def grow_older(store: Store, owner: str, days: int) -> None:
    created = int((store.accounts.owner(owner) or {})["created"])
    store.accounts.change_owner(owner, {"created": str(created - days * DAY_MS)})


def use_up(here: Accounts, store: Store) -> None:
    """Fill the room that is not kept for first bots."""
    for number in range(9):
        here.sign_up(f"old{number}")
        grow_older(store, f"old{number}", 30)
        here.register_bot(f"old{number}", f"polls{number}")
        fill(here, f"old{number}", 20_000)


def test_five_newcomers_leave_room(here: Accounts) -> None:
    here.sign_up("honest")
    shares = []
    for number in range(5):
        here.sign_up(f"fill{number}")
        shares.append(fill(here, f"fill{number}"))
    # Each gets at most a sixteenth of what the others leave, so the shares shrink.
    assert ROOM * 4 // 5 // 16 >= shares[0] >= shares[1] >= shares[4] > ROOM // 40
    register(here, "honest", "first", ROOM // 50)
    register(here, "honest", "second", 1000)


def test_many_newcomers_of_one_address_leave_room_for_others(here: Accounts, store: Store) -> None:
    for number in range(60):
        here.sign_up(f"fill{number}")
        fill(here, f"fill{number}", 20_000)
    assert store.accounts.used(None).bytes <= ROOM * 4 // 5 + ROOM // 5 // 16
    here.sign_up("honest")
    register(here, "honest", "first", 100_000, "1b")


def test_older_accounts_get_more(here: Accounts, store: Store) -> None:
    here.sign_up("ana")
    with pytest.raises(QuotaExceeded) as caught:
        register(here, "ana", "first", ROOM // 10)
    assert caught.value.extra["quota"] == "service_bytes"
    grow_older(store, "ana", 7)
    register(here, "ana", "third", ROOM // 10)


def test_the_last_fifth_is_for_first_bots_one_per_address(here: Accounts, store: Store) -> None:
    use_up(here, store)
    for name in ("ana", "bia", "cai", "dora"):
        here.sign_up(name)
    register(here, "ana", "zap", 50_000)
    with pytest.raises(QuotaExceeded) as caught:
        register(here, "bia", "copas", 50_000)
    assert caught.value.extra["quota"] == "service_bytes"
    assert "another address" in str(caught.value)
    register(here, "cai", "ouros", 50_000, "1b")
    # It is for first bots only, and it can be used again when its bot is deleted.
    with pytest.raises(QuotaExceeded):
        register(here, "ana", "espadas", 50_000)
    store._connection.run([("PEXPIRE", _first("1a"), 30 * DAY_MS - 60_001)])
    with pytest.raises(QuotaExceeded):
        register(here, "bia", "copas", 50_000)
    here.delete_bot("zap")
    register(here, "bia", "copas", 50_000)
    # Bots without uploads take no bytes.
    here.register_bot("dora", "paus", address="1a")


def test_an_invited_owner_needs_no_address_of_its_own(here: Accounts, store: Store) -> None:
    use_up(here, store)
    for name in ("ana", "bia", "cai"):
        here.sign_up(name, {"invited_by": "organiser"})
        register(here, name, f"bot-{name}", 50_000)


def test_a_refused_registration_does_not_use_the_address(here: Accounts, store: Store) -> None:
    use_up(here, store)
    here.sign_up("ana")
    here.sign_up("bia")
    with pytest.raises(NameTaken):
        register(here, "ana", "old0-0", 50_000)
    register(here, "bia", "zap", 50_000)


def test_one_address_gets_one_first_bot_at_once(here: Accounts, store: Store) -> None:
    use_up(here, store)
    for number in range(12):
        here.sign_up(f"new{number}")

    def act(number: int) -> bool:
        try:
            register(here, f"new{number}", f"first{number}", 50_000)
        except QuotaExceeded:
            return False
        return True

    with ThreadPoolExecutor(12) as pool:
        assert sum(pool.map(act, range(12))) == 1


def test_nobody_can_have_all_subscriptions_or_schedules() -> None:
    taken = 0
    for _ in range(100):
        taken += fair_most(20, 2000, taken)
    assert 1680 < taken < 1960
    assert fair_most(20, 2000, 0) == 20
    assert [fair_most(20, 2000, others) for others in (1999, 2000, 2001)] == [1, 0, 0]


def test_a_name_that_is_taken_keeps_the_claim_of_its_bot(here: Accounts, store: Store) -> None:
    """Two new owners at one address register a bot of the same name at once."""
    use_up(here, store)
    for name in ("one", "two"):
        here.sign_up(name)
    quotas, wanted = here.quotas, Stored(bots=1, versions=1, bytes=20_000)
    with suppress(NameTaken), quotas.reserve(["two"], wanted, "same", "1f"):
        register(here, "one", "same", 20_000, "1f")
        raise NameTaken("the name 'same' is taken")
    here.sign_up("three")
    with pytest.raises(QuotaExceeded):
        register(here, "three", "another", 20_000, "1f")
