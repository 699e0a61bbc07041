"""Scenes: by builders, dicts, files and generators."""

import copy
import dataclasses
import json
import math

import numpy as np
import pytest

import cairn

BALL = {"position": [0, 2, 0], "linear_velocity": [1, 0, 0], "shapes": [{"type": "sphere", "radius": 0.25}]}


def test_builders_make_the_scene_that_a_dict_describes():
    built = cairn.Scene("both", gravity=(0, -1, 0), default_steps=7)
    built.add_body(name="floor", type="static", shapes=[cairn.ShapeDef.half_space(friction=0.25, restitution=0.5)])
    shapes = [
        cairn.ShapeDef.sphere(0.25, position=(0, 1, 0), density=50),
        cairn.ShapeDef.capsule(0.1, 0.3, orientation=(0, 0, 1, 1), category=2, mask=5, group=-3),
        cairn.ShapeDef.box((0.1, 0.2, 0.3)),
        cairn.ShapeDef.ellipsoid((0.3, 0.2, 0.1)),
        cairn.ShapeDef.hull(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), max_vertices=8),
        cairn.ShapeDef.cylinder(0.2, 0.4),
        cairn.ShapeDef.cone(0.3, 0.5),
    ]
    body = cairn.BodyDef(name="a", position=(0, 3, 0), linear_velocity=(1, 2, 3), angular_velocity=(4, 5, 6), shapes=shapes, mass=2)
    built.add_body(body, gravity_scale=0.5, lock_rotation=(True, False, True))
    built.add_body(
        position=np.array([1, 3, 0]), orientation=(0, 0, 0, 2), shapes=(cairn.ShapeDef.sphere(np.float32(0.5)),), lock_translation=[False] * 2 + [True]
    )
    axes = {
        "about_x": cairn.JointAxis(limits=(-1, 0.5), motor="velocity", target=2, max_force=30, friction=0.1),
        "x": cairn.JointAxis(free=True, stiffness=10, damping=1, rest=0.1),
    }
    axes["about_x"] = dataclasses.replace(axes["about_x"], free=True)
    built.add_joint("six_dof", 1, 2, name="j", axes=axes, frame_a=cairn.Pose((0.5, 0, 0)), frame_b=((-0.5, 0, 0), (0, 1, 0, 0)), break_impulse=9, collide=True)
    built.add_joint("distance", 0, 2, min_distance=0.5, max_distance=5)
    described = {
        "version": 1,
        "name": "both",
        "gravity": [0, -1, 0],
        "default_steps": 7,
        "materials": {"floor": {"friction": 0.25, "restitution": 0.5}},
        "bodies": [
            {"name": "floor", "type": "static", "shapes": [{"type": "half_space", "material": "floor"}]},
            {
                "name": "a",
                "position": (0, 3, 0),
                "linear_velocity": (1, 2, 3),
                "angular_velocity": np.array([4.0, 5.0, 6.0]),
                "mass": 2,
                "gravity_scale": 0.5,
                "lock_rotation": [True, False, True],
                "shapes": [
                    {"type": "sphere", "radius": 0.25, "position": [0, 1, 0], "density": 50},
                    {
                        "type": "capsule",
                        "radius": 0.1,
                        "half_height": 0.3,
                        "orientation": [0, 0, 1, 1],
                        "filter": {"category": 2, "mask": 5, "group": -3},
                    },
                    {"type": "box", "half_extents": [0.1, 0.2, 0.3]},
                    {"type": "ellipsoid", "semi_axes": [0.3, 0.2, 0.1]},
                    {"type": "hull", "points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "max_vertices": 8},
                    {"type": "cylinder", "radius": 0.2, "half_height": 0.4},
                    {"type": "cone", "radius": 0.3, "half_height": 0.5},
                ],
            },
            {
                "position": [1, 3, 0],
                "orientation": [0, 0, 0, 2],
                "lock_translation": [False, False, True],
                "shapes": [{"type": "sphere", "radius": np.float64(0.5)}],
            },
        ],
        "joints": [
            {
                "type": "six_dof",
                "name": "j",
                "body_a": 1,
                "body_b": 2,
                "frame_a": {"position": [0.5, 0, 0]},
                "frame_b": {"position": [-0.5, 0, 0], "orientation": [0, 1, 0, 0]},
                "axes": {
                    "about_x": {
                        "free": True,
                        "limits": [-1, 0.5],
                        "motor": {"type": "velocity", "target": 2, "max_force": 30},
                        "friction": 0.1,
                    },
                    "x": {"free": True, "spring": {"stiffness": 10, "damping": 1, "rest": 0.1}},
                },
                "break_impulse": 9,
                "collide": True,
            },
            {"type": "distance", "body_a": 0, "body_b": 2, "min_distance": 0.5, "max_distance": 5},
        ],
    }
    assert built.to_dict() == cairn.Scene.from_dict(described).to_dict()
    assert (built.body_count, built.joint_count) == (3, 2)


def test_a_hull_without_a_volume_is_refused_by_name():
    scene = cairn.Scene()
    with pytest.raises(cairn.InvalidInput, match="points: must be four at least, are 3"):
        scene.add_body(shapes=[cairn.ShapeDef.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0)])])
    with pytest.raises(cairn.InvalidInput, match="points"):
        scene.add_body(shapes=[cairn.ShapeDef.hull([(0, 0, 0), (1, 0)])])
    with pytest.raises(cairn.InvalidInput, match="points: must not lie in one plane, or nearly so: the 4 have no hull"):
        scene.add_body(shapes=[cairn.ShapeDef.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])])
    with pytest.raises(cairn.InvalidInput, match="points"):
        scene.add_body(shapes=[cairn.ShapeDef.hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, float("nan"))])])


def test_scenes_survive_dict_json_and_file(tmp_path):
    scene = cairn.Scene.load("skeletons:count=2")
    for again in (
        cairn.Scene.from_dict(scene.to_dict()),
        cairn.Scene.from_json(scene.to_json()),
        copy.copy(scene),
    ):
        assert again.to_json() == scene.to_json()
    scene.save(tmp_path / "skeletons.json")
    assert cairn.Scene.load(tmp_path / "skeletons.json").to_dict()["bodies"] == scene.to_dict()["bodies"]


def test_a_copy_is_a_scene_of_its_own(stack):
    other = stack.copy()
    other.add_body(shapes=[cairn.ShapeDef.sphere(1)])
    other.gravity = (0, 0, 0)
    assert (stack.body_count, other.body_count) == (4, 5)
    assert stack.gravity == (0, -9.81, 0)


def test_files_of_the_library_load(root):
    scene = cairn.Scene.load(root / "scenes" / "joints.json")
    written = json.loads((root / "scenes" / "joints.json").read_text())
    assert scene.body_count == len(written["bodies"]) > 0
    assert scene.joint_count == len(written["joints"]) > 0


def test_generators_are_listed_with_their_parameters():
    by_name = {generator.name: generator for generator in cairn.scene_generators()}
    pyramid = by_name["pyramid"]
    assert pyramid.summary
    assert [p for p in pyramid.parameters if p.name == "base"][0].default.isdigit()
    assert cairn.Scene.load("pyramid:base=3").body_count == 1 + 3 + 2 + 1


def test_a_joint_at_a_frame_is_on_target(stack):
    turned = (0, math.sin(0.3), 0, math.cos(0.3))
    stack.add_body(name="arm", position=(2, 0.5, 0), orientation=turned, shapes=[cairn.ShapeDef.sphere(0.5)])
    frame = ((1, 0.5, 0), (0.5, 0.5, 0.5, 0.5))
    joint = stack.joint("hinge", 1, 4, frame, axes={"about_x": cairn.JointAxis(friction=1)})
    assert joint.frame_a == cairn.Pose((1, 0, 0), (0.5, 0.5, 0.5, 0.5))
    stack.add_joint(joint, 1, 4, name="hinge")
    stack.add_joint("hinge", 1, 4, frame=frame, axes={"about_x": cairn.JointAxis(friction=1)})
    first, second = stack.to_dict()["joints"]
    assert first.pop("name") == "hinge"
    assert first == second
    state = cairn.World(stack, backend="cpu").joint_states()[1]
    assert state.error < 1e-6 and state.angular_error < 1e-6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"bodies": [{**BALL, "position": [0, math.nan, 0]}]},
            "scene: /bodies/0/position/1: must be a finite number, is nan (leave the key out where there is no limit)",
        ),
        ({"bodies": [{**BALL, "mass": math.inf}]}, "scene: /bodies/0/mass: must be a finite number, is inf (leave the key out where there is no limit)"),
        ({"bodies": [{**BALL, "position": np.zeros(4)}]}, "scene: /bodies/0/position: must be an array of 3 numbers, is array"),
        ({"bodies": [{**BALL, "wings": 2}]}, None),
        ({"bodies": [{**BALL, "name": {1}}]}, "scene: /bodies/0/name: must be a dict, list, text, number or boolean, is {1}"),
        ({"bodies": [{**BALL, 3: 4}]}, "/bodies/0: must have texts as keys, has 3"),
        ({"gravity": "down", "bodies": []}, None),
        ({}, "scene: /bodies: is missing"),
    ],
)
def test_dicts_are_refused_with_the_place(change, message, refused):
    text = refused(cairn.Scene.from_dict, change)
    if message is None:
        assert text.startswith("scene: /")
    else:
        assert text.startswith(message.removesuffix(", is array"))


def test_definitions_are_refused_with_field_and_value(stack, refused):
    ball = cairn.ShapeDef.sphere(0.5)
    assert refused(stack.add_body, mass="heavy", shapes=[ball]) == "body 4/mass: must be a number, is 'heavy'"
    assert refused(stack.add_body, position=(0, 1), shapes=[ball]) == "body 4/position: must be three numbers (x, y, z), is (0, 1)"
    assert refused(stack.add_body, position=(0, 1, "2"), shapes=[ball]) == "body 4/position/2: must be a number, is '2'"
    assert refused(stack.add_body, orientation=(0, 0, 0), shapes=[ball]) == "body 4/orientation: must be a quaternion (x, y, z, w), is (0, 0, 0)"
    assert refused(stack.add_body, name=b"raw", shapes=[ball]) == "body 4/name: must be text, is b'raw'"
    assert refused(stack.add_body, type="flying", shapes=[ball]) == "body 4/type: must be one of static, kinematic, dynamic, is 'flying'"
    assert refused(stack.add_body, shapes=ball).startswith("body 4/shapes: must be a sequence of ShapeDef, is ShapeDef(")
    assert refused(stack.add_body, shapes=[{"type": "sphere"}]) == "body 4/shapes/0: must be a ShapeDef, is {'type': 'sphere'}"
    assert refused(stack.add_body, lock_rotation=(1, 0, 0), shapes=[ball]) == "body 4/lock_rotation/0: must be True or False, is 1"
    assert refused(stack.add_body, name="x", shapes=[cairn.ShapeDef.sphere(-1)]) == "body 'x': /shapes/0/radius: must be a finite number > 0, is -1"
    assert refused(stack.add_body, shapes=[cairn.ShapeDef.box((1, math.nan, 1))]).startswith("body 4: /shapes/0/half_extents")
    assert (
        refused(stack.add_body, shapes=[cairn.ShapeDef.sphere(1, mask=2**32)])
        == "body 4/shapes/0/mask: must be a whole number from 0 to 4294967295, is 4294967296"
    )
    assert refused(stack.add_body, cairn.JointDef()).startswith("BodyDef: must be a BodyDef, is JointDef(")
    assert refused(stack.add_joint, "hinge", 1, 9) == "joint 0/body_b: must be a body's index from 0 to 3, is 9"
    assert refused(stack.add_joint, "bolt", 1, 2).startswith("joint 0/type: must be one of point, hinge,")
    assert refused(stack.add_joint, "hinge", 1, 2, axes={"about_w": cairn.JointAxis()}).startswith("joint 0/axes/about_w: is none of x,")
    assert (
        refused(stack.add_joint, "hinge", 1, 2, axes={"about_x": cairn.JointAxis(limits=3)})
        == "joint 0/axes/about_x/limits: must be two numbers (low, high), is 3"
    )
    assert refused(stack.add_joint, "hinge", 1, 2, axes={"about_y": cairn.JointAxis(friction=3)}).startswith("joint 0: /axes/about_y/friction")
    assert refused(stack.add_joint, "black_box", 1, 2, projection=3) == "joint 0/projection: must be a function, is 3"
    assert refused(stack.add_joint, "hinge", 1, 2, frame=((0, 0, 0),)).startswith("joint/frame: must be a pose (position, orientation)")
    with pytest.raises(TypeError, match="BodyDef has no field radius"):
        stack.add_body(radius=3)
    assert (stack.body_count, stack.joint_count) == (4, 0)


def test_scene_fields_are_refused(refused):
    scene = cairn.Scene()
    assert refused(setattr, scene, "gravity", 9.81) == "scene/gravity: must be three numbers (x, y, z), is 9.81"
    assert refused(setattr, scene, "default_steps", 0) == "scene/default_steps: must be a whole number from 1 to 2147483647, is 0"
    assert refused(cairn.Scene, 5) == "scene/name: must be text, is 5"
    assert refused(cairn.Scene.load, "pyramid:bas=3") == "pyramid: has no parameter 'bas'; did you mean base?"
    assert refused(cairn.Scene.load, "no/such.json").startswith("no/such.json: ")
    assert refused(cairn.Scene.from_json, "{", "mine").startswith("mine:1:")
    assert refused(cairn.Scene.from_dict, [1]) == "scene: must be a dict with the keys of a scene file, is [1]"
    assert refused(cairn.World, 3).startswith("scene: must be a Scene, a dict, a path or a generator, is 3")


def test_names_that_are_there_twice_are_refused(stack, refused):
    stack.add_body(name="box 1", shapes=[cairn.ShapeDef.sphere(1)])
    assert "box 1" in refused(stack.validate)
    assert refused(stack.validate) == refused(cairn.World, stack)
