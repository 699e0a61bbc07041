"""Triangle meshes: from files or generated, looked through, measured."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import ArrayInput, FloatArray, IntArray, float_array, host_array, shape_text
from ._errors import InvalidInput
from ._scene import ShapeDef


@dataclasses.dataclass(frozen=True, eq=False)
class MeshReport:
    """What `Mesh.report` finds. Vertices within the tolerance count as one. Triangles that have two corners in one place, or are there twice, belong to no edge
    and to no intersection."""

    vertices: int
    """As given."""
    triangles: int
    """As given."""
    welded_vertices: int
    """Different ones that triangles refer to."""
    unused_vertices: int
    """That no triangle refers to."""
    degenerate_triangles: int
    """With two corners in one place, or no higher than 1e-12 of the longest edge."""
    duplicate_triangles: int
    """With the corners of an earlier one."""
    slivers: int
    """Not degenerate, but less high than a thousandth of the longest edge."""
    edges: int
    """Each counted once."""
    boundary_edges: int
    """Of one triangle."""
    crowded_edges: int
    """Of more than two triangles."""
    twisted_edges: int
    """Of two triangles that disagree on what is outside."""
    pinched_vertices: int
    """Where the surface touches itself in a point."""
    parts: int
    """Connected by edges."""
    inverted_parts: int
    """Closed parts whose volume is negative: inside out, or cavities."""
    euler_number: int
    """Vertices - edges + triangles."""
    genus: int
    """Handles of all parts together; -1: not a closed manifold."""
    closed: bool
    """Every edge has two triangles."""
    manifold: bool
    """No crowded edges, no pinched vertices."""
    oriented: bool
    """No twisted edges."""
    inside_out: bool
    """Closed and oriented, with a negative volume."""
    solid: bool
    """Closed, manifold, oriented, not inside out, and no triangles meet."""
    hole_edges: IntArray
    """(holes,) int32: of each way round the border."""
    hole_lengths: FloatArray
    """(holes,) float64 [m]."""
    bounds: FloatArray
    """(2, 3) float64: the lowest and the highest corner [m]."""
    area: float
    """[m^2]"""
    volume: float
    """[m^3], of a mesh that is closed and oriented; of others it has no meaning, nor have centre and inertia."""
    centre: FloatArray
    """(3,) float64: of the volume [m]."""
    inertia: FloatArray
    """(3, 3) float64: about the centre, for a density of one [m^5]."""
    intersecting_pairs: int
    """Pairs of triangles that meet elsewhere than in the corners and edges that they share."""
    intersecting_triangles: IntArray
    """(n,) int32: those in such pairs, ascending."""
    boundary_vertices: IntArray
    """(boundary_edges, 2) int32: the ends of each edge of one triangle."""


class FieldCost(NamedTuple):
    """What a sparse signed distance field needs: blocks of 8 x 8 x 8 cells where the surface passes, 9 x 9 x 9 samples of 4 bytes each."""

    cell: float
    """[m]"""
    blocks: int
    """That the surface passes."""
    grid_blocks: int
    """In the bounds, of 4 bytes each."""
    bytes: int
    """Of both."""


class Mesh:
    """A surface of triangles, which may be anything: open, in several parts, inside out. `report` finds out."""

    def __init__(self, vertices: ArrayInput, triangles: npt.ArrayLike) -> None:
        """`vertices`: (n, 3) float64 [m]. `triangles`: (m, 3) whole numbers from 0 to n - 1, anticlockwise seen from outside. Both are copied. Raises InvalidInput
        for arrays of other shapes or types, numbers that are not finite, and corners that are no vertices."""
        self._vertices = float_array(vertices, "vertices", (None, 3)).copy()
        corners = host_array(triangles, "triangles")
        if corners.ndim != 2 or corners.shape[1] != 3:
            raise InvalidInput("triangles", f"must be of shape {shape_text((None, 3))}, is of shape {shape_text(corners.shape)}")
        if corners.dtype.kind not in "iu":
            raise InvalidInput("triangles", f"must be an array of whole numbers, is one of {corners.dtype}")
        wrong = (corners < 0) | (corners >= len(self._vertices))
        if wrong.any():
            row = int(np.argwhere(wrong)[0][0])
            raise InvalidInput(f"triangles[{row}]", f"must have corners from 0 to {len(self._vertices) - 1}, is {tuple(int(c) for c in corners[row])}")
        self._triangles = np.array(corners, dtype=np.int32, order="C")
        for array in (self._vertices, self._triangles):
            array.setflags(write=False)

    @classmethod
    def load(cls, name_or_path: str | os.PathLike[str]) -> Mesh:
        """The mesh of an .obj or .stl file, or of a generator with parameters: ``"torus:major=1,minor=0.25"`` (docs/meshes.md
        lists them). Raises InvalidInput, with file and line, for whatever is wrong."""
        vertices, triangles = _core.load_mesh(os.fspath(name_or_path))
        return cls(vertices, triangles)

    @property
    def vertices(self) -> FloatArray:
        """(n, 3) float64 [m], not to be written to."""
        return self._vertices

    @property
    def triangles(self) -> IntArray:
        """(m, 3) int32, not to be written to."""
        return self._triangles

    def __repr__(self) -> str:
        return f"<cairn.Mesh of {len(self._vertices)} vertices, {len(self._triangles)} triangles>"

    def report(self, weld: float = 0.0) -> MeshReport:
        """What the mesh is and what is wrong with it; vertices within `weld` [m], >= 0, count as one."""
        return MeshReport(**_core.inspect_mesh(self._vertices, self._triangles, float(weld)))

    def welded(self, tolerance: float = 0.0) -> Mesh:
        """The mesh with each vertex within the tolerance [m] of an earlier one replaced by it. Triangles keep their number and order."""
        vertices, triangles = _core.weld_mesh(self._vertices, self._triangles, float(tolerance))
        return Mesh(vertices, triangles)

    def hull(self, max_vertices: int = 64, **fields: Any) -> ShapeDef:
        """The convex hull of the vertices as a shape, with at most so many corners, 4 to 64. `fields`: further fields of the shape. Raises InvalidInput for
        vertices that have none."""
        points, _, _ = _core.mesh_hull(self._vertices, self._triangles, int(max_vertices))
        return ShapeDef.hull(points, **fields)

    def field_cost(self, cell: float) -> FieldCost:
        """What a sparse signed distance field with cells of this size [m], > 0, needs."""
        return FieldCost(*_core.mesh_field_cost(self._vertices, self._triangles, float(cell)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an .obj, which loads back to the same numbers, or a binary .stl, in single precision. Raises InvalidInput where it cannot."""
        _core.write_mesh(self._vertices, self._triangles, os.fspath(path))
