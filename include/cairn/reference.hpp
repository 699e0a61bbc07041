// The reference: small complementarity problems solved by pivoting, in double, on the CPU.
//
// Cairn's large-scale solvers are tested against it. docs/reference.md has the formulations and their sources.
#pragma once

#include <cairn/contact_problem.hpp>
#include <cairn/export.hpp>
#include <cairn/math.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cairn {
inline namespace v0 {
namespace reference {

// Row-major.
struct DenseMatrix {
  int rows = 0, columns = 0;
  std::vector<double> values;  // [rows * columns]
  double& at(int row, int column) { return values[static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column)]; }
  double at(int row, int column) const { return values[static_cast<size_t>(row) * static_cast<size_t>(columns) + static_cast<size_t>(column)]; }
  static DenseMatrix zero(int rows, int columns) {
    return {rows, columns, std::vector<double>(static_cast<size_t>(rows) * static_cast<size_t>(columns))};
  }
};

enum class LcpStatus {
  Solved,
  RayTermination,  // Lemke's path ended on a ray: no solution was found. For copositive-plus matrices there is none
  IterationLimit,
  Singular,       // a basis could not be factorised, or what came out is no solution to rounding
  Contradictory,  // mixed problems: the equality rows contradict each other
  Stopped,        // LcpSettings::progress asked for it
};
CAIRN_API std::string toString(LcpStatus status);

struct LcpSettings {
  long maxPivots = 0;       // 0: 50 n + 1000
  double tolerance = 1e-8;  // largest residual that counts as solved [-], > 0
  // Called after each pivot with their number so far; false stops. May be empty.
  std::function<bool(long pivots)> progress;
  bool lexicographic = true;  // false: ties go to the first row. Degenerate problems may then cycle; for tests of just that
};

struct LcpResult {
  LcpStatus status = LcpStatus::Singular;
  std::vector<double> z;  // of the last basis, whatever the status
  std::vector<double> w;  // M z + q
  long pivots = 0;
  double residual = 0;  // max_i |min(z_i / s, w_i)| / max(1e-300, max |q|), s the unit of z: max |q| over the largest entry of M
};

// w = M z + q, w >= 0, z >= 0, w.z = 0, by Lemke's method with lexicographic pivoting (Cottle, Pang and Stone, "The Linear Complementarity Problem",
// 1992, algorithm 4.4.5 and section 4.9), so degenerate problems end too. The solution is computed anew from its basis. Throws InvalidInput for
// sizes that do not fit, entries that are not finite.
CAIRN_API LcpResult solveLcp(const DenseMatrix& M, const std::vector<double>& q, const LcpSettings& settings = {});

// LcpResult::residual of any z.
CAIRN_API double lcpResidual(const DenseMatrix& M, const std::vector<double>& q, const std::vector<double>& z);

// A u + C v + a = 0 with u free, D u + B v + b >= 0 complementary to v >= 0. Equality rows are eliminated first (complete orthogonal decomposition:
// redundant rows are fine, u is then the shortest), the rest is solveLcp's. z holds v.
struct MixedLcp {
  DenseMatrix A, C, D, B;
  std::vector<double> a, b;
};
struct MixedLcpResult {
  LcpResult lcp;
  std::vector<double> u;
  double equalityResidual = 0;  // max |A u + C v + a| / max(1e-300, max |a|, max |C v|)
};
CAIRN_API MixedLcpResult solveMixedLcp(const MixedLcp& problem, const LcpSettings& settings = {});

enum class Formulation {
  Exact,    // u_n >= 0: Anitescu and Potra 1997; Anitescu and Hart 2004, equations 2.10 and 2.11; Cline and Pai 2003, equation 8
  Relaxed,  // u_n >= mu |u_t|: Anitescu and Hart 2004, equation 2.13 with Gamma = 0: a convex program, u is unique
};

struct ContactLcpSettings {
  int directions = 8;  // of the friction polygon, even, >= 4: d_1..d_m in the tangent plane, each with its opposite
  Formulation formulation = Formulation::Exact;
  bool force = false;  // also beyond kMostContacts
  LcpSettings lcp;
};
constexpr int kMostContacts = 60;

struct ContactLcpResult {
  LcpStatus status = LcpStatus::Singular;
  ContactSolution solution;  // impulses in (normal, tangent 1, tangent 2)
  long pivots = 0;
  double residual = 0;  // of the complementarity problem with its polygon, as LcpResult's; the polygon lies within the disk
};

// The velocity-level problem of formulas section 2.2 for the problem's W and q:
//   n^T u           >= 0  complementary to  c_n  >= 0      (Relaxed: n^T u - mu lambda)
//   D^T u + E lambda >= 0  complementary to  beta >= 0
//   mu c_n - E^T beta >= 0  complementary to  lambda >= 0
// Throws InvalidInput for a problem that is not valid, an odd or too small number of directions, and for more than kMostContacts contacts unless
// forced.
CAIRN_API ContactLcpResult solveContactLcp(const ContactProblem& problem, const ContactLcpSettings& settings = {});

// Joints: rows J v + upsilon = 0 on the dofs of a global problem, beside its contacts (formulas section 2.2). upsilon is the stabilization's choice:
// 0, alpha theta (Baumgarte), or gamma theta / h (Anitescu and Hart) for position errors theta.
struct EqualityRows {
  DenseMatrix J;                // [rows x dofs]
  std::vector<double> upsilon;  // [rows]
};
struct JointedContactResult {
  ContactLcpResult contacts;
  std::vector<double> jointImpulses;  // [rows] the shortest where rows are redundant
  double jointResidual = 0;           // max |J v + upsilon| / max(1e-300, max |J v0 + upsilon|), v0 without any impulse
};
// The mixed problem of contacts and joints, the equality rows eliminated first. Throws InvalidInput as solveContactLcp does, and for a local problem
// or rows that do not fit.
CAIRN_API JointedContactResult solveJointedContactLcp(const ContactProblem& problem, const EqualityRows& joints,
                                                      const ContactLcpSettings& settings = {});

// The matrix and vector of that problem, unknowns (c_n by contact, beta by contact and direction, lambda by contact).
CAIRN_API void assembleContactLcp(const ContactProblem& problem, const ContactLcpSettings& settings, DenseMatrix& M, std::vector<double>& q);

// --- acceleration level ----------------------------------------------------------------------------------------

struct AccelerationBody {
  Vec3<double> v{0, 0, 0}, w{0, 0, 0};           // of the centre of mass [m/s], [rad/s], world
  Vec3<double> invMass{0, 0, 0};                 // per world axis [1/kg], 0: none
  Sym3<double> inertia{0, 0, 0, 0, 0, 0};        // world axes [kg m^2]
  Sym3<double> invInertia{0, 0, 0, 0, 0, 0};     // world axes, 0: none [1/(kg m^2)]
  Vec3<double> force{0, 0, 0}, torque{0, 0, 0};  // gravity included [N], [N m]
};

// The features that determine the normal, and that it turns with: a face, a pair of edges, or the line between the cores of round shapes (a sphere's
// core is its centre, a capsule's its axis; a box's vertex or edge is its own core), from point to point or from an edge to a point.
enum class NormalSource { FaceOfA, FaceOfB, Edges, Points, EdgeOfA, EdgeOfB };
using NormalOwner = NormalSource;  // its earlier name

struct AccelerationContact {
  int bodyA = 0, bodyB = 0;
  Vec3<double> normal{0, 1, 0};           // unit, from A to B
  Vec3<double> rA{0, 0, 0}, rB{0, 0, 0};  // from the centres of mass [m]
  double friction = 0;                    // sliding, against the slip there is; none where nothing slips
  NormalSource owner = NormalSource::FaceOfA;
  Vec3<double> edgeA{0, 0, 0}, edgeB{0, 0, 0};  // directions of the edges, any length; Edges: normal along +-(edgeA x edgeB)
  double radiusA = 0, radiusB = 0;              // of the rounding: the cores lie this far behind the contact point [m]
};

struct AccelerationProblem {
  std::vector<AccelerationBody> bodies;  // in the order of World::bodies()
  std::vector<AccelerationContact> contacts;
  int approaching = 0;  // contacts whose bodies approach: they need an impulse before forces mean anything
};

struct AccelerationResult {
  LcpStatus status = LcpStatus::Singular;
  std::vector<double> forces;         // [contacts] normal [N], >= 0
  std::vector<double> accelerations;  // [contacts] along the normal, the normal's own turning included [m/s^2], >= 0
  double residual = 0;
};

// Contact forces f >= 0 with normal accelerations a = A f + b >= 0, f.a = 0, for contacts that touch and do not approach (Trefny section 1 after
// Baraff; formulas section 2.1, with the normal from A to B here). Sliding friction acts with mu f against the slip, which makes A unsymmetric: a
// solution need not exist then (Painleve), and RayTermination says so. Throws InvalidInput for indices out of range and numbers that are not finite.
CAIRN_API AccelerationResult solveAccelerations(const std::vector<AccelerationBody>& bodies, const std::vector<AccelerationContact>& contacts,
                                                const LcpSettings& settings = {});
CAIRN_API void assembleAccelerations(const std::vector<AccelerationBody>& bodies, const std::vector<AccelerationContact>& contacts, DenseMatrix& A,
                                     std::vector<double>& b);

CAIRN_API AccelerationResult solveAccelerations(const AccelerationProblem& problem, const LcpSettings& settings = {});

// The rate at which the normal turns [1/s]: with its face; as (1 - n n^T)/|eA x eB| ((wA x eA) x eB + eA x (wB x eB)) between edges; as (1 - n n^T)
// d'/|d| with the vector d between the cores, for an edge e its part across e: d' = (1 - e e^T) (uB - uA) - e (e' . d). 0 for Points and edges
// without radii.
CAIRN_API Vec3<double> normalRate(const std::vector<AccelerationBody>& bodies, const AccelerationContact& contact);

}  // namespace reference
}  // namespace v0
}  // namespace cairn
