#include "src/render/constraint_colours.hpp"

#include "kernels/rows/tile_layout.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

// Points of one manifold: those of a pair of shapes with one normal, which contacts() lists one after the other.
bool sameManifold(const Contact& a, const Contact& b) {
  return a.bodyA == b.bodyA && a.bodyB == b.bodyB && a.shapeA == b.shapeA && a.shapeB == b.shapeB && a.normal.x == b.normal.x &&
         a.normal.y == b.normal.y && a.normal.z == b.normal.z;
}

}  // namespace

ConstraintColours::ConstraintColours(const Scene& scene, const WorldSettings& settings)
    : scene_(scene), maxColours_(settings.solver == Solver::Jacobi ? 0 : settings.maxColours), queue_(makeCpuQueue(1)) {
  int next = 0;
  for (const BodyDef& body : scene.bodies) {
    firstShapes_.push_back(next);
    next += static_cast<int>(body.shapes.size());
  }
}

std::vector<int> ConstraintColours::colour(const std::vector<Contact>& contacts, const std::vector<bool>& broken,
                                           const std::vector<unsigned char>& asleep, std::vector<int>& ofBodies) {
  std::vector<ConstraintBodies> constraints;
  std::vector<uint32_t> priorities;
  std::vector<size_t> constraintOf;  // by contact
  const auto encoded = [&](int body) {
    const auto at = static_cast<size_t>(body);
    const bool moves = scene_.bodies[at].type == BodyType::Dynamic && (asleep.empty() || asleep[at] == 0);
    return moves ? body : ~body;
  };
  const auto slot = [&](BodyId body, int shape) { return static_cast<uint32_t>(firstShapes_[static_cast<size_t>(body.index)] + shape); };
  for (size_t k = 0; k < contacts.size(); ++k) {
    const Contact& c = contacts[k];
    if (k == 0 || !sameManifold(contacts[k - 1], c)) {
      constraints.push_back({encoded(c.bodyA.index), encoded(c.bodyB.index)});
      priorities.push_back(mixBits(slot(c.bodyA, c.shapeA) * 0x9e3779b9u ^ mixBits(slot(c.bodyB, c.shapeB))));
    }
    constraintOf.push_back(constraints.size() - 1);
  }
  for (size_t k = 0; k < broken.size(); ++k) {
    if (broken[k]) continue;
    constraints.push_back({encoded(scene_.joints[k].bodyA), encoded(scene_.joints[k].bodyB)});
    priorities.push_back(0x80000000u | mixBits(static_cast<uint32_t>(k)) >> 1);
  }
  std::vector<int> colours(constraints.size(), kOverflowColour);
  const ConstraintGraph graph{constraints.data(), priorities.data(), static_cast<int>(constraints.size()), static_cast<int>(scene_.bodies.size())};
  if (!constraints.empty()) colourOnHost(queue_, primitives_, scratch_, graph, maxColours_, colours.data());

  ofBodies.assign(scene_.bodies.size(), -1);
  for (size_t k = 0; k < constraints.size(); ++k) {
    for (const int body : {constraints[k].bodyA, constraints[k].bodyB}) {
      if (body >= 0) ofBodies[static_cast<size_t>(body)] = std::max(ofBodies[static_cast<size_t>(body)], colours[k]);
    }
  }
  std::vector<int> ofContacts;
  for (const size_t k : constraintOf) ofContacts.push_back(colours[k]);
  return ofContacts;
}

}  // namespace cairn::v0
