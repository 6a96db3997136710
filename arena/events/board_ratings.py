"""Published ratings in the form that tournaments use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from arena.play.board_names import BoardName
from arena.play.players import PlayerId
from arena.store.boards import BoardStore
from arena.store.rows import shown_or_left_out


class PublishedRating(NamedTuple):
    """The rating of a version on a board, with its confidence interval and the number of groups."""

    rating: float
    low: float
    high: float
    groups: int


def board_ratings(
    boards: BoardStore, name: BoardName | None, names: Iterable[str]
) -> dict[PlayerId, PublishedRating]:
    """Return the ratings of all versions of the bots ``names`` on the board, or an empty value if the board
    does not exist or cannot be read.
    """
    if name is None:
        return {}
    board = name.key

    def read() -> dict[PlayerId, PublishedRating]:
        return {
            PlayerId(name, version): PublishedRating(*values)
            for name, versions in boards.ratings(board, names).items()
            for version, values in versions.items()
        }

    return shown_or_left_out(f"ratings of board {board}", read) or {}


def ratings_by_name(board: Mapping[str, Any]) -> dict[str, dict[str, list[Any]]]:
    """Return the fields of :class:`PublishedRating` by bot name and version. ``board`` is a
    :class:`~arena.ratings.board.Board` as JSON.
    """
    return {
        row["name"]: {
            version["version"]: [version[name] for name in PublishedRating._fields]
            for version in row["versions"]
        }
        for row in board["rows"]
    }
