"""Worlds: steps, bodies, joints and results, against closed forms and against each other."""

import dataclasses
import gc
import math
import weakref

import numpy as np
import pytest

import cairn

G = 9.81


def test_a_ball_falls_as_galilei_says():
    scene = {"bodies": [{"position": [0, 0, 0], "linear_velocity": [2, 0, 0], "shapes": [{"type": "sphere", "radius": 0.1}]}]}
    world = cairn.World(scene, precision="double", dt=0.01, substeps=1)
    world.step(100)
    # n steps of symplectic Euler: - g dt^2 n (n + 1) / 2
    assert world.positions()[0] == pytest.approx([2, -G * 0.01**2 * 100 * 101 / 2, 0], abs=1e-12)
    assert world.linear_velocities()[0] == pytest.approx([2, -G, 0], abs=1e-12)


def test_step_by_takes_whole_steps(stack):
    world = cairn.World(stack, dt=0.01)
    assert [world.step_by(0.004) for _ in range(5)] == [0, 0, 1, 0, 1]
    assert world.step_by(0.1) == 10
    assert world.step_by(0) == 0
    assert world.report().step == 12


def test_steps_of_any_grouping_are_the_same(stack):
    worlds = [cairn.World(stack) for _ in range(3)]
    worlds[0].step(30)
    for _ in range(30):
        worlds[1].step()
    worlds[2].step_by(0.5)
    assert worlds[0].state_hash() == worlds[1].state_hash() == worlds[2].state_hash()


def test_a_stack_bears_its_weight(stack):
    world = cairn.World(stack)
    world.step(240)
    contacts = world.contacts()
    assert len(contacts) == world.report().contact_points == 12
    lowest = (contacts.body_a == 0) | (contacts.body_b == 0)
    upwards = np.where(contacts.body_a[lowest] < contacts.body_b[lowest], 1.0, -1.0)
    h = world.settings["dt"] / world.settings["substeps"]
    assert contacts.normal_impulse[lowest].sum() / h == pytest.approx(3 * 1000 * G, rel=1e-3)
    assert contacts.normal[lowest] * upwards[:, None] == pytest.approx(np.tile([0.0, 1.0, 0.0], (4, 1)), abs=1e-4)
    assert (contacts.separation <= 0.001).all()
    one = contacts[5]
    assert one.body_a == cairn.BodyId(int(contacts.body_a[5]))
    assert one.point == tuple(contacts.point[5])
    assert one.friction_impulse == tuple(contacts.friction_impulse[5])
    assert [c.feature for c in contacts] == contacts.feature.tolist()
    assert world.contact_levels().tolist() == [-1, 0, 1, 2]


def test_arrays_are_rows_of_bodies(stack):
    world = cairn.World(stack)
    world.step(3)
    states = world.states()
    assert len(states) == world.body_count == 4
    for row, body in enumerate(world.bodies()):
        state = world.state(body)
        assert states.indices[row] == body.index
        for name, of_all in [
            ("position", "positions"),
            ("orientation", "orientations"),
            ("linear_velocity", "linear_velocities"),
            ("angular_velocity", "angular_velocities"),
        ]:
            array = getattr(states, of_all)
            assert array.dtype == np.float64 and array.flags.c_contiguous
            assert tuple(array[row]) == getattr(state, name)
            assert (getattr(world, of_all)() == array).all()
    assert np.linalg.norm(states.orientations, axis=1) == pytest.approx(1)


def test_rows_follow_bodies_that_come_and_go(stack):
    world = cairn.World(stack)
    first, second = world.find_body("box 0"), world.find_body("box 1")
    world.remove_body(first)
    assert world.states().indices.tolist() == [0, 2, 3]
    new = world.add_body(cairn.BodyDef(shapes=[cairn.ShapeDef.sphere(0.5)]), position=(5, 1, 0), name="new")
    assert new.index == first.index and new != first and hash(new) != hash(first)
    assert world.body_name(new) == "new" and world.body_name(second) == "box 1"
    assert world.states().indices.tolist() == [0, 1, 2, 3]
    assert world.positions()[1].tolist() == [5, 1, 0]


def test_bodies_are_set_and_pushed(stack):
    stack.gravity = (0, 0, 0)
    world = cairn.World(stack, precision="double", dt=0.01, substeps=1)
    body = world.add_body(position=(9, 9, 9), shapes=[cairn.ShapeDef.box((0.5, 0.5, 0.5), density=2)])
    world.set_pose(body, [20, 20, 20], np.array([0, 0, 0, 2.0]))
    world.set_velocity(body, angular=(0, 3, 0))
    world.apply_force(body, (4, 0, 0))
    world.apply_force(body, (0, 6, 0), torque=(0, 0, 0))
    world.step()
    state = world.state(body)
    assert state.linear_velocity == pytest.approx((4 / 2 * 0.01, 6 / 2 * 0.01, 0))
    assert state.angular_velocity == pytest.approx((0, 3, 0))
    assert state.position == pytest.approx((20 + 0.0002, 20 + 0.0003, 20))


def test_a_pendulum_swings_with_its_period():
    scene = cairn.Scene()
    post = scene.add_body(type="static")
    bob = scene.add_body(position=(math.sin(0.1), -math.cos(0.1), 0), shapes=[cairn.ShapeDef.sphere(0.01)])
    scene.add_joint("point", post, bob, frame_b=cairn.Pose((-math.sin(0.1), math.cos(0.1), 0)))
    world = cairn.World(scene, precision="double", dt=0.002)
    crossings = []
    for k in range(2500):
        before = world.positions()[1, 0]
        world.step()
        after = world.positions()[1, 0]
        if before > 0 >= after:
            crossings.append((k + before / (before - after)) * 0.002)
    inertia = 1 + 2 / 5 * 0.01**2  # of a ball about a point that is 1 m away, over its mass
    period = 2 * math.pi * math.sqrt(inertia / G) * (1 + 0.1**2 / 16)
    assert np.diff(crossings) == pytest.approx(period, rel=2e-3)
    assert len(crossings) >= 2


def test_joints_are_read_driven_and_broken():
    scene = cairn.Scene(gravity=(0, 0, 0))
    base = scene.add_body(type="static")
    wheel = scene.add_body(shapes=[cairn.ShapeDef.sphere(0.2)])
    scene.add_joint("hinge", base, wheel, name="axle")
    world = cairn.World(scene, precision="double", dt=0.01)
    (axle,) = world.joints()
    assert world.find_joint("axle") == axle and world.joint_name(axle) == "axle"
    world.set_motor(axle, "about_x", "velocity", 2.0)
    world.step(50)
    state = world.joint_state(axle)
    assert (state.type, state.body_a, state.body_b, state.broken) == ("hinge", cairn.BodyId(0), cairn.BodyId(1), False)
    assert state.coordinates[3] == pytest.approx(2.0 * 0.5, rel=0.03)
    assert world.angular_velocities()[1] == pytest.approx([2, 0, 0], abs=1e-3)
    states = world.joint_states()
    assert states[0] == state == list(states)[0]
    assert states.coordinates.shape == (1, 6) and states.types == ["hinge"] and states.broken.dtype == np.bool_
    rope = world.add_joint("distance", cairn.BodyId(0), cairn.BodyId(1), max_distance=1, break_impulse=1e-3, frame_b=cairn.Pose((0.1, 0, 0)))
    assert world.joint_count == 2
    world.remove_joint(axle)
    world.set_velocity(world.bodies()[1], (30, 0, 0))
    world.step(10)
    assert world.joint_state(rope).broken
    world.remove_body(cairn.BodyId(1))
    assert world.joints() == []


def test_a_projection_in_python_is_a_joint():
    """A bob at most a metre from its post, by a function; and what that raises ends the step, which is undone."""
    asked = []

    def rope(predicted):
        position, orientation = predicted
        asked.append(position)
        length = math.dist(position, (0, 0, 0))
        return tuple(x / max(length, 1.0) for x in position), orientation

    scene = cairn.Scene()
    post = scene.add_body(type="static")
    bob = scene.add_body(position=(0.6, 0, 0), shapes=[cairn.ShapeDef.sphere(0.1)])
    scene.add_joint("black_box", post, bob, projection=rope)
    world = cairn.World(scene, precision="double")
    del scene
    gc.collect()
    world.step(60)
    assert len(asked) >= 60 * world.settings["substeps"]
    assert np.linalg.norm(world.positions()[1]) == pytest.approx(1, abs=1e-3)

    def breaks(predicted):
        raise LookupError("lost the rope")

    broken = cairn.World({"bodies": [{"type": "static"}, {"shapes": [{"type": "sphere", "radius": 0.1}]}]})
    broken.add_joint(cairn.JointDef(type="black_box", projection=breaks), *broken.bodies())
    before = broken.state_hash()
    with pytest.raises(LookupError, match="lost the rope"):
        broken.step()
    assert broken.state_hash() == before

    wrong = cairn.World({"bodies": [{"type": "static"}, {"shapes": [{"type": "sphere", "radius": 0.1}]}]})
    wrong.add_joint(cairn.JointDef(type="black_box", projection=lambda predicted: 3), *wrong.bodies())
    with pytest.raises(cairn.InvalidInput, match="projection: must be a pose"):
        wrong.step()


@pytest.mark.parametrize("of_scene", [True, False])
def test_a_world_whose_projection_knows_it_is_collected(of_scene):
    """World, function, World: a circle that only the garbage collector can see. A scene that shares the function keeps it whole."""

    class Knowing:
        world = None

        def __call__(self, predicted):
            assert self.world is not None
            return predicted

    scene = cairn.Scene(gravity=(0, 0, 0))
    scene.add_body(type="static")
    scene.add_body(shapes=[cairn.ShapeDef.sphere(0.1)])
    function = Knowing()
    joint = cairn.JointDef(type="black_box", projection=function)
    if of_scene:
        scene.add_joint(joint, 0, 1)
    function.world = world = cairn.World(scene)
    if not of_scene:
        world.add_joint(joint, *world.bodies())
    world.step(2)
    there = weakref.ref(function)
    del world, joint, function
    gc.collect()
    assert (there() is not None) == of_scene
    if of_scene:
        cairn.World(scene.copy()).step()
        there().scene = scene
        del scene
        gc.collect()
        assert there() is None


def test_a_report_is_a_frozen_record(stack):
    world = cairn.World(stack, stage_times=True)
    assert world.report().energy_balance.known is False
    world.step(60)
    report = world.report()
    assert report.time == pytest.approx(1)
    assert (report.step, report.bodies, report.dynamic_bodies) == (60, 4, 3)
    assert report.potential_energy == pytest.approx(1000 * G * (0.5 + 1.5 + 2.5), rel=1e-3)
    assert list(report.stages) == list(world.stage_times()) and "solve" in report.stages
    balance = report.energy_balance
    assert balance.kinetic_change + balance.potential_change == pytest.approx(
        balance.force_work + balance.damping_work + balance.joint_work + balance.contact_work, abs=1e-6
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.step = 3
    assert dataclasses.asdict(report)["energy_balance"]["known"] is True


def test_rays_meet_what_is_in_their_way(stack):
    world = cairn.World(stack)
    origins = np.array([[0.1, 10.0, 0.2], [0.0, 1.5, 5.0], [3.0, 1.0, 0.0], [0.0, 0.5, 0.0]])
    directions = np.array([[0.0, -2.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    hits = world.cast_rays(origins, directions)
    assert hits.body.tolist() == [3, 2, -1, 1]
    assert hits.distance.tolist() == pytest.approx([7, 4.5, math.inf, 0])
    assert hits.normal[:2].tolist() == [[0, 1, 0], [0, 0, 1]]
    assert [bool(hit.body) for hit in hits] == [True, True, False, True]
    assert hits[1] == cairn.RayHit(cairn.BodyId(2), 0, pytest.approx(4.5), (0, 0, 1))
    assert world.cast_rays(origins, directions, 5.0).body.tolist() == [-1, 2, -1, 1]
    assert world.cast_rays(origins, directions, np.array([8.0, 1.0, 1.0, 1.0])).body.tolist() == [3, -1, -1, 1]
    assert len(world.cast_rays(np.zeros((0, 3)), np.zeros((0, 3)))) == 0
    assert world.cast_rays([[0, 10, 0]], [(0, -1, 0)], 100).body.tolist() == [3]


def test_settings_are_taken_by_name(stack):
    world = cairn.World(stack, {"substeps": 3, "dt": 0.5}, dt=0.01, precision="double", max_linear_speed=math.inf, warm_start=False)
    settings = world.settings
    assert (settings["substeps"], settings["dt"], settings["precision"], settings["warm_start"]) == (3, 0.01, "double", False)
    assert list(settings) == [info.name for info in cairn.world_settings()]
    infos = {info.name: info for info in cairn.world_settings()}
    assert (
        infos["substeps"].default == cairn.World(stack).settings["substeps"]
        and infos["max_linear_speed"].unit == "m/s"
        and "float, double" in infos["precision"].allowed
    )
    assert world.backend in ("cpu", "cuda") and world.device_name


def test_settings_are_refused(stack, refused):
    assert refused(cairn.World, stack, sbsteps=3) == "settings.sbsteps: there is no such setting; did you mean substeps?"
    assert refused(cairn.World, stack, max_colours=65) == "settings.max_colours: must be a whole number from 0 to 64, is 65"
    assert refused(cairn.World, stack, dt="fast") == "settings.dt: must be a number, is 'fast'"
    assert refused(cairn.World, stack, dt=None) == "settings.dt: must be a number, is None"
    assert refused(cairn.World, stack, dt=math.nan).startswith("settings.dt: must be a finite number > 0")
    assert refused(cairn.World, stack, substeps=2.5) == "settings.substeps: must be a whole number, is 2.5"
    assert refused(cairn.World, stack, substeps=True) == "settings.substeps: must be a whole number, is true"
    assert refused(cairn.World, stack, substeps=2**70).startswith("settings.substeps: must be a whole number from")
    assert refused(cairn.World, stack, warm_start=1) == "settings.warm_start: must be true or false, is 1"
    assert refused(cairn.World, stack, precision="half") == "settings.precision: must be one of float, double, is 'half'"
    assert refused(cairn.World, stack, 3) == "settings: must be a dict of settings, is 3"


def test_calls_are_refused_before_anything_changes(stack, refused):
    world = cairn.World(stack)
    world.step(5)
    before = world.state_hash()
    ground, box = world.bodies()[:2]
    gone = world.add_body(position=(9, 9, 9), shapes=[cairn.ShapeDef.sphere(1)])
    world.remove_body(gone)
    assert refused(world.step, -1) == "count: must be a whole number from 0 to 2147483647, is -1"
    assert refused(world.step, 0.5) == "count: must be a whole number from 0 to 2147483647, is 0.5"
    assert refused(world.step_by, -1).startswith("stepBy: must be from 0")
    assert refused(world.step_by, math.nan).startswith("stepBy: must be from 0")
    assert refused(world.set_pose, box, (0, math.nan, 0)) == "position: must be three finite numbers (x, y, z), is (0, nan, 0)"
    assert refused(world.set_pose, box, (0, 0, 0), (0, 0, 0, 0)) == "pose.q: must not be zero"
    assert refused(world.set_velocity, box, (math.inf, 0, 0)) == "linear: must be three finite numbers (x, y, z), is (inf, 0, 0)"
    assert refused(world.apply_force, box, np.array([0, 0, np.nan])).startswith("force: must be three finite numbers")
    assert "dynamic" in refused(world.apply_force, ground, (1, 0, 0))
    assert "it was removed" in refused(world.state, gone)
    assert "box 9" in refused(world.find_body, "box 9")
    assert refused(world.set_motor, cairn.JointId(0), "about_w", "off").startswith("axis: must be one of x, y, z, about_x,")
    assert refused(world.set_motor, cairn.JointId(0), "x", "on").startswith("motor: must be one of off, velocity, position, is 'on'")
    with pytest.raises(TypeError):
        world.state(cairn.JointId(1))  # an id of another kind
    with pytest.raises(TypeError):
        world.state(1)
    assert world.state_hash() == before


def test_a_step_that_cannot_be_followed_is_undone():
    world = cairn.World({"bodies": [{"name": "rocket", "shapes": [{"type": "sphere", "radius": 0.1}]}]}, grow_envelope=False)
    rocket = world.find_body("rocket")
    world.step(3)
    world.set_pose(rocket, (3.4e38, 0, 0))
    world.set_velocity(rocket, (3e38, 0, 0))
    before = world.state_hash()
    with pytest.raises(cairn.NonFiniteState, match="body 'rocket': pose or velocity is not finite in step 4") as caught:
        world.step(200)
        world.wait()
    assert isinstance(caught.value, cairn.StepUndone)
    assert (caught.value.body, caught.value.step) == ("rocket", 4)
    assert world.state_hash() == before


def test_a_closed_world_says_so(stack):
    with cairn.World(stack) as world:
        world.step(2)
        positions, contacts = world.positions(), world.contacts()
        assert not world.closed
    kept = positions.copy()
    assert world.closed and repr(world) == "<cairn.World: closed>"
    for call in (world.step, world.positions, world.report, world.bodies, world.contacts, world.wait, lambda: world.settings, lambda: world.body_count):
        with pytest.raises(cairn.ClosedWorld, match="World: it was closed"):
            call()
    world.close()
    gc.collect()
    assert (positions == kept).all() and len(contacts) > 0


def test_ids_are_values(stack):
    world = cairn.World(stack)
    assert world.bodies()[1] == cairn.BodyId(1, 0) != cairn.BodyId(1, 1)
    assert cairn.BodyId(1) != cairn.JointId(1) and cairn.BodyId(1) != 1 and cairn.BodyId(1) is not None
    assert cairn.BodyId(1).__eq__(None) is False
    assert {cairn.BodyId(1): "a"}[cairn.BodyId(1)] == "a"
    assert repr(cairn.JointId(3, 2)) == "JointId(3, 2)"
    assert not cairn.BodyId(-1)


def test_a_world_of_the_empty_scene_answers_empty_arrays():
    world = cairn.World(cairn.Scene())
    world.step()
    assert world.positions().shape == (0, 3) and world.orientations().shape == (0, 4)
    assert len(world.contacts()) == len(world.joint_states()) == 0
    assert world.contact_levels().shape == (0,)


@pytest.mark.parametrize("precision", ["float", "double"])
def test_threads_and_precision_are_taken(precision):
    hashes = set()
    for threads in (1, 2):
        world = cairn.World("pyramid:base=6", backend="cpu", threads=threads, precision=precision)
        assert world.threads == threads
        world.step(30)
        hashes.add(world.state_hash())
    assert len(hashes) == 1
