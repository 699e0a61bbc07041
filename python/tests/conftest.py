"""What the tests share. They run against the installed package; the repository gives them its data, and CAIRN_PROGRAM the program to compare with."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

import cairn

# Before coacd: in a process that has loaded coacd's library first, usd-core 26.11 takes its own text files for broken ones.
with contextlib.suppress(ModuleNotFoundError):
    import pxr.Usd

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture(scope="session")
def run_program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    """Calls the program with these arguments and an option for its JSON, and returns that."""
    program = os.environ.get("CAIRN_PROGRAM", "")
    if not program:
        pytest.skip("CAIRN_PROGRAM does not name the program")

    def run(*arguments: str, into: str) -> dict[str, Any]:
        out = tmp_path_factory.mktemp("program") / "out.json"
        subprocess.run([program, *arguments, into, str(out)], check=True, capture_output=True)
        return json.loads(out.read_text())

    return run


@pytest.fixture
def stack() -> cairn.Scene:
    """Ground and three boxes of a metre, just above each other."""
    scene = cairn.Scene("stack")
    scene.add_body(name="ground", type="static", shapes=[cairn.ShapeDef.half_space()])
    for i in range(3):
        scene.add_body(name=f"box {i}", position=(0, 0.5 + i, 0), shapes=[cairn.ShapeDef.box((0.5, 0.5, 0.5))])
    return scene


@pytest.fixture
def refused() -> Callable[..., str]:
    """The message that a call is refused with, which must be one line, as an InvalidInput."""

    def message(call: Callable[..., object], *arguments: Any, **more: Any) -> str:
        with pytest.raises(cairn.InvalidInput) as caught:
            call(*arguments, **more)
        text = str(caught.value)
        assert "\n" not in text
        assert text == f"{caught.value.place}: {caught.value.reason}"
        return text

    return message
