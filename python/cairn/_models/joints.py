"""A body's joints in the model as joints of the library."""

from __future__ import annotations

import math
import numpy as np

from .._scene import AxisName, JointAxis
from .chains import TURNS, Coordinate, Layout, Motion, chain_of
from .source import Source


def motions_of(source: Source, body: int) -> list[Motion]:
    """The joints of a body, without a free one."""
    model, kinds = source.model, source.mujoco.mjtJoint
    names = {int(kinds.mjJNT_BALL): "ball", int(kinds.mjJNT_SLIDE): "slide", int(kinds.mjJNT_HINGE): "hinge"}
    first = int(model.body_jntadr[body])
    return [
        Motion(joint, names[int(model.jnt_type[joint])], np.array(model.jnt_axis[joint]), np.array(model.jnt_pos[joint]))  # type: ignore[arg-type]
        for joint in range(first, first + int(model.body_jntnum[body]))
        if int(model.jnt_type[joint]) in names
    ]


def layouts_of(source: Source, body: int) -> list[Layout]:
    """The chain of joints between a body and its parent."""
    motions = motions_of(source, body)
    loaded = any(_loaded(source, motion.joint) for motion in motions)

    def bends(joint: int) -> bool:
        low, high = _range(source, joint) or (-math.inf, math.inf)
        reference = float(source.model.qpos0[source.model.jnt_qposadr[joint]])
        return loaded and (low - reference < -math.pi / 2 or high - reference > math.pi / 2)

    return chain_of(motions, bends)


def _range(source: Source, joint: int) -> tuple[float, float] | None:
    model = source.model
    if not model.jnt_limited[joint] or source.disabled("limit"):
        return None
    low, high = model.jnt_range[joint]
    return float(low), float(high)


def _loaded(source: Source, joint: int) -> bool:
    """Whether anything acts along it."""
    model = source.model
    dof = int(model.jnt_dofadr[joint])
    driven = any(
        int(model.actuator_trnid[k][0]) == joint and int(model.actuator_trntype[k]) in joint_transmissions(source) for k in range(actuator_count(source))
    )
    return bool(_range(source, joint) or np.any(model.jnt_stiffness[joint] != 0) or model.dof_damping[dof] != 0 or model.dof_frictionloss[dof] != 0 or driven)


def actuator_count(source: Source) -> int:
    """Actuators; versions of MuJoCo before 4 have a control for each."""
    return int(getattr(source.model, "nactuator", source.model.nu))


def joint_transmissions(source: Source) -> tuple[int, int]:
    kinds = source.mujoco.mjtTrn
    return int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)


def axes_of(source: Source, layout: Layout) -> dict[AxisName, JointAxis]:
    """What acts on the free axes: limits, springs, damping and friction."""
    free = layout.type == "six_dof"
    axes = {axis: JointAxis(free=free) for axis in layout.axes}
    for joint, coordinate in layout.coordinates.items():
        axes[coordinate.axis] = _axis(source, joint, coordinate, free)
    if layout.ball is not None:
        made = _ball_axis(source, layout.ball, free)
        axes.update({axis: made for axis in TURNS})
    return {axis: made for axis, made in axes.items() if made != JointAxis()}


def _axis(source: Source, joint: int, coordinate: Coordinate, free: bool) -> JointAxis:
    model = source.model
    address, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    reference = float(model.qpos0[address])
    stiffness = 0.0 if source.disabled("spring") else float(np.atleast_1d(model.jnt_stiffness[joint])[0])
    report_rest(source, joint)
    return JointAxis(
        free=free,
        limits=_limits(source, joint, coordinate, reference),
        stiffness=stiffness,
        rest=coordinate.sign * (float(model.qpos_spring[address]) - reference) if stiffness > 0 else 0.0,
        damping=0.0 if source.disabled("damper") else float(model.dof_damping[dof]),
        friction=0.0 if source.disabled("frictionloss") else float(model.dof_frictionloss[dof]),
    )


def _limits(source: Source, joint: int, coordinate: Coordinate, reference: float) -> tuple[float, float] | None:
    given = _range(source, joint)
    if given is None:
        return None
    low, high = sorted(coordinate.sign * (value - reference) for value in given)
    if coordinate.axis not in TURNS or (low >= -math.pi and high <= math.pi):
        return low, high
    name = source.name("joint", joint)
    if (low <= -math.pi and high >= math.pi) or low > math.pi or high < -math.pi:
        source.findings.left_out("joint", name, f"limits of {low:g} to {high:g} rad: turns are counted from -pi to pi")
        return None
    source.findings.approximated("joint", name, f"limits of {low:g} to {high:g} rad end at half a turn")
    return max(low, -math.pi), min(high, math.pi)


def _ball_axis(source: Source, joint: int, free: bool) -> JointAxis:
    """The same on all three turns: a spring or damping along the turn's vector is that to first order."""
    model, name = source.model, source.name("joint", joint)
    address, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    stiffness = 0.0 if source.disabled("spring") else float(np.atleast_1d(model.jnt_stiffness[joint])[0])
    damping = 0.0 if source.disabled("damper") else float(model.dof_damping[dof])
    report_rest(source, joint)
    if _range(source, joint) is not None:
        source.findings.left_out("joint", name, "the limit of a ball's angle: limits are those of angles about single axes")
    if stiffness > 0 and not np.allclose(model.qpos_spring[address : address + 4], [1, 0, 0, 0], atol=1e-12):
        source.findings.left_out("joint", name, "the spring of a ball with a reference that is not its initial turn")
        stiffness = 0.0
    if stiffness > 0 or damping > 0:
        source.findings.approximated("joint", name, "spring and damping of a ball act on its three angles, which is the same for small turns only")
    if float(model.dof_frictionloss[dof]) > 0:
        source.findings.left_out("joint", name, "friction of a ball: friction is that of single axes")
    return JointAxis(free=free, stiffness=stiffness, damping=damping)


def report_free(source: Source, joint: int) -> None:
    """What the free joint of a body has besides its freedom."""
    model, name = source.model, source.name("joint", joint)
    dof = int(model.jnt_dofadr[joint])
    report_rest(source, joint)
    for what, values in (
        ("damping", model.dof_damping[dof : dof + 6]),
        ("friction", model.dof_frictionloss[dof : dof + 6]),
        ("stiffness", np.atleast_1d(model.jnt_stiffness[joint])),
    ):
        if np.any(np.asarray(values) != 0):
            source.findings.left_out("joint", name, f"{what} of a free joint: nothing joins the body")


def report_rest(source: Source, joint: int) -> None:
    """What no axis of the library has."""
    model, findings, name = source.model, source.findings, source.name("joint", joint)
    dof = int(model.jnt_dofadr[joint])
    if np.any(model.dof_armature[dof] != 0):
        findings.left_out("joint", name, f"armature of {float(model.dof_armature[dof]):g}: axes have no inertia of their own")
    for field, index, reason in (
        ("jnt_stiffnesspoly", joint, "terms of higher order of its spring: springs are linear"),
        ("dof_dampingpoly", dof, "terms of higher order of its damping: damping is linear"),
        ("jnt_margin", joint, "its margin: limits begin where they are"),
        ("jnt_springyield", joint, "the yield of its spring: springs are elastic"),
    ):
        if np.any(np.asarray(source.field(field, index)) != 0):
            findings.left_out("joint", name, reason)
