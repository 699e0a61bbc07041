#include "src/view/live_world.hpp"

#include <cairn/error.hpp>

#include <cmath>

namespace cairn::v0 {
namespace {

// The spring would swing the body alone so often a second [rad/s], and is damped as much as brings it to rest soonest; more would be too stiff for a
// force that stays for a step.
constexpr double kPullRate = 12;
// Turns die out at this rate while a body is pulled [1/s].
constexpr double kTurnRate = 4;
constexpr long kMostOwed = 10;  // steps that are asked for and not done yet
constexpr double kSlowest = 0.01, kFastest = 100;

}  // namespace

LiveWorld::LiveWorld(Scene scene, const WorldSettings& settings, int mostContacts)
    : scene_(std::move(scene)),
      settings_(settings),
      world_(std::make_unique<World>(scene_, settings_)),
      collector_(scene_, world_->settings(), mostContacts),
      due_(Clock::now()) {}

LiveWorld::Clock::duration LiveWorld::stepTime() const {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(world_->settings().dt / speed_));
}

void LiveWorld::pause(bool paused) {
  paused_ = paused;
  owed_ = 0;
  due_ = Clock::now();
}

void LiveWorld::stepOnce() {
  if (owed_ < kMostOwed) ++owed_;
}

void LiveWorld::setSpeed(double factor) {
  if (!(factor >= kSlowest && factor <= kFastest)) throw InvalidInput("speed", "must be from 0.01 to 100");
  speed_ = factor;
}

void LiveWorld::reset() {
  world_ = std::make_unique<World>(scene_, settings_);
  pull_.reset();
  steps_ = owed_ = 0;
  due_ = Clock::now();
}

void LiveWorld::pull(int body, Vec3d anchor, Vec3d to) {
  if (body < 0 || body >= static_cast<int>(scene_.bodies.size())) throw InvalidInput("body", "is not there");
  const BodyDef& def = scene_.bodies[static_cast<size_t>(body)];
  if (def.type != BodyType::Dynamic) throw InvalidInput("body", "is not dynamic");
  for (const double x : {anchor.x, anchor.y, anchor.z, to.x, to.y, to.z}) {
    if (!(std::abs(x) <= kLargestMagnitude)) throw InvalidInput("place", "is not finite");
  }
  const double mass = pull_ && pull_->body == body ? pull_->mass : def.mass ? *def.mass : massProperties(def).mass;
  pull_ = Pull{body, mass, anchor, to};
}

// Forces act for one step: the spring is as it is when the step begins.
void LiveWorld::applyPull() {
  const BodyId body = world_->bodies()[static_cast<size_t>(pull_->body)];
  const BodyState state = world_->state(body);
  const Vec3d arm = rotate(state.pose.q, pull_->anchor), from = state.pose.p + arm;
  const double rate = std::min(kPullRate, 0.5 / world_->settings().dt);
  const Vec3d speed = state.linearVelocity;
  Vec3d force = pull_->mass * (rate * rate * (pull_->to - from) - 2 * rate * speed);
  if (scene_.bodies[static_cast<size_t>(pull_->body)].gravityScale != 0)
    force = force - pull_->mass * scene_.bodies[static_cast<size_t>(pull_->body)].gravityScale * world_->gravity();
  const Vec3d slowed = state.angularVelocity - std::min(1.0, kTurnRate * world_->settings().dt) * state.angularVelocity;
  world_->setVelocity(body, speed, slowed);
  world_->applyForceAt(body, force, from);
}

bool LiveWorld::advance(Clock::time_point now) {
  if (paused_ ? owed_ == 0 : now < due_) return false;
  if (pull_) applyPull();
  world_->step();
  ++steps_;
  if (paused_) {
    --owed_;
    return true;
  }
  // Time that a slow World has lost is not made up for.
  due_ = std::max(due_ + stepTime(), now - stepTime());
  return true;
}

LiveWorld::Clock::duration LiveWorld::idle(Clock::time_point now) const {
  if (paused_) return owed_ > 0 ? Clock::duration::zero() : std::chrono::milliseconds(50);
  return std::max(due_ - now, Clock::duration::zero());
}

}  // namespace cairn::v0
