"""Contact problems: solved against the law itself, against SciPy's matrices, and refused."""

import math

import numpy as np
import pytest

import cairn

scipy_sparse = pytest.importorskip("scipy.sparse")


def sliding_block(mu):
    """A mass of 2 kg on one contact, pushed sideways by 3 N s while 4 N s press it down: v = (r + f) / m."""
    m, f = 2 * np.eye(3), np.array([-4.0, 3.0, 0.0])
    return cairn.ContactProblem.global_form(m, np.eye(3), f, np.zeros(3), np.array([mu]), name="block")


def test_a_block_slides_or_sticks_as_coulomb_says():
    slides = cairn.solve(sliding_block(0.5), tolerance=1e-12)
    assert slides.status == "solved" and (slides.open, slides.sticking, slides.sliding) == (0, 0, 1)
    assert slides.r == pytest.approx(np.array([[4, -2, 0]]), abs=1e-9)
    assert slides.v == pytest.approx([0, 0.5, 0], abs=1e-9)
    sticks = cairn.solve(sliding_block(0.8), tolerance=1e-12)
    assert sticks.sticking == 1
    assert sticks.r == pytest.approx(np.array([[4, -3, 0]]), abs=1e-9)
    assert np.abs(sticks.u).max() < 1e-9


def test_all_forms_of_a_matrix_are_the_same_problem():
    world = cairn.World("pyramid:base=4", precision="double")
    world.step(60)
    exported = world.contact_problem()
    assert exported.form == "global" and exported.dofs_per_body == 6 and exported.contacts > 0
    dense = exported.M.to_dense(), exported.H.to_dense()
    few = {"max_iterations": 200}  # enough to tell one problem from another
    expected = cairn.solve(exported, few)
    for M, H in (
        dense,
        (exported.M, exported.H),
        (exported.M.to_scipy(), exported.H.to_scipy()),
        (scipy_sparse.coo_array(dense[0]), scipy_sparse.csc_matrix(dense[1])),
    ):
        problem = cairn.ContactProblem.global_form(M, H, exported.f, exported.w, exported.friction, dofs_per_body=6)
        assert (problem.M.to_dense() == dense[0]).all() and (problem.H.to_dense() == dense[1]).all()
        assert (cairn.solve(problem, few).r == expected.r).all()

    local = exported.condensed()
    W = dense[1].T @ np.linalg.solve(dense[0], dense[1])
    assert local.form == "local"
    np.testing.assert_allclose(local.W.to_dense(), W, rtol=0, atol=1e-12 * np.abs(W).max())
    np.testing.assert_allclose(local.q, dense[1].T @ np.linalg.solve(dense[0], exported.f) + exported.w, rtol=0, atol=1e-9)
    solutions = []
    for form in (local.W, local.W.to_dense(), local.W.to_scipy(), scipy_sparse.csr_matrix(local.W.to_dense())):
        again = cairn.ContactProblem.local_form(form, local.q, local.friction)
        assert (again.W.to_dense() == local.W.to_dense()).all()
        solutions.append(cairn.solve(again, few).r)
    assert all((r == solutions[0]).all() for r in solutions)


def test_a_solution_is_what_its_residual_says():
    world = cairn.World("tower:height=4", precision="double")
    world.step(30)
    problem = world.contact_problem()
    result = cairn.solve(problem, {"tolerance": 1e-6}, tolerance=1e-9)
    assert result.residual <= 1e-9
    residual = problem.residual(result.r, result.v)
    assert residual.residual == result.residual and residual.sticking == result.sticking
    M, H = problem.M.to_dense(), problem.H.to_dense()
    assert M @ result.v == pytest.approx(H @ result.r.reshape(-1) + problem.f, abs=1e-6)
    assert H.T @ result.v + problem.w == pytest.approx(result.u.reshape(-1), abs=1e-9)
    assert problem.residual(np.zeros_like(result.r), np.zeros_like(result.v)).residual > 0.1


def test_methods_agree():
    world = cairn.World("tower:height=3", precision="double")
    world.step(30)
    problem = world.contact_problem()
    velocities = [cairn.solve(problem, solver=solver, tolerance=1e-10).v for solver in ("nncg", "pgs", "newton")]
    for v in velocities[1:]:
        assert v == pytest.approx(velocities[0], abs=1e-6)
    assert cairn.solve(problem, solver="pgs", max_iterations=1).status == "iteration_limit"


def test_files_there_and_back(root, tmp_path):
    path = root / "tests" / "data" / "problems" / "Capsules-i101-404.json"
    problem = cairn.load_problem(path)
    assert problem.form == "local" and problem.name
    for name in ("copy.json", "copy.hdf5"):
        problem.save(tmp_path / name)
        again = cairn.load_problem(tmp_path / name)
        assert (again.W.to_dense() == problem.W.to_dense()).all()
        assert (again.q == problem.q).all() and (again.friction == problem.friction).all()
    assert problem.reference is None or problem.reference.r.shape == (problem.contacts, 3)


def test_progress_is_told_and_may_stop(root):
    problem = cairn.load_problem(root / "tests" / "data" / "problems" / "Capsules-i101-404.json")
    told = []
    cairn.solve(problem, progress=lambda iteration, residual: told.append((iteration, residual)))
    assert len(told) > 1 and all(a[0] <= b[0] for a, b in zip(told, told[1:])) and told[-1][1] <= 1e-8

    def stop(iteration, residual):
        raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):
        cairn.solve(problem, progress=stop)


def test_problems_are_refused(refused, tmp_path):
    make = cairn.ContactProblem.global_form
    f, w, mu, M, H = np.zeros(3), np.zeros(3), np.array([0.5]), np.eye(3), np.eye(3)
    assert refused(make, M, H, f, w, np.array(0.5)) == "friction: must be of shape (n,), is of shape ()"
    assert refused(make, M.astype(np.float32), H, f, w, mu) == "M: must be an array of float64, is one of float32"
    assert refused(make, np.eye(4), H, f, w, mu) == "M: must be of shape (3, 3), is of shape (4, 4)"
    assert refused(make, M, np.eye(3)[:, ::-1], f, w, mu).startswith("H: must be contiguous")
    assert refused(make, M, scipy_sparse.eye(4), f, w, mu) == "H: must be of shape (3, 3), is of shape (4, 4)"
    assert refused(make, M, H, np.array([0, np.nan, 0]), w, mu) == "f[1]: must be a finite number, is nan"
    assert refused(make, M, H, f, np.zeros(4), mu) == "w: must be of shape (3,), is of shape (4,)"
    assert refused(make, M, H, f, w, mu, dofs_per_body=3) == "dofs_per_body: must be 0 or 6, is 3"
    sparse = make(M, H, f, w, mu).M
    broken = cairn.SparseMatrix(sparse.data, sparse.indices, sparse.indptr + np.int32(1), sparse.shape)
    assert refused(make, broken, H, f, w, mu) == "M: its indptr, 3 indices and 3 data do not fit each other"
    broken = cairn.SparseMatrix(sparse.data, sparse.indices - 1, sparse.indptr, sparse.shape)
    assert refused(make, broken, H, f, w, mu).startswith("M.indices: must be from 0 to 2147483647, reaches from -1 to 1")
    broken = cairn.SparseMatrix(sparse.data, sparse.indices.astype(float), sparse.indptr, sparse.shape)
    assert refused(make, broken, H, f, w, mu).startswith("M.indices: must be an array of whole numbers of shape (n,), is one of float64")
    broken = cairn.SparseMatrix(sparse.data, sparse.indices + np.int32(7), sparse.indptr, sparse.shape)
    assert "M/col" in refused(make(broken, H, f, w, mu).validate)
    assert refused(make(-M, H, f, w, mu).validate).startswith("problem/M")
    assert "/mu/0: must be" in refused(cairn.solve, make(M, H, f, w, -mu))
    assert refused(cairn.ContactProblem.local_form, np.eye(3), np.zeros(6), mu) == "q: must be of shape (3,), is of shape (6,)"
    assert refused(cairn.ContactProblem.local_form, scipy_sparse.eye(6), np.zeros(3), mu) == "W: must be of shape (3, 3), is of shape (6, 6)"
    assert refused(cairn.load_problem, tmp_path / "none.json").startswith(str(tmp_path / "none.json"))
    problem = make(M, H, f, w, mu)
    assert refused(problem.residual, np.zeros(3)) == "r: must be of shape (1, 3), is of shape (3,)"
    assert refused(cairn.solve, problem, tolerance=0).startswith("settings.tolerance: must be")
    assert refused(cairn.solve, problem, tolerence=1) == "settings.tolerence: there is no such setting; did you mean tolerance?"
    assert refused(cairn.solve, "problem").startswith("problem: must be a ContactProblem, is 'problem'")
    assert refused(cairn.solve, problem, progress=3) == "progress: must be a function, is 3"
    with pytest.raises(TypeError, match="made by local_form"):
        cairn.ContactProblem()


def test_accelerations_of_a_resting_ball():
    scene = {
        "bodies": [{"type": "static", "shapes": [{"type": "half_space"}]}, {"position": [0, 0.5, 0], "mass": 3, "shapes": [{"type": "sphere", "radius": 0.5}]}]
    }
    world = cairn.World(scene, precision="double")
    problem = world.acceleration_problem()
    assert (problem.body_count, problem.contact_count, problem.approaching) == (2, 1, 0)
    result = cairn.solve_accelerations(problem)
    assert result.status == "solved"
    assert result.forces == pytest.approx([3 * 9.81])
    assert result.accelerations == pytest.approx([0], abs=1e-9)
    with pytest.raises(cairn.InvalidInput):
        world.acceleration_problem(touching=math.nan)
