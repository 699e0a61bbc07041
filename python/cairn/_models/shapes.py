"""Geoms as shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from .._scene import ShapeDef
from .filters import by_bits, categories
from .poses import Placed, placed
from .source import Source

# The library's capsules, cylinders and half-spaces have y where the model's have z.
Y_TO_Z = np.array([math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)])
# The contact's dimension: 1 has no friction, 3 that of sliding.
TORSIONAL = 4
ROLLING = 6


def shapes_of(source: Source) -> dict[int, list[ShapeDef]]:
    """The shapes of each body that others move with, in its frame. What no shape stands for is reported."""
    filters = _filters(source)
    shapes: dict[int, list[ShapeDef]] = {}
    for geom in range(source.model.ngeom):
        group = source.groups[int(source.model.geom_bodyid[geom])]
        shape = _shape(source, geom, filters[geom])
        if shape is not None:
            shapes.setdefault(group, []).append(shape)
    _report_materials(source, filters)
    return shapes


def _shape(source: Source, geom: int, filters: tuple[int, int]) -> ShapeDef | None:
    model, kinds = source.model, source.mujoco.mjtGeom
    kind = int(model.geom_type[geom])
    body = int(model.geom_bodyid[geom])
    size = [float(value) for value in model.geom_size[geom]]
    pose = source.pose_in_group(body) @ placed(model.geom_pos[geom], model.geom_quat[geom])
    friction = float(model.geom_friction[geom][0]) if model.geom_condim[geom] > 1 else 0.0
    torsional = float(model.geom_friction[geom][1]) if model.geom_condim[geom] >= TORSIONAL else 0.0
    rolling = float(model.geom_friction[geom][2]) if model.geom_condim[geom] >= ROLLING else 0.0
    fields = {"friction": friction, "torsional_friction": torsional, "rolling_friction": rolling, "category": filters[0], "mask": filters[1]}
    along_z = Placed(pose.position, (pose @ Placed(np.zeros(3), Y_TO_Z)).orientation)
    if kind == kinds.mjGEOM_SPHERE:
        made = ShapeDef.sphere(size[0], **fields)
    elif kind == kinds.mjGEOM_CAPSULE:
        made, pose = ShapeDef.capsule(size[0], size[1], **fields), along_z
    elif kind == kinds.mjGEOM_CYLINDER:
        made, pose = ShapeDef.cylinder(size[0], size[1], **fields), along_z
    elif kind == kinds.mjGEOM_BOX:
        made = ShapeDef.box(tuple(size), **fields)
    elif kind == kinds.mjGEOM_ELLIPSOID:
        made = ShapeDef.ellipsoid(tuple(size), **fields)
    elif kind == kinds.mjGEOM_PLANE and not source.moves(body):
        made, pose = ShapeDef.half_space(**fields), along_z
    else:
        _report_missing(source, geom, kind, filters != (0, 0))
        return None
    return ShapeDef(**{**vars(made), "position": tuple(pose.position.tolist()), "orientation": tuple(pose.orientation.tolist())})


def _report_missing(source: Source, geom: int, kind: int, collides: bool) -> None:
    what = {int(value): name for name, value in source.mujoco.mjtGeom.__members__.items()}[kind].removeprefix("mjGEOM_").lower()
    what = {"hfield": "height field", "sdf": "signed distance field"}.get(what, what)
    means = "its contacts are missing" if collides else "it is only drawn"
    weight = ", its mass is kept" if source.moves(int(source.model.geom_bodyid[geom])) else ""
    source.findings.left_out("geom", source.name("geom", geom), f"there is no such shape as a {what}: {means}{weight}")


def _filters(source: Source) -> list[tuple[int, int]]:
    """Category and mask of each geom."""
    model = source.model
    if source.disabled("contact"):
        return [(0, 0)] * int(model.ngeom)
    hit = by_bits(model.geom_contype, model.geom_conaffinity)
    groups = np.array([source.groups[int(body)] for body in model.geom_bodyid], dtype=int)
    whole = hit.copy()
    _exclude(source, hit, groups)
    found = categories(hit)
    if found is None:
        source.findings.approximated(
            "contact", "exclude, pair", "there are more kinds of geoms by whom they collide with than 32: exclusions and pairs are left out"
        )
        found = categories(whole)
    if found is None:
        source.findings.approximated("contact", "contype, conaffinity", "there are more kinds of geoms by whom they collide with than 32: all collide with all")
        found = [(1, 1) if row.any() else (0, 0) for row in whole]
    return found


def _exclude(source: Source, hit: npt.NDArray[np.bool_], groups: npt.NDArray[np.int_]) -> None:
    """What the bits do not say: excluded bodies, pairs of geoms, and parents that a chain of light bodies lies between."""
    model = source.model
    for index in range(model.nexclude):
        signature = int(model.exclude_signature[index])
        _separate(source, hit, signature >> 16, signature & 0xFFFF)
    for body in range(1, model.nbody):
        parent = source.groups[int(model.body_parentid[body])]
        if source.moves(body) and source.groups[body] == body and source.moves(parent) and not source.disabled("filterparent"):
            # Where one joint joins them this says the same as the joint does.
            if int(model.body_jntnum[body]) > 1:
                hit[np.ix_(groups == body, groups == parent)] = hit[np.ix_(groups == parent, groups == body)] = False
    for index in range(model.npair):
        one, other = int(model.pair_geom1[index]), int(model.pair_geom2[index])
        name = source.name("pair", index)
        if groups[one] == groups[other]:
            source.findings.left_out("pair", name, "its geoms are fixed to each other")
            continue
        if _joined(source, int(groups[one]), int(groups[other])):
            source.findings.left_out("pair", name, "bodies that a joint joins do not collide")
            continue
        hit[one, other] = hit[other, one] = True
        source.findings.approximated("pair", name, "the two geoms collide, with their own friction instead of the pair's")


def _joined(source: Source, one: int, other: int) -> bool:
    """Whether one of two bodies is the other's parent and joints keep them from colliding: not by the model's rules if the parent cannot move."""
    parents = [source.groups[int(source.model.body_parentid[body])] for body in (one, other)]
    return not source.disabled("filterparent") and ((parents[0] == other and source.moves(other)) or (parents[1] == one and source.moves(one)))


def _separate(source: Source, hit: npt.NDArray[np.bool_], one: int, other: int) -> None:
    bodies = source.model.geom_bodyid
    hit[np.ix_(bodies == one, bodies == other)] = hit[np.ix_(bodies == other, bodies == one)] = False


def _report_materials(source: Source, filters: list[tuple[int, int]]) -> None:
    model, findings = source.model, source.findings
    touching = [geom for geom in range(model.ngeom) if filters[geom] != (0, 0)]
    slides = {float(model.geom_friction[geom][0]) if model.geom_condim[geom] > 1 else 0.0 for geom in touching}
    if len(slides) > 1:
        findings.approximated("option", "friction", "geoms differ in friction: of two that touch the geometric mean counts, in the model the larger")
    for geom in touching:
        name = source.name("geom", geom)
        if _is_outdone(model, touching, geom):
            findings.approximated("geom", name, "its own torsional and rolling friction count, in the model the larger of two geoms'")
        if float(model.geom_margin[geom]) != 0 or float(model.geom_gap[geom]) != 0:
            findings.left_out("geom", name, "margin and gap: contacts begin where surfaces touch")
        for field, what in (("geom_adhesion", "adhesion"), ("geom_surfacevel", "surface velocity")):
            if np.any(source.field(field, geom) != 0):
                findings.left_out("geom", name, f"{what}: there is no such thing")


def _is_outdone(model: Any, touching: list[int], geom: int) -> bool:
    """Whether a geom of fewer dimensions has more of the friction that only this one's dimension brings about."""
    dimension = int(model.geom_condim[geom])
    if dimension < TORSIONAL:
        return False
    used = slice(1, 3 if dimension >= ROLLING else 2)
    return any(int(model.geom_condim[other]) < dimension and np.any(model.geom_friction[other][used] > model.geom_friction[geom][used]) for other in touching)
