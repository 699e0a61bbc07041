"""Recordings as USD: what programs that read it find in the file, and what is refused."""

import os
import subprocess

import numpy as np
import pytest

import cairn

pytest.importorskip("pxr.Usd", reason="usd-core is not here")
h5py = pytest.importorskip("h5py")

SHAPES = [
    cairn.ShapeDef.sphere(0.4),
    cairn.ShapeDef.capsule(0.2, 0.3),
    cairn.ShapeDef.box((0.3, 0.4, 0.5)),
    cairn.ShapeDef.ellipsoid((0.3, 0.4, 0.5)),
    cairn.ShapeDef.cylinder(0.3, 0.4),
    cairn.ShapeDef.cone(0.3, 0.4),
]


def record(scene, path, frames=3, exact=True):
    """A recording as the program writes it, by the layout that its page describes."""
    world = cairn.World(scene, threads=1)
    times, states = [], []
    for frame in range(frames):
        states.append((world.positions(), world.orientations()))
        times.append(frame * 0.05)
        world.step(3)
    world.close()
    with h5py.File(path, "w") as file:
        file.attrs["format"] = np.bytes_("cairn-recording-2")
        file["times"] = times
        file["scene"] = np.frombuffer(scene.to_json().encode(), dtype=np.uint8)
        if exact:
            file["poses"] = np.array([np.concatenate(state, axis=1) for state in states])
        else:
            file["positions"] = np.array([state[0] for state in states], dtype=np.float32)
            file["rotations"] = np.array([np.rint(state[1] * 32767) for state in states], dtype=np.int16)
    return states


@pytest.fixture
def heap(stack):
    for i, shape in enumerate(SHAPES):
        stack.add_body(position=(3 + i, 2, 0), angular_velocity=(1, 2, 3), shapes=[shape])
    stack.add_body(position=(0, 6, 0), shapes=[cairn.ShapeDef.box((0.5, 0.5, 0.5), position=(0.5, 0, 0))])
    return stack


def instancers(path):
    from pxr import Usd, UsdGeom

    stage = Usd.Stage.Open(str(path))
    return stage, [UsdGeom.PointInstancer(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.PointInstancer)]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("ending", [".usda", ".usdc"])
def test_instances_are_where_the_bodies_are(heap, tmp_path, exact, ending):
    recording, out = tmp_path / "heap.h5", tmp_path / f"heap{ending}"
    states = record(heap, recording, exact=exact)
    cairn.export_usd(recording, out)
    stage, found = instancers(out)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, 2)
    assert stage.GetTimeCodesPerSecond() == pytest.approx(20)
    # The four boxes of one size are one shape, wherever on their bodies they are.
    sizes = sorted(len(instancer.GetProtoIndicesAttr().Get()) for instancer in found)
    assert sizes == [1] * (len(SHAPES) + 1) + [4]
    for instancer in found:
        bodies = instancer.GetPrim().GetAttribute("primvars:cairn:body").Get()
        for frame in range(3):
            places = np.array(instancer.GetPositionsAttr().Get(frame))
            turns = np.array([[*q.GetImaginary(), q.GetReal()] for q in instancer.GetOrientationsfAttr().Get(frame)])
            for body, place, turn in zip(bodies, places, turns, strict=True):
                if body == heap.body_count - 1:
                    place = place - [0.5, 0, 0]  # it falls without turning
                assert place == pytest.approx(states[frame][0][body], abs=1e-5)
                assert turn == pytest.approx(states[frame][1][body], abs=1e-4)
        prototype = stage.GetPrimAtPath(instancer.GetPrototypesRel().GetTargets()[0])
        assert prototype.IsValid()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["heap.h5", out.name]


def test_triangles_have_their_outside_out(tmp_path):
    pytest.importorskip("scipy.spatial")
    from pxr import UsdGeom

    scene = cairn.Scene()
    tetrahedron = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.1, 0.1, 0.1)]
    scene.add_body(shapes=[cairn.ShapeDef.hull(tetrahedron)])
    scene.add_body(type="static", shapes=[cairn.ShapeDef.height_field([[0.0, 0.1, 0.0], [0.2, 0.0, 0.1]])], position=(0, -9, 0))
    record(scene, tmp_path / "a.h5", frames=1)
    cairn.export_usd(tmp_path / "a.h5", tmp_path / "a.usda")
    stage, _ = instancers(tmp_path / "a.usda")
    meshes = [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert len(meshes) == 2
    for mesh in meshes:
        points = np.array(mesh.GetPointsAttr().Get(), dtype=np.float64)
        a, b, c = (points[np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)[:, k]] for k in range(3))
        if mesh.GetDoubleSidedAttr().Get():
            assert (np.cross(b - a, c - a)[:, 1] > 0).all()  # a height field's outside is up
        else:
            assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(1 / 6)


def test_refusals_leave_no_file(refused, tmp_path, stack):
    recording, out = tmp_path / "a.h5", tmp_path / "a.usda"
    record(stack, recording)
    (tmp_path / "text.h5").write_text("no recording")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = [1.0]
    with h5py.File(tmp_path / "new.h5", "w") as file:
        file.attrs["format"] = "cairn-recording-9"
    before = sorted(tmp_path.iterdir())
    assert "must end in .usda or .usdc" in refused(cairn.export_usd, recording, tmp_path / "a.usd")
    assert "cannot be written" in refused(cairn.export_usd, recording, tmp_path / "no" / "a.usda")
    assert "there is no such file" in refused(cairn.export_usd, tmp_path / "nowhere.h5", out)
    assert "is no HDF5 file" in refused(cairn.export_usd, tmp_path / "text.h5", out)
    assert "no recording of Cairn" in refused(cairn.export_usd, tmp_path / "other.h5", out)
    assert "newer than this package" in refused(cairn.export_usd, tmp_path / "new.h5", out)
    assert sorted(tmp_path.iterdir()) == before


def test_the_program_s_files_open_elsewhere(run_program, tmp_path):
    """A recording of the program as USD; its glTF by another reader, with the sizes that the scene has."""
    trimesh = pytest.importorskip("trimesh")
    report = run_program("run", "tower:height=4", "--steps", "4", "--record", str(tmp_path / "tower.h5"), into="--report")
    cairn.export_usd(tmp_path / "tower.h5", tmp_path / "tower.usdc")
    _, found = instancers(tmp_path / "tower.usdc")
    assert sum(len(instancer.GetProtoIndicesAttr().Get()) for instancer in found) == report["bodies"]

    subprocess.run([os.environ["CAIRN_PROGRAM"], "export", str(tmp_path / "tower.h5"), "--out", str(tmp_path / "tower.glb")], check=True, capture_output=True)
    scene = trimesh.load(tmp_path / "tower.glb")
    boxes = [geometry for geometry in scene.dump() if geometry.is_watertight or len(geometry.faces) == 12]
    assert len(boxes) == 4
    volumes = [trimesh.Trimesh(box.vertices, box.faces, process=True) for box in boxes]
    for box in volumes:
        box.merge_vertices(merge_norm=True, merge_tex=True)
        assert box.volume == pytest.approx(1)
    assert max(box.bounds[1][1] for box in volumes) == pytest.approx(4, abs=0.02)
