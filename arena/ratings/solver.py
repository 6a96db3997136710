"""A solver for the linear equations of boards, which are sparse and symmetric, with many right-hand sides at
once.

Every bot meets few of the others, so conjugate gradients take time proportional to the number of pairs that
met, whereas a factorisation takes time proportional to the cube of the number of bots.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_TOLERANCE: Final = 1e-12
"""The residual, relative to the right-hand side, at which a solution is accepted. It is far below the
precision of published ratings.
"""

_DENSE: Final = 1 / 8
"""A matrix with a larger share of entries is multiplied as a dense matrix, which is faster."""


class Sparse:
    """A sparse matrix for multiplication. ``rows`` and ``columns`` (entries) are the positions of its
    entries, each given once.
    """

    def __init__(self, shape: tuple[int, int], rows: IntArray, columns: IntArray) -> None:
        self._order = np.lexsort((columns, rows))
        self.shape = shape
        self._rows, self._columns = rows[self._order], columns[self._order]
        self._starts = np.searchsorted(self._rows, np.arange(shape[0] + 1))
        self._values: FloatArray = np.zeros(len(rows))
        self._dense: FloatArray | None = None

    def fill(self, values: FloatArray) -> None:
        """Set the entries, in the order of the given ``rows`` and ``columns``."""
        self._values = values[self._order]
        self._dense = None

    def __matmul__(self, right: FloatArray) -> FloatArray:
        """Return the product with one vector (columns) or with several (columns, n)."""
        if right.ndim == 1:
            product = np.bincount(self._rows, self._values * right[self._columns], self.shape[0])
            return product.astype(np.float64, copy=False)
        if len(self._values) > _DENSE * self.shape[0] * self.shape[1]:
            if self._dense is None:
                self._dense = np.zeros(self.shape)
                self._dense[self._rows, self._columns] = self._values
            return self._dense @ right
        result: FloatArray = np.zeros((self.shape[0], right.shape[1]))
        starts = self._starts.tolist()
        for row, (start, end) in enumerate(pairwise(starts)):
            if start < end:
                np.matmul(self._values[start:end], right[self._columns[start:end]], out=result[row])
        return result


def solve(diagonal: FloatArray, links: Sparse, right: FloatArray) -> FloatArray:
    """Return the solution x of (diag(``diagonal``) - ``links``) x = ``right``, for one vector or several (n,
    columns). The matrix must be symmetric and positive definite.
    """
    scale = diagonal if right.ndim == 1 else diagonal[:, None]
    solution = np.zeros_like(right)
    residual = right.copy()
    direction = residual / scale
    square = (residual * direction).sum(axis=0)
    final = _TOLERANCE**2 * square
    for _ in range(1000 + 10 * len(diagonal)):
        going = square > final
        if not going.any():
            return solution
        image = scale * direction - links @ direction
        bend = (direction * image).sum(axis=0)
        length = np.where(going, square / np.where(going, bend, 1.0), 0.0)
        solution += length * direction
        residual -= length * image
        scaled = residual / scale
        before, square = square, (residual * scaled).sum(axis=0)
        direction *= np.where(going, square / np.where(going, before, 1.0), 0.0)
        direction += scaled
    raise ArithmeticError("the solution of the rating equations did not converge")
