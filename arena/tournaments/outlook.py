"""What comes next for an uploaded bot: its rank on a leaderboard, and the tournament that it plays in or
waits for. The command ``bot submit`` and the page of an upload compute both from responses of the API.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple

from arena.errors import InvalidOption, UnknownPreset
from arena.games import game_of
from arena.play.board_names import SETTLED_GROUPS, BoardName, rank_text
from arena.play.players import SEALED, PlayerId
from arena.text import relative

PRESENT: Final = ("announced", "entry", "running")
"""The states of tournaments that are not over."""

RESTS: Final = "takes part in no scheduled tournament"


class BoardStanding(NamedTuple):
    """The position of a version on a board. ``rank`` and ``worst_rank`` bound its rank among the ``ranked``
    bots; both are None while its rating is provisional.
    """

    rank: int | None
    worst_rank: int | None
    ranked: int
    rating: float
    low: float
    high: float
    groups: int

    @property
    def words(self) -> str:
        """The position in words, for example ``rank 2-4 of 8, 1532 (1490-1575), 100 groups``."""
        if self.rank is None:
            return f"provisional: {self.groups} of {SETTLED_GROUPS} groups; no rank until then"
        interval = f"{self.low:.0f}-{self.high:.0f}"
        rank = rank_text(self.rank, self.worst_rank)
        return f"rank {rank} of {self.ranked}, {self.rating:.0f} ({interval}), {self.groups} groups"


class Outlook(NamedTuple):
    """The next step of a bot.

    ``plays``: it is or will be entered in ``tournament``. ``waits``: it waits for another tournament to end
    or to be announced. ``rests``: it has all the groups that it needs. ``none``: no schedule will enter it.
    ``tournament`` is the id of an existing tournament, or None. ``from_ms`` is a time before which nothing
    happens, or None.
    """

    state: Literal["plays", "waits", "rests", "none"]
    words: str
    tournament: str | None = None
    from_ms: int | None = None


def standing(rows: Iterable[Mapping[str, Any]], player: PlayerId) -> BoardStanding | None:
    """Return the position of the version among the rows of a board, or None if it is not on the board."""
    found = list(rows)
    ranked = sum(row["rank"] is not None for row in found)
    for row in found:
        if (row["name"], row["version"]) == player:
            figures = (row[name] for name in ("rating", "low", "high", "groups"))
            return BoardStanding(row["rank"], row["worst_rank"], ranked, *figures)
    return None


def takes_all(settings: Mapping[str, object], board: BoardName) -> bool:
    """Return whether a tournament with these settings automatically enters all uploaded bots that have
    qualified for the board.
    """
    return (
        settings.get("division") == SEALED
        and bool(settings.get("auto_enter"))
        and settings.get("who", "anyone") == "anyone"
        and settings["kind"] == board.kind
        and _discipline(settings) == board.preset
    )


def _discipline(settings: Mapping[str, Any]) -> str | None:
    """Return the preset for which bots must qualify to play in a tournament, or None if this release does not
    know its rules.
    """
    game = game_of(settings["kind"])
    with suppress(InvalidOption, UnknownPreset):
        return game.discipline(game.rules_of(settings)).name
    return None


def outlook(
    board: BoardName,
    player: PlayerId,
    groups: int,
    tournaments: Sequence[Mapping[str, Any]],
    schedules: Iterable[Mapping[str, Any]],
    now_ms: int,
) -> Outlook:
    """Return the next step of a version of an uploaded bot that has qualified for the board. ``groups`` is
    its number of groups on the board. ``tournaments`` are the tournaments, with their entries, that are not
    over and for which :func:`takes_all` returns True.
    """
    others = None
    for one in sorted(tournaments, key=lambda view: (view["locks_ms"], view["id"])):
        entry = next((entry for entry in one["entries"] if entry["bot"] == player.name), None)
        if one["state"] != "running":
            return Outlook("plays", _enters(one, now_ms), one["id"], one["locks_ms"])
        if entry is not None and entry["version"] == player.version and entry["status"] == "qualified":
            return Outlook("plays", f"plays in {one['name']!r}, {_progress(one)}", one["id"])
        others = one
    own = [one for one in schedules if one["waits_for"] and takes_all(one["tournament"], board)]
    timed = [one for one in own if one["waits_for"] == "time"]
    resting = [one for one in own if one["waits_for"] == "bots"]
    if others is not None and any(one["current"] == others["id"] for one in own):
        return Outlook("waits", f"waits for the end of {others['name']!r}, {_progress(others)}", others["id"])
    needed = [one for one in resting if groups < one["until_groups"]]
    if needed:
        return Outlook("waits", f"waits for {needed[0]['tournament']['name']!r}, which starts automatically")
    if timed:
        first = min(timed, key=lambda one: one["next_ms"])
        words = f"plays in {first['tournament']['name']!r}, {_announced(first, now_ms)}"
        return Outlook("waits", words, from_ms=first["next_ms"])
    daily = [one["daily_ms"] for one in resting if one["daily_ms"] is not None]
    if daily:
        words = f"has all its groups, and plays a few more every day, next {relative(min(daily), now_ms)}"
        return Outlook("rests", words)
    if resting:
        return Outlook("rests", "has all its groups; plays again when another bot or version arrives")
    if own:
        return Outlook("waits", f"waits for {own[0]['tournament']['name']!r}, which starts automatically")
    return Outlook("none", "no schedule of this service enters uploaded bots in it")


def _enters(view: Mapping[str, Any], now_ms: int) -> str:
    is_late = view["locks_ms"] <= now_ms
    when = "begins now" if is_late else f"locks {relative(view['locks_ms'], now_ms)}"
    return f"plays in {view['name']!r}, which {when}"


def _announced(schedule: Mapping[str, Any], now_ms: int) -> str:
    if schedule["next_ms"] <= now_ms:
        return "which is about to be announced"
    return f"which is announced {relative(schedule['next_ms'], now_ms)}"


def _progress(view: Mapping[str, Any]) -> str:
    progress = view["progress"]
    return f"{progress['done']} of {progress['planned']} groups"
