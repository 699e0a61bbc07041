"""Meshes that are not convex as compounds of convex hulls, found offline by the coacd package and kept beside the mesh."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import json
import math
import os
import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._arrays import FloatArray
from ._errors import InvalidInput
from ._mesh import Mesh
from ._scene import ShapeDef

_FORMAT = 1
_LARGEST_SEED = 2**31 - 1


@dataclasses.dataclass(frozen=True, eq=False)
class Decomposition:
    """Convex hulls that together are nearly a mesh."""

    hulls: tuple[FloatArray, ...]
    """(n, 3) float64 each: corners of a hull, 4 to 64 of them [m]."""
    parameters: Mapping[str, Any]
    """What they were found with, the versions of packages among it."""

    def __repr__(self) -> str:
        return f"<cairn.Decomposition of {len(self.hulls)} hulls, {sum(len(hull) for hull in self.hulls)} corners>"

    def shapes(self, scale: float = 1.0, **fields: Any) -> list[ShapeDef]:
        """The hulls as shapes of one body, `scale` > 0 times as large. `fields`: further fields of each. Raises InvalidInput for a scale out of range."""
        if not (math.isfinite(scale) and scale > 0):
            raise InvalidInput("scale", f"must be a number > 0, is {scale}")
        return [ShapeDef.hull((scale * hull).tolist(), **fields) for hull in self.hulls]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes JSON whose ``shapes`` are those of a body in a scene's file. Raises InvalidInput where it cannot."""
        document = {
            "cairn": "hulls",
            "format": _FORMAT,
            "parameters": dict(self.parameters),
            "shapes": [{"type": "hull", "points": hull.tolist()} for hull in self.hulls],
        }
        try:
            pathlib.Path(path).write_text(json.dumps(document) + "\n", encoding="utf-8")
        except OSError as error:
            raise InvalidInput(os.fspath(path), f"cannot be written: {error.strerror}") from None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Decomposition:
        """What `save` has written. Raises InvalidInput for a file that cannot be read, or is something else."""
        try:
            document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InvalidInput(os.fspath(path), f"cannot be read: {error.strerror}") from None
        except ValueError:
            raise InvalidInput(os.fspath(path), "is not JSON") from None
        if not (isinstance(document, dict) and document.get("cairn") == "hulls" and document.get("format") == _FORMAT):
            raise InvalidInput(os.fspath(path), f"has no hulls of format {_FORMAT}")
        try:
            hulls = tuple(np.array(shape["points"], dtype=np.float64) for shape in document["shapes"])
            parameters = dict(document["parameters"])
        except (KeyError, TypeError, ValueError):
            raise InvalidInput(os.fspath(path), "is damaged") from None
        if not all(hull.ndim == 2 and hull.shape[1] == 3 for hull in hulls):
            raise InvalidInput(os.fspath(path), "has points that are not three numbers")
        return cls(hulls, parameters)


def decompose(mesh: Mesh, threshold: float = 0.05, max_hulls: int | None = None, max_vertices: int = 64, seed: int = 0, **options: Any) -> Decomposition:
    """The mesh as convex hulls, by collision-aware concavity (Wei, Liu, Ling and Su, "Approximate Convex Decomposition for 3D Meshes with Collision-Aware
    Concavity and Tree Search", 2022), through the package coacd (``pip install cairn[decompose]``). It takes seconds to minutes: done once, and saved.

    `threshold`: the concavity that may be left, 0.01 to 1, of the mesh's size. `max_hulls`: at most so many, >= 1. `max_vertices`: corners of a hull, 4 to
    64. `seed`: the same one gives the same hulls with the same version of the package. `options`: further arguments of ``coacd.run_coacd``. A mesh that is not
    closed and manifold is remeshed first, unless ``preprocess_mode="off"``. Raises InvalidInput for numbers out of range, options that the package does not
    have and meshes that it finds no hulls of, and
    ModuleNotFoundError without the package."""
    _require("threshold", threshold, 0.01, 1)
    if max_hulls is not None:
        _require("max_hulls", max_hulls, 1, 100_000)
    _require("max_vertices", max_vertices, 4, 64)
    _require("seed", seed, 0, _LARGEST_SEED)
    try:
        coacd: Any = importlib.import_module("coacd")
    except ImportError as error:
        raise ModuleNotFoundError("meshes are decomposed by the package coacd, which is not here: pip install cairn[decompose]", name="coacd") from error
    coacd.set_log_level("error")
    arguments: dict[str, Any] = {"decimate": True, "max_ch_vertex": max_vertices, **options, "threshold": threshold, "seed": seed}
    arguments["max_convex_hull"] = -1 if max_hulls is None else max_hulls
    try:
        parts = coacd.run_coacd(coacd.Mesh(mesh.vertices, mesh.triangles), **arguments)
    except TypeError as error:
        raise InvalidInput("options", str(error)) from None
    if not parts:
        raise InvalidInput("mesh", "has no decomposition")
    hulls = tuple(_corners(Mesh(vertices, triangles), max_vertices) for vertices, triangles in parts)
    return Decomposition(hulls, {**arguments, "coacd": importlib.metadata.version("coacd")})


def _require(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise InvalidInput(name, f"must be {low} to {high}, is {value}")


def _corners(part: Mesh, most: int) -> FloatArray:
    """Those of its hull: the package's parts may have points within faces."""
    return np.array(part.hull(most).points, dtype=np.float64)
