"""Files that MuJoCo's compiler makes models of."""

from __future__ import annotations

import os
import xml.etree.ElementTree as xml
from typing import Any

from .._errors import InvalidInput
from .report import Findings
from .source import mujoco_package

# What MuJoCo's compiler reads past in a URDF file, and what is lost with it.
IGNORED = {
    "transmission": "there are no transmissions, nor actuators in the model",
    "safety_controller": "there are no controllers",
    "calibration": "there are no sensors",
    "gazebo": "settings of another simulator",
    "ros2_control": "there are no controllers",
    "sensor": "there are no sensors",
}


def compiled_mjcf(path: str | os.PathLike[str]) -> Any:
    mujoco, file = mujoco_package(), _file(path)
    try:
        if file.endswith(".mjb"):
            return mujoco.MjModel.from_binary_path(file)
        return mujoco.MjModel.from_xml_path(file)
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise InvalidInput(file, _one_line(error)) from error


def compiled_urdf(path: str | os.PathLike[str], free_base: bool, findings: Findings) -> Any:
    mujoco, file = mujoco_package(), _file(path)
    try:
        tree = xml.parse(file).getroot()
    except xml.ParseError as error:
        raise InvalidInput(file, f"is no XML: {error}") from error
    if tree.tag != "robot":
        raise InvalidInput(file, f"is no URDF file: its root is '{tree.tag}' instead of 'robot'")
    try:
        _report_ignored(tree, findings)
        # By its text: versions before 4 take no file that ends in .urdf.
        spec = mujoco.MjSpec.from_string(xml.tostring(tree, encoding="unicode"))
        spec.strippath = True  # meshes lie beside the file, whatever package they name
        spec.modelfiledir = os.path.dirname(os.path.abspath(file))
        spec.compiler.fusestatic = False
        spec.compiler.discardvisual = True
        _drop_meshes(mujoco, spec, findings)
        if len(spec.equalities) == 0:  # versions before 4 read past it
            _report_mimics(tree, findings)
        if free_base:
            for body in spec.worldbody.bodies:
                body.add_freejoint()
        return spec.compile()
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise InvalidInput(file, _one_line(error)) from error


def _file(path: str | os.PathLike[str]) -> str:
    file = os.fspath(path)
    if not os.path.isfile(file):
        raise InvalidInput(file, "there is no such file")
    return file


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _drop_meshes(mujoco: Any, spec: Any, findings: Findings) -> None:
    """Meshes of links that say their inertia: nothing of them would be in the scene, and their files need not be there."""
    for body in spec.bodies:
        for geom in list(body.geoms):
            if geom.type == mujoco.mjtGeom.mjGEOM_MESH and body.explicitinertial:
                findings.left_out("geom", f"{body.name}: {geom.meshname}", "there is no such shape as a mesh: its contacts are missing")
                spec.delete(geom)
    used = {geom.meshname for body in spec.bodies for geom in body.geoms if geom.type == mujoco.mjtGeom.mjGEOM_MESH}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)


def _report_mimics(tree: xml.Element, findings: Findings) -> None:
    for joint in tree.iter("joint"):
        if joint.find("mimic") is not None:
            findings.left_out("joint", joint.get("name", ""), "mimic: it moves by itself")


def _report_ignored(tree: xml.Element, findings: Findings) -> None:
    owners = {child: parent for parent in tree.iter() for child in parent}
    for element in tree.iter():
        if element.tag in IGNORED:
            owner = owners.get(element)
            name = element.get("name") or (owner.get("name") if owner is not None else None) or element.tag
            findings.left_out(element.tag, name, IGNORED[element.tag])
        elif element.tag == "limit" and float(element.get("velocity", "0")) > 0:
            findings.left_out(
                "joint", owners[element].get("name", ""), f"its largest velocity of {element.get('velocity')}: joints have limits of their coordinates only"
            )
