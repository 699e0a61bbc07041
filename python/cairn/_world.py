"""Worlds: scenes that are stepped."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, cast, get_args

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import ArrayInput, FloatArray, IntArray, float_array, host_array
from ._core import AccelerationProblem, BodyId, JointId
from ._errors import InvalidInput
from ._events import ContactEvents, SensorOverlaps
from ._problem import ContactProblem
from ._queries import Ignored, Ways, each_shape, ignored_bodies, seen_environments, turns
from ._records import (
    AccelerationResult,
    BodyInputs,
    BodyState,
    BodyStates,
    ContactArrays,
    Contacts,
    EnvironmentReports,
    ForceInputs,
    JointArrays,
    JointState,
    JointStates,
    MotorInputs,
    Overlaps,
    QueryHits,
    RayHits,
    ShapeHits,
    StepReport,
    WorldArrays,
    report_of,
)
from ._scene import (
    NO_TURN,
    ORIGIN,
    AxisName,
    BodyDef,
    BodyType,
    CollisionFilter,
    JointDef,
    JointType,
    MotorType,
    Quaternion,
    SceneLike,
    ShapeDef,
    Vector,
    as_scene,
    changed,
)
from ._settings import SettingValue, merged, world_settings

JOINT_TYPES: tuple[JointType, ...] = get_args(JointType)
WORLD_SETTINGS = world_settings()
EXECUTION_SETTINGS = ("backend", "threads", "device", "cuda_graph", "stage_times")


def _seen(ignored: Ignored, environments: Any, count: int) -> tuple[list[BodyId], IntArray]:
    return ignored_bodies(ignored, count), seen_environments(environments, count)


class World:
    """A scene that is stepped, on the CPU or on a GPU, with the same bits on both.

    >>> with cairn.World("pyramid:base=10", substeps=4) as world:
    ...     world.step(60)
    ...     heights = world.positions()[:, 1]

    Arrays that it answers are copies in the host's memory, of NumPy, float64 throughout: they stay what they are when the World moves on, and may be
    handed on by DLPack (``torch.from_dlpack(world.positions())``). Rows of bodies are in the order of `bodies`.

    Threads: calls from several threads are served one after the other, each as a whole (``step(100)`` is one call), and the interpreter runs others
    meanwhile, since its lock is given back. What a World calls itself (the projection of a joint, a signal handler) cannot ask that World for anything:
    it gets an `Error`.

    On CUDA a step is queued, and the call returns before it is done. What it would raise is raised by `wait`, or by whatever else asks the World for
    something, with the state as it was before that step.
    """

    __slots__ = ("_native", "_environments")
    _native: _core.World
    _environments: int

    def __init__(
        self, scene: SceneLike, settings: Mapping[str, SettingValue] | None = None, *, replicate: int | None = None, stream: int = 0, **more: SettingValue
    ) -> None:
        """A World from a scene: a `Scene`, a dict as `Scene.from_dict` takes it, a file, or a generator (``pyramid:base=40``).

        `settings` and keyword arguments are settings by name, the latter first; `world_settings` lists them with their units, ranges and defaults.

        `replicate`: so many environments, >= 1, copies of the scene that never meet; each has the same bits however many there are. Arrays of all bodies
        are of shape (replicate, bodies of the scene, ...) then, bodies and joints stay those of the scene, and some settings are refused
        (docs/environments.md).

        `stream`: on CUDA the address of the caller's stream (``torch.cuda.current_stream().cuda_stream``), on which everything of the World is queued;
        0: one of its own. The caller keeps it as long as the World. Ignored on the CPU.

        Raises InvalidInput for what scene or settings have wrong, DeviceError and CapacityError.
        """
        if replicate is not None and (not isinstance(replicate, int) or isinstance(replicate, bool) or not 1 <= replicate < 2**31):
            raise InvalidInput("replicate", f"must be a whole number >= 1, is {replicate!r}")
        self._environments = 0 if replicate is None else replicate
        self._native = _core.World(as_scene(scene)._native, merged(settings, more, WORLD_SETTINGS), self._environments, stream)

    # --- steps ---------------------------------------------------------------------------------------------------

    def step(self, count: int = 1) -> None:
        """Advances by `count` steps of ``settings["dt"]`` seconds, count >= 0.

        Ctrl-C ends it between two steps by a KeyboardInterrupt, as does whatever a signal handler raises; the World is then as those steps left it.
        Raises NonFiniteState, TornJoint, CapacityError, DeviceError or MemoryError with the state as it was before the step that failed; InvalidInput
        likewise, and what a joint's projection raised.
        """
        self._native.step(count)

    def step_by(self, seconds: float) -> int:
        """Advances by as many steps as fit into `seconds` and what earlier calls have left over: a frame's time in, whole steps out.

        Returns how many were taken. Raises InvalidInput for what is negative, not finite, or more than a billion steps; else as `step`.
        """
        return self._native.step_by(seconds)

    def enqueue_step(self) -> None:
        """A step for pipelines on a device: queued on the World's stream, done once or not at all, and waited for by nobody. On the CPU it is `step`.

        `wait` and whatever else asks the World for something raises StepRefused where a step did not fit, NonFiniteState or TornJoint; steps behind it
        have changed nothing then. docs/device.md has it all, CUDA graphs included."""
        self._native.enqueue_step()

    @property
    def arrays_version(self) -> int:
        """Another number once a CUDA graph with steps of this World serves no longer."""
        return self._native.arrays_version

    def make_room(self, pairs: int = 0, contacts: int = 0, fast_shapes: int = 0) -> None:
        """Room for at least so much in all steps to come, for `enqueue_step` on a device: pairs of shapes whose bounds overlap, pairs in contact, and shapes
        that move by more than half their smallest extent in a step; each 0 to 2^27. On the CPU it has no effect."""
        self._native.make_room(pairs, contacts, fast_shapes)

    def arrays(self) -> WorldArrays:
        """Bodies, contacts and joints where they lie, without a copy: they change with each step. Waits for the steps so far.

        While arrays of bodies are in use `add_body` raises BufferError, since it would move them, as do `add_joint` and `remove_joint` while those of joints
        or motors are. They keep the World's memory, also when it is closed."""
        found = self._native.arrays()
        contacts, joints = ContactArrays(**found.pop("contacts")), JointArrays(**found.pop("joints"))
        return WorldArrays(contacts=contacts, joints=joints, **found)

    def measure_joints(self) -> None:
        """Finds the coordinates of `JointArrays` for the bodies as they are when it runs: queued on the World's stream, for arrays that `arrays` has given.

        Raises InvalidInput if joints have come, gone or broken since."""
        self._native.measure_joints()

    def write_bodies(self) -> BodyInputs:
        """The same to be written, for the next step: to be asked for before each. Orientations must be of length 1, static bodies stay at rest; a
        number that is not finite has the step refused."""
        return BodyInputs(**self._native.write_bodies())

    def write_forces(self) -> ForceInputs:
        """Forces and torques on the bodies in the next step, 0 but for what `apply_force` has given: to be asked for before each, and added to. Those on
        bodies that are not dynamic do not act."""
        return ForceInputs(**self._native.write_forces())

    def write_motors(self) -> MotorInputs:
        """Targets and largest forces of the joints' motors that are on, for the steps to come: they stay until `set_motor`, or until joints come, go or
        break. To be asked for before each step that is to take others up."""
        return MotorInputs(**self._native.write_motors())

    def motor_row(self, joint: JointId, axis: AxisName) -> int:
        """The row that is this axis' in the arrays that `write_motors` has last given. Raises InvalidInput for an axis without a motor that is on."""
        if axis not in _core.JOINT_AXES:
            raise InvalidInput("axis", f"must be one of {', '.join(_core.JOINT_AXES)}, is {axis!r}")
        return self._native.motor_row(joint, _core.JOINT_AXES.index(axis))

    def wait(self) -> None:
        """Returns when all steps are done, and raises what they raise."""
        self._native.wait()

    def close(self) -> None:
        """Gives back threads and memory. Any further call raises ClosedWorld, but for `close` itself and `closed`. Arrays and records stay good."""
        self._native.close()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._native.closed

    def __enter__(self) -> World:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<cairn.World: closed>"
        environments = f" in {self._environments} environments" if self._environments > 0 else ""
        return f"<cairn.World: {self.body_count} bodies, {self.joint_count} joints{environments} on {self.device_name}>"

    # --- what it is ----------------------------------------------------------------------------------------------

    @property
    def settings(self) -> dict[str, SettingValue]:
        """All settings by name. A copy: changing it changes nothing."""
        return self._native.settings

    @property
    def backend(self) -> str:
        """``cpu`` or ``cuda``: what ``auto`` became."""
        return self._native.backend

    @property
    def threads(self) -> int:
        """CPU threads that steps run on; 0 on CUDA."""
        return self._native.threads

    @property
    def device_name(self) -> str:
        """What it runs on, for people."""
        return self._native.device_name

    # --- bodies, between steps -----------------------------------------------------------------------------------

    @property
    def body_count(self) -> int:
        """Bodies that are in the World."""
        return self._native.body_count

    def bodies(self) -> list[BodyId]:
        """All bodies, by index. A scene's bodies are there in its order: body i has index i."""
        return self._native.bodies()

    def find_body(self, name: str) -> BodyId:
        """The body of this name. Raises InvalidInput if there is none."""
        return self._native.find_body(name)

    def body_name(self, body: BodyId) -> str:
        """The body's name, ``body-<index>`` where it has none."""
        return self._native.body_name(body)

    def add_body(self, body: BodyDef | None = None, **fields: Any) -> BodyId:
        """Adds a body. `fields`: fields of `BodyDef`, which change those of `body` where one is given."""
        return self._native.add_body(changed(body if body is not None else BodyDef(), fields))

    def remove_body(self, body: BodyId) -> None:
        """Removes a body, and its joints."""
        self._native.remove_body(body)

    def state(self, body: BodyId) -> BodyState:
        """Pose and velocity of one body. Many are read faster by `states`."""
        return BodyState(**self._native.state(body))

    def states(self) -> BodyStates:
        """Poses and velocities of all bodies, as arrays, in one call."""
        states = BodyStates(**self._native.states())
        if self._environments == 0:
            return states
        return BodyStates(**{field.name: self._by_environment(getattr(states, field.name)) for field in dataclasses.fields(BodyStates)})

    def positions(self) -> FloatArray:
        """(n, 3) float64: positions of the bodies' frames [m]. A copy, as are the following; where several are wanted, `states` reads once.

        With `replicate` these, and the arrays of `set_poses`, `set_velocities` and `apply_forces` without `bodies`, have an axis more in front:
        (N, n, 3)."""
        return self.states().positions

    def orientations(self) -> FloatArray:
        """(n, 4) float64: unit quaternions (x, y, z, w), body to world."""
        return self.states().orientations

    def linear_velocities(self) -> FloatArray:
        """(n, 3) float64: velocities of the centres of mass [m/s]."""
        return self.states().linear_velocities

    def angular_velocities(self) -> FloatArray:
        """(n, 3) float64 [rad/s], world."""
        return self.states().angular_velocities

    def set_pose(self, body: BodyId, position: Vector, orientation: Quaternion = NO_TURN) -> None:
        """Puts a body's frame somewhere: position [m], orientation (x, y, z, w), not zero."""
        self._native.set_pose(body, position, orientation)

    def set_velocity(self, body: BodyId, linear: Vector = ORIGIN, angular: Vector = ORIGIN) -> None:
        """Gives a body a velocity: of its centre of mass [m/s], and angular [rad/s], world. Raises InvalidInput for a static body, but for zero."""
        self._native.set_velocity(body, linear, angular)

    def apply_force(self, body: BodyId, force: Vector, torque: Vector = ORIGIN) -> None:
        """Acts during the next step only, at the centre of mass; several calls add up. [N], [N m], world.

        Raises InvalidInput for a body that is not dynamic.
        """
        self._native.apply_force(body, force, torque)

    def apply_force_at(self, body: BodyId, force: Vector, point: Vector) -> None:
        """The force [N] acts at a point of the world [m] instead: with a torque about the centre of mass where that is now."""
        self._native.apply_force_at(body, force, point)

    def apply_impulse(self, body: BodyId, impulse: Vector, angular: Vector = ORIGIN) -> None:
        """Changes a body's velocities at once: an impulse at its centre of mass [N s] and an angular one [N m s], world. Axes that are locked keep their
        velocity. Raises InvalidInput for a body that is not dynamic."""
        self._native.apply_impulse(body, impulse, angular)

    def apply_impulse_at(self, body: BodyId, impulse: Vector, point: Vector) -> None:
        """The impulse [N s] acts at a point of the world [m] instead."""
        self._native.apply_impulse_at(body, impulse, point)

    def set_poses(self, positions: ArrayInput, orientations: ArrayInput, bodies: Sequence[BodyId] | None = None) -> None:
        """`set_pose` for many bodies in one call: (n, 3) float64 [m], (n, 4) float64 (x, y, z, w). `bodies`: None means all, in the order of `bodies`."""
        those = self._those(bodies)
        all_of_them = bodies is None
        self._native.set_poses(
            those, self._rows(positions, "positions", those, 3, all_of_them), self._rows(orientations, "orientations", those, 4, all_of_them)
        )

    def set_velocities(self, linear: ArrayInput, angular: ArrayInput | None = None, bodies: Sequence[BodyId] | None = None) -> None:
        """`set_velocity` for many bodies in one call: (n, 3) float64 each, [m/s] and [rad/s]; without `angular` zero. `bodies` as in `set_poses`."""
        those = self._those(bodies)
        all_of_them = bodies is None
        turning = np.zeros((len(those), 3)) if angular is None else self._rows(angular, "angular", those, 3, all_of_them)
        self._native.set_velocities(those, self._rows(linear, "linear", those, 3, all_of_them), turning)

    def apply_forces(self, forces: ArrayInput, torques: ArrayInput | None = None, bodies: Sequence[BodyId] | None = None) -> None:
        """`apply_force` for many bodies in one call: (n, 3) float64 each, [N] and [N m]. `bodies`: None means all of them, which must be dynamic."""
        those = self._those(bodies)
        all_of_them = bodies is None
        turning = np.zeros((len(those), 3)) if torques is None else self._rows(torques, "torques", those, 3, all_of_them)
        self._native.apply_forces(those, self._rows(forces, "forces", those, 3, all_of_them), turning)

    def _those(self, bodies: Sequence[BodyId] | None) -> list[BodyId]:
        return self.bodies() if bodies is None else list(bodies)

    def _rows(self, array: ArrayInput, place: str, bodies: list[BodyId], width: int, all_of_them: bool) -> FloatArray:
        if self._environments == 0 or not all_of_them:
            return float_array(array, place, (len(bodies), width))
        shape = (self._environments, len(bodies) // self._environments, width)
        return float_array(array, place, shape).reshape(len(bodies), width)

    def _by_environment(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array.reshape(self._environments, -1, *array.shape[1:])

    # --- environments, between steps -------------------------------------------------------------------------------
    # All of these raise InvalidInput in a World that was made without `replicate`, but for the first.

    @property
    def environment_count(self) -> int:
        """How many environments there are; 0: the World was made without `replicate`."""
        return self._native.environment_count

    def body_of(self, environment: int, body: int) -> BodyId:
        """The body of an environment, by its position in the scene."""
        return self._native.body_of(environment, body)

    def environment_of(self, body: BodyId) -> int:
        """The environment that a body is in."""
        return self._native.environment_of(body)

    @property
    def gravities(self) -> FloatArray:
        """(N, 3) float64: gravity of each environment [m/s^2]; a copy. It may be set. `gravity` sets that of all."""
        return self._native.gravities()

    @gravities.setter
    def gravities(self, gravities: ArrayInput) -> None:
        self._native.gravities()  # raises where there are no environments
        for environment, gravity in enumerate(float_array(gravities, "gravities", (self._environments, 3))):
            self._native.set_gravity_of(environment, tuple(gravity.tolist()))

    def reset_environments(self, mask: Any = None) -> None:
        """Puts environments back to how the World was made, and leaves the others as they are, to the bit.

        `mask`: (N,) bool or uint8, those that are not 0; None means all. An array of NumPy's, or of anything else with DLPack or
        ``__cuda_array_interface__``. Of a World on CUDA that was given a stream it may be on the device, ready on that stream: then nothing comes to the
        host. Poses, velocities, what contacts and joints remember, and forces that were
        applied are those of a fresh World, which the environment goes on as; broken joints are whole. What bodies and joints are made of (mass, material,
        motors, gravity) stays as it was set. Results of the last step (contacts, reports) are not there anew before the next one.
        """
        if mask is None:
            mask = np.ones(self.environment_count, np.uint8)
        elif isinstance(mask, (list, tuple)):
            mask = host_array(mask, "mask")
        self._native.reset_environments(mask)

    def enqueue_reset(self, mask: Any) -> None:
        """As `reset_environments`, between enqueued steps: queued on the World's stream, waits for nothing, and may be in a CUDA graph, whose launches
        read the mask anew. Behind an enqueued step that was refused it changes nothing either. It comes before `write_forces`.

        `mask`: (N,) bool or uint8 where the World runs; on CUDA ready on the World's stream, and there until the device has read it. Raises InvalidInput
        while a joint is broken: `reset_environments` makes such joints whole."""
        self._native.enqueue_reset(host_array(mask, "mask") if isinstance(mask, (list, tuple)) else mask)

    def environment_reports(self) -> EnvironmentReports:
        """Energies, speeds, contacts and residuals of all environments, as arrays."""
        return EnvironmentReports(**self._native.environment_reports())

    def state_hash_of(self, environment: int) -> int:
        """64 bits of the poses and velocities of one environment: `state_hash` of a World of its scene alone."""
        return self._native.state_hash_of(environment)

    # --- what it is made of, changed between steps -----------------------------------------------------------------

    @property
    def gravity(self) -> Vector:
        """[m/s^2]; it may be set."""
        return self._native.gravity()

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        self._native.set_gravity(gravity)

    def set_time_step(self, dt: float) -> None:
        """The length of further steps [s], > 0: ``settings["dt"]``. Stacks need some steps to settle again."""
        self._native.set_time_step(dt)

    def set_material(
        self,
        body: BodyId,
        friction: float = 0.6,
        restitution: float = 0.0,
        shape: int = 0,
        *,
        torsional_friction: float = 0.0,
        rolling_friction: float = 0.0,
    ) -> None:
        """The material of one of a body's shapes: Coulomb's coefficient >= 0, restitution 0 to 1, torsional and rolling friction [m] >= 0, as in
        `ShapeDef`."""
        self._native.set_material(body, shape, friction, restitution, torsional_friction, rolling_friction)

    def set_filter(self, body: BodyId, category: int = 1, mask: int = 0xFFFFFFFF, group: int = 0, shape: int = 0) -> None:
        """What one of a body's shapes collides with: its category must be in the mask of the other and the other way round; shapes of one group, not 0,
        always collide if it is positive, never if it is negative."""
        self._native.set_filter(body, shape, category, mask, group)

    def set_gravity_scale(self, body: BodyId, scale: float) -> None:
        """The factor on gravity for this body."""
        self._native.set_gravity_scale(body, scale)

    def set_mass(self, body: BodyId, mass: float) -> None:
        """The mass of a dynamic body [kg], > 0; its inertia scales with it."""
        self._native.set_mass(body, mass)

    def set_inertia(self, body: BodyId, inertia: Sequence[float]) -> None:
        """The inertia of a dynamic body about its centre of mass, as `BodyDef` has it [kg m^2]."""
        self._native.set_inertia(body, inertia)

    def set_centre_of_mass(self, body: BodyId, centre: Vector) -> None:
        """The centre of mass of a dynamic body in its frame [m]. It goes on as it lies and moves, and the inertia, about the new centre, stays what it
        was."""
        self._native.set_centre_of_mass(body, centre)

    def set_damping(self, body: BodyId, linear: float = 0.0, angular: float = 0.0) -> None:
        """How a body slows down by itself [1/s], >= 0, as `BodyDef` has it."""
        self._native.set_damping(body, linear, angular)

    def body_type(self, body: BodyId) -> BodyType:
        """``static``, ``kinematic`` or ``dynamic``."""
        return cast(BodyType, self._native.body_type(body))

    def set_type(self, body: BodyId, type: BodyType) -> None:
        """Makes a body static, kinematic or dynamic. It goes on as it lies and moves, a static one from rest, and keeps its joints.

        Raises InvalidInput for a dynamic body that would have no mass and inertia or a half-space, and where a joint would be left between two bodies
        of which none is dynamic.
        """
        self._native.set_type(body, type)

    def asleep(self) -> npt.NDArray[np.bool_]:
        """(bodies,) whether each, in the order of `bodies`, slept in the last step and was not woken since: ``settings["sleeping"]``."""
        return self._native.asleep().astype(bool)

    def wake(self, body: BodyId) -> None:
        """Keeps a body, and whatever touches it, awake for ``settings["sleep_time"]`` at least. Changes of a body and forces on it wake it by themselves."""
        self._native.wake(body)

    def user_data(self, body: BodyId) -> int:
        """64 bits of the caller's with a body; 0 at first."""
        return self._native.user_data(body)

    def set_user_data(self, body: BodyId, data: int) -> None:
        """Sets them: 0 to 2**64 - 1."""
        if not isinstance(data, int) or not 0 <= data < 2**64:
            raise InvalidInput("data", f"must be a whole number from 0 to {2**64 - 1}, is {data!r}")
        self._native.set_user_data(body, data)

    # --- snapshots -------------------------------------------------------------------------------------------------

    def save(self) -> bytes:
        """All that further steps depend on, as bytes: for `resume`, here or elsewhere, on either backend. Raises InvalidInput if there are black boxes."""
        return self._native.save()

    @classmethod
    def resume(cls, snapshot: bytes, settings: Mapping[str, SettingValue] | None = None, **more: SettingValue) -> World:
        """The World that was saved: every further step has the bits that it would have had there.

        Settings are those that were saved, but for where to run: ``backend``, ``threads``, ``device``, ``cuda_graph``, ``stage_times``.
        Raises InvalidInput for bytes that `save` has not written, that are cut short or damaged, or of a version that this one does not read.
        """
        if not isinstance(snapshot, bytes):
            raise InvalidInput("snapshot", f"must be bytes, is {type(snapshot).__name__}")
        given = merged(settings, more, WORLD_SETTINGS)
        for name in given:
            if name not in EXECUTION_SETTINGS:
                raise InvalidInput(f"settings.{name}", "cannot be given: a World that is resumed has the settings that were saved")
        world = cls.__new__(cls)
        world._native = _core.World.resume(snapshot, given)
        world._environments = world._native.environment_count
        return world

    # --- joints, between steps -----------------------------------------------------------------------------------

    @property
    def joint_count(self) -> int:
        """Joints that are in the World, broken ones too."""
        return self._native.joint_count

    def joints(self) -> list[JointId]:
        """All joints, by index, broken ones too. A scene's joints are there in its order."""
        return self._native.joints()

    def find_joint(self, name: str) -> JointId:
        """The joint of this name. Raises InvalidInput if there is none."""
        return self._native.find_joint(name)

    def joint_name(self, joint: JointId) -> str:
        """The joint's name, ``joint-<index>`` where it has none."""
        return self._native.joint_name(joint)

    def add_joint(self, joint: JointDef | JointType, body_a: BodyId, body_b: BodyId, **fields: Any) -> JointId:
        """Adds a joint of two bodies. `joint`: a `JointDef`, or a type; `fields`: further fields of `JointDef`."""
        made = changed(JointDef(type=joint) if isinstance(joint, str) else joint, fields, JointDef)
        return self._native.add_joint(body_a, body_b, made)

    def remove_joint(self, joint: JointId) -> None:
        """Removes a joint."""
        self._native.remove_joint(joint)

    def joint_state(self, joint: JointId) -> JointState:
        """Coordinates, errors and load of one joint. Many are read faster by `joint_states`."""
        return joint_states_of(self._native.joint_state(joint))[0]

    def joint_states(self) -> JointStates:
        """Coordinates, errors and load of all joints, as arrays."""
        return joint_states_of(self._native.joint_states())

    def set_motor(self, joint: JointId, axis: AxisName, motor: MotorType, target: float = 0.0, max_force: float = math.inf) -> None:
        """Changes an axis' motor: ``off``, towards a ``velocity`` [m/s or rad/s], or towards a ``position`` [m or rad], with at most `max_force`
        [N or N m], >= 0. Raises InvalidInput for an axis that is not free."""
        if axis not in _core.JOINT_AXES:
            raise InvalidInput("axis", f"must be one of {', '.join(_core.JOINT_AXES)}, is {axis!r}")
        self._native.set_motor(joint, _core.JOINT_AXES.index(axis), motor, target, max_force)

    def set_limits(self, joint: JointId, axis: AxisName, low: float | None = None, high: float | None = None) -> None:
        """Changes an axis' limits [m or rad], low <= high; without both it has none. Raises InvalidInput for an axis that is not free."""
        if axis not in _core.JOINT_AXES:
            raise InvalidInput("axis", f"must be one of {', '.join(_core.JOINT_AXES)}, is {axis!r}")
        if (low is None) != (high is None):
            raise InvalidInput("limits", "must be both or none")
        self._native.set_limits(joint, _core.JOINT_AXES.index(axis), low is not None, low or 0.0, high or 0.0)

    # --- results of the last step --------------------------------------------------------------------------------

    def contacts(self) -> Contacts:
        """The contact points of the last step, as arrays, and as a sequence of `Contact`."""
        return Contacts(**self._native.contacts())

    def contact_events(self) -> ContactEvents:
        """Which contacts began, persisted and ended in the last step, and which were hits (docs/events.md), by body A, body B, shape A, shape B. Raises
        InvalidInput unless the setting ``contact_events`` asks for them."""
        return ContactEvents(**self._native.contact_events())

    def report(self) -> StepReport:
        """Residual, penetration, errors of joints, momentum and energy of the last step. They are computed when asked for."""
        return report_of(self._native.report())

    def stage_times(self) -> dict[str, float]:
        """Time of each stage of the last step [ms]. Raises InvalidInput unless the setting ``stage_times`` asks for them."""
        return self._native.stage_times()

    def contact_levels(self) -> IntArray:
        """(n,) int32, a row a body: its level in the contact graph. 0: touches a static or kinematic body; -1: none reachable, or not dynamic."""
        return self._native.contact_levels()

    # --- queries against the current poses -------------------------------------------------------------------------

    def cast_rays(
        self,
        origins: ArrayInput,
        directions: ArrayInput,
        max_distance: float | ArrayInput = math.inf,
        *,
        collision: CollisionFilter | None = None,
        ignored: Ignored = None,
        environments: Any = None,
    ) -> RayHits:
        """What each ray meets first, against the current poses.

        `origins` and `directions`: (n, 3) float64 [m]; directions of any length but 0. `max_distance` [m], >= 0: one number, or (n,) float64.
        `collision`: only shapes that one with this filter collides with. `ignored`: a body that is not seen, one for all or a sequence of n.
        `environments`: the only one that each sees, a number for all or (n,) int32, -1 for any; None: all see all.
        Raises InvalidInput for arrays of another type, shape or memory layout, and for what is not finite (but for `max_distance`).
        """
        ways = Ways.of("origins", origins, directions, max_distance)
        return RayHits(**self._native.cast_rays(*ways, collision, *_seen(ignored, environments, len(ways.starts))))

    def cast_rays_all(
        self,
        origins: ArrayInput,
        directions: ArrayInput,
        max_distance: float | ArrayInput = math.inf,
        *,
        collision: CollisionFilter | None = None,
        ignored: Ignored = None,
        environments: Any = None,
    ) -> QueryHits[RayHits]:
        """All that each ray meets, each shape once: by distance, then by body and shape. Arguments and errors are those of `cast_rays`."""
        ways = Ways.of("origins", origins, directions, max_distance)
        hits, offsets = self._native.cast_rays_all(*ways, collision, *_seen(ignored, environments, len(ways.starts)))
        return QueryHits(RayHits(**hits), offsets)

    def cast_shapes(
        self,
        shapes: ShapeDef | Sequence[ShapeDef],
        positions: ArrayInput,
        directions: ArrayInput,
        orientations: ArrayInput | None = None,
        max_distance: float | ArrayInput = math.inf,
        *,
        collision: CollisionFilter | None = None,
        ignored: Ignored = None,
        environments: Any = None,
    ) -> ShapeHits:
        """What shapes meet first that are moved along lines without turning.

        `shapes`: one for all, or a sequence of n, no half-spaces; density and material do not count, and of filters `collision` alone. `positions`:
        (n, 3) float64 [m] where they start; `orientations`: (n, 4) float64 (x, y, z, w), None: not turned. The rest, and errors, as in `cast_rays`.
        """
        ways = Ways.of("positions", positions, directions, max_distance)
        return ShapeHits(**self._native.cast_shapes(*ways.of_shapes(shapes, orientations), collision, *_seen(ignored, environments, len(ways.starts))))

    def cast_shapes_all(
        self,
        shapes: ShapeDef | Sequence[ShapeDef],
        positions: ArrayInput,
        directions: ArrayInput,
        orientations: ArrayInput | None = None,
        max_distance: float | ArrayInput = math.inf,
        *,
        collision: CollisionFilter | None = None,
        ignored: Ignored = None,
        environments: Any = None,
    ) -> QueryHits[ShapeHits]:
        """All that such shapes meet, each shape once: by distance, then by body and shape. Arguments and errors are those of `cast_shapes`."""
        ways = Ways.of("positions", positions, directions, max_distance)
        hits, offsets = self._native.cast_shapes_all(*ways.of_shapes(shapes, orientations), collision, *_seen(ignored, environments, len(ways.starts)))
        return QueryHits(ShapeHits(**hits), offsets)

    def overlap_shapes(
        self,
        shapes: ShapeDef | Sequence[ShapeDef],
        positions: ArrayInput,
        orientations: ArrayInput | None = None,
        *,
        collision: CollisionFilter | None = None,
        ignored: Ignored = None,
        environments: Any = None,
    ) -> QueryHits[Overlaps]:
        """All shapes of the World that touch or overlap each of these, by body and shape. Arguments and errors are those of `cast_shapes`."""
        places = float_array(positions, "positions", (None, 3))
        count = len(places)
        found = self._native.overlap_shapes(each_shape(shapes, count), places, turns(orientations, count), collision, *_seen(ignored, environments, count))
        return QueryHits(Overlaps(**found[0]), found[1])

    def sensor_overlaps(self) -> SensorOverlaps:
        """What shapes with ``ShapeDef.sensor`` overlap or touch at the current poses, by sensor (body, then shape), then by body and shape. A sensor sees
        what its filter collides with, but neither its own body nor other sensors."""
        return SensorOverlaps(**self._native.sensor_overlaps())

    def contact_problem(self) -> ContactProblem:
        """The contact problem (joints are not in it) that the next step's first substep solves, in the global form, with six dofs a dynamic body in the
        order of `bodies`, and the contacts as the next `contacts` lists them."""
        return ContactProblem._of(self._native.contact_problem())

    def acceleration_problem(self, touching: float = 1e-4, resting: float = 1e-2) -> AccelerationProblem:
        """The acceleration-level problem of the bodies as they are now, for `solve_accelerations`. Contacts: separated by at most `touching` [m] and
        moving apart by at most `resting` [m/s]. Raises InvalidInput for negative or NaN limits, and for an
        ellipsoid, a hull, a cylinder, a cone or a mesh in contact."""
        return self._native.acceleration_problem(touching, resting)

    def state_hash(self) -> int:
        """64 bits of all poses and velocities. ``f"{world.state_hash():016x}"`` is what the program prints."""
        return self._native.state_hash()


def joint_states_of(values: dict[str, Any]) -> JointStates:
    types = [JOINT_TYPES[code] for code in values.pop("type")]
    return JointStates(types=types, **values)


def solve_accelerations(problem: AccelerationProblem) -> AccelerationResult:
    """Contact forces >= 0 with normal accelerations >= 0, one of both zero, by Lemke's method (docs/reference.md).

    Sliding friction makes the problem unsymmetric: a solution need not exist then, and the status says so.
    """
    return AccelerationResult(*_core.solve_accelerations(problem))
