"""`python3 -m cairn._models FILE`: a model as one JSON document on the standard output, which is what `cairn run model.xml` reads.

{"scene": a scene file's object, "time_step_s": the model's, "report": [lines]}; {"error": line} where the model cannot be read, {"missing": line} where
the package mujoco is not there.
"""

from __future__ import annotations

import json
import os
import sys
import xml.etree.ElementTree as xml
from typing import Any

from .._errors import Error, InvalidInput
from .model import Model, from_mjcf, from_urdf
from .source import mujoco_package


def scene_of(path: str) -> Model:
    """By what the file is: a robot of URDF, or else MuJoCo's own."""
    try:
        root = "" if path.endswith(".mjb") else xml.parse(path).getroot().tag
    except (OSError, xml.ParseError):
        root = ""
    return from_urdf(path) if root == "robot" else from_mjcf(path)


def document_of(path: str) -> dict[str, Any]:
    try:
        model = scene_of(path)
        return {"scene": model.scene.to_dict(), "time_step_s": model.time_step, "report": [str(item) for item in model.report]}
    except ModuleNotFoundError as error:
        return {"missing": str(error)}
    except InvalidInput as error:
        return {"error": error.reason if error.place == path else str(error)}
    except Error as error:
        return {"error": str(error)}


def _silence() -> None:
    try:
        mujoco = mujoco_package()
    except ModuleNotFoundError:
        return
    mujoco.set_mju_user_warning(lambda text: None)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python3 -m cairn._models FILE", file=sys.stderr)
        return 2
    # MuJoCo warns on the standard output, which is the document's alone, and in a file in the folder that it is run in.
    output = os.dup(1)
    os.dup2(2, 1)
    _silence()
    document = document_of(arguments[0])
    with os.fdopen(output, "w", encoding="utf-8") as stream:
        json.dump(document, stream)
    return 0 if "scene" in document else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
