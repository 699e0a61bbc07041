// Scenes as JSON, in both directions. Schema: docs/scene-format.md.
//
// Text becomes a tree (syntax, duplicate keys, overflowing numbers), the tree becomes a Scene (keys, types, names), the
// Scene is validated (ranges): nothing is returned before all three agree.
#include "src/io/scene_json.hpp"

#include <cairn/error.hpp>
#include <cairn/height_field.hpp>
#include <cairn/names.hpp>
#include <cairn/scene.hpp>

#include "src/io/height_sources.hpp"
#include "src/io/hull_files.hpp"
#include "src/io/json_fields.hpp"
#include "src/io/mesh_sources.hpp"
#include "src/io/scene_json_joints.hpp"
#include "src/scene/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace cairn::v0 {
namespace {

using nlohmann::json;

// --- text to tree ----------------------------------------------------------------------------------------------

// Receives nlohmann's parse events. It exists because the library's own tree builder keeps the last of two equal keys in
// silence, and because only here is it known where in the tree a number overflows.
class TreeBuilder : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(const std::string& text, const std::string& source) : text_(text), source_(source) {}

  json root;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = std::move(name);
    if (level.node->contains(level.key)) throw InvalidInput(source_ + ": " + pointer(), "is there twice; keys of an object must be unique");
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) override {
    if (error.id == 406) throw InvalidInput(source_ + ": " + pointer(), fmt::format("{} is beyond the range of a double", token));
    // Line and column of the last character read, which is past the end of a text that ends too early.
    const size_t read = std::min(position == 0 ? 0 : position - 1, text_.size());
    const size_t line = 1 + size_t(std::count(text_.begin(), text_.begin() + long(read), '\n'));
    const size_t lineBegin = read == 0 ? std::string::npos : text_.rfind('\n', read - 1);
    const size_t column = lineBegin == std::string::npos ? read + 1 : read - lineBegin;
    // The library says "[json...] parse error at line 1, column 2: syntax error while ...". Our message has the place already: the rest is the
    // reason.
    std::string reason = error.what();
    const size_t from = reason.find("column ");
    const size_t colon = from == std::string::npos ? from : reason.find(": ", from);
    if (colon != std::string::npos) reason.erase(0, colon + 2);
    throw InvalidInput(fmt::format("{}:{}:{}", source_, line, column), reason);
  }

 private:
  static constexpr size_t kMaxDepth = 64;
  struct Level {
    json* node;
    std::string key;  // of an object: the value that is being read
  };

  std::string pointer() const {
    std::string out;
    for (const Level& level : levels_)
      out += "/" + (level.node->is_object() ? escapedKey(level.key) : std::to_string(level.node->size() - (&level == &levels_.back() ? 0 : 1)));
    return out.empty() ? "/" : out;
  }
  template <class Value> json* insert(Value&& value) {
    if (levels_.empty()) return &(root = std::forward<Value>(value));
    Level& level = levels_.back();
    if (level.node->is_object()) return &((*level.node)[level.key] = std::forward<Value>(value));
    level.node->push_back(std::forward<Value>(value));
    return &level.node->back();
  }
  template <class Value> bool add(Value&& value) {
    insert(std::forward<Value>(value));
    return true;
  }
  bool open(json value) {
    if (levels_.size() == kMaxDepth) throw InvalidInput(source_ + ": " + pointer(), fmt::format("is nested deeper than {}", kMaxDepth));
    levels_.push_back({insert(std::move(value)), {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }

  const std::string& text_;
  const std::string& source_;
  std::vector<Level> levels_;
};

// --- tree to scene ---------------------------------------------------------------------------------------------

class SceneReader : private FieldReader {
 public:
  using FieldReader::FieldReader;

  Scene read(const json& root) {
    const Path top;
    checkKeys(root, top, {"version", "name", "gravity", "default_steps", "materials", "bodies", "joints"});
    Scene scene;
    if (const json* v = find(root, "version"))
      if (*v != 1) fail({&top, "version"}, "must be 1, is " + describe(*v));
    readString(root, "name", top, scene.name);
    readVector(root, "gravity", top, scene.gravity);
    readWhole(root, "default_steps", top, 1, std::numeric_limits<int>::max(), scene.defaultSteps);
    if (const json* v = find(root, "materials")) readMaterials(*v, {&top, "materials"});
    const json& bodies = required(root, "bodies", top);
    const Path path{&top, "bodies"};
    if (!bodies.is_array()) fail(path, "must be an array of bodies, is " + describe(bodies));
    scene.bodies.reserve(bodies.size());
    for (size_t i = 0; i < bodies.size(); ++i) scene.bodies.push_back(readBody(bodies[i], {&path, nullptr, i}));
    if (const json* joints = find(root, "joints")) readJoints(*joints, {&top, "joints"}, scene);
    return scene;
  }

 private:
  void readLocks(const json& object, const char* key, const Path& path, std::array<bool, 3>& out) const {
    const json* value = find(object, key);
    if (!value) return;
    const bool fits =
        value->is_array() && value->size() == 3 && std::all_of(value->begin(), value->end(), [](const json& v) { return v.is_boolean(); });
    if (!fits)
      fail({&path, key}, "must be an array of 3 booleans, is " +
                             (value->is_array() ? value->dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 60) : describe(*value)));
    for (size_t i = 0; i < 3; ++i) out[i] = (*value)[i].get<bool>();
  }

  // Six numbers, or the three moments where the products are zero.
  void readInertia(const json& object, const Path& path, Sym3<double>& out) const {
    constexpr char kKey[] = "inertia";
    const json& value = *find(object, kKey);
    const bool six = value.is_array() && value.size() == 6;
    if (!six && !(value.is_array() && value.size() == 3)) {
      fail({&path, kKey}, "must be an array of 3 or 6 numbers, is " + describe(value));
    }
    std::array<double, 6> numbers{};
    std::array<double, 3> moments{};
    if (six) {
      readNumbers(object, kKey, path, numbers);
    } else {
      readNumbers(object, kKey, path, moments);
      std::copy(moments.begin(), moments.end(), numbers.begin());
    }
    out = {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
  }

  // Ranges are checked here and not with the bodies, so that the message points at the material and unused ones are checked too.
  void readMaterials(const json& object, const Path& path) {
    if (!object.is_object()) fail(path, "must be an object of materials, is " + describe(object));
    for (const auto& item : object.items()) {
      const Path own{&path, item.key().c_str()};
      checkKeys(item.value(), own, {"friction", "restitution", "torsional_friction", "rolling_friction"});
      Material material;
      readNumber(item.value(), "friction", own, material.friction);
      readNumber(item.value(), "restitution", own, material.restitution);
      if (!(material.friction >= 0)) fail({&own, "friction"}, fmt::format("must be a finite number >= 0, is {}", material.friction));
      if (!(material.restitution >= 0 && material.restitution <= 1))
        fail({&own, "restitution"}, fmt::format("must be a number from 0 to 1, is {}", material.restitution));
      for (const auto& [key, value] :
           {std::pair{"torsional_friction", &material.torsionalFriction}, {"rolling_friction", &material.rollingFriction}}) {
        readNumber(item.value(), key, own, *value);
        if (!(*value >= 0 && *value <= kLargestMagnitude))
          fail({&own, key}, fmt::format("must be a number from 0 to {}, is {}", kLargestMagnitude, *value));
      }
      materials_[item.key()] = material;
    }
  }

  void readJoints(const json& array, const Path& path, Scene& scene) const {
    if (!array.is_array()) fail(path, "must be an array of joints, is " + describe(array));
    const JointReader reader(*this, scene);
    scene.joints.reserve(array.size());
    for (size_t i = 0; i < array.size(); ++i) scene.joints.push_back(reader.read(array[i], {&path, nullptr, i}));
  }

  BodyDef readBody(const json& object, const Path& path) const {
    checkKeys(object, path,
              {"name", "type", "position", "orientation", "linear_velocity", "angular_velocity", "mass", "inertia", "centre_of_mass",
               "linear_damping", "angular_damping", "gravity_scale", "lock_translation", "lock_rotation", "shapes"});
    BodyDef body;
    readString(object, "name", path, body.name);
    readName(object, "type", path, body.type);
    readPose(object, path, body.pose);
    readVector(object, "linear_velocity", path, body.linearVelocity);
    readVector(object, "angular_velocity", path, body.angularVelocity);
    if (find(object, "mass")) readNumber(object, "mass", path, body.mass.emplace());
    if (find(object, "inertia")) readInertia(object, path, body.inertia.emplace());
    if (find(object, "centre_of_mass")) readVector(object, "centre_of_mass", path, body.centreOfMass.emplace());
    readNumber(object, "linear_damping", path, body.linearDamping);
    readNumber(object, "angular_damping", path, body.angularDamping);
    readNumber(object, "gravity_scale", path, body.gravityScale);
    readLocks(object, "lock_translation", path, body.lockTranslation);
    readLocks(object, "lock_rotation", path, body.lockRotation);
    if (const json* shapes = find(object, "shapes")) {
      const Path array{&path, "shapes"};
      if (!shapes->is_array()) fail(array, "must be an array of shapes, is " + describe(*shapes));
      body.shapes.reserve(shapes->size());
      for (size_t i = 0; i < shapes->size(); ++i) body.shapes.push_back(readShape((*shapes)[i], {&array, nullptr, i}));
    }
    return body;
  }

  ShapeDef readShape(const json& object, const Path& path) const {
    if (!object.is_object()) fail(path, "must be an object, is " + describe(object));
    required(object, "type", path);
    ShapeDef shape;
    readName(object, "type", path, shape.type);
    switch (shape.type) {
      case ShapeType::Sphere:
        checkKeys(object, path, {"type", "position", "orientation", "radius", "density", "material", "filter", "sensor"});
        required(object, "radius", path);
        break;
      case ShapeType::Capsule:
      case ShapeType::Cylinder:
      case ShapeType::Cone:
        checkKeys(object, path, {"type", "position", "orientation", "radius", "half_height", "density", "material", "filter", "sensor"});
        required(object, "radius", path);
        required(object, "half_height", path);
        break;
      case ShapeType::Box:
        checkKeys(object, path, {"type", "position", "orientation", "half_extents", "density", "material", "filter", "sensor"});
        required(object, "half_extents", path);
        break;
      case ShapeType::Ellipsoid:
        checkKeys(object, path, {"type", "position", "orientation", "semi_axes", "density", "material", "filter", "sensor"});
        required(object, "semi_axes", path);
        break;
      case ShapeType::Hull:
        checkKeys(object, path,
                  {"type", "position", "orientation", "points", "file", "scale", "max_vertices", "density", "material", "filter", "sensor"});
        shape = readHull(object, path);
        break;
      case ShapeType::Mesh:
        checkKeys(object, path,
                  {"type", "position", "orientation", "file", "generator", "scale", "vertices", "triangles", "two_sided", "solid", "cell", "density",
                   "material", "filter"});
        shape = meshes_.mesh(*this, object, path);
        break;
      case ShapeType::HeightField:
        checkKeys(object, path, {"type", "position", "orientation", "spacing", "heights", "file", "height", "material", "filter"});
        shape = fields_.field(*this, object, path);
        break;
      case ShapeType::HalfSpace:
        checkKeys(object, path, {"type", "position", "orientation", "material", "filter"});
        break;
    }
    readPose(object, path, shape.localPose);
    readVector(object, shape.type == ShapeType::Ellipsoid ? "semi_axes" : "half_extents", path, shape.halfExtents);
    readNumber(object, "radius", path, shape.radius);
    readNumber(object, "half_height", path, shape.halfHeight);
    readNumber(object, "density", path, shape.density);
    if (find(object, "material")) readMaterial(object, path, shape.material);
    if (const json* filter = find(object, "filter")) readFilter(*filter, {&path, "filter"}, shape.filter);
    readBoolean(object, "sensor", path, shape.sensor);
    return shape;
  }

  ShapeDef readHull(const json& object, const Path& path) const {
    int most = 0;
    readWhole(object, "max_vertices", path, 0, std::numeric_limits<int>::max(), most);
    if (find(object, "file")) return files_.hull(*this, object, path, most);
    if (find(object, "scale")) fail({&path, "scale"}, "is for a hull from a file");
    return ShapeDef::hull(readPoints(object, "points", path), most);
  }

  void readMaterial(const json& shape, const Path& path, Material& out) const {
    std::string name;
    readString(shape, "material", path, name);
    const auto found = materials_.find(name);
    if (found == materials_.end()) {
      std::vector<std::string> known;
      for (const auto& entry : materials_) known.push_back(entry.first);
      const std::string others = known.empty() ? ", the scene has none" : fmt::format("; there are {}", fmt::join(known, ", "));
      fail({&path, "material"}, "there is no material " + describe(name) + others);
    }
    out = found->second;
  }

  void readFilter(const json& object, const Path& path, CollisionFilter& out) const {
    constexpr int64_t kMaxBits = 0xffffffffll;
    checkKeys(object, path, {"category", "mask", "group"});
    readWhole(object, "category", path, 0, kMaxBits, out.category);
    readWhole(object, "mask", path, 0, kMaxBits, out.mask);
    readWhole(object, "group", path, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), out.group);
  }

  std::map<std::string, Material> materials_;
  HeightSources fields_;
  HullFiles files_;
  MeshSources meshes_;
};

// --- scene to text ---------------------------------------------------------------------------------------------

// One line a body and a joint, keys with default values left out.
class SceneWriter : private FieldWriter {
 public:
  std::string write(const Scene& scene) {
    collectMaterials(scene);
    put("{{\n \"version\": 1,\n");
    if (!scene.name.empty()) put(" \"name\": {},\n", quoted(scene.name));
    put(" \"gravity\": {},\n \"default_steps\": {},\n", numbers(scene.gravity), scene.defaultSteps);
    if (!materials_.empty()) {
      put(" \"materials\": {{");
      const char* separator = "\n";
      for (const auto& [values, name] : materials_) {
        put("{}  {}: {{\"friction\": {}, \"restitution\": {}", separator, quoted(name), number(values[0]), number(values[1]));
        if (values[2] != 0) put(", \"torsional_friction\": {}", number(values[2]));
        if (values[3] != 0) put(", \"rolling_friction\": {}", number(values[3]));
        put("}}");
        separator = ",\n";
      }
      put("\n }},\n");
    }
    put(" \"bodies\": [");
    for (size_t i = 0; i < scene.bodies.size(); ++i) {
      put(i == 0 ? "\n  " : ",\n  ");
      writeBody(scene.bodies[i]);
    }
    put("\n ]");
    if (!scene.joints.empty()) put(",\n \"joints\": [");
    for (size_t i = 0; i < scene.joints.size(); ++i) {
      put(i == 0 ? "\n  " : ",\n  ");
      writeJoint(*this, scene, int(i));
    }
    put(scene.joints.empty() ? "\n}}\n" : "\n ]\n}}\n");
    return text();
  }

 private:
  void writeLocks(bool& first, const char* name, const std::array<bool, 3>& locks) {
    if (!locks[0] && !locks[1] && !locks[2]) return;
    key(first, name);
    put("[{}, {}, {}]", locks[0], locks[1], locks[2]);
  }

  void writeInertia(bool& first, const Sym3<double>& i) {
    key(first, "inertia");
    put("[{}, {}, {}", number(i.xx), number(i.yy), number(i.zz));
    const bool products = !isPlusZero(i.xy) || !isPlusZero(i.xz) || !isPlusZero(i.yz);
    if (products) put(", {}, {}, {}", number(i.xy), number(i.xz), number(i.yz));
    put("]");
  }

  using MaterialValues = std::array<double, 4>;
  static MaterialValues valuesOf(const Material& m) { return {m.friction, m.restitution, m.torsionalFriction, m.rollingFriction}; }
  void collectMaterials(const Scene& scene) {
    const auto standard = valuesOf(Material());
    for (const BodyDef& body : scene.bodies)
      for (const ShapeDef& shape : body.shapes)
        if (const auto values = valuesOf(shape.material); values != standard)
          materials_.emplace(values, fmt::format("material-{}", materials_.size() + 1));
  }

  void writeBody(const BodyDef& body) {
    const BodyDef standard;
    bool first = true;
    if (!body.name.empty()) {
      key(first, "name");
      put("{}", quoted(body.name));
    }
    key(first, "type");
    put("\"{}\"", nameOf(body.type));
    writePose(first, body.pose);
    writeVector(first, "linear_velocity", body.linearVelocity);
    writeVector(first, "angular_velocity", body.angularVelocity);
    if (body.mass) writeNumber(first, "mass", *body.mass);
    if (body.inertia) writeInertia(first, *body.inertia);
    if (body.centreOfMass) {
      key(first, "centre_of_mass");
      put("{}", numbers(*body.centreOfMass));
    }
    writeNonZero(first, "linear_damping", body.linearDamping);
    writeNonZero(first, "angular_damping", body.angularDamping);
    if (body.gravityScale != standard.gravityScale) writeNumber(first, "gravity_scale", body.gravityScale);
    writeLocks(first, "lock_translation", body.lockTranslation);
    writeLocks(first, "lock_rotation", body.lockRotation);
    key(first, "shapes");
    put("[");
    for (size_t i = 0; i < body.shapes.size(); ++i) {
      if (i > 0) put(", ");
      writeShape(body.shapes[i]);
    }
    put("]}}");
  }

  void writeMesh(bool& first, const ShapeDef& shape) {
    key(first, "vertices");
    const char* separator = "[";
    for (const Vec3d& p : shape.triangles->vertices) {
      put("{}{}", separator, numbers(p));
      separator = ", ";
    }
    put("]");
    key(first, "triangles");
    separator = "[";
    for (const auto& t : shape.triangles->triangles) {
      put("{}[{}, {}, {}]", separator, t[0], t[1], t[2]);
      separator = ", ";
    }
    put("]");
    if (shape.solid) {
      key(first, "solid");
      put("true");
      if (shape.cell != 0) writeNumber(first, "cell", shape.cell);
    }
    if (!shape.twoSided) return;
    key(first, "two_sided");
    put("true");
  }

  void writeHeightField(bool& first, const HeightField& field) {
    key(first, "spacing");
    put("[{}, {}]", number(field.spacing[0]), number(field.spacing[1]));
    key(first, "heights");
    const char* separator = "[[";
    for (int row = 0; row < field.rows; ++row) {
      for (int column = 0; column < field.columns; ++column) {
        put("{}{}", separator, number(field.sample(row, column).y));
        separator = ", ";
      }
      separator = "], [";
    }
    put("]]");
  }

  void writeShape(const ShapeDef& shape) {
    const ShapeDef standard;
    bool first = true;
    key(first, "type");
    put("\"{}\"", nameOf(shape.type));
    writePose(first, shape.localPose);
    if (shape.type == ShapeType::Box || shape.type == ShapeType::Ellipsoid) {
      key(first, shape.type == ShapeType::Box ? "half_extents" : "semi_axes");
      put("{}", numbers(shape.halfExtents));
    }
    if (shape.type == ShapeType::Hull) {
      key(first, "points");
      put("[");
      for (size_t i = 0; i < shape.points.size(); ++i) put("{}{}", i > 0 ? ", " : "", numbers(shape.points[i]));
      put("]");
      if (shape.maxVertices != 0) {
        key(first, "max_vertices");
        put("{}", shape.maxVertices);
      }
    }
    if (shape.type == ShapeType::Mesh) writeMesh(first, shape);
    if (shape.type == ShapeType::HeightField) writeHeightField(first, *shape.heights);
    const bool hasAxis = shape.type == ShapeType::Capsule || shape.type == ShapeType::Cylinder || shape.type == ShapeType::Cone;
    if (shape.type == ShapeType::Sphere || hasAxis) writeNumber(first, "radius", shape.radius);
    if (hasAxis) writeNumber(first, "half_height", shape.halfHeight);
    const bool weighs = shape.type != ShapeType::HalfSpace && (!isSurface(shape) || shape.solid);
    if (weighs && shape.density != standard.density) writeNumber(first, "density", shape.density);
    if (const auto found = materials_.find(valuesOf(shape.material)); found != materials_.end()) {
      key(first, "material");
      put("\"{}\"", found->second);
    }
    const CollisionFilter f = shape.filter, usual;
    if (f.category != usual.category || f.mask != usual.mask || f.group != usual.group) {
      key(first, "filter");
      put("{{\"category\": {}, \"mask\": {}, \"group\": {}}}", f.category, f.mask, f.group);
    }
    if (shape.sensor) {
      key(first, "sensor");
      put("true");
    }
    put("}}");
  }

  std::map<MaterialValues, std::string> materials_;
};

}  // namespace

json parseStrictJson(const std::string& text, const std::string& source) {
  TreeBuilder builder(text, source);
  json::sax_parse(text, &builder);
  return std::move(builder.root);
}

Scene parseScene(const std::string& text, const std::string& source) {
  Scene scene = SceneReader(source).read(parseStrictJson(text, source));
  validate(scene, source);
  return scene;
}

std::string writeScene(const Scene& scene) {
  validate(scene);
  return SceneWriter().write(scene);
}

}  // namespace cairn::v0
