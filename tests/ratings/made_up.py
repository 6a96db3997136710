"""Groups made up by hand, as they come out of records."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from arena.games import game_of
from arena.games.toepen.titles import Style
from arena.play.players import PlayerId
from arena.ratings.results import GameResult, GroupResult


def player(text: str) -> PlayerId:
    """``name`` or ``name@version``."""
    name, _, version = text.partition("@")
    return PlayerId(name, version or "1")


def group(
    number: int | str,
    seats: str | Sequence[str],
    *places: str,
    kind: str = "toepen",
    mirrored: bool = True,
    size: int | None = None,
    forfeits: Sequence[tuple[int, ...]] = (),
    faults: Sequence[tuple[int, ...]] = (),
    finished_ms: int = 0,
    used_ms: Sequence[tuple[int, ...]] = (),
    styles: Sequence[tuple[Style, ...]] = (),
    annulled: bool = False,
    late: bool = False,
    lucks: Sequence[int | None] = (),
    preset: str | None = None,
) -> GroupResult:
    """``seats``: the players of game 0, separated by blanks; they move on by a team each game.
    ``places``: per game a digit per **player** of game 0 (not per seat), so "12" is a win of the first.
    ``late``: forfeits came after the first hand. ``lucks``: of the first team. ``preset``: by default
    the game's first one, however many seats there are.
    """
    first = [player(text) for text in (seats.split() if isinstance(seats, str) else seats)]
    count = len(first)
    teams = ((0, 2), (1, 3)) if kind == "truco" else tuple((seat,) for seat in range(count))
    games = []
    for index, digits in enumerate(places):
        turn = [(seat + index) % count for seat in range(count)]
        games.append(
            GameResult(
                index,
                sha256(f"{kind} {number} {index} {seats}".encode()).hexdigest(),
                tuple(first[who] for who in turn),
                tuple(int(digits[who]) for who in turn),
                forfeits[index] if forfeits else (),
                faults[index] if faults else (0,) * count,
                used_ms[index] if used_ms else (),
                styles[index] if styles else (),
                finished_ms,
                late and bool(forfeits and forfeits[index]),
                lucks[index] if lucks else None,
            )
        )
    return GroupResult(
        kind,
        str(number),
        len(places) if size is None else size,
        mirrored,
        teams,
        games,
        annulled,
        preset=game_of(kind).preset(preset).name,
    )


def league(
    rounds: int, *, kind: str = "toepen", names: Sequence[str] = ("rookie", "a", "b", "c")
) -> list[GroupResult]:
    """A round robin of duels with fixed results: the later in ``names`` wins more often."""
    groups = []
    for number in range(rounds):
        for i, first in enumerate(names):
            for j, second in enumerate(names[:i]):
                luck = sha256(f"{number} {i} {j}".encode()).digest()
                games = ["12" if byte < 128 + 25 * (i - j) else "21" for byte in luck[:2]]
                if luck[2] < 20:
                    games[1] = "11"
                groups.append(group(f"{number}-{i}-{j}", [first, second], *games, kind=kind))
    return groups
