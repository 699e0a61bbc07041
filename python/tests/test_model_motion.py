"""Models move as MuJoCo moves them."""

import math

import numpy as np
import pytest

import cairn
from model_files import bare, compiled, difference, limit_of, model_files, moved, mujoco, somewhere

SECONDS = 0.02
FILES = model_files()


def test_there_are_models():
    assert FILES, "the package mujoco comes with models"


@pytest.mark.parametrize("path", FILES)
def test_models_of_packages_move_as_in_mujoco(path):
    """Without contacts and forces of their own, from somewhere, with some velocity: for steps that get ever smaller both reach the same coordinates."""
    model = bare(compiled(path))
    if model.nq == 0:
        pytest.skip("nothing moves")
    qpos, qvel = somewhere(model, seed=3)
    imported = cairn.from_mujoco(model, qpos=qpos, qvel=qvel, link_mass=1e-6)
    theirs = moved(model, qpos, qvel, SECONDS)
    ours, last = limit_of(model, imported, theirs, SECONDS, steps=100)
    chained = any("light bodies" in item.reason for item in imported.report)
    assert np.abs(difference(model, ours, theirs)).max() < (1e-7 if chained else 1e-9)
    assert np.abs(difference(model, last, theirs)).max() < 1e-4


@pytest.mark.parametrize("name", ["ant", "half_cheetah", "hopper", "humanoid", "swimmer", "walker2d"])
def test_small_steps_come_within_a_millionth(name):
    """The same without an extrapolation: the coordinates of the World themselves."""
    files = {parameter.id: parameter.values[0] for parameter in FILES}
    if f"gymnasium/{name}" not in files:
        pytest.skip("the package gymnasium is not here")
    model = bare(compiled(files[f"gymnasium/{name}"]))
    qpos, qvel = somewhere(model, seed=5)
    imported = cairn.from_mujoco(model, qpos=qpos, qvel=qvel, link_mass=1e-6)
    world = imported.world(dt=SECONDS / 100, substeps=64, precision="double", backend="cpu", threads=1)
    world.step(100)
    assert np.abs(difference(model, imported.qpos(world), moved(model, qpos, qvel, SECONDS))).max() < 1e-6


LOADED = """<mujoco><option gravity="1 2 -9.81"/><worldbody>
  <body name="cart" pos="0 0 1"><joint name="rail" type="slide" axis="0 1 0" ref="0.2" springref="0.1" stiffness="30" damping="2"/>
    <geom type="box" size="0.2 0.1 0.1" mass="2"/>
    <body name="arm" pos="0 0.1 0.1"><joint name="swing" axis="0 0.6 -0.8" pos="0.1 0 0" ref="0.4" springref="-0.3" stiffness="3" damping="0.2"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0.1" size="0.05" mass="1"/></body>
  </body></worldbody></mujoco>"""


def test_springs_and_damping_act_as_in_mujoco():
    model = mujoco.MjModel.from_xml_string(LOADED)
    qpos, qvel = somewhere(model, seed=1)
    imported = cairn.from_mujoco(model, qpos=qpos, qvel=qvel)
    theirs = moved(model, qpos, qvel, 0.1)
    ours, _ = limit_of(model, imported, theirs, 0.1, steps=400, iterations=30)
    assert len(imported.report) == 0
    assert np.abs(difference(model, ours, theirs)).max() < 1e-6


def chain_of(random, kinds):
    """A body with joints, in random frames, on a free one: axes along a turned frame's, all turns about one point."""
    frame = np.linalg.qr(random.standard_normal((3, 3)))[0]
    order = iter(random.permutation(3))
    slides = iter(random.permutation(3))
    anchor = " ".join(map(str, 0.2 * random.standard_normal(3)))
    joints = []
    for i, kind in enumerate(kinds):
        name = f'name="{kind}{i}" type="{kind}" pos="{anchor}"'
        if kind != "ball":
            axis = frame[:, next(order if kind == "hinge" else slides)] * random.choice([-1, 1])
            name += f' axis="{axis[0]!r} {axis[1]!r} {axis[2]!r}"'.replace("np.float64(", "").replace(")", "") + ' ref="0.1"'
        joints.append(f"<joint {name}/>")
    quaternion = " ".join(map(str, random.standard_normal(4).tolist()))
    inertia = '<inertial pos="0.05 0.1 0.02" mass="1.5" fullinertia="0.03 0.05 0.06 0.004 0.002 0.001"/>'
    return (
        f'<mujoco><worldbody><body name="base" pos="0 0 2"><freejoint/><geom type="box" size="0.3 0.2 0.1"/>'
        f'<body name="fixed" pos="0.1 0.2 0.3" quat="{quaternion}"><geom type="sphere" size="0.1" pos="0.4 0 0"/>'
        f'<body name="child" pos="0.3 0.1 -0.2" quat="{quaternion}">{"".join(joints)}{inertia}</body></body></body></worldbody></mujoco>'
    )


SEQUENCES = {
    "hinge": 1,
    "slide": 1,
    "ball": 1,
    "hinge hinge": 1,
    "hinge hinge hinge": 1,
    "slide slide": 1,
    "slide slide slide": 1,
    "slide hinge": 1,
    "hinge slide": 1,
    "slide slide hinge": 1,
    "hinge slide slide": 1,
    "slide hinge hinge hinge": 1,
    "hinge hinge slide": 1,
    "slide slide slide ball": 1,
    "ball slide": 1,
    "hinge slide hinge": 2,
    "slide ball slide": 2,
}


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_joints_of_a_body_move_as_in_mujoco(sequence):
    """Any joints that a body has, one after the other."""
    random = np.random.default_rng(sum(map(ord, sequence)))
    model = mujoco.MjModel.from_xml_string(chain_of(random, sequence.split()))
    qpos, qvel = somewhere(model, seed=7, way=0.5)
    imported = cairn.from_mujoco(model, qpos=qpos, qvel=qvel, link_mass=1e-5)
    joints = SEQUENCES[sequence]
    assert imported.scene.joint_count == joints
    assert len(imported.report.about("body", "child")) == (joints > 1)
    world = imported.world(precision="double", backend="cpu")
    assert np.abs(difference(model, imported.qpos(world), qpos)).max() < 1e-12
    theirs = moved(model, qpos, qvel, 0.05)
    ours, _ = limit_of(model, imported, theirs, 0.05, steps=800)
    assert np.abs(difference(model, ours, theirs)).max() < (1e-6 if joints > 1 else 1e-9)


@pytest.mark.parametrize(
    ("geom", "height"),
    [
        ('type="sphere" size="0.1"', 0.1),
        ('type="box" size="0.2 0.15 0.1"', 0.1),
        ('type="capsule" size="0.1 0.3" euler="90 0 0"', 0.1),
        ('type="ellipsoid" size="0.3 0.2 0.1"', 0.1),
        ('type="cylinder" size="0.2 0.15"', 0.15),
        ('type="cylinder" size="0.2 0.15" euler="90 20 0"', 0.2),
    ],
)
def test_shapes_rest_as_high_as_in_mujoco(geom, height):
    text = f'<mujoco><worldbody><geom type="plane" size="5 5 1" pos="0 0 0.5"/><body pos="0 0 0.75"><freejoint/><geom {geom}/></body></worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    while data.time < 3:
        mujoco.mj_step(model, data)
    imported = cairn.from_mujoco(model)
    world = imported.world(backend="cpu")
    world.step(math.ceil(3 / model.opt.timestep))
    ours, theirs = imported.qpos(world)[2], data.qpos[2]
    # Contacts are soft there by what their reference asks, here by the penetration that the World allows.
    assert abs(ours - theirs) < 2e-3
    assert abs(ours - 0.5 - height) < 1e-3


def test_a_slope_holds_what_its_friction_holds():
    for friction, holds in ((0.6, True), (0.4, False)):  # the slope is tan 26.6 degrees = 0.5
        text = f"""<mujoco><option gravity="4.387 0 -8.774"/><default><geom friction="{friction}"/></default><worldbody><geom type="plane" size="5 5 1"/>
          <body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
        imported = cairn.from_mujoco(mujoco.MjModel.from_xml_string(text))
        world = imported.world(backend="cpu")
        world.step(500)
        way = imported.qpos(world)[0]
        assert abs(way) < 0.01 if holds else way == pytest.approx(0.5 * (4.387 - friction * 8.774), rel=0.05)


def test_balls_roll_and_spin_as_far_as_in_mujoco():
    ball = '<body pos="{x} 0 0.1"><freejoint/><geom size="0.1" condim="{condim}" friction="0.9 0.01 0.003"/></body>'
    text = f"""<mujoco><option timestep="0.001" cone="elliptic" impratio="10"/><worldbody><geom type="plane" size="5 5 1" friction="0.9 0 0" solref="0.004 1"/>
      {ball.format(x=0, condim=6)}{ball.format(x=1, condim=4)}</worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qvel[:6] = 0, 1, 0, -10, 0, 0  # one rolls along y, the other spins about z
    data.qvel[6:] = 0, 0, 0, 0, 0, 20
    imported = cairn.from_mujoco(model, qvel=data.qvel)
    world = imported.world(backend="cpu")
    while data.time < 0.3:
        mujoco.mj_step(model, data)
        world.step()
    rolling, spinning = 0.003 * 9.81 / (0.1 * 1.4), 0.01 * 9.81 / (0.4 * 0.1**2)
    assert world.linear_velocities()[1][1] == pytest.approx(1 - 0.3 * rolling, abs=2e-3)
    assert world.linear_velocities()[1][1] == pytest.approx(data.qvel[1], abs=5e-3)
    assert world.angular_velocities()[2][2] == pytest.approx(20 - 0.3 * spinning, abs=0.1)
    assert world.angular_velocities()[2][2] == pytest.approx(data.qvel[11], abs=0.2)
    assert not imported.report.about("geom", "")
