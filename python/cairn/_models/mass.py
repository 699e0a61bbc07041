"""Mass, centre and inertia of bodies as a model gives them.

Where densities of a body's shapes exist that give what the model says, which is so where the model's own mass properties come from geoms that the
library has, the shapes get them. Elsewhere the body has its mass, centre of mass and inertia as numbers.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

import numpy as np

from .._arrays import FloatArray
from .._scene import ShapeDef
from .poses import matrix_of

AGREEMENT = 1e-7  # largest relative error of mass properties by densities; principal axes of MuJoCo before 4 are off by some 1e-8
LIGHT = 1e-12  # of the body's mass: what shapes weigh together that must weigh something
LEAST_MOMENT = 1e-9  # of a body's largest principal moment: what a needle has about itself at least


class MassProperties(NamedTuple):
    """Mass [kg], centre [m], and inertia about the centre along the frame's axes (3, 3) [kg m^2]."""

    mass: float
    centre: FloatArray
    inertia: FloatArray

    def about_origin(self) -> FloatArray:
        """(3, 3): the inertia about the frame's origin."""
        return self.inertia + self.mass * _offset_tensor(self.centre)


def together(parts: list[MassProperties]) -> MassProperties:
    """Of several parts as one body."""
    mass = sum(part.mass for part in parts)
    if mass <= 0:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    centre = sum((part.mass * part.centre for part in parts), np.zeros(3)) / mass
    inertia = sum((part.inertia + part.mass * _offset_tensor(part.centre - centre) for part in parts), np.zeros((3, 3)))
    return MassProperties(mass, centre, inertia)


def _offset_tensor(d: FloatArray) -> FloatArray:
    tensor: FloatArray = (d @ d) * np.eye(3) - np.outer(d, d)
    return tensor


def volume_and_inertia(shape: ShapeDef) -> tuple[float, FloatArray]:
    """Volume [m^3] and diagonal (3,) of the inertia about the shape's centre along its axes, for a density of one [m^5]. Zero for a half-space."""
    if shape.type == "sphere":
        volume = 4 / 3 * math.pi * shape.radius**3
        return volume, np.full(3, 0.4 * volume * shape.radius**2)
    if shape.type == "capsule":
        r, h = shape.radius, shape.half_height
        cylinder, ball = 2 * math.pi * r**2 * h, 4 / 3 * math.pi * r**3
        along = cylinder * r**2 / 2 + ball * 0.4 * r**2
        across = cylinder * (r**2 / 4 + h**2 / 3) + ball * (0.4 * r**2 + h**2 + 0.75 * r * h)
        return cylinder + ball, np.array([across, along, across])
    if shape.type == "cylinder":
        r, h = shape.radius, shape.half_height
        volume, across = 2 * math.pi * r**2 * h, r**2 / 4 + h**2 / 3
        return volume, volume * np.array([across, r**2 / 2, across])
    if shape.type in ("box", "ellipsoid"):
        box = shape.type == "box"
        edges = np.array(shape.half_extents if box else shape.semi_axes, dtype=float)
        volume = float(np.prod(edges)) * (8 if box else 4 / 3 * math.pi)
        squares = edges**2
        return volume, volume / (3 if box else 5) * (squares.sum() - squares)
    return 0.0, np.zeros(3)


def _column(shape: ShapeDef) -> MassProperties:
    """Mass properties for a density of one, in the body's frame."""
    volume, diagonal = volume_and_inertia(shape)
    axes = matrix_of(np.array(shape.orientation, dtype=float))
    return MassProperties(volume, np.array(shape.position, dtype=float), axes @ np.diag(diagonal) @ axes.T)


def _numbers(part: MassProperties, length: float) -> FloatArray:
    """The ten numbers that add up over a body's parts, all in units of mass."""
    about = part.about_origin()[np.triu_indices(3)]
    return np.concatenate([[part.mass], part.mass * part.centre / length, about / length**2])


def _densities(shapes: list[ShapeDef], target: MassProperties) -> FloatArray | None:
    """Densities >= 0 of shapes that have the target's mass properties; None: there are none, or they are not found as the shortest such vector."""
    columns = [_column(shape) for shape in shapes]
    if not columns or any(column.mass <= 0 for column in columns):
        return None
    length = max(float(np.linalg.norm(target.centre)), *(float(np.linalg.norm(c.centre)) + math.sqrt(np.trace(c.inertia) / c.mass) for c in columns))
    # Columns of mass one: what is found are the shapes' masses.
    matrix = np.stack([_numbers(column, length) / column.mass for column in columns], axis=1)
    wanted = _numbers(target, length)
    masses = np.linalg.lstsq(matrix, wanted, rcond=1e-13)[0]
    if masses.min() < -AGREEMENT * target.mass:
        return None
    masses = np.maximum(masses, LIGHT * target.mass)
    found = together([MassProperties(float(w), c.centre, w / c.mass * c.inertia) for w, c in zip(masses, columns)])
    if mass_error(found, target) > AGREEMENT:
        return None
    return np.array([w / c.mass for w, c in zip(masses, columns)])


def mass_error(found: MassProperties, target: MassProperties) -> float:
    """The largest relative error of mass, centre (by the radius of gyration) and inertia (by its trace)."""
    trace = float(np.trace(target.inertia))
    gyration = math.sqrt(max(trace, 1e-300) / target.mass)
    return max(
        abs(found.mass - target.mass) / target.mass,
        float(np.abs(found.centre - target.centre).max()) / gyration,
        float(np.abs(found.inertia - target.inertia).max()) / max(trace, 1e-300),
    )


class Weighted(NamedTuple):
    """Shapes, and what a body with them says of its mass besides: arguments of `BodyDef`."""

    shapes: list[ShapeDef]
    own: dict[str, Any]
    error: float
    """Relative, against what was asked for."""


def own_mass(target: MassProperties) -> tuple[dict[str, Any], float]:
    """Mass, inertia and centre as arguments of `BodyDef`, and the relative error: inertias that no solid has become the nearest that one has."""
    moments, axes = np.linalg.eigh(target.inertia)
    sound = np.maximum(moments, LEAST_MOMENT * moments.max())
    sound[2] = min(sound[2], sound[0] + sound[1])
    inertia = axes @ np.diag(sound) @ axes.T
    found = target
    if not np.array_equal(sound, moments):
        found = MassProperties(target.mass, target.centre, inertia)
    i = found.inertia
    numbers = (i[0, 0], i[1, 1], i[2, 2], 0.5 * (i[0, 1] + i[1, 0]), 0.5 * (i[0, 2] + i[2, 0]), 0.5 * (i[1, 2] + i[2, 1]))
    own = {"mass": target.mass, "inertia": tuple(float(n) for n in numbers), "centre_of_mass": tuple(target.centre.tolist())}
    return own, mass_error(found, target)


def weighted(shapes: list[ShapeDef], target: MassProperties) -> Weighted:
    """The shapes with densities, or as they are on a body with a mass of its own, so that they have these mass properties."""
    densities = _densities(shapes, target)
    if densities is not None:
        return Weighted([dataclasses.replace(shape, density=float(density)) for shape, density in zip(shapes, densities)], {}, 0.0)
    own, error = own_mass(target)
    return Weighted(shapes, own, error)
