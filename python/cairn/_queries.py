"""Arguments of queries: rays, shapes that are cast, overlaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Union

import numpy as np

from ._arrays import ArrayInput, FloatArray, IntArray, float_array, host_array
from ._core import BodyId
from ._errors import InvalidInput
from ._scene import ShapeDef

Ignored = Union[BodyId, Sequence[Union[BodyId, None]], None]


class Ways(NamedTuple):
    """Lines from starts on: (n, 3), (n, 3), (n,) float64."""

    starts: FloatArray
    directions: FloatArray
    ends: FloatArray

    @classmethod
    def of(cls, name: str, starts: ArrayInput, directions: ArrayInput, max_distance: float | ArrayInput) -> Ways:
        """Checked: `name` is what messages call the starts."""
        froms = float_array(starts, name, (None, 3))
        ways = float_array(directions, "directions", (None, 3))
        if len(ways) != len(froms):
            raise InvalidInput("directions", f"must be as many as {name}, {len(froms)}, are {len(ways)}")
        one = isinstance(max_distance, (int, float))
        if isinstance(max_distance, (int, float)):
            ends = np.full(len(froms), float(max_distance))
        else:
            ends = float_array(max_distance, "max_distance", (len(froms),), finite=False)
        bad = np.flatnonzero(~(ends >= 0))
        if len(bad) > 0:
            raise InvalidInput("max_distance" if one else f"max_distance[{bad[0]}]", f"must be >= 0, is {ends[bad[0]]}")
        zero = np.flatnonzero(~ways.any(axis=1))
        if len(zero) > 0:
            raise InvalidInput(f"directions[{zero[0]}]", "must not be zero")
        return cls(froms, ways, ends)

    def of_shapes(
        self, shapes: ShapeDef | Sequence[ShapeDef], orientations: ArrayInput | None
    ) -> tuple[list[ShapeDef], FloatArray, FloatArray, FloatArray, FloatArray]:
        """Of shapes that move along them: shapes, starts, orientations, directions, ends."""
        count = len(self.starts)
        return each_shape(shapes, count), self.starts, turns(orientations, count), self.directions, self.ends


def ignored_bodies(ignored: Ignored, count: int) -> list[BodyId]:
    """None, one for all, or one each: as many as there are queries then, with the body of index -1 for none."""
    if ignored is None:
        return []
    bodies: list[Any] = [ignored] if isinstance(ignored, BodyId) else [BodyId(-1) if body is None else body for body in ignored]
    for i, body in enumerate(bodies):
        if not isinstance(body, BodyId):
            raise InvalidInput(f"ignored[{i}]", f"must be a BodyId or None, is {body!r}")
    if not isinstance(ignored, BodyId) and len(bodies) != count:
        raise InvalidInput("ignored", f"must be one for each query, {count}, are {len(bodies)}")
    return bodies


def seen_environments(environments: Any, count: int) -> IntArray:
    """(n,) int32: the only one that each query sees, -1 for all; none of them where all see all."""
    if environments is None:
        return np.empty(0, np.int32)
    seen = np.full(count, environments) if isinstance(environments, int) else np.ascontiguousarray(host_array(environments, "environments"))
    if seen.dtype.kind not in "iu" or seen.shape != (count,):
        raise InvalidInput("environments", f"must be whole numbers of shape ({count},), are {seen.dtype} of shape {seen.shape}")
    return seen.astype(np.int32, copy=False)


def each_shape(shapes: ShapeDef | Sequence[ShapeDef], count: int) -> list[ShapeDef]:
    """One for all, or one each."""
    if isinstance(shapes, ShapeDef):
        return [shapes]
    made = list(shapes)
    if len(made) != count:
        raise InvalidInput("shapes", f"must be one, or one for each query, {count}, are {len(made)}")
    return made


def turns(orientations: ArrayInput | None, count: int) -> FloatArray:
    """(n, 4) float64; None: not turned."""
    if orientations is None:
        return np.tile(np.array([0.0, 0.0, 0.0, 1.0]), (count, 1))
    return float_array(orientations, "orientations", (count, 4))
