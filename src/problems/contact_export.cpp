#include "src/problems/contact_export.hpp"

#include <array>
#include <cassert>

namespace cairn::v0 {
namespace {

using Block = std::array<std::array<double, 3>, 3>;

// The mass along an axis; 1 where the axis is locked.
double massAlong(double invMass) { return invMass > 0 ? 1 / invMass : 1; }

Block inertiaOf(Sym3<double> inv) {
  const Sym3<double> i = inverse(Sym3<double>{inv.xx > 0 ? inv.xx : 1, inv.yy > 0 ? inv.yy : 1, inv.zz > 0 ? inv.zz : 1, inv.xy, inv.xz, inv.yz});
  return {{{i.xx, i.xy, i.xz}, {i.xy, i.yy, i.yz}, {i.xz, i.yz, i.zz}}};
}

std::array<double, 3> arrayOf(Vec3<double> a) { return {a.x, a.y, a.z}; }

// The part of one body in one contact.
struct Side {
  int contact;
  double sign;
  Vec3<double> arm;
};

void appendMass(const ExportedBody& body, int first, SparseMatrix& M, std::vector<double>& f) {
  const std::array<double, 3> v = arrayOf(body.v), w = arrayOf(body.w), invMass = arrayOf(body.invMass);
  for (size_t k = 0; k < 3; ++k) {
    M.column.push_back(first + static_cast<int>(k));
    M.values.push_back(massAlong(invMass[k]));
    M.rowStart.push_back(static_cast<int>(M.column.size()));
    f.push_back(massAlong(invMass[k]) * v[k]);
  }
  const Block inertia = inertiaOf(body.invInertia);
  for (size_t k = 0; k < 3; ++k) {
    double momentum = 0;
    for (size_t l = 0; l < 3; ++l) {
      momentum += inertia[k][l] * w[l];
      if (k != l && inertia[k][l] == 0) continue;
      M.column.push_back(first + 3 + static_cast<int>(l));
      M.values.push_back(inertia[k][l]);
    }
    M.rowStart.push_back(static_cast<int>(M.column.size()));
    f.push_back(momentum);
  }
}

void appendJacobian(const ExportedBody& body, const std::vector<Side>& sides, const std::vector<ExportedContact>& contacts, SparseMatrix& H) {
  const std::array<double, 3> invMass = arrayOf(body.invMass), invInertia{body.invInertia.xx, body.invInertia.yy, body.invInertia.zz};
  for (size_t row = 0; row < 6; ++row) {
    const bool linear = row < 3;
    const size_t axis = row % 3;
    if ((linear ? invMass : invInertia)[axis] > 0) {
      for (const Side& side : sides) {
        Vec3<double> directions[3];
        directions[0] = contacts[static_cast<size_t>(side.contact)].normal;
        tangentFrame(directions[0], directions[1], directions[2]);
        for (int d = 0; d < 3; ++d) {
          const double value = side.sign * arrayOf(linear ? directions[d] : cross(side.arm, directions[d]))[axis];
          H.column.push_back(3 * side.contact + d);
          H.values.push_back(value);
        }
      }
    }
    H.rowStart.push_back(static_cast<int>(H.column.size()));
  }
}

}  // namespace

ContactProblem assembleContactProblem(const std::vector<ExportedBody>& bodies, const std::vector<ExportedContact>& contacts) {
  ContactProblem problem;
  problem.form = ContactProblem::Form::Global;
  problem.dofsPerBody = 6;
  std::vector<std::vector<Side>> sides(bodies.size());
  problem.w.reserve(3 * contacts.size());
  for (size_t i = 0; i < contacts.size(); ++i) {
    const ExportedContact& contact = contacts[i];
    assert(contact.bodyA >= 0 && contact.bodyA < static_cast<int>(bodies.size()) && contact.bodyB >= 0 &&
           contact.bodyB < static_cast<int>(bodies.size()));
    const ExportedBody& a = bodies[static_cast<size_t>(contact.bodyA)];
    const ExportedBody& b = bodies[static_cast<size_t>(contact.bodyB)];
    problem.friction.push_back(contact.friction);
    Vec3<double> given{0, 0, 0};
    if (a.dynamic) {
      sides[static_cast<size_t>(contact.bodyA)].push_back({static_cast<int>(i), -1, contact.rA});
    } else {
      given -= a.v + cross(a.w, contact.rA);
    }
    if (b.dynamic) {
      sides[static_cast<size_t>(contact.bodyB)].push_back({static_cast<int>(i), 1, contact.rB});
    } else {
      given += b.v + cross(b.w, contact.rB);
    }
    Vec3<double> t1, t2;
    tangentFrame(contact.normal, t1, t2);
    problem.w.push_back(dot(contact.normal, given) + contact.offset);
    problem.w.push_back(dot(t1, given));
    problem.w.push_back(dot(t2, given));
  }
  problem.M.rowStart = problem.H.rowStart = {0};
  int dofs = 0;
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies[i].dynamic) continue;
    appendMass(bodies[i], dofs, problem.M, problem.f);
    appendJacobian(bodies[i], sides[i], contacts, problem.H);
    dofs += 6;
  }
  problem.M.rows = problem.M.columns = problem.H.rows = dofs;
  problem.H.columns = 3 * problem.contacts();
  return problem;
}

}  // namespace cairn::v0
