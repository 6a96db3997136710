"""The groups of a board as arrays: as they were played, and with identical groups merged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.ratings.solver import IntArray


class Block(NamedTuple):
    """Groups of one shape: ``m`` sides of ``k`` players each, and the same number of games in every group.

    ``sides`` (groups, m, k) holds the indexes of the players of each side. ``places`` (groups, games, m)
    holds the place of each side in each game; 1 is best, and sides that share a place have the same number.
    ``losers`` (groups,) holds the only player for whom each group counts, or is None for groups that count
    for all. ``leavers`` (groups, any number) lists players for whose own rating the games do not count.
    ``luck`` (groups,) is the luck of the first of two sides over all games of the group, in millionths of a
    game.
    """

    sides: IntArray
    places: IntArray
    losers: IntArray | None = None
    leavers: IntArray | None = None
    luck: IntArray | None = None

    @property
    def status(self) -> int:
        """Return 0 if the groups count for all players, 1 if they count for only one player, and 1 + n if
        they count for all but n players.
        """
        return 1 if self.losers is not None else 0 if self.leavers is None else 1 + self.leavers.shape[1]


class Cells(NamedTuple):
    """The groups of one shape, with identical groups merged into one cell.

    ``sides`` (cells, m, k), ``patterns`` (cells, games, m; the places of the games), ``losers`` (cells) and
    ``leavers`` (cells, any number) are as in :class:`Block`. ``counts`` (cells) is the number of groups in
    each cell. ``luck`` (groups) holds the luck of each group, in the order of the cells, as in
    :class:`Block`.
    """

    sides: IntArray
    patterns: IntArray
    losers: IntArray | None
    leavers: IntArray
    counts: IntArray
    luck: IntArray


def merge(blocks: Sequence[Block], players: int) -> Cells:
    """Return the cells of ``blocks`` of one shape, in an order that depends only on their contents."""
    sides = np.sort(np.concatenate([block.sides for block in blocks]).astype(np.int64), axis=2)
    places = np.concatenate([block.places for block in blocks]).astype(np.int64)
    count, m, k = sides.shape
    rank = (sides * players ** np.arange(k)[::-1]).sum(axis=2)
    order = np.argsort(rank, axis=1, kind="stable")
    sides = np.take_along_axis(sides, order[:, :, None], axis=1)
    places = np.take_along_axis(places, order[:, None, :], axis=2)
    codes = np.sort((places * (m + 1) ** np.arange(m)).sum(axis=2), axis=1)
    owners = [np.zeros((len(block.sides), 0), dtype=np.int64) for block in blocks]
    if blocks[0].losers is not None:
        owners = [block.losers[:, None] for block in blocks if block.losers is not None]
    elif blocks[0].leavers is not None:
        owners = [np.sort(block.leavers, axis=1) for block in blocks if block.leavers is not None]
    rows = np.concatenate([sides.reshape(count, m * k), codes, np.concatenate(owners)], axis=1)
    luck = np.concatenate([_luck_of(block) for block in blocks])
    # The two sides can have swapped places. Luck affects only the order of otherwise identical groups.
    luck = np.where(order[:, 0] == 0, luck, -luck)
    sorting = np.lexsort(np.concatenate([rows, luck[:, None]], axis=1).T[::-1])
    rows, luck = rows[sorting], luck[sorting]
    first = np.flatnonzero(np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)]))
    cells = rows[first]
    codes, last = np.split(cells[:, m * k :], [codes.shape[1]], axis=1)
    return Cells(
        cells[:, : m * k].reshape(-1, m, k),
        codes[:, :, None] // (m + 1) ** np.arange(m) % (m + 1),
        last[:, 0] if blocks[0].losers is not None else None,
        last if blocks[0].losers is None else last[:, :0],
        np.diff(np.append(first, count)),
        luck,
    )


def _luck_of(block: Block) -> IntArray:
    if block.luck is None or block.sides.shape[1] != 2:
        return np.zeros(len(block.sides), dtype=np.int64)
    return block.luck
