// Silcowitz, Niebe and Erleben, "Normal and Friction Stabilization Techniques for Interactive Rigid Body Constraint-based Contact Force Simulations",
// 2010, section 4 and table 1. The paper judges an interactive scene by eye; here forces and bricks are scripted, and numbers judge. The paper does
// not say whether its solvers start from zero in every step: here they do, and runs with warm starts are measured beside them.
#include "src/experiments/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace cairn::v0::experiments {
namespace {

constexpr double kStep = 0.1;         // [s]
constexpr double kEnvelope = 0.0625;  // eta [m]
constexpr double kClamp = 2;          // [m/s]
constexpr double kBaumgarte = 0.5;

// Limits for what an eye would see. They are ours, and the same for every method.
constexpr double kVisible = 0.02;      // [m] a penetration, 1/50 of a box
constexpr double kJitter = 0.005;      // [m/s] rms speed, mean of the last fifth of a run
constexpr double kStands = 0.8;        // smallest height of a body over where it was put
constexpr double kVisibleSlide = 0.1;  // [m]

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

// Horizontal distance of a body from where it was put.
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

// Equation 9 as it stands, for every contact within the envelope, gaps too: a gap may close by half.
WorldSettings equation9(const Context& context, int iterations) {
  WorldSettings settings = table1(context, NormalStabilization::AnitescuHart, Solver::Nncg, iterations);
  settings.gamma = kBaumgarte;
  return settings;
}

// --- normal stabilization: a stack, and a stack that is tipped ----------------------------------------------------

constexpr int kHeight = 6;
constexpr int kSettleSteps = 100, kPushSteps = 30, kRestSteps = 170;

// Boxes as a hand would stack them: a little aside, a little turned, released a little above.
Scene handBuiltStack(int count = kHeight, double edge = 1) {
  Scene scene = groundAlone();
  constexpr double kAside[kHeight][3] = {{0.02, -0.04, 0.1},  {-0.03, 0.01, -0.15}, {0.04, 0.03, 0.05},
                                         {-0.01, -0.02, 0.2}, {0.03, 0.04, -0.1},   {-0.04, 0.0, 0.12}};
  for (int i = 0; i < count; ++i) {
    const double* aside = kAside[i % kHeight];
    BodyDef box;
    box.pose.p = {edge * aside[0], edge * (0.5 + 1.02 * i + 0.02), edge * aside[1]};
    box.pose.q = quatFromRotationVector(Vec3d{0, aside[2], 0});
    box.shapes = {ShapeDef::box({0.5 * edge, 0.5 * edge, 0.5 * edge})};
    scene.add(box);
  }
  return scene;
}

Scene alignedTower() {
  Scene scene = groundAlone();
  for (int i = 0; i < kHeight; ++i) {
    BodyDef box;
    box.pose.p = {0, 0.5 + i, 0};
    box.shapes = {ShapeDef::box({0.5, 0.5, 0.5})};
    scene.add(box);
  }
  return scene;
}

struct StackRun {
  Curve speed, penetration;
  double slide = 0, heightRatio = 1;
};

// A stack is tipped by a force near the edge of its top box, downwards, one and a half times the box' weight.
StackRun stack(const Context& context, const Scene& scene, const WorldSettings& settings, bool tipped, const std::string& name, bool picture) {
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
  if (picture) context.picture(name, world, scene);
  return run;
}

double jitterOf(const StackRun& run) { return meanOf(run.speed.y, 0.8); }
double depthOf(const StackRun& run) { return largest(run.penetration.y); }
bool blewUp(const StackRun& run) { return run.heightRatio < kStands; }

std::string figures(const StackRun& run) {
  return fmt::format("penetration at most {:.2g} m, rms speed {:.2g} m/s at the end, height ratio {:.2f}, slide {:.2f} m", depthOf(run),
                     jitterOf(run), run.heightRatio, run.slide);
}

// Two readings of the paper's Baumgarte, its normal stabilization, and Baumgarte without contacts before bodies touch, which is not the paper's.
struct StackMethods {
  WorldSettings literal, closing, normal, touching;
  std::vector<std::pair<WorldSettings, std::string>> named() const {
    return {{literal, "Baumgarte, equation 9"}, {closing, "Baumgarte, gaps may close"}, {normal, "normal stabilization"}};
  }
};

void compareOnStack(const Context& context, const StackMethods& methods, bool tipped, Outcome& outcome) {
  const std::string what = tipped ? "tipped stack" : "stack";
  const auto run = [&](const WorldSettings& settings, const std::string& method) {
    return stack(context, handBuiltStack(), settings, tipped, what + ", " + method, true);
  };
  const StackRun nine = run(methods.literal, "Baumgarte, equation 9"), closing = run(methods.closing, "Baumgarte, gaps may close"),
                 ours = run(methods.normal, "normal stabilization"), touched = run(methods.touching, "Baumgarte, envelope 1e-6 m, not as the paper");
  outcome.panels.push_back({"Jitter: " + what, "time [s]", "rms speed [m/s]", true, {nine.speed, closing.speed, ours.speed, touched.speed}});
  outcome.panels.push_back(
      {"Penetration: " + what, "time [s]", "largest [m]", false, {nine.penetration, closing.penetration, ours.penetration, touched.penetration}});
  // A claim holds if both readings of the paper's Baumgarte show it, with the paper's envelope. Where it does not hold, the run with another
  // envelope is the evidence for the reason.
  const auto claimOfBaumgarte = [&](const std::string& does, const std::string& paper, auto measure, auto shows) {
    const bool holds = shows(nine) && shows(closing);
    const std::string evidence =
        "contacts within the envelope of 0.0625 m are rows before boxes touch. Without them (envelope 1e-6 m, not the paper's) the stack falls, "
        "before "
        "it is pressed: " +
        figures(touched);
    outcome.claims.push_back({what + ": Baumgarte " + does, paper,
                              fmt::format("equation 9 for all contacts in the envelope {}; gaps may close (--normal-stabilization baumgarte) {}",
                                          measure(nine), measure(closing)),
                              holds, !holds && shows(touched) ? evidence : ""});
  };
  claimOfBaumgarte(
      "penetrates visibly (over 20 mm)", "visible penetration", [](const StackRun& r) { return fmt::format("{:.2g} m", depthOf(r)); },
      [](const StackRun& r) { return depthOf(r) > kVisible; });
  claimOfBaumgarte(
      "jitters (rms speed over 5 mm/s in the last fifth)", "jittering", [](const StackRun& r) { return fmt::format("{:.2g} m/s", jitterOf(r)); },
      [](const StackRun& r) { return jitterOf(r) > kJitter; });
  claimOfBaumgarte(
      "even blows up (a body below 0.8 of its height at the end)", "simulation blow ups",
      [](const StackRun& r) { return fmt::format("height ratio {:.2f}", r.heightRatio); }, blewUp);
  outcome.claims.push_back({what + ": normal stabilization does not produce these artefacts (the same limits)", "none of these", figures(ours),
                            depthOf(ours) <= kVisible && jitterOf(ours) <= kJitter && !blewUp(ours), ""});
  outcome.alsoMeasured.push_back({what + ", Baumgarte with an envelope of 1e-6 m", figures(touched)});
  for (const auto& [settings, method] : methods.named()) {
    WorldSettings grown = settings;
    grown.growEnvelope = true;
    outcome.alsoMeasured.push_back({what + ", " + method + ", envelope that grows with speed",
                                    figures(stack(context, handBuiltStack(), grown, tipped, what + ", " + method, false))});
  }
}

// Warm starts, other sizes, and boxes that are aligned.
void measureOtherStacks(const Context& context, const StackMethods& methods, Outcome& outcome) {
  const auto also = [&](const std::string& what, const Scene& scene, const WorldSettings& settings) {
    outcome.alsoMeasured.push_back({what, figures(stack(context, scene, settings, false, what, false))});
  };
  for (const auto& [settings, method] : methods.named()) {
    WorldSettings warm = settings;
    warm.warmStart = true;
    also("stack, warm starts, " + method, handBuiltStack(), warm);
  }
  const std::tuple<int, double, const char*> sizes[] = {
      {12, 1, "a stack of twelve such boxes"}, {6, 0.25, "a stack of six boxes of 0.25 m"}, {12, 0.5, "a stack of twelve boxes of 0.5 m"}};
  for (const auto& [count, edge, what] : sizes) {
    for (const auto& [settings, method] : methods.named()) also(std::string(what) + ", " + method, handBuiltStack(count, edge), settings);
  }
  for (const auto& [settings, method] : methods.named()) also("an aligned tower of six boxes, " + method, alignedTower(), settings);
  also("an aligned tower of six boxes, Baumgarte with an envelope of 1e-6 m", alignedTower(), methods.touching);
}

Outcome normalStabilization(const Context& context) {
  constexpr int kIterations = 75;
  StackMethods methods;
  methods.literal = equation9(context, kIterations);
  methods.closing = table1(context, NormalStabilization::Baumgarte, Solver::Nncg, kIterations);
  methods.normal = table1(context, NormalStabilization::Silcowitz, Solver::Nncg, kIterations);
  methods.touching = methods.closing;
  methods.touching.envelope = 1e-6;
  Outcome outcome;
  for (const bool tipped : {false, true}) compareOnStack(context, methods, tipped, outcome);
  measureOtherStacks(context, methods, outcome);
  return outcome;
}

// --- friction stabilization: bricks put one on the other ----------------------------------------------------------

struct Brick {
  Vec3d place, half;
};

// Row by row from the ground, each with one less than the one below.
std::vector<Brick> shrinkingRows(int width, int rows, double pitch, Vec3d half) {
  std::vector<Brick> bricks;
  for (int row = 0; row < rows; ++row) {
    const int count = width - row;
    for (int i = 0; i < count; ++i) bricks.push_back({{pitch * (i - 0.5 * (count - 1)), half.y * (1 + 2 * row), 0}, half});
  }
  return bricks;
}

// Odd rows are half a brick to the side: with half bricks at both ends, flush with the even rows, or one brick narrower.
std::vector<Brick> straightWall(int width, int rows, bool halfBricks) {
  constexpr double kPitch = 1.02;
  const Vec3d half{0.5, 0.25, 0.25}, small{0.24, 0.25, 0.25};
  std::vector<Brick> bricks;
  for (int row = 0; row < rows; ++row) {
    const bool odd = row % 2 == 1;
    const int count = odd ? width - 1 : width;
    const double y = half.y * (1 + 2 * row), end = 0.5 * kPitch * (width - 1) + half.x - small.x;
    if (odd && halfBricks) bricks.push_back({{-end, y, 0}, small});
    for (int i = 0; i < count; ++i) bricks.push_back({{kPitch * (i - 0.5 * (count - 1)), y, 0}, half});
    if (odd && halfBricks) bricks.push_back({{end, y, 0}, small});
  }
  return bricks;
}

struct BuildRun {
  Curve slide;
  double heightRatio = 1;
  bool stands() const { return heightRatio > kStands; }
  bool slides() const { return slide.y.back() > kVisibleSlide; }
};

struct BuildSetup {
  int stepsABrick = 5;  // 0: all of them at once
  int sweeps = 12;
  bool warmStart = false, growEnvelope = false;
};

BuildRun build(const Context& context, const std::vector<Brick>& bricks, const BuildSetup& setup, bool stabilized, const std::string& name,
               bool picture) {
  constexpr int kStandSteps = 200;
  WorldSettings settings = table1(context, NormalStabilization::Baumgarte, Solver::Pgs, setup.sweeps);
  settings.frictionStabilization = stabilized;
  settings.warmStart = setup.warmStart;
  settings.growEnvelope = setup.growEnvelope;
  Scene scene = groundAlone();
  World world(scene, settings);
  std::vector<BodyId> placed;
  BuildRun run;
  run.slide.name = name;
  const int steps = setup.stepsABrick * static_cast<int>(bricks.size()) + kStandSteps;
  for (int k = 0; k < steps; ++k) {
    while (placed.size() < bricks.size() && static_cast<int>(placed.size()) * setup.stepsABrick <= k) {
      BodyDef brick;
      brick.pose.p = bricks[placed.size()].place;
      brick.shapes = {ShapeDef::box(bricks[placed.size()].half)};
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
  if (picture) context.picture(name, world, scene);
  return run;
}

std::string figures(const BuildRun& run) {
  return fmt::format("{} (height ratio {:.2f}, slide {:.2g} m)", run.stands() ? "stands" : "falls", run.heightRatio, run.slide.y.back());
}

// Without and with friction stabilization.
std::string bothWays(const Context& context, const std::vector<Brick>& bricks, const BuildSetup& setup) {
  return fmt::format("without {}, with {}", figures(build(context, bricks, setup, false, "without", false)),
                     figures(build(context, bricks, setup, true, "with", false)));
}

void claimStraightWalls(const Context& context, Outcome& outcome) {
  BuildSetup moreSweeps;
  moreSweeps.sweeps = 100;
  int walls = 0, stand = 0, stay = 0, standWithout = 0, stayMore = 0, stayMoreWithout = 0;
  for (const int width : {4, 6}) {
    for (const int rows : {4, 5}) {
      const std::vector<Brick> bricks = straightWall(width, rows, true);
      const std::string what = fmt::format("wall with straight ends, {} bricks wide, {} rows, half bricks in odd rows", width, rows);
      const BuildRun without = build(context, bricks, {}, false, what, false), with = build(context, bricks, {}, true, what, false),
                     moreWithout = build(context, bricks, moreSweeps, false, what, false),
                     more = build(context, bricks, moreSweeps, true, what, false);
      ++walls;
      standWithout += without.stands() ? 1 : 0;
      stand += with.stands() ? 1 : 0;
      stay += with.stands() && !with.slides() ? 1 : 0;
      stayMore += more.stands() && !more.slides() ? 1 : 0;
      stayMoreWithout += moreWithout.stands() && !moreWithout.slides() ? 1 : 0;
      outcome.alsoMeasured.push_back({what, fmt::format("without {}, with {}; 100 sweeps: without {}, with {}", figures(without), figures(with),
                                                        figures(moreWithout), figures(more))});
    }
  }
  outcome.claims.push_back(
      {"walls with straight ends (half bricks in odd rows, 4 and 6 bricks wide, 4 and 5 rows): with it they do not slide and they stand",
       "no sliding, stands",
       fmt::format("{} of {}; {} of {} stand if sliding is let be, {} without friction stabilization", stay, walls, stand, walls, standWithout),
       stay == walls,
       stayMore == walls
           ? fmt::format("12 sweeps from zero are too few for them: after 100 sweeps all {} stand and stay with friction stabilization, {} "
                         "without",
                         walls, stayMoreWithout)
           : ""});
}

Outcome frictionStabilization(const Context& context) {
  Outcome outcome;
  const Vec3d brick{0.5, 0.25, 0.25}, box{0.5, 0.5, 0.5};
  const std::pair<std::string, std::vector<Brick>> buildings[] = {{"wall whose rows shrink by one", shrinkingRows(6, 4, 1.02, brick)},
                                                                  {"stack whose rows shrink by one", shrinkingRows(6, 6, 1.1, box)}};
  BuildSetup warm, grown, atOnce;
  warm.warmStart = true;
  grown.growEnvelope = true;
  atOnce.stepsABrick = 0;
  for (const auto& building : buildings) {
    const auto& what = building.first;  // no structured binding: the function below could not use it
    const auto& bricks = building.second;
    BuildRun without = build(context, bricks, {}, false, what + ", without", true), with = build(context, bricks, {}, true, what + ", with", true);
    without.slide.name = "without friction stabilization";
    with.slide.name = "with friction stabilization";
    outcome.panels.push_back({"Building a " + what + ": farthest slide of a body", "time [s]", "slide [m]", false, {without.slide, with.slide}});
    const auto ours = [&](const BuildRun& cold, bool stabilized) {
      return fmt::format("sweeps from zero: {}; warm starts: {}; the paper does not say which", figures(cold),
                         figures(build(context, bricks, warm, stabilized, what + ", warm starts", false)));
    };
    outcome.claims.push_back({what + ": without friction stabilization bodies slide (over 0.1 m) and it blows up (a body below 0.8 of its height)",
                              "slides, blows up", ours(without, false), without.slides() && !without.stands(), ""});
    outcome.claims.push_back({what + ": with it they do not slide and it stands (the same limits)", "no sliding, stands", ours(with, true),
                              !with.slides() && with.stands(), ""});
    outcome.alsoMeasured.push_back({what + ", envelope that grows with speed", bothWays(context, bricks, grown)});
  }
  claimStraightWalls(context, outcome);
  for (const int width : {4, 6}) {
    for (const int rows : {4, 5}) {
      outcome.alsoMeasured.push_back(
          {fmt::format(
               "wall with straight ends, {} bricks wide, {} rows, odd rows one brick narrower (the third row's end bricks have their centre 1 cm "
               "beyond what they stand on)",
               width, rows),
           bothWays(context, straightWall(width, rows, false), {})});
    }
  }
  for (const int rows : {4, 6}) {
    outcome.alsoMeasured.push_back({fmt::format("wall with straight ends, 6 bricks wide, {} rows, half bricks in odd rows, put there at once", rows),
                                    bothWays(context, straightWall(6, rows, true), atOnce)});
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

}  // namespace cairn::v0::experiments
