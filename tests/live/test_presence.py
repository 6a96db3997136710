"""Presence: only who says so is entered in tournaments automatically, until it says good-bye."""

from __future__ import annotations

from typing import Any

from arena.accounts.accounts import Accounts
from arena.events.admission import GONE_MS
from arena.play.clocks import ClockSettings
from arena.store.presence import ONLINE_MS
from tests.live.arenas import Arena
from tests.live.clock import skip

ENTRY_MS = 30_000
CUP: dict[str, Any] = {"kind": "toepen", "format": "round_robin", "house": ["rookie"], "auto_enter": True}


def quiet(turn: dict[str, Any]) -> str:
    return str(turn["legal_actions"][0])


def qualified(arena: Arena, *names: str) -> None:
    """New bots, which have qualified."""
    for name in names:
        arena.bot(f"of-{name}", name)
        row = ["qualified", f"q-{name}", 1, 0, "", None, ""]
        arena.store.qualifications.add(f"toepen/{name}/1", row)


def entered(arena: Arena, name: str, *polls: tuple[str, dict[str, bool]]) -> set[str]:
    """Who is entered in a tournament if these bots poll like this before its lock."""
    arena.cup(name=name, **CUP, locks_ms=arena.now_ms() + ENTRY_MS)
    skip(arena.live, ENTRY_MS)
    for bot, said in polls:
        arena.live.turns(bot, **said)  # type: ignore[arg-type]
    arena.lock(name)
    return {entry["bot"] for entry in arena.tournaments.view(name)["entries"] if not entry["house"]}


def test_a_bot_takes_part_only_if_it_or_its_owner_says_so(arena: Arena) -> None:
    names = ("says", "silent", "set", "barred")
    qualified(arena, *names)
    arena.accounts.change_bot("set", tournaments=True)
    arena.accounts.change_bot("barred", tournaments=False)
    polls = {name: {"tournaments": name in ("says", "barred")} for name in names}
    assert entered(arena, "one", *polls.items()) == {"says", "set"}
    # It is its last word that counts.
    assert entered(arena, "two", *polls.items(), ("says", {}), ("silent", {"tournaments": True})) == {
        "set",
        "silent",
    }


def test_nobody_is_asked_to_qualify_who_does_not_take_part(arena: Arena) -> None:
    arena.bot("ann", "able")
    arena.cup(**CUP, locks_ms=arena.now_ms() + ENTRY_MS)
    arena.live.turns("able")
    arena.step()
    assert arena.tournaments.qualifications("able", "1") == []
    arena.live.turns("able", tournaments=True)
    arena.step()
    (known,) = arena.tournaments.qualifications("able", "1")
    assert known["state"] == "qualifying"


def test_good_bye_ends_presence(arena: Arena) -> None:
    qualified(arena, "able")
    said = {"tournaments": True}
    arena.live.turns("able", **said)  # type: ignore[arg-type]
    assert arena.tournaments.online() == ["able"]
    assert arena.live.end_presence("able") == []
    assert arena.tournaments.online() == []
    # Who finishes its games is not there either.
    arena.live.turns("able", leaving=True)
    assert arena.tournaments.online() == []
    assert entered(arena, "cup", ("able", said), ("able", {"leaving": True})) == set()
    assert entered(arena, "again", ("able", said)) == {"able"}


def test_good_bye_returns_the_games_that_have_begun(arena: Arena) -> None:
    arena.bot("ann", "able")
    seats = [{"bot": "able"}, {"house": "rookie"}]
    running = [arena.live.create("toepen", seats=seats, rules={"seats": 2})["game"] for _ in range(2)]
    arena.live.create("toepen", seats=[{"bot": "able"}, {"open": True}], rules={"seats": 2})
    assert set(arena.live.end_presence("able")) == set(running)
    arena.live.resign(running[0], "able")
    while arena.live.summary(running[0])["state"] == "running":
        arena.jobs.run_pending(arena.service)
        arena.live.move_house_bots(running[0])
    assert arena.live.end_presence("able") == [running[1]]


def play_until_it_leaves(arena: Arena) -> list[str]:
    """A tournament of which a bot has begun some games, and no more, when it leaves; those games."""
    qualified(arena, "able")
    options = {"groups": 10, "games_per_bot": 2, "rules": {"seats": 2, "lives": 1}}
    arena.cup(**CUP, **options, locks_ms=arena.now_ms() + ENTRY_MS)
    skip(arena.live, ENTRY_MS)
    arena.live.turns("able", tournaments=True)
    arena.lock()
    arena.step()
    games = list(arena.live.end_presence("able"))
    assert len(games) == 2
    return games


def test_who_leaves_plays_what_has_begun_and_nothing_else(arena: Arena) -> None:
    begun = play_until_it_leaves(arena)
    while arena.tournaments.step("cup").state == "running":
        arena.jobs.run_pending(arena.service)
        turns = arena.live.turns("able", rights=False, leaving=True).turns
        assert {turn["game"] for turn in turns} <= set(begun)
        arena.live._turns.answer("able", [{"turn": turn["turn"], "action": quiet(turn)} for turn in turns])
    view = arena.tournaments.view("cup")
    (entry,) = [entry for entry in view["entries"] if entry["bot"] == "able"]
    assert (entry["status"], entry["reason"]) == ("withdrawn", "the bot has left")
    groups = arena.tournaments.groups("cup").items
    assert [group["forfeits"] for group in groups] == [[]] * 10
    assert {row.faults for row in arena.tournaments.standings("cup").table.rows} == {0}
    assert len([group for group in groups if group["score"] is not None]) == 1


def test_who_is_silent_for_long_has_left(arena: Arena) -> None:
    qualified(arena, "able")
    arena.cup(**CUP, groups=10, locks_ms=arena.now_ms() + ENTRY_MS)
    skip(arena.live, ENTRY_MS)
    arena.live.turns("able", tournaments=True)
    arena.lock()

    def status() -> str:
        arena.tournaments.step("cup")
        (entry,) = [one for one in arena.tournaments.view("cup")["entries"] if one["bot"] == "able"]
        return str(entry["status"])

    # Longer than it takes to think.
    skip(arena.live, ONLINE_MS + ClockSettings().per_turn_ms)
    assert status() == "qualified"
    skip(arena.live, GONE_MS)
    assert status() == "withdrawn"


def test_a_qualification_does_not_begin_without_the_bot(arena: Arena) -> None:
    arena.bot("ann", "able")
    arena.cup(**CUP, locks_ms=arena.now_ms() + ENTRY_MS)
    arena.live.turns("able", tournaments=True)
    arena.tournaments.step("cup")
    (known,) = arena.tournaments.qualifications("able", "1")
    arena.live.end_presence("able")
    arena.tournaments.step(known["tournament"])
    (known,) = arena.tournaments.qualifications("able", "1")
    assert (known["state"], known["reason"]) == ("failed", "the bot left before the group began")
    assert arena.live.list(bot="able").items == []


BOT = "def choose(turn):\n    return turn['legal_actions'][0]\n"


def test_uploading_is_consent_until_it_is_switched_off(arena: Arena) -> None:
    accounts: Accounts = arena.accounts
    accounts.sign_up("olga")
    arena.upload("ready", BOT)
    row = ["qualified", "q-ready", 1, 0, "", None, ""]
    arena.store.qualifications.change("toepen/ready/1", lambda _: row)
    options = {**CUP, "division": "sealed"}

    def takes_part(name: str) -> bool:
        arena.cup(name=name, **options)
        arena.lock(name)
        return "ready" in {entry["bot"] for entry in arena.tournaments.view(name)["entries"]}

    assert takes_part("one")
    accounts.change_bot("ready", tournaments=False)
    assert not takes_part("two")
    accounts.change_bot("ready", tournaments=True)
    assert takes_part("three")


def test_only_uploaded_bots_take_part_without_a_word_of_their_owner(arena: Arena) -> None:
    arena.accounts.sign_up("olga")
    arena.upload("ready", BOT)
    arena.bot("ann", "able")
    for name, takes_part in (("ready", True), ("able", False)):
        fields = arena.store.accounts.bot(name)
        assert "tournaments" not in (fields or {"tournaments": "1"})
        assert arena.accounts.bot(name).takes_part is takes_part
