"""Models of MuJoCo and URDF as scenes."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from .._arrays import ArrayInput, FloatArray, float_array
from .._errors import InvalidInput
from .._scene import AxisName, Pose, Scene
from .._settings import SettingValue
from .._world import World
from .actuators import ModelActuator
from .chains import OFFSETS, TURNS
from .compiler import compiled_mjcf, compiled_urdf
from .leftovers import report_leftovers
from .poses import Placed, placed
from .report import Findings, ImportReport
from .scene import Built, build
from .source import Source, Start, source_of

LINK_MASS = 0.01
JointKind = Literal["free", "ball", "slide", "hinge"]


@dataclasses.dataclass(frozen=True)
class ModelBody:
    """Where a body of a model is in its scene: bodies without joints are one body with the parent that they are fixed to."""

    body: int
    """Index in the scene."""
    pose: Pose
    """Of the model's body in the scene's: position [m], orientation (x, y, z, w)."""


@dataclasses.dataclass(frozen=True)
class ModelJoint:
    """Where a joint of a model is in its scene. Several joints of a body may be one joint there."""

    type: JointKind
    """What it is in the model."""
    joint: int
    """Index of the scene's joint; -1 for a free joint, which is none."""
    axis: AxisName | None
    """The coordinate of the scene's joint that it is; None for a ball, which is its whole turn, and for a free joint."""
    sign: int
    """1 or -1: coordinate = sign * (q - reference). -1 for a ball: body A is the one that it moves."""
    reference: float
    """Coordinate of the model where that of the scene is zero [m or rad]; 0 for ball and free."""
    address: int
    """Where its coordinates begin in the model's ``qpos``."""
    bodies: tuple[int, int]
    """Bodies A and B of the scene's joint; of a free joint the body twice."""
    frames: tuple[Pose, Pose]
    """The joint's frames on bodies A and B."""


@dataclasses.dataclass(frozen=True, eq=False)
class Model:
    """A model as a scene, and what is where in it. Nothing here changes; a World made from the scene is the caller's.

    Bodies and joints of the scene have their indices in a World as long as none is removed.
    """

    scene: Scene
    """The scene, in the model's frame: where a model has z up, so has the scene."""
    report: ImportReport
    """What was left out or approximated."""
    bodies: Mapping[str, ModelBody]
    """By the names of the model, ``body 3`` where there is none."""
    joints: Mapping[str, ModelJoint]
    """By the names of the model, ``joint 3`` where there is none, in its order."""
    actuators: tuple[ModelActuator | None, ...]
    """In the model's order; None for those that no motor stands for."""
    time_step: float
    """The model's [s]. A scene has none: `world` passes it on."""
    coordinate_count: int
    """Numbers in the model's ``qpos``."""
    control_count: int
    """Numbers in the model's ``ctrl``."""

    def world(self, settings: Mapping[str, SettingValue] | None = None, **more: SettingValue) -> World:
        """A World of the scene, whose ``dt`` is the model's unless the settings have another. Settings and errors are those of `World`."""
        return World(self.scene, {"dt": self.time_step, **(settings or {}), **more})

    def qpos(self, world: World) -> FloatArray:
        """(coordinate_count,) float64: the coordinates as the model has them, read from a World of the scene.

        Quaternions are (w, x, y, z), as in the model; turns of hinges are within half a turn of their reference. Raises InvalidInput if bodies or joints
        of the scene are no longer in the World.
        """
        states = world.states()
        rows = {int(index): row for row, index in enumerate(states.indices)}
        joints = world.joint_states()
        joint_rows = {int(index): row for row, index in enumerate(joints.indices)}
        values = np.zeros(self.coordinate_count)
        for name, joint in self.joints.items():
            if not set(joint.bodies) <= rows.keys() or (joint.joint >= 0 and joint.joint not in joint_rows):
                raise InvalidInput("world", f"has no longer what joint '{name}' joins")
            if joint.axis is not None:
                column = (*OFFSETS, *TURNS).index(joint.axis)
                values[joint.address] = joint.reference + joint.sign * joints.coordinates[joint_rows[joint.joint], column]
                continue
            a, b = (Placed(states.positions[rows[body]], states.orientations[rows[body]]) for body in joint.bodies)
            if joint.type == "free":
                values[joint.address : joint.address + 7] = [*a.position, *_model_quaternion(a.orientation)]
            else:
                values[joint.address : joint.address + 4] = _model_quaternion(_turn(joint, a, b))
        return values

    def control(self, world: World, controls: ArrayInput) -> None:
        """Sets the motors of a World of the scene to what the model's controls ask for, until they are set again.

        `controls`: (control_count,) float64. Raises InvalidInput for another shape and what is not finite, before any motor is changed.
        """
        values = float_array(controls, "controls", (self.control_count,))
        ids = {joint.index: joint for joint in world.joints()}
        driving = [actuator for actuator in self.actuators if actuator is not None]
        missing = [actuator.name for actuator in driving if actuator.joint not in ids]
        if missing:
            raise InvalidInput("world", f"has no longer the joint that actuator '{missing[0]}' drives")
        for actuator in driving:
            motor, target, force = actuator.motor(float(values[actuator.control]))
            world.set_motor(ids[actuator.joint], actuator.axis, motor, target, force)


def from_mjcf(
    path: str | os.PathLike[str],
    *,
    keyframe: str | int | None = None,
    qpos: ArrayInput | None = None,
    qvel: ArrayInput | None = None,
    link_mass: float = LINK_MASS,
) -> Model:
    """A scene from a model of MuJoCo (MJCF, or a compiled MJB), which the package ``mujoco`` compiles: ``pip install cairn[models]``.

    It starts at the model's reference, at a `keyframe` (name or index), or at given coordinates `qpos` (nq,) and velocities `qvel` (nv,), as MuJoCo has
    them. `link_mass`, > 0 and at most 0.1: where no one joint stands for all of a body's, light bodies lie between several, each with this part of its
    mass; less is closer to the model, and takes shorter substeps to be stable under loads. What maps to what is in docs/models.md; what does not is in the `Model.report`.

    Raises ModuleNotFoundError without ``mujoco``, InvalidInput for a file that it cannot read or compile, and for bad arguments.
    """
    return _model(source_of(compiled_mjcf(path), Start(keyframe, qpos, qvel), link_mass), _stem(path))


def from_urdf(
    path: str | os.PathLike[str],
    *,
    free_base: bool = False,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    qpos: ArrayInput | None = None,
    qvel: ArrayInput | None = None,
    link_mass: float = LINK_MASS,
) -> Model:
    """A scene from a URDF file, which the package ``mujoco`` compiles: ``pip install cairn[models]``.

    `free_base`: whether the root link is free, else it is fixed to the world. `gravity` in [m/s^2]: URDF has z up and says nothing of it. The joints
    start at zero, or at `qpos` (nq,) and `qvel` (nv,) in MuJoCo's order. Meshes need not be there: the library has no such shape.

    Raises as `from_mjcf` does.
    """
    findings = Findings()
    model = compiled_urdf(path, free_base, findings)
    model.opt.gravity[:] = float_array(gravity, "gravity", (3,))
    return _model(source_of(model, Start(None, qpos, qvel), link_mass), _stem(path), findings)


def from_mujoco(
    model: Any,
    *,
    name: str = "",
    keyframe: str | int | None = None,
    qpos: ArrayInput | None = None,
    qvel: ArrayInput | None = None,
    link_mass: float = LINK_MASS,
) -> Model:
    """A scene from a ``mujoco.MjModel``, which stays as it is. Arguments and errors as those of `from_mjcf`."""
    return _model(source_of(model, Start(keyframe, qpos, qvel), link_mass), name)


def _stem(path: str | os.PathLike[str]) -> str:
    return os.path.splitext(os.path.basename(os.fspath(path)))[0]


def _model(source: Source, name: str, before: Findings | None = None) -> Model:
    built = build(source, name)
    report_leftovers(source)
    built.scene.validate()
    items = (*(before.report() if before is not None else ()), *source.findings.report())
    return Model(
        scene=built.scene,
        report=ImportReport(items),
        bodies={source.name("body", body): _model_body(source, built, body) for body in range(source.model.nbody)},
        joints={source.name("joint", joint): _model_joint(source, built, joint) for joint in range(source.model.njnt)},
        actuators=tuple(built.actuators),
        time_step=float(source.model.opt.timestep),
        coordinate_count=int(source.model.nq),
        control_count=int(source.model.nu),
    )


def _model_body(source: Source, built: Built, body: int) -> ModelBody:
    return ModelBody(built.bodies[source.groups[body]], _pose(source.pose_in_group(body)))


def _model_joint(source: Source, built: Built, joint: int) -> ModelJoint:
    model, address = source.model, int(source.model.jnt_qposadr[joint])
    if joint in built.places:
        index, coordinate = built.places[joint]
        kind: JointKind = "slide" if coordinate.axis in OFFSETS else "hinge"
        made = built.joints[index]
        frames = _frames(made.definition.frame_a, made.definition.frame_b)
        return ModelJoint(kind, index, coordinate.axis, coordinate.sign, float(model.qpos0[address]), address, (made.body_a, made.body_b), frames)
    if joint in built.balls:
        made = built.joints[built.balls[joint]]
        frames = _frames(made.definition.frame_a, made.definition.frame_b)
        return ModelJoint("ball", built.balls[joint], None, -1 if made.layout.swapped else 1, 0.0, address, (made.body_a, made.body_b), frames)
    body = built.bodies[source.groups[int(model.jnt_bodyid[joint])]]
    return ModelJoint("free", -1, None, 1, 0.0, address, (body, body), (Pose(), Pose()))


def _frames(*frames: tuple[Any, Any]) -> tuple[Pose, Pose]:
    return Pose(*frames[0]), Pose(*frames[1])


def _pose(pose: Placed) -> Pose:
    return Pose(tuple(pose.position.tolist()), tuple(pose.orientation.tolist()))


def _turn(joint: ModelJoint, a: Placed, b: Placed) -> FloatArray:
    """A ball's turn: that of the moved frame on its parent, along the axes of the moved body."""
    frame_a, frame_b = (Placed(np.array(frame.position), np.array(frame.orientation)) for frame in joint.frames)
    between = (a @ frame_a).inverse() @ (b @ frame_b)
    if joint.sign < 0:
        between = between.inverse()
    moved = frame_b if joint.sign > 0 else frame_a
    return (moved @ between @ moved.inverse()).orientation


def _model_quaternion(q: FloatArray) -> FloatArray:
    """(w, x, y, z), with w >= 0."""
    return placed(np.zeros(3), [q[3], q[0], q[1], q[2]]).orientation[[3, 0, 1, 2]] * (1 if q[3] >= 0 else -1)
