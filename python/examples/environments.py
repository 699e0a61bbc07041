"""Many environments in one World, as learning has it: arrays for all of them, an action a step, and a mask that says whose episode has ended.

Five hundred carts on rails balance a pole each. The controller is a matrix of four numbers; with PyTorch installed it is a layer of torch's, which reads the
World's arrays in place by DLPack.
"""

import numpy as np

import cairn

try:
    import torch
except ImportError:
    torch = None

ENVIRONMENTS, STEPS, FALLEN = 500, 120, 0.5  # [rad]
POLE = 0.5  # half its length [m]
GAINS = np.array([1.0, 2.0, 30.0, 6.0])  # force on the cart by its position and speed, the pole's angle and its speed
CART, POLE_BODY = 1, 2


def cart_and_pole() -> cairn.Scene:
    """A cart of 1 kg that slides along x, and an upright pole of 0.1 kg hinged to it."""
    scene = cairn.Scene("cart and pole")
    rail = scene.add_body(type="static")
    cart = scene.add_body(mass=1, shapes=[cairn.ShapeDef.box((0.2, 0.1, 0.1), mask=0)])
    pole = scene.add_body(position=(0, POLE, 0), mass=0.1, shapes=[cairn.ShapeDef.capsule(0.02, POLE - 0.02, mask=0)])
    scene.add_joint("prismatic", rail, cart)
    about_z = (0, -np.sqrt(0.5), 0, np.sqrt(0.5))  # the hinge's x axis along z
    scene.add_joint("hinge", cart, pole, frame=((0, 0, 0), about_z))
    return scene


def observe(world: cairn.World) -> np.ndarray:
    """(N, 4): position and speed of the carts, angle and speed of the poles."""
    states = world.states()
    lean = 2 * np.arctan2(-states.orientations[:, POLE_BODY, 2], states.orientations[:, POLE_BODY, 3])
    carts = states.positions[:, CART, 0], states.linear_velocities[:, CART, 0]
    return np.stack([*carts, lean, -states.angular_velocities[:, POLE_BODY, 2]], axis=1)


def controller(gains: np.ndarray):
    if torch is None:
        return lambda seen: seen @ gains
    layer = torch.nn.Linear(4, 1, bias=False, dtype=torch.float64)
    with torch.no_grad():
        layer.weight[:] = torch.from_numpy(gains)
    return lambda seen: layer(torch.from_dlpack(seen)).detach()[:, 0].numpy()


def run(gains: np.ndarray) -> int:
    """Steps all of them together; returns the number of episodes that it took."""
    random = np.random.default_rng(1)
    policy = controller(gains)
    episodes = ENVIRONMENTS
    with cairn.World(cart_and_pole(), replicate=ENVIRONMENTS) as world:
        carts = [world.body_of(k, CART) for k in range(ENVIRONMENTS)]
        poles = [world.body_of(k, POLE_BODY) for k in range(ENVIRONMENTS)]

        def push(chosen: np.ndarray) -> None:
            """Those begin with a pole that has been pushed."""
            speeds, spins = np.zeros((2, len(chosen), 3))
            spins[:, 2] = random.uniform(-0.5, 0.5, len(chosen))
            speeds[:, 0] = -POLE * spins[:, 2]
            world.set_velocities(speeds, spins, bodies=[poles[k] for k in chosen])

        push(np.arange(ENVIRONMENTS))
        forces = np.zeros((ENVIRONMENTS, 3))
        for _ in range(STEPS):
            forces[:, 0] = policy(observe(world))
            world.apply_forces(forces, bodies=carts)
            world.step()
            over = np.abs(observe(world)[:, 2]) > FALLEN
            if over.any():
                world.reset_environments(over)
                push(np.flatnonzero(over))
                episodes += int(over.sum())
    return episodes


controlled, left_alone = run(GAINS), run(np.zeros(4))
print(f"{ENVIRONMENTS} carts, {STEPS} steps: {controlled} episodes with a controller, {left_alone} without ({'NumPy' if torch is None else 'PyTorch'})")
assert controlled == ENVIRONMENTS < left_alone
