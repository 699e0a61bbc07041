"""Arrays that a caller passes in: what is taken as it is, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Union

import numpy as np
import numpy.typing as npt

from ._errors import InvalidInput

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]


class SupportsDLPack(Protocol):
    """An array of any library that speaks DLPack: PyTorch, JAX, CuPy and others."""

    @property
    def __dlpack__(self) -> Any: ...


ArrayInput = Union[FloatArray, SupportsDLPack, Sequence[float], Sequence[Sequence[float]]]


def host_array(value: Any, place: str) -> npt.NDArray[Any]:
    """The array behind a value, without a copy where it is one: of NumPy, or of anything that speaks DLPack."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(place, f"must be an array in the host's memory: {error}") from error
    try:
        return np.asarray(value)
    except ValueError as error:
        raise InvalidInput(place, f"must be an array of numbers: {error}") from error


def shape_text(shape: tuple[int | None, ...]) -> str:
    sizes = ", ".join("n" if size is None else str(size) for size in shape)
    return f"({sizes},)" if len(shape) == 1 else f"({sizes})"


def float_array(value: Any, place: str, shape: tuple[int | None, ...], *, finite: bool = True) -> FloatArray:
    """Checks an array of float64 of this shape, where None stands for any size. Lists become arrays; arrays are never converted: one of another type, or
    one with gaps, is refused instead of being copied in silence."""
    array = host_array(value, place)
    if array is not value and not hasattr(value, "__dlpack__") and array.dtype.kind in "iuf":
        array = np.ascontiguousarray(array, dtype=np.float64)
    if array.dtype != np.float64:
        raise InvalidInput(place, f"must be an array of float64, is one of {array.dtype}")
    fits = array.ndim == len(shape) and all(want is None or have == want for have, want in zip(array.shape, shape))
    if not fits:
        raise InvalidInput(place, f"must be of shape {shape_text(shape)}, is of shape {shape_text(array.shape)}")
    if not array.flags.c_contiguous:
        raise InvalidInput(place, "must be contiguous, rows one after the other (numpy.ascontiguousarray makes it so)")
    if finite:
        require_finite(array, place)
    return array


def require_finite(array: npt.NDArray[Any], place: str) -> None:
    good = np.isfinite(array)
    if not good.all():
        index = tuple(int(i) for i in np.argwhere(~good)[0])
        where = ", ".join(map(str, index))
        raise InvalidInput(f"{place}[{where}]", f"must be a finite number, is {array[index]}")
