"""Rays and shapes against a World: all hits, filters, casts, overlaps. The answers themselves are tested with the library."""

import math

import numpy as np
import pytest

import cairn

ROW = [
    {"type": "static", "position": [0, 0, 0], "shapes": [{"type": "sphere", "radius": 0.5}]},
    {"type": "static", "position": [3, 0, 0], "shapes": [{"type": "box", "half_extents": [0.5, 0.5, 0.5], "filter": {"category": 2}}]},
    {"type": "static", "position": [6, 0, 0], "shapes": [{"type": "capsule", "radius": 0.5, "half_height": 1}]},
]
BALL = cairn.ShapeDef.sphere(0.25)
START, WAY = np.array([[-5.0, 0, 0]]), np.array([[1.0, 0, 0]])


@pytest.fixture
def row():
    return cairn.World({"bodies": ROW}, precision="double")


def test_all_that_rays_meet(row):
    found = row.cast_rays_all(np.repeat(START, 2, axis=0), np.array([[1.0, 0, 0], [0, 1, 0]]))
    assert len(found) == 2
    assert found.offsets.tolist() == [0, 3, 3]
    assert found.hits.body.tolist() == [0, 1, 2]
    assert [found.hits[k].distance for k in found.rows(0)] == pytest.approx([4.5, 7.5, 10.5])
    assert list(found.rows(1)) == []


def test_filters_and_ignored_bodies(row):
    first, second, third = row.bodies()
    assert row.cast_rays(START, WAY, ignored=first).body.tolist() == [1]
    assert row.cast_rays(START, WAY, collision=cairn.CollisionFilter(mask=2)).body.tolist() == [1]
    assert row.cast_rays_all(START, WAY, collision=cairn.CollisionFilter(mask=1)).hits.body.tolist() == [0, 2]
    two = np.repeat(START, 2, axis=0)
    assert row.cast_shapes(BALL, two, np.repeat(WAY, 2, axis=0), ignored=[None, first]).body.tolist() == [0, 1]
    assert row.overlap_shapes(cairn.ShapeDef.sphere(20), START, ignored=third).hits.body.tolist() == [0, 1]


def test_casts_of_shapes(row):
    hits = row.cast_shapes([BALL, cairn.ShapeDef.box((0.5, 2, 0.5))], np.repeat(START, 2, axis=0), np.repeat(WAY, 2, axis=0), max_distance=[4.3, 9])
    assert hits.distance.tolist() == pytest.approx([4.25, 4.0])
    assert hits[0] == cairn.ShapeHit(cairn.BodyId(0), 0, pytest.approx(4.25), pytest.approx((-0.5, 0, 0), abs=1e-6), pytest.approx((-1, 0, 0), abs=1e-6))
    none = row.cast_shapes(BALL, START, WAY, max_distance=4.2)
    assert (bool(none[0].body), none.distance[0], none.shape[0]) == (False, math.inf, -1)
    every = row.cast_shapes_all(BALL, START, WAY)
    assert every.hits.body.tolist() == [0, 1, 2]
    half = math.sqrt(0.5)
    lying = row.cast_shapes(cairn.ShapeDef.capsule(0.1, 1), START, WAY, orientations=np.array([[0, 0, half, half]]))
    assert lying.distance[0] == pytest.approx(3.4)


def test_overlaps(row):
    found = row.overlap_shapes([BALL, cairn.ShapeDef.box((2, 1, 1))], np.array([[0.0, 0.7, 0], [4.5, 0, 0]]))
    assert [list(found.rows(i)) for i in range(2)] == [[0], [1, 2]]
    assert list(found.hits) == [cairn.Overlap(cairn.BodyId(body), 0) for body in (0, 1, 2)]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda w: w.cast_shapes(cairn.ShapeDef.half_space(), START, WAY), "cast 0: the shape must not be a half-space"),
        (lambda w: w.cast_shapes(cairn.ShapeDef.sphere(-1), START, WAY), "cast 0: /shapes/0/radius"),
        (lambda w: w.cast_shapes([BALL, BALL], START, WAY), "shapes: must be one, or one for each query, 1, are 2"),
        (lambda w: w.cast_shapes("ball", START, WAY), "shapes"),
        (lambda w: w.cast_shapes(BALL, START, np.zeros((1, 3))), r"directions\[0\]: must not be zero"),
        (lambda w: w.cast_shapes(BALL, START, WAY, np.zeros((1, 4))), "cast 0: /orientation"),
        (lambda w: w.cast_shapes(BALL, START, WAY, np.zeros((2, 4))), "orientations: must be of shape"),
        (lambda w: w.cast_rays(START, WAY, ignored=[None, None]), "ignored: must be one for each query, 1, are 2"),
        (lambda w: w.cast_rays(START, WAY, ignored=[3]), r"ignored\[0\]: must be a BodyId or None"),
        (lambda w: w.cast_rays(START, WAY, ignored=cairn.BodyId(9)), "the body to ignore"),
        (lambda w: w.cast_rays(START, WAY, collision=(1, 2)), "collision: must be None or a CollisionFilter"),
        (lambda w: w.overlap_shapes(BALL, START, collision=(-1, 1, 0)), "collision/category"),
        (lambda w: w.overlap_shapes(BALL, np.full((1, 3), np.nan)), "positions"),
    ],
)
def test_what_is_refused(row, call, words):
    with pytest.raises(cairn.InvalidInput, match=words):
        call(row)
