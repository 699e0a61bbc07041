"""Models that the tests import: those of packages, and how MuJoCo moves them."""

from __future__ import annotations

import importlib.util
import pathlib
from typing import Any

import numpy as np
import pytest

mujoco: Any = pytest.importorskip("mujoco", reason="the package mujoco is not here: nothing of models is tested")
mujoco.set_mju_user_warning(lambda text: None)  # which would be a file in the folder of the tests

FOLDERS = {
    "mujoco": "testdata",
    "gymnasium": "envs/mujoco/assets",
    "dm_control": "suite",
}


def model_files() -> list[Any]:
    """Parameters of a test: the models of packages that are here, read from their folders without importing them."""
    found = []
    for package, folder in FOLDERS.items():
        spec = importlib.util.find_spec(package)
        for root in (spec.submodule_search_locations or []) if spec is not None else []:
            found += [pytest.param(path, id=f"{package}/{path.stem}") for path in sorted((pathlib.Path(root) / folder).glob("*.xml"))]
    return found


def compiled(path: pathlib.Path) -> Any:
    """The model; skips the test where this version of MuJoCo does not take it."""
    try:
        return mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        pytest.skip(f"{path.name} does not compile: {error}")


def bare(model: Any) -> Any:
    """The model with nothing but inertia, joints and gravity."""
    bits = mujoco.mjtDisableBit
    for name in ("CONTACT", "LIMIT", "ACTUATION", "DAMPER", "SPRING", "FRICTIONLOSS", "EQUALITY"):
        model.opt.disableflags |= getattr(bits, f"mjDSBL_{name}")
    model.dof_armature[:] = 0
    model.opt.density = model.opt.viscosity = 0
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def somewhere(model: Any, seed: int, way: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates near the reference and velocities, at random."""
    random = np.random.default_rng(seed)
    qpos = model.qpos0.copy()
    mujoco.mj_integratePos(model, qpos, way * random.standard_normal(model.nv), 1.0)
    return qpos, 0.5 * random.standard_normal(model.nv)


def moved(model: Any, qpos: np.ndarray, qvel: np.ndarray, seconds: float, step: float = 1e-4) -> np.ndarray:
    """Coordinates after some time, by MuJoCo's Runge-Kutta integrator of fourth order."""
    model.opt.timestep, model.opt.integrator = step, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    for _ in range(round(seconds / step)):
        mujoco.mj_step(model, data)
    return data.qpos.copy()


def difference(model: Any, ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Of coordinates: turns up to whole ones, quaternions up to their sign."""
    off = ours - theirs
    for joint in range(model.njnt):
        kind, at = model.jnt_type[joint], model.jnt_qposadr[joint]
        if kind == mujoco.mjtJoint.mjJNT_HINGE:
            off[at] = (off[at] + np.pi) % (2 * np.pi) - np.pi
        elif kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            turn = slice(at + 3, at + 7) if kind == mujoco.mjtJoint.mjJNT_FREE else slice(at, at + 4)
            if ours[turn] @ theirs[turn] < 0:
                off[turn] = ours[turn] + theirs[turn]
    return off


def limit_of(model: Any, imported: Any, qpos: np.ndarray, seconds: float, steps: int, **settings: Any) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates after some time by a World with ever smaller steps, which are of first order: extrapolated, and those of the last one."""
    ends = []
    for count in (steps, 2 * steps, 4 * steps):
        world = imported.world({"dt": seconds / count, "substeps": 1, "precision": "double", "backend": "cpu", "threads": 1, **settings})
        world.step(count)
        ends.append(difference(model, imported.qpos(world), qpos))
    a, b, c = ends
    return qpos + (a - 6 * b + 8 * c) / 3, qpos + c
