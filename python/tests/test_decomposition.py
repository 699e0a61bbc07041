"""Decompositions into hulls: how much of the mesh they hold, and what becomes of them."""

import json

import numpy as np
import pytest

import cairn

pytest.importorskip("coacd")
ConvexHull = pytest.importorskip("scipy.spatial").ConvexHull


@pytest.fixture(scope="module")
def hook():
    mesh = cairn.Mesh.load("hook:around=12,along=12")
    return mesh, cairn.decompose(mesh, threshold=0.1)


def hull_volume(points):
    return ConvexHull(points).volume


# A hook is a U: its own hull holds several times as much.
def test_hulls_hold_little_more_than_the_mesh(hook):
    mesh, decomposition = hook
    volume = mesh.report().volume
    assert len(decomposition.hulls) > 2
    assert all(4 <= len(hull) <= 64 for hull in decomposition.hulls)
    assert 0.9 * volume < sum(hull_volume(hull) for hull in decomposition.hulls) < 1.3 * volume
    assert hull_volume(mesh.vertices) > 1.8 * volume


def test_a_decomposition_is_a_body_that_hangs_by_its_bend(hook):
    _, decomposition = hook
    scene = cairn.Scene()
    scene.add_body(type="static", shapes=[cairn.ShapeDef.capsule(0.05, 2.0, orientation=(np.sqrt(0.5), 0, 0, np.sqrt(0.5)))])
    turned = (0.0, 0.0, 1.0, 0.0)  # upside down: the legs point down on both sides of the bar
    scene.add_body(position=(0, 0.3, 0), orientation=turned, shapes=decomposition.shapes())
    with cairn.World(scene, backend="cpu", threads=1) as world:
        world.step(240)
        # Radius of the bar less that of the bend's inside, 0.3 - 0.1.
        assert world.positions()[1][1] == pytest.approx(0.05 - 0.2, abs=0.01)
        assert np.linalg.norm(world.linear_velocities()[1]) < 1e-3


def test_files_come_back_and_are_shapes_of_scenes(hook, tmp_path):
    _, decomposition = hook
    path = tmp_path / "hook.hulls.json"
    decomposition.save(path)
    back = cairn.Decomposition.load(path)
    assert len(back.hulls) == len(decomposition.hulls)
    for ours, theirs in zip(decomposition.hulls, back.hulls):
        np.testing.assert_array_equal(ours, theirs)
    assert back.parameters["threshold"] == 0.1
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps({"bodies": [{"shapes": json.loads(path.read_text())["shapes"]}]}))
    with cairn.World(cairn.Scene.load(scene), backend="cpu", threads=1) as world:
        rays = world.cast_rays([[0.0, -5, 0]], [[0.0, 1, 0]])  # up through the bend
        assert rays.distance[0] == pytest.approx(4.6, abs=0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threshold": 0.001}, "threshold: must be 0.01 to 1, is 0.001"),
        ({"threshold": float("nan")}, "threshold: must be 0.01 to 1, is nan"),
        ({"max_vertices": 65}, "max_vertices: must be 4 to 64, is 65"),
        ({"max_hulls": 0}, "max_hulls: must be 1 to 100000, is 0"),
        ({"seed": -1}, "seed: must be 0 to 2147483647, is -1"),
        ({"colour": "red"}, "options: "),
    ],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises(cairn.InvalidInput) as caught:
        cairn.decompose(cairn.Mesh.load("torus"), **arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"cairn": "hulls"}', '{"cairn": "hulls", "format": 1}', '{"cairn": "hulls", "format": 1, "parameters": {}, "shapes": [{"points": [[1, 2]]}]}'],
)
def test_files_that_are_none_are_refused(text, tmp_path):
    path = tmp_path / "none.json"
    path.write_text(text)
    with pytest.raises(cairn.InvalidInput):
        cairn.Decomposition.load(path)
    with pytest.raises(cairn.InvalidInput):
        cairn.Decomposition.load(tmp_path / "missing.json")


def test_a_scale_must_be_one(hook):
    with pytest.raises(cairn.InvalidInput):
        hook[1].shapes(scale=0)
