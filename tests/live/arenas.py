"""An arena for the tests: everything in this process, driven by hand."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from arena.accounts.accounts import Principal
from arena.accounts.upload_intake import Uploads
from arena.accounts.uploads import module_upload, python_upload
from arena.errors import ArenaError
from arena.games import game_of
from arena.live.retention import Retention
from arena.ops.jobs import InlineJobs
from arena.ops.service import open_service
from arena.ops.settings import Settings
from arena.store.boards import BoardState
from arena.store.repositories import Store
from tests.live.clock import skip
from tests.waiting import PATIENCE

SEED = bytes(range(32))
ENTRY_MS = 600_000


def rate(store: Store, bot: str) -> None:
    """Let a bot be on a leaderboard."""
    name = "toepen/open"
    state = BoardState(b"{}", 1, 1, 1, "", 1)
    before = store.boards.ledger(name)
    assert store.boards.publish(
        name,
        before,
        state=state,
        supplement=b"{}",
        head=b"",
        parts={},
        ratings={bot: {}},
        day="2026-11-26",
        points={},
    )


class Arena:
    """The service over connections of its own, with its jobs in this process."""

    def __init__(
        self, url: str, retention: Retention | None = None, archive: str = "", **options: Any
    ) -> None:
        self.jobs = InlineJobs()
        settings = Settings(url, retention=retention or Retention(), archive=archive, **options)
        self.service = open_service(settings, self.jobs)
        self.store = self.service.store
        self.live = self.service.live
        self.accounts = self.service.accounts
        self.tournaments = self.service.tournaments
        self.clock = self.store.clock
        self.boards = self.service.boards
        self.schedules = self.service.schedules

    @property
    def uploads(self) -> Uploads:
        return self.service.uploads

    def now_ms(self) -> int:
        return self.clock().now_ms

    def cup(self, kind: str = "truco", name: str = "cup", **options: Any) -> dict[str, Any]:
        """A tournament of house bots that is locked as soon as somebody looks."""
        fields = {
            "name": "The Cup",
            "kind": kind,
            "rules": game_of(kind).duel_rules,
            "format": "round_robin",
            "groups": 2,
            "house": ["random", "rookie", "regular"],
        }
        for attempt in count():
            now_ms = self.now_ms()
            times = {"opens_ms": now_ms, "locks_ms": now_ms + 2**attempt}
            try:
                given = {**fields, **times, **options}
                return self.tournaments.create(given, "olga", tournament_id=name, seed=SEED)
            except ArenaError as error:
                # This moment was over before the service looked at it.
                if error.field != "locks_ms" or "locks_ms" in options:
                    raise
        raise AssertionError

    def cup_in_entry(self, **options: Any) -> dict[str, Any]:
        """One whose entry stays open."""
        return self.cup(locks_ms=self.now_ms() + ENTRY_MS, **options)

    def skip_entry(self) -> None:
        """Let the time pass that entry stays open in :meth:`cup_in_entry`."""
        skip(self.live, ENTRY_MS)

    def lock(self, name: str = "cup") -> None:
        """Wait until entry is over."""
        deadline = time.monotonic() + PATIENCE
        while self.tournaments.step(name).state in ("announced", "entry"):
            assert time.monotonic() < deadline

    def run(self, name: str = "cup", bots: Mapping[str, Callable[..., Any]] | None = None) -> dict[str, Any]:
        """Do what the workers do until the tournament is over; ``bots`` answer their turns meanwhile."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.step(name, bots)
            view = self.tournaments.view(name)
            if view["state"] in ("finished", "cancelled"):
                return view
            assert time.monotonic() < deadline, view

    def step(self, name: str = "cup", bots: Mapping[str, Callable[..., Any]] | None = None) -> None:
        """Everything that is due, once; of local groups those of tournament ``name``."""
        for tournament in (name, *self.store.tournaments.active()):
            self.tournaments.step(tournament)
        self.tournaments.play_local_groups(name, 5)
        self.jobs.run_pending(self.service)
        for bot, answer in (bots or {}).items():
            turns = self.live.turns(bot, rights=False, tournaments=True).turns
            self.live.answer(bot, [{"turn": turn["turn"], "action": answer(turn)} for turn in turns])

    def upload(self, name: str, source: str | bytes, label: str = "1", owner: str = "olga") -> None:
        """Upload a source or a module as a new bot, or, with another label, as a version."""
        given = python_upload(source) if isinstance(source, str) else module_upload(source)
        if label == "1":
            _, _, received = self.uploads.register(owner, name, label, given)
        else:
            received = self.uploads.receive(name, label, given)
        self.uploads.check(name, received.id)
        assert self.uploads.find(name, received.id).state == "added"

    def bot(self, owner: str, name: str) -> Principal:
        """A new bot of a new or known owner; the owner."""
        try:
            self.accounts.owner(owner)
        except Exception:
            self.accounts.sign_up(owner)
        self.accounts.register_bot(owner, name)
        return Principal("owner", owner, owner)
