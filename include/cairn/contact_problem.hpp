// Frictional contact problems that stand alone: a Delassus operator or mass matrix and Jacobian, without any World.
//
// Per contact i the impulse r_i and the relative velocity u_i have the components (normal, tangent 1, tangent 2); u_n > 0 separates.
//   local form:   u = W r + q
//   global form:  M v = H r + f,   u = H^T v + w
//   law:          K_i contains r_i, perpendicular to u_i + mu_i |u_Ti| (1, 0, 0), which lies in the dual cone;  K_i = { |r_T| <= mu_i r_n }
// This is the law of formulas section 2.3. A restitution term is part of q or w.
#pragma once

#include <cairn/export.hpp>
#include <cairn/settings.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cairn {
inline namespace v0 {

// Square, of 3 x 3 blocks, compressed by block rows.
struct BlockMatrix {
  int blockRows = 0;
  std::vector<int> rowStart;   // [blockRows + 1]
  std::vector<int> column;     // [blocks] block columns, ascending within a row; the diagonal block is always there
  std::vector<double> values;  // [9 blocks] row-major within a block
};

// Compressed by rows.
struct SparseMatrix {
  int rows = 0, columns = 0;
  std::vector<int> rowStart;   // [rows + 1]
  std::vector<int> column;     // [nonzeros] ascending within a row
  std::vector<double> values;  // [nonzeros]
};

struct ContactSolution {
  std::vector<double> r;  // [3 contacts] impulses [N s]
  std::vector<double> u;  // [3 contacts] relative velocities, recomputed from r [m/s]
  std::vector<double> v;  // [dofs] velocities of the global form; empty for the local one
};

struct ContactProblem {
  enum class Form { Local, Global };

  std::string name;    // may be empty
  std::string source;  // where it is from, free text
  Form form = Form::Local;
  std::vector<double> friction;  // [contacts] mu_i >= 0 [-]
  // Local form. W is symmetric and positive semidefinite.
  BlockMatrix W;          // [1/kg]
  std::vector<double> q;  // [3 contacts] [m/s]
  // Global form. M is symmetric positive definite, in full storage.
  SparseMatrix M;         // [dofs x dofs] [kg]
  SparseMatrix H;         // [dofs x 3 contacts]
  std::vector<double> f;  // [dofs] [N s]
  std::vector<double> w;  // [3 contacts] [m/s]
  int dofsPerBody = 0;    // 6 where body b owns the dofs 6 b to 6 b + 5; 0: not known
  // A reference solution that came with the problem; r empty: none.
  ContactSolution reference;

  int contacts() const { return static_cast<int>(friction.size()); }
};

// Throws InvalidInput (place is "place/field" as in scenes) for sizes that do not fit each other, indices out of range or out of order, numbers that
// are not finite, negative friction, a missing or non-positive diagonal, W or M asymmetric by more than their rounding in files (5e-3 of the largest
// entry), W indefinite by more than rounding (1e-6 of the largest absolute row sum), M not positive definite.
CAIRN_API void validate(const ContactProblem& problem, const std::string& place);

// The same problem with the symmetric part of W or M.
CAIRN_API ContactProblem symmetrized(ContactProblem problem);

// Reads a file: *.json in the forms "fc3d-local-1" and "fc3d-global-1", *.hdf5 and *.h5 in FCLib's form, local or global (docs/contact-problems.md).
// W and M come out symmetrised. Throws InvalidInput naming file, field and reason.
CAIRN_API ContactProblem readContactProblem(const std::string& path);
// Writes the form that the path's ending says, as readContactProblem reads it; a reference solution goes in as `reference` (JSON) or `solution`
// (FCLib). Throws InvalidInput where the file cannot be written; there is then no file.
CAIRN_API void writeContactProblem(const ContactProblem& problem, const std::string& path);

// The same problem in the local form: W = H^T M^-1 H, q = H^T M^-1 f + w, by sparse Cholesky factorization.
CAIRN_API ContactProblem condensed(const ContactProblem& problem);

// The residual of a solution. Formulas: docs/contact-problems.md.
struct ContactResidual {
  // || r - P(r - uhat) ||_2 / max(||q||, ||r||, ||u||); in the global form plus || -M v + H r + f || / max(||f||, ||M v||, ||H r||) [-]
  double etaSic = 0;
  double etaScl = 0;  // max_i || (r_i - P(r_i - rho_i uhat_i)) / rho_i || / max_i(|q|, |u|), rho_i = 3 / trace(W_ii): does not depend on units
  int open = 0, sticking = 0, sliding = 0;  // contacts by their impulse and velocity
};
// u, and in the local form everything, is computed from r (and v). The second form is for callers that have the condensed problem already.
CAIRN_API ContactResidual contactResidual(const ContactProblem& problem, const ContactSolution& solution);
CAIRN_API ContactResidual contactResidual(const ContactProblem& problem, const ContactProblem& local, const ContactSolution& solution);

enum class ProblemSolver { Auto, Pgs, Jacobi, Nncg, Newton, Lemke };
enum class SolveStatus {
  Solved,  // the residual is within the tolerance
  IterationLimit,
  TimeLimit,
  NoSolution,
  PolygonSolved,  // Lemke: solved with the friction polygon; the residual, which is that of the cone, is above the tolerance
};

struct ContactSolverSettings {
  Backend backend = Backend::Auto;  // of the sweeps; Lemke and factorizations run on the CPU
  int threads = 0;
  Precision precision = Precision::Double;
  ProblemSolver solver = ProblemSolver::Auto;  // Auto: Nncg; where it stalls, Newton steps and Pgs by turns
  double tolerance = 1e-8;                     // on etaSic [-], > 0
  long maxIterations = 1000000;                // >= 1
  double timeLimit = 60;                       // [s], > 0
  int directions = 8;                          // Lemke: of the friction polygon, even, >= 4; its residual is the polygon's error
  bool force = false;                          // Lemke: also beyond 60 contacts
  // Called whenever the residual has been evaluated, with the iterations and the best residual so far; by Lemke with each pivot and a residual of
  // NaN. May be empty.
  std::function<void(long iteration, double residual)> progress;
};

struct ContactSolveResult {
  SolveStatus status = SolveStatus::IterationLimit;
  ContactSolution solution;                    // the best that was seen, by the residual
  ContactResidual residual;                    // of that, computed in double by contactResidual
  long iterations = 0;                         // sweeps, or steps of the method
  double milliseconds = 0;                     // of the solve alone, without reading
  ProblemSolver solver = ProblemSolver::Auto;  // the one that gave the solution
};

// The same bits for any number of threads and on both backends. Throws InvalidInput for settings out of range or a problem that is not valid.
CAIRN_API ContactSolveResult solve(const ContactProblem& problem, const ContactSolverSettings& settings = {});

}  // namespace v0
}  // namespace cairn
