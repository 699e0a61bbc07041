"""Which joint of the library stands for a body's joints in a model.

A body of MuJoCo may have several joints, one after the other: its pose is P X J1 J2 ... Jk with the parent's pose P, the body's place X on it, and a
slide or a turn J in the body's frame for each. One joint of the library does the same if all slides come first and the turns have orthogonal axes that
meet in a point: frame B then is at X-1 P-1 times that, T(q) R(q1) R(q2) R(q3) as frame A sees it. If all slides come last the inverse has that form, so
bodies A and B change places and coordinates their sign. Whatever else there is becomes a chain of several such joints, with light bodies in between.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from .._arrays import FloatArray
from .._scene import AxisName, JointType
from .poses import Placed, quaternion_of

TOLERANCE = 1e-9  # for directions that are meant to be orthogonal or parallel, and for axes that are meant to meet [m]
OFFSETS: tuple[AxisName, ...] = ("x", "y", "z")
TURNS: tuple[AxisName, ...] = ("about_x", "about_y", "about_z")


@dataclasses.dataclass(frozen=True)
class Motion:
    """A joint of the model, in its body's frame."""

    joint: int
    """Its index in the model."""
    kind: Literal["ball", "slide", "hinge"]
    axis: FloatArray
    """(3,) unit vector, of slides and hinges."""
    anchor: FloatArray
    """(3,) [m], of hinges and balls."""


@dataclasses.dataclass(frozen=True)
class Coordinate:
    """Where a joint of the model is in one of the library: coordinate = sign * (q - reference)."""

    axis: AxisName
    sign: int


@dataclasses.dataclass(frozen=True)
class Layout:
    """One joint of the library, for one or more of the model's."""

    type: JointType
    frame: Placed
    """On the moved body, in its frame."""
    swapped: bool
    """Whether body A is the moved one, and B its parent."""
    slides: int
    coordinates: dict[int, Coordinate]
    """By the model's joint; a ball has none: its turn is that of the frames."""
    ball: int | None
    """The model's joint that is a ball."""

    @property
    def axes(self) -> tuple[AxisName, ...]:
        """Those that are free."""
        free = {coordinate.axis for coordinate in self.coordinates.values()}
        if self.ball is not None:
            free.update(TURNS)
        return tuple(axis for axis in (*OFFSETS, *TURNS) if axis in free)


def chain_of(motions: Sequence[Motion], bends: Callable[[int], bool]) -> list[Layout]:
    """The joints, from the parent on, that stand for a body's. `bends`: whether a joint of the model, as the second of three turns, may go further
    than a quarter turn while something acts on one of the three."""
    chain: list[Layout] = []
    start = 0
    while start < len(motions):
        end = start + 1
        layout = _layout(motions[start:end], bends)
        assert layout is not None  # any joint by itself has one
        while end < len(motions):
            longer = _layout(motions[start : end + 1], bends)
            if longer is None:
                break
            layout, end = longer, end + 1
        chain.append(layout)
        start = end
    return chain


def _layout(motions: Sequence[Motion], bends: Callable[[int], bool]) -> Layout | None:
    """One joint for these, if there is one."""
    slides = [motion.kind == "slide" for motion in motions]
    swapped = not slides[0] and slides[-1]
    if swapped:
        motions, slides = motions[::-1], slides[::-1]
    count = sum(slides)
    if count > 3 or not all(slides[:count]):
        return None
    shifts, turns = list(motions[:count]), list(motions[count:])
    balls = [turn for turn in turns if turn.kind == "ball"]
    if len(turns) > (1 if balls else 3) or (len(turns) == 3 and bends(turns[1].joint)):
        return None
    anchor = _meeting_point(turns) if turns else np.zeros(3)
    found = _axes([] if balls else [turn.axis for turn in turns], [shift.axis for shift in shifts])
    if anchor is None or found is None:
        return None
    basis, turn_signs, shift_places = found
    flip = -1 if swapped else 1
    coordinates = {shift.joint: Coordinate(OFFSETS[slot], sign * flip) for shift, (slot, sign) in zip(shifts, shift_places)}
    if not balls:
        coordinates.update({turn.joint: Coordinate(TURNS[slot], turn_signs[slot] * flip) for slot, turn in enumerate(turns)})
    return Layout(
        type=_type(count, len(turns), bool(balls)),
        frame=Placed(anchor, quaternion_of(basis)),
        swapped=swapped,
        slides=count,
        coordinates=coordinates,
        ball=balls[0].joint if balls else None,
    )


def _type(slides: int, turns: int, ball: bool) -> JointType:
    if slides > 0:
        return "six_dof" if turns > 0 else "prismatic"
    if ball or turns == 3:
        return "point"
    return "hinge" if turns == 1 else "universal"


def _axes(turns: list[FloatArray], shifts: list[FloatArray]) -> tuple[FloatArray, list[int], list[tuple[int, int]]] | None:
    """A frame whose axes are the turns' in their order, and have every shift along one of them: its axes as columns, the signs of the turns along them,
    and for each shift the axis' number and its sign along it."""
    axes = list(turns)
    if any(abs(float(a @ b)) > TOLERANCE for i, a in enumerate(axes) for b in axes[:i]):
        return None
    if len(axes) == 2:
        axes.append(np.cross(axes[0], axes[1]))
    places: list[tuple[int, int]] = []
    for shift in shifts:
        along = [float(shift @ axis) for axis in axes]
        parallel = [slot for slot, part in enumerate(along) if abs(part) > 1 - TOLERANCE]
        if parallel:
            slot = parallel[0]
            places.append((slot, 1 if along[slot] > 0 else -1))
        elif len(axes) < 3 and all(abs(part) <= TOLERANCE for part in along):
            places.append((len(axes), 1))
            axes.append(shift)
        else:
            return None
    if len({slot for slot, _ in places}) < len(places):
        return None
    _complete(axes)
    signs = [1, 1, 1]
    if np.linalg.det(np.stack(axes, axis=1)) < 0:
        axes[2] = -axes[2]
        signs[2] = -1
    return np.stack(axes, axis=1), signs, [(slot, sign * signs[slot]) for slot, sign in places]


def _complete(axes: list[FloatArray]) -> None:
    """Adds directions until there are three that are orthogonal."""
    if not axes:
        axes.append(np.array([1.0, 0.0, 0.0]))
    if len(axes) == 1:
        across = np.cross(axes[0], np.eye(3)[int(np.argmin(np.abs(axes[0])))])
        axes.append(across / np.linalg.norm(across))
    if len(axes) == 2:
        axes.append(np.cross(axes[0], axes[1]))


def _meeting_point(turns: list[Motion]) -> FloatArray | None:
    """A point on the axes of all hinges, or the ball's centre; None: they do not meet."""
    first = turns[0].anchor
    if len(turns) == 1:
        return first
    # Across each axis the point is where the axis is: least squares over all of them.
    across = [np.eye(3) - np.outer(turn.axis, turn.axis) for turn in turns]
    system = sum(across, np.zeros((3, 3)))
    offsets = sum((p @ (turn.anchor - first) for p, turn in zip(across, turns)), np.zeros(3))
    point: FloatArray = first + np.linalg.solve(system, offsets)
    if any(float(np.linalg.norm(p @ (point - turn.anchor))) > TOLERANCE for p, turn in zip(across, turns)):
        return None
    return point
