// Silcowitz, Niebe and Erleben, "Normal and Friction Stabilization Techniques for Interactive Rigid Body Constraint-based Contact Force Simulations",
// 2010, section 4 and table 1. The paper judges by eye, in an interactive scene; here scripted forces and bricks, and numbers. Its solvers start from
// zero in every step: so do these.
#include "experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cairn::experiments {
namespace {

constexpr double kStep = 0.1;         // [s]
constexpr double kEnvelope = 0.0625;  // eta [m]
constexpr double kClamp = 2;          // [m/s]
constexpr double kBaumgarte = 0.5;

WorldSettings table1(const Context& context, NormalStabilization normal, Solver solver, int iterations) {
  WorldSettings settings = plainSettings(context.base);
  settings.precision = Precision::Float;
  settings.normalStabilization = normal;
  settings.solver = solver;
  settings.iterations = iterations;
  settings.dt = kStep;
  settings.envelope = kEnvelope;
  settings.maxCorrectionSpeed = kClamp;
  settings.errorReduction = kBaumgarte;
  settings.slipReduction = 0.8;
  settings.warmStart = false;
  return settings;
}

// Of a body relative to where it was put.
double slideOf(const BodyState& state, Vec3d from) {
  const Vec3d d = state.pose.p - from;
  return std::hypot(d.x, d.z);
}

Scene groundAlone() {
  Scene scene;
  BodyDef ground;
  ground.name = "ground";
  ground.type = BodyType::Static;
  ground.shapes = {ShapeDef::halfSpace()};
  scene.add(ground);
  return scene;
}

// --- normal stabilization: a stack, and a stack that is tipped ----------------------------------------------------

constexpr int kHeight = 6;
constexpr int kSettleSteps = 100, kPushSteps = 30, kRestSteps = 170;

// As a hand puts boxes one on the other: a little aside, a little turned, let go a little above.
Scene handBuiltStack() {
  Scene scene = groundAlone();
  constexpr double kAside[kHeight][3] = {{0.02, -0.04, 0.1},  {-0.03, 0.01, -0.15}, {0.04, 0.03, 0.05},
                                         {-0.01, -0.02, 0.2}, {0.03, 0.04, -0.1},   {-0.04, 0.0, 0.12}};
  for (int i = 0; i < kHeight; ++i) {
    BodyDef box;
    box.pose.p = {kAside[i][0], 0.5 + 1.02 * i + 0.02, kAside[i][1]};
    box.pose.q = quatFromRotationVector(Vec3d{0, kAside[i][2], 0});
    box.shapes = {ShapeDef::box({0.5, 0.5, 0.5})};
    scene.add(box);
  }
  return scene;
}

struct StackRun {
  Curve speed, penetration;
  double slide = 0, heightRatio = 1;
};

// While it is tipped a hand presses down near the edge of the top box, with one and a half times its weight.
StackRun stack(const Context& context, const WorldSettings& settings, bool tipped, const std::string& name) {
  const Scene scene = handBuiltStack();
  World world(scene, settings);
  const std::vector<BodyId> bodies = world.bodies();
  const double weight = 9.81 * massProperties(scene.bodies.back()).mass;
  StackRun run;
  run.speed.name = run.penetration.name = name;
  const int steps = kSettleSteps + kPushSteps + kRestSteps;
  for (int k = 0; k < steps; ++k) {
    if (tipped && k >= kSettleSteps && k < kSettleSteps + kPushSteps) {
      world.applyForce(bodies.back(), {0, -1.5 * weight, 0}, {0, 0, -1.5 * weight * 0.45});
    }
    world.step();
    const StepReport report = world.report();
    run.speed.x.push_back((k + 1) * kStep);
    run.speed.y.push_back(report.rmsSpeed);
    run.penetration.x.push_back((k + 1) * kStep);
    run.penetration.y.push_back(report.penetrationMax);
    context.progress(name, k + 1, steps);
  }
  const std::vector<BodyState> states = world.states();
  for (size_t i = 0; i < states.size(); ++i) {
    if (scene.bodies[i].type != BodyType::Dynamic) continue;
    run.slide = std::max(run.slide, slideOf(states[i], scene.bodies[i].pose.p));
    run.heightRatio = std::min(run.heightRatio, states[i].pose.p.y / scene.bodies[i].pose.p.y);
  }
  context.picture(name, world, scene);
  return run;
}

Outcome normalStabilization(const Context& context) {
  constexpr int kIterations = 75;
  // Baumgarte's correction knows penetrations alone: contacts of bodies that touch. Cairn's rows see gaps within the envelope too; that is a curve of
  // its own.
  WorldSettings touching = table1(context, NormalStabilization::Baumgarte, Solver::Nncg, kIterations);
  const WorldSettings withGaps = touching, normal = table1(context, NormalStabilization::Silcowitz, Solver::Nncg, kIterations);
  touching.envelope = 1e-6;
  touching.growEnvelope = false;
  Outcome outcome;
  for (const bool tipped : {false, true}) {
    const std::string what = tipped ? "tipped stack" : "stack";
    const StackRun baumgarte = stack(context, touching, tipped, what + ", Baumgarte");
    const StackRun gaps = stack(context, withGaps, tipped, what + ", Baumgarte with rows for gaps");
    const StackRun ours = stack(context, normal, tipped, what + ", normal stabilization");
    outcome.panels.push_back({"Jitter: " + what, "time [s]", "rms speed [m/s]", true, {baumgarte.speed, gaps.speed, ours.speed}});
    outcome.panels.push_back({"Penetration: " + what, "time [s]", "largest [m]", false, {baumgarte.penetration, gaps.penetration, ours.penetration}});
    outcome.claims.push_back({what + ": Baumgarte jitters or blows up", "jitter, blow-ups",
                              fmt::format("height ratio {:.2f}, slide {:.1f} m; rms speed up to {:.2g} m/s after the first second; with rows for "
                                          "gaps {:.2f}, {:.2f} m, {:.2g} m/s",
                                          baumgarte.heightRatio, baumgarte.slide, largest(baumgarte.speed.y, 0.034), gaps.heightRatio, gaps.slide,
                                          largest(gaps.speed.y, 0.034)),
                              baumgarte.heightRatio < 0.5 || meanOf(baumgarte.speed.y, 0.8) > 0.05, ""});
    outcome.claims.push_back({what + ": Baumgarte penetrates visibly, normal stabilization does not", "visible penetration; none",
                              fmt::format("at most {:.3g} m against {:.3g} m", largest(baumgarte.penetration.y), largest(ours.penetration.y)),
                              largest(baumgarte.penetration.y) > 0.02 && largest(ours.penetration.y) < 0.002, ""});
    outcome.claims.push_back({what + ": with normal stabilization it stands, without blow-ups", "stands",
                              fmt::format("height ratio {:.3f}, slide {:.3f} m", ours.heightRatio, ours.slide),
                              ours.heightRatio > 0.95 && ours.slide < 0.2, ""});
    const double jitter = meanOf(ours.speed.y, 0.8);
    outcome.claims.push_back(
        {what + ": and does not jitter noticeably", "not noticeable", fmt::format("rms speed {:.2g} m/s at the end", jitter), jitter < 0.005, ""});
  }
  return outcome;
}

// --- friction stabilization: bricks put one on the other ----------------------------------------------------------

struct Brick {
  Vec3d place;
};

// Row by row from the ground, each with one less than the one below.
std::vector<Brick> rowsOf(int width, int rows, double length, double height) {
  std::vector<Brick> bricks;
  for (int row = 0; row < rows; ++row) {
    const int count = width - row;
    for (int i = 0; i < count; ++i) bricks.push_back({{length * (i - 0.5 * (count - 1)), height * (0.5 + row), 0}});
  }
  return bricks;
}

struct BuildRun {
  Curve slide;
  double heightRatio = 1;
};

BuildRun build(const Context& context, const std::vector<Brick>& bricks, Vec3d halfExtents, bool stabilized, const std::string& name) {
  constexpr int kStepsABrick = 5, kStandSteps = 200;
  WorldSettings settings = table1(context, NormalStabilization::Baumgarte, Solver::Pgs, 12);
  settings.frictionStabilization = stabilized;
  Scene scene = groundAlone();
  World world(scene, settings);
  std::vector<BodyId> placed;
  BuildRun run;
  run.slide.name = name;
  const int steps = kStepsABrick * static_cast<int>(bricks.size()) + kStandSteps;
  for (int k = 0; k < steps; ++k) {
    if (k % kStepsABrick == 0 && placed.size() < bricks.size()) {
      BodyDef brick;
      brick.pose.p = bricks[placed.size()].place;
      brick.shapes = {ShapeDef::box(halfExtents)};
      scene.add(brick);
      placed.push_back(world.addBody(brick));
    }
    world.step();
    double worst = 0;
    for (size_t i = 0; i < placed.size(); ++i) worst = std::max(worst, slideOf(world.state(placed[i]), bricks[i].place));
    run.slide.x.push_back((k + 1) * kStep);
    run.slide.y.push_back(worst);
    context.progress(name, k + 1, steps);
  }
  for (size_t i = 0; i < placed.size(); ++i) run.heightRatio = std::min(run.heightRatio, world.state(placed[i]).pose.p.y / bricks[i].place.y);
  context.picture(name, world, scene);
  return run;
}

Outcome frictionStabilization(const Context& context) {
  Outcome outcome;
  struct Building {
    std::string what;
    std::vector<Brick> bricks;
    Vec3d half;
  };
  const std::vector<Building> buildings{{"wall", rowsOf(6, 4, 1.02, 0.5), {0.5, 0.25, 0.25}}, {"stack", rowsOf(6, 6, 1.1, 1), {0.5, 0.5, 0.5}}};
  for (const Building& each : buildings) {
    const BuildRun without = build(context, each.bricks, each.half, false, each.what + ", without"),
                   with = build(context, each.bricks, each.half, true, each.what + ", with");
    outcome.panels.push_back({"Building a " + each.what + ": farthest slide of a body", "time [s]", "slide [m]", false, {without.slide, with.slide}});
    outcome.claims.push_back({each.what + ": without friction stabilization bodies slide and it comes apart", "slides, blows up",
                              fmt::format("slide {:.2f} m, height ratio {:.2f}", without.slide.y.back(), without.heightRatio),
                              without.slide.y.back() > 0.5 || without.heightRatio < 0.9, ""});
    outcome.claims.push_back({each.what + ": with it, it stands", "stands",
                              fmt::format("slide {:.3f} m, height ratio {:.2f}", with.slide.y.back(), with.heightRatio),
                              with.slide.y.back() < 0.1 && with.heightRatio > 0.8, ""});
  }
  return outcome;
}

}  // namespace

std::vector<Experiment> silcowitz() {
  return {{"normal-stabilization", "Silcowitz, Niebe and Erleben 2010, figure 3", "Stacks at h = 0.1 s: Baumgarte against normal stabilization",
           normalStabilization},
          {"friction-stabilization", "Silcowitz, Niebe and Erleben 2010, figure 4", "Building at h = 0.1 s with and without friction stabilization",
           frictionStabilization}};
}

}  // namespace cairn::experiments
