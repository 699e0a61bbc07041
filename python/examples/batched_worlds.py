"""A loop over Worlds as learning has it: every World gets an action a step, and is made anew when its episode ends.

Sixteen carts on rails balance a pole each, pushed by a controller that sees positions and speeds alone. The Worlds run in as many threads as the machine
has processors: a World gives the interpreter's lock back while it steps.
"""

import concurrent.futures
import os

import numpy as np

import cairn

WORLDS, STEPS, FALLEN = 16, 240, 0.5  # [rad]
POLE = 0.5  # half its length [m]


def cart_and_pole(angle: float) -> cairn.Scene:
    """A cart of 1 kg that slides along x, and a pole of 0.1 kg hinged to it, leaning by an angle [rad]."""
    scene = cairn.Scene("cart and pole")
    rail = scene.add_body(type="static")
    cart = scene.add_body(mass=1, shapes=[cairn.ShapeDef.box((0.2, 0.1, 0.1), mask=0)])
    top = (POLE * np.sin(angle), POLE * np.cos(angle), 0)
    turn = (0, 0, -np.sin(angle / 2), np.cos(angle / 2))
    pole = scene.add_body(position=top, orientation=turn, mass=0.1, shapes=[cairn.ShapeDef.capsule(0.02, POLE - 0.02, mask=0)])
    scene.add_joint("prismatic", rail, cart)
    about_z = (0, -np.sqrt(0.5), 0, np.sqrt(0.5))  # the hinge's x axis along z
    scene.add_joint("hinge", cart, pole, frame=((0, 0, 0), about_z))
    return scene


class Environment:
    """One cart; it starts anew, with another angle, when its pole falls."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.episodes = 0
        self.reset()

    def reset(self) -> None:
        self.world = cairn.World(cart_and_pole(self.random.uniform(-0.1, 0.1)), threads=1, backend="cpu")
        self.cart = self.world.bodies()[1]
        self.episodes += 1

    def observe(self) -> np.ndarray:
        """Position and speed of the cart, angle and speed of the pole."""
        states = self.world.states()
        lean = 2 * np.arctan2(-states.orientations[2, 2], states.orientations[2, 3])
        return np.array([states.positions[1, 0], states.linear_velocities[1, 0], lean, -states.angular_velocities[2, 2]])

    def step(self, force: float) -> np.ndarray:
        self.world.apply_force(self.cart, (force, 0, 0))
        self.world.step()
        seen = self.observe()
        if abs(seen[2]) > FALLEN:
            self.reset()
            seen = self.observe()
        return seen


def run(gains: np.ndarray) -> int:
    """Steps all of them together; returns the number of episodes that it took."""
    environments = [Environment(seed) for seed in range(WORLDS)]
    seen = np.array([environment.observe() for environment in environments])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        for _ in range(STEPS):
            forces = seen @ gains  # what would be a network
            seen = np.array(list(threads.map(lambda pair: pair[0].step(pair[1]), zip(environments, forces))))
    return sum(environment.episodes for environment in environments)


controlled, left_alone = run(np.array([1.0, 2.0, 30.0, 6.0])), run(np.zeros(4))
print(f"{WORLDS} carts, {STEPS} steps: {controlled} episodes with a controller, {left_alone} without")
assert controlled == WORLDS < left_alone
