"""Groups of bots that the arena runs: in one go or game by game, within their processor time."""

from __future__ import annotations

import json

import pytest

from arena.bots import Bot, BotSpec, Turn, bot_spec
from arena.games import game_of
from arena.sandbox.limits import DEFAULT_LIMITS
from arena.tournaments import sealed
from arena.tournaments.sealed import LocalGroup, PlayedGroup, ServerFault, play_local_group

SEATS = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]


class Burner(BotSpec):
    """A bot of the arena that never answers, by a mistake of the arena."""

    def make(self, seed: int) -> Bot:
        return BurningBot()


class BurningBot(Bot):
    def choose(self, turn: Turn) -> str | None:
        while True:
            pass


def group_of(*bots: BotSpec) -> LocalGroup:
    rules = game_of("toepen").options.complete({"seats": 3})
    return LocalGroup("cup-g1", "toepen", rules, bots, SEATS, bytes(32), rated=False)


def test_a_group_has_the_same_hashes_however_often_it_gave_way() -> None:
    group = group_of(*(bot_spec(name, "toepen") for name in ("rookie", "random", "regular")))
    times = iter(range(100))
    whole = play_local_group(group, lambda: next(times))
    assert whole.is_complete
    times = iter(range(100))
    part: PlayedGroup | None = None
    for games in (1, 2, 3):
        part = play_local_group(group, lambda: next(times), None, part, lambda: True)
        assert (len(part.records), part.is_complete) == (games, games == 3)
        part = PlayedGroup.from_json(json.loads(json.dumps(part.as_json())))
    assert part is not None
    assert part.records == whole.records
    assert part.result.as_json() == whole.result.as_json()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games have little processor time."""
    monkeypatch.setattr(sealed, "GAME_SECONDS", 0.2)


@pytest.mark.usefixtures("hasty")
def test_a_game_that_takes_too_much_processor_time_is_a_server_fault() -> None:
    burner = Burner("burner", "1", "")
    with pytest.raises(ServerFault, match=r"a game of group cup-g1 took more than 0 s of processor time"):
        play_local_group(group_of(burner, burner, burner), lambda: 0)


def test_a_seat_can_use_all_its_fuel() -> None:
    assert 1.3 * DEFAULT_LIMITS.game_ms / 1000 < sealed.SEAT_SECONDS
