"""Arrays there and back by DLPack, without copies: with PyTorch where it is installed, else with NumPy itself.

A World's answers become tensors in the memory that they came in; what is computed of them goes back as rays.
"""

import importlib.util

import numpy as np

import cairn

with cairn.World("pile:count=200,shape=mixed") as world:
    world.step(60)
    positions = world.positions()
    if importlib.util.find_spec("torch") is not None:
        import torch

        tensor = torch.from_dlpack(positions)
        assert tensor.data_ptr() == positions.ctypes.data  # the same memory
        above = tensor + torch.tensor([0.0, 50.0, 0.0], dtype=torch.float64)
        down = torch.tensor([[0.0, -1.0, 0.0]], dtype=torch.float64).repeat(len(above), 1)
        taken_by = f"PyTorch {torch.__version__}"
    else:
        array = np.from_dlpack(positions)
        assert np.shares_memory(array, positions)
        above = array + np.array([0.0, 50.0, 0.0])
        down = np.tile([0.0, -1.0, 0.0], (len(above), 1))
        taken_by = f"NumPy {np.__version__}"
    hits = world.cast_rays(above, down)

print(f"{taken_by}: {len(positions)} bodies, {np.count_nonzero(hits.body >= 0)} of the rays from above meet one")
assert (hits.body >= 0).all()
