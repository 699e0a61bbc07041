"""Who collides with whom: a model's bits, exclusions and pairs as categories and masks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

CLASSES = 32  # bits of a category


def categories(collide: npt.NDArray[np.bool_]) -> list[tuple[int, int]] | None:
    """For shapes that collide where `collide` (n, n), which is symmetric, says so: category and mask of each, 0 and 0 of those that collide with nothing.

    Shapes that collide with the same ones share a bit. None: that takes more bits than there are.
    """
    rows = [row.tobytes() for row in collide]
    kinds: dict[bytes, int] = {}
    members: list[int] = []
    for i, row in enumerate(rows):
        if collide[i].any() and row not in kinds:
            kinds[row] = len(kinds)
            members.append(i)
    if len(kinds) > CLASSES:
        return None
    masks = [sum(1 << k for k, other in enumerate(members) if collide[i, other]) for i in members]
    return [(1 << kinds[row], masks[kinds[row]]) if row in kinds else (0, 0) for row in rows]


def by_bits(contype: Sequence[int], conaffinity: Sequence[int]) -> npt.NDArray[np.bool_]:
    """(n, n): MuJoCo's rule, that one's contype and the other's conaffinity share a bit."""
    types, affinities = np.asarray(contype, dtype=np.int64), np.asarray(conaffinity, dtype=np.int64)
    hit = (types[:, None] & affinities[None, :]) != 0
    either: npt.NDArray[np.bool_] = hit | hit.T
    return either
