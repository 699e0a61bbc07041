"""Contacts, joints and motors where they lie: against what the World says of them, and what becomes of them."""

from __future__ import annotations

import gc
from collections.abc import Callable

import numpy as np
import pytest

import cairn

BACKEND = {"backend": "cpu", "threads": 1}


def hinged(count: int = 3, **axis: object) -> cairn.Scene:
    """Boxes that hang on each other by hinges, each with a motor."""
    scene = cairn.Scene("hinged")
    above = scene.add_body(type="static")
    for k in range(count):
        below = scene.add_body(position=(1.0 + k, 0, 0), shapes=[cairn.ShapeDef.box((0.4, 0.1, 0.1), mask=0)])
        turned = (0, -np.sqrt(0.5), 0, np.sqrt(0.5))
        scene.add_joint("hinge", above, below, frame=((0.5 + k, 0, 0), turned), axes={"about_x": cairn.JointAxis(motor="velocity", **axis)})
        above = below
    return scene


@pytest.mark.parametrize("precision", ["float", "double"])
def test_contacts_are_those_that_the_world_lists(stack: cairn.Scene, precision: str) -> None:
    world = cairn.World(stack, precision=precision, **BACKEND)
    assert np.asarray(world.arrays().contacts.count) == [0] and len(world.arrays().contacts.normal) == 0
    world.step(20)
    arrays, listed = world.arrays().contacts, world.contacts()
    count = int(np.asarray(arrays.count)[0])
    assert count == world.report().manifolds == 3
    bodies, points = np.asarray(arrays.bodies)[:count], np.asarray(arrays.points)[:count]
    manifold, place = np.nonzero(np.arange(4) < points[:, None])
    assert len(manifold) == len(listed) == 12
    np.testing.assert_array_equal(bodies[manifold], np.stack([listed.body_a, listed.body_b], axis=1))
    np.testing.assert_array_equal(np.asarray(arrays.normal)[manifold], listed.normal)
    np.testing.assert_array_equal(np.asarray(arrays.separation)[manifold, place], listed.separation)
    np.testing.assert_array_equal(np.asarray(arrays.feature)[manifold, place], listed.feature)
    np.testing.assert_array_equal(np.asarray(arrays.impulse)[manifold, place, 0], listed.normal_impulse)
    number = np.float32 if precision == "float" else np.float64
    assert np.asarray(arrays.friction).dtype == number and arrays.friction.dtype == number.__name__
    np.testing.assert_array_equal(np.asarray(arrays.friction)[:count], number(0.6))
    np.testing.assert_array_equal(np.asarray(arrays.restitution)[:count], 0)
    assert np.asarray(arrays.feature).dtype == np.uint32 and arrays.feature.dtype == "uint32" and arrays.bodies.dtype == "int32"
    for array in (arrays.normal, arrays.arm_a, arrays.count):
        assert not array.writable and not np.asarray(array).flags.writeable
        assert np.from_dlpack(array).ctypes.data == np.asarray(array).ctypes.data


def test_arms_are_from_the_centres_to_the_point(stack: cairn.Scene) -> None:
    world = cairn.World(stack, **BACKEND)
    world.step(20)
    before = world.positions()
    world.step()
    arrays, listed = world.arrays().contacts, world.contacts()
    count = int(np.asarray(arrays.count)[0])
    manifold, place = np.nonzero(np.arange(4) < np.asarray(arrays.points)[:count, None])
    bodies = np.asarray(arrays.bodies)[manifold]
    for arm, which in ((arrays.arm_a, 0), (arrays.arm_b, 1)):
        assert arm.shape[1:] == (4, 3)
        moved = np.asarray(arm)[manifold, place] + before[bodies[:, which]]
        np.testing.assert_allclose(moved, listed.point, atol=1e-4)


def test_joints_are_what_the_world_says_of_them() -> None:
    world = cairn.World(hinged(target=1.0, max_force=2.0), **BACKEND)
    world.step(30)
    joints, states = world.arrays().joints, world.joint_states()
    assert joints.impulses.shape == joints.angular_impulses.shape == (3, 3) and joints.coordinates.shape == (3, 6)
    np.testing.assert_allclose(np.asarray(joints.impulses) / world.settings["dt"], states.force, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.asarray(joints.angular_impulses) / world.settings["dt"], states.torque, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.asarray(joints.coordinates), states.coordinates, atol=1e-6)
    seen = np.asarray(joints.coordinates)
    before = seen.copy()
    world.step(5)
    np.testing.assert_array_equal(seen, before)
    world.measure_joints()
    np.testing.assert_allclose(seen, world.joint_states().coordinates, atol=1e-6)
    assert (seen != before).any()


def test_joints_of_environments_have_an_axis_in_front() -> None:
    world = cairn.World(hinged(target=1.0, max_force=2.0), replicate=4, **BACKEND)
    world.step(5)
    joints = world.arrays().joints
    assert joints.coordinates.shape == (4, 3, 6) and joints.impulses.shape == (4, 3, 3)
    np.testing.assert_allclose(np.asarray(joints.coordinates).reshape(12, 6), world.joint_states().coordinates, atol=1e-6)


@pytest.mark.parametrize("precision", ["float", "double"])
def test_motors_that_are_written_act_as_those_that_are_told(precision: str, refused: Callable[..., str]) -> None:
    written, told = (cairn.World(hinged(target=0.5, max_force=1.0), precision=precision, **BACKEND) for _ in range(2))
    written.write_motors()
    rows = [written.motor_row(joint, "about_x") for joint in written.joints()]
    for k in range(6):
        motors = written.write_motors()
        assert motors.targets.shape == motors.max_forces.shape and motors.targets.writable
        np.asarray(motors.targets)[rows] = np.arange(3) + 0.25 * k
        np.asarray(motors.max_forces)[rows[2]] = 4
        for which, joint in enumerate(told.joints()):
            told.set_motor(joint, "about_x", "velocity", which + 0.25 * k, 4 if which == 2 else 1)
        written.enqueue_step()
        told.step()
    assert written.state_hash() == told.state_hash()
    written.step(3)
    told.step(3)
    assert written.state_hash() == told.state_hash()
    assert refused(written.motor_row, written.joints()[0], "about_y").endswith("has no motor that is on")
    assert refused(written.motor_row, written.joints()[0], "sideways").startswith("axis: must be one of x, y, z, ")


def test_the_status_counts_enqueued_steps(stack: cairn.Scene) -> None:
    world = cairn.World(stack, **BACKEND)
    world.step(2)
    status = np.asarray(world.arrays().status)
    for _ in range(3):
        world.enqueue_step()
    assert status.tolist() == [0, 3, 0, 0, 0] or status[:2].tolist() == [0, 3]


# --- what becomes of them ------------------------------------------------------------------------------------------


def test_contacts_outlive_steps_that_move_them() -> None:
    """A pile that comes down has more contacts from step to step: what was given stays readable, and says by the version that it serves no longer."""
    world = cairn.World("pile:count=200,shape=box", **BACKEND)
    world.step()
    views, versions = [], []
    for _ in range(40):
        contacts = world.arrays().contacts
        count = int(np.asarray(contacts.count)[0])
        views.append((np.asarray(contacts.normal), np.asarray(contacts.impulse), count))
        versions.append(world.arrays_version)
        del contacts
        world.step(6)
    assert len({view[0].ctypes.data for view in views}) > 1 and len(set(versions)) > 1
    for normals, impulses, count in views:
        assert len(normals) >= count and len(impulses) == len(normals)
        lengths = np.linalg.norm(normals[:count], axis=1)
        assert ((lengths < 1.001) & (lengths > 0.999) | (lengths == 0)).all()
    unlooked = cairn.World("pile:count=200,shape=box", **BACKEND)
    unlooked.step(241)
    assert world.state_hash() == unlooked.state_hash()


def test_joints_that_would_move_the_memory_are_refused() -> None:
    world = cairn.World(hinged(target=1.0, max_force=2.0), **BACKEND)
    first, second = world.bodies()[:2]
    views = np.asarray(world.arrays().joints.impulses), np.asarray(world.write_motors().targets)
    with pytest.raises(BufferError, match="add_joint: arrays of this World's memory are in use"):
        world.add_joint("point", first, second)
    with pytest.raises(BufferError, match="remove_joint: arrays of this World's memory are in use"):
        world.remove_joint(world.joints()[0])
    assert world.joint_count == 3
    ball = world.add_body(position=(0, 9, 0), shapes=[cairn.ShapeDef.sphere(0.1)])  # not theirs
    del views
    gc.collect()
    world.remove_joint(world.joints()[0])
    world.add_joint("point", first, ball)
    assert world.joint_count == 3


def test_motors_can_be_looked_at_when_joints_break() -> None:
    world = cairn.World(hinged(target=50.0, max_force=1e5), **BACKEND)
    targets = np.asarray(world.write_motors().targets)
    before = targets.copy()
    for joint in world.joints():
        world.set_motor(joint, "about_x", "off")
    world.step(10)
    gc.collect()
    np.testing.assert_array_equal(targets, before)


def test_arrays_keep_the_memory_of_a_world_that_is_gone(stack: cairn.Scene) -> None:
    with cairn.World(stack, **BACKEND) as world:
        world.step(3)
        arrays = world.arrays()
        normals, count = np.asarray(arrays.contacts.normal), np.asarray(arrays.contacts.count)
        before = normals.copy()
    del world, arrays
    gc.collect()
    np.testing.assert_array_equal(normals, before)
    assert count[0] == 3


def test_room_is_a_number_of_things(stack: cairn.Scene, refused: Callable[..., str]) -> None:
    world = cairn.World(stack, **BACKEND)
    world.make_room(pairs=100, contacts=50)
    world.step()
    assert refused(world.make_room, contacts=-1) == "contacts: must be a whole number from 0 to 134217728, is -1"
    assert refused(world.make_room, fast_shapes="many").startswith("fast_shapes: must be a whole number")
