"""Programs in the documentation run."""

import contextlib
import io
import re

import pytest

from conftest import ROOT

DOCS = ("python.md", "models.md", "contact-solver.md", "events.md")
PAGES = [ROOT / "README.md", *(ROOT / "docs" / page for page in DOCS)]
PROGRAMS = [(f"{page.name} {i}", text) for page in PAGES for i, text in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S))]


def test_there_are_programs():
    assert len(PROGRAMS) >= 4


@pytest.mark.parametrize(("place", "text"), PROGRAMS, ids=[place for place, _ in PROGRAMS])
def test_programs_run(place, text, tmp_path, monkeypatch):
    for call, package in (("from_mjcf", "mujoco"), ("decompose", "coacd")):
        if call in text:
            pytest.importorskip(package, reason=f"the package {package} is not here")
    if ".save(" in text:
        monkeypatch.chdir(tmp_path)  # what it writes is not for here
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, place, "exec"), {})
