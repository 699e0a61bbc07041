"""Arrays of callers: taken as they are or refused with a reason; and answers handed on by DLPack."""

import math

import numpy as np
import pytest

import cairn

GOOD = np.array([[0.0, 10.0, 0.0], [0.1, 10.0, 0.0]])
DOWN = np.array([[0.0, -1.0, 0.0], [0.0, -1.0, 0.0]])


class OnlyDlpack:
    """What another library's array looks like: nothing but the protocol."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **more):
        return self.array.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnADevice(OnlyDlpack):
    def __dlpack__(self, **more):
        raise BufferError("the array is not in the host's memory")

    def __dlpack_device__(self):
        return (2, 0)


@pytest.fixture
def world(stack):
    return cairn.World(stack)


def test_arrays_of_other_libraries_are_read_in_place(world):
    assert world.cast_rays(OnlyDlpack(GOOD), OnlyDlpack(DOWN)).body.tolist() == [3, 3]


@pytest.mark.parametrize(
    ("origins", "message"),
    [
        (GOOD.astype(np.float32), "origins: must be an array of float64, is one of float32"),
        (GOOD.astype(np.int64), "origins: must be an array of float64, is one of int64"),
        (GOOD.astype(object), "origins: must be an array of float64, is one of object"),
        (OnlyDlpack(GOOD.astype(np.float32)), "origins: must be an array of float64, is one of float32"),
        (GOOD[0], "origins: must be of shape (n, 3), is of shape (3,)"),
        (np.zeros((2, 4)), "origins: must be of shape (n, 3), is of shape (2, 4)"),
        (np.zeros((2, 3, 1)), "origins: must be of shape (n, 3), is of shape (2, 3, 1)"),
        (np.asfortranarray(GOOD), "origins: must be contiguous, rows one after the other (numpy.ascontiguousarray makes it so)"),
        (np.zeros((4, 3))[::2], "origins: must be contiguous, rows one after the other (numpy.ascontiguousarray makes it so)"),
        (np.zeros((3, 3)), "directions: must be as many as origins, 3, are 2"),
        (np.array([[0, 1, 2], [3, np.nan, 5]]), "origins[1, 1]: must be a finite number, is nan"),
        (np.array([[0, 1, -np.inf], [3, 4, 5]]), "origins[0, 2]: must be a finite number, is -inf"),
        ([[0, 1], [2]], "origins: must be an array of numbers: "),
        ([["a", "b", "c"]], "origins: must be an array of float64, is one of <U1"),
        ("nowhere", "origins: must be an array of float64, is one of <U7"),
        (OnADevice(GOOD), "origins: must be an array in the host's memory: "),
    ],
)
def test_arrays_are_refused_with_the_reason(world, refused, origins, message):
    text = refused(world.cast_rays, origins, DOWN)
    assert text == message or (message.endswith(": ") and text.startswith(message))


def test_directions_and_distances_are_refused(world, refused):
    assert refused(world.cast_rays, GOOD, np.array([[0, -1, 0], [0, 0, 0.0]])) == "directions[1]: must not be zero"
    assert refused(world.cast_rays, GOOD, DOWN, -1) == "max_distance: must be >= 0, is -1.0"
    assert refused(world.cast_rays, GOOD, DOWN, math.nan) == "max_distance: must be >= 0, is nan"
    assert refused(world.cast_rays, GOOD, DOWN, np.array([1, -2.0])) == "max_distance[1]: must be >= 0, is -2.0"
    assert refused(world.cast_rays, GOOD, DOWN, np.array([1.0])) == "max_distance: must be of shape (2,), is of shape (1,)"
    assert refused(world.cast_rays, GOOD, DOWN, "far").startswith("max_distance: must be an array of float64")


def test_answers_are_handed_on_without_a_copy(world):
    world.step(10)
    states = world.states()
    for array in (states.positions, states.orientations, states.indices, world.contacts().feature, world.contact_levels()):
        again = np.from_dlpack(array)
        assert np.shares_memory(again, array) and (again == array).all() and again.dtype == array.dtype
        assert array.ctypes.data % 64 == 0  # JAX copies what is not
    assert states.positions.__dlpack_device__() == (1, 0)


def test_answers_are_copies_that_belong_to_the_caller(world):
    first = world.positions()
    first[:] = 7
    assert (world.positions() != 7).any()
    world.step(60)
    assert (first == 7).all()
    world.close()
    assert (first == 7).all()


def test_torch_takes_and_gives_arrays(world):
    torch = pytest.importorskip("torch")
    world.step(10)
    positions = world.positions()
    tensor = torch.from_dlpack(positions)
    assert tensor.dtype == torch.float64 and tensor.data_ptr() == positions.ctypes.data
    origins = tensor + torch.tensor([0.0, 20.0, 0.0], dtype=torch.float64)
    hits = world.cast_rays(origins, torch.tensor([[0.0, -1.0, 0.0]] * len(origins), dtype=torch.float64))
    assert hits.body.tolist() == [3, 3, 3, 3]


def test_jax_takes_and_gives_arrays(world):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    world.step(10)
    positions = world.positions()
    array = jax.dlpack.from_dlpack(positions)
    assert array.dtype == np.float64 and array.unsafe_buffer_pointer() == positions.ctypes.data
    down = jax.numpy.tile(jax.numpy.array([0.0, -1.0, 0.0]), (len(array), 1))
    assert world.cast_rays(array + jax.numpy.array([0.0, 20.0, 0.0]), down).body.tolist() == [3, 3, 3, 3]
