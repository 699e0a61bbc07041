#include "src/experiments/articulated_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cairn::v0::experiments {
namespace {

double angleBetween(Vec3d a, Vec3d b) { return std::atan2(length(cross(a, b)), dot(a, b)); }

JointMiss missOf(const JointDef& joint, const Posed& bodyA, const Posed& bodyB) {
  const Quatd qA = bodyA.q * joint.frameA.q, qB = bodyB.q * joint.frameB.q;
  const auto axisA = [&](Vec3d axis) { return rotate(qA, axis); };
  const auto axisB = [&](Vec3d axis) { return rotate(qB, axis); };
  const Vec3d apart = transform(bodyB, joint.frameB.p) - transform(bodyA, joint.frameA.p), x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  switch (joint.type) {
    case JointType::Point:
      return {length(apart), 0};
    case JointType::Hinge:
      return {length(apart), angleBetween(axisA(x), axisB(x))};
    case JointType::Twist:
      return {length(apart), angleBetween(axisA(y), axisB(y))};
    case JointType::Universal:
      return {length(apart), std::abs(std::asin(std::clamp(dot(axisA(x), axisB(y)), -1.0, 1.0)))};
    case JointType::Planar:
      return {std::abs(dot(apart, axisA(z))), angleBetween(axisA(z), axisB(z))};
    default:  // the papers' scenes have no others
      return {};
  }
}

double total(const std::vector<StageTime>& stages, const std::string& of = {}) {
  double sum = 0;
  for (const StageTime& stage : stages) sum += of.empty() || stage.stage == of ? stage.milliseconds : 0;
  return sum;
}

// A step from the given states, done again and again: the first makes room and finds the impulses that the others start from.
constexpr int kRounds = 9;
struct Timed {
  double joints = 1e9, solve = 1e9, whole = 1e9;  // [ms] the fastest of the rounds
  int points = 0;
};
Timed timed(const Context& context, const Scene& scene, const std::vector<BodyState>& states) {
  World world(scene, timedSettings(context));
  const std::vector<BodyId> bodies = world.bodies();
  Timed best;
  for (int round = 0; round <= kRounds; ++round) {
    for (size_t i = 0; i < bodies.size(); ++i) {
      if (scene.bodies[i].type != BodyType::Dynamic) continue;
      world.setPose(bodies[i], states[i].pose);
      world.setVelocity(bodies[i], states[i].linearVelocity, states[i].angularVelocity);
    }
    world.step();
    best.points = static_cast<int>(world.contacts().size());
    const std::vector<StageTime> stages = world.stageTimes();
    if (round == 0 || total(stages) > best.whole) continue;
    best = {total(stages, "joints"), total(stages, "solve"), total(stages), best.points};
  }
  return best;
}

}  // namespace

JointMiss largestMiss(const Scene& scene, const std::vector<BodyState>& states) {
  JointMiss worst;
  for (const JointDef& joint : scene.joints) {
    const JointMiss miss = missOf(joint, states[static_cast<size_t>(joint.bodyA)].pose, states[static_cast<size_t>(joint.bodyB)].pose);
    worst = {std::max(worst.offset, miss.offset), std::max(worst.angle, miss.angle)};
  }
  return worst;
}

double rmsSpeed(const Scene& scene, const std::vector<BodyState>& states, size_t first, size_t last) {
  double sum = 0;
  int count = 0;
  for (size_t i = first; i < std::min(last, states.size()); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) continue;
    sum += dot(states[i].linearVelocity, states[i].linearVelocity);
    ++count;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

Curve Trajectory::missCurve(const std::string& name) const {
  Curve curve{name, time, miss};
  for (double& value : curve.y) value *= 1000;
  return curve;
}

Curve Trajectory::speedCurve(const std::string& name) const { return {name, time, speed}; }

WorldSettings timedSettings(const Context& context) {
  WorldSettings settings = context.base;
  settings.stageTimes = true;
  return settings;
}

Trajectory follow(const Context& context, World& world, const Scene& scene, const RunPlan& plan) {
  Trajectory run;
  double joints = 0, whole = 0;
  for (int k = 1; k <= plan.steps; ++k) {
    if (plan.before) plan.before(k);
    world.step();
    const std::vector<BodyState> states = world.states();
    const JointMiss miss = largestMiss(scene, states);
    run.time.push_back(k * world.settings().dt);
    run.miss.push_back(miss.offset);
    run.speed.push_back(rmsSpeed(scene, states, plan.first, plan.last));
    run.angle.push_back(miss.angle);
    const std::vector<StageTime> stages = world.stageTimes();
    joints += total(stages, "joints");
    whole += total(stages);
    if (plan.after) plan.after(k, states);
    if (std::count(plan.picturesAfter.begin(), plan.picturesAfter.end(), k) > 0) {
      context.picture(fmt::format("{} {:.1f} s", plan.name, k * world.settings().dt), world, scene);
    }
    context.progress(plan.name, k, plan.steps);
  }
  run.jointsStage = whole > 0 ? joints / whole : 0;
  run.milliseconds = whole / plan.steps;
  return run;
}

JointShare jointShare(const Context& context, const Scene& scene, const std::vector<BodyState>& states) {
  Scene loose = scene;
  loose.joints.clear();
  const Timed with = timed(context, scene, states), without = timed(context, loose, states);
  const double contacts = without.points > 0 ? without.solve * with.points / without.points : 0;
  return {(with.joints + std::max(0.0, with.solve - contacts)) / with.whole, with.whole, without.whole, with.points, without.points};
}

Measured sharesText(const Trajectory& run, const JointShare& share) {
  return {
      "time of a step, and the share of it that joints take in the state at the end: the stage 'joints' and what 'solve' takes less for the same "
      "bodies without joints, scaled by contact points",
      fmt::format("{:.3g} ms a step in the whole run, stage 'joints' {:.1f} %; joints' share {:.0f} % ({:.3g} ms and {} points with joints, {:.3g} "
                  "ms and {} points without)",
                  run.milliseconds, 100 * run.jointsStage, 100 * share.share, share.with, share.points, share.without, share.pointsWithout)};
}

namespace {

bool holds(const Trajectory& run, double partLength) {
  return largest(run.miss) <= kVisibleShare * partLength && largest(run.angle) <= kVisibleShare;
}

std::string missText(const Trajectory& run) {
  const double degrees = 180 / kPi;
  std::string text = fmt::format("largest {:.3g} mm, in the last fifth {:.3g} mm", 1000 * largest(run.miss), 1000 * largest(run.miss, 0.8));
  if (largest(run.angle) > 0)
    text += fmt::format("; axes off by {:.2g} degrees, in the last fifth {:.2g}", degrees * largest(run.angle), degrees * largest(run.angle, 0.8));
  return text;
}

}  // namespace

Claim jointsHold(const std::string& subject, const std::string& paper, const Trajectory& run, double partLength, const FinerRun& finer) {
  return {fmt::format("{}: no joint is ever visibly off (2 % of a part's length, {:.3g} mm; its axes 1.1 degrees)", subject,
                      1000 * kVisibleShare * partLength),
          paper, missText(run), holds(run, partLength),
          finer.run != nullptr && holds(*finer.run, partLength) ? fmt::format("{}: with {} {}", finer.why, finer.effort, missText(*finer.run)) : ""};
}

Measured finerRunText(const FinerRun& finer) { return {"with " + finer.effort, missText(*finer.run)}; }

Claim comesToRest(const std::string& subject, const std::string& paper, const Trajectory& run, const FrictionRun& friction) {
  const auto late = [](const Trajectory& of) { return largest(of.speed, 0.8); };
  return {fmt::format("{} to rest (below 5 mm/s rms in the last fifth of the {:.0f} s)", subject, run.time.back()), paper,
          fmt::format("at most {:.2g} mm/s, {:.2g} mm/s at the end", 1000 * late(run), 1000 * run.speed.back()), late(run) <= kStill,
          friction.run != nullptr && late(*friction.run) <= kStill
              ? fmt::format("the joints have no friction, and little else takes this motion's energy: with {} N m in each it is {:.2g} mm/s at most",
                            friction.torque, 1000 * late(*friction.run))
              : ""};
}

Measured frictionText(const FrictionRun& friction) {
  return {fmt::format("with friction of {} N m in the joints", friction.torque),
          fmt::format("{:.2g} mm/s rms at most in the last fifth; joints: {}", 1000 * largest(friction.run->speed, 0.8), missText(*friction.run))};
}

Measured speedsText(const Trajectory& run) {
  std::string text;
  for (int fifth = 1; fifth <= 5; ++fifth) {
    const size_t at = run.speed.size() * static_cast<size_t>(fifth) / 5 - 1;
    text += fmt::format("{}{:.3g} mm/s at {:.1f} s", fifth == 1 ? "" : ", ", 1000 * run.speed[at], run.time[at]);
  }
  return {"rms speed", text};
}

LineTurns lineTurns(const Scene& scene, const std::vector<BodyState>& states) {
  std::vector<std::vector<Vec3d>> places(scene.bodies.size());
  for (const JointDef& joint : scene.joints) {
    places[static_cast<size_t>(joint.bodyA)].push_back(joint.frameA.p);
    places[static_cast<size_t>(joint.bodyB)].push_back(joint.frameB.p);
  }
  double squares = 0, turning = 0, kinetic = 0;
  int count = 0;
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic || places[i].size() != 2) continue;
    const MassProperties body = massProperties(scene.bodies[i]);
    const Vec3d line = normalizedOr(places[i][1] - places[i][0], Vec3d{1, 0, 0}), arm = 0.5 * (places[i][0] + places[i][1]) - body.centre;
    const Vec3d v = states[i].linearVelocity, spin = rotate(conjugate(states[i].pose.q), states[i].angularVelocity);
    const Vec3d middle = v + rotate(states[i].pose.q, cross(spin, arm)), off = cross(arm, line);
    const double about = dot(spin, line);
    squares += dot(middle, middle);
    turning += 0.5 * about * about * (dot(line, body.inertia * line) + body.mass * dot(off, off));
    kinetic += 0.5 * body.mass * dot(v, v) + 0.5 * dot(spin, body.inertia * spin);
    ++count;
  }
  return {count > 0 ? std::sqrt(squares / count) : 0, kinetic > 0 ? turning / kinetic : 0, turning};
}

Scene withFriction(Scene scene, double torque) {
  for (JointDef& joint : scene.joints) {
    const std::array<bool, 6> free = freeAxes(joint);
    for (size_t k = 3; k < 6; ++k)
      if (free[k]) joint.axes[k].friction = torque;
  }
  return scene;
}

std::vector<size_t> namedBodies(const Scene& scene, const std::string& beginning) {
  std::vector<size_t> found;
  for (size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].name.rfind(beginning, 0) == 0) found.push_back(i);
  return found;
}

}  // namespace cairn::v0::experiments
