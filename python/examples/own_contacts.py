"""A simulator of one's own in Python: balls in a structured array, contacts found by NumPy, and cairn.ContactSolver for what happens where they touch.

The solver reads and writes the members of these arrays where they lie; nothing is copied.
"""

import numpy as np

import cairn

RADIUS, STEP, GRAVITY, MARGIN = 0.5, 1 / 240, 9.81, 0.02
BALLS, STEPS = 40, 960
BALL = np.dtype([("x", np.float32, 3), ("v", np.float32, 3), ("spin", np.float32, 3), ("move", np.float32, 3)])
TOUCH = np.dtype([("balls", np.int32, 2), ("at", np.float32, 3), ("normal", np.float32, 3), ("gap", np.float32)])


def collide(balls: np.ndarray) -> np.ndarray:
    """The pairs of balls that touch or nearly do, and the balls near the ground, which is the world: -1."""
    x = balls["x"]
    a, b = np.triu_indices(len(x), 1)
    between = x[b] - x[a]
    distance = np.linalg.norm(between, axis=1)
    near, low = distance < 2 * RADIUS + MARGIN, x[:, 1] < RADIUS + MARGIN
    pairs, grounded = np.zeros(near.sum(), TOUCH), np.zeros(low.sum(), TOUCH)
    pairs["balls"] = np.stack([a[near], b[near]], axis=1)
    pairs["normal"] = between[near] / distance[near, None]
    pairs["at"] = x[a[near]] + between[near] / 2
    pairs["gap"] = distance[near] - 2 * RADIUS
    grounded["balls"] = np.stack([np.flatnonzero(low), np.full(low.sum(), -1)], axis=1)
    grounded["normal"] = 0, -1, 0
    grounded["at"] = x[low] * (1, 0, 1)
    grounded["gap"] = x[low, 1] - RADIUS
    return np.concatenate([pairs, grounded])


balls = np.zeros(BALLS, BALL)
row, column = np.divmod(np.arange(BALLS), 10)
balls["x"] = np.stack([1.02 * column + 0.25 * row, 0.6 + row, np.zeros(BALLS)], axis=1)
inverse_inertia = np.broadcast_to(np.array([1, 1, 1, 0, 0, 0], np.float32) / np.float32(0.4 * RADIUS**2), (BALLS, 6))
bodies = cairn.SolverBodies(
    position=balls["x"],
    inverse_mass=np.broadcast_to(np.float32(1), BALLS),  # one for all
    inverse_inertia=inverse_inertia,
    linear_velocity=balls["v"],
    angular_velocity=balls["spin"],
    linear_move=balls["move"],
)
solver = cairn.ContactSolver(cairn.ContactCapacity(bodies=BALLS, contacts=8 * BALLS), backend="cpu", dt=STEP, substeps=1, iterations=8)

for _ in range(STEPS):
    balls["v"][:, 1] -= STEP * GRAVITY
    touches = collide(balls)
    contacts = cairn.SolverContacts(
        bodies=touches["balls"],
        point=touches["at"],
        normal=touches["normal"],
        separation=touches["gap"],
        friction=np.broadcast_to(np.float32(0.5), len(touches)),
    )
    status = solver.solve(bodies, contacts, measure_residual=True)
    assert not status.refused, status
    balls["x"] += np.float32(STEP) * balls["move"]  # balls look the same however they are turned

deepest = RADIUS - balls["x"][:, 1].min()
print(f"{len(touches)} contacts in {status.colours} colours, residual {status.residual:.0e}, balls at most {1000 * deepest:.1f} mm in the ground")
assert deepest < 0.005
