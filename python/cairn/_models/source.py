"""A compiled model of MuJoCo as the import reads it, and the package that compiles it."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import numpy as np

from .._arrays import FloatArray, float_array
from .._errors import InvalidInput
from .poses import Placed, placed
from .report import Findings


def mujoco_package() -> Any:
    """The package `mujoco`. Raises ModuleNotFoundError, in one line, where it is not installed."""
    try:
        return importlib.import_module("mujoco")
    except ImportError as error:
        raise ModuleNotFoundError("models are compiled by the package mujoco, which is not here: pip install cairn[models]", name="mujoco") from error


LARGEST_LINK = 0.1  # of a body's mass: five light bodies, the most there can be, leave half of it


@dataclasses.dataclass(frozen=True, eq=False)
class Start:
    """Where a model starts: at its reference, a keyframe, or given coordinates and velocities."""

    keyframe: str | int | None = None
    qpos: Any = None
    qvel: Any = None


@dataclasses.dataclass(frozen=True, eq=False)
class Source:
    """A model, where it starts, and what could not be taken over so far."""

    mujoco: Any
    model: Any
    """MjModel."""
    data: Any
    """MjData at the start, with poses and velocities."""
    ctrl: FloatArray
    """Controls at the start."""
    findings: Findings
    link_mass: float
    """Mass and inertia of a light body between two joints of a chain, of the body at its end."""
    groups: list[int]
    """For each body of the model the one that it moves with: itself, if it has joints, is moved from outside or is the world; else its parent's."""

    def name(self, kind: str, index: int) -> str:
        """Of an object (``body``, ``geom``, ``joint``); ``geom 3`` where it has none."""
        return self.given_name(kind, index) or f"{kind} {index}"

    def given_name(self, kind: str, index: int) -> str:
        return self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), index) or ""

    def disabled(self, *flags: str) -> bool:
        """Whether one of these is switched off by the model: ``contact``, ``limit``."""
        bits = self.mujoco.mjtDisableBit
        return any(self.model.opt.disableflags & getattr(bits, f"mjDSBL_{flag.upper()}") for flag in flags)

    def moves(self, body: int) -> bool:
        """Whether the body is dynamic: it has joints, or is fixed to one that has."""
        return int(self.model.body_jntnum[self.groups[body]]) > 0

    def local_pose(self, body: int) -> Placed:
        """Of the body in its parent, where all joints are at their reference."""
        return placed(self.model.body_pos[body], self.model.body_quat[body])

    def pose_in_group(self, body: int) -> Placed:
        """Of the body in the one that it moves with."""
        if self.groups[body] == body:
            return Placed(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
        return self.pose_in_group(int(self.model.body_parentid[body])) @ self.local_pose(body)

    def start_pose(self, body: int) -> Placed:
        """Of the body in the world, at the start."""
        return placed(self.data.xpos[body], self.data.xquat[body])

    def start_velocity(self, body: int) -> tuple[FloatArray, FloatArray]:
        """Of the body's origin [m/s], and its angular velocity [rad/s], world, at the start."""
        six = np.zeros(6)
        self.mujoco.mj_objectVelocity(self.model, self.data, self.mujoco.mjtObj.mjOBJ_XBODY, body, six, 0)
        return six[3:].copy(), six[:3].copy()

    def field(self, name: str, index: int) -> Any:
        """An entry of one of the model's arrays, 0 in versions of MuJoCo that do not have it."""
        values = getattr(self.model, name, None)
        return 0 if values is None or len(values) == 0 else values[index]


def source_of(model: Any, start: Start, link_mass: float) -> Source:
    """A model at its reference, at a keyframe, or at given coordinates and velocities."""
    mujoco = mujoco_package()
    if not isinstance(model, mujoco.MjModel):
        raise InvalidInput("model", f"must be a mujoco.MjModel, is {model!r}")
    if not (isinstance(link_mass, (int, float)) and 0 < link_mass <= LARGEST_LINK):
        raise InvalidInput("link_mass", f"must be > 0 and at most {LARGEST_LINK}, is {link_mass!r}")
    data = mujoco.MjData(model)
    if start.keyframe is not None:
        mujoco.mj_resetDataKeyframe(model, data, _keyframe(mujoco, model, start.keyframe))
    for name, given, count in (("qpos", start.qpos, model.nq), ("qvel", start.qvel, model.nv)):
        if given is not None:
            getattr(data, name)[:] = float_array(given, name, (count,))
    ctrl = np.array(data.ctrl, dtype=float)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)
    return Source(mujoco, model, data, ctrl, Findings(), float(link_mass), _groups(model))


def _keyframe(mujoco: Any, model: Any, keyframe: str | int) -> int:
    if isinstance(keyframe, str):
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, keyframe)
    else:
        index = keyframe
    if not (isinstance(index, int) and 0 <= index < model.nkey):
        names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_KEY, k) or str(k) for k in range(model.nkey)]
        raise InvalidInput("keyframe", f"must be one of {', '.join(names)}, is {keyframe!r}" if names else f"the model has none, is {keyframe!r}")
    return index


def _groups(model: Any) -> list[int]:
    groups = [0]
    for body in range(1, model.nbody):
        own = model.body_jntnum[body] > 0 or model.body_mocapid[body] >= 0
        groups.append(body if own else groups[int(model.body_parentid[body])])
    return groups
