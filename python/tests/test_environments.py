"""Many environments in one World: arrays by environment, each with the bits of a World alone, resets by a mask."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import cairn

BACKEND = {"backend": "cpu", "threads": 1}


def test_arrays_have_an_axis_for_the_environments(stack: cairn.Scene) -> None:
    world = cairn.World(stack, replicate=5, **BACKEND)
    assert world.environment_count == 5
    assert world.positions().shape == (5, 4, 3)
    states = world.states()
    assert states.indices.shape == (5, 4) and states.orientations.shape == (5, 4, 4)
    assert states.linear_velocities.shape == states.angular_velocities.shape == (5, 4, 3)
    assert world.body_of(3, 2).index == states.indices[3, 2]
    assert world.environment_of(world.body_of(3, 2)) == 3
    assert world.body_name(world.body_of(3, 2)) == "box 1@3"
    assert "5 environments" in repr(world)
    assert cairn.World(stack, **BACKEND).environment_count == 0
    assert cairn.World(stack, **BACKEND).positions().shape == (4, 3)


def test_each_has_the_bits_of_a_world_alone(stack: cairn.Scene) -> None:
    alone = cairn.World(stack, **BACKEND)
    many = cairn.World(stack, replicate=4, **BACKEND)
    alone.set_velocity(alone.bodies()[3], (1.0, 0, 0))
    velocities = np.zeros((4, 4, 3))
    velocities[:, 3, 0] = [5.0, 0.5, 1.0, -2.0]
    many.set_velocities(velocities)
    alone.step(40)
    many.step(40)
    assert many.state_hash_of(2) == alone.state_hash()
    assert len({many.state_hash_of(k) for k in range(4)}) == 4
    np.testing.assert_array_equal(many.positions()[2], alone.positions())


def test_a_mask_resets_some_and_leaves_the_others(stack: cairn.Scene) -> None:
    world, other = (cairn.World(stack, replicate=3, **BACKEND) for _ in range(2))
    fresh = cairn.World(stack, **BACKEND)
    for each in (world, other):
        each.set_velocity(each.body_of(1, 3), (3, 1, 0))
        each.step(20)
    world.reset_environments(np.array([False, True, False]))
    assert world.state_hash_of(1) == fresh.state_hash()
    for each in (world, other, fresh):
        each.step(30)
    assert world.state_hash_of(1) == fresh.state_hash()
    assert [world.state_hash_of(k) for k in (0, 2)] == [other.state_hash_of(k) for k in (0, 2)]
    world.reset_environments(np.array([1, 0, 0], np.uint8))
    world.reset_environments()
    assert world.state_hash_of(2) == cairn.World(stack, **BACKEND).state_hash()


class OnlyDlpack:
    """What another library's array looks like, on a device if it says so."""

    def __init__(self, array: np.ndarray, device: tuple[int, int] = (1, 0)) -> None:
        self.array, self.device = array, device

    def __dlpack__(self, **asked: object) -> object:
        return self.array.__dlpack__(**asked)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


def test_masks_of_any_library_are_taken(stack: cairn.Scene, refused: Callable[..., str]) -> None:
    fresh = cairn.World(stack, **BACKEND).state_hash()
    wide = np.zeros(6, bool)
    wide[::2] = False, True, True
    tiled = wide[::2]
    for mask in (OnlyDlpack(tiled), OnlyDlpack(tiled.astype(np.uint8)), tiled, memoryview(tiled.astype(np.uint8)), [False, True, True]):
        world = cairn.World(stack, replicate=3, **BACKEND)
        world.step(4)
        world.reset_environments(mask)
        assert [world.state_hash_of(k) == fresh for k in range(3)] == [False, True, True]
    before = world.state_hash()
    on_a_device = type("OnADevice", (), {"__cuda_array_interface__": {"shape": (3,), "typestr": "|b1", "data": (4096, False), "version": 3}})()
    assert refused(world.reset_environments, on_a_device) == "mask: must be in the host's memory, is on a device"
    assert refused(world.reset_environments, OnlyDlpack(tiled, (2, 1))) == "mask: must be in the host's memory, is on the device cuda:1"
    assert refused(world.reset_environments, OnlyDlpack(tiled.astype(np.int32))) == "mask: must be an array of bool or uint8, is one of int32"
    assert refused(world.reset_environments, 3).startswith("mask: must be an array: ")
    assert world.state_hash() == before


def test_gravity_of_their_own() -> None:
    ball = {"bodies": [{"shapes": [{"type": "sphere", "radius": 0.1}]}]}
    world = cairn.World(ball, replicate=3, precision="double", **BACKEND)
    gravities = np.array([[0, -9.81, 0], [0, -1.62, 0], [2.0, 0, 0]])
    world.gravities = gravities
    np.testing.assert_array_equal(world.gravities, gravities)
    world.step(30)
    steps = 30 * world.settings["substeps"]
    h = world.settings["dt"] / world.settings["substeps"]
    np.testing.assert_allclose(world.positions()[:, 0], gravities * h * h * steps * (steps + 1) / 2, atol=1e-12)
    world.gravity = (0, 0, 1)
    assert (world.gravities == [0, 0, 1]).all()


def test_reports_by_environment(stack: cairn.Scene) -> None:
    world = cairn.World(stack, replicate=3, **BACKEND)
    velocities = np.zeros((3, 4, 3))
    velocities[1, 3, 1] = 5
    world.set_velocities(velocities)
    world.step(2)
    reports, whole = world.environment_reports(), world.report()
    assert len(reports) == 3 and reports.kinetic_energy.dtype == np.float64 and reports.contact_points.dtype == np.int32
    assert reports.contact_points.sum() == whole.contact_points
    assert reports.kinetic_energy.sum() == pytest.approx(whole.kinetic_energy)
    assert reports.max_speed.argmax() == 1 and reports.max_speed.max() == pytest.approx(whole.max_speed)
    assert reports.penetration_max.max() == pytest.approx(whole.penetration_max)


def test_rays_meet_one_environment(stack: cairn.Scene) -> None:
    world = cairn.World(stack, replicate=2, **BACKEND)
    world.set_pose(world.body_of(1, 3), (0, 6, 0))
    hits = world.cast_rays(np.full((2, 3), [0, 10.0, 0]), np.full((2, 3), [0, -1.0, 0]), environments=np.array([0, 1], np.int32))
    np.testing.assert_allclose(hits.distance, [7, 3.5], atol=1e-5)


def test_snapshots_keep_them(stack: cairn.Scene) -> None:
    world = cairn.World(stack, replicate=2, **BACKEND)
    world.step(5)
    resumed = cairn.World.resume(world.save(), **BACKEND)
    assert resumed.environment_count == 2 and resumed.positions().shape == (2, 4, 3)
    for each in (world, resumed):
        each.reset_environments(np.array([True, False]))
        each.step(5)
    assert resumed.state_hash() == world.state_hash()


def test_an_error_names_the_environment(stack: cairn.Scene) -> None:
    world = cairn.World(stack, replicate=3, grow_envelope=False, **BACKEND)
    world.set_pose(world.body_of(2, 3), (3.4e38, 0, 0))
    world.set_velocity(world.body_of(2, 3), (3e38, 0, 0))
    with pytest.raises(cairn.NonFiniteState, match="environment 2") as caught:
        world.step(200)
    assert caught.value.environment == 2 and caught.value.body == "box 2@2"
    world.reset_environments(np.array([False, False, True]))
    world.step()
    assert np.isfinite(world.positions()).all()


def test_resets_between_enqueued_steps_are_the_same(stack: cairn.Scene, refused: Callable[..., str]) -> None:
    world, other = (cairn.World(stack, replicate=3, **BACKEND) for _ in range(2))
    for mask in (np.array([0, 1, 0], np.uint8), np.array([True, False, True])):
        world.enqueue_reset(mask)
        other.reset_environments(mask)
        for _ in range(5):
            world.enqueue_step()
        other.step(5)
        assert world.state_hash() == other.state_hash()
    world.enqueue_reset([True, False, False])
    assert world.state_hash_of(0) == cairn.World(stack, **BACKEND).state_hash()
    assert refused(world.enqueue_reset, np.zeros(2, bool)) == "mask: must be of shape (3,), is of shape (2,)"
    assert refused(world.enqueue_reset, np.zeros(3)) == "mask: must be an array of bool or uint8, is one of float64"
    assert refused(cairn.World(stack, **BACKEND).enqueue_reset, np.zeros(0, bool)).startswith("environment: there are none")


def test_bad_input(stack: cairn.Scene, refused: Callable[..., str]) -> None:
    for bad in (0, -1, 1.5, True, "4"):
        assert refused(cairn.World, stack, replicate=bad).startswith("replicate: must be a whole number >= 1, is ")
    assert refused(cairn.World, stack, replicate=2, tolerance=1e-3).startswith("settings.tolerance: ")
    assert refused(cairn.World, stack, replicate=2, solver="nncg", iterations=4).startswith("settings.solver: ")
    world, plain = cairn.World(stack, replicate=2, **BACKEND), cairn.World(stack, **BACKEND)
    assert refused(world.reset_environments, np.zeros(2)) == "mask: must be an array of bool or uint8, is one of float64"
    assert refused(world.reset_environments, np.zeros((2, 1), bool)) == "mask: must be of shape (2,), is of shape (2, 1)"
    assert refused(world.reset_environments, np.zeros(3, bool)) == "mask: must have one item an environment, 2, has 3"
    assert refused(world.set_velocities, np.zeros((8, 3))) == "linear: must be of shape (2, 4, 3), is of shape (8, 3)"
    assert refused(world.add_body, shapes=[cairn.ShapeDef.sphere(1)]).startswith("addBody: ")
    assert refused(world.body_of, 2, 0).startswith("environment: ")
    assert refused(world.cast_rays, np.zeros((1, 3)), np.ones((1, 3)), environments=np.zeros(2, np.int32)).startswith("environments: ")
    for call in (plain.reset_environments, plain.environment_reports, lambda: plain.gravities, lambda: plain.state_hash_of(0)):
        assert refused(call).startswith("environment: there are none")
