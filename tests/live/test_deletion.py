"""A bot is deleted with its row last: after a kill at any step the next deletion does the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import pytest

from arena.accounts.accounts import BotNotFound, Principal
from arena.accounts.uploads import python_upload
from arena.accounts.versions import BotAccount
from arena.store.journals import GameJournal
from tests.dying import KILLED, counted_to, in_child, status_of
from tests.live.arenas import Arena, rate
from tests.live.snapshots import dump, play_once, restore

BOT = "zap-bot"
BOT_KEY = f"{{b:{BOT}}}"
ANA = Principal("owner", "ana", "ana")


@pytest.fixture
def arena(single_url: str) -> Iterator[Arena]:
    """An arena in which something of every kind is stored about a bot."""
    opened = Arena(single_url)
    play_once(opened, settle_in)
    yield opened
    opened.live.close()


def settle_in(arena: Arena) -> None:
    accounts, store, co_owners = arena.accounts, arena.store, arena.service.co_owners
    for owner in ("ana", "bia", "caio"):
        accounts.sign_up(owner)
    accounts.register_bot("ana", BOT, description="secret plans")
    accounts.add_version(BOT, "2", "webhook", url="https://bots.example/zap", secret="whsec_" + "A" * 32)
    arena.service.uploads.receive(BOT, "3", python_upload("def choose(turn):\n    return None\n"))
    for owner in ("bia", "caio"):
        co_owners.invite(BOT, owner)
    co_owners.accept(BOT, "bia")
    store.accounts.note_suspended(BOT)
    store.presence.note(BOT, tournaments=True)
    arena.tournaments.qualify("truco", BOT, "2")
    arena.cup_in_entry(division="open", kind="toepen")
    arena.tournaments.enter("cup", BOT, by=ANA)
    for rival in ({"open": True}, {"bot": "rival"}):
        arena.live.create("truco", seats=[{"bot": BOT}, rival, {"bot": BOT}, rival])
    store.journals.keep([GameJournal(BOT, "some-game", [])])
    store.notes.add(BOT, "some-game", {1: "a plan"})
    store.webhooks.failed(BOT, f"{BOT}/2", arena.now_ms(), "one", "refused")
    store.bot_games.add_tournament("some-cup", arena.now_ms(), [BOT])


def left(arena: Arena) -> list[str]:
    """The keys that have the name of the bot, and where it is a member, a field or an element."""
    run: Any = arena.store._connection.run
    reads = {
        b"zset": ("ZRANGE", 0, -1),
        b"hash": ("HKEYS",),
        b"list": ("LRANGE", 0, -1),
        b"set": ("SMEMBERS",),
    }
    name, found = BOT.encode(), []
    for key, _, _ in dump(arena.store._connection):
        (kind,) = run([("TYPE", key)])
        command, *options = reads.get(kind, ("",))
        (members,) = run([(command, key, *options)]) if command else ([],)
        found += [key] if name in key else []
        found += [key + b" has " + one for one in members if name in one.split(b"/")]
    return sorted(one.decode() for one in found)


def delete_and_die(url: str, act: Callable[[Arena], object], step: int) -> None:
    arena = Arena(url)
    connection = arena.store._connection
    connection.run = counted_to(step)(connection.run)  # type: ignore[method-assign]
    act(arena)


def delete(arena: Arena) -> BotAccount | None:
    return arena.service.bot_deletion.delete(BOT, by=ANA)


def delete_owner(arena: Arena) -> None:
    arena.service.account_data.delete("ana", "ana")


@pytest.mark.system
@pytest.mark.parametrize("rated", [False, True])
@pytest.mark.parametrize("act", [delete, delete_owner])
def test_a_deletion_that_is_killed_at_any_step_leaves_nothing_once_it_is_repeated(
    arena: Arena, single_url: str, rated: bool, act: Callable[[Arena], object]
) -> None:
    if rated:
        rate(arena.store, BOT)
    connection: Any = arena.store._connection
    before = dump(connection)
    act(arena)
    whole = left(arena)
    of_bot = {BOT_KEY, f"{BOT_KEY}:games"} | (
        {f"{BOT_KEY}:tournaments"} if rated and act is delete else set()
    )
    assert {one for one in whole if one.startswith(BOT_KEY)} == of_bot
    for step in count(1):
        connection.run([("FLUSHALL",)])
        restore(connection, before)
        status = status_of(in_child(partial(delete_and_die, single_url, act, step)))
        if status != KILLED:
            break
        arena.service.moderation.forget()
        try:
            act(arena)
        except BotNotFound:
            # Killed after its last step, whose reply it did not get.
            assert act is delete
        assert left(arena) == whole, step
    assert status == 0
    assert step > 30, "there are steps to be killed at"
