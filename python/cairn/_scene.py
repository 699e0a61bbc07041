"""Scenes: what a World is made from."""

import dataclasses
import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Union

import numpy as np

from . import _core
from ._arrays import ArrayInput, float_array
from ._errors import InvalidInput

Vector = Sequence[float]
"""Three numbers (x, y, z): a tuple, a list or an array."""
Quaternion = Sequence[float]
"""Four numbers (x, y, z, w), the vector part first: it turns local directions into outer ones. Normalised on the way in, and not zero."""
BodyType = Literal["static", "kinematic", "dynamic"]
ShapeType = Literal["sphere", "capsule", "box", "half_space", "ellipsoid", "hull", "cylinder", "cone", "mesh", "height_field"]
JointType = Literal["point", "hinge", "twist", "rigid", "prismatic", "planar", "distance", "universal", "six_dof", "gear", "black_box"]
MotorType = Literal["off", "velocity", "position"]
AxisName = Literal["x", "y", "z", "about_x", "about_y", "about_z"]

ORIGIN = (0.0, 0.0, 0.0)
NO_TURN = (0.0, 0.0, 0.0, 1.0)
NO_LOCKS = (False, False, False)


class Pose(NamedTuple):
    """A place and a turn: local points become outer ones by the turn first."""

    position: Vector = ORIGIN
    """[m]"""
    orientation: Quaternion = NO_TURN
    """(x, y, z, w), not zero."""


class CollisionFilter(NamedTuple):
    """What a shape collides with, or what a query sees: `ShapeDef` has the rule."""

    category: int = 1
    """32 bits."""
    mask: int = 0xFFFFFFFF
    """32 bits."""
    group: int = 0
    """-2**31 to 2**31 - 1."""


@dataclasses.dataclass(frozen=True)
class ShapeDef:
    """A shape of a body. Made by `sphere`, `capsule`, `box`, `ellipsoid`, `hull`, `cylinder`, `cone`, `mesh`, `height_field` and `half_space`; fields of
    other types do not count."""

    type: ShapeType = "box"
    position: Vector = ORIGIN
    """Of the shape's frame in the body's [m]."""
    orientation: Quaternion = NO_TURN
    """Of the shape's frame in the body's."""
    half_extents: Vector = (0.5, 0.5, 0.5)
    """Box: half the edges along the shape's axes [m], > 0."""
    semi_axes: Vector = (0.5, 0.5, 0.5)
    """Ellipsoid: along the shape's axes [m], > 0."""
    points: Sequence[Vector] = ()
    """Hull: four points at least in the shape's frame, shape (n, 3) [m], whose convex hull has at most 64 corners and is not flat."""
    max_vertices: int = 0
    """Hull: 0, or 4 to 64: at most so many of its corners are kept, those that lie furthest out."""
    surface: Any = None
    """Mesh: a `Mesh` in the shape's frame. Triangles without area are left out, and one at least has some."""
    two_sided: bool = False
    """Mesh: whether triangles are met from both sides; else from outside, where their corners run anticlockwise."""
    solid: bool = False
    """Mesh: whether it has an inside, as a dynamic body's must. It is closed then, and not two-sided; it has mass by its volume and the density."""
    cell: float = 0.0
    """Mesh that is solid: the smallest cells of its signed distance field [m], > 0; 0: a two hundredth of the longest side of its bounds."""
    heights: Any = None
    """Height field: y of its samples, shape (rows, columns) float64 [m], 2 of each at least. Rows follow each other along +z and columns along +x; the middle
    of the grid is the shape's origin. It is met from above."""
    spacing: Sequence[float] = (1.0, 1.0)
    """Height field: of neighbours along x and along z [m], > 0."""
    radius: float = 0.5
    """Sphere, capsule and cylinder; cone: of its base [m], > 0."""
    half_height: float = 0.5
    """Capsule, cylinder and cone: the axis goes from (0, -half_height, 0) to (0, half_height, 0), where a cone has its apex [m], > 0."""
    density: float = 1000.0
    """[kg/m^3], > 0; dynamic bodies take mass and inertia from it."""
    friction: float = 0.6
    """Coulomb coefficient [-], >= 0. Of two shapes that touch the geometric mean counts."""
    restitution: float = 0.0
    """[-], 0 (plastic) to 1 (elastic). Of two shapes that touch the larger counts."""
    torsional_friction: float = 0.0
    """The largest moment about a contact's normal per normal force [m], >= 0. Of two shapes that touch the larger counts."""
    rolling_friction: float = 0.0
    """The same about its tangents: what resists rolling [m], >= 0. A ball of radius r stays on slopes up to atan(rolling_friction / r)."""
    category: int = 1
    """32 bits. Two shapes collide if each one's category is in the other's mask."""
    mask: int = 0xFFFFFFFF
    """32 bits."""
    group: int = 0
    """Shapes of one group, not 0, always collide if it is positive and never if it is negative, whatever category and mask say."""
    sensor: bool = False
    """The shape touches nothing and has no mass: `World.sensor_overlaps` says what it overlaps. Not of a half-space, a mesh or a height field."""

    @classmethod
    def sphere(cls, radius: float, **fields: Any) -> "ShapeDef":
        """A sphere around the shape's origin, radius in [m]. `fields`: further fields of the shape."""
        return cls(type="sphere", radius=radius, **fields)

    @classmethod
    def capsule(cls, radius: float, half_height: float, **fields: Any) -> "ShapeDef":
        """A capsule along the shape's y axis, lengths in [m]."""
        return cls(type="capsule", radius=radius, half_height=half_height, **fields)

    @classmethod
    def cylinder(cls, radius: float, half_height: float, **fields: Any) -> "ShapeDef":
        """A cylinder about the shape's y axis, lengths in [m]."""
        return cls(type="cylinder", radius=radius, half_height=half_height, **fields)

    @classmethod
    def cone(cls, radius: float, half_height: float, **fields: Any) -> "ShapeDef":
        """A cone about the shape's y axis, its base at -half_height and its apex at half_height, lengths in [m]."""
        return cls(type="cone", radius=radius, half_height=half_height, **fields)

    @classmethod
    def box(cls, half_extents: Vector, **fields: Any) -> "ShapeDef":
        """A box with half its edges in [m]."""
        return cls(type="box", half_extents=half_extents, **fields)

    @classmethod
    def ellipsoid(cls, semi_axes: Vector, **fields: Any) -> "ShapeDef":
        """An ellipsoid with its semi-axes in [m]."""
        return cls(type="ellipsoid", semi_axes=semi_axes, **fields)

    @classmethod
    def hull(cls, points: Sequence[Vector], max_vertices: int = 0, **fields: Any) -> "ShapeDef":
        """The convex hull of points, shape (n, 3) in [m]. The scene raises InvalidInput for points that have none."""
        return cls(type="hull", points=points, max_vertices=max_vertices, **fields)

    @classmethod
    def mesh(cls, surface: Any, triangles: Any = None, two_sided: bool = False, **fields: Any) -> "ShapeDef":
        """A surface of triangles: a `Mesh`, or its vertices, shape (n, 3) in [m], with triangles, shape (m, 3). On a dynamic body it is ``solid=True``, or hulls
        that `decompose` finds take its place. Shapes that share one `Mesh` share what is made of it. Raises InvalidInput for arrays that are no mesh."""
        if triangles is not None:
            from ._mesh import Mesh  # which has hulls as shapes

            surface = Mesh(surface, triangles)
        return cls(type="mesh", surface=surface, two_sided=two_sided, **fields)

    @classmethod
    def height_field(cls, heights: ArrayInput, spacing: "float | Sequence[float]" = 1.0, **fields: Any) -> "ShapeDef":
        """A surface as heights over an even grid, for static and kinematic bodies. `heights`: (rows, columns) float64 [m], copied; rows follow each other along
        +z and columns along +x, about the shape's origin. `spacing`: of neighbours [m], > 0, one number or those along x and along z. Raises InvalidInput for
        arrays of other shapes or types and heights that are not finite; there are no holes."""
        samples = float_array(heights, "heights", (None, None)).copy()
        samples.setflags(write=False)
        pair = spacing if isinstance(spacing, (Sequence, np.ndarray)) else (spacing, spacing)
        return cls(type="height_field", heights=samples, spacing=pair, **fields)

    @classmethod
    def half_space(cls, **fields: Any) -> "ShapeDef":
        """All that is below y = 0 of the shape's frame, for static and kinematic bodies."""
        return cls(type="half_space", **fields)


@dataclasses.dataclass(frozen=True)
class BodyDef:
    """A body as it starts."""

    name: str = ""
    """Unique in the scene, without control characters; empty: none, and messages say ``body-<index>``."""
    type: BodyType = "dynamic"
    """Static bodies never move, kinematic ones move with their given velocity whatever touches them, dynamic ones by forces and contacts."""
    position: Vector = ORIGIN
    """Of the body's frame in the world [m]."""
    orientation: Quaternion = NO_TURN
    """Of the body's frame in the world."""
    linear_velocity: Vector = ORIGIN
    """Of the centre of mass, world [m/s]; zero of a static body."""
    angular_velocity: Vector = ORIGIN
    """World [rad/s]; zero of a static body."""
    shapes: Sequence[ShapeDef] = ()
    """A dynamic body needs one at least, or mass and inertia of its own."""
    mass: float | None = None
    """[kg], > 0: replaces the mass by the shapes' densities, and the inertia scales with it."""
    inertia: Sequence[float] | None = None
    """About the centre of mass, along the body's axes [kg m^2]: three moments, or (xx, yy, zz, xy, xz, yz) of the matrix. Replaces what follows from the
    shapes, and does not scale with the mass. Positive definite, and no principal moment larger than the other two together."""
    centre_of_mass: Vector | None = None
    """In the body's frame [m]: replaces the shapes', whose inertia goes along unchanged."""
    linear_damping: float = 0.0
    """[1/s], >= 0: each substep of length h divides a dynamic body's velocity by 1 + h * linear_damping, but for locked axes."""
    angular_damping: float = 0.0
    """[1/s], >= 0: the same for the angular velocity."""
    gravity_scale: float = 1.0
    """Factor on the scene's gravity [-]."""
    lock_translation: Sequence[bool] = NO_LOCKS
    """World x, y, z: the velocity of the centre of mass along it stays as it is."""
    lock_rotation: Sequence[bool] = NO_LOCKS
    """World x, y, z: the angular velocity about it stays as it is."""


@dataclasses.dataclass(frozen=True)
class JointAxis:
    """One degree of freedom of a joint: an offset of frame B along an axis of frame A [m], or a turn about it [rad]. Force means a torque for turns."""

    free: bool = False
    """``six_dof`` only; the other types know."""
    limits: tuple[float, float] | None = None
    """(low, high), low <= high; turns within [-pi, pi], the second of three free ones within [-pi/2, pi/2]."""
    motor: MotorType = "off"
    """``velocity``: towards the velocity `target` [m/s or rad/s]; ``position``: towards the coordinate `target` [m or rad]."""
    target: float = 0.0
    """Of the motor."""
    max_force: float = 0.0
    """Of the motor [N or N m], >= 0; infinity: whatever it takes, while contacts, limits and locked axes win."""
    stiffness: float = 0.0
    """Of a spring towards `rest` [N/m or N m/rad], >= 0."""
    damping: float = 0.0
    """[N s/m or N m s/rad], >= 0."""
    rest: float = 0.0
    """[m or rad]"""
    friction: float = 0.0
    """Largest force that resists the motion [N or N m], >= 0."""


Projection = Callable[[tuple[tuple[float, float, float], tuple[float, float, float, float]]], tuple[Vector, Quaternion]]


@dataclasses.dataclass(frozen=True)
class JointDef:
    """A joint of two bodies. It is on target if its two frames, one on each body, agree but for the motions that its type leaves free."""

    type: JointType = "point"
    """``point`` turns; ``hinge`` turns about x, ``twist`` about y; ``rigid`` leaves nothing free; ``prismatic`` slides; ``planar`` slides along x and y and
    turns about z; ``distance`` keeps the distance of the origins; ``universal`` turns about x of A and y of B; ``six_dof`` leaves free what its axes say;
    ``gear`` couples two spins about x; ``black_box`` is what `projection` says."""
    name: str = ""
    """Unique among the joints, without control characters; empty: none."""
    frame_a: tuple[Vector, Quaternion] = Pose()
    """Joint frame in body A's frame: `Pose` or a pair (position [m], orientation)."""
    frame_b: tuple[Vector, Quaternion] = Pose()
    """Joint frame in body B's frame."""
    axes: Mapping[AxisName, JointAxis] = dataclasses.field(default_factory=dict)
    """What acts on axes that the joint leaves free: ``{"about_x": JointAxis(limits=(0, 1.5))}``."""
    slides: int = 1
    """Prismatic: along x; along x and y; along all three."""
    min_distance: float = 0.0
    """Distance [m], >= 0."""
    max_distance: float = math.inf
    """Distance [m], >= `min_distance`; infinity: as far apart as they like."""
    ratio: float = 1.0
    """Gear, not 0: the spin of A plus `ratio` times the spin of B stays zero."""
    projection: Projection | None = None
    """Black box: the allowed pose of frame B in frame A for a predicted one, both as (position, orientation). Called once a substep and joint, and by
    reports, from the thread that steps; it must answer the same to the same question, and must not ask the World that calls it."""
    break_impulse: float = math.inf
    """The joint breaks, and acts no longer, once its linear impulse over a step exceeds this [N s], > 0."""
    collide: bool = False
    """Whether the two bodies collide with each other."""


@dataclasses.dataclass(frozen=True)
class SceneParameter:
    """A parameter of a scene generator."""

    name: str
    meaning: str
    """With its unit."""
    default: str
    """As it is written: ``pyramid:base=40``."""
    range: str
    """``1 to 1000``, ``box|sphere``."""


@dataclasses.dataclass(frozen=True)
class SceneGenerator:
    """A generator of the scene library."""

    name: str
    summary: str
    parameters: list[SceneParameter]


def scene_generators() -> list[SceneGenerator]:
    """The generators that `Scene.load` knows by name, as ``cairn scenes`` lists them."""
    return [SceneGenerator(name, summary, [SceneParameter(*p) for p in parameters]) for name, summary, parameters in _core.scene_generators()]


def _plain(value: Any, path: str) -> Any:
    """A value of the scene format as JSON has it: arrays as lists. JSON has no number for what is not finite, which is refused by its place."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InvalidInput(path or "scene", f"must have texts as keys, has {key!r}")
        return {key: _plain(item, f"{path}/{key}") for key, item in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{path}/{i}") for i, item in enumerate(value)]
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise InvalidInput(f"scene: {path}", f"must be a finite number, is {value} (leave the key out where there is no limit)")
        return float(value)
    raise InvalidInput(f"scene: {path or '/'}", f"must be a dict, list, text, number or boolean, is {value!r}")


class Scene:
    """Bodies and joints that a `World` is made from, in SI units, right-handed; in the scenes of the library y is up.

    A scene is built by `add_body` and `add_joint`, read by `load`, `from_dict` and `from_json`. What a World is made from is copied: a scene that
    changes afterwards changes no World. It must not change in one thread while another makes a World of it.
    """

    __slots__ = ("_native",)
    _native: _core.Scene

    def __init__(self, name: str = "", *, gravity: Vector = (0.0, -9.81, 0.0), default_steps: int = 1200) -> None:
        """An empty scene. `gravity` in [m/s^2]; `default_steps` is what ``cairn run`` takes without ``--steps``, >= 1."""
        self._native = _core.Scene()
        self.name = name
        self.gravity = gravity
        self.default_steps = default_steps

    @classmethod
    def _of(cls, core: _core.Scene) -> "Scene":
        scene = cls.__new__(cls)
        scene._native = core
        return scene

    @classmethod
    def load(cls, name_or_path: str | os.PathLike[str]) -> "Scene":
        """A scene file (docs/scene-format.md), or a generator with parameters: ``pyramid:base=40``.

        Raises InvalidInput for what is wrong with it, CapacityError if its bodies would not fit into memory.
        """
        return cls._of(_core.Scene.load(os.fspath(name_or_path)))

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> "Scene":
        """A scene from a dict with the keys of a scene file (docs/scene-format.md). Vectors may be tuples, lists or arrays.

        Raises InvalidInput with the JSON pointer of what is wrong.
        """
        if not isinstance(description, Mapping):
            raise InvalidInput("scene", f"must be a dict with the keys of a scene file, is {description!r}")
        return cls.from_json(json.dumps(_plain(description, "")))

    @classmethod
    def from_json(cls, text: str, place: str = "scene") -> "Scene":
        """A scene from JSON text; `place` names it in messages."""
        return cls._of(_core.Scene.parse(text, place))

    def to_json(self) -> str:
        """Text that `from_json` reads back to the same scene, bit by bit. Raises InvalidInput for a black box, which no file can hold."""
        return self._native.to_json()

    def to_dict(self) -> dict[str, Any]:
        """The scene as a dict that `from_dict` reads back to the same scene."""
        description: dict[str, Any] = json.loads(self.to_json())
        return description

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes `to_json` to a file."""
        text = self.to_json()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def copy(self) -> "Scene":
        """A scene of its own with the same bodies and joints."""
        return Scene._of(self._native.copy())

    def validate(self) -> None:
        """Raises InvalidInput, naming body and field, for what is out of range or there twice. `World` does the same."""
        self._native.validate()

    def add_body(self, body: BodyDef | None = None, **fields: Any) -> int:
        """Adds a body and returns its index.

        `fields`: fields of `BodyDef`, which change those of `body` where one is given.
        Raises InvalidInput for what the body by itself has wrong; whether its name is there twice is asked by `validate` and `World`.
        """
        return self._native.add_body(changed(body if body is not None else BodyDef(), fields))

    def add_joint(
        self,
        joint: JointDef | JointType,
        body_a: int,
        body_b: int,
        *,
        frame: tuple[Vector, Quaternion] | None = None,
        **fields: Any,
    ) -> int:
        """Adds a joint of two bodies, named by their indices, and returns its index.

        `joint`: a `JointDef`, or a type. `frame`: where both its frames are now, in the world, as (position [m], orientation): the joint is on target.
        `fields`: further fields of `JointDef`.
        """
        return self._native.add_joint(body_a, body_b, self._joint(joint, (body_a, body_b), frame, fields))

    def joint(self, type: JointType, body_a: int, body_b: int, frame: tuple[Vector, Quaternion], **fields: Any) -> JointDef:
        """A joint of two bodies as they lie, on target: both its frames are at this world frame. It joins nothing yet. `fields` as `add_joint` has them."""
        return self._joint(type, (body_a, body_b), frame, fields)

    def _joint(self, joint: Any, bodies: tuple[int, int], frame: tuple[Vector, Quaternion] | None, fields: Mapping[str, Any]) -> JointDef:
        made: JointDef = changed(JointDef(type=joint) if isinstance(joint, str) else joint, fields, JointDef)  # type: ignore[arg-type]
        if frame is None:
            return made
        frame_a, frame_b = self._native.joint_frames(made.type, *bodies, frame)
        return dataclasses.replace(made, frame_a=Pose(*frame_a), frame_b=Pose(*frame_b))

    @property
    def name(self) -> str:
        """Shown in reports; without control characters."""
        return self._native.name

    @name.setter
    def name(self, name: str) -> None:
        self._native.name = name

    @property
    def gravity(self) -> tuple[float, float, float]:
        """[m/s^2]"""
        x, y, z = self._native.gravity
        return (x, y, z)

    @gravity.setter
    def gravity(self, gravity: Vector) -> None:
        self._native.gravity = gravity

    @property
    def default_steps(self) -> int:
        """What ``cairn run`` does without ``--steps``; >= 1."""
        return self._native.default_steps

    @default_steps.setter
    def default_steps(self, steps: int) -> None:
        self._native.default_steps = steps

    @property
    def body_count(self) -> int:
        """Bodies."""
        return self._native.body_count

    @property
    def joint_count(self) -> int:
        """Joints."""
        return self._native.joint_count

    def __copy__(self) -> "Scene":
        return self.copy()

    def __repr__(self) -> str:
        return f"<cairn.Scene {self.name!r}: {self.body_count} bodies, {self.joint_count} joints>"


def changed(record: object, fields: Mapping[str, Any], kind: type[Any] = BodyDef) -> Any:
    """The record with other fields. One that it does not have is a TypeError, as a wrong keyword of any call."""
    unknown = fields.keys() - {field.name for field in dataclasses.fields(kind)}
    if type(record) is not kind:
        raise InvalidInput(kind.__name__, f"must be a {kind.__name__}, is {record!r}")
    if unknown:
        raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(unknown))}")
    same: Any = record
    return dataclasses.replace(same, **fields) if fields else same


def as_scene(scene: "SceneLike") -> "Scene":
    """The scene behind what a World may be made from."""
    if isinstance(scene, Scene):
        return scene
    if isinstance(scene, Mapping):
        return Scene.from_dict(scene)
    if isinstance(scene, (str, os.PathLike)):
        return Scene.load(scene)
    raise InvalidInput("scene", f"must be a Scene, a dict, a path or a generator, is {scene!r}")


SceneLike = Union[Scene, Mapping[str, Any], str, "os.PathLike[str]"]
