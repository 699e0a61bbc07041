// Joints as a scene describes them: where they are made, what they leave free, and the rules that they must keep.
#include <cairn/error.hpp>
#include <cairn/names.hpp>
#include <cairn/scene.hpp>

#include "src/scene/scene_checks.hpp"
#include "src/scene/text.hpp"

#include <cmath>
#include <string_view>
#include <utility>

namespace cairn::v0 {
namespace {

constexpr int kFirstRotation = 3;  // of JointDef::axes
constexpr int kMiddleRotation = 4;

// "about_x, about_y": for a message about another axis.
std::string listOf(const std::array<bool, 6>& free) {
  std::string list;
  for (size_t k = 0; k < free.size(); ++k)
    if (free[k]) list += (list.empty() ? "" : ", ") + std::string(kJointAxisKeys[k]);
  return list.empty() ? "none" : list;
}

Posed asSeenBy(const Posed& body, const Posed& world) {
  const Posed unit{body.p, normalized(body.q)};
  return {inverseTransform(unit, world.p), normalized(conjugate(unit.q) * normalized(world.q))};
}

void validateLimits(const JointAxis& axis, bool rotational, const ErrorContext& context) {
  if (!axis.limits) return;
  const auto [low, high] = *axis.limits;
  if (!(std::isfinite(low) && std::isfinite(high))) context.fail("limits", text("must be two finite numbers, is [{}, {}]", low, high));
  if (low > high) context.fail("limits", text("must be [low, high] with low <= high, is [{}, {}]", low, high));
  if (rotational && (low < -kPi || high > kPi)) context.fail("limits", text("must be within [-pi, pi], is [{}, {}]", low, high));
}

// Of three turns one after the other the middle one is never further than a quarter turn: what is beyond is another triple.
void validateMiddleTurn(const std::array<bool, 6>& free, const JointAxis& axis, const ErrorContext& context) {
  if (!axis.limits || !(free[3] && free[4] && free[5])) return;
  const auto [low, high] = *axis.limits;
  if (low > kPi / 2 || high < -kPi / 2)
    context.fail("limits", text("must meet [-pi/2, pi/2], which the second of three free turns stays in, is [{}, {}]", low, high));
}

void validateMotor(const JointAxis& axis, const ErrorContext& context) {
  if (std::string_view(nameOf(axis.motor)) == "?")
    context.fail("motor/type", text("must be one of {}, is {}", nameList<JointMotor>(), int(axis.motor)));
  context.finite("motor/target", axis.target);
  if (!(axis.maxForce >= 0)) context.fail("motor/max_force", text("must be a number >= 0 or infinity, is {}", axis.maxForce));
  if (axis.motor != JointMotor::Off && !(axis.maxForce > 0))
    context.fail("motor/max_force", text("must be > 0 for a motor that is on, is {}", axis.maxForce));
}

// Refuses settings of an axis that the joint does not leave free.
void refuseSettings(const JointDef& joint, const JointAxis& axis, const ErrorContext& context) {
  const auto refuse = [&](const char* field) {
    context.fail(field, text("acts on free axes only; this {} joint has {}", nameOf(joint.type), listOf(freeAxes(joint))));
  };
  if (axis.limits) refuse("limits");
  if (axis.motor != JointMotor::Off || axis.target != 0 || axis.maxForce != 0) refuse("motor");
  if (axis.stiffness != 0 || axis.damping != 0 || axis.rest != 0) refuse("spring");
  if (axis.friction != 0) refuse("friction");
}

void validateAxes(const JointDef& joint, const ErrorContext& context) {
  const std::array<bool, 6> free = freeAxes(joint);
  for (size_t k = 0; k < free.size(); ++k) {
    const JointAxis& axis = joint.axes[k];
    const ErrorContext inner = context.ofAxis(kJointAxisKeys[k]);
    if (axis.free && joint.type != JointType::SixDof)
      inner.fail("free", text("must not be set: a {} joint knows what it leaves free, only six_dof is told", nameOf(joint.type)));
    if (!free[k]) {
      refuseSettings(joint, axis, inner);
      continue;
    }
    validateLimits(axis, k >= size_t(kFirstRotation), inner);
    if (k == kMiddleRotation) validateMiddleTurn(free, axis, inner);
    validateMotor(axis, inner);
    inner.notNegative("spring/stiffness", axis.stiffness);
    inner.notNegative("spring/damping", axis.damping);
    inner.finite("spring/rest", axis.rest);
    inner.notNegative("friction", axis.friction);
  }
}

// Fields that belong to one type only; those of other types are not looked at.
void validateOwnFields(const JointDef& joint, const ErrorContext& context) {
  switch (joint.type) {
    case JointType::Prismatic:
      if (joint.slides < 1 || joint.slides > 3) context.fail("slides", text("must be 1, 2 or 3, is {}", joint.slides));
      break;
    case JointType::Distance:
      context.notNegative("min_distance", joint.minDistance);
      if (!(joint.maxDistance >= joint.minDistance))
        context.fail("max_distance", text("must be at least min_distance, which is {}, or infinity; is {}", joint.minDistance, joint.maxDistance));
      break;
    case JointType::Gear:
      if (!std::isfinite(joint.ratio) || joint.ratio == 0) context.fail("ratio", text("must be a finite number other than 0, is {}", joint.ratio));
      break;
    default:
      break;
  }
}

void validateProjection(const JointDef& joint, const ErrorContext& context) {
  const bool blackBox = joint.type == JointType::BlackBox;
  const auto unwanted = [&] { return text("must not be set: only black_box joints have one, this is a {} joint", nameOf(joint.type)); };
  if (!blackBox && joint.projection) context.fail("projection", unwanted());
  if (!blackBox && joint.projectionFunctor) context.fail("projection_functor", unwanted());
  if (blackBox && !joint.projection && !joint.projectionFunctor)
    context.fail("projection", "is missing, and projection_functor too; a black_box joint is what one of them says");
  if (blackBox && joint.projection && joint.projectionFunctor)
    context.fail("projection_functor", "must not be set beside projection; a black_box joint is what one of them says");
}

}  // namespace

JointDef Scene::joint(JointType type, int bodyA, int bodyB, const Posed& frame) const {
  const std::string source = "Scene::joint";
  const ErrorContext context = ErrorContext::scene(source);
  for (const auto& [field, index] : {std::pair("bodyA", bodyA), std::pair("bodyB", bodyB)})
    if (index < 0 || size_t(index) >= bodies.size())
      context.fail(field, text("must be the index of a body, is {}; the scene has {}", index, bodies.size()));
  context.pose(frame, "frame/position", "frame/orientation");
  JointDef joint;
  joint.type = type;
  joint.bodyA = bodyA;
  joint.bodyB = bodyB;
  for (const auto& [index, out] : {std::pair(bodyA, &joint.frameA), std::pair(bodyB, &joint.frameB)}) {
    const BodyDef& body = bodies[size_t(index)];
    ErrorContext::body(source, index, body).pose(body.pose);
    *out = asSeenBy(body.pose, frame);
  }
  return joint;
}

std::array<bool, 6> freeAxes(const JointDef& joint) {
  switch (joint.type) {
    case JointType::Point:
      return {false, false, false, true, true, true};
    case JointType::Hinge:
      return {false, false, false, true, false, false};
    case JointType::Twist:
      return {false, false, false, false, true, false};
    case JointType::Prismatic:
      return {joint.slides >= 1, joint.slides >= 2, joint.slides >= 3, false, false, false};
    case JointType::Planar:
      return {true, true, false, false, false, true};
    case JointType::Universal:
      return {false, false, false, true, true, false};
    case JointType::SixDof: {
      std::array<bool, 6> free;
      for (size_t k = 0; k < free.size(); ++k) free[k] = joint.axes[k].free;
      return free;
    }
    case JointType::Rigid:
    case JointType::Distance:
    case JointType::Gear:
    case JointType::BlackBox:
      break;
  }
  return {false, false, false, false, false, false};
}

void validateJoint(const JointDef& joint, const std::string& source, int index) {
  const ErrorContext context = ErrorContext::joint(source, index, joint);
  context.nameIsPrintable();
  if (std::string_view(nameOf(joint.type)) == "?") context.fail("type", text("must be one of {}, is {}", nameList<JointType>(), int(joint.type)));
  context.pose(joint.frameA, "frame_a/position", "frame_a/orientation");
  context.pose(joint.frameB, "frame_b/position", "frame_b/orientation");
  validateOwnFields(joint, context);
  validateAxes(joint, context);
  validateProjection(joint, context);
  if (!(joint.breakImpulse > 0)) context.fail("break_impulse", text("must be a number > 0 or infinity, is {}", joint.breakImpulse));
}

void validateJointBodies(const Scene& scene, const std::string& source, int index) {
  const JointDef& joint = scene.joints[size_t(index)];
  const ErrorContext context = ErrorContext::joint(source, index, joint);
  for (const auto& [field, body] : {std::pair("body_a", joint.bodyA), std::pair("body_b", joint.bodyB)})
    if (body < 0 || size_t(body) >= scene.bodies.size())
      context.fail(field, text("must be the index of a body, is {}; the scene has {}", body, scene.bodies.size()));
  if (joint.bodyA == joint.bodyB) context.fail("body_b", text("must be another body than body_a, is {} as well", joint.bodyB));
  const BodyType a = scene.bodies[size_t(joint.bodyA)].type, b = scene.bodies[size_t(joint.bodyB)].type;
  if (a != BodyType::Dynamic && b != BodyType::Dynamic)
    context.fail("", text("must join a dynamic body at least on one side, joins a {} and a {} one", nameOf(a), nameOf(b)));
}

void validate(const JointDef& joint, const std::string& source) { validateJoint(joint, source, -1); }

}  // namespace cairn::v0
