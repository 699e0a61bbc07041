// Hulls: Qhull finds the faces (Barber, Dobkin and Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", 1996); their order, their planes and what
// they enclose are worked out here.
//
// Points are scaled to a size of one first, so that what counts as one plane is a part of the hull's size. Corners within it of a plane through
// others make one face with them: a box whose corners are rounded has six faces and not twelve.
#include "src/scene/convex_hull.hpp"

#include "src/scene/hull_points.hpp"
#include "src/scene/scene_checks.hpp"
#include "src/scene/volume_integrals.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace cairn::v0 {
namespace {

constexpr double kFlattest = 1e-4;  // of the outer radius: the smallest inner one
constexpr double kSound = 1e-3;     // of the size: how far a corner may lie beyond a face's plane

[[noreturn]] void refuse(const char* field, const std::string& reason) { throw InvalidInput(field, reason); }

// Corners anticlockwise about a direction, the smallest number first.
std::vector<int> inOrder(const std::vector<Vec3d>& points, std::vector<int> corners, Vec3d outward) {
  Vec3d middle{0, 0, 0};
  for (const int c : corners) middle += (1.0 / static_cast<double>(corners.size())) * points[static_cast<size_t>(c)];
  Vec3d u, v;
  tangentFrame(outward, u, v);
  const double turn = dot(cross(u, v), outward) < 0 ? -1 : 1;
  const auto angle = [&](int c) {
    const Vec3d d = points[static_cast<size_t>(c)] - middle;
    return turn * std::atan2(dot(d, v), dot(d, u));
  };
  std::sort(corners.begin(), corners.end(), [&](int a, int b) { return std::pair(angle(a), a) < std::pair(angle(b), b); });
  std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
  return corners;
}

// Twice the area that a loop of corners encloses, along its normal (Newell).
Vec3d areaOf(const std::vector<Vec3d>& points, const std::vector<int>& loop) {
  Vec3d sum{0, 0, 0};
  const Vec3d first = points[static_cast<size_t>(loop[0])];
  for (size_t k = 1; k + 1 < loop.size(); ++k)
    sum += cross(points[static_cast<size_t>(loop[k])] - first, points[static_cast<size_t>(loop[k + 1])] - first);
  return sum;
}

// The direction out of a face, whose corners are in no order, from a point inside.
Vec3d outwardOf(const std::vector<Vec3d>& points, const std::vector<int>& corners, Vec3d inside) {
  const Vec3d a = points[static_cast<size_t>(corners[0])];
  Vec3d largest{0, 0, 0};
  for (size_t j = 1; j < corners.size(); ++j) {
    for (size_t k = j + 1; k < corners.size(); ++k) {
      const Vec3d n = cross(points[static_cast<size_t>(corners[j])] - a, points[static_cast<size_t>(corners[k])] - a);
      if (dot(n, n) > dot(largest, largest)) largest = n;
    }
  }
  const Vec3d n = normalizedOr(largest, Vec3d{0, 0, 0});
  return dot(n, a - inside) < 0 ? -n : n;
}

// Each edge is there once in each direction, and no corner lies beyond a face.
bool isSound(const ConvexHull& hull) {
  std::map<std::pair<int, int>, int> edges;
  for (const std::vector<int>& face : hull.faces) {
    for (size_t k = 0; k < face.size(); ++k) ++edges[{face[k], face[(k + 1) % face.size()]}];
  }
  const bool closed = std::all_of(edges.begin(), edges.end(), [&](const auto& edge) {
    const auto back = edges.find({edge.first.second, edge.first.first});
    return edge.second == 1 && back != edges.end() && back->second == 1;
  });
  if (!closed || hull.vertices.size() + hull.faces.size() != edges.size() / 2 + 2) return false;
  for (size_t f = 0; f < hull.faces.size(); ++f) {
    if (!(lengthSquared(hull.normals[f]) > 0.5)) return false;
    for (const Vec3d& v : hull.vertices) {
      if (dot(hull.normals[f], v) > hull.offsets[f] + kSound) return false;
    }
  }
  return true;
}

void findOffsets(ConvexHull& hull) {
  hull.offsets.clear();
  for (size_t f = 0; f < hull.faces.size(); ++f) {
    double offset = 0;
    for (const int c : hull.faces[f])
      offset += dot(hull.normals[f], hull.vertices[static_cast<size_t>(c)]) / static_cast<double>(hull.faces[f].size());
    hull.offsets.push_back(offset);
  }
}

// Of scaled points. No faces: there is none.
ConvexHull facesOf(const std::vector<Vec3d>& points, double coplanar) {
  ConvexHull hull;
  std::vector<std::vector<int>> found = facesOfHull(points, coplanar);
  if (found.size() < 4) return hull;
  std::vector<int> numbers(points.size(), -1);
  for (const std::vector<int>& face : found) {
    for (const int c : face) numbers[static_cast<size_t>(c)] = 0;
  }
  Vec3d inside{0, 0, 0};
  for (size_t i = 0; i < points.size(); ++i) {
    if (numbers[i] < 0) continue;
    numbers[i] = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(points[i]);
    inside += points[i];
  }
  inside = (1.0 / static_cast<double>(hull.vertices.size())) * inside;
  for (std::vector<int>& face : found) {
    if (face.size() < 3) return {};
    for (int& c : face) c = numbers[static_cast<size_t>(c)];
    face = inOrder(hull.vertices, face, outwardOf(hull.vertices, face, inside));
  }
  std::sort(found.begin(), found.end());
  hull.faces = std::move(found);
  for (const std::vector<int>& face : hull.faces) hull.normals.push_back(normalizedOr(areaOf(hull.vertices, face), Vec3d{0, 0, 0}));
  findOffsets(hull);
  return isSound(hull) ? hull : ConvexHull{};
}

// Merging coplanar faces may leave what is no polyhedron: with a smaller tolerance it seldom does.
ConvexHull soundHull(const std::vector<Vec3d>& points) {
  ConvexHull hull;
  for (const double coplanar : {1e-5, 1e-7, 1e-9, 1e-12}) {
    hull = facesOf(points, coplanar);
    if (!hull.faces.empty()) break;
  }
  return hull;
}

// The corners that are kept one after another: a tetrahedron of far apart ones, then whichever lies furthest beyond the faces that there are.
ConvexHull simplified(const ConvexHull& whole, size_t most) {
  const std::vector<Vec3d>& all = whole.vertices;
  std::vector<size_t> kept;
  const auto addFurthest = [&](const auto& measure) {
    size_t best = 0;
    for (size_t i = 1; i < all.size(); ++i) {
      if (measure(all[i]) > measure(all[best])) best = i;
    }
    kept.push_back(best);
  };
  addFurthest([](Vec3d p) { return p.x; });
  const Vec3d a = all[kept[0]];
  addFurthest([&](Vec3d p) { return lengthSquared(p - a); });
  const Vec3d b = all[kept[1]] - a;
  addFurthest([&](Vec3d p) { return lengthSquared(cross(b, p - a)); });
  const Vec3d n = cross(b, all[kept[2]] - a);
  addFurthest([&](Vec3d p) { return std::abs(dot(n, p - a)); });
  ConvexHull hull;
  while (true) {
    std::sort(kept.begin(), kept.end());
    std::vector<Vec3d> points;
    for (const size_t i : kept) points.push_back(all[i]);
    const ConvexHull next = soundHull(points);
    if (next.faces.empty()) return hull;
    hull = next;
    if (kept.size() == most) return hull;
    const auto beyond = [&](Vec3d p) {
      double height = -1;
      for (size_t f = 0; f < hull.faces.size(); ++f) height = std::max(height, dot(hull.normals[f], p) - hull.offsets[f]);
      return height;
    };
    const size_t before = kept.size();
    addFurthest(beyond);
    if (!(beyond(all[kept.back()]) > 0) || std::count(kept.begin(), kept.end(), kept.back()) > 1) {
      kept.resize(before);
      return hull;
    }
  }
}

// Volume, centre, inertia and radii. The corners are in their own units by now.
void measure(ConvexHull& hull) {
  Vec3d origin{0, 0, 0};
  for (const Vec3d& v : hull.vertices) origin += (1.0 / static_cast<double>(hull.vertices.size())) * v;
  VolumeIntegrals integrals(origin);
  for (const std::vector<int>& face : hull.faces) {
    const auto corner = [&](size_t k) { return hull.vertices[static_cast<size_t>(face[k])]; };
    for (size_t k = 1; k + 1 < face.size(); ++k) integrals.add(corner(0), corner(k), corner(k + 1));
  }
  hull.volume = integrals.volume();
  hull.centre = integrals.centre();
  hull.inertia = integrals.inertia();
  hull.inner = kLargestMagnitude;
  for (size_t f = 0; f < hull.faces.size(); ++f) hull.inner = std::min(hull.inner, hull.offsets[f] - dot(hull.normals[f], hull.centre));
  for (const Vec3d& v : hull.vertices) hull.outer = std::max(hull.outer, length(v - hull.centre));
}

void requirePoints(const std::vector<Vec3d>& points) {
  if (points.size() < 4) refuse("points", text("must be four at least, are {}", points.size()));
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3d p = points[i];
    if (!isFinite(p)) refuse("points", text("must be finite, number {} is [{}, {}, {}]", i, p.x, p.y, p.z));
    const double most = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    if (!(most <= kLargestMagnitude))
      refuse("points", text("must be at most {} in size, number {} is [{}, {}, {}]", kLargestMagnitude, i, p.x, p.y, p.z));
  }
}

}  // namespace

std::shared_ptr<const ConvexHull> makeHull(const std::vector<Vec3d>& points, int maxVertices) {
  if (maxVertices != 0 && (maxVertices < 4 || maxVertices > kMostHullVertices))
    refuse("max_vertices", text("must be 0 or a whole number from 4 to {}, is {}", kMostHullVertices, maxVertices));
  requirePoints(points);
  Vec3d low = points[0], high = points[0];
  for (const Vec3d& p : points) low = minOf(low, p), high = maxOf(high, p);
  const Vec3d middle = 0.5 * low + 0.5 * high, half = 0.5 * high - 0.5 * low;
  const double size = std::max({half.x, half.y, half.z});
  if (!(size > 0) || !std::isfinite(1 / size)) refuse("points", text("must not lie in one place, all {} do", points.size()));
  std::vector<Vec3d> scaled;
  scaled.reserve(points.size());
  for (const Vec3d& p : points) scaled.push_back({(p.x - middle.x) / size, (p.y - middle.y) / size, (p.z - middle.z) / size});
  ConvexHull hull = soundHull(scaled);
  if (hull.faces.empty()) refuse("points", text("must not lie in one plane, or nearly so: the {} have no hull", points.size()));
  double wholeVolume = 0;
  const size_t most = static_cast<size_t>(maxVertices == 0 ? kMostHullVertices : maxVertices), corners = hull.vertices.size();
  if (corners > most) {
    if (maxVertices == 0) refuse("points", text("their hull must have at most {} corners, has {}: max_vertices simplifies it", most, corners));
    measure(hull);
    wholeVolume = hull.volume * size * size * size;
    hull = simplified(hull, most);
  }
  // Scaled back they would not be the same points to the bit.
  for (Vec3d& v : hull.vertices) {
    const auto is = [&](Vec3d p) { return p.x == v.x && p.y == v.y && p.z == v.z; };
    v = points[static_cast<size_t>(std::find_if(scaled.begin(), scaled.end(), is) - scaled.begin())];
  }
  findOffsets(hull);
  measure(hull);
  hull.wholeVolume = corners > most ? wholeVolume : hull.volume;
  if (!(hull.volume > 0)) refuse("points", text("must not lie so close together: the volume of their hull is {} m^3", hull.volume));
  if (!(hull.inner > kFlattest * hull.outer)) {
    refuse("points",
           text("their hull must not be so flat: half its thickness is {} of its radius, must be more than {}", hull.inner / hull.outer, kFlattest));
  }
  return std::make_shared<const ConvexHull>(std::move(hull));
}

bool HullSource::isOf(const std::vector<Vec3d>& others, int most) const {
  const auto same = [](Vec3d a, Vec3d b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
  return most == maxVertices && std::equal(points.begin(), points.end(), others.begin(), others.end(), same);
}

std::shared_ptr<const ConvexHull> hullOf(const ShapeDef& shape) {
  if (shape.made != nullptr && shape.made->isOf(shape.points, shape.maxVertices)) return shape.made->hull;
  return makeHull(shape.points, shape.maxVertices);
}

ShapeDef ShapeDef::hull(std::vector<Vec3d> points, int maxVertices) {
  ShapeDef shape;
  shape.type = ShapeType::Hull;
  shape.points = std::move(points);
  shape.maxVertices = maxVertices;
  try {
    shape.made = std::make_shared<const HullSource>(HullSource{shape.points, maxVertices, makeHull(shape.points, maxVertices)});
  } catch (const InvalidInput&) {  // validate says it, with the place of the shape
  }
  return shape;
}

}  // namespace cairn::v0
