#include "src/io/shape_surface.hpp"

#include "src/scene/convex_hull.hpp"

#include <cairn/height_field.hpp>

#include <cmath>

namespace cairn::v0 {
namespace {

const double kPi = std::acos(-1.0);
constexpr int kHalfRings = kRoundSegments / 4;  // from pole to equator

// A point of an outline beside the y axis, with the normal there.
struct OutlinePoint {
  double radius, y, normalRadial, normalY;
};

// An outline from top to bottom, turned about y. Where the normal jumps it has two points in one place.
ShapeSurface revolved(const std::vector<OutlinePoint>& outline) {
  ShapeSurface surface;
  for (const OutlinePoint& p : outline) {
    for (int k = 0; k < kRoundSegments; ++k) {
      const double angle = 2 * kPi * k / kRoundSegments, c = std::cos(angle), s = std::sin(angle);
      surface.points.push_back({p.radius * c, p.y, p.radius * s});
      surface.normals.push_back({p.normalRadial * c, p.normalY, p.normalRadial * s});
    }
  }
  for (size_t i = 0; i + 1 < outline.size(); ++i) {
    const bool topIsPoint = outline[i].radius == 0, bottomIsPoint = outline[i + 1].radius == 0;
    if (outline[i].radius == outline[i + 1].radius && outline[i].y == outline[i + 1].y) continue;  // an edge
    for (uint32_t k = 0; k < kRoundSegments; ++k) {
      const uint32_t upper = static_cast<uint32_t>(i) * kRoundSegments, lower = upper + kRoundSegments, next = (k + 1) % kRoundSegments;
      if (!topIsPoint) surface.triangles.push_back({upper + k, upper + next, lower + next});
      if (!bottomIsPoint) surface.triangles.push_back({upper + k, lower + next, lower + k});
    }
  }
  return surface;
}

// A quarter of a circle about (0, y), from pole to equator or back.
void addQuarter(std::vector<OutlinePoint>& outline, double radius, double y, bool upper) {
  for (int i = 0; i <= kHalfRings; ++i) {
    const int ring = upper ? i : kHalfRings - i;
    const double angle = 0.5 * kPi * ring / kHalfRings;
    const double c = ring == kHalfRings ? 0 : std::cos(angle), s = ring == 0 ? 0 : std::sin(angle);
    outline.push_back({radius * s, y + (upper ? radius * c : -radius * c), s, upper ? c : -c});
  }
}

ShapeSurface capsule(double radius, double halfHeight) {
  std::vector<OutlinePoint> outline;
  addQuarter(outline, radius, halfHeight, true);
  if (halfHeight == 0) outline.pop_back();
  addQuarter(outline, radius, -halfHeight, false);
  return revolved(outline);
}

ShapeSurface cylinder(double radius, double h) {
  return revolved({{0, h, 0, 1}, {radius, h, 0, 1}, {radius, h, 1, 0}, {radius, -h, 1, 0}, {radius, -h, 0, -1}, {0, -h, 0, -1}});
}

ShapeSurface cone(double radius, double h) {
  const double slant = std::hypot(radius, 2 * h), radial = 2 * h / slant, up = radius / slant;
  return revolved({{0, h, radial, up}, {radius, -h, radial, up}, {radius, -h, 0, -1}, {0, -h, 0, -1}});
}

ShapeSurface ellipsoid(Vec3d axes) {
  ShapeSurface surface = capsule(1, 0);
  for (size_t i = 0; i < surface.points.size(); ++i) {
    Vec3d &p = surface.points[i], &n = surface.normals[i];
    p = {p.x * axes.x, p.y * axes.y, p.z * axes.z};
    n = normalizedOr(Vec3d{n.x / axes.x, n.y / axes.y, n.z / axes.z}, n);
  }
  return surface;
}

// A flat face, its corners anticlockwise: a fan.
void addFace(ShapeSurface& surface, const std::vector<Vec3d>& corners, Vec3d normal) {
  const auto first = static_cast<uint32_t>(surface.points.size());
  for (const Vec3d& corner : corners) {
    surface.points.push_back(corner);
    surface.normals.push_back(normal);
  }
  for (uint32_t k = 1; k + 1 < corners.size(); ++k) surface.triangles.push_back({first, first + k, first + k + 1});
}

ShapeSurface box(Vec3d h) {
  ShapeSurface surface;
  const Vec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double half[3] = {h.x, h.y, h.z};
  for (int a = 0; a < 3; ++a) {
    for (const double sign : {1.0, -1.0}) {
      const Vec3d n = sign * axes[a], u = half[(a + 1) % 3] * axes[(a + 1) % 3], v = sign * half[(a + 2) % 3] * axes[(a + 2) % 3], c = half[a] * n;
      addFace(surface, {c - u - v, c + u - v, c + u + v, c - u + v}, n);
    }
  }
  return surface;
}

ShapeSurface hull(const ShapeDef& shape) {
  const std::shared_ptr<const ConvexHull> made = hullOf(shape);
  ShapeSurface surface;
  for (size_t f = 0; f < made->faces.size(); ++f) {
    std::vector<Vec3d> corners;
    for (const int corner : made->faces[f]) corners.push_back(made->vertices[static_cast<size_t>(corner)]);
    addFace(surface, corners, made->normals[f]);
  }
  return surface;
}

// Edges are kept: each triangle has its corners.
ShapeSurface faceted(const TriangleMesh& mesh) {
  ShapeSurface surface;
  for (const auto& t : mesh.triangles) {
    const auto corner = [&](int k) { return mesh.vertices[static_cast<size_t>(t[static_cast<size_t>(k)])]; };
    const Vec3d normal = cross(corner(1) - corner(0), corner(2) - corner(0));
    if (length(normal) > 0) addFace(surface, {corner(0), corner(1), corner(2)}, normalizedOr(normal, Vec3d{0, 1, 0}));
  }
  return surface;
}

// A surface without edges that matter: corners are shared, their normals the mean of the triangles', by area.
ShapeSurface smooth(const TriangleMesh& mesh) {
  ShapeSurface surface;
  surface.points = mesh.vertices;
  surface.normals.assign(mesh.vertices.size(), Vec3d{0, 0, 0});
  for (const auto& t : mesh.triangles) {
    const size_t a = static_cast<size_t>(t[0]), b = static_cast<size_t>(t[1]), c = static_cast<size_t>(t[2]);
    const Vec3d normal = cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]);
    for (const size_t corner : {a, b, c}) surface.normals[corner] = surface.normals[corner] + normal;
    surface.triangles.push_back({static_cast<uint32_t>(a), static_cast<uint32_t>(b), static_cast<uint32_t>(c)});
  }
  for (Vec3d& normal : surface.normals) normal = normalizedOr(normal, Vec3d{0, 1, 0});
  return surface;
}

ShapeSurface square() {
  ShapeSurface surface;
  addFace(surface, {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}}, {0, 1, 0});
  return surface;
}

template <class T> void append(std::string& key, const T& value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); }
void append(std::string& key, Vec3d value) {
  append(key, value.x);
  append(key, value.y);
  append(key, value.z);
}

}  // namespace

ShapeSurface surfaceOf(const ShapeDef& shape) {
  switch (shape.type) {
    case ShapeType::Sphere:
      return capsule(shape.radius, 0);
    case ShapeType::Capsule:
      return capsule(shape.radius, shape.halfHeight);
    case ShapeType::Box:
      return box(shape.halfExtents);
    case ShapeType::HalfSpace:
      return square();
    case ShapeType::Ellipsoid:
      return ellipsoid(shape.halfExtents);
    case ShapeType::Hull:
      return hull(shape);
    case ShapeType::Cylinder:
      return cylinder(shape.radius, shape.halfHeight);
    case ShapeType::Cone:
      return cone(shape.radius, shape.halfHeight);
    case ShapeType::Mesh:
      return faceted(*shape.triangles);
    case ShapeType::HeightField:
      return smooth(triangulated(*shape.heights));
  }
  return {};
}

std::string surfaceKey(const ShapeDef& shape) {
  std::string key;
  append(key, shape.type);
  switch (shape.type) {
    case ShapeType::Sphere:
      append(key, shape.radius);
      break;
    case ShapeType::Capsule:
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      append(key, shape.radius);
      append(key, shape.halfHeight);
      break;
    case ShapeType::Box:
    case ShapeType::Ellipsoid:
      append(key, shape.halfExtents);
      break;
    case ShapeType::HalfSpace:
      break;
    case ShapeType::Hull:
      append(key, shape.maxVertices);
      for (const Vec3d& p : shape.points) append(key, p);
      break;
    case ShapeType::Mesh:
      for (const Vec3d& p : shape.triangles->vertices) append(key, p);
      for (const auto& t : shape.triangles->triangles) append(key, t);
      break;
    case ShapeType::HeightField:
      append(key, shape.heights->columns);
      append(key, shape.heights->spacing);
      for (const double height : shape.heights->heights) append(key, height);
      break;
  }
  return key;
}

}  // namespace cairn::v0
