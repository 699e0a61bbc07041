"""Height fields from arrays."""

import numpy as np
import pytest

import cairn


def plane(rows, columns, spacing, slope_x, slope_z):
    """Heights of a plane that rises so much along each axis."""
    x = (np.arange(columns) - 0.5 * (columns - 1)) * spacing[0]
    z = (np.arange(rows) - 0.5 * (rows - 1)) * spacing[1]
    return slope_x * x[None, :] + slope_z * z[:, None]


def world_of(*shapes, **fields):
    scene = cairn.Scene()
    for shape in shapes:
        scene.add_body(type="static", shapes=[shape], **fields)
    return cairn.World(scene, precision="double")


def test_rows_lie_along_z_and_columns_along_x():
    spacing = (0.5, 0.25)
    shape = cairn.ShapeDef.height_field(plane(9, 21, spacing, 0.3, -0.7), spacing)
    world = world_of(shape)
    random = np.random.default_rng(1)
    places = random.uniform(-1, 1, (200, 2)) * (0.5 * 20 * 0.5 - 1e-6, 0.5 * 8 * 0.25 - 1e-6)
    origins = np.column_stack([places[:, 0], np.full(200, 9.0), places[:, 1]])
    hits = world.cast_rays(origins, np.tile([0.0, -1, 0], (200, 1)))
    np.testing.assert_allclose(9 - hits.distance, 0.3 * places[:, 0] - 0.7 * places[:, 1], atol=1e-12)


def test_a_ball_rests_on_a_level_one():
    scene = cairn.Scene()
    scene.add_body(name="ground", type="static", shapes=[cairn.ShapeDef.height_field(np.full((5, 7), 1.5), 0.8, friction=0.4)])
    scene.add_body(position=(0.3, 1.8, -0.2), shapes=[cairn.ShapeDef.sphere(0.25)])
    world = cairn.World(scene, precision="double")
    world.step(240)
    np.testing.assert_allclose(world.positions()[1], (0.3, 1.75, -0.2), atol=1e-3)  # it sinks in by a third of a millimetre


def test_scenes_keep_them():
    random = np.random.default_rng(2)
    scene = cairn.Scene()
    scene.add_body(type="static", shapes=[cairn.ShapeDef.height_field(random.normal(size=(6, 11)), (1 / 3, 0.7))])
    scene.add_body(position=(0, 3, 0), shapes=[cairn.ShapeDef.box((0.2, 0.3, 0.2))])
    text = scene.to_json()
    again = cairn.Scene.from_json(text)
    assert again.to_json() == text
    worlds = [cairn.World(s) for s in (scene, again)]
    for world in worlds:
        world.step(60)
    assert worlds[0].state_hash() == worlds[1].state_hash()


def test_the_array_is_copied_and_lists_are_arrays():
    heights = np.zeros((3, 4))
    shape = cairn.ShapeDef.height_field(heights, [1, 2])
    heights[:] = 7
    assert not shape.heights.any() and not shape.heights.flags.writeable
    listed = cairn.ShapeDef.height_field([[0, 1], [2, 3]], np.float32(0.5))
    assert listed.heights.dtype == np.float64 and listed.heights.shape == (2, 2)
    hits = world_of(listed).cast_rays(np.array([[0.249, 9.0, -0.249]]), np.array([[0.0, -1, 0]]))
    assert 9 - hits.distance[0] == pytest.approx(1, abs=0.01)


def test_what_is_wrong_is_said_with_its_place(refused):
    make = cairn.ShapeDef.height_field
    assert refused(make, np.zeros(4)) == "heights: must be of shape (n, n), is of shape (4,)"
    assert refused(make, np.zeros((2, 2), dtype=np.float32)) == "heights: must be an array of float64, is one of float32"
    assert refused(make, np.zeros((4, 4))[:, ::2]).startswith("heights: must be contiguous")
    assert refused(make, np.array([[0, 1], [2, np.nan]])) == "heights[1, 1]: must be a finite number, is nan"
    scene = cairn.Scene()

    def add(shape, **fields):
        scene.add_body(**{"type": "static", "shapes": [shape], **fields})

    good = make(np.zeros((2, 3)))
    assert refused(add, good, type="dynamic") == "body 0: /shapes/0/type: height_field must be on a static or kinematic body, is on a dynamic one"
    assert refused(add, make(np.zeros((1, 3)))) == "body 0: /shapes/0/heights: must be two rows and two columns at least, are 1 and 3"
    assert refused(add, make(np.zeros((2, 3)), 0.0)) == "body 0: /shapes/0/spacing: must be two finite numbers > 0, is [0, 0]"
    assert refused(add, make(np.zeros((2, 3)), (1.0, 2.0, 3.0))) == "body 0/shapes/0/spacing: must be two numbers, is (1.0, 2.0, 3.0)"
    assert refused(add, make(np.zeros((2, 3)), "fine")) == "body 0/shapes/0/spacing: must be two numbers, is 'fine'"
    empty = cairn.ShapeDef(type="height_field")
    assert refused(add, empty) == "body 0/shapes/0/heights: must be an array of float64 of shape (rows, columns), is None"
    assert refused(add, make(np.zeros((2, 3)), sensor=True)) == "body 0: /shapes/0/sensor: must be false of a height_field"
