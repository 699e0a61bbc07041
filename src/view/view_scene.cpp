#include "src/view/view_scene.hpp"

#include "src/scene/convex_hull.hpp"
#include "src/view/packing.hpp"

#include <cairn/height_field.hpp>
#include <cairn/mesh.hpp>
#include <cairn/names.hpp>
#include <cairn/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>

namespace cairn::v0 {
namespace {

constexpr int kMostSamples = 512;  // of a height field along an axis: what has more is shown coarser

// Six digits are enough for what is looked at.
std::string numbers(std::initializer_list<double> values) {
  std::string text;
  for (const double value : values) text += fmt::format("{}{:.6g}", text.empty() ? "" : ",", value);
  return text;
}

std::string pose(const Posed& p) { return numbers({p.p.x, p.p.y, p.p.z, p.q.x, p.q.y, p.q.z, p.q.w}); }

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

std::string named(const std::string& name, const char* kind, size_t number) {
  return quoted(name.empty() ? fmt::format("{}-{}", kind, number) : name);
}

template <class Number> std::string packed(const std::vector<Number>& values) {
  return base64(std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)));
}

TriangleMesh triangulated(const ConvexHull& hull) {
  TriangleMesh mesh;
  mesh.vertices = hull.vertices;
  for (const std::vector<int>& face : hull.faces) {
    for (size_t k = 2; k < face.size(); ++k) mesh.triangles.push_back({face[0], face[k - 1], face[k]});
  }
  return mesh;
}

HeightField coarser(const HeightField& field) {
  const int stride = (std::max(field.columns, field.rows) - 1) / kMostSamples + 1;
  HeightField out;
  out.columns = (field.columns - 1) / stride + 1;
  out.rows = (field.rows - 1) / stride + 1;
  // The last samples stay the last, so that the surface keeps its borders.
  const auto along = [](int k, int count, int of) { return count > 1 ? static_cast<int>(int64_t(k) * (of - 1) / (count - 1)) : 0; };
  out.spacing = {field.spacing[0] * (field.columns - 1) / (out.columns - 1), field.spacing[1] * (field.rows - 1) / (out.rows - 1)};
  for (int row = 0; row < out.rows; ++row) {
    for (int column = 0; column < out.columns; ++column) {
      out.heights.push_back(field.sample(along(row, out.rows, field.rows), along(column, out.columns, field.columns)).y);
    }
  }
  return out;
}

// Surfaces that shapes share are there once.
class Surfaces {
 public:
  // The number of the shape's surface; -1: its type says it all.
  int of(const ShapeDef& shape) {
    if (shape.type == ShapeType::Hull) {
      std::shared_ptr<const ConvexHull> hull = hullOf(shape);
      const auto [at, fresh] = known_.emplace(hull.get(), list_.size());
      if (fresh) add(triangulated(*hull), "hull", false);
      kept_.push_back(std::move(hull));
      return static_cast<int>(at->second);
    }
    if (shape.type == ShapeType::Mesh) {
      const auto [at, fresh] = known_.emplace(shape.triangles.get(), list_.size());
      if (fresh) add(*shape.triangles, "mesh", shape.twoSided);
      return static_cast<int>(at->second);
    }
    if (shape.type == ShapeType::HeightField) {
      const auto [at, fresh] = known_.emplace(shape.heights.get(), list_.size());
      if (fresh) add(cairn::triangulated(coarser(*shape.heights)), "height field", false);
      return static_cast<int>(at->second);
    }
    return -1;
  }
  std::string json() const { return fmt::format("[{}]", fmt::join(list_, ",\n")); }

 private:
  void add(const TriangleMesh& mesh, const char* kind, bool twoSided) {
    std::vector<float> vertices;
    std::vector<int32_t> corners;
    for (const Vec3d& v : mesh.vertices) vertices.insert(vertices.end(), {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
    for (const std::array<int32_t, 3>& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
    list_.push_back(
        fmt::format(R"({{"kind":"{}","twoSided":{},"vertices":"{}","triangles":"{}"}})", kind, twoSided, packed(vertices), packed(corners)));
  }

  std::map<const void*, size_t> known_;
  std::vector<std::shared_ptr<const ConvexHull>> kept_;  // so that no other hull gets its address
  std::vector<std::string> list_;
};

// [type, pose of seven, x, y, z half extents or radii, half height, surface, sensor]
std::string shapeJson(const ShapeDef& shape, Surfaces& surfaces) {
  Vec3d size{shape.radius, shape.radius, shape.radius};
  double halfHeight = 0;
  switch (shape.type) {
    case ShapeType::Box:
    case ShapeType::Ellipsoid:
      size = shape.halfExtents;
      break;
    case ShapeType::Capsule:
      halfHeight = shape.halfHeight;
      break;
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      size.y = shape.halfHeight;
      break;
    case ShapeType::Sphere:
      break;
    default:
      size = {1, 1, 1};
  }
  return fmt::format(R"(["{}",{},{},{},{}])", nameOf(shape.type), pose(shape.localPose), numbers({size.x, size.y, size.z, halfHeight}),
                     surfaces.of(shape), shape.sensor ? 1 : 0);
}

}  // namespace

std::string describeScene(const Scene& scene, const ViewDescription& d) {
  Surfaces surfaces;
  std::string out;
  const auto put = [&out](const char* text, const auto&... values) { fmt::format_to(std::back_inserter(out), fmt::runtime(text), values...); };
  const Vec3d g = scene.gravity, o = d.units.origin;
  put("{{\"format\":\"cairn-view-1\",\"program\":{},\"title\":{},\"live\":{},\n", quoted(std::string("cairn ") + version()), quoted(d.title), d.live);
  put("\"gravity\":[{}],\"origin\":[{}],", numbers({g.x, g.y, g.z}), fmt::format("{},{},{}", o.x, o.y, o.z));
  put("\"units\":{{\"length\":{},\"speed\":{},\"quaternion\":{}}},\"frameTime\":{},\n", d.units.length, d.units.speed, kQuaternionUnit, d.frameTime);
  put("\"channels\":{{\"asleep\":{},\"forces\":{},\"islands\":{},\"colours\":{},\"joints\":{},\"contacts\":{}}},\"mostContacts\":{},\n",
      d.channels.asleep, d.channels.forces, d.channels.islands, d.channels.colours, d.channels.joints, d.channels.contacts, d.mostContacts);
  out += "\"bodies\":[";
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDef& body = scene.bodies[i];
    put("{}{{\"name\":{},\"type\":\"{}\",\"shapes\":[", i == 0 ? "" : ",\n", named(body.name, "body", i), nameOf(body.type));
    for (size_t k = 0; k < body.shapes.size(); ++k) put("{}{}", k == 0 ? "" : ",", shapeJson(body.shapes[k], surfaces));
    out += "]}";
  }
  put("],\n\"surfaces\":{},\n\"joints\":[", surfaces.json());
  for (size_t i = 0; i < scene.joints.size(); ++i) {
    const JointDef& joint = scene.joints[i];
    put("{}{{\"name\":{},\"type\":\"{}\",\"a\":{},\"b\":{},\"frameA\":[{}],\"frameB\":[{}]}}", i == 0 ? "" : ",\n", named(joint.name, "joint", i),
        nameOf(joint.type), joint.bodyA, joint.bodyB, pose(joint.frameA), pose(joint.frameB));
  }
  out += "]}";
  return out;
}

}  // namespace cairn::v0
