"""Meshes against trimesh, and what is refused."""

import numpy as np
import pytest

import cairn

trimesh = pytest.importorskip("trimesh")

GENERATED = ["torus", "bone", "jack:cells=12", "hook", "bolt:turns=4", "nut:turns=4"]


def theirs(mesh):
    return trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)


def assert_agree(mesh, report):
    other = theirs(mesh)
    assert other.is_watertight == report.closed
    assert other.is_winding_consistent == report.oriented
    assert other.euler_number == report.euler_number
    assert len(other.edges_unique) == report.edges
    assert report.area == pytest.approx(other.area, rel=1e-10)
    assert report.volume == pytest.approx(other.volume, rel=1e-8)
    size = np.ptp(mesh.vertices)
    np.testing.assert_allclose(report.centre, other.center_mass, atol=1e-8 * size)
    np.testing.assert_allclose(report.inertia, other.moment_inertia, atol=1e-8 * np.abs(other.moment_inertia).max())
    np.testing.assert_allclose(report.bounds, other.bounds)


@pytest.mark.parametrize("name", GENERATED)
def test_generated_meshes_are_what_trimesh_says(name):
    mesh = cairn.Mesh.load(name)
    report = mesh.report()
    assert report.solid
    assert_agree(mesh, report)


@pytest.mark.parametrize("seed", range(20))
def test_random_hulls_are_what_trimesh_says(seed):
    random = np.random.default_rng(seed)
    points = random.normal(size=(random.integers(4, 60), 3)) * random.uniform(0.1, 10, 3) + random.normal(size=3)
    hull = trimesh.convex.convex_hull(points)
    mesh = cairn.Mesh(np.ascontiguousarray(hull.vertices, dtype=np.float64), hull.faces)
    report = mesh.report()
    assert report.solid
    assert_agree(mesh, report)
    whole = cairn.Mesh(np.ascontiguousarray(points), np.array([[i, (i + 1) % len(points), (i + 2) % len(points)] for i in range(len(points))]))
    if len(hull.vertices) <= 64:
        shape = whole.hull()
        assert trimesh.convex.convex_hull(np.array(shape.points)).volume == pytest.approx(hull.volume, rel=1e-4)


def test_an_open_mesh_is_open():
    mesh = cairn.Mesh.load("torus")
    cut = cairn.Mesh(mesh.vertices, mesh.triangles[1:])
    report = cut.report()
    assert not report.closed and report.boundary_edges == 3
    assert list(report.hole_edges) == [3]
    assert report.genus == -1
    assert theirs(cut).is_watertight is False


def test_files_come_back(tmp_path):
    mesh = cairn.Mesh.load("jack:cells=6")
    mesh.save(tmp_path / "jack.obj")
    again = cairn.Mesh.load(tmp_path / "jack.obj")
    np.testing.assert_array_equal(again.vertices, mesh.vertices)
    np.testing.assert_array_equal(again.triangles, mesh.triangles)
    mesh.save(tmp_path / "jack.stl")
    report = cairn.Mesh.load(str(tmp_path / "jack.stl")).report()
    assert report.solid and report.vertices == 3 * len(mesh.triangles)
    assert report.volume == pytest.approx(mesh.report().volume, rel=1e-6)
    assert trimesh.load(tmp_path / "jack.stl").volume == pytest.approx(report.volume, rel=1e-9)


def test_trimeshs_files_are_read(tmp_path):
    other = trimesh.creation.icosphere(subdivisions=2)
    for ending in ("obj", "stl"):
        other.export(tmp_path / f"ball.{ending}")
        report = cairn.Mesh.load(tmp_path / f"ball.{ending}").report()
        assert report.solid
        assert report.volume == pytest.approx(other.volume, rel=1e-5)


def test_hulls_are_shapes_of_bodies():
    mesh = cairn.Mesh.load("jack:cells=12,reach=0.2")
    shape = mesh.hull(24, density=500)
    assert len(shape.points) == 24
    scene = cairn.Scene()
    scene.add_body(type="static", shapes=[cairn.ShapeDef.half_space()])
    scene.add_body(position=(0, 0.5, 0), shapes=[shape])
    with cairn.World(scene) as world:
        world.step(120)
        assert 0.05 < world.positions()[1][1] < 0.25


def test_welding_and_cost():
    mesh = cairn.Mesh.load("torus")
    apart = cairn.Mesh(mesh.vertices[mesh.triangles.ravel()], np.arange(3 * len(mesh.triangles)).reshape(-1, 3))
    assert len(apart.welded().vertices) == len(mesh.vertices)
    cost = mesh.field_cost(0.02)
    assert 0 < cost.blocks < cost.grid_blocks
    assert cost.bytes == 4 * (729 * cost.blocks + cost.grid_blocks)


def test_what_is_wrong_is_said():
    vertices = np.eye(3)
    with pytest.raises(cairn.InvalidInput, match=r"triangles\[0\]: must have corners from 0 to 2, is \(0, 1, 3\)"):
        cairn.Mesh(vertices, [[0, 1, 3]])
    with pytest.raises(cairn.InvalidInput, match=r"vertices\[1, 1\]: must be a finite number"):
        cairn.Mesh(np.diag([1, np.nan, 1]), [[0, 1, 2]])
    with pytest.raises(cairn.InvalidInput, match=r"triangles: must be of shape \(n, 3\), is of shape \(3,\)"):
        cairn.Mesh(vertices, [0, 1, 2])
    with pytest.raises(cairn.InvalidInput, match="triangles: must be an array of whole numbers, is one of float64"):
        cairn.Mesh(vertices, [[0.0, 1.0, 2.0]])
    with pytest.raises(cairn.InvalidInput, match="none.obj: cannot be opened"):
        cairn.Mesh.load("none.obj")
    with pytest.raises(cairn.InvalidInput, match="is neither a file nor a generator of meshes"):
        cairn.Mesh.load("toros")
    with pytest.raises(cairn.InvalidInput, match="max_vertices: must be a whole number from 4 to 64, is 65"):
        cairn.Mesh.load("torus").hull(65)


def test_meshes_are_shapes_of_bodies_that_are_not_dynamic():
    scene = cairn.Scene()
    surface = cairn.Mesh.load("terrain:size=8,height=0,cells=12")
    scene.add_body(name="ground", type="static", shapes=[cairn.ShapeDef.mesh(surface, friction=0.5)])
    scene.add_body(position=(0.1, 0.25, 0.2), shapes=[cairn.ShapeDef.box((0.3, 0.2, 0.3))])
    world = cairn.World(scene, precision="double")
    world.step(120)
    assert world.state(world.bodies()[1]).position[1] == pytest.approx(0.2, abs=1e-3)
    hit = world.cast_rays(np.array([[3.0, 5, 3]]), np.array([[0.0, -1, 0]]))
    assert hit.distance[0] == pytest.approx(5)
    again = cairn.Scene.from_json(scene.to_json())
    assert cairn.World(again, precision="double").state_hash() == cairn.World(scene, precision="double").state_hash()


def test_a_solid_mesh_is_a_body_of_its_own(refused):
    ring = cairn.Mesh.load("torus:major=0.4,minor=0.1,around=26,tube=16")
    scene = cairn.Scene()
    scene.add_body(name="ground", type="static", shapes=[cairn.ShapeDef.half_space()])
    for place in (0.0, 2.0):
        scene.add_body(position=(place, 0.2, 0), shapes=[cairn.ShapeDef.mesh(ring, solid=True, cell=0.02, density=500)])
    world = cairn.World(scene, precision="double")
    world.step(180)
    for body in world.bodies()[1:]:
        assert world.state(body).position[1] == pytest.approx(0.1, abs=3e-3)
    again = cairn.Scene.from_json(scene.to_json())
    assert cairn.World(again, precision="double").state_hash() == cairn.World(scene, precision="double").state_hash()
    open_surface = cairn.ShapeDef.mesh(cairn.Mesh.load("terrain:cells=4"), solid=True)
    assert "the mesh is open" in refused(scene.add_body, shapes=[open_surface])
    fine = cairn.Scene()
    fine.add_body(name="ring", shapes=[cairn.ShapeDef.mesh(ring, solid=True, cell=1e-6)])
    assert refused(cairn.World, fine).endswith(
        "/bodies/0/shapes/0/cell: must be larger: the field of the mesh would take more than 256 MB with cells of 1e-06 m (body 'ring')"
    )


def test_meshes_as_shapes_are_refused_with_the_place(refused):
    vertices, triangles = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 1]]), np.array([[0, 2, 1]])
    shape = cairn.ShapeDef.mesh(vertices, triangles, two_sided=True)
    assert shape.two_sided and len(shape.surface.triangles) == 1
    scene = cairn.Scene()
    assert refused(scene.add_body, shapes=[shape]).startswith("body 0: /shapes/0/solid: must be true of a mesh on a dynamic body, is false")
    assert refused(scene.add_body, type="static", shapes=[cairn.ShapeDef.mesh(vertices)]).startswith("body 0/shapes/0/surface: must be a Mesh, is ")
    assert refused(cairn.ShapeDef.mesh, vertices, np.array([[0, 1, 3]])) == "triangles[0]: must have corners from 0 to 2, is (0, 1, 3)"
    assert "vertices[2" in refused(cairn.ShapeDef.mesh, np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, np.nan]]), triangles)
    flat = cairn.ShapeDef.mesh(vertices[[0, 1, 1]], np.array([[0, 1, 2]]))
    assert refused(scene.add_body, type="static", shapes=[flat]) == "body 0: /shapes/0/triangles: must have an area, none of 1 has"
