// loadScene: from a file or from a generator with parameters.
#include "scenes/scene_library.hpp"

#include "src/io/suggestion.hpp"
#include "src/scene/text.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cairn::v0 {
namespace scenes {

Quatd aboutZ(double angle) {
  const SinCos<double> half = sinCos(0.5 * angle);
  return {0, 0, half.sine, half.cosine};
}

Quatd rotationBetween(Vec3d from, Vec3d to) {
  const Vec3d axis = cross(from, to);
  const double w = 1 + dot(from, to);
  if (w > 1e-12) return normalized(Quatd{axis.x, axis.y, axis.z, w});
  // Opposite directions: half a turn about any axis across.
  Vec3d t1, t2;
  tangentFrame(from, t1, t2);
  return {t1.x, t1.y, t1.z, 0};
}

ShapeDef capsuleAlong(Vec3d a, Vec3d b, double radius) {
  const Vec3d along = b - a;
  ShapeDef capsule = ShapeDef::capsule(radius, 0.5 * length(along));
  capsule.localPose = {0.5 * (a + b), rotationBetween({0, 1, 0}, normalizedOr(along, Vec3d{0, 1, 0}))};
  return capsule;
}

ShapeDef boxAt(Vec3d centre, Vec3d halfExtents) {
  ShapeDef box = ShapeDef::box(halfExtents);
  box.localPose.p = centre;
  return box;
}

void addPrism(BodyDef& body, int sides, double apothem, double halfWidth, double density) {
  const SinCos<double> half = sinCos(kPi / sides);
  const double halfSide = apothem * half.sine / half.cosine;
  for (int k = 0; k < sides / 2; ++k) {
    ShapeDef box = ShapeDef::box({apothem, halfSide, halfWidth});
    box.localPose.q = aboutZ(kPi * (2 * k + 1) / sides);
    box.density = density;
    body.shapes.push_back(box);
  }
  body.mass = density * sides * apothem * halfSide * 2 * halfWidth;
}

void collideWithNothing(BodyDef& body) {
  for (ShapeDef& shape : body.shapes) shape.filter = {0, 0, 0};
}

JointDef& addJoint(Scene& scene, JointType type, int bodyA, int bodyB, Posed frame) {
  scene.joints.push_back(scene.joint(type, bodyA, bodyB, frame));
  return scene.joints.back();
}

Posed hingeFrame(Vec3d position, Vec3d axis) { return {position, rotationBetween({1, 0, 0}, axis)}; }
Posed twistFrame(Vec3d position, Vec3d axis) { return {position, rotationBetween({0, 1, 0}, axis)}; }

int addBox(Scene& scene, Vec3d position, Vec3d halfExtents, double density) {
  BodyDef body;
  body.pose.p = position;
  body.shapes.push_back(ShapeDef::box(halfExtents));
  body.shapes[0].density = density;
  return scene.add(std::move(body));
}

int addCuboid(Scene& scene, const std::string& shape, Vec3d position, Vec3d halfExtents, double density) {
  const int index = addBox(scene, position, halfExtents, density);
  if (shape != "hull") return index;
  std::vector<Vec3d> corners;
  for (const double x : {-halfExtents.x, halfExtents.x})
    for (const double y : {-halfExtents.y, halfExtents.y})
      for (const double z : {-halfExtents.z, halfExtents.z}) corners.push_back({x, y, z});
  ShapeDef& made = scene.bodies[size_t(index)].shapes[0];
  made = ShapeDef::hull(std::move(corners));
  made.density = density;
  return index;
}

int addStaticBox(Scene& scene, const char* name, Vec3d position, Vec3d halfExtents) {
  const int index = addBox(scene, position, halfExtents);
  scene.bodies[size_t(index)].type = BodyType::Static;
  scene.bodies[size_t(index)].name = name;
  return index;
}

void addGround(Scene& scene, double halfWidth) {
  const double half = maxOf(100.0, halfWidth + 10);
  addStaticBox(scene, "ground", {0, -1, 0}, {half, 1, half});
}

namespace {

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all = [] {
    std::vector<Generator> list;
    for (auto& part : {stackGenerators(), pileGenerators(), masonryGenerators(), motionGenerators(), drumGenerators(), experimentGenerators(),
                       chainGenerators(), articulatedGenerators(), magnetGenerators(), tankGenerators(), skeletonGenerators(), box3dGenerators(),
                       kaplaGenerators(), timberGenerators(), landscapeGenerators(), rainGenerators(), solidGenerators(), compoundGenerators()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

// --- memory ----------------------------------------------------------------------------------------------------

// Memory of a World for a body in a dense pile (state, bounds, tree, pairs, manifolds, rows): an estimate, to refuse scenes that cannot fit.
constexpr double kWorldBytesPerBody = 2500;
constexpr double kWorldBytesPerJoint = 1000;

// Free memory of the machine, or of the control group that this process runs in [bytes]; 0: not known.
double availableMemory() {
  double available = 0;
  std::ifstream machine("/proc/meminfo");
  for (std::string line; std::getline(machine, line);)
    if (line.compare(0, 13, "MemAvailable:") == 0) available = 1024 * std::strtod(line.c_str() + 13, nullptr);
  double limit = 0, used = 0;
  std::ifstream limitFile("/sys/fs/cgroup/memory.max"), usedFile("/sys/fs/cgroup/memory.current");
  if (limitFile >> limit && usedFile >> used && limit > used) available = available > 0 ? std::min(available, limit - used) : limit - used;
  return available;
}

void requireMemory(const std::string& what, double bodies, double joints) {
  const double needed =
      bodies * (double(sizeof(BodyDef) + sizeof(ShapeDef)) + kWorldBytesPerBody) + joints * (double(sizeof(JointDef)) + kWorldBytesPerJoint);
  const double available = availableMemory();
  if (available > 0 && needed > available)
    throw CapacityError(fmt::format("{}: {:.0f} bodies do not fit into memory", what, bodies), size_t(needed), size_t(available));
  if (bodies > 2147483647.0) throw InvalidInput(what, fmt::format("{:.0f} bodies are more than the 2147483647 that a scene may have", bodies));
}

Scene generate(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string name = inSmallLetters(text.substr(0, colon));
  for (const Generator& generator : generators()) {
    if (generator.name() != name) continue;
    const std::string parameters = colon == std::string::npos ? "" : text.substr(colon + 1);
    const Arguments arguments = readArguments(generator.name(), generator.parameters(), colon == std::string::npos ? nullptr : &parameters);
    const double bodies = generator.bodyCount(arguments);
    const double joints = generator.jointCount(arguments);
    requireMemory(text, bodies, joints);
    Scene scene;
    scene.name = text;
    scene.bodies.reserve(size_t(bodies));
    scene.joints.reserve(size_t(joints));
    generator.fill(arguments, scene);
    return scene;
  }
  std::vector<std::string> names;
  for (const Generator& generator : generators()) names.push_back(generator.name());
  throw InvalidInput(name.empty() ? "scene" : name, "is neither a file nor a generator of scenes; " + suggestion(name, names));
}

Scene readFile(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw InvalidInput(path, "is a folder, not a scene file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidInput(path, "cannot be opened: " + std::string(std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw InvalidInput(path, "cannot be read");
  Scene scene = parseScene(text.str(), path);
  if (scene.name.empty()) scene.name = std::filesystem::path(path).stem().string();
  return scene;
}

}  // namespace
}  // namespace scenes

Scene loadScene(const std::string& nameOrPath) {
  // Messages of one line quote it.
  if (std::any_of(nameOrPath.begin(), nameOrPath.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    throw InvalidInput("scene", "name or path must not contain control characters");
  const bool named = nameOrPath.size() >= 5 && nameOrPath.compare(nameOrPath.size() - 5, 5, ".json") == 0;
  std::error_code error;
  if (named || std::filesystem::is_regular_file(nameOrPath, error)) return scenes::readFile(nameOrPath);
  return scenes::generate(nameOrPath);
}

std::vector<SceneGenerator> sceneGenerators() {
  std::vector<SceneGenerator> list;
  for (const scenes::Generator& generator : scenes::generators()) {
    list.push_back({generator.name(), generator.summary(), {}});
    for (const scenes::Parameter& p : generator.parameters())
      list.back().parameters.push_back({p.name, p.meaning, p.defaultValue, scenes::rangeText(p)});
  }
  return list;
}

}  // namespace cairn::v0
