"""Accounts and limits on a single server and on a cluster."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.accounts.accounts import Accounts, BotNotFound, InvalidToken, NameTaken, VersionExists
from arena.bots.transports import UnknownTransport
from arena.store.repositories import Store, open_store


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


def test_the_life_of_an_account(store: Store) -> None:
    accounts = Accounts(store.accounts, reserved=("rookie",))
    owner, token = accounts.sign_up("ana")
    assert accounts.check(token).name == "ana"
    assert accounts.owner("ana") == owner
    with pytest.raises(NameTaken):
        accounts.sign_up("ana")
    for name in ("zap-bot", "copas-bot", "ouros-bot"):
        accounts.register_bot("ana", name)
    assert [bot.name for bot in accounts.bots("ana")[0]] == ["copas-bot", "ouros-bot", "zap-bot"]
    assert accounts.bots(limit=2)[1] == "ouros-bot"
    accounts.add_version("zap-bot", "2")
    with pytest.raises(VersionExists):
        accounts.add_version("zap-bot", "2")
    with pytest.raises(UnknownTransport) as caught:
        accounts.add_version("zap-bot", "3", "pigeon")
    assert (caught.value.field, caught.value.expected) == ("transport", "one of remote, webhook, uploaded")
    assert [version.label for version in accounts.bot("zap-bot").versions] == ["1", "2"]
    assert accounts.change_bot("zap-bot", "withdrawn", description="tired").state == "withdrawn"
    bot_token = accounts.new_bot_token("zap-bot")
    assert accounts.check(bot_token).owner == "ana"
    accounts.delete_bot("zap-bot")
    with pytest.raises(BotNotFound):
        accounts.bot("zap-bot")
    with pytest.raises(InvalidToken):
        accounts.check(bot_token)
    with pytest.raises(NameTaken):
        accounts.register_bot("ana", "zap-bot")
    accounts.revoke_owner_token("ana")
    with pytest.raises(InvalidToken):
        accounts.check(token)


def test_the_audit_log(store: Store) -> None:
    accounts = Accounts(store.accounts, admin_token="the admin's")
    admin = accounts.check("the admin's")
    for number in range(5):
        accounts.audit(admin, "look", f"game {number}")
    first, cursor = accounts.audited(limit=3)
    assert cursor is not None
    second, end = accounts.audited(cursor, limit=3)
    assert [entry.subject for entry in (*first, *second)] == [f"game {number}" for number in (4, 3, 2, 1, 0)]
    assert end is None


def test_a_bucket(store: Store) -> None:
    limits = store.limits
    assert limits.take("x", 0.01, 5, 3).given == 3
    assert limits.take("x", 0.01, 5, 3).given == 2
    refused = limits.take("x", 0.01, 5, 3)
    assert refused.given == 0
    assert 90_000 < refused.retry_ms <= 100_000
    assert limits.take("y", 0.01, 5).given == 1
