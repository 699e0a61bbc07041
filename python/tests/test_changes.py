"""Changes between steps, many bodies at once, and snapshots."""

import numpy as np
import pytest

import cairn


def two(scene, **settings):
    return cairn.World(scene, **settings), cairn.World(scene, **settings)


def test_a_snapshot_goes_on_with_the_same_bits(stack):
    world = cairn.World(stack, substeps=4)
    world.step(40)
    snapshot = world.save()
    assert isinstance(snapshot, bytes)
    resumed = cairn.World.resume(snapshot, threads=1)
    assert resumed.settings["substeps"] == 4
    assert resumed.state_hash() == world.state_hash()
    world.step(60)
    resumed.step(60)
    assert resumed.state_hash() == world.state_hash()
    assert resumed.bodies() == world.bodies()


@pytest.mark.parametrize(
    ("snapshot", "settings", "message"),
    [
        (b"", {}, "snapshot: is none of Cairn's"),
        (b"something else altogether, of some length", {}, "snapshot: is none of Cairn's"),
        ("text", {}, "snapshot: must be bytes, is str"),
        (None, {"dt": 0.01}, "settings.dt: cannot be given"),
        (None, {"dtt": 0.01}, "settings.dtt: there is no such setting"),
    ],
)
def test_what_cannot_be_resumed(stack, snapshot, settings, message):
    with pytest.raises(cairn.InvalidInput) as refusal:
        cairn.World.resume(cairn.World(stack).save() if snapshot is None else snapshot, **settings)
    assert str(refusal.value).startswith(message)


def test_a_damaged_snapshot_is_refused(stack):
    snapshot = bytearray(cairn.World(stack).save())
    snapshot[len(snapshot) // 2] ^= 1
    with pytest.raises(cairn.InvalidInput, match="is damaged"):
        cairn.World.resume(bytes(snapshot))
    with pytest.raises(cairn.InvalidInput, match="is cut short"):
        cairn.World.resume(bytes(snapshot[:-3]))


def test_many_at_once_are_those_of_one_after_the_other(stack):
    one, many = two(stack)
    bodies = [body for body in one.bodies() if one.report().bodies and body.index > 0]
    positions = np.array([[0.1 * k, 0.7 + 1.2 * k, 0.0] for k in range(len(bodies))])
    orientations = np.tile([0.0, 0.1, 0.0, 1.0], (len(bodies), 1))
    linear, angular = positions[::-1].copy(), np.ones((len(bodies), 3))
    many.set_poses(positions, orientations, bodies)
    many.set_velocities(linear, angular, bodies)
    many.apply_forces(linear, angular, bodies)
    for k, body in enumerate(bodies):
        one.set_pose(body, positions[k], orientations[k])
        one.set_velocity(body, linear[k], angular[k])
        one.apply_force(body, linear[k], angular[k])
    one.step(20)
    many.step(20)
    assert one.state_hash() == many.state_hash()


def test_what_a_world_is_made_of():
    ball = {"position": [0, 0, 0], "shapes": [{"type": "sphere", "radius": 0.1}]}
    world = cairn.World({"bodies": [ball, {**ball, "position": [5, 0, 0]}]}, precision="double", substeps=1, dt=0.01)
    first, second = world.bodies()
    assert world.gravity == (0, -9.81, 0)
    world.gravity = (0, 0, -2)
    world.set_gravity_scale(second, 0.5)
    world.step(10)
    assert world.linear_velocities() == pytest.approx(np.array([[0, 0, -0.2], [0, 0, -0.1]]), abs=1e-12)
    world.set_time_step(0.1)
    assert world.settings["dt"] == 0.1
    world.step()
    assert world.linear_velocities()[0, 2] == pytest.approx(-0.4, abs=1e-12)
    world.gravity = (0, 0, 0)
    world.set_velocities(np.zeros((2, 3)))
    world.set_mass(first, 4)
    world.apply_impulse(first, (8, 0, 0))
    world.apply_impulse_at(second, (0, 1, 0), (5.1, 0, 0))
    assert world.linear_velocities()[0] == pytest.approx([2, 0, 0])
    assert world.angular_velocities()[1, 2] > 0
    world.apply_force_at(first, (0, 4, 0), world.positions()[0])
    world.step()
    assert world.linear_velocities()[0] == pytest.approx([2, 0.1, 0])
    world.set_user_data(first, 2**64 - 1)
    assert (world.user_data(first), world.user_data(second)) == (2**64 - 1, 0)


def test_materials_and_filters_act():
    box = {"position": [0, 0.5, 0], "linear_velocity": [3, 0, 0], "shapes": [{"type": "box", "half_extents": [0.5, 0.5, 0.5]}]}
    scene = {"bodies": [{"type": "static", "shapes": [{"type": "half_space"}]}, box]}
    rough, smooth = two(scene)
    smooth.set_material(smooth.bodies()[1], friction=0)
    rough.step(30)
    smooth.step(30)
    assert smooth.linear_velocities()[1, 0] == pytest.approx(3, abs=1e-5)
    assert rough.linear_velocities()[1, 0] < 2
    smooth.set_filter(smooth.bodies()[1], category=2, mask=0)
    smooth.step(30)
    assert smooth.positions()[1, 1] < -0.5


def test_what_cannot_be_changes_nothing(stack):
    world, same = two(stack)
    body = world.bodies()[1]
    refused = [
        (lambda: world.set_material(body, friction=-1), "friction"),
        (lambda: world.set_mass(body, 0), "mass"),
        (lambda: world.set_mass(world.bodies()[0], 1), "not dynamic"),
        (lambda: world.set_time_step(0), "dt"),
        (lambda: setattr(world, "gravity", (0, float("nan"), 0)), "gravity"),
        (lambda: world.set_user_data(body, -1), "data"),
        (lambda: world.set_poses(np.zeros((2, 3)), np.zeros((2, 4))), "positions"),
        (lambda: world.set_velocities(np.zeros((1, 3), dtype=np.float32), bodies=[body]), "float64"),
        (lambda: world.set_velocities(np.full((1, 3), np.nan), bodies=[body]), "linear"),
        (lambda: world.apply_forces(np.ones((2, 3)), bodies=[body, world.bodies()[0]]), "not dynamic"),
    ]
    for call, words in refused:
        with pytest.raises(cairn.InvalidInput, match=words):
            call()
    world.step(20)
    same.step(20)
    assert world.state_hash() == same.state_hash()


def test_own_inertia_damping_and_type():
    bodies = [
        {"mass": 2, "inertia": [1, 2, 2.5], "centre_of_mass": [0.5, 0, 0]},
        {"position": [5, 0, 0], "linear_damping": 2.0, "shapes": [{"type": "sphere", "radius": 0.1}], "linear_velocity": [1, 0, 0]},
    ]
    world = cairn.World({"gravity": [0, 0, 0], "bodies": bodies}, precision="double", substeps=2, dt=0.1)
    top, ball = world.bodies()
    world.apply_impulse(top, (0, 0, 0), (1, 0, 0))
    assert world.angular_velocities()[0] == pytest.approx([1, 0, 0])
    world.set_velocity(top, (0, 0, 0), (0, 0, 0))
    world.set_inertia(top, (1.5, 2, 2.5, 0, 0, 0.5))
    world.apply_impulse(top, (0, 0, 0), (0, 0, 1))
    assert np.array([[1.5, 0, 0], [0, 2, 0.5], [0, 0.5, 2.5]]) @ world.angular_velocities()[0] == pytest.approx([0, 0, 1])
    world.set_velocity(top, (0, 0, 0), (0, 0, 1))
    world.set_centre_of_mass(top, (0, 0, 0))
    assert world.linear_velocities()[0] == pytest.approx([0, -0.5, 0])
    world.step()
    assert world.linear_velocities()[1, 0] == pytest.approx(1.1**-2, abs=1e-12)
    assert world.report().energy_balance.damping_work == pytest.approx(world.report().energy_balance.kinetic_change, abs=1e-4)
    world.set_damping(ball)
    world.step()
    assert world.linear_velocities()[1, 0] == pytest.approx(1.1**-2, abs=1e-12)
    assert world.body_type(ball) == "dynamic"
    world.set_type(ball, "static")
    assert (world.body_type(ball), world.linear_velocities()[1].tolist()) == ("static", [0, 0, 0])
    for call, words in [
        (lambda: world.set_type(ball, "light"), "type"),
        (lambda: world.set_inertia(top, (1, 1, 3)), "no principal moment larger"),
        (lambda: world.set_inertia(top, (1, 1)), "three moments, or six"),
        (lambda: world.set_damping(top, -1), "linear_damping"),
        (lambda: world.set_centre_of_mass(ball, (0, 0, 0)), "not dynamic"),
    ]:
        with pytest.raises(cairn.InvalidInput, match=words):
            call()


def test_own_inertia_in_scenes():
    scene = cairn.Scene()
    scene.add_body(mass=2, inertia=(1, 2, 2.5), centre_of_mass=(0, 1, 0), angular_damping=0.5)
    back = cairn.Scene.from_dict(scene.to_dict())
    assert back.to_dict() == scene.to_dict()
    assert scene.to_dict()["bodies"][0]["inertia"] == [1, 2, 2.5]
    with pytest.raises(cairn.InvalidInput, match="positive definite"):
        scene.add_body(mass=2, inertia=(1, 2, 0))


def test_what_rests_sleeps_until_it_is_stirred():
    scene = cairn.Scene()
    scene.add_body(type="static", shapes=[cairn.ShapeDef.half_space()])
    for x in (0, 3):
        scene.add_body(position=(x, 0.5, 0), shapes=[cairn.ShapeDef.box((0.5, 0.5, 0.5))])
    world = cairn.World(scene, sleeping=True, sleep_time=0.2, backend="cpu")
    world.step(40)
    assert world.asleep().tolist() == [False, True, True]
    assert world.report().sleeping_bodies == 2
    world.wake(world.bodies()[1])
    world.step()
    assert world.asleep().tolist() == [False, False, True]
    world.set_velocity(world.bodies()[2], (0, 1, 0))
    world.step()
    assert not world.asleep().any()
    with pytest.raises(cairn.InvalidInput, match="sleep"):
        cairn.World(scene, sleeping=True, warm_start=False)


def test_what_rolls_is_slowed_down():
    scene = cairn.Scene()
    scene.add_body(type="static", shapes=[cairn.ShapeDef.half_space()])
    scene.add_body(position=(0, 0.2, 0), linear_velocity=(1, 0, 0), angular_velocity=(0, 0, -5), shapes=[cairn.ShapeDef.sphere(0.2, rolling_friction=0.01)])
    world = cairn.World(scene, backend="cpu")
    world.step(60)
    slowed = 1 - 0.01 * 9.81 / (0.2 * 1.4)
    assert world.linear_velocities()[1][0] == pytest.approx(slowed, abs=0.005)
    world.set_material(world.bodies()[1], rolling_friction=0.05)
    world.step(60)
    assert world.linear_velocities()[1][0] == pytest.approx(0, abs=1e-4)
    for name in ("torsional_friction", "rolling_friction"):
        with pytest.raises(cairn.InvalidInput, match=name):
            world.set_material(world.bodies()[1], **{name: -1.0})
