"""Recordings as Universal Scene Description: one point instancer a shape, with a time sample a frame. `cairn export` calls main()."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pathlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import Error, InvalidInput
from ._mesh import Mesh

Array = npt.NDArray[np.float64]

_ENDINGS = (".usda", ".usdc")
_ROTATION_SCALE = 32767.0
_GREY = (0.50, 0.52, 0.55)  # linear, of what does not move freely
# Of dynamic bodies by turns, linear: as bright as each other.
_COLOURS = ((0.73, 0.50, 0.21), (0.17, 0.29, 0.52), (0.26, 0.45, 0.24), (0.60, 0.23, 0.15), (0.39, 0.30, 0.54), (0.15, 0.41, 0.42), (0.65, 0.60, 0.19), (0.60, 0.30, 0.35))


def export_usd(recording: str | os.PathLike[str], out: str | os.PathLike[str]) -> None:
    """Writes a recording of `cairn run --record` as USD: `out` ends in .usda (text) or .usdc. Each shape that bodies share is a prototype of a point
    instancer; its positions and orientations have a time sample a frame, but for those of static bodies, and time codes are frames. Colours tell bodies
    apart, and `primvars:cairn:body` says which body of the scene each instance is.

    Needs the packages usd-core and h5py (``pip install cairn[usd]``), and scipy for convex hulls; raises ModuleNotFoundError without them, and
    InvalidInput for what is no recording or cannot be written. The file appears whole or not at all."""
    pxr, h5py = _package("pxr.Usd", "usd-core"), _package("h5py", "h5py")
    source, path = os.fspath(recording), pathlib.Path(out)
    if path.suffix.lower() not in _ENDINGS:
        raise InvalidInput(str(path), "must end in .usda or .usdc")
    if not os.access(path.parent, os.W_OK) or path.is_dir():
        raise InvalidInput(str(path), "cannot be written")
    partial = path.with_name(path.stem + ".partial" + path.suffix.lower())
    try:
        with _opened(h5py, source) as file:
            stage = pxr.Stage.CreateNew(str(partial))
            _Writer(stage, file, source).write()
            stage.GetRootLayer().Save()
            del stage
        os.replace(partial, path)
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be written: {error.strerror or error}") from None
    finally:
        partial.unlink(missing_ok=True)


def _package(module: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ModuleNotFoundError(f"USD is written with the package {name}, which is not here: pip install cairn[usd]", name=module) from error


@contextlib.contextmanager
def _opened(h5py: Any, source: str) -> Iterator[Any]:
    if not os.path.isfile(source):
        raise InvalidInput(source, "there is no such file")
    try:
        file = h5py.File(source, "r", swmr=True)
    except (OSError, ValueError):
        try:
            file = h5py.File(source, "r")
        except OSError:
            raise InvalidInput(source, "is no HDF5 file, or is damaged") from None
    with file:
        mark = file.attrs.get("format", b"")
        text = mark.decode() if isinstance(mark, bytes) else str(mark)
        if not text.startswith("cairn-recording-"):
            raise InvalidInput(source, "is an HDF5 file, but no recording of Cairn")
        if text not in ("cairn-recording-1", "cairn-recording-2"):
            raise InvalidInput(source, f"is of the format {text}, which is newer than this package")
        yield file


class _Frames:
    """Poses frame by frame, whatever form they are recorded in."""

    def __init__(self, file: Any, source: str) -> None:
        try:
            self.times: Array = np.asarray(file["times"], dtype=np.float64)
            scene = file["scene"]
            text = scene[0] if scene.dtype.kind == "O" else scene[...].tobytes()
            self.scene: dict[str, Any] = json.loads(text)
            self._exact = file["poses"] if "poses" in file else None
            self._packed = None if self._exact is not None else (file["positions"], file["rotations"])
        except (KeyError, ValueError, OSError) as error:
            raise InvalidInput(source, f"is damaged, or no recording: {str(error).splitlines()[0]}") from None
        if len(self.times) == 0:
            raise InvalidInput(source, "has no frames")

    def poses(self, frame: int) -> tuple[Array, Array]:
        """(bodies, 3) [m] and (bodies, 4), unit quaternions x y z w."""
        if self._exact is not None:
            both = np.asarray(self._exact[frame], dtype=np.float64)
            return both[:, :3], both[:, 3:]
        assert self._packed is not None
        positions = np.asarray(self._packed[0][frame], dtype=np.float64)
        rotations = np.asarray(self._packed[1][frame], dtype=np.float64) / _ROTATION_SCALE
        return positions, rotations / np.linalg.norm(rotations, axis=1, keepdims=True)


def _turned(q: Array, v: Array) -> Array:
    """Vectors by unit quaternions, row by row."""
    t = 2 * np.cross(q[:, :3], v)
    return np.asarray(v + q[:, 3:] * t + np.cross(q[:, :3], t))


def _product(a: Array, b: Array) -> Array:
    return np.concatenate([a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + np.cross(a[:, :3], b[:, :3]), a[:, 3:] * b[:, 3:] - np.sum(a[:, :3] * b[:, :3], axis=1, keepdims=True)], axis=1)


_PLACE = ("position", "orientation", "density", "material", "filter", "sensor", "solid", "cell")


class _Writer:
    def __init__(self, stage: Any, file: Any, source: str) -> None:
        self.stage, self.frames, self.source = stage, _Frames(file, source), source
        self.geom, self.gf, self.vt, self.sdf = (importlib.import_module(f"pxr.{name}") for name in ("UsdGeom", "Gf", "Vt", "Sdf"))

    def write(self) -> None:
        scene, times = self.frames.scene, self.frames.times
        gravity = np.asarray(scene.get("gravity", (0.0, -9.81, 0.0)), dtype=np.float64)
        along = int(np.argmax(np.abs(gravity)))
        self.geom.SetStageUpAxis(self.stage, self.geom.Tokens.z if along == 2 and gravity[2] < 0 else self.geom.Tokens.y)
        self.geom.SetStageMetersPerUnit(self.stage, 1.0)
        rate = float((len(times) - 1) / (times[-1] - times[0])) if len(times) > 1 and times[-1] > times[0] else 24.0
        self.stage.SetTimeCodesPerSecond(rate)
        self.stage.SetFramesPerSecond(rate)
        self.stage.SetStartTimeCode(0)
        self.stage.SetEndTimeCode(len(times) - 1)
        root = self.geom.Xform.Define(self.stage, "/World")
        self.stage.SetDefaultPrim(root.GetPrim())
        root.GetPrim().SetCustomDataByKey("cairn:scene", str(scene.get("name", "")))
        instancers = [self._instancer(number, *group) for number, group in enumerate(self._groups())]
        for frame in range(len(times)):
            positions, rotations = self.frames.poses(frame)
            for instancer, bodies, offsets, turns, moves in instancers:
                if frame > 0 and not moves:
                    continue
                places = positions[bodies] + _turned(rotations[bodies], offsets)
                orientations = _product(rotations[bodies], turns)
                time = float(frame) if moves else None
                self._set(instancer.GetPositionsAttr(), self.vt.Vec3fArray.FromNumpy(places.astype(np.float32)), time)
                self._set(instancer.GetOrientationsfAttr(), self._quaternions(orientations), time)

    @staticmethod
    def _set(attribute: Any, value: Any, time: float | None) -> None:
        if time is None:
            attribute.Set(value)
        else:
            attribute.Set(value, time)

    def _quaternions(self, q: Array) -> Any:
        return self.vt.QuatfArray([self.gf.Quatf(float(w), float(x), float(y), float(z)) for x, y, z, w in q])

    def _groups(self) -> list[tuple[dict[str, Any], list[int], list[Any], list[Any], bool]]:
        """(shape, bodies, places and turns on them, whether they move) of the shapes that are the same."""
        groups: dict[str, tuple[dict[str, Any], list[int], list[Any], list[Any], bool]] = {}
        for body, description in enumerate(self.frames.scene["bodies"]):
            moves = description.get("type", "dynamic") != "static"
            for shape in description.get("shapes", []):
                if shape.get("sensor", False):
                    continue
                plain = {key: value for key, value in shape.items() if key not in _PLACE}
                group = groups.setdefault(json.dumps([plain, moves]), (plain, [], [], [], moves))
                group[1].append(body)
                group[2].append(shape.get("position", (0.0, 0.0, 0.0)))
                group[3].append(shape.get("orientation", (0.0, 0.0, 0.0, 1.0)))
        return list(groups.values())

    def _instancer(self, number: int, shape: dict[str, Any], bodies: list[int], offsets: list[Any], turns: list[Any], moves: bool) -> tuple[Any, Array, Array, Array, bool]:
        kind = str(shape["type"])
        path = f"/World/{kind}_{number}"
        instancer = self.geom.PointInstancer.Define(self.stage, path)
        prototype = self._prototype(f"{path}/prototype", shape, kind)
        instancer.CreatePrototypesRel().AddTarget(prototype.GetPath())
        instancer.CreateProtoIndicesAttr().Set(self.vt.IntArray(len(bodies), 0))
        instancer.CreatePositionsAttr()
        instancer.CreateOrientationsfAttr()
        variables = self.geom.PrimvarsAPI(instancer)
        which = variables.CreatePrimvar("cairn:body", self.sdf.ValueTypeNames.IntArray, self.geom.Tokens.varying)
        which.Set(self.vt.IntArray(bodies))
        free = [self.frames.scene["bodies"][body].get("type", "dynamic") == "dynamic" for body in bodies]
        colours = [_COLOURS[body * 5 % len(_COLOURS)] if dynamic else _GREY for body, dynamic in zip(bodies, free)]
        variables.CreatePrimvar("displayColor", self.sdf.ValueTypeNames.Color3fArray, self.geom.Tokens.varying).Set(self.vt.Vec3fArray([self.gf.Vec3f(*c) for c in colours]))
        unit = np.asarray(turns, dtype=np.float64)
        return instancer, np.asarray(bodies), np.asarray(offsets, dtype=np.float64), unit / np.linalg.norm(unit, axis=1, keepdims=True), moves

    def _prototype(self, path: str, shape: dict[str, Any], kind: str) -> Any:
        define = getattr(self, f"_{kind}", None)
        if define is None:
            raise InvalidInput(self.source, f"has shapes of the type '{kind}', which USD is not made of")
        return define(path, shape)

    def _sphere(self, path: str, shape: dict[str, Any]) -> Any:
        return self._round(self.geom.Sphere.Define(self.stage, path), shape["radius"], None)

    def _capsule(self, path: str, shape: dict[str, Any]) -> Any:
        return self._round(self.geom.Capsule.Define(self.stage, path), shape["radius"], 2 * shape["half_height"], shape["radius"])

    def _cylinder(self, path: str, shape: dict[str, Any]) -> Any:
        return self._round(self.geom.Cylinder.Define(self.stage, path), shape["radius"], 2 * shape["half_height"])

    def _cone(self, path: str, shape: dict[str, Any]) -> Any:
        return self._round(self.geom.Cone.Define(self.stage, path), shape["radius"], 2 * shape["half_height"])

    def _round(self, prim: Any, radius: float, height: float | None, ends: float = 0.0) -> Any:
        prim.CreateRadiusAttr().Set(float(radius))
        x = z = y = float(radius)
        if height is not None:
            prim.CreateAxisAttr().Set(self.geom.Tokens.y)
            prim.CreateHeightAttr().Set(float(height))
            y = float(height) / 2 + ends
        prim.CreateExtentAttr().Set([self.gf.Vec3f(-x, -y, -z), self.gf.Vec3f(x, y, z)])
        return prim

    def _box(self, path: str, shape: dict[str, Any]) -> Any:
        cube = self.geom.Cube.Define(self.stage, path)
        cube.CreateSizeAttr().Set(2.0)
        cube.AddScaleOp().Set(self.gf.Vec3f(*(float(h) for h in shape["half_extents"])))
        return cube

    def _ellipsoid(self, path: str, shape: dict[str, Any]) -> Any:
        sphere = self._round(self.geom.Sphere.Define(self.stage, path), 1.0, None)
        sphere.AddScaleOp().Set(self.gf.Vec3f(*(float(a) for a in shape["semi_axes"])))
        return sphere

    def _hull(self, path: str, shape: dict[str, Any]) -> Any:
        hull_of = _package("scipy.spatial", "scipy").ConvexHull
        points = np.asarray(shape["points"], dtype=np.float64)
        most = int(shape.get("max_vertices", 0))
        if most:
            points = np.asarray(Mesh(points, hull_of(points).simplices).hull(most).points, dtype=np.float64)
        hull = hull_of(points)
        faces = hull.simplices.copy()
        a, b, c = (points[faces[:, k]] for k in range(3))
        inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
        faces[inward] = faces[inward][:, ::-1]
        return self._triangles(path, points, faces, False)

    def _mesh(self, path: str, shape: dict[str, Any]) -> Any:
        return self._triangles(path, np.asarray(shape["vertices"]), np.asarray(shape["triangles"]), True)

    def _height_field(self, path: str, shape: dict[str, Any]) -> Any:
        heights = np.asarray(shape["heights"], dtype=np.float64)
        rows, columns = heights.shape
        x, z = (np.arange(columns) - 0.5 * (columns - 1)) * shape["spacing"][0], (np.arange(rows) - 0.5 * (rows - 1)) * shape["spacing"][1]
        points = np.stack([np.broadcast_to(x, heights.shape), heights, np.broadcast_to(z[:, None], heights.shape)], axis=-1).reshape(-1, 3)
        corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
        near, far = corner + 1, corner + columns
        faces = np.stack([corner, far, far + 1, corner, far + 1, near], axis=-1).reshape(-1, 3)
        return self._triangles(path, points, faces, True)

    def _half_space(self, path: str, shape: dict[str, Any]) -> Any:
        """A square of the plane, as far as anything starts from the shape's origin, and half as much again."""
        places = np.asarray([body.get("position", (0.0, 0.0, 0.0)) for body in self.frames.scene["bodies"]], dtype=np.float64)
        reach = max(5.0, 1.5 * float(np.max(np.linalg.norm(places, axis=1))))
        points = reach * np.array([[-1, 0, -1], [-1, 0, 1], [1, 0, 1], [1, 0, -1]], dtype=np.float64)
        return self._triangles(path, points, np.array([[0, 1, 2], [0, 2, 3]]), True)

    def _triangles(self, path: str, points: npt.NDArray[Any], faces: npt.NDArray[Any], both_sides: bool) -> Any:
        mesh = self.geom.Mesh.Define(self.stage, path)
        stored = points.astype(np.float32)
        mesh.CreatePointsAttr().Set(self.vt.Vec3fArray.FromNumpy(stored))
        mesh.CreateFaceVertexCountsAttr().Set(self.vt.IntArray(len(faces), 3))
        mesh.CreateFaceVertexIndicesAttr().Set(self.vt.IntArray.FromNumpy(faces.reshape(-1).astype(np.int32)))
        mesh.CreateSubdivisionSchemeAttr().Set(self.geom.Tokens.none)
        mesh.CreateDoubleSidedAttr().Set(both_sides)
        mesh.CreateExtentAttr().Set(self.vt.Vec3fArray.FromNumpy(np.stack([stored.min(axis=0), stored.max(axis=0)])))
        return mesh


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: RECORDING OUT", file=sys.stderr)
        return 2
    try:
        export_usd(arguments[0], arguments[1])
    except InvalidInput as error:
        print(error.reason if error.place == arguments[1] else error, file=sys.stderr)
        return 2
    except (Error, ModuleNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0
