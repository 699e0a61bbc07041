"""What becomes of models: mass, collisions, joints, motors, and what is reported."""

import json
import math
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import cairn
from model_files import compiled, difference, model_files, mujoco, somewhere

FILES = model_files()


def from_text(text, **more):
    return cairn.from_mujoco(mujoco.MjModel.from_xml_string(text), **more)


def world_of(imported, **settings):
    return imported.world(precision="double", backend="cpu", threads=1, **settings)


def matrix_of(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize("path", FILES)
def test_models_of_packages_lie_where_they_do_in_mujoco(path):
    model = compiled(path)
    # Limits and equalities do not hold anywhere, and would count as errors of joints.
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_EQUALITY
    qpos, qvel = somewhere(model, seed=2)
    imported = cairn.from_mujoco(model, qpos=qpos, qvel=qvel)
    world = world_of(imported)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    states = world.states()
    for index in range(model.nbody):
        place = imported.bodies[model.body(index).name or f"body {index}"]
        outer = matrix_of(states.orientations[place.body])
        assert states.positions[place.body] + outer @ place.pose.position == pytest.approx(data.xpos[index], abs=1e-12)
        assert outer @ matrix_of(place.pose.orientation) == pytest.approx(data.xmat[index].reshape(3, 3), abs=1e-12)
    assert len(imported.joints) == model.njnt
    assert np.abs(difference(model, imported.qpos(world), data.qpos)).max(initial=0) < 1e-12
    assert world.joint_states().error.max(initial=0) < 1e-12
    assert imported.time_step == model.opt.timestep
    assert cairn.Scene.from_json(imported.scene.to_json()).to_json() == imported.scene.to_json()


@pytest.mark.parametrize("path", FILES)
def test_models_of_packages_weigh_what_they_do_in_mujoco(path):
    """Energy and momentum of a motion are those by MuJoCo's mass matrix."""
    model = compiled(path)
    model.dof_armature[:] = 0
    mujoco.mj_setConst(model, mujoco.MjData(model))
    qpos, qvel = somewhere(model, seed=4)
    imported = cairn.from_mujoco(model, qpos=qpos, qvel=qvel, link_mass=1e-9)
    if any("of some extent" in item.reason for item in imported.report):
        pytest.skip("a body of this model has no extent")
    report = world_of(imported).report()
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    mujoco.mj_subtreeVel(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full) if mujoco.mj_versionString() >= "4" else mujoco.mj_fullM(model, full, data.qM)
    moving = [b for b in range(model.nbody) if model.body_jntnum[model.body_weldid[b]] > 0]
    energy = 0.5 * qvel @ full @ qvel
    assert report.kinetic_energy == pytest.approx(energy, rel=1e-7, abs=1e-12)
    momentum = np.zeros(3)
    for b in moving:
        six = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, b, six, 0)
        momentum += model.body_mass[b] * six[3:]
    assert report.linear_momentum == pytest.approx(momentum, rel=1e-7, abs=1e-9)


def test_bodies_whose_geoms_say_their_mass_need_no_further_shape():
    imported = from_text(
        """<mujoco><worldbody><body><freejoint/><geom type="box" size="0.1 0.2 0.3" density="700"/>
        <geom type="capsule" fromto="0 0 0.3 0.1 0.2 0.6" size="0.05" mass="0.4"/><body pos="1 0 0"><geom type="ellipsoid" size="0.1 0.2 0.1"/></body></body>
        <body pos="0 0 3"><freejoint/><geom type="box" size="0.1 0.2 0.3"/><inertial pos="0.01 0 0" mass="2" diaginertia="0.01 0.02 0.025"/></body>
        </worldbody></mujoco>"""
    )
    _, first, second = imported.scene.to_dict()["bodies"]
    assert [shape["density"] for shape in first["shapes"]][0] == pytest.approx(700)
    assert len(first["shapes"]) == 3
    assert "inertia" not in first and len(second["shapes"]) == 1
    assert (second["mass"], second["centre_of_mass"], second["inertia"]) == (2, [0.01, 0, 0], pytest.approx([0.01, 0.02, 0.025]))
    assert len(imported.report) == 0


def test_an_inertia_that_no_solid_has_is_reported():
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><body name="point"><joint type="slide"/><inertial pos="0 0 0" mass="1" diaginertia="1e-12 1e-12 1e-12"/></body>
        <body name="needle"><joint type="slide"/><inertial pos="0 0 0" mass="1" diaginertia="1e-14 0.1 0.1"/></body>
        <body name="odd"><joint type="slide"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body>
        <body name="plate"><joint type="slide"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.2 0.3"/></body></worldbody></mujoco>"""
    )
    model.body_inertia[model.body("odd").id] = (0.1, 0.1, 0.3)
    imported = cairn.from_mujoco(model)
    assert [item.name for item in imported.report] == ["odd"]
    bodies = {body["name"]: body for body in imported.scene.to_dict()["bodies"]}
    assert bodies["point"]["inertia"] == [1e-12, 1e-12, 1e-12]
    assert bodies["odd"]["inertia"] == pytest.approx([0.1, 0.1, 0.2])


def contacts_in_mujoco(model):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return {tuple(sorted(pair)) for pair in np.array(data.contact.geom).reshape(-1, 2).tolist()}


def contacts_here(model, imported):
    """Pairs of geoms: shapes of a body are its geoms in their order, followed by what else carries its mass."""
    groups = {}
    for geom in range(model.ngeom):
        groups.setdefault(imported.bodies[model.body(model.geom_bodyid[geom]).name or f"body {model.geom_bodyid[geom]}"].body, []).append(geom)
    world = world_of(imported)
    world.step()
    return {tuple(sorted((groups[c.body_a.index][c.shape_a], groups[c.body_b.index][c.shape_b]))) for c in world.contacts()}


def test_what_collides_in_mujoco_collides():
    """Overlapping spheres with bits at random, some of them joined, excluded and paired."""
    random = np.random.default_rng(8)
    bodies = []
    for i in range(12):
        bits = f'contype="{random.integers(0, 8)}" conaffinity="{random.integers(0, 8)}"'
        place = " ".join(map(str, (0.02 * random.standard_normal(3)).tolist()))
        child = (
            f'<body name="c{i}" pos="0 0 0.05"><joint/><joint axis="1 0 0" pos="0.1 0 0"/><geom name="h{i}" size="0.3" {bits}/></body>' if i % 3 == 0 else ""
        )
        bodies.append(f'<body name="b{i}" pos="{place}"><freejoint/><geom name="g{i}" size="0.3" {bits}/>{child}</body>')
    rules = '<exclude body1="b1" body2="b2"/><exclude body1="c0" body2="b4"/><pair geom1="g5" geom2="g7"/><pair geom1="g1" geom2="g2"/>'
    fixed = '<geom name="rock" size="0.3"/><body name="door" pos="0.1 0 0"><joint/><geom size="0.3"/></body>'
    text = f"<mujoco><option gravity='0 0 0'/><worldbody>{fixed}{''.join(bodies)}</worldbody><contact>{rules}</contact></mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    expected = contacts_in_mujoco(model)
    assert len(expected) > 20
    assert contacts_here(model, cairn.from_mujoco(model)) == expected
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    assert contacts_here(model, cairn.from_mujoco(model)) == set()


def test_parents_collide_if_the_model_says_so():
    text = """<mujoco><option><flag filterparent="{}"/></option><worldbody><body name="a"><freejoint/><geom size="0.3"/>
      <body name="b" pos="0.1 0 0"><joint/><geom size="0.3"/></body></body></worldbody></mujoco>"""
    for flag in ("enable", "disable"):
        model = mujoco.MjModel.from_xml_string(text.format(flag))
        assert contacts_here(model, cairn.from_mujoco(model)) == contacts_in_mujoco(model) == ({(0, 1)} if flag == "disable" else set())


def test_more_kinds_of_geoms_than_bits_are_reported():
    bodies = "".join(f'<body name="b{i}"><freejoint/><geom size="0.1"/></body>' for i in range(80))
    rules = "".join(f'<exclude body1="b{2 * i}" body2="b{2 * i + 1}"/>' for i in range(40))
    imported = from_text(f"<mujoco><worldbody>{bodies}</worldbody><contact>{rules}</contact></mujoco>")
    assert [item.name for item in imported.report] == ["exclude, pair"]


ARM = """<mujoco><option gravity="0 0 0" timestep="0.001"/><worldbody><body><joint name="j" axis="0 0 -1" ref="0.3" {joint}/>
  <inertial pos="0.2 0 0" mass="2" diaginertia="0.01 0.02 0.02"/></body></worldbody><actuator>{actuator}</actuator></mujoco>"""
INERTIA = 0.02 + 2 * 0.2**2


def arm(actuator, joint=""):
    return from_text(ARM.format(actuator=actuator, joint=joint))


def test_a_motor_exerts_its_torque():
    imported = arm('<motor joint="j" gear="3" ctrlrange="-1 1" ctrllimited="true"/>')
    assert len(imported.report) == 0 and imported.actuators[0].kind == "force"
    world = world_of(imported)
    for control, torque in ((0.5, 1.5), (-0.2, -0.6), (4, 3), (0, 0)):
        before = world.angular_velocities()[1, 2]
        imported.control(world, [control])
        world.step(20)
        # The axis points down: a positive torque turns the body the other way about z.
        assert world.angular_velocities()[1, 2] - before == pytest.approx(-torque / INERTIA * 0.02, abs=1e-9)


def test_servos_reach_what_they_are_told():
    position = arm('<position joint="j" kp="50" kv="5" gear="2" forcerange="-30 30"/>')
    world = world_of(position)
    position.control(world, [1.4])
    world.step(1000)
    assert position.qpos(world)[0] == pytest.approx(0.7, abs=1e-6)
    assert position.actuators[0].max_force == 60
    assert [item.effect for item in position.report] == ["approximated"]
    velocity = arm('<velocity joint="j" kv="5" gear="2"/>')
    world = world_of(velocity)
    velocity.control(world, [3])
    world.step(500)
    assert world.angular_velocities()[1, 2] == pytest.approx(-1.5, abs=1e-6)
    # Without a control a servo holds its zero, from the start on.
    world = world_of(position)
    world.step(1000)
    assert position.qpos(world)[0] == pytest.approx(0, abs=1e-6)


def test_a_general_actuator_is_what_it_reduces_to():
    imported = arm('<general joint="j" gainprm="20" biastype="affine" biasprm="4 -10 -2"/>')
    world = world_of(imported)
    imported.control(world, [0.1])
    world.step(1000)
    assert imported.qpos(world)[0] == pytest.approx((20 * 0.1 + 4) / 10, abs=1e-6)


def test_controls_are_checked(refused):
    imported = arm('<motor joint="j"/>')
    world = world_of(imported)
    assert refused(imported.control, world, [1.0, 2.0]) == "controls: must be of shape (1,), is of shape (2,)"
    assert refused(imported.control, world, [math.nan]) == "controls[0]: must be a finite number, is nan"
    world.remove_joint(world.joints()[0])
    assert "has no longer" in refused(imported.control, world, [1.0])
    assert "has no longer" in refused(imported.qpos, world)


def test_limits_hold_where_they_do_in_mujoco():
    text = """<mujoco><option gravity="0 0 -9.81" timestep="0.001"/><worldbody><body><joint name="j" axis="0 -1 0" ref="0.1" limited="true" range="{}" damping="0.5"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/></body></worldbody></mujoco>"""
    for limits, stops in (("-30 20", math.radians(-30)), ("0 200", 0.0)):
        model = mujoco.MjModel.from_xml_string(text.format(limits))
        data = mujoco.MjData(model)
        imported = cairn.from_mujoco(model)
        world = world_of(imported)
        world.step(2000)
        while data.time < 2:
            mujoco.mj_step(model, data)
        assert imported.qpos(world)[0] == pytest.approx(stops, abs=2e-3)
        assert imported.qpos(world)[0] == pytest.approx(data.qpos[0], abs=0.02)  # MuJoCo's limits are soft


def test_equalities_hold():
    text = """<mujoco><option timestep="0.001"/><worldbody>
      <body name="crank" pos="0 0 1"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 0.2" size="0.02"/>
        <body name="rod" pos="0 0 0.2"><joint axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.02"/></body></body>
      <body name="slider" pos="0.5 0 1.2"><joint name="rail" type="slide" axis="1 0 0"/><geom type="box" size="0.05 0.05 0.05"/></body>
      <body name="one" pos="2 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
      <body name="two" pos="2.2 0.1 1" euler="10 20 30"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
      <body name="big" pos="4 0 1"><joint name="b" axis="0 1 0" damping="0.1"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"/></body>
      <body name="small" pos="5 0 1"><joint name="s" axis="0 1 0"/><geom type="sphere" size="0.1"/></body>
      <body name="held" pos="6 0 1"><joint name="h" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02"/></body>
    </worldbody><equality><connect body1="rod" body2="slider" anchor="0.5 0 0"/><weld body1="one" body2="two"/>
      <joint joint1="s" joint2="b" polycoef="0 -2 0 0 0"/><joint joint1="h" polycoef="0.2 0 0 0 0"/>
      <joint joint1="rail" joint2="b"/><connect body1="one" body2="big" anchor="0 0 0" active="false"/></equality></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    imported = cairn.from_mujoco(model)
    assert [(item.element, item.effect) for item in imported.report] == [("equality", "left out")] * 2
    world = world_of(imported)
    index = {name: place.body for name, place in imported.bodies.items()}

    def apart():
        states = world.states()
        one, two = index["one"], index["two"]
        return matrix_of(states.orientations[one]).T @ (states.positions[two] - states.positions[one])

    at_start = apart()
    world.step(300)
    states = world.states()
    rod = states.positions[index["rod"]] + matrix_of(states.orientations[index["rod"]]) @ [0.5, 0, 0]
    assert rod == pytest.approx(states.positions[index["slider"]], abs=1e-5)  # loops have a compliance
    assert apart() == pytest.approx(at_start, abs=1e-6)
    q = {name: imported.qpos(world)[joint.address] for name, joint in imported.joints.items()}
    assert abs(q["b"]) > 0.2 and q["s"] == pytest.approx(-2 * q["b"], abs=1e-3)
    assert q["h"] == pytest.approx(0.2, abs=2e-6)


def test_sites_are_held_together():
    text = """<mujoco><option timestep="0.001"/><worldbody>
      <body name="a" pos="0 0 1" euler="20 0 40"><freejoint/><geom type="box" size="0.1 0.2 0.1"/>
        <body pos="0.3 0 0" euler="0 50 0"><geom type="sphere" size="0.05"/><site name="s" pos="0.1 0 0" euler="30 0 0"/></body></body>
      <body name="b" pos="1 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.3"/><site name="t" pos="0 0 0.3" euler="0 10 0"/></body>
    </worldbody><equality><{} site1="s" site2="t"/></equality></mujoco>"""
    for kind in ("connect", "weld"):
        model = mujoco.MjModel.from_xml_string(text.format(kind))
        imported = cairn.from_mujoco(model)
        world = world_of(imported)
        world.step(1500)
        data = mujoco.MjData(model)
        data.qpos[:] = imported.qpos(world)
        mujoco.mj_forward(model, data)
        assert data.site_xpos[0] == pytest.approx(data.site_xpos[1], abs=1e-6)
        assert (np.abs(data.site_xmat[0] - data.site_xmat[1]).max() < 1e-6) == (kind == "weld")


def test_names_are_such_as_scenes_take():
    imported = from_text(
        """<mujoco><worldbody><body name="body-7"><joint name="joint-7"/><geom size="0.1"/></body>
        <body name="plain"><joint name="plain"/><geom size="0.1"/></body></worldbody></mujoco>"""
    )
    described = imported.scene.to_dict()
    assert [body["name"] for body in described["bodies"]] == ["world", "body_7", "plain"]
    assert [joint["name"] for joint in described["joints"]] == ["joint_7", "plain"]
    assert list(imported.joints) == ["joint-7", "plain"] and set(imported.bodies) == {"world", "body-7", "plain"}


def test_mocap_bodies_are_kinematic_and_keyframes_start():
    text = """<mujoco><worldbody><body name="hand" mocap="true" pos="0 0 1"><geom type="box" size="0.1 0.1 0.1"/></body>
      <body name="ball" pos="0 0 2"><freejoint/><geom size="0.1"/></body></worldbody>
      <keyframe><key name="home" qpos="1 2 3 0 1 0 0" qvel="1 0 0 0 0 5"/></keyframe></mujoco>"""
    imported = from_text(text, keyframe="home")
    assert [body.get("type", "dynamic") for body in imported.scene.to_dict()["bodies"]] == ["static", "kinematic", "dynamic"]
    world = world_of(imported)
    assert imported.qpos(world) == pytest.approx([1, 2, 3, 0, 1, 0, 0])
    assert world.linear_velocities()[2] == pytest.approx([1, 0, 0])
    assert world.angular_velocities()[2] == pytest.approx([0, 0, -5])  # MuJoCo's are in the body's frame, which lies upside down


def test_what_is_not_there_is_listed():
    text = """<mujoco><option density="1000" wind="1 0 0"/><asset><hfield name="hills" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>
      <light name="sun"/><camera name="eye"/><geom name="hills" type="hfield" hfield="hills"/><geom name="floor" type="plane" size="1 1 1" friction="0.7"/>
      <body name="a" pos="0 0 3"><joint name="ball" type="ball" stiffness="2" limited="true" range="0 40" frictionloss="0.1"/>
        <geom name="can" type="cylinder" size="0.1 0.2"/><geom name="roller" size="0.1" condim="6" margin="0.01"/>
        <site name="tip"/>
        <body name="b"><joint name="wide" range="-400 400" limited="true" armature="0.1"/><joint name="other" axis="1 0 0" pos="0 0.3 0" range="-10 270" limited="true"/>
          <geom size="0.1"/></body></body>
    </worldbody><tendon><fixed name="string"><joint joint="wide" coef="1"/></fixed></tendon>
    <actuator><motor name="pull" tendon="string"/><motor name="first" joint="wide"/><motor name="second" joint="wide"/>
      <muscle name="muscle" joint="other"/></actuator><sensor><gyro name="gyro" site="tip"/></sensor></mujoco>"""
    report = from_text(text).report
    listed = {(item.element, item.name, item.effect) for item in report}
    assert listed >= {
        ("option", "density", "left out"),
        ("option", "wind", "left out"),
        ("option", "friction", "approximated"),
        ("light", "sun", "left out"),
        ("camera", "eye", "left out"),
        ("geom", "hills", "left out"),
        ("geom", "roller", "left out"),
        ("joint", "ball", "left out"),
        ("joint", "ball", "approximated"),
        ("joint", "wide", "left out"),
        ("joint", "other", "approximated"),
        ("body", "b", "approximated"),
        ("tendon", "string", "left out"),
        ("actuator", "pull", "left out"),
        ("actuator", "second", "left out"),
        ("actuator", "muscle", "left out"),
        ("sensor", "gyro", "left out"),
    }
    assert ("actuator", "first", "left out") not in listed
    assert not report.about("geom", "can")  # a cylinder is a cylinder
    assert len(report.about("joint", "ball")) == 3 and report[0] in list(report)
    assert all("\n" not in str(item) and item.reason for item in report)
    assert str(report).count("\n") == len(report) - 1
    assert not from_text("<mujoco/>").report


def test_bad_models_are_refused(refused, tmp_path):
    assert refused(cairn.from_mjcf, tmp_path / "none.xml") == f"{tmp_path / 'none.xml'}: there is no such file"
    broken = tmp_path / "broken.xml"
    broken.write_text("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>")
    assert refused(cairn.from_mjcf, broken).startswith(f"{broken}: Error: ")
    assert refused(cairn.from_urdf, broken) == f"{broken}: is no URDF file: its root is 'mujoco' instead of 'robot'"
    broken.write_text("<mujoco>")
    assert refused(cairn.from_urdf, broken).startswith(f"{broken}: is no XML: ")
    assert refused(cairn.from_mujoco, "arm.xml") == "model: must be a mujoco.MjModel, is 'arm.xml'"
    model = mujoco.MjModel.from_xml_string(ARM.format(actuator="", joint=""))
    assert refused(cairn.from_mujoco, model, qpos=[1.0, 2.0]) == "qpos: must be of shape (1,), is of shape (2,)"
    assert refused(cairn.from_mujoco, model, qvel=[math.inf]) == "qvel[0]: must be a finite number, is inf"
    assert refused(cairn.from_mujoco, model, keyframe="home") == "keyframe: the model has none, is 'home'"
    assert refused(cairn.from_mujoco, model, link_mass=0) == "link_mass: must be > 0 and at most 0.1, is 0"


def test_without_mujoco_there_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(ModuleNotFoundError, match=r"^models are compiled by the package mujoco, which is not here: pip install cairn\[models\]$"):
        cairn.from_mjcf(tmp_path / "model.xml")


@pytest.fixture
def robot(tmp_path):
    def link(name, mass, z, geometry):
        inertial = f'<inertial><origin xyz="0 0 {z}"/><mass value="{mass}"/><inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.005"/></inertial>'
        return f'<link name="{name}">{inertial}<collision><origin xyz="0 0 {z}"/><geometry>{geometry}</geometry></collision></link>'

    def joint(name, kind, parent, child, rest):
        return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{rest}</joint>'

    path = tmp_path / "arm.urdf"
    path.write_text(
        '<robot name="arm">'
        + link("base", 2, 0, '<box size="0.2 0.2 0.1"/>')
        + link("upper", 1, 0.25, '<cylinder radius="0.05" length="0.5"/>')
        + link("lower", 0.5, 0.2, '<mesh filename="package://nowhere/lower.dae"/>')
        + link("tip", 0.1, 0, '<sphere radius="0.05"/>')
        + link("tool", 0.2, 0.1, '<box size="0.1 0.1 0.1"/>')
        + joint(
            "shoulder",
            "revolute",
            "base",
            "upper",
            '<origin xyz="0 0 0.05" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/><limit lower="-1" upper="1.2" effort="30" velocity="2"/>'
            '<dynamics damping="0.3" friction="0.1"/>',
        )
        + joint("elbow", "continuous", "upper", "lower", '<origin xyz="0 0 0.5"/><axis xyz="1 0 0"/><mimic joint="shoulder"/>')
        + joint("rail", "prismatic", "lower", "tip", '<origin xyz="0 0 0.4"/><axis xyz="0 0 1"/><limit lower="0" upper="0.2" effort="5" velocity="0"/>')
        + joint("bolt", "fixed", "tip", "tool", '<origin xyz="0 0 0.1"/>')
        + '<transmission name="drive"/></robot>'
    )
    return path


def test_urdf(robot):
    imported = cairn.from_urdf(robot)
    assert list(imported.joints) == ["shoulder", "elbow", "rail"]
    assert set(imported.bodies) == {"world", "base", "upper", "lower", "tip", "tool"}
    assert imported.bodies["base"].body == imported.bodies["world"].body == 0
    assert imported.bodies["tip"].body == imported.bodies["tool"].body
    assert imported.scene.gravity == (0, 0, -9.81)
    shoulder = imported.scene.to_dict()["joints"][0]
    assert shoulder["axes"] == {"about_x": {"limits": [-1, 1.2], "spring": {"damping": 0.3}, "friction": 0.1}}
    listed = {(item.element, item.name) for item in imported.report}
    assert listed >= {("joint", "shoulder"), ("transmission", "drive"), ("geom", "lower: lower")}
    assert [shape["type"] for shape in imported.scene.to_dict()["bodies"][1]["shapes"]] == ["cylinder"]
    assert any("gears" in item.reason or "mimic" in item.reason for item in imported.report)
    free = cairn.from_urdf(robot, free_base=True, gravity=(0, 0, 0))
    assert free.bodies["base"].body == 1 and free.coordinate_count == 10
    mass = [world_of(model).contact_problem().M.to_dense()[0::6, 0::6].diagonal() for model in (imported, free)]
    assert mass[0] == pytest.approx([1, 0.5, 0.3]) and mass[1] == pytest.approx([2, 1, 0.5, 0.3])


def test_urdf_takes_mass_from_meshes_where_nothing_else_says_it(tmp_path):
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=np.float32)
    triangles = b"".join(bytes(12) + corners[list(face)].tobytes() + bytes(2) for face in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)))
    (tmp_path / "tetrahedron.stl").write_bytes(bytes(80) + np.uint32(4).tobytes() + triangles)
    path = tmp_path / "rock.urdf"
    mesh = '<mesh filename="package://rocks/tetrahedron.stl"/>'
    path.write_text(f'<robot name="rock"><link name="rock"><collision><geometry>{mesh}</geometry></collision></link></robot>')
    imported = cairn.from_urdf(path, free_base=True)
    assert [item.element for item in imported.report] == ["geom"]
    assert world_of(imported).contact_problem().M.to_dense()[0, 0] == pytest.approx(1000 / 6)


def test_the_program_runs_models(run_program, robot, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")
    file = tmp_path / "pendulum.xml"
    file.write_text(ARM.format(actuator='<position joint="j" kp="3"/>', joint='damping="0.1"').replace('gravity="0 0 0"', ""))
    for path, imported in ((file, cairn.from_mjcf(file)), (robot, cairn.from_urdf(robot))):
        row = run_program("run", str(path), "--steps", "50", "--backend", "cpu", into="--report")
        world = cairn.World(imported.scene, backend="cpu")
        world.step(50)
        assert f"{world.state_hash():016x}" == row["state_hash"]


def test_the_program_says_what_is_missing(monkeypatch, tmp_path):
    program = os.environ.get("CAIRN_PROGRAM", "")
    if not program:
        pytest.skip("CAIRN_PROGRAM does not name the program")

    def refusal(path):
        done = subprocess.run([program, "run", str(path)], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        return done.stderr

    assert refusal(tmp_path / "no.xml") == f"cairn: {tmp_path / 'no.xml'}: there is no such file\n"
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot/>")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    python = bin_folder / "python3"
    for answer, words in (
        (json.dumps({"error": "has no wheels"}), "broken.urdf: has no wheels"),
        (json.dumps({"missing": "mujoco is not here"}), "Python 3 with the packages cairn and mujoco"),
        ("no JSON", "Python 3 with the packages cairn and mujoco"),
    ):
        python.write_text(f"#!/bin/sh\necho '{answer}'\n")
        python.chmod(0o755)
        monkeypatch.setenv("PATH", str(bin_folder) + ":/bin:/usr/bin")
        assert words in refusal(broken)
