"""The compiled loop of the bootstrap: mean losses under the weights of one replicate.

A loop of its own instead of a matrix product: a product rounds differently with the number of threads, and a
replicate must be the same on every worker.
"""

from __future__ import annotations

from numba import njit

from qiyi_analysis.research.loops.exponential import LOOP


@njit(**LOOP)
def weighted_means(own, sides, sums, games, out):
    """Fill ``out`` (float64 of candidates) with the weighted mean of ``sums`` (float64 rows x candidates).

    own: float64, weights of the clusters; sides: int32 2 x rows, the two clusters of a row whose weights are
    multiplied, or 2 x 0 where row and cluster are the same. Without any weight the plain mean is given.
    """
    lanes = sums.shape[1]
    for attempt in range(2):
        total = 0.0
        for lane in range(lanes):
            out[lane] = 0.0
        for row in range(sums.shape[0]):
            if attempt == 1:
                weight = 1.0
            elif sides.shape[1]:
                weight = own[sides[0, row]] * own[sides[1, row]]
            else:
                weight = own[row]
            if weight == 0.0:
                continue
            total += weight * games[row]
            for lane in range(lanes):
                out[lane] += weight * sums[row, lane]
        if total > 0.0:
            for lane in range(lanes):
                out[lane] /= total
            return
