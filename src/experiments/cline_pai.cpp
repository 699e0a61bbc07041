// Cline and Pai, "Post-Stabilization for Rigid Body Simulation with Contact and Constraints", 2003, figures 8 to 10: rectangles pushed about by a
// repulsive force. Where the paper has a mouse there is a point on a fixed path. Errors are measured from the poses.
#include "experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace cairn::experiments {
namespace {

constexpr double kStep = 0.01;    // [s]; the paper does not say
constexpr double kDuration = 10;  // [s]
constexpr size_t kFixed = 3;      // floor and walls come first
constexpr double kHalfLength = 0.05, kHalfHeight = 0.03;

struct Rectangle {
  double x, y;
  Vec3d u, v;  // unit axes
};

Rectangle rectangleOf(const BodyState& state) {
  return {state.pose.p.x, state.pose.p.y, rotate(state.pose.q, Vec3d{1, 0, 0}), rotate(state.pose.q, Vec3d{0, 1, 0})};
}

// Half the width of its shadow on a direction.
double reach(const Rectangle& r, Vec3d n) { return kHalfLength * std::abs(dot(r.u, n)) + kHalfHeight * std::abs(dot(r.v, n)); }

// Separating axes: how deep two rectangles are in each other, 0 if they are apart.
double overlap(const Rectangle& a, const Rectangle& b) {
  double least = 1e9;
  for (const Vec3d n : {a.u, a.v, b.u, b.v}) {
    const double apart = std::abs(dot(n, Vec3d{b.x - a.x, b.y - a.y, 0})) - reach(a, n) - reach(b, n);
    least = std::min(least, -apart);
  }
  return std::max(0.0, least);
}

double contactError(const Scene& scene, const std::vector<BodyState>& states) {
  double worst = 0;
  for (size_t i = kFixed; i < states.size(); ++i) {
    const Rectangle r = rectangleOf(states[i]);
    for (size_t wall = 0; wall < kFixed; ++wall) {
      const Vec3d n = rotate(scene.bodies[wall].pose.q, Vec3d{0, 1, 0}), from = states[i].pose.p - scene.bodies[wall].pose.p;
      worst = std::max(worst, reach(r, n) - dot(n, from));
    }
    for (size_t j = i + 1; j < states.size(); ++j) worst = std::max(worst, overlap(r, rectangleOf(states[j])));
  }
  return worst;
}

// The point goes to and fro near the floor; it pushes what is within its range away, with up to 6 times a rectangle's weight, and not through the
// middle, so that rectangles turn too.
void push(World& world, const std::vector<BodyId>& bodies, double halfWidth, double mass, double time) {
  constexpr double kRange = 0.15, kMost = 6;
  const Vec3d point{0.9 * halfWidth * std::sin(1.3 * time), 0.03 + 0.03 * std::sin(3.1 * time), 0};
  for (size_t i = kFixed; i < bodies.size(); ++i) {
    const BodyState state = world.state(bodies[i]);
    const Vec3d arm = rotate(state.pose.q, Vec3d{0.5 * kHalfLength, 0, 0});
    Vec3d d = state.pose.p + arm - point;
    d.z = 0;
    const double distance = length(d);
    if (distance > kRange || distance < 1e-6) continue;
    const Vec3d force = (kMost * 9.81 * mass * (1 - distance / kRange) / distance) * d;
    world.applyForce(bodies[i], force, cross(arm, force));
  }
}

Outcome pushedAbout(const Context& context, int count) {
  const Scene scene = loadScene(fmt::format("rectangles:count={}", count));
  const double mass = massProperties(scene.bodies.back()).mass, halfWidth = scene.bodies[2].pose.p.x;
  std::vector<Curve> curves;
  std::vector<double> travelled;
  for (const bool corrected : {false, true}) {
    WorldSettings settings = plainSettings(context.base);
    settings.normalStabilization = NormalStabilization::None;
    settings.dt = kStep;
    settings.envelope = 0.005;
    settings.solver = Solver::Nncg;
    settings.iterations = 40;
    settings.positionCorrections = corrected ? 3 : 0;
    settings.positionSweeps = 40;
    settings.maxPositionCorrection = 0.005;
    World world(scene, settings);
    const std::vector<BodyId> bodies = world.bodies();
    Curve curve{corrected ? "with post-stabilization" : "without stabilization", {}, {}};
    const int steps = static_cast<int>(std::lround(kDuration / kStep));
    double path = 0;
    for (int k = 0; k < steps; ++k) {
      push(world, bodies, halfWidth, mass, k * kStep);
      world.step();
      const std::vector<BodyState> states = world.states();
      curve.x.push_back((k + 1) * kStep);
      curve.y.push_back(1000 * contactError(scene, states));
      for (size_t i = kFixed; i < states.size(); ++i) path += kStep * length(states[i].linearVelocity);
      context.progress(curve.name, k + 1, steps);
    }
    travelled.push_back(path);
    context.picture(curve.name, world, scene);
    curves.push_back(std::move(curve));
  }
  Outcome outcome;
  const std::vector<double>&without = curves[0].y, &with = curves[1].y;
  const std::string what = count == 1 ? "a rectangle" : fmt::format("{} rectangles", count);
  outcome.claims.push_back({what + ": without stabilization there is contact error", "visible error",
                            fmt::format("largest {:.3g} mm, mean of the second half {:.3g} mm", largest(without), meanOf(without, 0.5)),
                            largest(without) > 0.001 && meanOf(without, 0.5) > 100 * meanOf(with, 0.5), ""});
  outcome.claims.push_back({what + ": post-stabilization eliminates it", "eliminated",
                            fmt::format("mean {:.2g} mm, largest {:.2g} mm, {:.0f} times less on average", meanOf(with), largest(with),
                                        meanOf(without) / std::max(meanOf(with), 1e-9)),
                            meanOf(with) < 0.01 * meanOf(without), ""});
  outcome.claims.push_back({what + ": all of them move, by impacts, rest, sliding and rolling", "interactive",
                            fmt::format("{:.1f} m travelled in all", travelled[1]), travelled[1] > 0.2 * count, ""});
  outcome.panels.push_back({"Contact error: " + what, "time [s]", "error [mm]", false, {curves[0], curves[1]}});
  return outcome;
}

Outcome rectangle(const Context& context) { return pushedAbout(context, 1); }
Outcome fiveBodies(const Context& context) { return pushedAbout(context, 5); }

}  // namespace

std::vector<Experiment> clinePai() {
  return {{"rectangle", "Cline and Pai 2003, figure 8", "A rectangle pushed about, with and without post-stabilization", rectangle},
          {"five-bodies", "Cline and Pai 2003, figure 10", "Five rectangles pushed about, with and without post-stabilization", fiveBodies}};
}

}  // namespace cairn::experiments
