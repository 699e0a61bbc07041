"""What begins and ends to touch, and what sensors overlap: the records of `World.contact_events` and `World.sensor_overlaps`."""

import dataclasses
from collections.abc import Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt

from ._arrays import FloatArray, IntArray
from ._core import BodyId
from ._records import ShapePairs, Vector3

ContactPhase = Literal["begin", "persist", "end"]
PHASES: tuple[ContactPhase, ...] = ("begin", "persist", "end")


@dataclasses.dataclass(frozen=True)
class ContactEvent:
    """What two shapes did in the last step."""

    body_a: BodyId
    """Has the smaller index of the two."""
    body_b: BodyId
    shape_a: int
    """Position in the body's shapes."""
    shape_b: int
    phase: ContactPhase
    """``begin``: they touch, and did not in the step before; ``persist``: they did; ``end``: they touched in the step before."""
    hit: bool
    """The impulse is above the setting ``hit_threshold``."""
    impulse: float
    """Along the normal, of all points over the step [N s], >= 0; 0 of an ``end``, as all that follows."""
    approach_speed: float
    """Along the normal, of the fastest point when the step began [m/s]; 0: they part."""
    point: Vector3
    """Where they touch: on one of the surfaces, world, at the step's end [m]."""
    normal: Vector3
    """Unit, from A to B."""


@dataclasses.dataclass(frozen=True, eq=False)
class ContactEvents(ShapePairs):
    """The contacts that began, persisted and ended in the last step: arrays with a row each, by body A, body B, shape A, shape B, and a sequence of
    `ContactEvent`. Body A has the smaller index. The arrays are copies."""

    phase: IntArray
    """(n,) int32: 0 begin, 1 persist, 2 end."""
    hit: npt.NDArray[np.bool_]
    """(n,) bool: the impulse is above the setting ``hit_threshold``."""
    impulse: FloatArray
    """(n,) float64: along the normal, of all points over the step [N s], >= 0; 0 of those that end, as all that follows."""
    approach_speed: FloatArray
    """(n,) float64: along the normal, of the fastest point when the step began [m/s]; 0: they part."""
    point: FloatArray
    """(n, 3) float64: on one of the surfaces, world, at the step's end [m]."""
    normal: FloatArray
    """(n, 3) float64: unit, from A to B."""

    def __getitem__(self, row: int) -> ContactEvent:
        return ContactEvent(
            **self._pair(row),
            phase=PHASES[self.phase[row]],
            hit=bool(self.hit[row]),
            impulse=float(self.impulse[row]),
            approach_speed=float(self.approach_speed[row]),
            point=tuple(self.point[row].tolist()),
            normal=tuple(self.normal[row].tolist()),
        )

    def __iter__(self) -> Iterator[ContactEvent]:
        return (self[row] for row in range(len(self)))


@dataclasses.dataclass(frozen=True)
class SensorOverlap:
    """A shape that a sensor overlaps."""

    sensor_body: BodyId
    sensor_shape: int
    """Position in the body's shapes."""
    body: BodyId
    shape: int


@dataclasses.dataclass(frozen=True, eq=False)
class SensorOverlaps:
    """What the sensors of a World overlap: arrays with a row for each, by sensor, then by body and shape, and a sequence of `SensorOverlap`."""

    sensor_body: IntArray
    """(n,) int32: ``BodyId.index``."""
    sensor_generation: npt.NDArray[np.uint32]
    """(n,) uint32: ``BodyId.generation``."""
    sensor_shape: IntArray
    """(n,) int32: position in the body's shapes."""
    body: IntArray
    """(n,) int32: ``BodyId.index``."""
    generation: npt.NDArray[np.uint32]
    """(n,) uint32: ``BodyId.generation``."""
    shape: IntArray
    """(n,) int32: position in the body's shapes."""

    def __len__(self) -> int:
        return len(self.body)

    def __getitem__(self, row: int) -> SensorOverlap:
        sensor = BodyId(int(self.sensor_body[row]), int(self.sensor_generation[row]))
        return SensorOverlap(sensor, int(self.sensor_shape[row]), BodyId(int(self.body[row]), int(self.generation[row])), int(self.shape[row]))

    def __iter__(self) -> Iterator[SensorOverlap]:
        return (self[row] for row in range(len(self)))
