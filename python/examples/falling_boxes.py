"""A World in twenty lines: a stack of boxes, and what NumPy sees of it."""

import numpy as np

import cairn

scene = cairn.Scene("stack")
scene.add_body(type="static", shapes=[cairn.ShapeDef.half_space()])
for i in range(10):
    scene.add_body(position=(0, 0.5 + i, 0), shapes=[cairn.ShapeDef.box((0.5, 0.5, 0.5))])  # half extents [m]

with cairn.World(scene) as world:  # CUDA where there is a device, else the CPU
    world.step(120)  # of 1/60 s
    heights = world.positions()[1:, 1]
    contacts = world.contacts()
    report = world.report()

print(f"top box at y = {heights.max():.3f} m")
print(f"{len(contacts)} contact points, the strongest bears {contacts.normal_impulse.max():.2f} N s a substep")
print(f"residual {report.residual_max:.1e}, penetration {1000 * report.penetration_max:.2f} mm")
assert np.allclose(heights, 0.5 + np.arange(10), atol=0.02)
