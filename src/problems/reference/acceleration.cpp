// Contact forces from accelerations: formulas section 2.1.
#include "src/scene/text.hpp"

#include <cairn/error.hpp>
#include <cairn/reference.hpp>

#include <cmath>
#include <utility>

namespace cairn::v0::reference {
namespace {

using Vec = Vec3<double>;

// Below this slip there is no direction to slide in [m/s].
constexpr double kNoSlip = 1e-9;

Vec pointVelocity(const AccelerationBody& body, Vec r) { return body.v + cross(body.w, r); }

// Acceleration of the point at r without contact forces.
Vec freeAcceleration(const AccelerationBody& body, Vec r) {
  const Vec turn = body.invInertia * (body.torque - cross(body.w, body.inertia * body.w));
  return scale(body.invMass, body.force) + cross(turn, r) + cross(body.w, cross(body.w, r));
}

// Acceleration of the point at r that a force at the point s gives it.
Vec response(const AccelerationBody& body, Vec r, Vec s, Vec force) {
  return scale(body.invMass, force) + cross(body.invInertia * cross(s, force), r);
}

// Force on B for a unit of normal force.
Vec forceDirection(const std::vector<AccelerationBody>& bodies, const AccelerationContact& c) {
  const Vec u = pointVelocity(bodies[static_cast<size_t>(c.bodyB)], c.rB) - pointVelocity(bodies[static_cast<size_t>(c.bodyA)], c.rA);
  const Vec slip = u - dot(c.normal, u) * c.normal;
  const double speed = length(slip);
  return speed > kNoSlip ? c.normal - (c.friction / speed) * slip : c.normal;
}

// Arms of the cores: a normal force has the same torque there as at the contact point, and the gap is the distance of the cores less the radii.
Vec coreA(const AccelerationContact& c) { return c.rA - c.radiusA * c.normal; }
Vec coreB(const AccelerationContact& c) { return c.rB + c.radiusB * c.normal; }

Vec rateBetweenCores(const AccelerationBody& a, const AccelerationBody& b, const AccelerationContact& c) {
  const double distance = c.radiusA + c.radiusB;
  if (distance == 0) return {0, 0, 0};
  Vec rate = pointVelocity(b, coreB(c)) - pointVelocity(a, coreA(c));
  if (c.owner != NormalSource::Points) {
    const bool ofA = c.owner == NormalSource::EdgeOfA;
    const Vec whole = ofA ? c.edgeA : c.edgeB, edge = (1 / length(whole)) * whole;
    rate = rate - dot(edge, rate) * edge - (distance * dot(cross(ofA ? a.w : b.w, edge), c.normal)) * edge;
  }
  return (1 / distance) * (rate - dot(c.normal, rate) * c.normal);
}

void check(const std::vector<AccelerationBody>& bodies, const std::vector<AccelerationContact>& contacts) {
  const int count = static_cast<int>(bodies.size());
  for (size_t i = 0; i < contacts.size(); ++i) {
    const AccelerationContact& c = contacts[i];
    const std::string path = text("contacts/{}", i);
    for (const int body : {c.bodyA, c.bodyB}) {
      if (body < 0 || body >= count) throw InvalidInput(path, text("names body {}, there are {}", body, count));
    }
    if (c.bodyA == c.bodyB) throw InvalidInput(path, "is between a body and itself");
    if (!(std::abs(length(c.normal) - 1) < 1e-6)) throw InvalidInput(path + "/normal", text("must have length 1, has {}", length(c.normal)));
    if (!(c.friction >= 0)) throw InvalidInput(path + "/friction", text("must be >= 0, is {}", c.friction));
    if (!(c.radiusA >= 0) || !(c.radiusB >= 0)) throw InvalidInput(path + "/radius", "must be >= 0");
    for (const auto& [owner, edge] : {std::pair(NormalSource::EdgeOfA, c.edgeA), std::pair(NormalSource::EdgeOfB, c.edgeB)}) {
      if (c.owner == owner && !(length(edge) > 0)) throw InvalidInput(path + "/edge", "must not be zero");
    }
    if (c.owner == NormalSource::Edges && !(length(cross(c.edgeA, c.edgeB)) > 0)) throw InvalidInput(path + "/edges", "must not be parallel");
  }
}

}  // namespace

Vec normalRate(const std::vector<AccelerationBody>& bodies, const AccelerationContact& c) {
  const AccelerationBody &a = bodies[static_cast<size_t>(c.bodyA)], &b = bodies[static_cast<size_t>(c.bodyB)];
  if (c.owner == NormalSource::FaceOfA) return cross(a.w, c.normal);
  if (c.owner == NormalSource::FaceOfB) return cross(b.w, c.normal);
  if (c.owner != NormalSource::Edges) return rateBetweenCores(a, b, c);
  const Vec product = cross(c.edgeA, c.edgeB);
  const double sign = dot(product, c.normal) < 0 ? -1 : 1;
  const Vec rate = (sign / length(product)) * (cross(cross(a.w, c.edgeA), c.edgeB) + cross(c.edgeA, cross(b.w, c.edgeB)));
  return rate - dot(c.normal, rate) * c.normal;
}

void assembleAccelerations(const std::vector<AccelerationBody>& bodies, const std::vector<AccelerationContact>& contacts, DenseMatrix& A,
                           std::vector<double>& b) {
  check(bodies, contacts);
  const int n = static_cast<int>(contacts.size());
  A = DenseMatrix::zero(n, n);
  b.assign(contacts.size(), 0.0);
  for (int i = 0; i < n; ++i) {
    const AccelerationContact& c = contacts[static_cast<size_t>(i)];
    const AccelerationBody &bodyA = bodies[static_cast<size_t>(c.bodyA)], &bodyB = bodies[static_cast<size_t>(c.bodyB)];
    // gap = n.(core B - core A) - radii, so gap'' = n.(difference of accelerations) + 2 n'.(of velocities) + n''.n radii, and n''.n = -|n'|^2.
    const Vec rate = normalRate(bodies, c), armA = coreA(c), armB = coreB(c);
    b[static_cast<size_t>(i)] = dot(c.normal, freeAcceleration(bodyB, armB) - freeAcceleration(bodyA, armA)) +
                                2 * dot(rate, pointVelocity(bodyB, armB) - pointVelocity(bodyA, armA)) - (c.radiusA + c.radiusB) * dot(rate, rate);
    for (int j = 0; j < n; ++j) {
      const AccelerationContact& other = contacts[static_cast<size_t>(j)];
      const Vec force = forceDirection(bodies, other);
      // A contact pushes its B along the force and its A against it.
      Vec relative{0, 0, 0};
      if (other.bodyB == c.bodyB) relative += response(bodyB, c.rB, other.rB, force);
      if (other.bodyA == c.bodyB) relative -= response(bodyB, c.rB, other.rA, force);
      if (other.bodyB == c.bodyA) relative -= response(bodyA, c.rA, other.rB, force);
      if (other.bodyA == c.bodyA) relative += response(bodyA, c.rA, other.rA, force);
      A.at(i, j) = dot(c.normal, relative);
    }
  }
}

AccelerationResult solveAccelerations(const std::vector<AccelerationBody>& bodies, const std::vector<AccelerationContact>& contacts,
                                      const LcpSettings& settings) {
  DenseMatrix A;
  std::vector<double> b;
  assembleAccelerations(bodies, contacts, A, b);
  const LcpResult lcp = solveLcp(A, b, settings);
  return {lcp.status, lcp.z, lcp.w, lcp.residual};
}

AccelerationResult solveAccelerations(const AccelerationProblem& problem, const LcpSettings& settings) {
  return solveAccelerations(problem.bodies, problem.contacts, settings);
}

}  // namespace cairn::v0::reference
