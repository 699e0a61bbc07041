#include "src/problems/acceleration_export.hpp"

#include <array>
#include <cassert>
#include <cmath>

namespace cairn::v0 {
namespace {

using Vec = Vec3<double>;
using reference::NormalSource;

// Normals and positions come from a World in float.
constexpr double kAligned = 1e-5;   // 1 - cos of the angle to a face's normal
constexpr double kOnEdge = 1e-3;    // of the size: how near to the face's border a point is on an edge
constexpr double kParallel = 1e-4;  // sine of the angle between two edges

std::array<Vec, 3> axes(const ExportedShape& shape) {
  return {rotate(shape.q, Vec{1, 0, 0}), rotate(shape.q, Vec{0, 1, 0}), rotate(shape.q, Vec{0, 0, 1})};
}

bool isFace(const ExportedShape& shape, Vec normal) {
  if (shape.type == ShapeType::HalfSpace) return true;
  if (shape.type != ShapeType::Box) return false;
  for (const Vec axis : axes(shape)) {
    if (std::abs(dot(axis, normal)) > 1 - kAligned) return true;
  }
  return false;
}

// The part of a shape's core that lies at the contact: an edge or a point.
struct Core {
  double radius = 0;  // of the rounding around the core [m]
  bool edge = false;
  Vec direction{0, 0, 0};
};

// For a shape that does not touch with a face. `arm` leads to the contact point; `outward` is the normal, away from the shape.
Core coreOf(const ExportedShape& shape, Vec arm, Vec outward) {
  Core core;
  if (shape.type == ShapeType::Sphere) {
    core.radius = shape.size.x;
  } else if (shape.type == ShapeType::Capsule) {
    core.radius = shape.size.x;
    core.direction = axes(shape)[1];
    const double along = dot(arm - shape.x, core.direction);
    core.edge = std::abs(along) < shape.size.y * (1 - kOnEdge) && std::abs(dot(core.direction, outward)) < kOnEdge;
  } else {
    const std::array<Vec, 3> frame = axes(shape);
    const double half[3] = {shape.size.x, shape.size.y, shape.size.z};
    int within = 0;
    for (size_t k = 0; k < 3; ++k) {
      if (std::abs(dot(arm - shape.x, frame[k])) > half[k] * (1 - kOnEdge)) continue;
      ++within;
      core.direction = frame[k];
    }
    core.edge = within == 1;
  }
  return core;
}

// For two boxes: finds the pair of edges whose cross product is the normal.
void classifyEdges(const ExportedShape& a, const ExportedShape& b, reference::AccelerationContact& contact) {
  contact.owner = NormalSource::Edges;
  double best = -1;
  for (const Vec edgeA : axes(a)) {
    for (const Vec edgeB : axes(b)) {
      const Vec product = cross(edgeA, edgeB);
      const double sine = length(product);
      if (sine < kParallel || std::abs(dot(product, contact.normal)) / sine <= best) continue;
      best = std::abs(dot(product, contact.normal)) / sine;
      contact.edgeA = edgeA;
      contact.edgeB = edgeB;
    }
  }
}

}  // namespace

void classifyNormal(const ExportedShape& a, const ExportedShape& b, reference::AccelerationContact& contact) {
  assert(std::abs(length(contact.normal) - 1) < kAligned && a.type != ShapeType::Ellipsoid && b.type != ShapeType::Ellipsoid);
  const bool faceA = isFace(a, contact.normal), faceB = isFace(b, contact.normal);
  if (!faceA && !faceB && a.type == ShapeType::Box && b.type == ShapeType::Box) {
    classifyEdges(a, b, contact);
    return;
  }
  const Core coreA = faceA ? Core{} : coreOf(a, contact.rA, contact.normal), coreB = faceB ? Core{} : coreOf(b, contact.rB, -contact.normal);
  contact.radiusA = coreA.radius;
  contact.radiusB = coreB.radius;
  contact.edgeA = coreA.direction;
  contact.edgeB = coreB.direction;
  if (faceA || faceB) {
    contact.owner = faceA ? NormalSource::FaceOfA : NormalSource::FaceOfB;
  } else if (coreA.edge && coreB.edge && length(cross(coreA.direction, coreB.direction)) > kParallel) {
    contact.owner = NormalSource::Edges;
  } else if (coreA.edge || coreB.edge) {
    contact.owner = coreA.edge ? NormalSource::EdgeOfA : NormalSource::EdgeOfB;
  } else {
    contact.owner = NormalSource::Points;
  }
}

}  // namespace cairn::v0
