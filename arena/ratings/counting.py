"""For whom a group counts, and how much: this depends on whose bots the players are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.ratings.blocks import Block, Cells
from arena.ratings.solver import FloatArray, IntArray

HOUSE: Final = -1
"""The party of the house bots, which count as one opponent."""


class Parties(NamedTuple):
    """Whose bots the players are: the number of each player's party (players), :data:`HOUSE` for house bots,
    and whether the results of its bots count for others (players).
    """

    party: IntArray
    counts: NDArray[np.bool_]


def counted(blocks: Sequence[Block], counts: NDArray[np.bool_]) -> Iterator[Block]:
    """Yield the groups that count for anybody if a group counts for a player only if all other players are in
    ``counts`` (players).
    """
    for part in _parts(blocks, counts):
        if len(part.sides):
            yield part


def _parts(blocks: Sequence[Block], counts: NDArray[np.bool_]) -> Iterator[Block]:
    for block in blocks:
        size = len(block.sides)
        players = block.sides.reshape(size, -1)
        others = ~counts[players]
        # The first player whose results do not count for others, if there is any.
        found = players[np.arange(size), others.argmax(axis=1)]
        number = others.sum(axis=1)
        none = number == 0
        alone = (number > 0) & (number == (players == found[:, None]).sum(axis=1))
        if block.losers is not None:
            yield _part(block, none | (alone & (block.losers == found)), block.losers)
            continue
        if block.leavers is not None:
            alone &= (block.leavers != found[:, None]).all(axis=1)
        yield _part(block, none, None)
        yield _part(block, alone, found)


def _part(block: Block, chosen: NDArray[np.bool_], losers: IntArray | None) -> Block:
    """Return the ``chosen`` groups (groups), which count for ``losers`` only, if these are given."""
    return block._replace(
        sides=block.sides[chosen],
        places=block.places[chosen],
        losers=None if losers is None else losers[chosen],
        leavers=None if losers is not None or block.leavers is None else block.leavers[chosen],
        luck=None if block.luck is None else block.luck[chosen],
    )


class Figures(NamedTuple):
    """The numbers of groups that count for each player, of their games, and of the groups in which the player
    met a house bot (players).
    """

    groups: IntArray
    games: IntArray
    house: IntArray


def figures(blocks: Sequence[Block], party: IntArray) -> Figures:
    """Return the figures of all players. ``party`` is as in :class:`Parties`."""
    found = Figures(*np.zeros((3, len(party)), dtype=np.int64))
    for block in blocks:
        house = (party[block.sides] == HOUSE).any(axis=(1, 2))
        for own, counting in seats(block.sides, block.losers, block.leavers):
            groups = np.bincount(own[counting], minlength=len(party))
            found.groups[:] += groups
            found.games[:] += groups * block.places.shape[1]
            found.house[:] += np.bincount(own[counting & house], minlength=len(party))
    return found


def seats(
    sides: IntArray, losers: IntArray | None, leavers: IntArray | None
) -> Iterator[tuple[IntArray, NDArray[np.bool_]]]:
    """Yield, for each seat of groups, the players there (groups), and whether the group counts for them.
    Players with several seats are counted at the first of these.
    """
    players = sides.reshape(len(sides), -1)
    for slot in range(players.shape[1]):
        own = players[:, slot]
        counting = (players[:, :slot] != own[:, None]).all(axis=1)
        if losers is not None:
            counting &= losers == own
        elif leavers is not None:
            counting &= (leavers != own[:, None]).all(axis=1)
        yield own, counting


def weights(merged: Sequence[Cells], party: IntArray) -> list[FloatArray]:
    """Return how much each group of the cells counts, for each shape.

    No party counts more than its share among a player's opponents: if a player has met ``k`` parties in ``n``
    groups, and one of them in more than ``n / k`` groups, each of those counts ``n / k`` divided by their
    number. Of the values for all players of a group who are not house bots, the least is used. Groups that
    count for one player alone do not change the weight of others.
    """
    if not merged:
        return []
    starts = np.cumsum([0, *(len(cells.counts) for cells in merged)])
    encounters = [
        _encounters(cells, party) + np.array([[start], [0]])
        for cells, start in zip(merged, starts, strict=False)
    ]
    cell, pair = np.concatenate(encounters, axis=1)
    counts = np.concatenate([cells.counts for cells in merged])[cell]
    alone = np.repeat([cells.losers is not None for cells in merged], np.diff(starts))[cell]
    pairs, pair = np.unique(pair, return_inverse=True)
    _, player = np.unique(pairs // _parties(party), return_inverse=True)
    values = [_shares(np.bincount(pair, met, len(pairs)), player)[pair] for met in (counts, counts * ~alone)]
    least = np.ones(starts[-1])
    np.minimum.at(least, cell, np.where(alone, *values))
    return np.split(least, starts[1:-1])


def _shares(met: FloatArray | IntArray, player: IntArray) -> FloatArray:
    """Return how much a group counts for each pair of a player and a party (pairs). ``met`` is the number of
    groups in which they met, and ``player`` the number of the player (pairs).
    """
    mean = np.bincount(player, met) / np.maximum(1, np.bincount(player, met > 0))
    shares: FloatArray = np.minimum(1.0, mean[player] / np.maximum(1, met))
    return shares


def _parties(party: IntArray) -> int:
    return int(party.max(initial=0)) + 2


def _encounters(cells: Cells, party: IntArray) -> IntArray:
    """Return the cells of one shape in which a player meets a party, and codes of the player and the party,
    each encounter of a cell once (2, encounters).
    """
    count, m, k = cells.sides.shape
    players = cells.sides.reshape(count, m * k)
    leavers = cells.leavers if cells.leavers.shape[1] else None
    base = _parties(party)
    size = (len(party) + 1) * base
    found = [np.zeros(0, dtype=np.int64)]
    for slot, (own, counting) in enumerate(seats(cells.sides, cells.losers, leavers)):
        chosen = np.flatnonzero(counting & (party[own] != HOUSE))
        for other in range(m * k):
            if other // k != slot // k:
                code = own[chosen] * base + party[players[chosen, other]] + 1
                found.append(chosen * size + code)
    codes = np.unique(np.concatenate(found))
    return np.stack([codes // size, codes % size])
