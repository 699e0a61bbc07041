"""Contacts and joints of somebody else's simulator, solved in the caller's arrays."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import SupportsDLPack, host_array
from ._errors import InvalidInput
from ._scene import JointDef
from ._settings import SettingValue, merged, world_settings

WORLD_SETTINGS = world_settings()


class SupportsCudaArrayInterface:
    """For type checkers: whatever has ``__cuda_array_interface__``."""

    __cuda_array_interface__: dict[str, Any]


CallerArray = Union[npt.NDArray[Any], SupportsDLPack, SupportsCudaArrayInterface, _core.Array]


@dataclasses.dataclass(frozen=True)
class ContactCapacity:
    """How many of each a call may have: whole numbers from 0 to 2^27."""

    bodies: int = 0
    contacts: int = 0
    """Points."""
    joints: int = 0
    joint_rows: int = 0
    """Axis rows of all joints."""
    rows_of_joint: int = 0
    """Axis rows of one joint."""
    overflow: int = 0
    """Manifolds and joints for which no colour is left, those of bodies that touch more than 64 others. With 0 nobody looks for them, and a call that has
    some is refused."""


@dataclasses.dataclass(frozen=True, eq=False)
class SolverBodies:
    """Bodies, n of them. All but those that are None by default must be there; the last four are written."""

    position: CallerArray
    """(n, 3): centres of mass, world [m]."""
    inverse_mass: CallerArray
    """(n,) [1/kg], >= 0. 0, with an inverse inertia of 0: contacts do not move the body."""
    inverse_inertia: CallerArray
    """(n, 6): about the centre of mass, in the body's axes, or the world's without orientations: xx, yy, zz, xy, xz, yz [1/(kg m^2)]; positive
    semidefinite."""
    linear_velocity: CallerArray
    """(n, 3): of the centres of mass [m/s]; in and out."""
    angular_velocity: CallerArray
    """(n, 3): world [rad/s]; in and out."""
    orientation: CallerArray | None = None
    """(n, 4): unit quaternions x, y, z, w, body to world."""
    linear_move: CallerArray | None = None
    """(n, 3), out: the velocity to move the body with, in which penetrations are being corrected [m/s]."""
    angular_move: CallerArray | None = None
    """(n, 3), out [rad/s]."""


@dataclasses.dataclass(frozen=True, eq=False)
class SolverContacts:
    """Contact points, n of them. Consecutive ones of the same bodies, normal, friction and restitution, to the bit, are a manifold of up to four."""

    bodies: CallerArray
    """(n, 2) int32: A and B; -1: the world, which nothing moves."""
    point: CallerArray
    """(n, 3): midway between the surfaces, world [m]."""
    normal: CallerArray
    """(n, 3): from A to B, world, of length 1 to within 0.0005."""
    separation: CallerArray
    """(n,): along the normal [m], negative is penetration."""
    friction: CallerArray
    """(n,) [-], >= 0."""
    restitution: CallerArray | None = None
    """(n,) [-], 0 to 1: costs 16 more sweeps, whose impulses are not among those that come out."""
    normal_impulse: CallerArray | None = None
    """(n,) [N s]: to start from, with the setting ``warm_start``, and the result."""
    friction_impulse: CallerArray | None = None
    """(n, 3): on B, in the contact's plane, world [N s]; likewise."""
    counted: CallerArray | None = None
    """(1,) int32: how many of the points there are, read when the work runs. The arrays then have as many rows as the capacity, or more."""


class SolverRowKind(enum.IntEnum):
    """What an axis row does, on one degree of freedom that the joint leaves free."""

    LIMIT = 0
    """low <= coordinate <= high."""
    VELOCITY_MOTOR = 1
    """Towards the velocity `target` with at most `max_force`; friction is one with the target 0."""
    POSITION_MOTOR = 2
    """Towards the coordinate `target` with at most `max_force`."""
    SPRING = 3
    """`stiffness` and `damping`, towards `target`."""
    DISTANCE = 4
    """low <= distance of the frames' origins <= high; of a joint that locks nothing."""
    GEAR = 5
    """The spin of A about x of its frame plus `ratio` times that of B stays zero; likewise."""


@dataclasses.dataclass(frozen=True, eq=False)
class SolverJointRows:
    """Axis rows of all joints, r of them, those of a joint one after the other. Units are those of the axis: m, N and N s, or rad, N m and N m s. Arrays that
    are not there count as 0, a ratio as 1; infinities of low, high and max_force as no bound."""

    axis: CallerArray
    """(r,) int32: 0, 1, 2 along x, y, z of frame A; 3, 4, 5 about them."""
    kind: CallerArray
    """(r,) int32: a `SolverRowKind`."""
    low: CallerArray | None = None
    """(r,), <= high."""
    high: CallerArray | None = None
    """(r,)."""
    target: CallerArray | None = None
    """(r,)."""
    max_force: CallerArray | None = None
    """(r,), >= 0."""
    stiffness: CallerArray | None = None
    """(r,), >= 0."""
    damping: CallerArray | None = None
    """(r,), >= 0."""
    ratio: CallerArray | None = None
    """(r,): of gears."""
    phase: CallerArray | None = None
    """(r,): of gears, how far they have run out of step so far [rad]."""
    impulse: CallerArray | None = None
    """(r,): to start from, and the result."""


@dataclasses.dataclass(frozen=True, eq=False)
class SolverJoints:
    """Joints, n of them. Frame B is seen from frame A; both lie in their bodies, those of the world in the world."""

    bodies: CallerArray
    """(n, 2) int32: A and B; -1: the world."""
    anchor_a: CallerArray
    """(n, 3): origin of the frame, from the body's centre of mass, in the body's axes [m]; of the world: in the world."""
    anchor_b: CallerArray
    """(n, 3) [m]."""
    locked: CallerArray
    """(n,) int32: bits 0 to 5 for the translations along x, y, z of frame A, and the turns about them, that the joint does not allow."""
    frame_a: CallerArray | None = None
    """(n, 4): joint frame to body, x, y, z, w. None: the body's axes."""
    frame_b: CallerArray | None = None
    """(n, 4)."""
    rows: CallerArray | None = None
    """(n, 2) int32: its first axis row, and how many it has."""
    axis_rows: SolverJointRows | None = None
    linear_impulse: CallerArray | None = None
    """(n, 3): of the locked translations, on B, in the axes of frame A [N s]: to start from, and the result."""
    angular_impulse: CallerArray | None = None
    """(n, 3): of the locked turns [N m s]; likewise."""


@dataclasses.dataclass(frozen=True)
class SolverJointRow:
    """One axis row, as `axis_rows` lists them."""

    axis: int
    kind: SolverRowKind
    low: float = 0.0
    high: float = 0.0
    target: float = 0.0
    max_force: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    ratio: float = 1.0


class ContactSolverFlag(enum.IntFlag):
    """Why a call was refused. It has left the caller's arrays as they were."""

    CONTACT_CAPACITY = 1
    """More contacts than there is room for: `contacts_needed`, `contacts_available`."""
    OVERFLOW_CAPACITY = 2
    """More manifolds without a colour: `overflow_needed`, `overflow_available`."""
    NOT_FINITE = 4
    """A number is infinite or NaN: `bad_body`, `bad_contact`, `bad_joint` or `bad_joint_row` says where."""
    BODY_INDEX = 8
    """A contact or joint of a body that is not there, or of a body with itself."""
    BAD_NORMAL = 16
    """A normal whose length is not 1: `bad_contact`."""
    OUT_OF_RANGE = 32
    """Negative mass, inertia or friction, restitution beyond 0 to 1, a quaternion whose length is not 1; of joints: a row that is not there, on a locked
    axis, of no kind, or with numbers out of range."""
    RESULT_NOT_FINITE = 64
    """The velocities would become infinite or NaN: `bad_body`."""


@dataclasses.dataclass(frozen=True)
class ContactSolverStatus:
    """What a call did. Of a refused one, `manifolds` and what follows are 0, and the residual is -1."""

    flags: ContactSolverFlag
    """0: done."""
    contacts_needed: int
    contacts_available: int
    overflow_needed: int
    overflow_available: int
    bad_body: int
    """The first of each that is wrong; -1: none."""
    bad_contact: int
    bad_joint: int
    bad_joint_row: int
    manifolds: int
    colours: int
    sweeps: int
    """Iterations and relaxations."""
    residual: float
    """Natural-map residual of the contact problem, scaled as ``StepReport.residual_max`` [-]; -1: not measured."""
    velocity_scale: float
    """That it is scaled by [m/s]."""

    WORDS = 14
    """Words of 4 bytes that a call's `status` has."""

    @property
    def refused(self) -> bool:
        """Whether the call has left everything as it was."""
        return self.flags != 0

    @classmethod
    def of(cls, words: Any) -> ContactSolverStatus:
        """From the (14,) int32 that a call has left as its status, copied to the host: ``ContactSolverStatus.of(status.cpu())``.

        Raises InvalidInput for an array of another type or shape, or on a device."""
        array = host_array(words, "words")
        if array.dtype != np.int32 or array.shape != (cls.WORDS,):
            raise InvalidInput("words", f"must be of shape (14,) and int32, is of shape {array.shape} and {array.dtype}")
        whole = [int(word) for word in array[:-2]]
        return cls(ContactSolverFlag(whole[0]), *whole[1:], *(float(number) for number in np.ascontiguousarray(array[-2:]).view(np.float32)))


class ContactSolver:
    """Solves contacts and joints where the caller has them: velocities and impulses change in place, poses stay the caller's.

    Arrays are NumPy's, or of anything else with DLPack or ``__cuda_array_interface__`` (PyTorch, CuPy, JAX, Warp, Numba), in the memory of the solver's
    backend. Numbers are float32, or float64 with ``precision="double"``; indices and counts are int32. Nothing is copied: any strides will do, members of
    structured arrays among them, and so will ``numpy.broadcast_to`` where the solver only reads. The last axis has an item's components.

    The result's bits depend on the numbers in the arrays, the order of contacts and joints, and the settings alone: not on backend, threads, strides,
    capacities, or what was solved before.

    Threads: calls from several threads are served one after the other, without the interpreter's lock.
    """

    __slots__ = ("_capacity", "_native")
    _capacity: ContactCapacity
    _native: _core.ContactSolver

    def __init__(self, capacity: ContactCapacity, settings: Mapping[str, SettingValue] | None = None, **more: SettingValue) -> None:
        """For calls of so many bodies, contacts and joints.

        `settings` and keyword arguments are settings of a `World` of which a call is one substep (docs/contact-solver.md lists those that count).

        Raises InvalidInput for a capacity or setting out of range, and for a tolerance, friction stabilization, position corrections, shock propagation
        and solvers but ``pgs`` and ``jacobi``; DeviceError where the backend cannot be had.
        """
        if not isinstance(capacity, ContactCapacity):
            raise InvalidInput("capacity", f"must be a ContactCapacity, is {capacity!r}")
        self._capacity = capacity
        self._native = _core.ContactSolver(capacity, merged(settings, more, WORLD_SETTINGS))

    def solve(
        self, bodies: SolverBodies, contacts: SolverContacts | None = None, joints: SolverJoints | None = None, *, measure_residual: bool = False
    ) -> ContactSolverStatus:
        """One call on the CPU, done when it returns; its status.

        `measure_residual`: a pass over all points more. Raises InvalidInput, with nothing changed, for a solver on CUDA, and for arrays of another type,
        shape or device, too many for the capacity, not aligned, read-only where the solver writes, or sharing memory with what it writes. All else (a number
        that is not finite, an index of no body) is in the status, and then nothing has changed either.
        """
        status = self._native.solve(*_records(bodies, contacts, joints), measure_residual)
        return ContactSolverStatus(ContactSolverFlag(status.pop("flags")), **status)

    def enqueue(
        self,
        bodies: SolverBodies,
        contacts: SolverContacts | None = None,
        joints: SolverJoints | None = None,
        *,
        status: CallerArray | None = None,
        workspace: CallerArray | None = None,
        stream: int = 0,
        measure_residual: bool = False,
    ) -> None:
        """One call on either backend. On CUDA it is queued, waits for nothing, and may be captured in a graph; on the CPU it is done when it returns.

        `status`: (14,) int32, contiguous, which the call leaves its status in (`ContactSolverStatus.of` reads it). `workspace`: on CUDA (n,) uint8 of
        `workspace_bytes` at least, whose address is a multiple of 256; it may be given to other work behind the call. None: memory of the solver's own, which
        the first such call makes, and calls on one stream share. `stream`: on CUDA the address of a stream of the solver's device
        (``torch.cuda.current_stream().cuda_stream``); 0: the default stream. Arrays must live until the work is done, as for any kernel; those that come by
        DLPack are waited for on the stream, those by ``__cuda_array_interface__`` must be ready there. Raises InvalidInput as `solve`, also for a workspace
        that is too small.
        """
        self._native.enqueue(*_records(bodies, contacts, joints), status, workspace, stream, measure_residual)

    @property
    def capacity(self) -> ContactCapacity:
        """What it was made for."""
        return self._capacity

    @property
    def settings(self) -> dict[str, SettingValue]:
        """All settings by name. A copy."""
        return self._native.settings

    @property
    def backend(self) -> str:
        """``cpu`` or ``cuda``: whose memory a call's arrays are in."""
        return self._native.backend

    @property
    def workspace_bytes(self) -> int:
        """How much workspace a call needs, whatever its contacts are. On the CPU 0."""
        return self._native.workspace_bytes

    def __repr__(self) -> str:
        return f"<cairn.ContactSolver: {self._capacity.bodies} bodies, {self._capacity.contacts} contacts, {self._capacity.joints} joints on {self.backend}>"


def _records(
    bodies: SolverBodies, contacts: SolverContacts | None, joints: SolverJoints | None
) -> tuple[SolverBodies, SolverContacts | None, SolverJoints | None]:
    if not isinstance(bodies, SolverBodies):
        raise InvalidInput("bodies", f"must be SolverBodies, is {type(bodies).__name__}")
    if contacts is not None and not isinstance(contacts, SolverContacts):
        raise InvalidInput("contacts", f"must be SolverContacts or None, is {type(contacts).__name__}")
    if joints is not None:
        if not isinstance(joints, SolverJoints):
            raise InvalidInput("joints", f"must be SolverJoints or None, is {type(joints).__name__}")
        if joints.axis_rows is not None and not isinstance(joints.axis_rows, SolverJointRows):
            raise InvalidInput("joints.axis_rows", f"must be SolverJointRows or None, is {type(joints.axis_rows).__name__}")
    return bodies, contacts, joints


def locked_bits(joint: JointDef) -> int:
    """A World's joint as a solver's: the bits of `SolverJoints.locked`. Raises InvalidInput for a joint that is not valid, or a black box."""
    return _core.locked_bits(joint)


def axis_rows(joint: JointDef) -> list[SolverJointRow]:
    """A World's joint as a solver's: its axis rows, in a World's order. Raises InvalidInput as `locked_bits` does."""
    return [SolverJointRow(axis, SolverRowKind(kind), *numbers) for axis, kind, *numbers in _core.axis_rows(joint)]
