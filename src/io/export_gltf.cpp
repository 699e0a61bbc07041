// glTF 2.0 (Khronos, 2017; ISO/IEC 12113): one buffer, in which each surface has three views: positions, normals, corners. A mesh is a surface with a
// material, so that bodies of one shape and colour share it, and those of one shape share the numbers.
#include "src/io/export_gltf.hpp"

#include "src/io/report_json.hpp"
#include "src/io/shape_surface.hpp"

#include <cairn/error.hpp>
#include <cairn/names.hpp>
#include <cairn/version.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

namespace cairn::v0 {
namespace {

constexpr int kFloat = 5126, kUint16 = 5123, kUint32 = 5125, kArrayBuffer = 34962, kElementBuffer = 34963;
constexpr uint32_t kMagic = 0x46546c67, kVersion = 2, kJsonChunk = 0x4e4f534a, kBinaryChunk = 0x004e4942;

struct Colour {
  const char* name;
  std::array<double, 3> rgb;  // as on a screen (sRGB), 0 to 1
};
// Of dynamic bodies by turns: as bright as each other, none shouts. What does not move freely is grey.
constexpr Colour kColours[] = {{"sand", {0.87, 0.74, 0.50}},  {"slate blue", {0.45, 0.57, 0.75}}, {"sage", {0.55, 0.70, 0.53}},
                               {"clay", {0.80, 0.52, 0.42}},  {"lilac", {0.66, 0.58, 0.76}},      {"teal", {0.42, 0.67, 0.68}},
                               {"straw", {0.83, 0.80, 0.47}}, {"rose", {0.80, 0.58, 0.63}},       {"stone", {0.64, 0.63, 0.58}}};
constexpr Colour kFixed{"fixed", {0.72, 0.73, 0.75}}, kDriven{"kinematic", {0.50, 0.53, 0.58}};
constexpr int kOpenSides = 1000;  // added to a colour's number: seen from both sides

double linear(double shown) { return shown <= 0.04045 ? shown / 12.92 : std::pow((shown + 0.055) / 1.055, 2.4); }

Json triple(Vec3d v) { return Json::array({v.x, v.y, v.z}); }
Json quadruple(Quatd q) { return Json::array({q.x, q.y, q.z, q.w}); }

bool isOrigin(const Posed& pose) { return length(pose.p) == 0 && pose.q.x == 0 && pose.q.y == 0 && pose.q.z == 0; }

void place(Json& node, const Posed& pose) {
  if (length(pose.p) > 0) node["translation"] = triple(pose.p);
  if (pose.q.x != 0 || pose.q.y != 0 || pose.q.z != 0) node["rotation"] = quadruple(normalized(pose.q));
}

// Numbers one behind the other, each view at a multiple of four.
class Bytes {
 public:
  template <class T> void add(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void align() { bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0'); }
  size_t size() const { return bytes_.size(); }
  const std::string& text() const { return bytes_; }

 private:
  std::string bytes_;
};

std::string base64(const std::string& bytes) {
  static const char* const kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k) three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : kDigits[three >> (18 - 6 * k) & 63];
  }
  return text;
}

class Document {
 public:
  explicit Document(const ExportedState& state) : state_(state) { findMiddle(); }

  Json json() {
    Json roots = Json::array();
    for (size_t i = 0; i < state_.scene.bodies.size(); ++i) roots.push_back(addBody(i));
    // What a scene calls up is +y there: the whole is turned.
    Json top{{"name", state_.scene.name.empty() ? "scene" : state_.scene.name}};
    const Vec3d up = normalizedOr(-1.0 * state_.scene.gravity, Vec3d{0, 1, 0});
    place(top, {{0, 0, 0}, toY(up)});
    if (!roots.empty()) top["children"] = std::move(roots);
    nodes_.push_back(std::move(top));

    Json json{{"asset", {{"version", "2.0"}, {"generator", std::string("cairn ") + CAIRN_VERSION_STRING}}},
              {"scene", 0},
              {"scenes", Json::array({{{"nodes", {nodes_.size() - 1}}, {"extras", {{"time_s", state_.time}}}}})},
              {"nodes", nodes_}};
    if (meshes_.empty()) return json;  // empty lists are not allowed
    json["meshes"] = meshes_;
    json["materials"] = materials_;
    json["accessors"] = accessors_;
    json["bufferViews"] = views_;
    return json;
  }
  const std::string& bytes() const { return bytes_.text(); }

 private:
  // The shortest turn that takes the unit vector to +y.
  static Quatd toY(Vec3d up) {
    if (up.y < -1 + 1e-9) return {1, 0, 0, 0};
    return normalized(Quatd{-up.z, 0, up.x, 1 + up.y});
  }

  // Half-spaces are drawn as squares below what is there.
  void findMiddle() {
    Vec3d low{0, 0, 0}, high{0, 0, 0};
    bool any = false;
    for (size_t i = 0; i < state_.scene.bodies.size(); ++i) {
      const std::vector<ShapeDef>& shapes = state_.scene.bodies[i].shapes;
      const auto isPlane = [](const ShapeDef& shape) { return shape.type == ShapeType::HalfSpace; };
      if (!shapes.empty() && std::all_of(shapes.begin(), shapes.end(), isPlane)) continue;
      const Vec3d p = state_.states[i].pose.p;
      low = any ? Vec3d{std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)} : p;
      high = any ? Vec3d{std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)} : p;
      any = true;
    }
    middle_ = 0.5 * (low + high);
    reach_ = std::max(5.0, 1.5 * length(high - low));
  }

  size_t addBody(size_t i) {
    const BodyDef& body = state_.scene.bodies[i];
    Json node{{"name", body.name.empty() ? "body-" + std::to_string(i) : body.name}};
    place(node, state_.states[i].pose);
    Json children = Json::array();
    for (size_t s = 0; s < body.shapes.size(); ++s) {
      const ShapeDef& shape = body.shapes[s];
      if (shape.sensor) continue;
      const size_t mesh = meshOf(shape, colourOf(body, i));
      const bool plane = shape.type == ShapeType::HalfSpace;
      if (body.shapes.size() == 1 && !plane && isOrigin(shape.localPose)) {
        node["mesh"] = mesh;
        continue;
      }
      Posed pose = shape.localPose;
      Json child{{"name", node["name"].get<std::string>() + "/" + std::to_string(s)}, {"mesh", mesh}};
      if (plane) {
        const Vec3d below = inverseTransform(state_.states[i].pose * shape.localPose, middle_);
        pose.p = transform(shape.localPose, Vec3d{below.x, 0, below.z});
        child["scale"] = Json::array({reach_, 1, reach_});
      }
      place(child, pose);
      children.push_back(nodes_.size());
      nodes_.push_back(std::move(child));
    }
    if (!children.empty()) node["children"] = std::move(children);
    nodes_.push_back(std::move(node));
    return nodes_.size() - 1;
  }

  static int colourOf(const BodyDef& body, size_t i) {
    constexpr int kCount = static_cast<int>(std::size(kColours));
    if (body.type == BodyType::Static) return kCount;
    if (body.type == BodyType::Kinematic) return kCount + 1;
    return static_cast<int>(i * 5 % static_cast<size_t>(kCount));  // neighbours in the list are not neighbours here
  }

  size_t materialOf(int colour) {
    if (const auto known = materialNumbers_.find(colour); known != materialNumbers_.end()) return known->second;
    constexpr int kCount = static_cast<int>(std::size(kColours));
    const int number = colour % kOpenSides;
    const Colour& c = number < kCount ? kColours[number] : number == kCount ? kFixed : kDriven;
    Json material{
        {"name", std::string(c.name) + (colour >= kOpenSides ? ", both sides" : "")},
        {"pbrMetallicRoughness",
         {{"baseColorFactor", {linear(c.rgb[0]), linear(c.rgb[1]), linear(c.rgb[2]), 1.0}}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.75}}}};
    if (colour >= kOpenSides) material["doubleSided"] = true;
    materials_.push_back(std::move(material));
    return materialNumbers_[colour] = materials_.size() - 1;
  }

  size_t meshOf(const ShapeDef& shape, int colour) {
    const bool open = shape.type == ShapeType::HalfSpace || shape.type == ShapeType::HeightField || (shape.type == ShapeType::Mesh && !shape.solid);
    const size_t material = materialOf(open ? colour + kOpenSides : colour), surface = surfaceNumber(shape);
    const auto [place, isNew] = meshNumbers_.try_emplace({surface, material}, meshes_.size());
    if (isNew) {
      const Json primitive{
          {"attributes", {{"POSITION", 3 * surface}, {"NORMAL", 3 * surface + 1}}}, {"indices", 3 * surface + 2}, {"material", material}};
      meshes_.push_back({{"name", nameOf(shape.type)}, {"primitives", Json::array({primitive})}});
    }
    return place->second;
  }

  // Copies of a shape share their mesh's pointer: comparing them is quick.
  size_t surfaceNumber(const ShapeDef& shape) {
    const void* shared = shape.type == ShapeType::Mesh          ? static_cast<const void*>(shape.triangles.get())
                         : shape.type == ShapeType::HeightField ? static_cast<const void*>(shape.heights.get())
                                                                : nullptr;
    if (const auto known = sharedNumbers_.find(shared); shared != nullptr && known != sharedNumbers_.end()) return known->second;
    const auto [place, isNew] = surfaceNumbers_.try_emplace(surfaceKey(shape), surfaceNumbers_.size());
    if (isNew) addSurface(surfaceOf(shape));
    if (shared != nullptr) sharedNumbers_[shared] = place->second;
    return place->second;
  }

  void addSurface(const ShapeSurface& surface) {
    std::array<float, 3> low, high;
    low.fill(std::numeric_limits<float>::max());
    high.fill(std::numeric_limits<float>::lowest());
    const auto vectors = [&](const std::vector<Vec3d>& list, bool bounds) {
      const size_t from = bytes_.size();
      for (const Vec3d& v : list) {
        const std::array<float, 3> stored{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
        bytes_.add(stored);
        for (size_t k = 0; bounds && k < 3; ++k) {
          low[k] = std::min(low[k], stored[k]);
          high[k] = std::max(high[k], stored[k]);
        }
      }
      addView(from, kArrayBuffer);
      accessors_.push_back({{"bufferView", views_.size() - 1}, {"componentType", kFloat}, {"count", list.size()}, {"type", "VEC3"}});
    };
    vectors(surface.points, true);
    accessors_.back()["min"] = low;
    accessors_.back()["max"] = high;
    vectors(surface.normals, false);
    const bool small = surface.points.size() < 65535;  // the largest number of a type restarts a strip
    const size_t from = bytes_.size();
    for (const auto& t : surface.triangles) {
      for (const uint32_t corner : t) small ? bytes_.add(static_cast<uint16_t>(corner)) : bytes_.add(corner);
    }
    addView(from, kElementBuffer);
    accessors_.push_back({{"bufferView", views_.size() - 1},
                          {"componentType", small ? kUint16 : kUint32},
                          {"count", 3 * surface.triangles.size()},
                          {"type", "SCALAR"}});
  }

  void addView(size_t from, int target) {
    views_.push_back({{"buffer", 0}, {"byteOffset", from}, {"byteLength", bytes_.size() - from}, {"target", target}});
    bytes_.align();
  }

  const ExportedState& state_;
  Vec3d middle_{0, 0, 0};
  double reach_ = 5;
  Json nodes_ = Json::array(), meshes_ = Json::array(), materials_ = Json::array(), accessors_ = Json::array(), views_ = Json::array();
  Bytes bytes_;
  std::map<std::string, size_t> surfaceNumbers_;
  std::map<const void*, size_t> sharedNumbers_;
  std::map<std::pair<size_t, size_t>, size_t> meshNumbers_;
  std::map<int, size_t> materialNumbers_;
};

void addWord(std::string& bytes, uint32_t word) { bytes.append(reinterpret_cast<const char*>(&word), sizeof word); }

}  // namespace

std::string gltfOf(const ExportedState& state, bool binary) {
  Document document(state);
  Json json = document.json();
  const std::string& numbers = document.bytes();
  if (numbers.size() > std::numeric_limits<uint32_t>::max() / 2)
    throw InvalidInput("glTF", "has no numbers for more than 4 GiB, which these meshes need");
  if (!numbers.empty()) {
    Json buffer{{"byteLength", numbers.size()}};
    if (!binary) buffer["uri"] = "data:application/octet-stream;base64," + base64(numbers);
    json["buffers"] = Json::array({buffer});
  }
  if (!binary) return json.dump(1) + "\n";
  std::string text = json.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const size_t size = 12 + 8 + text.size() + (numbers.empty() ? 0 : 8 + numbers.size());
  if (size > std::numeric_limits<uint32_t>::max()) throw InvalidInput("glTF", "has no numbers for more than 4 GiB, which this scene needs");
  std::string bytes;
  bytes.reserve(size);
  for (const uint32_t word : {kMagic, kVersion, static_cast<uint32_t>(size), static_cast<uint32_t>(text.size()), kJsonChunk}) addWord(bytes, word);
  bytes += text;
  if (numbers.empty()) return bytes;
  addWord(bytes, static_cast<uint32_t>(numbers.size()));
  addWord(bytes, kBinaryChunk);
  return bytes + numbers;
}

}  // namespace cairn::v0
