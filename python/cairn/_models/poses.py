"""Poses as pairs of arrays: a position, and a quaternion (x, y, z, w) that turns local vectors into outer ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._arrays import FloatArray


class Placed(NamedTuple):
    """Where a frame lies in another one."""

    position: FloatArray
    """(3,) [m]"""
    orientation: FloatArray
    """(4,) unit quaternion (x, y, z, w)."""

    def __matmul__(self, inner: Placed) -> Placed:
        """The pose of what has the pose `inner` in this frame."""
        return Placed(self.position + rotated(self.orientation, inner.position), product(self.orientation, inner.orientation))

    def inverse(self) -> Placed:
        """This frame's outer frame, as this frame sees it."""
        back = conjugate(self.orientation)
        return Placed(-rotated(back, self.position), back)


def placed(position: Any, quaternion: Any) -> Placed:
    """From MuJoCo's position and quaternion (w, x, y, z)."""
    w, x, y, z = (float(value) for value in quaternion)
    turn = np.array([x, y, z, w])
    length = float(np.linalg.norm(turn))
    return Placed(np.array(position, dtype=float), turn / length if length > 0 else np.array([0.0, 0.0, 0.0, 1.0]))


def product(a: FloatArray, b: FloatArray) -> FloatArray:
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def conjugate(q: FloatArray) -> FloatArray:
    return np.append(-q[:3], q[3])


def rotated(q: FloatArray, v: FloatArray) -> FloatArray:
    t = 2 * np.cross(q[:3], v)
    turned: FloatArray = v + q[3] * t + np.cross(q[:3], t)
    return turned


def matrix_of(q: FloatArray) -> FloatArray:
    """(3, 3): its columns are the frame's axes."""
    return np.stack([rotated(q, axis) for axis in np.eye(3)], axis=1)


def turn_about(axis: FloatArray, angle: float) -> FloatArray:
    return np.append(np.sin(angle / 2) * axis, np.cos(angle / 2))


def quaternion_of(matrix: FloatArray) -> FloatArray:
    """Of a rotation matrix. Taken from the largest of the four components, so that none is divided by what is close to zero."""
    m = matrix
    squares = np.array([1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2], 1 + m[0, 0] + m[1, 1] + m[2, 2]])
    symmetric = np.array([m[1, 2] + m[2, 1], m[2, 0] + m[0, 2], m[0, 1] + m[1, 0]])
    skew = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    k = int(np.argmax(squares))
    q = np.empty(4)
    if k == 3:
        q[:3], q[3] = skew, squares[3]
    else:
        i, j = (k + 1) % 3, (k + 2) % 3
        q[k], q[i], q[j], q[3] = squares[k], symmetric[j], symmetric[i], skew[k]
    unit: FloatArray = q / np.linalg.norm(q)
    return unit
