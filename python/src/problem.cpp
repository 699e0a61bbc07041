#include "python/src/bindings.hpp"
#include "python/src/settings.hpp"
#include "python/src/shared_world.hpp"

#include <cairn/contact_problem.hpp>

#include <nanobind/stl/optional.h>

namespace cairn::python {
namespace {

using Numbers = InputArray<double, 1>;
using Indices = InputArray<int32_t, 1>;

// Compressed by rows. cairn/_problem.py has checked that the arrays fit each other; whether the numbers make sense is for validate().
struct MatrixParts {
  int rows, columns;
  Indices rowStart, column;
  Numbers values;
};

MatrixParts toParts(nb::handle given) {
  const nb::tuple parts = nb::cast<nb::tuple>(given);
  return {nb::cast<int>(parts[0]), nb::cast<int>(parts[1]), nb::cast<Indices>(parts[2]), nb::cast<Indices>(parts[3]), nb::cast<Numbers>(parts[4])};
}

SparseMatrix toSparse(nb::handle given) {
  const MatrixParts parts = toParts(given);
  return {parts.rows, parts.columns, toStdVector<int>(parts.rowStart), toStdVector<int>(parts.column), toStdVector<double>(parts.values)};
}

BlockMatrix toBlocks(nb::handle given) {
  const MatrixParts parts = toParts(given);
  return {parts.rows, toStdVector<int>(parts.rowStart), toStdVector<int>(parts.column), toStdVector<double>(parts.values)};
}

nb::tuple fromSparse(const SparseMatrix& m) { return nb::make_tuple(m.rows, m.columns, toArray(m.rowStart), toArray(m.column), toArray(m.values)); }

nb::tuple fromBlocks(const BlockMatrix& m) {
  return nb::make_tuple(m.blockRows, toArray(m.rowStart), toArray(m.column), toArray(m.values, {m.column.size(), 3, 3}));
}

ContactProblem localProblem(nb::handle W, const Numbers& q, const Numbers& friction) {
  ContactProblem problem;
  problem.form = ContactProblem::Form::Local;
  problem.W = toBlocks(W);
  problem.q = toStdVector<double>(q);
  problem.friction = toStdVector<double>(friction);
  return problem;
}

ContactProblem globalProblem(nb::handle M, nb::handle H, const Numbers& f, const Numbers& w, const Numbers& friction) {
  ContactProblem problem;
  problem.form = ContactProblem::Form::Global;
  problem.M = toSparse(M);
  problem.H = toSparse(H);
  problem.f = toStdVector<double>(f);
  problem.w = toStdVector<double>(w);
  problem.friction = toStdVector<double>(friction);
  return problem;
}

// (r, u, v) as arrays.
nb::tuple fromSolution(const ContactSolution& solution) {
  const size_t contacts = solution.r.size() / 3;
  return nb::make_tuple(toArray(solution.r, {contacts, 3}), toArray(solution.u, {solution.u.size() / 3, 3}), toArray(solution.v));
}

nb::dict toDict(const ContactResidual& residual) {
  nb::dict out;
  out["residual"] = residual.etaSic;
  out["residual_scaled"] = residual.etaScl;
  out["open"] = residual.open;
  out["sticking"] = residual.sticking;
  out["sliding"] = residual.sliding;
  return out;
}

nb::dict residualOf(const ContactProblem& problem, const InputArray<double, 2>& r, const std::optional<Numbers>& v) {
  ContactSolution solution;
  solution.r.assign(r.data(), r.data() + r.size());
  if (v) solution.v = toStdVector<double>(*v);
  return toDict([&] {
    const nb::gil_scoped_release release;
    return contactResidual(problem, solution);
  }());
}

nb::dict solveProblem(const ContactProblem& problem, const nb::dict& given, nb::object progress) {
  ContactSolverSettings settings;
  setFrom(given, settings);
  ContactSolveResult result;
  {
    const nb::gil_scoped_release release;
    SignalWatch signals;
    settings.progress = [&](long iteration, double residual) {
      signals.look();
      if (progress.is_none()) return;
      const nb::gil_scoped_acquire lock;
      progress(iteration, residual);
    };
    result = solve(problem, settings);
  }
  nb::dict out = toDict(result.residual);
  const nb::tuple solution = fromSolution(result.solution);
  out["r"] = solution[0];
  out["u"] = solution[1];
  out["v"] = solution[2];
  out["status"] = nameOf(result.status);
  out["solver"] = nameOf(result.solver);
  out["iterations"] = result.iterations;
  out["milliseconds"] = result.milliseconds;
  return out;
}

}  // namespace

void bindProblem(nb::module_& module) {
  using Release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<ContactProblem>(module, "ContactProblem")
      .def_static("local_form", &localProblem, nb::arg("W"), nb::arg("q"), nb::arg("friction"))
      .def_static("global_form", &globalProblem, nb::arg("M"), nb::arg("H"), nb::arg("f"), nb::arg("w"), nb::arg("friction"))
      .def_static("load", &readContactProblem, nb::arg("path"), Release())
      .def(
          "save", [](const ContactProblem& problem, const std::string& path) { writeContactProblem(problem, path); }, nb::arg("path"), Release())
      .def(
          "validate", [](const ContactProblem& problem, const std::string& place) { validate(problem, place); }, nb::arg("place"), Release())
      .def(
          "condensed", [](const ContactProblem& problem) { return condensed(problem); }, Release())
      .def("residual", &residualOf, nb::arg("r"), nb::arg("v").none())
      .def_rw("name", &ContactProblem::name)
      .def_rw("source", &ContactProblem::source)
      .def_rw("dofs_per_body", &ContactProblem::dofsPerBody)
      .def_prop_ro("is_local", [](const ContactProblem& problem) { return problem.form == ContactProblem::Form::Local; })
      .def_prop_ro("contacts", &ContactProblem::contacts)
      .def_prop_ro(
          "friction", [](const ContactProblem& problem) { return toArray(problem.friction); }, nb::rv_policy::automatic)
      .def_prop_ro("W", [](const ContactProblem& problem) { return fromBlocks(problem.W); })
      .def_prop_ro(
          "q", [](const ContactProblem& problem) { return toArray(problem.q); }, nb::rv_policy::automatic)
      .def_prop_ro("M", [](const ContactProblem& problem) { return fromSparse(problem.M); })
      .def_prop_ro("H", [](const ContactProblem& problem) { return fromSparse(problem.H); })
      .def_prop_ro(
          "f", [](const ContactProblem& problem) { return toArray(problem.f); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "w", [](const ContactProblem& problem) { return toArray(problem.w); }, nb::rv_policy::automatic)
      .def_prop_ro("reference", [](const ContactProblem& problem) { return fromSolution(problem.reference); });
  module.def("solve", &solveProblem, nb::arg("problem"), nb::arg("settings"), nb::arg("progress").none());
}

}  // namespace cairn::python
