"""The same bits as the program."""

import numpy as np
import pytest

import cairn


@pytest.mark.parametrize(
    ("scene", "options", "settings"),
    [
        ("pyramid:base=10", [], {}),
        ("skeletons:count=2", ["--precision", "double"], {"precision": "double"}),
        ("pile:count=60,shape=mixed", ["--substeps", "3", "--normal-stabilization", "soft"], {"substeps": 3, "normal_stabilization": "soft"}),
    ],
)
def test_a_scene_ends_in_the_same_bits(run_program, scene, options, settings):
    row = run_program("run", scene, "--steps", "90", "--backend", "cpu", *options, into="--report")
    world = cairn.World(scene, backend="cpu", threads=1, **settings)
    world.step(90)
    assert f"{world.state_hash():016x}" == row["state_hash"]
    report = world.report()
    assert report.kinetic_energy == row["kinetic_energy_j"]
    assert report.contact_points == row["contact_points"]
    assert report.residual_max == row["report"]["residual_max"]
    assert list(report.linear_momentum) == row["report"]["linear_momentum_kg_m_s"]
    # What the scene says of itself, by way of a dict.
    world = cairn.World(cairn.Scene.load(scene).to_dict(), backend="cpu", **settings)
    world.step(90)
    assert f"{world.state_hash():016x}" == row["state_hash"]


@pytest.mark.parametrize("name", ["Capsules-i101-404", "Rover4396", "GFC3D_TwoRods1"])
def test_a_problem_is_solved_to_the_same_bits(run_program, root, name):
    path = root / "tests" / "data" / "problems" / f"{name}.json"
    answer = run_program("solve", str(path), into="--json")
    result = cairn.solve(cairn.load_problem(path))
    assert (result.r.reshape(-1) == np.array(answer["impulses_n_s"])).all()
    assert (result.u.reshape(-1) == np.array(answer["velocities_m_s"])).all()
    assert (result.status, result.solver, result.iterations) == (answer["status"], answer["solver"], answer["iterations"])
    assert (result.residual, result.residual_scaled) == (answer["residual"], answer["residual_scaled"])


def test_a_problem_exported_is_the_programs(run_program, tmp_path):
    run_program("run", "tower:height=5", "--steps", "30", "--backend", "cpu", "--problem", str(tmp_path / "problem.json"), into="--report")
    written = cairn.load_problem(tmp_path / "problem.json")
    world = cairn.World("tower:height=5", backend="cpu")
    world.step(30)
    ours = world.contact_problem()
    for name in ("M", "H"):
        assert (getattr(ours, name).to_dense() == getattr(written, name).to_dense()).all()
    for name in ("f", "w", "friction"):
        assert (getattr(ours, name) == getattr(written, name)).all()
