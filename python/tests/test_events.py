"""Contact events and sensors. What is in them is tested with the library."""

import numpy as np
import pytest

import cairn


def scene():
    made = cairn.Scene()
    made.add_body(type="static", shapes=[cairn.ShapeDef.half_space()])
    made.add_body(position=(0, 1.1, 0), shapes=[cairn.ShapeDef.sphere(0.1)])
    made.add_body(type="static", position=(0, 0.5, 0), shapes=[cairn.ShapeDef.box((0.5, 0.2, 0.5), sensor=True)])
    return made


def test_a_falling_ball_begins_to_touch_and_hits():
    world = cairn.World(scene(), contact_events=True, hit_threshold=1.0)
    assert len(world.contact_events()) == 0
    phases = []
    for _ in range(40):
        world.step()
        events = world.contact_events()
        phases += [event.phase for event in events]
        for event in events:
            assert (event.body_a, event.body_b) == (world.bodies()[0], world.bodies()[1])
            if event.phase == "begin":
                assert event.hit and event.impulse > 1
                assert event.approach_speed == pytest.approx(np.sqrt(2 * 9.81), rel=0.1)
                assert event.normal == pytest.approx((0, 1, 0))
                assert event.point == pytest.approx((0, 0, 0), abs=2e-3)
        assert (events.phase.dtype, events.hit.dtype, events.point.shape) == (np.int32, np.bool_, (len(events), 3))
    assert phases[0] == "begin" and set(phases[1:]) == {"persist"}


def test_sensors_see_what_passes():
    world = cairn.World(scene())
    seen = []
    for _ in range(40):
        world.step()
        overlaps = world.sensor_overlaps()
        assert overlaps.sensor_body.tolist() == [2] * len(overlaps)
        seen.append(len(overlaps))
        for overlap in overlaps:
            assert overlap == cairn.SensorOverlap(world.bodies()[2], 0, world.bodies()[1], 0)
    assert seen[0] == 0 and max(seen) == 1 and seen[-1] == 0


def test_events_must_be_asked_for():
    world = cairn.World(scene())
    world.step()
    with pytest.raises(cairn.InvalidInput, match="contactEvents"):
        world.contact_events()
    with pytest.raises(cairn.InvalidInput, match="hit"):
        cairn.World(scene(), hit_threshold=-1.0)


def test_sensors_are_no_half_spaces():
    made = cairn.Scene()
    with pytest.raises(cairn.InvalidInput, match="sensor"):
        made.add_body(type="static", shapes=[cairn.ShapeDef.half_space(sensor=True)])
