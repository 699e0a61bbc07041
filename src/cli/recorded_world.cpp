#include "src/cli/recorded_world.hpp"

#include "src/cli/setting_options.hpp"

#include <cairn/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cairn::cli {
namespace {

constexpr double kNearby = 1e-3;  // of a step: times are written by people, and steps add up with rounding

Posed between(const Posed& a, const Posed& b, double t) {
  const double side = a.q.x * b.q.x + a.q.y * b.q.y + a.q.z * b.q.z + a.q.w * b.q.w < 0 ? -1 : 1;  // both are the same turn; the nearer one counts
  const auto part = [&](double from, double to) { return (1 - t) * from + t * side * to; };
  return {a.p + t * (b.p - a.p), normalized(Quatd{part(a.q.x, b.q.x), part(a.q.y, b.q.y), part(a.q.z, b.q.z), part(a.q.w, b.q.w)})};
}

std::vector<Posed> posesIn(const RecordingReader& recording, size_t frame) {
  std::vector<Posed> poses;
  for (const BodyState& state : recording.frame(frame).states) poses.push_back(state.pose);
  return poses;
}

}  // namespace

RecordedWorld::RecordedWorld(const std::string& path, const WorldSettings& settings) : recording_(path), world_(recording_.scene(), settings) {
  if (recording_.frameCount() == 0) throw InvalidInput(path, "has no frame: its run was ended before the first one was written");
  before_ = after_ = {0, posesIn(recording_, 0)};
}

double RecordedWorld::requireTime(const std::string& option, double time) const {
  const double begin = recording_.time(0), end = recording_.time(recording_.frameCount() - 1), slack = kNearby * recording_.dt();
  if (time >= begin - slack && time <= end + slack) return time;
  throw InvalidInput(fmt::format("{} {}", option, time), fmt::format("must be within the recording, which is from {:.6g} to {:.6g} s", begin, end));
}

double RecordedWorld::soonAfter(double time) const { return time + kNearby * recording_.dt(); }

void RecordedWorld::requireColours(ColourBy by) const {
  const auto require = [&](bool recorded, const char* name, const char* what) {
    if (recorded) return;
    throw InvalidInput(fmt::format("--colour-by {}", name),
                       fmt::format("{} has no {}: record them by --record-with {}", recording_.path(), what, what));
  };
  if (by == ColourBy::Speed) require(recording_.hasVelocities(), "speed", "velocities");
  if (by == ColourBy::Force) require(recording_.hasContacts(), "force", "contacts");
  if (by == ColourBy::Island) require(recording_.hasContacts(), "island", "contacts");
  if (by == ColourBy::Asleep && !recording_.hasSleep()) {
    throw InvalidInput("--colour-by asleep", recording_.path() + " does not say who sleeps: record it by --record-with sleep");
  }
  if (by == ColourBy::Graph) throw InvalidInput("--colour-by graph", "a recording does not have the graph: cairn run does");
}

BodyNumbers RecordedWorld::numbersOfFrame(size_t number, ColourBy by) const {
  if (by == ColourBy::Body) return {};
  RecordedFrame frame = recording_.frame(number);
  const double h = recording_.hasContacts() ? recording_.dt() / recording_.substeps() : 1;
  BodyMoment moment;
  moment.states = std::move(frame.states);
  moment.asleep = std::move(frame.asleep);
  for (const RecordedContact& c : frame.contacts) {
    moment.touches.push_back({c.bodyA, c.bodyB, std::hypot(c.normalImpulse, length(c.frictionImpulse)) / h});
  }
  for (const RecordedJoint& joint : frame.joints) moment.broken.push_back(joint.broken);
  return numbersOf(moment, recording_.scene(), by);
}

void RecordedWorld::goTo(double time) {
  const size_t first = recording_.frameAt(soonAfter(time));
  const size_t second = time > recording_.time(first) + kNearby * recording_.dt() ? std::min(first + 1, recording_.frameCount() - 1) : first;
  if (before_.number != first) before_ = after_.number == first ? after_ : Frame{first, posesIn(recording_, first)};
  if (after_.number != second) after_ = second == first ? before_ : Frame{second, posesIn(recording_, second)};
  std::vector<Posed> poses = before_.poses;
  if (second != first) {
    const double t = (time - recording_.time(first)) / (recording_.time(second) - recording_.time(first));
    for (size_t i = 0; i < poses.size(); ++i) poses[i] = between(poses[i], after_.poses[i], t);
  }
  world_.setPoses(world_.bodies(), poses);
}

void addSeconds(CLI::App& command, const std::string& name, double& seconds, const std::string& help) {
  command.add_option(name, seconds, help)->transform(number<double>())->type_name("SECONDS");
}

}  // namespace cairn::cli
