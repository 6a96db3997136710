"""An arena for the tests: everything in this process, driven by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from arena.bots import HOUSE_BOTS, bot_spec
from arena.live.accounts import Accounts, Principal
from arena.live.boards import Boards
from arena.live.ending import Retention
from arena.live.games import LIVE_SCRIPTS, LiveGames
from arena.live.schedules import Schedules
from arena.live.store_accounts import ACCOUNT_SCRIPTS, AccountStore
from arena.live.store_wire import connect
from arena.live.tournaments import TOURNAMENT_SCRIPTS, Tournaments

SEED = bytes(range(32))
RULES: dict[str, dict[str, Any]] = {"truco": {}, "toepen": {"seats": 2}}


class Arena:
    """The parts, over connections of their own. ``told``: the tournaments of which it was said that
    something is to be done.
    """

    def __init__(self, url: str, retention: Retention | None = None) -> None:
        wire = connect(url, (*LIVE_SCRIPTS, *ACCOUNT_SCRIPTS, *TOURNAMENT_SCRIPTS))
        self.told: list[str] = []
        self.house: set[str] = set()
        self.live = LiveGames(
            wire,
            retention=retention,
            on_house=self.house.add,
            on_finished=lambda game, summary: self.tournaments.finished(game, summary),
        )
        self.accounts = Accounts(AccountStore(wire), reserved=HOUSE_BOTS)
        self.tournaments = Tournaments(wire, self.live, self.accounts, on_due=self.told.append)
        self.clock = self.live.store.clock
        self.boards = Boards(self.tournaments.store, self.clock)
        self.schedules = Schedules(self.tournaments.store, self.tournaments, self.clock)

    def now_ms(self) -> int:
        return self.clock().now_ms

    def cup(self, kind: str = "truco", name: str = "cup", **options: Any) -> dict[str, Any]:
        """A tournament of house bots that is locked as soon as somebody looks."""
        fields = {
            "name": "The Cup",
            "kind": kind,
            "rules": RULES[kind],
            "format": "round_robin",
            "groups": 2,
            "house": ["random", "rookie", "regular"],
            "opens_ms": self.now_ms(),
            "locks_ms": self.now_ms() + 1,
        }
        return self.tournaments.create({**fields, **options}, "olga", tournament_id=name, seed=SEED)

    def cup_in_entry(self, **options: Any) -> dict[str, Any]:
        """One whose entry stays open."""
        return self.cup(locks_ms=self.now_ms() + 600_000, **options)

    def lock(self, name: str = "cup") -> None:
        """Wait until entry is over."""
        deadline = time.monotonic() + 60
        while self.tournaments.advance(name).state in ("announced", "entry"):
            assert time.monotonic() < deadline

    def run(self, name: str = "cup", bots: Mapping[str, Callable[..., Any]] | None = None) -> dict[str, Any]:
        """Do what the workers do until the tournament is over; ``bots`` answer their turns meanwhile."""
        deadline = time.monotonic() + 60
        while True:
            self.step(name, bots)
            view = self.tournaments.view(name)
            if view["state"] in ("finished", "cancelled"):
                return view
            assert time.monotonic() < deadline, view

    def step(self, name: str = "cup", bots: Mapping[str, Callable[..., Any]] | None = None) -> None:
        """Everything that is due, once."""
        self.tournaments.advance(name)
        for event in self.tournaments.store.active():
            self.tournaments.advance(event)
        self.tournaments.play_house(name, 5)
        while self.house:
            self.live.play_house(self.house.pop(), choose)
        for bot, answer in (bots or {}).items():
            turns = self.live.turns(bot, rights=False).turns
            self.live.answer(bot, [{"turn": turn["turn"], "action": answer(turn)} for turn in turns])

    def bot(self, owner: str, name: str) -> Principal:
        """A new bot of a new or known owner; the owner."""
        try:
            self.accounts.owner(owner)
        except Exception:
            self.accounts.sign_up(owner)
        self.accounts.register_bot(owner, name)
        return Principal("owner", owner, owner)


def choose(name: str, seat: int, turn: Mapping[str, Any], seed: int) -> str | None:
    return bot_spec(name).make(seed).choose(turn)
