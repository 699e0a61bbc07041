"""Actuators as motors."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Literal

import numpy as np

from .._arrays import FloatArray
from .._scene import AxisName, JointAxis, MotorType
from .chains import Coordinate
from .joints import actuator_count, joint_transmissions
from .source import Source

FAST = 1e6  # [m/s or rad/s]: what a motor that is to exert a force is told to reach


@dataclasses.dataclass(frozen=True)
class ModelActuator:
    """An actuator of a model, as a motor of a joint's axis."""

    name: str
    """Its name in the model; ``actuator 3`` where it has none."""
    kind: Literal["force", "velocity", "position"]
    """What its control stands for. ``force``: a force or torque along the axis, exerted by a motor that pushes with just that."""
    joint: int
    """The joint's index in the scene."""
    axis: AxisName
    """Which of its axes."""
    gain: float
    """motor value = gain * control + bias, along the axis [N, m/s or m; N m, rad/s or rad]."""
    bias: float
    """Value for no control."""
    control_range: tuple[float, float]
    """Controls outside are taken as its ends; infinite where there is none."""
    max_force: float
    """Of the motor [N or N m]."""
    damping: float
    """Of the axis, besides the joint's own [N s/m or N m s/rad]: that of a servo for positions."""
    control: int
    """Where its control is in the model's ``ctrl``."""

    def motor(self, control: float) -> tuple[MotorType, float, float]:
        """The motor, its target and its largest force for a control."""
        low, high = self.control_range
        value = self.gain * min(max(control, low), high) + self.bias
        if self.kind != "force":
            return self.kind, value, self.max_force
        force = min(abs(value), self.max_force)
        return ("velocity", math.copysign(FAST, value), force) if force > 0 else ("off", 0.0, 0.0)


def actuators_of(source: Source, places: Mapping[int, tuple[int, Coordinate]], held: set[tuple[int, AxisName]]) -> list[ModelActuator | None]:
    """The model's actuators in their order; None for those that no motor stands for.

    `places`: joint and coordinate of the model's joints; `held`: axes that have a motor.
    """
    found: list[ModelActuator | None] = []
    taken = set(held)
    for index in range(actuator_count(source)):
        made = _actuator(source, index, places)
        if made is not None and (made.joint, made.axis) in taken:
            source.findings.left_out("actuator", made.name, "something else drives the same axis, which has one motor")
            made = None
        if made is not None:
            taken.add((made.joint, made.axis))
        found.append(made)
    return found


def driven(axis: JointAxis, actuator: ModelActuator, control: float) -> JointAxis:
    """The axis with the motor and damping that it has at this control."""
    damped = dataclasses.replace(axis, damping=axis.damping + actuator.damping)
    motor, target, force = actuator.motor(control)
    return damped if motor == "off" else dataclasses.replace(damped, motor=motor, target=target, max_force=force)


def _control_index(source: Source, actuator: int) -> int:
    """Where an actuator's control is in the array of controls."""
    addresses = getattr(source.model, "actuator_ctrladr", None)
    return actuator if addresses is None else int(addresses[actuator])


def _actuator(source: Source, index: int, places: Mapping[int, tuple[int, Coordinate]]) -> ModelActuator | None:
    model, mujoco = source.model, source.mujoco
    name, findings = source.name("actuator", index), source.findings
    joint = int(model.actuator_trnid[index][0])
    reason = _obstacle(source, index)
    if reason is None and (int(model.actuator_trntype[index]) not in joint_transmissions(source) or joint not in places):
        reason = "it does not drive a hinge or a slide"
    if reason is not None:
        findings.left_out("actuator", name, reason)
        return None
    if int(model.actuator_dyntype[index]) != mujoco.mjtDyn.mjDYN_NONE:
        findings.approximated("actuator", name, "its filter: a control acts at once")
    scene_joint, coordinate = places[joint]
    # force = gain control + bias - stiffness length - damping velocity, of which a joint bears the gear's multiple.
    gain, bias, stiffness, damping = float(model.actuator_gainprm[index][0]), 0.0, 0.0, 0.0
    if int(model.actuator_biastype[index]) != mujoco.mjtBias.mjBIAS_NONE:
        bias, stiffness, damping = (float(v) for v in model.actuator_biasprm[index][:3] * (1, -1, -1))
    gear = float(model.actuator_gear[index][0]) * coordinate.sign
    if stiffness < 0 or damping < 0 or gear == 0:
        findings.left_out("actuator", name, "it is none of motor, position and velocity: its gear is zero, or it pushes away from its target")
        return None
    force = _largest_force(source, index, joint, abs(gear))
    reference = coordinate.sign * float(model.qpos0[model.jnt_qposadr[joint]])
    kind: Literal["force", "velocity", "position"]
    if stiffness > 0:
        kind, scale, start = "position", 1 / (stiffness * gear), -reference
        findings.approximated("actuator", name, f"a motor goes to its position with up to {force:g}, instead of a spring of {stiffness * gear**2:g}")
    elif damping > 0:
        kind, scale, start = "velocity", 1 / (damping * gear), 0.0
        findings.approximated("actuator", name, f"a motor goes to its velocity with up to {force:g}, instead of a damper of {damping * gear**2:g}")
    else:
        kind, scale, start = "force", gear, 0.0
    limits = tuple(float(v) for v in model.actuator_ctrlrange[index]) if _limited(source, index) else (-math.inf, math.inf)
    return ModelActuator(
        name=name,
        kind=kind,
        joint=scene_joint,
        axis=coordinate.axis,
        gain=gain * scale,
        bias=bias * scale + start,
        control_range=(limits[0], limits[1]),
        max_force=force,
        damping=damping * gear**2 if kind == "position" else 0.0,
        control=_control_index(source, index),
    )


def _obstacle(source: Source, index: int) -> str | None:
    """Why an actuator is none of those that reduce to a motor."""
    model, mujoco = source.model, source.mujoco
    if source.disabled("actuation") or model.opt.disableactuator & (1 << int(model.actuator_group[index])):
        return "it is disabled"
    if int(model.actuator_gaintype[index]) != mujoco.mjtGain.mjGAIN_FIXED:
        return "its gain is not constant"
    if int(model.actuator_biastype[index]) not in (mujoco.mjtBias.mjBIAS_NONE, mujoco.mjtBias.mjBIAS_AFFINE):
        return "its force is not linear in length and velocity"
    if int(model.actuator_dyntype[index]) not in (mujoco.mjtDyn.mjDYN_NONE, mujoco.mjtDyn.mjDYN_FILTER, mujoco.mjtDyn.mjDYN_FILTEREXACT):
        return "its activation has dynamics of its own"
    for field, what in (("actuator_delay", "a delay"), ("actuator_armature", "an armature"), ("actuator_damping", "a damping")):
        if np.any(np.asarray(source.field(field, index)) != 0):
            source.findings.left_out("actuator", source.name("actuator", index), f"{what} of its own")
    return None


def _limited(source: Source, index: int) -> bool:
    return bool(source.model.actuator_ctrllimited[_control_index(source, index)]) and not source.disabled("clampctrl")


def _largest_force(source: Source, index: int, joint: int, gear: float) -> float:
    """Along the joint [N or N m]: by the ranges of force that the model gives; a servo without one is as strong as over the whole way of its joint."""
    model = source.model
    ranges: list[FloatArray] = []
    if model.actuator_forcelimited[index]:
        ranges.append(np.array(model.actuator_forcerange[index]) * gear)
    if model.jnt_actfrclimited[joint]:
        ranges.append(np.array(model.jnt_actfrcrange[joint]))
    if any(low != -high for low, high in ranges):
        source.findings.approximated("actuator", source.name("actuator", index), "its range of forces is not the same both ways: the larger counts")
    if ranges:
        return float(min(np.abs(r).max() for r in ranges))
    servo = int(model.actuator_biastype[index]) != source.mujoco.mjtBias.mjBIAS_NONE
    stiffness = -float(model.actuator_biasprm[index][1]) if servo else 0.0
    if stiffness > 0 and model.jnt_limited[joint]:
        low, high = model.jnt_range[joint]
        return float(stiffness * gear**2 * (high - low))
    return math.inf
