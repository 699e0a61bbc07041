"""Arrays that are the World's own memory."""

from __future__ import annotations

import gc
from collections.abc import Callable

import numpy as np
import pytest

import cairn


def test_arrays_are_the_worlds_memory(stack: cairn.Scene) -> None:
    world = cairn.World(stack, backend="cpu", threads=1)
    arrays = world.arrays()
    positions = np.asarray(arrays.positions)
    assert positions.shape == (4, 3) and positions.dtype == np.float32 and not positions.flags.writeable
    before = positions.copy()
    world.step(30)
    assert (positions != before).any()
    np.testing.assert_allclose(positions, world.positions(), atol=1e-6)
    np.testing.assert_array_equal(np.asarray(arrays.linear_velocities), world.linear_velocities())
    assert arrays.positions.device == "cpu" and arrays.positions.__dlpack_device__() == (1, 0)
    assert arrays.orientations.shape == (4, 4) and len(arrays.orientations) == 4


@pytest.mark.parametrize("precision", ["float", "double"])
def test_forces_that_are_written_act_as_those_that_are_told(stack: cairn.Scene, precision: str) -> None:
    written, told = (cairn.World(stack, backend="cpu", threads=1, precision=precision) for _ in range(2))
    for _ in range(5):
        forces = written.write_forces()
        np.asarray(forces.forces)[3] += (10, 0, 0)
        np.asarray(forces.torques)[2] += (0, 5, 0)
        written.enqueue_step()
        told.apply_force(told.bodies()[3], (10, 0, 0))
        told.apply_force(told.bodies()[2], (0, 0, 0), (0, 5, 0))
        told.step()
    assert written.state_hash() == told.state_hash()
    written.step()
    told.step()
    assert written.state_hash() == told.state_hash()


def test_states_that_are_written_are_those_of_the_next_step(stack: cairn.Scene) -> None:
    written, told = (cairn.World(stack, backend="cpu", threads=1) for _ in range(2))
    np.asarray(written.write_bodies().linear_velocities)[3] = (1, 2, 3)
    told.set_velocity(told.bodies()[3], (1, 2, 3), (0, 0, 0))
    written.step()
    told.step()
    assert written.state_hash() == told.state_hash()


def test_dlpack_hands_the_memory_on(stack: cairn.Scene) -> None:
    world = cairn.World(stack, backend="cpu", threads=1)
    positions = world.arrays().positions
    taken = np.from_dlpack(positions)
    assert taken.shape == (4, 3)
    assert taken.__array_interface__["data"][0] == np.asarray(positions).__array_interface__["data"][0]
    with pytest.raises(BufferError, match="not copied"):
        positions.__dlpack__(copy=True)


def test_pytorch_takes_them_as_they_are(stack: cairn.Scene) -> None:
    torch = pytest.importorskip("torch")
    world = cairn.World(stack, backend="cpu", threads=1)
    forces = world.write_forces()
    tensor = torch.from_dlpack(forces.forces)
    tensor[3] += torch.tensor([10.0, 0.0, 0.0])
    world.step()
    assert world.states().linear_velocities[3][0] > 0


def test_arrays_keep_the_memory_of_a_world_that_is_gone(stack: cairn.Scene) -> None:
    with cairn.World(stack, backend="cpu", threads=1) as world:
        world.step()
        positions = world.arrays().positions
        seen = np.asarray(positions)
        before = seen.copy()
    with pytest.raises(cairn.ClosedWorld):
        world.step()
    del world
    gc.collect()
    np.testing.assert_array_equal(seen, before)
    np.testing.assert_array_equal(np.asarray(positions), before)
    np.testing.assert_array_equal(np.from_dlpack(positions), before)


def test_bodies_that_would_move_the_memory_are_refused(stack: cairn.Scene) -> None:
    world = cairn.World(stack, backend="cpu", threads=1)
    view = np.asarray(world.arrays().positions)
    ball = cairn.BodyDef(position=(0, 9, 0), shapes=[cairn.ShapeDef.sphere(0.1)])
    with pytest.raises(BufferError, match="add_body: arrays of this World's memory are in use"):
        world.add_body(ball)
    assert world.body_count == 4
    del view
    gc.collect()
    world.add_body(ball)
    assert world.arrays().positions.shape == (5, 3)


def test_environments_are_an_axis_in_front(stack: cairn.Scene) -> None:
    world = cairn.World(stack, replicate=3, backend="cpu", threads=1)
    arrays = world.arrays()
    assert arrays.positions.shape == (3, 4, 3) and arrays.orientations.shape == (3, 4, 4)
    np.asarray(world.write_forces().forces)[1, 3] = (50, 0, 0)
    world.step()
    speeds = np.asarray(arrays.linear_velocities)[:, 3, 0]
    assert speeds[1] > 0 and speeds[0] == 0 and speeds[2] == 0


def test_what_is_not_finite_is_refused(stack: cairn.Scene) -> None:
    world = cairn.World(stack, backend="cpu", threads=1)
    before = world.state_hash()
    np.asarray(world.write_forces().forces)[3] = np.nan
    with pytest.raises(cairn.NonFiniteState):
        world.enqueue_step()
    assert world.state_hash() == before
    world.enqueue_step()
    assert world.state_hash() != before


def test_arrays_of_the_host_are_none_of_a_device(stack: cairn.Scene) -> None:
    world = cairn.World(stack, backend="cpu", threads=1)
    assert not hasattr(world.arrays().positions, "__cuda_array_interface__")
    assert isinstance(world.arrays_version, int)


def test_a_scene_of_no_bodies_has_none(refused: Callable[..., str]) -> None:
    world = cairn.World(cairn.Scene(), backend="cpu", threads=1)
    assert np.asarray(world.arrays().positions).shape == (0, 3)
    assert np.asarray(world.write_forces().forces).shape == (0, 3)
