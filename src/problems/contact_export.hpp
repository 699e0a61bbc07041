// The contact problem of a World as a problem that stands alone, in double.
#pragma once

#include <cairn/contact_problem.hpp>
#include <cairn/math.hpp>

#include <vector>

namespace cairn {

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

// Global form: six dofs a dynamic body in their order (world axes; v of the centre of mass, then w), M = diag(mass, inertia), f = M v, contacts in
// their order with the tangents of tangentFrame(normal). A locked axis keeps a unit row in M and none in H.
ContactProblem assembleContactProblem(const std::vector<ExportedBody>& bodies, const std::vector<ExportedContact>& contacts);

}  // namespace cairn
