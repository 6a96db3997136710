"""The lists of tournaments: what stands in them, who may announce how many, and what a page of them reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from arena.accounts.accounts import Principal
from arena.accounts.allowances import AnnouncedTournaments, QuotaExceeded
from arena.events.lifecycle import TournamentBusy
from arena.events.tournament import Tournament
from arena.live.header import ANYBODY, Viewer
from arena.store.tournaments import TournamentRow, TournamentStore
from tests.live.arenas import Arena
from tests.live.clock import skip

DAY_MS = 86_400_000


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tournaments whose rows were read."""
    read: list[str] = []
    load = TournamentStore.load

    def counted(self: TournamentStore, ids: list[str]) -> list[TournamentRow | None]:
        read.extend(ids)
        return load(self, ids)

    monkeypatch.setattr(TournamentStore, "load", counted)
    return read


def announce(arena: Arena, count: int, **fields: Any) -> list[str]:
    """Announce tournaments of as many owners, which are locked one after the other."""
    now_ms = arena.now_ms()
    return [
        arena.tournaments.create(
            {
                "name": f"Cup {number}",
                "kind": "truco",
                "format": "round_robin",
                "opens_ms": now_ms + DAY_MS,
                "locks_ms": now_ms + DAY_MS + 1000 * (number + 1),
                **fields,
            },
            f"owner-{number}",
        )["id"]
        for number in range(count)
    ]


def states(arena: Arena, *names: str, viewer: Viewer = ANYBODY) -> dict[str, list[str]]:
    """The tournaments on each list."""
    return {
        name: [one["id"] for one in arena.tournaments.list(state=name, viewer=viewer).items] for name in names
    }


def test_a_tournament_stands_in_the_list_of_its_state(arena: Arena) -> None:
    (announced,) = announce(arena, 1)
    cup = arena.cup()["id"]
    assert states(arena, "announced", "entry", "running", "over") == {
        "announced": [announced],
        "entry": [cup],
        "running": [],
        "over": [],
    }
    assert [one["id"] for one in arena.tournaments.present().items] == [cup, announced]
    arena.run(cup)
    assert states(arena, "entry", "running", "over") == {"entry": [], "running": [], "over": [cup]}
    assert states(arena, "finished", "cancelled") == {"finished": [cup], "cancelled": []}
    assert [one["id"] for one in arena.tournaments.present().items] == [announced]
    arena.tournaments.cancel(announced)
    found = states(arena, "announced", "cancelled", "over")
    assert found == {"announced": [], "cancelled": [announced], "over": [cup, announced]}
    assert arena.tournaments.present().items == []


def test_an_edit_moves_a_tournament(arena: Arena) -> None:
    (name,) = announce(arena, 1)
    now_ms = arena.now_ms()
    arena.tournaments.organising.edit(
        name, {"kind": "toepen", "preset": "duel@1", "locks_ms": now_ms + 9 * DAY_MS}
    )
    assert arena.tournaments.list(kind="truco").items == []
    assert [one["id"] for one in arena.tournaments.list(kind="toepen").items] == [name]
    (member,) = arena.store.tournament_lists.next(None, 5)
    assert (member.name, member.score) == (name, now_ms + 9 * DAY_MS)


def test_a_page_reads_its_rows_only(arena: Arena, rows: list[str]) -> None:
    names = announce(arena, 30)
    rows.clear()
    first = arena.tournaments.present(limit=10)
    assert [one["id"] for one in first.items] == names[:10]
    second = arena.tournaments.present(limit=10, cursor=first.cursor)
    assert [one["id"] for one in second.items] == names[10:20]
    assert len(rows) == 20
    rows.clear()
    assert arena.tournaments.list(state="running", limit=10).items == []
    assert arena.tournaments.list(kind="toepen", limit=10).items == []
    assert rows == []
    newest = arena.tournaments.list(state="announced", limit=10)
    assert len(newest.items) == 10
    assert len(rows) == 10
    assert len(arena.tournaments.newest_present(5)) == 5
    assert len(rows) == 15


def test_pages_of_all_lists_together_contain_everything_once(arena: Arena) -> None:
    names = announce(arena, 12)
    for name in names[::3]:
        arena.tournaments.cancel(name)
    found, cursor = [], None
    while True:
        page = arena.tournaments.list(limit=5, cursor=cursor)
        found += [one["id"] for one in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert sorted(found) == sorted(names)


def test_hidden_tournaments_take_nobody_else_a_place(arena: Arena, rows: list[str]) -> None:
    (public,) = announce(arena, 1)
    hidden = announce(arena, 20, hidden=True, who="invited")
    rows.clear()
    for viewer in (ANYBODY, Viewer(owner="ana")):
        assert [one["id"] for one in arena.tournaments.list(limit=5, viewer=viewer).items] == [public]
    assert rows == [public, public]
    guest = Viewer(owner="owner-7")
    for page in (arena.tournaments.list(limit=5, viewer=guest), arena.tournaments.present(guest)):
        assert {one["id"] for one in page.items} == {public, hidden[7]}
    everything = arena.tournaments.list(limit=50, viewer=Viewer(admin=True)).items
    assert {one["id"] for one in everything} == {public, *hidden}


def test_an_owner_has_announced_a_limited_number_that_are_not_over(arena: Arena) -> None:
    lists = arena.tournaments.lists
    arena.tournaments.announced = AnnouncedTournaments(lists, lambda owner: owner == "ada", 3)
    now_ms = arena.now_ms()
    fields = {"name": "Cup", "kind": "truco", "format": "round_robin", "house": ["rookie"]}
    times = {"opens_ms": now_ms + DAY_MS, "locks_ms": now_ms + 2 * DAY_MS}

    def create(owner: str = "olga", **others: Any) -> str:
        name: str = arena.tournaments.create({**fields, **times}, owner, **others)["id"]
        return name

    names = [create() for _ in range(3)]
    with pytest.raises(QuotaExceeded) as error:
        create()
    assert error.value.code == "quota_exceeded"
    assert error.value.message == "an owner can have announced at most 3 tournaments that are not over"
    assert error.value.extra == {"quota": "owner_tournaments", "most": 3, "used": 3, "left": 0}
    assert arena.tournaments.announced.of_owner("olga") == {"used": 3, "most": 3, "left": 0}
    # The same call again returns what it has announced.
    create("otto", tournament_id="once")
    create("otto", tournament_id="once")
    assert arena.tournaments.announced.of_owner("otto")["used"] == 1
    # Admins and the arena announce any number.
    for owner in ("ada", ""):
        assert len({create(owner) for _ in range(5)}) == 5
    arena.tournaments.cancel(names[0])
    create()
    with pytest.raises(QuotaExceeded):
        create()


def test_what_was_reserved_and_never_stored_does_not_count(arena: Arena) -> None:
    arena.tournaments.announced = AnnouncedTournaments(arena.tournaments.lists, lambda _: False, 2)
    for name in ("killed-1", "killed-2"):
        assert arena.tournaments.lists.reserve("owner-0", name, arena.now_ms(), 2)
    skip(arena.live, 60_000)
    (name,) = announce(arena, 1)
    assert arena.tournaments.lists.announced_by("owner-0", 5) == [name]


def test_what_was_reserved_a_moment_ago_counts_until_it_is_stored(arena: Arena) -> None:
    arena.tournaments.announced = AnnouncedTournaments(arena.tournaments.lists, lambda _: False, 1)
    # Another request of the owner has reserved this one, and stores it after the next one has failed.
    assert arena.tournaments.lists.reserve("owner-0", "concurrent", arena.now_ms(), 1)
    skip(arena.live, 30_000)
    with pytest.raises(QuotaExceeded):
        announce(arena, 1)
    assert arena.tournaments.lists.announced_by("owner-0", 5) == ["concurrent"]


class Killed(BaseException):
    """The process is killed."""


def test_a_killed_process_leaves_no_guest_without_a_hidden_tournament(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena.accounts.sign_up("gus")
    (name,) = announce(arena, 1, hidden=True, who="invited", invited_owners=["gus"])
    gus, organiser = Principal("owner", "gus", "gus"), Principal("owner", "owner-0", "owner-0")
    step = TournamentStore.step

    def killed(*args: Any) -> None:
        step(*args)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(TournamentStore, "step", killed)
        with pytest.raises(Killed):
            arena.tournaments.invitations.accept(name, None, gus)
    arena.tournaments.invitations.accept(name, None, gus)
    assert [one["id"] for one in arena.tournaments.list(viewer=Viewer(owner="gus")).items] == [name]
    # A change that was not stored shows nothing to anybody.
    with monkeypatch.context() as patch:
        patch.setattr(TournamentStore, "step", lambda *_: False)
        with pytest.raises(TournamentBusy):
            arena.tournaments.lifecycle.change(name, _add_guest("ivo"))
    assert arena.tournaments.list(viewer=Viewer(owner="ivo")).items == []
    assert arena.tournaments.invitations.view(name, organiser)["owners"] == ["gus"]


def _add_guest(owner: str) -> Callable[[Tournament, TournamentRow], tuple[()]]:
    def act(tournament: Tournament, row: TournamentRow) -> tuple[()]:
        tournament.guests.append(owner)
        return ()

    return act


def test_the_next_step_places_what_a_killed_process_did_not(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    (name,) = announce(arena, 1)
    with monkeypatch.context() as killed:
        killed.setattr("arena.events.lifecycle.place", lambda *_: None)
        arena.tournaments.lifecycle.change(name, _to_entry)
    assert states(arena, "announced", "entry") == {"announced": [], "entry": []}
    arena.tournaments.step(name)
    assert states(arena, "announced", "entry") == {"announced": [], "entry": [name]}


def _to_entry(tournament: Tournament, row: TournamentRow) -> tuple[()]:
    tournament.state = "entry"
    return ()
