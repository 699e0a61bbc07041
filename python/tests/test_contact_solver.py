"""ContactSolver on the caller's arrays: closed forms, a World's bits, all layouts, and what is refused with nothing changed."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cairn

STEP = 1 / 64
SETTINGS = {"backend": "cpu", "threads": 1, "dt": STEP, "substeps": 1, "iterations": 4, "relaxations": 2}
PRECISIONS = {"float": np.float32, "double": np.float64}


def body_type(number: type) -> np.dtype:
    """A struct as a simulator may have it, with what is none of the solver's business in between."""
    fields = [("name", np.int64), ("x", number, 3), ("q", number, 4), ("m", number), ("i", number, 6), ("v", number, 3), ("w", number, 3), ("to", number, 3)]
    return np.dtype(fields + [("turn", number, 3)], align=True)


def contact_type(number: type) -> np.dtype:
    fields = [("bodies", np.int32, 2), ("at", number, 3), ("n", number, 3), ("gap", number), ("mu", number), ("e", number), ("p", number), ("f", number, 3)]
    return np.dtype(fields, align=True)


def fields_of(bodies: np.ndarray) -> cairn.SolverBodies:
    return cairn.SolverBodies(
        position=bodies["x"],
        orientation=bodies["q"],
        inverse_mass=bodies["m"],
        inverse_inertia=bodies["i"],
        linear_velocity=bodies["v"],
        angular_velocity=bodies["w"],
        linear_move=bodies["to"],
        angular_move=bodies["turn"],
    )


def contacts_of(contacts: np.ndarray, restitution: bool = False) -> cairn.SolverContacts:
    return cairn.SolverContacts(
        bodies=contacts["bodies"],
        point=contacts["at"],
        normal=contacts["n"],
        separation=contacts["gap"],
        friction=contacts["mu"],
        restitution=contacts["e"] if restitution else None,
        normal_impulse=contacts["p"],
        friction_impulse=contacts["f"],
    )


def cubes(count: int, number: type) -> np.ndarray:
    """Cubes of 1 kg and an edge of 1 m in a row."""
    bodies = np.zeros(count, body_type(number))
    bodies["x"] = [(2 * k, 0.5, 0) for k in range(count)]
    bodies["q"][:, 3] = 1
    bodies["m"] = 1
    bodies["i"][:, :3] = 6
    return bodies


def fall(number: type = np.float64, count: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Cubes that fall on the world with 1 m/s, on four points each."""
    bodies, contacts = cubes(count, number), np.zeros(4 * count, contact_type(number))
    bodies["v"][:, 1] = -1
    for k in range(4 * count):
        contacts["bodies"][k] = k // 4, -1
        contacts["at"][k] = 2 * (k // 4) + (-0.5, 0.5)[k % 2], 0, (-0.5, 0.5)[k // 2 % 2]
    contacts["n"][:, 1] = -1
    contacts["mu"] = 0.5
    return bodies, contacts


def solver_for(bodies: np.ndarray, contacts: np.ndarray, precision: str = "double", **more: Any) -> cairn.ContactSolver:
    return cairn.ContactSolver(cairn.ContactCapacity(bodies=len(bodies), contacts=len(contacts)), SETTINGS, precision=precision, **more)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_cube_that_falls_on_the_world_stops(precision: str) -> None:
    bodies, contacts = fall(PRECISIONS[precision])
    solver = solver_for(bodies, contacts, precision)
    status = solver.solve(fields_of(bodies), contacts_of(contacts), measure_residual=True)
    assert not status.refused and status.flags == 0
    assert (status.manifolds, status.colours, status.contacts_needed, status.sweeps) == (1, 1, 4, 6)
    assert 0 <= status.residual < 0.05
    total = contacts["p"].sum()
    assert (contacts["p"] > 0).all() and total == pytest.approx(1, abs=0.05)
    assert bodies["v"][0, 1] - total == pytest.approx(-1, abs=1e-6 if precision == "float" else 1e-12)
    assert solver.backend == "cpu" and solver.workspace_bytes == 0 and solver.settings["precision"] == precision
    assert repr(solver) == "<cairn.ContactSolver: 1 bodies, 4 contacts, 0 joints on cpu>"


# --- a World's bits ------------------------------------------------------------------------------------------------
# All numbers are sums of few powers of two: what the World and the caller compute in different ways is exact.


def pyramid(moving: bool) -> cairn.Scene:
    scene = cairn.Scene("pushed pyramid")
    material = {"friction": 0.5, "restitution": 0.5}
    scene.add_body(type="static", position=(0, -0.5, 0), shapes=[cairn.ShapeDef.box((32, 0.5, 32), **material)])
    cube = cairn.ShapeDef.box((0.5, 0.5, 0.5), **material)
    for row in range(4):
        for k in range(4 - row):
            place = (1.0625 * k + 0.53125 * row, 0.5 + 1 / 1024 + row * (1 + 1 / 1024), 0.125 * (k % 2))
            speed = (0.25 * row, -1 / 2**k, 0.5) if moving else (0, 0, 0)
            scene.add_body(position=place, mass=1, linear_velocity=speed, shapes=[cube])
    scene.gravity = (0, -8, 0) if moving else (0, 0, 0)
    return scene


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_bits_are_a_worlds(precision: str) -> None:
    number = PRECISIONS[precision]
    settings = {**SETTINGS, "precision": precision, "grow_envelope": False}
    still, world = cairn.World(pyramid(False), settings), cairn.World(pyramid(True), settings)
    start = world.states()
    still.step()
    found = still.contacts()
    bodies, contacts = cubes(len(start.positions), number), np.zeros(len(found), contact_type(number))
    assert len(contacts) > 40
    bodies["x"] = start.positions
    bodies["v"] = start.linear_velocities
    bodies["v"][1:, 1] -= 8 * STEP
    bodies["m"][0] = 0
    bodies["i"][0] = 0
    contacts["bodies"] = np.stack([found.body_a, found.body_b], axis=1)
    contacts["at"], contacts["n"], contacts["gap"] = found.point, found.normal, found.separation
    contacts["mu"] = contacts["e"] = 0.5
    status = cairn.ContactSolver(cairn.ContactCapacity(bodies=len(bodies), contacts=len(contacts)), settings).solve(
        fields_of(bodies), contacts_of(contacts, restitution=True)
    )
    assert status.flags == 0
    world.step()
    after, impulses = world.states(), world.contacts()
    np.testing.assert_array_equal(bodies["v"].astype(float), after.linear_velocities)
    np.testing.assert_array_equal(bodies["w"].astype(float), after.angular_velocities)
    np.testing.assert_array_equal(contacts["p"].astype(float), impulses.normal_impulse)
    np.testing.assert_array_equal(contacts["f"].astype(float), impulses.friction_impulse)
    moved = (bodies["x"] + number(STEP) * bodies["to"]).astype(float)
    np.testing.assert_array_equal(moved[1:], after.positions[1:])


# --- layouts -------------------------------------------------------------------------------------------------------


class OnlyDlpack:
    """What another library's array looks like: nothing but the protocol, of before version 1 or of now."""

    def __init__(self, array: np.ndarray, old: bool = False) -> None:
        self.array, self.old = array, old

    def __dlpack__(self, **asked: Any) -> Any:
        if self.old and asked:
            raise TypeError(f"no such argument: {asked}")
        return self.array.__dlpack__(**asked)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def as_columns(array: np.ndarray) -> np.ndarray:
    """The same numbers, component by component, backwards and with gaps."""
    room = np.zeros((*array.shape[1:], 2 * len(array)), array.dtype)
    out = np.moveaxis(room[..., ::-2], -1, 0)
    out[:] = array
    return out


def as_contiguous(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).copy()


LAYOUTS: dict[str, Callable[[np.ndarray], Any]] = {
    "contiguous": as_contiguous,
    "columns": as_columns,
    "DLPack": lambda array: OnlyDlpack(as_contiguous(array)),
    "old DLPack": lambda array: OnlyDlpack(as_columns(array), old=True),
    "buffers": lambda array: memoryview(as_contiguous(array)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_layouts_give_the_same_bits_in_place(layout: str) -> None:
    bodies, contacts = fall(np.float32, 5)
    bodies["v"][:, 0] = np.arange(5)
    there_bodies, there_contacts = (
        dataclasses.replace(record, **{f.name: LAYOUTS[layout](array) for f in dataclasses.fields(record) if (array := getattr(record, f.name)) is not None})
        for record in (fields_of(bodies), contacts_of(contacts))
    )
    solver = solver_for(bodies, contacts, "float")
    assert solver.solve(fields_of(bodies), contacts_of(contacts)) == solver.solve(there_bodies, there_contacts)
    for here, there in ((fields_of(bodies), there_bodies), (contacts_of(contacts), there_contacts)):
        for field in dataclasses.fields(here):
            if (array := getattr(here, field.name)) is not None:
                other = getattr(there, field.name)
                np.testing.assert_array_equal(array, np.asarray(getattr(other, "array", other)), err_msg=field.name)
    assert np.abs(bodies["v"][:, 1]).max() < 0.1


def test_what_is_only_read_may_be_one_for_all() -> None:
    one, contacts = fall(np.float64, 3)
    other, theirs = one.copy(), contacts.copy()
    shared = dataclasses.replace(
        fields_of(one),
        inverse_mass=np.broadcast_to(np.float64(1), 3),
        inverse_inertia=np.broadcast_to(np.array([6.0, 6, 6, 0, 0, 0]), (3, 6)),
        orientation=None,
    )
    solver = solver_for(one, contacts)
    assert solver.solve(shared, contacts_of(contacts)) == solver.solve(fields_of(other), contacts_of(theirs))
    assert one.tobytes() == other.tobytes() and contacts.tobytes() == theirs.tobytes()


def test_torch_gives_its_tensors() -> None:
    torch = pytest.importorskip("torch")
    bodies, contacts = fall(np.float32)
    taken = {f.name: torch.from_numpy(as_contiguous(getattr(fields_of(bodies), f.name))) for f in dataclasses.fields(cairn.SolverBodies)}
    status = solver_for(bodies, contacts, "float").solve(cairn.SolverBodies(**taken), contacts_of(contacts))
    assert status.flags == 0 and abs(taken["linear_velocity"][0, 1]) < 0.05


def test_jax_gives_what_is_read_and_nothing_to_write(refused: Callable[..., str]) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    bodies, contacts = fall(np.float64)
    given = dataclasses.replace(fields_of(bodies), position=jax.numpy.array(bodies["x"]))
    solver = solver_for(bodies, contacts)
    assert solver.solve(given, contacts_of(contacts)).flags == 0
    wrong = dataclasses.replace(given, linear_velocity=jax.numpy.array(bodies["v"]))
    assert refused(solver.solve, wrong, contacts_of(contacts)) == "bodies.linear_velocity: must be writable: the solver leaves its results there"


def test_arrays_of_a_world_are_read_and_never_written(refused: Callable[..., str]) -> None:
    bodies, contacts = fall(np.float32)
    world = cairn.World({"bodies": [{"position": [0, 0.5, 0], "shapes": [{"type": "box", "half_extents": [0.5, 0.5, 0.5]}]}]}, backend="cpu")
    arrays = world.arrays()
    solver = solver_for(bodies, contacts, "float")
    given = dataclasses.replace(fields_of(bodies), position=arrays.positions)
    assert solver.solve(given, contacts_of(contacts)).flags == 0
    wrong = dataclasses.replace(given, linear_velocity=arrays.linear_velocities)
    assert refused(solver.solve, wrong, contacts_of(contacts)) == "bodies.linear_velocity: must be writable: the solver leaves its results there"
    own = dataclasses.replace(given, linear_velocity=world.write_bodies().linear_velocities)
    assert solver.solve(own, contacts_of(contacts)).flags == 0


# --- counts, capacities, status ------------------------------------------------------------------------------------


def test_the_number_of_contacts_is_read_from_a_word(refused: Callable[..., str]) -> None:
    bodies, contacts = fall(np.float64, 2)
    counted = np.array([4], np.int32)
    given = dataclasses.replace(contacts_of(contacts), counted=counted)
    solver = solver_for(bodies, contacts)
    status = solver.solve(fields_of(bodies), given)
    assert (status.flags, status.contacts_needed, status.manifolds) == (0, 4, 1)
    assert abs(bodies["v"][0, 1]) < 0.05 and bodies["v"][1, 1] == -1 and (contacts["p"][4:] == 0).all()
    counted[0] = 9
    before = bodies.tobytes(), contacts.tobytes()
    status = solver.solve(fields_of(bodies), given)
    assert status.refused and status.flags is cairn.ContactSolverFlag.CONTACT_CAPACITY
    assert (status.contacts_needed, status.contacts_available) == (9, 8)
    assert (bodies.tobytes(), contacts.tobytes()) == before
    fewer = dataclasses.replace(contacts_of(contacts[:4]), counted=counted)
    assert refused(solver.solve, fields_of(bodies), fewer).startswith("contacts.bodies: must be of capacity.contacts rows at least, 8, ")
    for bad in (np.array([4]), np.array([4, 4], np.int32), np.int32(4)):
        assert refused(solver.solve, fields_of(bodies), dataclasses.replace(given, counted=bad)).startswith("contacts.counted: must be ")


def test_a_status_may_be_an_array_of_the_callers(refused: Callable[..., str]) -> None:
    bodies, contacts = fall(np.float64)
    again = bodies.copy(), contacts.copy()
    solver = solver_for(bodies, contacts)
    words = np.zeros(cairn.ContactSolverStatus.WORDS, np.int32)
    solver.enqueue(fields_of(bodies), contacts_of(contacts), status=words, measure_residual=True)
    assert cairn.ContactSolverStatus.of(words) == solver.solve(fields_of(again[0]), contacts_of(again[1]), measure_residual=True)
    assert bodies.tobytes() == again[0].tobytes() and contacts.tobytes() == again[1].tobytes()
    solver.enqueue(fields_of(bodies), contacts_of(contacts))
    for bad, message in (
        (np.zeros(13, np.int32), "status: must be of shape (14,), is of shape (13,)"),
        (np.zeros(14), "status: must be an array of int32, is one of float64"),
        (np.zeros(28, np.int32)[::2], "status: must be contiguous"),
    ):
        assert refused(solver.enqueue, fields_of(bodies), contacts_of(contacts), status=bad) == message
    assert refused(cairn.ContactSolverStatus.of, np.zeros(14)).startswith("words: must be of shape (14,) and int32")


@pytest.mark.parametrize(
    ("record", "field", "item", "value", "flag", "bad"),
    [
        ("bodies", "v", (2, 1), np.nan, "NOT_FINITE", {"bad_body": 2}),
        ("bodies", "x", (1, 0), np.inf, "NOT_FINITE", {"bad_body": 1}),
        ("bodies", "m", 1, -1, "OUT_OF_RANGE", {"bad_body": 1}),
        ("bodies", "q", (0, 3), 2, "OUT_OF_RANGE", {"bad_body": 0}),
        ("contacts", "gap", 7, np.nan, "NOT_FINITE", {"bad_contact": 7}),
        ("contacts", "p", 3, np.nan, "NOT_FINITE", {"bad_contact": 3}),
        ("contacts", "n", (5, 1), -2, "BAD_NORMAL", {"bad_contact": 5}),
        ("contacts", "mu", 5, -1, "OUT_OF_RANGE", {"bad_contact": 5}),
        ("contacts", "bodies", (6, 1), 3, "BODY_INDEX", {"bad_contact": 6}),
    ],
)
def test_what_the_numbers_have_wrong_is_in_the_status_and_touches_nothing(
    record: str, field: str, item: Any, value: float, flag: str, bad: dict[str, int]
) -> None:
    given = dict(zip(("bodies", "contacts"), fall(np.float64, 3)))
    given[record][field][item] = value
    before = {name: array.tobytes() for name, array in given.items()}
    status = solver_for(given["bodies"], given["contacts"]).solve(fields_of(given["bodies"]), contacts_of(given["contacts"]))
    assert status.flags == cairn.ContactSolverFlag[flag] and status.refused
    assert {name: getattr(status, name) for name in ("bad_body", "bad_contact", "bad_joint", "bad_joint_row")} == {
        **dict.fromkeys(("bad_body", "bad_contact", "bad_joint", "bad_joint_row"), -1),
        **bad,
    }
    assert (status.manifolds, status.sweeps, status.residual) == (0, 0, -1)
    assert {name: array.tobytes() for name, array in given.items()} == before


def test_overflow_needs_room() -> None:
    """A plate on 70 cubes touches more than the colours hold."""
    count = 70
    bodies, contacts = cubes(count + 1, np.float64), np.zeros(count, contact_type(np.float64))
    contacts["bodies"] = [(k, count) for k in range(count)]
    contacts["at"] = bodies["x"][:count]
    contacts["n"][:, 1] = 1
    bodies["v"][count, 1] = -1
    status = solver_for(bodies, contacts).solve(fields_of(bodies), contacts_of(contacts))
    assert status.flags == cairn.ContactSolverFlag.OVERFLOW_CAPACITY and status.overflow_needed > status.overflow_available == 0
    capacity = cairn.ContactCapacity(bodies=count + 1, contacts=count, overflow=status.overflow_needed)
    solver = cairn.ContactSolver(capacity, SETTINGS, precision="double")
    assert solver.solve(fields_of(bodies), contacts_of(contacts)).flags == 0
    assert solver.capacity is capacity and bodies["v"][count, 1] > -1


def test_flags_and_kinds_have_the_librarys_numbers() -> None:
    from cairn import _core

    assert tuple(int(flag) for flag in cairn.ContactSolverFlag) == _core._SOLVER_FLAGS
    assert tuple(int(kind) for kind in cairn.SolverRowKind) == _core._SOLVER_ROW_KINDS


# --- joints --------------------------------------------------------------------------------------------------------


def test_a_motor_turns_a_hinge_as_fast_as_its_torque_allows() -> None:
    """A cube on a hinge about z through its centre: I = 1/6, so 0.5 N m turn it by 3 rad/s in 1 s."""
    bodies = cubes(1, np.float64)
    hinge = cairn.JointDef(type="hinge", axes={"about_x": cairn.JointAxis(motor="velocity", target=10, max_force=0.5)})
    rows = cairn.axis_rows(hinge)
    assert cairn.locked_bits(hinge) == 0b110111 and [(row.axis, row.kind) for row in rows] == [(3, cairn.SolverRowKind.VELOCITY_MOTOR)]
    along_z = np.array([[0, -np.sqrt(0.5), 0, np.sqrt(0.5)]])  # turns x to z
    impulse, reaction = np.zeros(1), np.zeros((1, 3))
    axis_rows = cairn.SolverJointRows(
        axis=np.array([row.axis for row in rows], np.int32),
        kind=np.array([row.kind for row in rows], np.int32),
        target=np.array([row.target for row in rows]),
        max_force=np.array([row.max_force for row in rows]),
        impulse=impulse,
    )
    joints = cairn.SolverJoints(
        bodies=np.array([[-1, 0]], np.int32),
        anchor_a=bodies["x"].copy(),
        anchor_b=np.zeros((1, 3)),
        frame_a=along_z,
        frame_b=along_z,
        locked=np.array([cairn.locked_bits(hinge)], np.int32),
        rows=np.array([[0, len(rows)]], np.int32),
        axis_rows=axis_rows,
        linear_impulse=reaction,
    )
    capacity = cairn.ContactCapacity(bodies=1, joints=1, joint_rows=1, rows_of_joint=1)
    solver = cairn.ContactSolver(capacity, SETTINGS, precision="double", warm_start=False)
    for _ in range(64):
        bodies["v"][0] += (0, -8 * STEP, 0)
        assert solver.solve(fields_of(bodies), joints=joints).flags == 0
    assert abs(bodies["w"][0, 2]) == pytest.approx(3, abs=1e-6) and np.abs(bodies["w"][0, :2]).max() < 1e-9
    assert np.abs(bodies["v"]).max() < 1e-9
    assert abs(impulse[0]) == pytest.approx(0.5 * STEP) and reaction[0] == pytest.approx([0, 0, 0], abs=8 * STEP + 1e-9)
    assert np.abs(reaction).max() == pytest.approx(8 * STEP)  # the weight
    bad = dataclasses.replace(joints, axis_rows=dataclasses.replace(axis_rows, kind=np.array([9], np.int32)))
    status = solver.solve(fields_of(bodies), joints=bad)
    assert status.flags == cairn.ContactSolverFlag.OUT_OF_RANGE and status.bad_joint_row == 0


def test_a_worlds_joint_as_a_solvers(refused: Callable[..., str]) -> None:
    slide = cairn.JointDef(type="prismatic", axes={"x": cairn.JointAxis(limits=(-1, 2), stiffness=64, damping=2, rest=0.25)})
    assert cairn.locked_bits(slide) == 0b111110
    assert {row.kind: (row.low, row.high, row.target, row.stiffness) for row in cairn.axis_rows(slide)} == {
        cairn.SolverRowKind.SPRING: (0, 0, 0.25, 64),
        cairn.SolverRowKind.LIMIT: (-1, 2, 0, 0),
    }
    assert refused(cairn.locked_bits, cairn.JointDef(type="black_box", projection=lambda pose: pose)).startswith("joint/type: ")


# --- what is refused before anything is done -----------------------------------------------------------------------


class OnADevice:
    """An array on a device, as far as it says so."""

    def __init__(self, **interface: Any) -> None:
        self.__cuda_array_interface__ = {"shape": (1, 3), "typestr": "<f8", "data": (4096, False), "version": 3, **interface}


class DlpackOnADevice(OnlyDlpack):
    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


def read_only(array: np.ndarray) -> np.ndarray:
    array = as_contiguous(array)
    array.flags.writeable = False
    return array


GOOD = np.zeros((1, 3))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("position", GOOD.astype(np.float32), "must be an array of float64, is one of float32"),
        ("position", GOOD.astype(">f8"), "must be an array of float64, is one of >d"),
        ("position", GOOD.astype(complex), "must be an array of float64, is one of Zd"),
        ("position", GOOD[0], "must be of shape (n, 3), is of shape (3,)"),
        ("position", np.zeros((1, 4)), "must be of shape (n, 3), is of shape (1, 4)"),
        ("position", np.zeros((1, 1, 1, 1, 1)), "must have at most 4 axes, has 5"),
        ("position", [[0, 0, 0]], "must be an array: NumPy's, or another one that has DLPack or __cuda_array_interface__, is [[0, 0, 0]]"),
        ("position", None, "must be an array: NumPy's, or another one that has DLPack or __cuda_array_interface__, is None"),
        ("position", np.zeros(25, np.uint8)[1:].view(np.float64).reshape(1, 3), "its address and strides must be multiples of 8 bytes"),
        ("position", np.zeros((2, 3)), None),
        ("position", OnADevice(), "must be in the host's memory, is on a device"),
        ("position", DlpackOnADevice(GOOD), "must be in the host's memory, is on the device cuda:0"),
        ("position", np.array([["2020-01-01"] * 3], "M8[D]"), "cannot be taken: "),
        ("inverse_mass", np.zeros(2), "must be of shape (1,), is of shape (2,)"),
        ("inverse_inertia", np.zeros((1, 3, 3)), "must be of shape (1, 6), is of shape (1, 3, 3)"),
        ("linear_velocity", np.zeros((2, 3)), "must be of shape (1, 3), is of shape (2, 3)"),
        ("linear_velocity", read_only(GOOD), "must be writable: the solver leaves its results there"),
        ("linear_velocity", np.broadcast_to(np.zeros(1), (1, 3)), "must be writable: the solver leaves its results there"),
        (
            "linear_velocity",
            np.lib.stride_tricks.as_strided(np.zeros(3), (1, 3), (0, 0)),
            "must not have numbers in the same place, since the solver writes them",
        ),
        ("orientation", np.zeros((1, 3)), "must be of shape (1, 4), is of shape (1, 3)"),
    ],
)
def test_arrays_are_refused_with_the_reason(refused: Callable[..., str], field: str, value: Any, message: str | None) -> None:
    bodies, contacts = fall(np.float64)
    before = bodies.tobytes(), contacts.tobytes()
    text = refused(solver_for(bodies, contacts).solve, dataclasses.replace(fields_of(bodies), **{field: value}), contacts_of(contacts))
    if message is None:  # the first array says how many there are
        assert text == "bodies.orientation: must be of shape (2, 4), is of shape (1, 4)"
    else:
        assert text == f"bodies.{field}: {message}" or (message.endswith(": ") and text.startswith(f"bodies.{field}: {message}"))
    assert (bodies.tobytes(), contacts.tobytes()) == before


def test_arrays_must_not_share_what_is_written(refused: Callable[..., str]) -> None:
    bodies, contacts = fall(np.float64, 4)
    solver = solver_for(bodies, contacts)
    room = np.zeros((4, 9))
    given = fields_of(bodies)
    moved = dataclasses.replace(given, linear_velocity=room[:, :3], angular_velocity=room[:, 3:6], linear_move=room[:, 6:], angular_move=None)
    assert solver.solve(moved, contacts_of(contacts)).flags == 0
    for wrong, name, other in (
        ({"angular_velocity": room[:, 2:5]}, "linear_velocity", "angular_velocity"),
        ({"position": room[::-1, :3]}, "linear_velocity", "position"),
        ({"position": room.reshape(-1)[:12].reshape(4, 3)}, "linear_velocity", "position"),
        ({"linear_move": room[:, :3]}, "linear_velocity", "linear_move"),
    ):
        text = refused(solver.solve, dataclasses.replace(moved, **wrong), contacts_of(contacts))
        assert text == f"bodies.{name}: must not share memory with bodies.{other}, since the solver writes it"
    windows = np.lib.stride_tricks.as_strided(np.zeros(16), (4, 3), (16, 8))
    assert refused(solver.solve, dataclasses.replace(given, linear_velocity=windows), contacts_of(contacts)).startswith(
        "bodies.linear_velocity: must not have "
    )
    columns = np.zeros((3, 4))
    assert solver.solve(dataclasses.replace(given, linear_velocity=columns.T), contacts_of(contacts)).flags == 0
    shared = dataclasses.replace(contacts_of(contacts), normal_impulse=room.reshape(-1)[:16])
    assert refused(solver.solve, moved, shared) == "bodies.linear_velocity: must not share memory with contacts.normal_impulse, since the solver writes it"


def test_too_many_and_wrong_records_are_refused(refused: Callable[..., str]) -> None:
    bodies, contacts = fall(np.float64, 2)
    solver = solver_for(bodies[:1], contacts)
    assert refused(solver.solve, fields_of(bodies)) == "bodies.position: must be of capacity.bodies rows at most, 1, is of 2"
    assert solver_for(bodies, contacts[:4]).solve(fields_of(bodies), contacts_of(contacts)).flags == cairn.ContactSolverFlag.CONTACT_CAPACITY
    assert refused(solver.solve, bodies) == "bodies: must be SolverBodies, is ndarray"
    assert refused(solver.solve, fields_of(bodies[:1]), contacts) == "contacts: must be SolverContacts or None, is ndarray"
    assert refused(solver.solve, fields_of(bodies[:1]), None, 3) == "joints: must be SolverJoints or None, is int"
    assert refused(cairn.ContactSolver, 5) == "capacity: must be a ContactCapacity, is 5"
    assert refused(cairn.ContactSolver, cairn.ContactCapacity(bodies=-1)) == "capacity/bodies: must be a whole number from 0 to 134217728, is -1"
    assert refused(cairn.ContactSolver, cairn.ContactCapacity(joint_rows=1.5)).startswith("capacity/joint_rows: must be a whole number")
    capacity = cairn.ContactCapacity(bodies=1)
    assert refused(cairn.ContactSolver, capacity, tolerance=1e-3).startswith("settings.tolerance: must be 0 for a ContactSolver")
    assert refused(cairn.ContactSolver, capacity, iteration=3) == "settings.iteration: there is no such setting; did you mean iterations, max_iterations?"


def test_nothing_at_all_is_no_error() -> None:
    bodies, contacts = fall(np.float64)
    status = solver_for(bodies[:0], contacts[:0]).solve(fields_of(bodies[:0]), contacts_of(contacts[:0]), measure_residual=True)
    assert (status.flags, status.contacts_needed, status.residual) == (0, 0, 0)


# --- lifetimes and threads -----------------------------------------------------------------------------------------


def test_a_call_keeps_no_array() -> None:
    bodies, contacts = fall(np.float64)
    solver = solver_for(bodies, contacts)
    given, touching = fields_of(bodies), contacts_of(contacts)
    exported = OnlyDlpack(as_contiguous(bodies["x"]))
    counts = sys.getrefcount(given.linear_velocity), sys.getrefcount(exported.array)
    for _ in range(3):
        solver.solve(dataclasses.replace(given, position=exported), touching)
    gc.collect()
    assert (sys.getrefcount(given.linear_velocity), sys.getrefcount(exported.array)) == counts


def test_one_solver_serves_threads_one_after_the_other() -> None:
    expected, touching = fall(np.float64, 50)
    solver = solver_for(expected, touching)
    solver.solve(fields_of(expected), contacts_of(touching))

    def work(_: int) -> bytes:
        bodies, contacts = fall(np.float64, 50)
        assert solver.solve(fields_of(bodies), contacts_of(contacts)).flags == 0
        return bodies.tobytes()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert set(pool.map(work, range(40))) == {expected.tobytes()}
