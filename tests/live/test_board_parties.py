"""What the accounts contribute to leaderboards: parties, proof of persons, and the bots that owners named."""

from __future__ import annotations

import pytest

from arena.accounts.audit import Principal
from arena.accounts.identities import Identities, ProviderIdentity
from arena.accounts.ranked import TooManyRanked
from arena.accounts.versions import Version, pack_version
from arena.errors import ArenaError
from arena.events.board_parties import supplement_of
from arena.play.board_names import BoardName
from arena.ratings.supplement import BotFacts, Supplement
from arena.store.amounts import DAY_MS
from tests.live.arenas import Arena
from tests.live.clock import skip


def supplement(arena: Arena, *names: str) -> Supplement:
    return supplement_of(arena.store.accounts, names, arena.now_ms())


def proven(arena: Arena, bot: str) -> bool:
    (party,) = supplement(arena, bot).parties
    return party.proven


def share(arena: Arena, bot: str, owner: str) -> None:
    arena.service.co_owners.invite(bot, owner)
    arena.service.co_owners.accept(bot, owner)


def next_midnight(arena: Arena) -> int:
    return (arena.now_ms() // DAY_MS + 1) * DAY_MS


def declare(arena: Arena, bot: str, *games: str) -> None:
    """Let the current version of a bot declare games, as an upload can."""
    module = Version("1", "uploaded", 3, language="module", digest="0" * 64, size=8, games=games)
    arena.store.accounts.replace_version(bot, "1", pack_version(module))


def changes(arena: Arena) -> int:
    return arena.store.accounts.state_changes()


# Parties


def test_bots_that_share_owners_are_one_party(arena: Arena) -> None:
    for owner, bot in (("ana", "one"), ("bia", "two"), ("caio", "three"), ("duda", "four")):
        arena.bot(owner, bot)
    share(arena, "one", "bia")
    share(arena, "two", "caio")
    names = ("one", "two", "three", "four")
    found = supplement(arena, *names)
    numbers = [found.party_of(name) for name in names]
    assert numbers[0] == numbers[1] == numbers[2] != numbers[3]
    # The chain has a gap where a bot is not on the board.
    found = supplement(arena, "one", "three")
    assert found.party_of("one") != found.party_of("three")


def test_withdrawn_paused_and_deleted_bots(arena: Arena) -> None:
    names = ("active", "asked", "paused", "withdrawn", "listed", "gone")
    for name in names:
        owner = arena.bot(f"{name}-owner", name)
    arena.accounts.change_bot("asked", tournaments=True)
    arena.accounts.change_bot("paused", tournaments=False)
    arena.accounts.change_bot("withdrawn", "withdrawn")
    arena.accounts.delete_bot("listed", listed=True)
    arena.service.bot_deletion.delete("gone", owner)
    found = supplement(arena, *names, "never")
    assert [found.facts_of(name).withdrawn for name in names] == [False, False, True, True, True, True]
    assert [found.facts_of(name).ranked for name in names] == [True, True, True, True, False, False]
    assert found.party_of("gone") is not None
    assert found.party_of("never") is None


def test_an_unreadable_bot_is_left_out(arena: Arena) -> None:
    arena.bot("ana", "one")
    arena.bot("bia", "two")
    arena.store.accounts.change_bot("one", {"created": "yesterday"})
    found = supplement(arena, "one", "two")
    assert (found.party_of("one"), found.party_of("two")) == (None, 0)


# Proof


def test_owners_are_proven_after_thirty_days(arena: Arena) -> None:
    arena.bot("ana", "one")
    from_ms = arena.accounts.proven_from("ana")
    assert from_ms % DAY_MS == 0
    assert 0 < from_ms - arena.accounts.owner("ana").created_ms - 30 * DAY_MS <= DAY_MS
    skip(arena.live, from_ms - arena.now_ms() - 60_000)
    assert not proven(arena, "one")
    skip(arena.live, 60_000)
    assert proven(arena, "one")
    arena.bot("bia", "two")
    with pytest.raises(ArenaError, match="there is no owner 'nobody'"):
        arena.accounts.proven_from("nobody")


def test_admins_and_owners_whom_they_invited_are_proven_at_once(arena: Arena) -> None:
    for owner in ("ana", "bia"):
        arena.accounts.sign_up(owner)
    arena.accounts.sign_up("caio", {"invited_by": "ana", "invitation": "1"})
    arena.accounts.sign_up("duda", {"invited_by": "bia", "invitation": "2"})
    for owner in ("ana", "bia", "caio", "duda"):
        arena.bot(owner, f"{owner}-bot")
    before = changes(arena)
    arena.accounts.set_admin("ana", True)
    assert changes(arena) == before + 1
    assert [proven(arena, f"{owner}-bot") for owner in ("ana", "bia", "caio", "duda")] == [
        True,
        False,
        True,
        False,
    ]
    # One proven owner proves a party.
    share(arena, "duda-bot", "caio")
    assert proven(arena, "duda-bot")


def test_a_provider_that_proves_persons(arena: Arena) -> None:
    arena.bot("ana", "one")
    maria, now_ms = ProviderIdentity("https://school.example", "1"), arena.now_ms()
    proving = Identities(arena.store, arena.accounts, "https://school.example")
    arena.service.identities.link("ana", maria, now_ms)
    assert not proven(arena, "one")
    before = changes(arena)
    for _ in range(2):
        proving.note_sign_in("ana", maria)
        assert proven(arena, "one")
    assert changes(arena) == before + 1
    # The operator has changed the setting.
    arena.service.identities.note_sign_in("ana", maria)
    assert not proven(arena, "one")
    proving.link("ana", maria, now_ms)
    assert proven(arena, "one")
    proving.unlink("ana")
    assert not proven(arena, "one")
    assert changes(arena) == before + 4


# Ranks


def test_the_first_three_bots_have_ranks(arena: Arena) -> None:
    for bot in ("one", "two", "three", "four"):
        arena.bot("ana", bot)
    accounts = arena.accounts
    assert [accounts.bot(bot).ranked for bot in ("one", "two", "three", "four")] == [True, True, True, False]
    accounts.change_bot("one", "withdrawn")
    with pytest.raises(TooManyRanked) as caught:
        accounts.change_bot("four", ranked=True)
    assert caught.value.message == "four cannot have a rank at truco, because one, three and two have"
    assert "switch `ranked` off for another" in (caught.value.expected or "")
    assert not accounts.bot("four").ranked
    # One that has a rank already changes nothing.
    assert accounts.change_bot("two", ranked=True).ranked_since_ms == 0
    before = changes(arena)
    accounts.change_bot("one", ranked=False)
    assert accounts.change_bot("four", ranked=True).ranked_since_ms == next_midnight(arena)
    assert changes(arena) == before + 2
    assert supplement(arena, "four").facts_of("four") == BotFacts(since_ms=next_midnight(arena))
    accounts.change_bot("two", description="new")
    assert changes(arena) == before + 2


def test_a_deleted_bot_leaves_its_place(arena: Arena) -> None:
    for bot in ("one", "two", "three"):
        arena.bot("ana", bot)
    arena.accounts.delete_bot("two", listed=True)
    arena.bot("ana", "four")
    assert arena.accounts.bot("four").ranked


def test_each_game_has_three_places(arena: Arena) -> None:
    for bot in ("one", "two", "three"):
        arena.bot("ana", bot)
        declare(arena, bot, "truco")
    arena.bot("ana", "other")
    assert not arena.accounts.bot("other").ranked
    declare(arena, "other", "toepen")
    assert arena.accounts.change_bot("other", ranked=True).ranked


def test_a_bot_gets_its_rank_when_its_first_upload_has_been_checked(arena: Arena) -> None:
    for bot in ("one", "two", "three"):
        arena.bot("ana", bot)
        declare(arena, bot, "truco")
    for bot, games in (("four", ("toepen",)), ("five", ())):
        arena.bot("ana", bot)
        arena.store.accounts.change_bot(bot, {}, ("ranked",))
        declare(arena, bot, *games)
        for _ in range(2):
            arena.accounts.rank_at_first(bot)
    assert [arena.accounts.bot(bot).ranked for bot in ("four", "five")] == [True, False]
    arena.accounts.change_bot("four", ranked=False)
    arena.accounts.rank_at_first("four")
    assert not arena.accounts.bot("four").ranked


def test_a_board_takes_three_of_those_that_new_co_owners_named(arena: Arena) -> None:
    names = ("one", "two", "three", "ace", "king")
    for bot in names[:3]:
        arena.bot("ana", bot)
    for bot in names[3:]:
        arena.bot("bia", bot)
    for number, bot in enumerate(("ace", "three", "one", "two", "king")):
        arena.store.accounts.change_bot(bot, {"created": str(number + 1)})
    arena.accounts.change_bot("three", ranked=False)
    arena.accounts.change_bot("three", ranked=True)
    before = changes(arena)
    share(arena, "king", "ana")
    assert changes(arena) == before + 1
    found = supplement(arena, *names)
    assert {name for name in names if found.facts_of(name).ranked} == {"ace", "one", "two"}
    # Three has been named since tonight, and king is the newest of the others.
    others = ("one", "three", "ace", "king")
    found = supplement(arena, *others)
    assert {name for name in others if found.facts_of(name).ranked} == {"one", "ace", "king"}
    arena.accounts.change_bot("three", ranked=False)
    with pytest.raises(TooManyRanked, match="ace, king, one and two have"):
        arena.accounts.change_bot("three", ranked=True)
    arena.service.co_owners.remove(Principal("owner", "ana", "ana"), "king", "ana")
    assert changes(arena) == before + 3
    arena.accounts.change_bot("three", ranked=True)


# When boards look


def test_boards_look_at_the_accounts_each_day(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.events.boards.PUBLISH_EVERY_MS", 0)
    monkeypatch.setattr("arena.events.boards.COST_SHARE", 0)
    arena.cup(name="one")
    arena.run("one")
    where = BoardName("truco", "sealed", "base@1")
    assert arena.boards.publish(*where)
    assert arena.boards.due() == []
    skip(arena.live, DAY_MS)
    assert arena.boards.due() == [where]
    assert not arena.boards.publish(*where)
    assert arena.boards.due() == []
