#include "src/io/scene_json_joints.hpp"

#include <cairn/error.hpp>

#include "src/scene/scene_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace cairn::v0 {
namespace {

using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- frames ----------------------------------------------------------------------------------------------------

// The axis of a joint's frame that the key "axis" directs: 0 to 2 for x to z, -1 for joints without a special axis.
int mainAxis(JointType type) {
  switch (type) {
    case JointType::Hinge:
    case JointType::Prismatic:
    case JointType::Universal:
    case JointType::Gear:
      return 0;
    case JointType::Twist:
      return 1;
    case JointType::Planar:
      return 2;
    default:
      return -1;
  }
}

Vec3d unitVector(int axis) { return {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0}; }

// The shortest rotation that takes an axis to a direction, which is not zero; where they are opposite, half a turn about the next axis.
Quatd rotationTo(int axis, Vec3d direction) {
  const double largest = std::max({std::abs(direction.x), std::abs(direction.y), std::abs(direction.z)});
  const Vec3d scaled{direction.x / largest, direction.y / largest, direction.z / largest};  // squares of it are in range
  const Vec3d from = unitVector(axis), to = (1 / length(scaled)) * scaled, c = cross(from, to);
  const double cosine = dot(from, to), sine2 = dot(c, c);
  if (cosine < 0 && sine2 < 1e-200) {
    const Vec3d next = unitVector((axis + 1) % 3);
    return {next.x, next.y, next.z, 0};
  }
  // 1 + cosine cancels for nearly opposite directions.
  return normalized(Quatd{c.x, c.y, c.z, cosine < 0 ? sine2 / (1 - cosine) : 1 + cosine});
}

}  // namespace

// --- reading ---------------------------------------------------------------------------------------------------

JointReader::JointReader(const FieldReader& fields, const Scene& scene) : fields_(fields), scene_(scene) {
  for (size_t i = 0; i < scene.bodies.size(); ++i)
    if (!scene.bodies[i].name.empty()) bodyIndices_.emplace(scene.bodies[i].name, int(i));
}

JointDef JointReader::read(const json& object, const Path& path) const {
  if (!object.is_object()) fields_.fail(path, "must be an object, is " + describe(object));
  fields_.required(object, "type", path);
  JointDef joint;
  fields_.readName(object, "type", path, joint.type);
  checkKeys(joint.type, object, path);
  fields_.readString(object, "name", path, joint.name);
  joint.bodyA = readBodyIndex(object, "body_a", path);
  joint.bodyB = readBodyIndex(object, "body_b", path);
  readFrames(object, path, joint);
  if (const json* axes = FieldReader::find(object, "axes")) {
    const Path own{&path, "axes"};
    fields_.checkKeys(*axes, own, kJointAxisKeys, std::size(kJointAxisKeys));
    for (size_t k = 0; k < joint.axes.size(); ++k)
      if (const json* axis = FieldReader::find(*axes, kJointAxisKeys[k])) joint.axes[k] = readAxis(*axis, {&own, kJointAxisKeys[k]}, joint.type);
  }
  fields_.readWhole(object, "slides", path, 1, 3, joint.slides);
  if (joint.type == JointType::Distance) joint.maxDistance = kInfinity;
  fields_.readNumber(object, "min_distance", path, joint.minDistance);
  fields_.readNumber(object, "max_distance", path, joint.maxDistance);
  fields_.readNumber(object, "ratio", path, joint.ratio);
  fields_.readNumber(object, "break_impulse", path, joint.breakImpulse);
  fields_.readBoolean(object, "collide", path, joint.collide);
  return joint;
}

void JointReader::checkKeys(JointType type, const json& object, const Path& path) const {
  std::vector<const char*> keys{"name", "type", "body_a", "body_b", "frame", "frame_a", "frame_b"};
  switch (type) {
    case JointType::BlackBox:
      fields_.fail({&path, "type"}, "black_box cannot be in a file: what it allows is a function, which only a program can give");
    case JointType::Prismatic:
      keys.insert(keys.end(), {"axes", "slides"});
      break;
    case JointType::Distance:
      keys.insert(keys.end(), {"min_distance", "max_distance"});
      break;
    case JointType::Gear:
      keys.push_back("ratio");
      break;
    case JointType::Rigid:
      break;
    default:
      keys.push_back("axes");
      break;
  }
  keys.insert(keys.end(), {"break_impulse", "collide"});
  fields_.checkKeys(object, path, keys.data(), keys.size());
}

int JointReader::readBodyIndex(const json& object, const char* key, const Path& path) const {
  const json& value = fields_.required(object, key, path);
  if (value.is_string()) {
    const auto found = bodyIndices_.find(value.get_ref<const std::string&>());
    if (found == bodyIndices_.end()) fields_.fail({&path, key}, "there is no body " + describe(value));
    return found->second;
  }
  const auto count = int64_t(scene_.bodies.size());
  if (!FieldReader::isWhole(value, 0, std::min<int64_t>(count, std::numeric_limits<int>::max()) - 1))
    fields_.fail({&path, key}, fmt::format("must be the index or the name of a body, is {}; the scene has {}", describe(value), count));
  return value.get<int>();
}

void JointReader::readFrames(const json& object, const Path& path, JointDef& joint) const {
  const ErrorContext context = ErrorContext::joint(fields_.source(), int(path.index), joint);
  const json* world = FieldReader::find(object, "frame");
  for (const auto& [key, out] : {std::pair("frame_a", &joint.frameA), std::pair("frame_b", &joint.frameB)}) {
    const json* own = FieldReader::find(object, key);
    if (!own) continue;
    if (world) fields_.fail({&path, key}, "must not be there beside \"frame\", which places both");
    *out = readFrame(*own, {&path, key}, joint, context);
  }
  if (!world) return;
  const Posed frame = readFrame(*world, {&path, "frame"}, joint, context);
  // Mistakes in these are found now, so that the message has their path: later checks see frames A and B, which the file does not have.
  context.pose(frame, "frame/position", "frame/orientation");
  for (const int body : {joint.bodyA, joint.bodyB}) {
    const BodyDef& def = scene_.bodies[size_t(body)];
    ErrorContext::body(fields_.source(), body, def).pose(def.pose);
  }
  const JointDef placed = scene_.joint(joint.type, joint.bodyA, joint.bodyB, frame);
  joint.frameA = placed.frameA;
  joint.frameB = placed.frameB;
}

Posed JointReader::readFrame(const json& frame, const Path& path, const JointDef& joint, const ErrorContext& context) const {
  fields_.checkKeys(frame, path, {"position", "orientation", "axis"});
  Posed result{{0, 0, 0}, {0, 0, 0, 1}};
  fields_.readPose(frame, path, result);
  if (!FieldReader::find(frame, "axis")) return result;
  const std::string field = std::string(path.key) + "/axis";
  const int axis = mainAxis(joint.type);
  if (axis < 0)
    context.fail(field.c_str(), fmt::format("must not be there: no axis of a {} joint is special; there is orientation", nameOf(joint.type)));
  if (FieldReader::find(frame, "orientation")) context.fail(field.c_str(), "must not be there beside \"orientation\"");
  Vec3d direction{0, 0, 0};
  fields_.readVector(frame, "axis", path, direction);
  if (direction.x == 0 && direction.y == 0 && direction.z == 0) context.fail(field.c_str(), "must not be zero: a zero axis has no direction");
  result.q = rotationTo(axis, direction);
  return result;
}

JointAxis JointReader::readAxis(const json& object, const Path& path, JointType type) const {
  if (type == JointType::SixDof) {
    fields_.checkKeys(object, path, {"free", "limits", "motor", "spring", "friction"});
  } else {
    fields_.checkKeys(object, path, {"limits", "motor", "spring", "friction"});
  }
  JointAxis axis;
  fields_.readBoolean(object, "free", path, axis.free);
  std::array<double, 2> limits;
  if (fields_.readNumbers(object, "limits", path, limits)) axis.limits = limits;
  if (const json* motor = FieldReader::find(object, "motor")) {
    const Path own{&path, "motor"};
    fields_.checkKeys(*motor, own, {"type", "target", "max_force"});
    fields_.required(*motor, "type", own);
    fields_.readName(*motor, "type", own, axis.motor);
    fields_.readNumber(*motor, "target", own, axis.target);
    axis.maxForce = kInfinity;
    fields_.readNumber(*motor, "max_force", own, axis.maxForce);
  }
  if (const json* spring = FieldReader::find(object, "spring")) {
    const Path own{&path, "spring"};
    fields_.checkKeys(*spring, own, {"stiffness", "damping", "rest"});
    fields_.readNumber(*spring, "stiffness", own, axis.stiffness);
    fields_.readNumber(*spring, "damping", own, axis.damping);
    fields_.readNumber(*spring, "rest", own, axis.rest);
  }
  fields_.readNumber(object, "friction", path, axis.friction);
  return axis;
}

// --- writing ---------------------------------------------------------------------------------------------------

namespace {

void writeFrame(FieldWriter& writer, bool& first, const char* name, const Posed& frame) {
  if (FieldWriter::isIdentity(frame)) return;
  writer.key(first, name);
  bool firstInside = true;
  writer.writePose(firstInside, frame);
  writer.put("}}");
}

// Writes the settings of an axis that the joint leaves free.
void writeAxis(FieldWriter& writer, bool& firstAxis, const char* name, const JointAxis& axis) {
  const bool motor = axis.motor != JointMotor::Off || !FieldWriter::isPlusZero(axis.target) || !FieldWriter::isPlusZero(axis.maxForce);
  const bool spring = !FieldWriter::isPlusZero(axis.stiffness) || !FieldWriter::isPlusZero(axis.damping) || !FieldWriter::isPlusZero(axis.rest);
  if (!axis.free && !axis.limits && !motor && !spring && FieldWriter::isPlusZero(axis.friction)) return;
  writer.key(firstAxis, name);
  bool first = true;
  if (axis.free) {
    writer.key(first, "free");
    writer.put("true");
  }
  if (axis.limits) {
    writer.key(first, "limits");
    writer.put("[{}, {}]", FieldWriter::number((*axis.limits)[0]), FieldWriter::number((*axis.limits)[1]));
  }
  if (motor) {
    writer.key(first, "motor");
    bool inside = true;
    writer.key(inside, "type");
    writer.put("\"{}\"", nameOf(axis.motor));
    writer.writeNonZero(inside, "target", axis.target);
    if (std::isfinite(axis.maxForce)) writer.writeNumber(inside, "max_force", axis.maxForce);
    writer.put("}}");
  }
  if (spring) {
    writer.key(first, "spring");
    bool inside = true;
    writer.writeNonZero(inside, "stiffness", axis.stiffness);
    writer.writeNonZero(inside, "damping", axis.damping);
    writer.writeNonZero(inside, "rest", axis.rest);
    writer.put("}}");
  }
  writer.writeNonZero(first, "friction", axis.friction);
  writer.put("}}");
}

void writeAxes(FieldWriter& writer, bool& first, const JointDef& joint) {
  const std::array<bool, 6> free = freeAxes(joint);
  FieldWriter axes;
  bool none = true;
  for (size_t k = 0; k < free.size(); ++k)
    if (free[k]) writeAxis(axes, none, kJointAxisKeys[k], joint.axes[k]);
  if (none) return;
  writer.key(first, "axes");
  writer.put("{}}}", axes.text());
}

}  // namespace

void writeJoint(FieldWriter& writer, const Scene& scene, int index) {
  const JointDef& joint = scene.joints[size_t(index)];
  if (joint.type == JointType::BlackBox) {
    const std::string source = sourceOf(scene);
    ErrorContext::joint(source, index, joint).fail("type", "black_box cannot be in a file: what it allows is a function");
  }
  bool first = true;
  if (!joint.name.empty()) {
    writer.key(first, "name");
    writer.put("{}", FieldWriter::quoted(joint.name));
  }
  writer.key(first, "type");
  writer.put("\"{}\"", nameOf(joint.type));
  writer.key(first, "body_a");
  writer.put("{}", joint.bodyA);
  writer.key(first, "body_b");
  writer.put("{}", joint.bodyB);
  writeFrame(writer, first, "frame_a", joint.frameA);
  writeFrame(writer, first, "frame_b", joint.frameB);
  writeAxes(writer, first, joint);
  if (joint.type == JointType::Prismatic && joint.slides != 1) {
    writer.key(first, "slides");
    writer.put("{}", joint.slides);
  }
  if (joint.type == JointType::Distance) {
    writer.writeNonZero(first, "min_distance", joint.minDistance);
    if (std::isfinite(joint.maxDistance)) writer.writeNumber(first, "max_distance", joint.maxDistance);
  }
  if (joint.type == JointType::Gear && joint.ratio != 1) writer.writeNumber(first, "ratio", joint.ratio);
  if (std::isfinite(joint.breakImpulse)) writer.writeNumber(first, "break_impulse", joint.breakImpulse);
  if (joint.collide) {
    writer.key(first, "collide");
    writer.put("true");
  }
  writer.put("}}");
}

}  // namespace cairn::v0
