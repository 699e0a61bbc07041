"""Contact problems that stand alone, and their solution."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _core
from ._arrays import ArrayInput, FloatArray, IntArray, float_array, host_array, shape_text
from ._errors import InvalidInput
from ._settings import SettingValue, merged, solver_settings

BLOCK = 3  # a contact's components: normal, tangent 1, tangent 2
MOST = np.iinfo(np.int32).max
SOLVER_SETTINGS = solver_settings()


@dataclasses.dataclass(frozen=True, eq=False)
class SparseMatrix:
    """A matrix compressed by rows, with SciPy's names: `data`, `indices` and `indptr` are those of its ``csr_array``, or of its ``bsr_array`` where `data`
    has blocks."""

    data: FloatArray
    """(nonzeros,) float64, or (blocks, 3, 3)."""
    indices: IntArray
    """(nonzeros,) or (blocks,) int32: columns, ascending within a row."""
    indptr: IntArray
    """(rows + 1,) int32: where each row, or row of blocks, begins."""
    shape: tuple[int, int]
    """Rows and columns."""

    def to_dense(self) -> FloatArray:
        """The matrix with its zeros, of `shape`."""
        rows = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        if self.data.ndim == 1:
            out = np.zeros(self.shape)
            out[rows, self.indices] = self.data
            return out
        size = self.data.shape[1]
        blocks = np.zeros((self.shape[0] // size, self.shape[1] // size, size, size))
        blocks[rows, self.indices] = self.data
        return np.ascontiguousarray(blocks.transpose(0, 2, 1, 3)).reshape(self.shape)

    def to_scipy(self) -> Any:
        """SciPy's ``csr_array`` or ``bsr_array`` of the same matrix. Needs SciPy."""
        import scipy.sparse

        make = scipy.sparse.csr_array if self.data.ndim == 1 else scipy.sparse.bsr_array
        return make((self.data, self.indices, self.indptr), shape=self.shape)


MatrixLike = Any
"""A dense (rows, columns) array of float64, a matrix or array of SciPy's in any form, or anything with `data`, `indices`, `indptr` and `shape`."""


@dataclasses.dataclass(frozen=True, eq=False)
class ContactSolution:
    """Impulses and velocities, contact by contact in the order (normal, tangent 1, tangent 2)."""

    r: FloatArray
    """(contacts, 3) float64: impulses [N s]."""
    u: FloatArray
    """(contacts, 3) float64: relative velocities; u[:, 0] > 0 separates [m/s]."""
    v: FloatArray
    """(dofs,) float64: velocities of the global form; empty for the local one."""


@dataclasses.dataclass(frozen=True)
class ContactResidual:
    """How far a solution is from the contact law (docs/contact-problems.md)."""

    residual: float
    """Relative, of all contacts together [-]: what other solvers report."""
    residual_scaled: float
    """Of the worst contact, without dependence on units [-]."""
    open: int
    """Contacts by their impulse and velocity."""
    sticking: int
    sliding: int


@dataclasses.dataclass(frozen=True, eq=False)
class ContactSolveResult(ContactSolution, ContactResidual):
    """What `solve` found: the best that was seen, by the residual."""

    status: str
    """``solved``, ``iteration_limit``, ``time_limit``, ``no_solution``, ``polygon_solved`` (docs/contact-problems.md)."""
    solver: str
    """The method that gave the solution."""
    iterations: int
    """Sweeps, or steps of the method."""
    milliseconds: float
    """Of the solve alone."""


class ContactProblem:
    """A frictional contact problem.

    Per contact i the impulse r_i and the relative velocity u_i have the components (normal, tangent 1, tangent 2); u_n > 0 separates:

        local form    u = W r + q
        global form   M v = H r + f,   u = H^T v + w
        law           |r_T| <= mu r_n;  r and u + mu |u_T| (1, 0, 0) are perpendicular, the latter in the dual cone

    Made by `local_form`, `global_form`, `load` or `World.contact_problem`, and not changed after.
    """

    __slots__ = ("_native",)
    _native: _core.ContactProblem

    def __init__(self) -> None:
        raise TypeError("a ContactProblem is made by local_form, global_form, load or World.contact_problem")

    @classmethod
    def _of(cls, core: _core.ContactProblem) -> ContactProblem:
        problem = cls.__new__(cls)
        problem._native = core
        return problem

    @classmethod
    def local_form(cls, W: MatrixLike, q: ArrayInput, friction: ArrayInput, *, name: str = "", source: str = "") -> ContactProblem:
        """The local form, of n contacts: W (3 n, 3 n) [1/kg], symmetric and positive semidefinite; q (3 n,) [m/s]; friction (n,) >= 0 [-].

        Arrays are float64 and contiguous. Raises InvalidInput for arrays that do not fit each other or are not finite; what a solution needs besides
        (symmetry, definiteness) is asked for by `validate` and `solve`.
        """
        mu = float_array(friction, "friction", (None,))
        size = BLOCK * len(mu)
        core = _core.ContactProblem.local_form(_blocks(W, "W", size), float_array(q, "q", (size,)), mu)
        core.name, core.source = name, source
        return cls._of(core)

    @classmethod
    def global_form(
        cls,
        M: MatrixLike,
        H: MatrixLike,
        f: ArrayInput,
        w: ArrayInput,
        friction: ArrayInput,
        *,
        dofs_per_body: int = 0,
        name: str = "",
        source: str = "",
    ) -> ContactProblem:
        """The global form, of n contacts and d dofs: M (d, d) [kg], symmetric positive definite; H (d, 3 n); f (d,) [N s]; w (3 n,) [m/s];
        friction (n,) >= 0 [-].

        `dofs_per_body`: 6 where body b owns the dofs 6 b to 6 b + 5; 0: not known. Raises InvalidInput as `local_form` does.
        """
        mu = float_array(friction, "friction", (None,))
        forces = float_array(f, "f", (None,))
        size = BLOCK * len(mu)
        if dofs_per_body not in (0, 6):
            raise InvalidInput("dofs_per_body", f"must be 0 or 6, is {dofs_per_body!r}")
        core = _core.ContactProblem.global_form(
            _rows(M, "M", (len(forces), len(forces))), _rows(H, "H", (len(forces), size)), forces, float_array(w, "w", (size,)), mu
        )
        core.name, core.source, core.dofs_per_body = name, source, dofs_per_body
        return cls._of(core)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ContactProblem:
        """Reads a file: .json, or FCLib's .hdf5 and .h5 (docs/contact-problems.md). W and M come out symmetrised.

        Raises InvalidInput naming file, field and reason.
        """
        return cls._of(_core.ContactProblem.load(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the form that the path's ending says, as `load` reads it. Raises InvalidInput where the file cannot be written."""
        self._native.save(os.fspath(path))

    def validate(self) -> None:
        """Raises InvalidInput for what `solve` would refuse: asymmetric or indefinite matrices, negative friction and the like."""
        self._native.validate("problem")

    def condensed(self) -> ContactProblem:
        """The same problem in the local form: W = H^T M^-1 H, q = H^T M^-1 f + w."""
        return ContactProblem._of(self._native.condensed())

    def residual(self, r: ArrayInput, v: ArrayInput | None = None) -> ContactResidual:
        """The residual of impulses r (contacts, 3) [N s], and in the global form velocities v (dofs,) [m/s]; u is computed from them."""
        velocities = None if v is None else float_array(v, "v", (None,))
        return ContactResidual(**self._native.residual(float_array(r, "r", (self.contacts, BLOCK)), velocities))

    @property
    def name(self) -> str:
        """May be empty."""
        return self._native.name

    @property
    def source(self) -> str:
        """Where it is from, free text."""
        return self._native.source

    @property
    def form(self) -> str:
        """``local`` or ``global``."""
        return "local" if self._native.is_local else "global"

    @property
    def contacts(self) -> int:
        """Contacts."""
        return self._native.contacts

    @property
    def friction(self) -> FloatArray:
        """(contacts,) float64 [-]. A copy, as are the following."""
        return self._native.friction

    @property
    def W(self) -> SparseMatrix:
        """Local form: (3 contacts, 3 contacts), in blocks of 3 by 3 [1/kg]."""
        rows, indptr, indices, data = self._native.W
        return SparseMatrix(data, indices, indptr, (BLOCK * rows, BLOCK * rows))

    @property
    def q(self) -> FloatArray:
        """Local form: (3 contacts,) float64 [m/s]."""
        return self._native.q

    @property
    def M(self) -> SparseMatrix:
        """Global form: (dofs, dofs) [kg]."""
        return _matrix(self._native.M)

    @property
    def H(self) -> SparseMatrix:
        """Global form: (dofs, 3 contacts)."""
        return _matrix(self._native.H)

    @property
    def f(self) -> FloatArray:
        """Global form: (dofs,) float64 [N s]."""
        return self._native.f

    @property
    def w(self) -> FloatArray:
        """Global form: (3 contacts,) float64 [m/s]."""
        return self._native.w

    @property
    def dofs_per_body(self) -> int:
        """6 where body b owns the dofs 6 b to 6 b + 5; 0: not known."""
        return self._native.dofs_per_body

    @property
    def reference(self) -> ContactSolution | None:
        """A reference solution that came with the problem."""
        solution = ContactSolution(*self._native.reference)
        return solution if len(solution.r) > 0 else None

    def __repr__(self) -> str:
        return f"<cairn.ContactProblem {self.name!r}: {self.contacts} contacts, {self.form} form>"


def load_problem(path: str | os.PathLike[str]) -> ContactProblem:
    """`ContactProblem.load`."""
    return ContactProblem.load(path)


def solve(
    problem: ContactProblem,
    settings: Mapping[str, SettingValue] | None = None,
    *,
    progress: Callable[[int, float], object] | None = None,
    **more: SettingValue,
) -> ContactSolveResult:
    """Solves a contact problem, with the same bits for any number of threads and on both backends.

    `settings` and keyword arguments are settings by name, the latter first; `solver_settings` lists them. `progress` is called whenever the residual has
    been evaluated, with the iterations and the best residual so far (Lemke: with each pivot and NaN); what it raises ends the solve, as does Ctrl-C.
    Raises InvalidInput for settings out of range or a problem that is not valid.
    """
    if not isinstance(problem, ContactProblem):
        raise InvalidInput("problem", f"must be a ContactProblem, is {problem!r}")
    if progress is not None and not callable(progress):
        raise InvalidInput("progress", f"must be a function, is {progress!r}")
    return ContactSolveResult(**_core.solve(problem._native, merged(settings, more, SOLVER_SETTINGS), progress))


def _matrix(parts: tuple[int, int, IntArray, IntArray, FloatArray]) -> SparseMatrix:
    rows, columns, indptr, indices, data = parts
    return SparseMatrix(data, indices, indptr, (rows, columns))


def _require_shape(shape: tuple[int, ...], place: str, wanted: tuple[int, int]) -> None:
    if tuple(shape) != wanted:
        raise InvalidInput(place, f"must be of shape {shape_text(wanted)}, is of shape {shape_text(tuple(shape))}")


def _indices(values: Any, place: str) -> IntArray:
    array = host_array(values, place)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InvalidInput(place, f"must be an array of whole numbers of shape (n,), is one of {array.dtype} of shape {shape_text(array.shape)}")
    if array.size > 0 and (array.min() < 0 or array.max() > MOST):
        raise InvalidInput(place, f"must be from 0 to {MOST}, reaches from {array.min()} to {array.max()}")
    return np.ascontiguousarray(array, dtype=np.int32)


def _compressed(matrix: Any, place: str, data_shape: tuple[int | None, ...]) -> tuple[IntArray, IntArray, FloatArray]:
    indptr, indices = _indices(matrix.indptr, f"{place}.indptr"), _indices(matrix.indices, f"{place}.indices")
    data = float_array(matrix.data, f"{place}.data", data_shape)
    if len(indices) != len(data) or len(indptr) == 0 or indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
        raise InvalidInput(place, f"its indptr, {len(indices)} indices and {len(data)} data do not fit each other")
    return indptr, indices, data


def _is_compressed(matrix: Any) -> bool:
    return all(hasattr(matrix, name) for name in ("data", "indices", "indptr", "shape"))


def _rows(matrix: MatrixLike, place: str, shape: tuple[int, int]) -> tuple[int, int, IntArray, IntArray, FloatArray]:
    """The parts of a matrix compressed by rows: rows, columns, indptr, indices, data."""
    if hasattr(matrix, "tocsr"):  # SciPy's, in whatever form
        _require_shape(matrix.shape, place, shape)
        matrix = _sorted(matrix.tocsr(copy=True))
    if _is_compressed(matrix):
        _require_shape(matrix.shape, place, shape)
        return (*shape, *_compressed(matrix, place, (None,)))
    dense = float_array(matrix, place, shape)
    rows, columns = np.nonzero(dense)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=shape[0]))])
    return (*shape, indptr.astype(np.int32), columns.astype(np.int32), np.ascontiguousarray(dense[rows, columns]))


def _blocks(matrix: MatrixLike, place: str, size: int) -> tuple[int, int, IntArray, IntArray, FloatArray]:
    """The same of blocks of 3 by 3: rows and columns of blocks, and data without their two axes."""
    count = size // BLOCK
    if hasattr(matrix, "tobsr"):
        _require_shape(matrix.shape, place, (size, size))
        matrix = _sorted(matrix.tobsr(blocksize=(BLOCK, BLOCK), copy=True))
    if _is_compressed(matrix):
        _require_shape(matrix.shape, place, (size, size))
        indptr, indices, data = _compressed(matrix, place, (None, BLOCK, BLOCK))
        return count, count, indptr, indices, data.reshape(-1)
    dense = float_array(matrix, place, (size, size))
    blocks = dense.reshape(count, BLOCK, count, BLOCK).transpose(0, 2, 1, 3)
    kept = blocks.any(axis=(2, 3)) | np.eye(count, dtype=bool)  # the diagonal is always there
    rows, columns = np.nonzero(kept)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))])
    return count, count, indptr.astype(np.int32), columns.astype(np.int32), np.ascontiguousarray(blocks[rows, columns]).reshape(-1)


def _sorted(matrix: Any) -> Any:
    matrix.sum_duplicates()
    matrix.sort_indices()
    return matrix
