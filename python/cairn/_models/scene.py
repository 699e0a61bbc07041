"""The scene that stands for a model: its bodies and joints."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from .._arrays import FloatArray
from .._scene import BodyDef, JointAxis, JointDef, Pose, Scene, ShapeDef
from .actuators import ModelActuator, actuators_of, driven
from .chains import TURNS, Coordinate, Layout
from .equalities import equalities_of
from .joints import axes_of, layouts_of, report_free
from .mass import MassProperties, own_mass, together, weighted
from .poses import Placed, matrix_of, placed, product, rotated, turn_about
from .shapes import shapes_of
from .source import Source

INEXACT = 1e-6  # relative error of mass properties that is reported


@dataclasses.dataclass
class SceneJoint:
    """A joint of the scene that stands for joints of the model."""

    layout: Layout
    definition: JointDef
    body_a: int
    body_b: int

    def fix(self, coordinate: Coordinate, value: float) -> None:
        """Holds a coordinate of the model, counted from its reference, at a value: by a motor, which gives way to nothing but contacts."""
        axes = dict(self.definition.axes)
        at = coordinate.sign * value
        axes[coordinate.axis] = JointAxis(free=self.layout.type == "six_dof", motor="position", target=at, max_force=math.inf)
        self.definition = dataclasses.replace(self.definition, axes=axes)


@dataclasses.dataclass
class Built:
    """A scene, and where the model's bodies, joints and actuators are in it."""

    scene: Scene
    bodies: dict[int, int]
    """Index in the scene of each body of the model that others move with."""
    joints: list[SceneJoint]
    places: dict[int, tuple[int, Coordinate]]
    """For a hinge or slide of the model the joint of the scene, and the coordinate that it is."""
    balls: dict[int, int]
    """For a ball of the model the joint of the scene."""
    actuators: list[ModelActuator | None]


_Chain = list[tuple[Layout, int]]
"""From a body's parent on: a joint, and the body of the scene that it moves."""


def build(source: Source, name: str) -> Built:
    """The scene of a model, under this name."""
    gravity = (0.0, 0.0, 0.0) if source.disabled("gravity") else tuple(float(g) for g in source.model.opt.gravity)
    built = Built(Scene(name, gravity=gravity), {}, [], {}, {}, [])
    bodies, joints = _Names(), _Names()
    shapes = shapes_of(source)
    for body, group in enumerate(source.groups):
        if body == group:
            layouts = _add_body(source, built, body, shapes.get(body, []), bodies)
            _add_joints(source, built, body, layouts, joints)
    _add_equalities(source, built, joints)
    return built


class _Names:
    """Names as scenes want them: each once, and none that stands for an index."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def free(self, name: str) -> str:
        made = "".join(c if c.isprintable() else "?" for c in name)
        if made.startswith(("body-", "joint-")):
            made = made.replace("-", "_", 1)
        while made and made in self._taken:
            made += "'"
        self._taken.add(made)
        return made


def _add_body(source: Source, built: Built, body: int, shapes: list[ShapeDef], names: _Names) -> _Chain:
    """Adds the body, and before it what lies between its joints."""
    scene, given = built.scene, source.given_name("body", body)
    pose = source.start_pose(body)
    place: dict[str, Any] = {"position": tuple(pose.position.tolist()), "orientation": tuple(pose.orientation.tolist())}
    if not source.moves(body):
        moved = int(source.model.body_mocapid[body]) >= 0
        name = names.free(given or source.name("body", body)) if body == 0 or given else ""
        built.bodies[body] = scene.add_body(name=name, type="kinematic" if moved else "static", shapes=shapes, **place)
        return []
    layouts = layouts_of(source, body)
    # What light bodies take the body gives, so that all of them together weigh what it does in the model.
    target = _mass_of(source, body)
    made = weighted(shapes, _part(target, 1 - source.link_mass * max(len(layouts) - 1, 0)))
    if made.error > INEXACT:
        source.findings.approximated("body", source.name("body", body), f"no solid has its inertia: the nearest that one has is {made.error:.1g} of it away")
    first = int(source.model.body_jntadr[body])
    if not layouts:
        report_free(source, first)
    links = _add_links(source, built, body, layouts, target)
    velocity, spin = source.start_velocity(body)
    arm = rotated(pose.orientation, target.centre)
    definition = BodyDef(
        name=names.free(given),
        linear_velocity=tuple((velocity + np.cross(spin, arm)).tolist()),
        angular_velocity=tuple(spin.tolist()),
        shapes=made.shapes,
        **made.own,
        gravity_scale=1 - _weightlessness(source, body),
        **place,
    )
    built.bodies[body] = scene.add_body(definition)
    return list(zip(layouts, [*links, built.bodies[body]]))


def _mass_of(source: Source, body: int) -> MassProperties:
    """Of the body and all that is fixed to it, in its frame."""
    model, parts = source.model, []
    for member, group in enumerate(source.groups):
        if group == body:
            frame = source.pose_in_group(member) @ placed(model.body_ipos[member], model.body_iquat[member])
            axes = matrix_of(frame.orientation)
            parts.append(MassProperties(float(model.body_mass[member]), frame.position, axes @ np.diag(model.body_inertia[member]) @ axes.T))
    return together(parts)


def _part(whole: MassProperties, fraction: float) -> MassProperties:
    """A body of the same centre and shape of inertia."""
    return MassProperties(fraction * whole.mass, whole.centre, fraction * whole.inertia)


def _weightlessness(source: Source, body: int) -> float:
    """Part of the body's weight that the model takes from it, which it does among its passive forces."""
    model = source.model
    if source.disabled("spring") and source.disabled("damper"):
        return 0.0
    members = [member for member, group in enumerate(source.groups) if group == body and model.body_mass[member] > 0]
    parts = [float(model.body_gravcomp[member]) for member in members]
    if len(set(parts)) > 1:
        source.findings.approximated("body", source.name("body", body), "its parts differ in gravcomp: their mean by mass acts at the common centre")
    masses = [float(model.body_mass[member]) for member in members]
    return parts[0] if len(set(parts)) == 1 else float(np.dot(parts, masses) / sum(masses))


def _add_links(source: Source, built: Built, body: int, layouts: list[Layout], target: MassProperties) -> list[int]:
    """The light bodies between the joints of a chain, as they lie and move at the start."""
    if len(layouts) < 2:
        return []
    joints = ", ".join(source.name("joint", joint) for layout in layouts for joint in _model_joints(layout))
    source.findings.approximated(
        "body",
        source.name("body", body),
        f"no one joint stands for {joints}: light bodies lie between several, each with {source.link_mass:g} of its mass and inertia",
    )
    parent = int(source.model.body_parentid[body])
    state = _Moving(source.start_pose(parent), *source.start_velocity(parent)).fixed(source.local_pose(body))
    links = []
    own, _ = own_mass(_part(target, source.link_mass))
    for layout in layouts[:-1]:
        for joint in _model_joints(layout):
            state = _moved(source, joint, state)
        links.append(
            built.scene.add_body(
                position=tuple(state.pose.position.tolist()),
                orientation=tuple(state.pose.orientation.tolist()),
                linear_velocity=tuple((state.velocity + np.cross(state.spin, rotated(state.pose.orientation, target.centre))).tolist()),
                angular_velocity=tuple(state.spin.tolist()),
                **own,
            )
        )
    return links


@dataclasses.dataclass(frozen=True)
class _Moving:
    """A frame that moves: its pose, the velocity of its origin, its angular velocity, in the world."""

    pose: Placed
    velocity: FloatArray
    spin: FloatArray

    def fixed(self, inner: Placed) -> _Moving:
        """A frame that is fixed to this one."""
        pose = self.pose @ inner
        return _Moving(pose, self.velocity + np.cross(self.spin, pose.position - self.pose.position), self.spin)


def _moved(source: Source, joint: int, frame: _Moving) -> _Moving:
    """The frame after a joint of the model, in whose frame the joint is described."""
    model, kinds = source.model, source.mujoco.mjtJoint
    address, dof, kind = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint]), int(model.jnt_type[joint])
    qpos, qvel = source.data.qpos, source.data.qvel
    axis, anchor = np.array(model.jnt_axis[joint]), np.array(model.jnt_pos[joint])
    outer = rotated(frame.pose.orientation, axis)
    if kind == kinds.mjJNT_SLIDE:
        way = (float(qpos[address]) - float(model.qpos0[address])) * axis
        moved = frame.fixed(Placed(way, np.array([0.0, 0.0, 0.0, 1.0])))
        return _Moving(moved.pose, moved.velocity + float(qvel[dof]) * outer, moved.spin)
    if kind == kinds.mjJNT_HINGE:
        turn = turn_about(axis, float(qpos[address]) - float(model.qpos0[address]))
        spin = frame.spin + float(qvel[dof]) * outer
    else:
        turn = placed(np.zeros(3), qpos[address : address + 4]).orientation
        spin = frame.spin + rotated(product(frame.pose.orientation, turn), np.array(qvel[dof : dof + 3]))
    centre = frame.fixed(Placed(anchor, turn))
    origin = centre.pose @ Placed(-anchor, np.array([0.0, 0.0, 0.0, 1.0]))
    return _Moving(origin, centre.velocity + np.cross(spin, origin.position - centre.pose.position), spin)


def _model_joints(layout: Layout) -> list[int]:
    """The joints of the model, in its order."""
    return sorted([*layout.coordinates, *([] if layout.ball is None else [layout.ball])])


def _add_joints(source: Source, built: Built, body: int, chain: _Chain, names: _Names) -> None:
    """The chain from the body's parent over the light bodies to itself."""
    if not chain:
        return
    parent = int(source.model.body_parentid[body])
    outer = built.bodies[source.groups[parent]]
    # Where all joints are at their reference the body lies here on what its parent moves with, and light bodies lie where it does.
    place = source.pose_in_group(parent) @ source.local_pose(body)
    for layout, moved in chain:
        frames = [place @ layout.frame, layout.frame]
        ends = [outer, moved]
        if layout.swapped:
            frames.reverse()
            ends.reverse()
        frame_a, frame_b = (Pose(tuple(frame.position.tolist()), tuple(frame.orientation.tolist())) for frame in frames)
        given = [source.given_name("joint", joint) for joint in _model_joints(layout)]
        definition = JointDef(
            type=layout.type,
            name=names.free(" + ".join(name for name in given if name)),
            frame_a=frame_a,
            frame_b=frame_b,
            axes=axes_of(source, layout),
            slides=layout.slides if layout.type == "prismatic" else 1,
            collide=not source.moves(parent) or source.disabled("filterparent"),
        )
        index = len(built.joints)
        built.joints.append(SceneJoint(layout, definition, *ends))
        built.places.update({joint: (index, coordinate) for joint, coordinate in layout.coordinates.items()})
        if layout.ball is not None:
            built.balls[layout.ball] = index
        outer, place = moved, Placed(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))


def _add_equalities(source: Source, built: Built, names: _Names) -> None:
    """Joints into the scene, with motors, and after them those that equalities ask for."""
    held = equalities_of(source, built.joints, built.places)
    held_axes = {(index, axis) for index, joint in enumerate(built.joints) for axis, made in joint.definition.axes.items() if made.motor != "off"}
    built.actuators = actuators_of(source, built.places, held_axes)
    for actuator in built.actuators:
        if actuator is not None:
            joint = built.joints[actuator.joint]
            axes = dict(joint.definition.axes)
            axis = axes.get(actuator.axis, JointAxis(free=joint.layout.type == "six_dof"))
            axes[actuator.axis] = driven(axis, actuator, float(source.ctrl[actuator.control]))
            joint.definition = dataclasses.replace(joint.definition, axes={name: a for name, a in axes.items() if a != JointAxis()})
    for joint in built.joints:
        joint.definition = _with_full_turns(source, joint)
        built.scene.add_joint(joint.definition, joint.body_a, joint.body_b)
    for one in held:
        definition = dataclasses.replace(one.definition, name=names.free(one.definition.name))
        built.scene.add_joint(definition, built.bodies[one.body_a], built.bodies[one.body_b])


def _with_full_turns(source: Source, joint: SceneJoint) -> JointDef:
    """The definition without limits that the second of three turns cannot meet."""
    axes, middle = dict(joint.definition.axes), TURNS[1]
    limits = axes[middle].limits if middle in axes and set(TURNS) <= set(joint.layout.axes) else None
    if limits is None or (limits[0] <= np.pi / 2 and limits[1] >= -np.pi / 2):
        return joint.definition
    source.findings.left_out(
        "joint", joint.definition.name, f"limits of {limits[0]:g} to {limits[1]:g} rad: the second of three turns stays within a quarter turn"
    )
    axes[middle] = dataclasses.replace(axes[middle], limits=None)
    return dataclasses.replace(joint.definition, axes=axes)
