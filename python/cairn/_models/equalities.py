"""Equality constraints as joints."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from .._arrays import FloatArray
from .._scene import JointDef, JointType, Pose
from .poses import Placed, placed, quaternion_of
from .source import Source

if TYPE_CHECKING:
    from .chains import Coordinate
    from .scene import SceneJoint


@dataclasses.dataclass(frozen=True)
class Held:
    """A joint between two bodies of the model that others move with."""

    definition: JointDef
    body_a: int
    body_b: int


def equalities_of(source: Source, joints: list[SceneJoint], places: Mapping[int, tuple[int, Coordinate]]) -> list[Held]:
    """Joints for what equalities ask. Those that fix a joint of the scene at a coordinate give it a motor instead."""
    held = []
    kinds = source.mujoco.mjtEq
    for index in range(source.model.neq):
        name, kind = source.name("equality", index), int(source.model.eq_type[index])
        reason: str | None
        made: Held | None = None
        if not source.model.eq_active0[index] or source.disabled("equality"):
            reason = "it is not active at the start"
        elif kind == kinds.mjEQ_CONNECT:
            made, reason = _connect(source, index)
        elif kind == kinds.mjEQ_WELD:
            made, reason = _weld(source, index)
        elif kind == kinds.mjEQ_JOINT:
            made, reason = _couple(source, index, joints, places)
        else:
            reason = f"there is no such thing as {kinds(kind).name.removeprefix('mjEQ_').lower()}"
        if reason is not None:
            source.findings.left_out("equality", name, reason)
        if made is not None:
            held.append(dataclasses.replace(made, definition=dataclasses.replace(made.definition, name=source.given_name("equality", index))))
    return held


def _ends(source: Source, index: int) -> tuple[tuple[int, Placed], tuple[int, Placed]]:
    """The two bodies that others move with, and on each the frame that the equality names: the body's own, or a site's."""
    model = source.model
    ends = []
    for field in ("eq_obj1id", "eq_obj2id"):
        thing = int(getattr(model, field)[index])
        if int(model.eq_objtype[index]) == source.mujoco.mjtObj.mjOBJ_SITE:
            body = int(model.site_bodyid[thing])
            frame = source.pose_in_group(body) @ placed(model.site_pos[thing], model.site_quat[thing])
        else:
            body, frame = thing, source.pose_in_group(thing)
        ends.append((source.groups[body], frame))
    return ends[0], ends[1]


def _held(source: Source, type: JointType, one: tuple[int, Placed], other: tuple[int, Placed]) -> tuple[Held | None, str | None]:
    if one[0] == other[0]:
        return None, "its bodies are fixed to each other"
    if not source.moves(one[0]) and not source.moves(other[0]):
        return None, "neither of its bodies is dynamic"
    frames = [Pose(tuple(frame.position.tolist()), tuple(frame.orientation.tolist())) for _, frame in (one, other)]
    return Held(JointDef(type=type, frame_a=frames[0], frame_b=frames[1], collide=True), one[0], other[0]), None


def _connect(source: Source, index: int) -> tuple[Held | None, str | None]:
    (one, at_one), (other, at_other) = _ends(source, index)
    if int(source.model.eq_objtype[index]) != source.mujoco.mjtObj.mjOBJ_SITE:
        data = np.array(source.model.eq_data[index])
        no_turn = np.array([0.0, 0.0, 0.0, 1.0])
        at_one, at_other = at_one @ Placed(data[:3], no_turn), at_other @ Placed(data[3:6], no_turn)
    return _held(source, "point", (one, at_one), (other, at_other))


def _weld(source: Source, index: int) -> tuple[Held | None, str | None]:
    (one, at_one), (other, at_other) = _ends(source, index)
    if int(source.model.eq_objtype[index]) != source.mujoco.mjtObj.mjOBJ_SITE:
        # The anchor is in the second body; the first sees the second where the pose that follows says.
        data = np.array(source.model.eq_data[index])
        anchor = Placed(data[:3], np.array([0.0, 0.0, 0.0, 1.0]))
        at_one, at_other = at_one @ placed(data[3:6], data[6:10]) @ anchor, at_other @ anchor
    return _held(source, "rigid", (one, at_one), (other, at_other))


def _couple(source: Source, index: int, joints: list[SceneJoint], places: Mapping[int, tuple[int, Coordinate]]) -> tuple[Held | None, str | None]:
    model = source.model
    one, other = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    constant, slope, *higher = (float(value) for value in model.eq_data[index][:5])
    if one not in places or (other >= 0 and other not in places):
        return None, "it couples something else than hinges and slides"
    if other < 0:
        scene_joint, coordinate = places[one]
        joints[scene_joint].fix(coordinate, constant)
        return None, None
    if any(value != 0 for value in higher) or slope == 0:
        return None, "it is not linear: gears have a ratio"
    if constant != 0:
        return None, "its joints are not at their references together: gears keep the angles that they start with"
    hinge = int(source.mujoco.mjtJoint.mjJNT_HINGE)
    if any(int(model.jnt_type[joint]) != hinge for joint in (one, other)):
        return None, "gears couple turns, not slides"
    bodies = [int(model.jnt_bodyid[joint]) for joint in (one, other)]
    if any(source.moves(int(model.body_parentid[body])) or int(model.body_jntnum[body]) != 1 for body in bodies):
        return None, "gears couple the turns of bodies about axes that are fixed in the world"
    frames = [Pose((0.0, 0.0, 0.0), tuple(_along(np.array(model.jnt_axis[joint])).tolist())) for joint in (one, other)]
    return Held(JointDef(type="gear", ratio=-slope, frame_a=frames[0], frame_b=frames[1], collide=True), bodies[0], bodies[1]), None


def _along(axis: FloatArray) -> FloatArray:
    """An orientation whose x is the axis."""
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    return quaternion_of(np.stack([axis, across, np.cross(axis, across)], axis=1))
