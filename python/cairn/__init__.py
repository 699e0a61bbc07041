"""Rigid bodies in frictional contact, on GPU and CPU, to the same bits.

    import cairn

    scene = cairn.Scene()
    scene.add_body(type="static", shapes=[cairn.ShapeDef.half_space()])
    for i in range(10):
        scene.add_body(position=(0, 0.5 + i, 0), shapes=[cairn.ShapeDef.box((0.5, 0.5, 0.5))])
    with cairn.World(scene) as world:
        world.step(120)                    # of 1/60 s
        print(world.positions()[-1])       # NumPy, (n, 3) float64 [m]
        print(world.report().residual_max)

SI units throughout; quaternions are (x, y, z, w). Scenes, settings and formats are described in docs/ of the source, this package in docs/python.md.
"""

from ._core import AccelerationProblem, Array, BodyId, JointId, version
from ._contact_solver import (
    ContactCapacity,
    ContactSolver,
    ContactSolverFlag,
    ContactSolverStatus,
    SolverBodies,
    SolverContacts,
    SolverJointRow,
    SolverJointRows,
    SolverJoints,
    SolverRowKind,
    axis_rows,
    locked_bits,
)
from ._decomposition import Decomposition, decompose
from ._errors import CapacityError, ClosedWorld, DeviceError, Error, InvalidInput, NonFiniteState, StepRefused, StepUndone, TornJoint
from ._events import ContactEvent, ContactEvents, SensorOverlap, SensorOverlaps
from ._mesh import FieldCost, Mesh, MeshReport
from ._models import ImportItem, ImportReport, Model, ModelActuator, ModelBody, ModelJoint, from_mjcf, from_mujoco, from_urdf
from ._problem import ContactProblem, ContactResidual, ContactSolution, ContactSolveResult, SparseMatrix, load_problem, solve
from ._records import (
    AccelerationResult,
    BodyArrays,
    BodyInputs,
    BodyState,
    BodyStates,
    Contact,
    ContactArrays,
    Contacts,
    EnergyBalance,
    EnvironmentReports,
    ForceInputs,
    JointArrays,
    JointState,
    JointStates,
    MotorInputs,
    Overlap,
    Overlaps,
    QueryHits,
    RayHit,
    RayHits,
    ShapeHit,
    ShapeHits,
    StepReport,
    WorldArrays,
)
from ._scene import BodyDef, CollisionFilter, JointAxis, JointDef, Pose, Scene, SceneGenerator, SceneParameter, ShapeDef, scene_generators
from ._settings import SettingInfo, solver_settings, world_settings
from ._usd import export_usd
from ._world import World, solve_accelerations

__version__ = version()

__all__ = [
    "World",
    "Scene",
    "BodyDef",
    "ShapeDef",
    "CollisionFilter",
    "JointDef",
    "JointAxis",
    "Pose",
    "BodyId",
    "JointId",
    "BodyState",
    "BodyStates",
    "Contact",
    "Contacts",
    "ContactEvent",
    "ContactEvents",
    "SensorOverlap",
    "SensorOverlaps",
    "JointState",
    "JointStates",
    "RayHit",
    "RayHits",
    "ShapeHit",
    "ShapeHits",
    "Overlap",
    "Overlaps",
    "QueryHits",
    "StepReport",
    "EnergyBalance",
    "EnvironmentReports",
    "Array",
    "WorldArrays",
    "BodyArrays",
    "ContactArrays",
    "JointArrays",
    "BodyInputs",
    "ForceInputs",
    "MotorInputs",
    "ContactProblem",
    "ContactSolution",
    "ContactResidual",
    "ContactSolveResult",
    "SparseMatrix",
    "solve",
    "load_problem",
    "ContactSolver",
    "ContactCapacity",
    "SolverBodies",
    "SolverContacts",
    "SolverJoints",
    "SolverJointRows",
    "SolverJointRow",
    "SolverRowKind",
    "ContactSolverStatus",
    "ContactSolverFlag",
    "locked_bits",
    "axis_rows",
    "AccelerationProblem",
    "AccelerationResult",
    "solve_accelerations",
    "Mesh",
    "MeshReport",
    "FieldCost",
    "Decomposition",
    "decompose",
    "export_usd",
    "SettingInfo",
    "world_settings",
    "solver_settings",
    "SceneGenerator",
    "SceneParameter",
    "scene_generators",
    "from_mjcf",
    "from_urdf",
    "from_mujoco",
    "Model",
    "ModelBody",
    "ModelJoint",
    "ModelActuator",
    "ImportReport",
    "ImportItem",
    "Error",
    "InvalidInput",
    "DeviceError",
    "CapacityError",
    "StepUndone",
    "NonFiniteState",
    "TornJoint",
    "StepRefused",
    "ClosedWorld",
    "version",
]
