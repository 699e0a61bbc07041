"""What a World answers: records, and arrays with a row for each body, joint or contact."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from ._arrays import FloatArray, IntArray
from ._core import Array, BodyId, JointId
from ._scene import JointType

Vector3 = tuple[float, float, float]


@dataclasses.dataclass(frozen=True)
class BodyState:
    """A body as it is now."""

    position: Vector3
    """Of the body's frame [m]."""
    orientation: tuple[float, float, float, float]
    """Of the body's frame, a unit quaternion (x, y, z, w)."""
    linear_velocity: Vector3
    """Of the centre of mass [m/s]."""
    angular_velocity: Vector3
    """[rad/s], world."""


@dataclasses.dataclass(frozen=True, eq=False)
class BodyStates:
    """All bodies as they are now, a row each in the order of `World.bodies`. The arrays are copies: they stay what they are when the World moves on.

    In a World of environments (``replicate=N``) they have an axis more in front, that of the environments: (N, n, 3) instead of (n, 3)."""

    indices: IntArray
    """(n,) int32: ``BodyId.index`` of the row's body. As long as no body was removed, row i has index i."""
    positions: FloatArray
    """(n, 3) float64: of the bodies' frames [m]."""
    orientations: FloatArray
    """(n, 4) float64: unit quaternions (x, y, z, w)."""
    linear_velocities: FloatArray
    """(n, 3) float64: of the centres of mass [m/s]."""
    angular_velocities: FloatArray
    """(n, 3) float64 [rad/s]."""

    def __len__(self) -> int:
        return len(self.indices)


@dataclasses.dataclass(frozen=True, eq=False)
class BodyArrays:
    """The World's own memory, item i for the body whose ``BodyId.index`` is i: (n, 3) or (n, 4), (N, n, ...) of environments, in the World's precision.

    Each changes as the World steps. On the CPU ``numpy.asarray`` takes it as it is, on CUDA whatever speaks DLPack or ``__cuda_array_interface__``."""

    positions: Array
    """Of the centres of mass [m]."""
    orientations: Array
    """Unit quaternions (x, y, z, w): body to world."""
    linear_velocities: Array
    """Of the centres of mass [m/s]."""
    angular_velocities: Array
    """[rad/s], world."""
    local_centres: Array
    """The centre of mass in the body's frame [m]: that frame is at the position less the rotated centre."""


@dataclasses.dataclass(frozen=True, eq=False)
class ContactArrays:
    """The manifolds of the last step where they lie, in the order of `World.contacts`: up to four points with one normal for each pair of shapes that touches
    or is near. There is room for c of them; only the first `count` mean anything, and without a step there is none. Arms and separations are those of the
    step's beginning.

    A step that needs more room moves on to other memory: these arrays then stay as they were, and ``World.arrays_version`` is another number."""

    count: Array
    """(1,) int32: how many there are."""
    bodies: Array
    """(c, 2) int32: ``BodyId.index`` of A and B."""
    points: Array
    """(c,) int32: 1 to 4."""
    normal: Array
    """(c, 3): unit, from A to B, world."""
    friction: Array
    """(c,) [-]."""
    restitution: Array
    """(c,) [-]."""
    arm_a: Array
    """(c, 4, 3): of each point, from the centre of mass of A to the place midway between the surfaces, world axes [m]."""
    arm_b: Array
    """(c, 4, 3): likewise of B [m]."""
    separation: Array
    """(c, 4): along the normal [m], negative is penetration; 1e17: parted within the step."""
    feature: Array
    """(c, 4) uint32: identifies the point within its pair of shapes from step to step."""
    impulse: Array
    """(c, 4, 3): over the last substep [N s], along the normal and two tangents."""


@dataclasses.dataclass(frozen=True, eq=False)
class JointArrays:
    """The joints where they lie, item i for the joint whose ``JointId.index`` is i; of environments with an axis more in front, as `BodyArrays`."""

    impulses: Array
    """(n, 3): what the joint bore in the last step, on body B at the origin of its frame, world axes: divided by dt the mean force [N s]."""
    angular_impulses: Array
    """(n, 3): likewise its torque [N m s]."""
    coordinates: Array
    """(n, 6): the pose of frame B in frame A, as `JointState` has it [m], [rad], as `World.measure_joints` has last found it. 0 of joints that are broken."""


@dataclasses.dataclass(frozen=True, eq=False)
class WorldArrays(BodyArrays):
    """What a World has to read without copies: its bodies, and the following."""

    contacts: ContactArrays
    joints: JointArrays
    status: Array
    """(5,) int32, what `World.enqueue_step` has done: whether a step was refused, steps so far, what did not fit, how many items it needed, and how many
    there was room for (docs/device.md)."""


@dataclasses.dataclass(frozen=True, eq=False)
class MotorInputs:
    """Motors that are on, row by row, to be written for the steps to come. ``World.motor_row`` says which row is whose."""

    targets: Array
    """(m,): velocity [m/s], [rad/s] or coordinate [m], [rad]."""
    max_forces: Array
    """(m,): [N], [N m], >= 0."""


@dataclasses.dataclass(frozen=True, eq=False)
class BodyInputs:
    """`BodyArrays` that may be written, for the next step."""

    positions: Array
    orientations: Array
    linear_velocities: Array
    angular_velocities: Array


@dataclasses.dataclass(frozen=True, eq=False)
class ForceInputs:
    """What acts on the bodies in the next step, to be added to: (n, 3), as `BodyArrays` has it."""

    forces: Array
    """At the centres of mass, world [N]."""
    torques: Array
    """World [N m]."""


@dataclasses.dataclass(frozen=True)
class Contact:
    """A contact point of the last step."""

    body_a: BodyId
    body_b: BodyId
    shape_a: int
    """Position in the body's shapes."""
    shape_b: int
    point: Vector3
    """World, midway between the surfaces [m]."""
    normal: Vector3
    """Unit, from A to B."""
    separation: float
    """[m]; negative is penetration."""
    feature: int
    """Identifies the point within its pair of shapes from step to step."""
    normal_impulse: float
    """Over the last substep [N s], >= 0."""
    friction_impulse: Vector3
    """Over the last substep, on B, in the contact plane [N s]."""


@dataclasses.dataclass(frozen=True, eq=False)
class ShapePairs:
    """Arrays with a row for each of several pairs of shapes."""

    body_a: IntArray
    """(n,) int32: ``BodyId.index``."""
    body_b: IntArray
    """(n,) int32: ``BodyId.index``."""
    generation_a: npt.NDArray[np.uint32]
    """(n,) uint32: ``BodyId.generation``."""
    generation_b: npt.NDArray[np.uint32]
    """(n,) uint32: ``BodyId.generation``."""
    shape_a: IntArray
    """(n,) int32: position in the body's shapes."""
    shape_b: IntArray
    """(n,) int32: position in the body's shapes."""

    def __len__(self) -> int:
        return len(self.body_a)

    def _pair(self, row: int) -> dict[str, Any]:
        return {
            "body_a": BodyId(int(self.body_a[row]), int(self.generation_a[row])),
            "body_b": BodyId(int(self.body_b[row]), int(self.generation_b[row])),
            "shape_a": int(self.shape_a[row]),
            "shape_b": int(self.shape_b[row]),
        }


@dataclasses.dataclass(frozen=True, eq=False)
class Contacts(ShapePairs):
    """The contact points of the last step: arrays with a row each, and a sequence of `Contact`. The arrays are copies."""

    point: FloatArray
    """(n, 3) float64: world, midway between the surfaces [m]."""
    normal: FloatArray
    """(n, 3) float64: unit, from A to B."""
    separation: FloatArray
    """(n,) float64 [m]; negative is penetration."""
    feature: npt.NDArray[np.uint32]
    """(n,) uint32: identifies a point within its pair of shapes from step to step."""
    normal_impulse: FloatArray
    """(n,) float64: over the last substep [N s], >= 0."""
    friction_impulse: FloatArray
    """(n, 3) float64: over the last substep, on B, in the contact plane [N s]."""

    def __getitem__(self, row: int) -> Contact:
        return Contact(
            **self._pair(row),
            point=tuple(self.point[row].tolist()),
            normal=tuple(self.normal[row].tolist()),
            separation=float(self.separation[row]),
            feature=int(self.feature[row]),
            normal_impulse=float(self.normal_impulse[row]),
            friction_impulse=tuple(self.friction_impulse[row].tolist()),
        )

    def __iter__(self) -> Iterator[Contact]:
        return (self[row] for row in range(len(self)))


@dataclasses.dataclass(frozen=True)
class JointState:
    """A joint as it is now."""

    joint: JointId
    type: JointType
    body_a: BodyId
    body_b: BodyId
    broken: bool
    """By its ``break_impulse``: it acts no longer, and stays to be read until it is removed."""
    coordinates: tuple[float, float, float, float, float, float]
    """The pose of frame B in frame A: translations [m], then rotations [rad]. If one rotation alone is free, it is the twist about that axis in [-pi, pi];
    else the angles a, b, c of Rx(a) Ry(b) Rz(c). Distance: the distance, then zeros. Gear: its phase error [rad], then zeros."""
    error: float
    """Distance from the nearest allowed pose [m]."""
    angular_error: float
    """[rad]"""
    force: Vector3
    """On body B at its frame's origin, the mean of the last step, world [N]; body A bears the opposite."""
    torque: Vector3
    """[N m]"""


@dataclasses.dataclass(frozen=True, eq=False)
class JointStates:
    """All joints as they are now: arrays with a row each in the order of `World.joints`, and a sequence of `JointState`. The arrays are copies."""

    indices: IntArray
    """(n,) int32: ``JointId.index`` of the row's joint."""
    ids: list[JointId]
    """The joints of the rows."""
    types: list[JointType]
    """The types of the rows' joints."""
    body_a: IntArray
    """(n,) int32: ``BodyId.index``."""
    body_b: IntArray
    """(n,) int32: ``BodyId.index``."""
    generation_a: npt.NDArray[np.uint32]
    """(n,) uint32: ``BodyId.generation``."""
    generation_b: npt.NDArray[np.uint32]
    """(n,) uint32: ``BodyId.generation``."""
    broken: npt.NDArray[np.bool_]
    """(n,) bool."""
    coordinates: FloatArray
    """(n, 6) float64, as `JointState` has them [m], [rad]."""
    error: FloatArray
    """(n,) float64 [m]."""
    angular_error: FloatArray
    """(n,) float64 [rad]."""
    force: FloatArray
    """(n, 3) float64 [N], on body B."""
    torque: FloatArray
    """(n, 3) float64 [N m], on body B."""

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, row: int) -> JointState:
        return JointState(
            joint=self.ids[row],
            type=self.types[row],
            body_a=BodyId(int(self.body_a[row]), int(self.generation_a[row])),
            body_b=BodyId(int(self.body_b[row]), int(self.generation_b[row])),
            broken=bool(self.broken[row]),
            coordinates=tuple(self.coordinates[row].tolist()),
            error=float(self.error[row]),
            angular_error=float(self.angular_error[row]),
            force=tuple(self.force[row].tolist()),
            torque=tuple(self.torque[row].tolist()),
        )

    def __iter__(self) -> Iterator[JointState]:
        return (self[row] for row in range(len(self)))


@dataclasses.dataclass(frozen=True)
class RayHit:
    """What a ray met first."""

    body: BodyId
    """Index -1, which is false: nothing was hit."""
    shape: int
    """Position in the body's shapes; -1 where nothing was hit."""
    distance: float
    """[m]; 0 if the origin is inside the shape, infinity where nothing was hit."""
    normal: Vector3
    """Outward surface normal at the hit; against the ray if the origin is inside."""


@dataclasses.dataclass(frozen=True, eq=False)
class RayHits:
    """What rays met first: arrays with a row for each ray, and a sequence of `RayHit`."""

    body: IntArray
    """(n,) int32: ``BodyId.index``; -1: nothing was hit."""
    generation: npt.NDArray[np.uint32]
    """(n,) uint32: ``BodyId.generation``."""
    shape: IntArray
    """(n,) int32: position in the body's shapes; -1: nothing was hit."""
    distance: FloatArray
    """(n,) float64 [m]; infinity: nothing was hit."""
    normal: FloatArray
    """(n, 3) float64: outward at the hit; zero where nothing was hit."""

    def __len__(self) -> int:
        return len(self.body)

    def __getitem__(self, row: int) -> RayHit:
        body = BodyId(int(self.body[row]), int(self.generation[row]))
        return RayHit(body, int(self.shape[row]), float(self.distance[row]), tuple(self.normal[row].tolist()))

    def __iter__(self) -> Iterator[RayHit]:
        return (self[row] for row in range(len(self)))


@dataclasses.dataclass(frozen=True)
class ShapeHit:
    """What a shape that is cast met."""

    body: BodyId
    """Index -1, which is false: nothing was hit."""
    shape: int
    """Position in the body's shapes; -1 where nothing was hit."""
    distance: float
    """At which the shapes first touch [m]; 0 if they do at the start, infinity where nothing was hit."""
    point: Vector3
    """Where they touch, world [m]; the centre of the shape that is cast if they overlap at the start."""
    normal: Vector3
    """Outward surface normal of what was hit; against the direction if they overlap at the start."""


@dataclasses.dataclass(frozen=True, eq=False)
class ShapeHits:
    """What shapes that are cast met: arrays with a row for each hit, and a sequence of `ShapeHit`."""

    body: IntArray
    """(n,) int32: ``BodyId.index``; -1: nothing was hit."""
    generation: npt.NDArray[np.uint32]
    """(n,) uint32: ``BodyId.generation``."""
    shape: IntArray
    """(n,) int32: position in the body's shapes; -1: nothing was hit."""
    distance: FloatArray
    """(n,) float64 [m]; infinity: nothing was hit."""
    point: FloatArray
    """(n, 3) float64 [m]; zero where nothing was hit."""
    normal: FloatArray
    """(n, 3) float64; zero where nothing was hit."""

    def __len__(self) -> int:
        return len(self.body)

    def __getitem__(self, row: int) -> ShapeHit:
        body = BodyId(int(self.body[row]), int(self.generation[row]))
        point, normal = tuple(self.point[row].tolist()), tuple(self.normal[row].tolist())
        return ShapeHit(body, int(self.shape[row]), float(self.distance[row]), point, normal)

    def __iter__(self) -> Iterator[ShapeHit]:
        return (self[row] for row in range(len(self)))


@dataclasses.dataclass(frozen=True)
class Overlap:
    """A shape that touches or overlaps another."""

    body: BodyId
    shape: int
    """Position in the body's shapes."""


@dataclasses.dataclass(frozen=True, eq=False)
class Overlaps:
    """Shapes that touch or overlap others: arrays with a row for each, and a sequence of `Overlap`."""

    body: IntArray
    """(n,) int32: ``BodyId.index``."""
    generation: npt.NDArray[np.uint32]
    """(n,) uint32: ``BodyId.generation``."""
    shape: IntArray
    """(n,) int32: position in the body's shapes."""

    def __len__(self) -> int:
        return len(self.body)

    def __getitem__(self, row: int) -> Overlap:
        return Overlap(BodyId(int(self.body[row]), int(self.generation[row])), int(self.shape[row]))

    def __iter__(self) -> Iterator[Overlap]:
        return (self[row] for row in range(len(self)))


Hits = TypeVar("Hits", RayHits, ShapeHits, Overlaps)


@dataclasses.dataclass(frozen=True, eq=False)
class QueryHits(Generic[Hits]):
    """All hits of several queries: those of query i are the rows ``offsets[i]`` to ``offsets[i + 1]``, in order."""

    hits: Hits
    offsets: npt.NDArray[np.int64]
    """(n + 1,) int64, of n queries."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def rows(self, query: int) -> range:
        """The rows of the hits of one query."""
        return range(int(self.offsets[query]), int(self.offsets[query + 1]))


@dataclasses.dataclass(frozen=True)
class EnergyBalance:
    """Where a step's energy came from and went: kinetic_change + potential_change = force_work + damping_work + joint_work +
    contact_work."""

    known: bool
    """Not before the first step, nor once bodies or joints were added, removed or moved from outside; then all are 0."""
    kinetic_change: float
    """From the beginning of the step to its end [J]."""
    potential_change: float
    """In the scene's gravity [J]."""
    force_work: float
    """By what `World.apply_force` gave [J]."""
    damping_work: float
    """By the damping of bodies, <= 0 [J]."""
    joint_work: float
    """By motors, springs, damping, friction, limits and gears of joints [J]."""
    contact_work: float
    """The rest: contacts, kinematic bodies behind them, and what the method itself loses or gains [J]."""


@dataclasses.dataclass(frozen=True, eq=False)
class EnvironmentReports:
    """What each environment of a World is like, an item each; contacts are those of the last step."""

    kinetic_energy: FloatArray
    """(N,) float64 [J]."""
    potential_energy: FloatArray
    """(N,) float64: in the environment's gravity, 0 at the origin [J]."""
    max_speed: FloatArray
    """(N,) float64: of the dynamic bodies [m/s]."""
    contact_points: IntArray
    """(N,) int32: all within the envelope, separated ones too."""
    penetration_max: FloatArray
    """(N,) float64 [m]."""
    residual_max: FloatArray
    """(N,) float64: of the last substep's contact problem, scaled by the environment's own speeds [-]."""

    def __len__(self) -> int:
        return len(self.kinetic_energy)


@dataclasses.dataclass(frozen=True)
class StepReport:
    """The last step as numbers (docs/report.md has them too, as JSON)."""

    step: int
    """Steps done since the World was made."""
    time: float
    """Simulated [s]."""
    bodies: int
    """All that are in the World."""
    dynamic_bodies: int
    shapes: int
    candidate_pairs: int
    """Overlapping bounds."""
    manifolds: int
    """Pairs of shapes in contact; a pair with a mesh counts once for each direction in which it touches."""
    contact_points: int
    """All within the envelope, separated ones too."""
    active_points: int
    """Contact points with a normal impulse, but for those of bodies that sleep."""
    sleeping_bodies: int
    """In the last step, if nothing has woken all of them since."""
    joints: int
    colours: int
    """Of the contact graph."""
    max_degree: int
    """Most constraints on one dynamic body."""
    tail_constraints: int
    """Solved by mass splitting because no colour was left."""
    sweeps: int
    """Over all substeps."""
    residual_max: float
    """Scaled residual of the last substep's contact problem, its largest [-]."""
    residual_max_contact: int
    """Row of the worst in `World.contacts`; -1: none."""
    residual_rms: float
    """[-]"""
    penetration_max: float
    """[m]"""
    penetration_mean: float
    """Over contact points, separated ones count as 0 [m]."""
    joint_error_max: float
    """Largest distance of a joint from what it allows [m]."""
    joint_angular_error_max: float
    """[rad]"""
    joint_swing_max: float
    """How far a joint's anchor and locked axes swing about a body's centre of mass within a substep [rad]; above 0.5 more substeps keep energy."""
    kinetic_energy: float
    """[J]"""
    potential_energy: float
    """In the scene's gravity, 0 at the origin [J]."""
    linear_momentum: Vector3
    """[kg m/s]"""
    angular_momentum: Vector3
    """About the origin [kg m^2/s]."""
    max_speed: float
    """[m/s]"""
    rms_speed: float
    """sqrt(2 kinetic energy / mass) of the dynamic bodies [m/s]."""
    energy_balance: EnergyBalance
    """Of the last step."""
    stages: dict[str, float]
    """Time of each stage of the last step [ms], in its order; empty unless the setting ``stage_times`` asks for them."""
    memory_bytes: int
    """Held by the World's buffers now."""
    peak_memory_bytes: int
    """At most so far."""


@dataclasses.dataclass(frozen=True, eq=False)
class AccelerationResult:
    """Contact forces at the acceleration level."""

    status: str
    """``solved``, or in words what ended the search."""
    forces: FloatArray
    """(contacts,) float64: normal forces [N], >= 0."""
    accelerations: FloatArray
    """(contacts,) float64: along the normals, their own turning included [m/s^2], >= 0."""
    residual: float
    """[-]"""


def report_of(values: dict[str, Any]) -> StepReport:
    return StepReport(**{**values, "energy_balance": EnergyBalance(**values["energy_balance"])})
