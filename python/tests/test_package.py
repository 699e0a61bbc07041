"""What is in the package: documentation and types of everything that it shows."""

import dataclasses
import importlib.metadata
import importlib.util
import inspect
import pathlib
import pickle
import re
import subprocess
import sys

import pytest

import cairn
from cairn import _core

PACKAGE = pathlib.Path(cairn.__file__).parent


def test_the_version_is_the_librarys():
    assert cairn.__version__ == importlib.metadata.version("cairn") == cairn.version()


def test_it_comes_with_types():
    assert (PACKAGE / "py.typed").is_file()
    stub = (PACKAGE / "_core.pyi").read_text()
    for name in ("class World", "class Scene", "class ContactProblem", "class BodyId", "class ContactSolver", "def solve"):
        assert name in stub


def public_objects():
    for name in cairn.__all__:
        thing = getattr(cairn, name)
        yield name, thing
        if inspect.isclass(thing):
            for key, member in vars(thing).items():
                if not key.startswith("_") and (callable(member) or isinstance(member, (property, classmethod))):
                    yield f"{name}.{key}", member


def test_everything_is_documented():
    missing = [name for name, thing in public_objects() if not (getattr(thing, "__doc__", None) or "").strip()]
    assert missing == []


def test_arrays_say_their_shapes():
    """Each field that is an array says its shape, and each number with a unit its unit, in the text below it."""
    hits = (cairn.RayHits, cairn.ShapeHits, cairn.Overlaps, cairn.QueryHits)
    solver = (cairn.SolverBodies, cairn.SolverContacts, cairn.SolverJoints, cairn.SolverJointRows)
    for kind in (cairn.BodyStates, cairn.Contacts, cairn.JointStates, cairn.ContactEvents, cairn.SensorOverlaps, *hits, *solver):
        source = "".join(inspect.getsource(part) for part in kind.__mro__ if dataclasses.is_dataclass(part))
        for field in dataclasses.fields(kind):
            if "Array" in str(field.type):
                assert re.search(rf'    {field.name}: .*\n    """\([nr1]', source), f"{kind.__name__}.{field.name}"


def test_names_of_joint_types_are_in_the_librarys_order():
    """JointStates has types as numbers until Python gives them names: each comes back as what it was made as."""
    from cairn._world import JOINT_TYPES

    scene = cairn.Scene()
    scene.add_body(type="static")
    scene.add_body(shapes=[cairn.ShapeDef.sphere(0.5)])
    for kind in JOINT_TYPES:
        more = {"projection": lambda pose: pose} if kind == "black_box" else {}
        scene.add_joint(kind, 0, 1, **more)
    assert cairn.World(scene).joint_states().types == list(JOINT_TYPES)


def test_errors_are_exceptions_that_travel():
    error = pickle.loads(pickle.dumps(cairn.InvalidInput("here", "must be there")))
    assert str(error) == "here: must be there" and error.place == "here"
    for made in (
        cairn.NonFiniteState("text", 3, "ball"),
        cairn.TornJoint("text", 3, "hinge"),
        cairn.CapacityError("text", 5, 4),
        cairn.StepUndone("text", 3),
    ):
        again = pickle.loads(pickle.dumps(made))
        assert type(again) is type(made) and again.args == made.args and str(again) == "text"
    for kind in (cairn.InvalidInput, cairn.DeviceError, cairn.CapacityError, cairn.StepUndone, cairn.ClosedWorld):
        assert issubclass(kind, cairn.Error) and kind.__module__ == "cairn"
    assert issubclass(cairn.InvalidInput, ValueError)
    assert issubclass(cairn.CapacityError, MemoryError)


def test_a_device_that_is_not_there_is_an_error(stack):
    """Without CUDA, or with it and no such device."""
    with pytest.raises((cairn.DeviceError, cairn.InvalidInput)):
        cairn.World(stack, backend="cuda", device=1000)


def test_nothing_of_the_core_is_left_over():
    """Instances that live on when the interpreter ends are a leak, which nanobind reports."""
    source = "import cairn; w = cairn.World('tower:height=2'); w.step(3); c = list(w.contacts()); s = w.joint_states(); p = w.contact_problem(); cairn.solve(p)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_types_agree_with_the_code(root):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not here")
    command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml"), "-p", "cairn"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root / "python" / "tests")
    assert done.returncode == 0, done.stdout


def test_core_is_complete():
    """Every function of the compiled part is used by the Python part: what is not, nobody can call."""
    text = "".join(path.read_text() for path in PACKAGE.glob("*.py"))
    for name in vars(_core):
        if not name.startswith("_"):
            assert re.search(rf"\b{name}\b", text), name
