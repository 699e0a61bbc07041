"""What of a model has no place in a scene, and is not met on the way through its bodies and joints."""

from __future__ import annotations

import numpy as np

from .source import Source

# Kinds of objects and why none of them is there.
NOTHING_LIKE_IT = {
    "tendon": ("ntendon", "there are no tendons: their springs, limits and routes are missing"),
    "flex": ("nflex", "bodies are rigid"),
    "skin": ("nskin", "skins are only drawn"),
    "sensor": ("nsensor", "there are no sensors: a World is asked for what they measure"),
    "camera": ("ncam", "cameras only look"),
    "light": ("nlight", "lights are only drawn"),
    "plugin": ("nplugin", "there are no plugins"),
}
SOFTNESS = {"solref": (0.02, 1.0), "solimp": (0.9, 0.95, 0.001, 0.5, 2.0)}


def report_leftovers(source: Source) -> None:
    model, findings = source.model, source.findings
    for kind, (count, reason) in NOTHING_LIKE_IT.items():
        for index in range(int(getattr(model, count, 0))):
            findings.left_out(kind, source.name(kind, index), reason)
    for field, reason in (
        ("density", "there are no fluid forces"),
        ("viscosity", "there are no fluid forces"),
        ("wind", "there is no wind"),
    ):
        if np.any(np.asarray(getattr(model.opt, field)) != 0):
            findings.left_out("option", field, reason)
    for field, default in SOFTNESS.items():
        owners = [owner for owner in ("geom", "jnt", "dof", "eq") if _differs(getattr(model, f"{owner}_{field}"), default)]
        if owners:
            findings.left_out("option", field, f"softness of {', '.join(owners)}: how soft contacts, limits and joints are is a setting of the World")
    if model.opt.impratio != 1 or model.opt.noslip_iterations > 0:
        findings.left_out("option", "impratio, noslip_iterations", "settings of another solver")


def _differs(values: object, default: tuple[float, ...]) -> bool:
    return bool(np.any(np.asarray(values).reshape(-1, len(default)) != np.array(default)))
