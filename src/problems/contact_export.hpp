// The contact problem of a World as a problem that stands alone, in double.
#pragma once

#include "kernels/state/views.hpp"

#include <cairn/contact_problem.hpp>
#include <cairn/math.hpp>

#include <vector>

namespace cairn::v0 {

struct ExportedBody {
  Vec3<double> v, w;        // after the step's forces, before its contacts; of a static or kinematic body as given [m/s], [rad/s]
  Vec3<double> invMass;     // per world axis, 0: none (static, kinematic, locked) [1/kg]
  Sym3<double> invInertia;  // world axes; rows of locked axes are 0 [1/(kg m^2)]
  bool dynamic;
};

struct ExportedContact {
  int bodyA, bodyB;     // in the list of bodies
  Vec3<double> normal;  // unit, from A to B
  Vec3<double> rA, rB;  // from the centres of mass [m]
  double offset;        // what is added to the normal velocity: stabilization, gap and restitution [m/s]
  double friction;
};

// A body as a step's stages have it. `velocity` is after the step's forces.
template <class T> inline ExportedBody exportedBody(const BodyVelocity<T>& velocity, const BodyInertia<T>& inertia, bool dynamic) {
  ExportedBody body;
  body.v = convert<double>(velocity.v);
  body.w = convert<double>(velocity.w);
  body.invMass = {double(velocity.invMassX), double(velocity.invMassY), double(inertia.invMassZ)};
  body.invInertia = convert<double>(inertia.invInertia);
  body.dynamic = dynamic;
  return body;
}

// One point of a manifold; bodies are named by their slots.
template <class T> inline ExportedContact exportedContact(const Manifold<T>& manifold, int point, double offset) {
  ExportedContact contact;
  contact.bodyA = manifold.bodyA;
  contact.bodyB = manifold.bodyB;
  contact.normal = convert<double>(manifold.normal);
  contact.rA = convert<double>(manifold.points[point].rA);
  contact.rB = convert<double>(manifold.points[point].rB);
  contact.offset = offset;
  contact.friction = double(manifold.friction);
  return contact;
}

// Global form: six dofs a dynamic body in their order (world axes; v of the centre of mass, then w), M = diag(mass, inertia), f = M v, contacts in
// their order with the tangents of tangentFrame(normal). A locked axis keeps a unit row in M and none in H.
ContactProblem assembleContactProblem(const std::vector<ExportedBody>& bodies, const std::vector<ExportedContact>& contacts);

}  // namespace cairn::v0
