"""`python3 -m cairn._models FILE`: the scene of a model as JSON on the standard output, and what it lost on the standard error, a line each.

Status 2, with one line on the standard error, where the model cannot be read. This is what `cairn run model.xml` calls.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as xml

from .._errors import Error
from .model import Model, from_mjcf, from_urdf


def scene_of(path: str) -> Model:
    """By what the file is: a robot of URDF, or else MuJoCo's own."""
    try:
        root = "" if path.endswith(".mjb") else xml.parse(path).getroot().tag
    except (OSError, xml.ParseError):
        root = ""
    return from_urdf(path) if root == "robot" else from_mjcf(path)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python3 -m cairn._models FILE", file=sys.stderr)
        return 2
    try:
        model = scene_of(arguments[0])
        text = model.scene.to_json()
    except (Error, ModuleNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    for item in model.report:
        print(item, file=sys.stderr)
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
