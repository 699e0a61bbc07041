"""Models of other simulators as scenes. `model` has what users call; the way of a model: `compiler`, `source`, `scene` (`shapes` with `filters` and `mass`,
`joints` with `chains`, `equalities`, `actuators`), `leftovers`; `report` says what was lost."""

from .actuators import ModelActuator
from .model import Model, ModelBody, ModelJoint, from_mjcf, from_mujoco, from_urdf
from .report import ImportItem, ImportReport

__all__ = ["ImportItem", "ImportReport", "Model", "ModelActuator", "ModelBody", "ModelJoint", "from_mjcf", "from_mujoco", "from_urdf"]
