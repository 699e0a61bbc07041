// Joints without contacts: the chain of Cline and Pai, "Post-Stabilization for Rigid Body Simulation with Contact and Constraints", 2003, section VI
// A, figures 3 to 7, and the pendulum of Anitescu and Hart, "A constraint-stabilized time-stepping approach for rigid multibody dynamics with joints,
// contact and friction", 2004, section 5.3, figure 2. Errors are measured from the poses.
#include "src/experiments/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cairn::v0::experiments {
namespace {

// Distance of two bodies' halves of a joint [m].
double separationOf(const JointDef& joint, const std::vector<BodyState>& states) {
  const Posed &a = states[static_cast<size_t>(joint.bodyA)].pose, &b = states[static_cast<size_t>(joint.bodyB)].pose;
  return length(transform(b, joint.frameB.p) - transform(a, joint.frameA.p));
}

double largestSeparation(const Scene& scene, const std::vector<BodyState>& states) {
  double worst = 0;
  for (const JointDef& joint : scene.joints) worst = std::max(worst, separationOf(joint, states));
  return worst;
}

double speedOf(const std::vector<BodyState>& states) {
  double sum = 0;
  for (const BodyState& state : states) sum += dot(state.linearVelocity, state.linearVelocity);
  return std::sqrt(sum / static_cast<double>(states.size()));
}

struct Method {
  JointStabilization stabilization;
  double reduction = 0.2;  // Baumgarte's alpha h
  JointSolver solver = JointSolver::Direct;
};

struct HangingRun {
  std::vector<double> time, error, speed, before;  // [s], [m], rms [m/s]; before the post-step [m]
  Curve curve(const std::string& name, const std::vector<double>& y, double scale) const {
    Curve curve{name, time, y};
    for (double& value : curve.y) value *= scale;
    return curve;
  }
};

WorldSettings settingsFor(const Context& context, const Method& method, double h) {
  WorldSettings settings = plainSettings(context.base);
  settings.dt = h;
  settings.jointStabilization = method.stabilization;
  settings.jointErrorReduction = method.reduction;
  settings.jointSolver = method.solver;
  if (method.solver == JointSolver::Sweeps) settings.iterations = 10;
  return settings;
}

// The state before a post-step is not accessible: a second World without post-stabilization does the same step from the same poses and velocities.
class WithoutPostStep {
 public:
  WithoutPostStep(const Scene& scene, WorldSettings settings) : world_(scene, none(settings)) {}
  std::vector<BodyState> step(const std::vector<BodyState>& from) {
    const std::vector<BodyId> bodies = world_.bodies();
    for (size_t i = 0; i < bodies.size(); ++i) {
      world_.setPose(bodies[i], from[i].pose);
      world_.setVelocity(bodies[i], from[i].linearVelocity, from[i].angularVelocity);
    }
    world_.step();
    return world_.states();
  }

 private:
  static WorldSettings none(WorldSettings settings) {
    settings.jointStabilization = JointStabilization::None;
    return settings;
  }
  World world_;
};

HangingRun swing(const Context& context, const Scene& scene, const Method& method, double h, int steps, const std::string& name, bool picture) {
  const WorldSettings settings = settingsFor(context, method, h);
  World world(scene, settings);
  WithoutPostStep without(scene, settings);
  HangingRun run;
  for (int k = 1; k <= steps; ++k) {
    if (method.stabilization == JointStabilization::Post) run.before.push_back(largestSeparation(scene, without.step(world.states())));
    world.step();
    const std::vector<BodyState> states = world.states();
    run.time.push_back(k * h);
    run.error.push_back(largestSeparation(scene, states));
    run.speed.push_back(speedOf(states));
    context.progress(name, k, steps);
  }
  if (picture) context.picture(name, world, scene);
  return run;
}

// --- chain -----------------------------------------------------------------------------------------------------

constexpr double kChainStep = 0.001;  // [s]
constexpr int kChainSteps = 600;
constexpr size_t kWindows = 60;  // of the 600 steps, for stairs
constexpr double kAbout = 1.1;   // 'about' and 'around' an upper limit

struct Stairs {
  int flat = 0;               // windows in which the error grows by less than a fifth of the mean growth
  double fast = 0, slow = 0;  // growth in the half of the windows in which the chain is fastest, and in the other [m]
};

Stairs stairsOf(const HangingRun& run) {
  const size_t size = run.error.size() / kWindows;
  std::vector<std::pair<double, double>> windows;  // speed, growth
  for (size_t w = 0; w < kWindows; ++w) {
    const double from = w == 0 ? 0 : run.error[w * size - 1];
    const double w0 = static_cast<double>(w) / kWindows, w1 = static_cast<double>(w + 1) / kWindows;
    windows.push_back({meanOf(run.speed, w0, w1), run.error[(w + 1) * size - 1] - from});
  }
  Stairs stairs;
  const double mean = run.error.back() / kWindows;
  for (const auto& [speed, growth] : windows) stairs.flat += growth < 0.2 * mean ? 1 : 0;
  std::sort(windows.begin(), windows.end());
  for (size_t w = 0; w < kWindows; ++w) (w < kWindows / 2 ? stairs.slow : stairs.fast) += windows[w].second;
  return stairs;
}

// The number of changes from rising to falling or back.
int turnsOf(const std::vector<double>& values) {
  int turns = 0;
  for (size_t i = 2; i < values.size(); ++i) turns += (values[i] - values[i - 1]) * (values[i - 1] - values[i - 2]) < 0 ? 1 : 0;
  return turns;
}

bool climbsTo20(const HangingRun& run) { return run.error.back() >= 0.01 && run.error.back() <= 0.04; }
bool jagged(const HangingRun& run, const HangingRun& than) { return turnsOf(run.error) >= 5 * std::max(turnsOf(than.error), 1); }

std::string millimetres(double metres) { return fmt::format("{:.3g} mm", 1000 * metres); }

HangingRun runChain(const Context& context, const Scene& scene, const Method& method, const std::string& name, bool picture = false) {
  return swing(context, scene, method, kChainStep, kChainSteps, name, picture);
}

struct ChainRuns {
  HangingRun none, b10, b50, b200, b2000, post, pre;  // b: Baumgarte with this constant
};

ChainRuns runChains(const Context& context, const Scene& scene) {
  const auto baumgarte = [&](double alpha, bool picture = false) {
    return runChain(context, scene, {JointStabilization::Baumgarte, alpha * kChainStep}, fmt::format("Baumgarte {}", alpha), picture);
  };
  ChainRuns runs;
  runs.none = runChain(context, scene, {JointStabilization::None}, "no stabilization", true);
  runs.b10 = baumgarte(10);
  runs.b50 = baumgarte(50);
  runs.b200 = baumgarte(200);
  runs.b2000 = baumgarte(2000, true);
  runs.post = runChain(context, scene, {JointStabilization::Post}, "post-stabilization", true);
  runs.pre = runChain(context, scene, {JointStabilization::Pre}, "pre-stabilization", true);
  return runs;
}

void plotChains(const ChainRuns& runs, Outcome& outcome) {
  const auto millis = [](const HangingRun& of, const std::string& name) { return of.curve(name, of.error, 1000); };
  const std::string x = "time [s]", y = "largest joint separation [mm]";
  outcome.panels.push_back({"No stabilization (figure 3)", x, y, false, {millis(runs.none, "no stabilization")}});
  outcome.panels.push_back({"Baumgarte (figure 4)", x, y, false, {millis(runs.b50, "constant 50"), millis(runs.b200, "constant 200")}});
  outcome.panels.push_back({"Baumgarte (figure 5)", x, y, false, {millis(runs.b2000, "constant 2000")}});
  outcome.panels.push_back({"Post-stabilization (figures 6, 7), and ours",
                            x,
                            y,
                            true,
                            {runs.post.curve("before the post-step", runs.post.before, 1000), millis(runs.post, "after the post-step"),
                             millis(runs.pre, "ours: pre-stabilization")}});
}

// The paper does not give gravity. Evidence that a claim which does not hold would hold with another one; empty: none was found.
struct OtherGravities {
  std::string climbs, jiggles;
};

OtherGravities measureGravities(const Context& context, const Scene& scene, Outcome& outcome) {
  OtherGravities evidence;
  for (const double gravity : {20.0, 40.0, 60.0, 98.1}) {
    Scene heavy = scene;
    heavy.gravity = {0, -gravity, 0};
    const auto with = [&](const Method& method) { return swing(context, heavy, method, kChainStep, kChainSteps, "other gravity", false); };
    const auto constant = [&](double alpha) { return with({JointStabilization::Baumgarte, alpha * kChainStep}); };
    const HangingRun free = with({JointStabilization::None}), h50 = constant(50), h200 = constant(200), h2000 = constant(2000),
                     hPost = with({JointStabilization::Post}), hPre = with({JointStabilization::Pre});
    if (evidence.climbs.empty() && climbsTo20(free)) evidence.climbs = fmt::format("with {} m/s^2 it is {}", gravity, millimetres(free.error.back()));
    if (evidence.jiggles.empty() && jagged(h2000, h50))
      evidence.jiggles = fmt::format("with {} m/s^2 it is {} turns against {}", gravity, turnsOf(h2000.error), turnsOf(h50.error));
    outcome.alsoMeasured.push_back(
        {fmt::format("gravity {} m/s^2", gravity),
         fmt::format("none {} at 0.6 s, {} of {} times flat; constant 50 {}, 200 {}, 2000 {} ({} turns against {}); post-stabilization {} before, {} "
                     "after; pre-stabilization {}",
                     millimetres(free.error.back()), stairsOf(free).flat, kWindows, millimetres(largest(h50.error)), millimetres(largest(h200.error)),
                     millimetres(largest(h2000.error)), turnsOf(h2000.error), turnsOf(h50.error), millimetres(largest(hPost.before)),
                     millimetres(largest(hPost.error)), millimetres(largest(hPre.error)))});
  }
  return evidence;
}

void claimChains(const ChainRuns& runs, const OtherGravities& gravities, Outcome& outcome) {
  const auto onGravity = [](const std::string& evidence) {
    return evidence.empty()
               ? ""
               : "it depends on gravity, which the paper does not give: " + evidence + ". That the paper's gravity is the reason is a guess";
  };
  const Stairs stairs = stairsOf(runs.none);
  outcome.claims.push_back({"without stabilization the error climbs to around 20 mm by 0.6 s (10 to 40 mm)", "around 20 mm",
                            fmt::format("{} at 0.6 s", millimetres(runs.none.error.back())), climbsTo20(runs.none), onGravity(gravities.climbs)});
  outcome.claims.push_back({"it grows in stairs (of 60 equal times a quarter or more in which it grows by less than a fifth of the mean)",
                            "stair steps", fmt::format("{} of {}", stairs.flat, kWindows), 4 * stairs.flat >= static_cast<int>(kWindows), ""});
  outcome.claims.push_back({"and rapidly when the chain is moving more quickly (more in the half of the times in which it is faster)", "rapidly",
                            fmt::format("{} against {}", millimetres(stairs.fast), millimetres(stairs.slow)), stairs.fast > stairs.slow, ""});
  outcome.claims.push_back({"Baumgarte's constant 50: at most around 5 mm (a tenth more)", "around 5 mm", millimetres(largest(runs.b50.error)),
                            largest(runs.b50.error) <= kAbout * 0.005, ""});
  outcome.claims.push_back({"200: better, never above 3 mm", "slightly better, never exceeding 3 mm", millimetres(largest(runs.b200.error)),
                            largest(runs.b200.error) <= 0.003 && largest(runs.b200.error) < largest(runs.b50.error), ""});
  outcome.claims.push_back({"below 50 the error becomes much larger (10: more than twice that of 50)", "much larger",
                            fmt::format("constant 10: {}", millimetres(largest(runs.b10.error))),
                            largest(runs.b10.error) > 2 * largest(runs.b50.error), ""});
  outcome.claims.push_back({"2000: the chain jiggles, the graph is quite jagged (turns up and down five times as often as that of 50)",
                            "quite jagged",
                            fmt::format("{} turns in {} steps against {}", turnsOf(runs.b2000.error), kChainSteps, turnsOf(runs.b50.error)),
                            jagged(runs.b2000, runs.b50), onGravity(gravities.jiggles)});
  outcome.claims.push_back({"2000: quantitatively not much worse than 50 (half as much again at most)", "not much worse",
                            fmt::format("{} against {}", millimetres(largest(runs.b2000.error)), millimetres(largest(runs.b50.error))),
                            largest(runs.b2000.error) <= 1.5 * largest(runs.b50.error), ""});
  outcome.claims.push_back({"post-stabilization: before the post-step below 0.5 mm", "figure 6: below 0.5 mm", millimetres(largest(runs.post.before)),
                            largest(runs.post.before) < 0.0005, ""});
  outcome.claims.push_back({"post-stabilization: after it never above 0.01 mm", "never above 0.01 mm", millimetres(largest(runs.post.error)),
                            largest(runs.post.error) <= 1e-5, ""});
  outcome.claims.push_back({"ours, pre-stabilization (Weinstein et al. 2006): never above what the paper has after post-stabilization", "0.01 mm",
                            millimetres(largest(runs.pre.error)), largest(runs.pre.error) <= 1e-5, ""});
}

void measureOtherMethods(const Context& context, const Scene& scene, Outcome& outcome) {
  outcome.alsoMeasured.push_back({"Anitescu and Hart's linearization (anitescu-hart), h = 0.001 s",
                                  millimetres(largest(runChain(context, scene, {JointStabilization::AnitescuHart}, "anitescu-hart").error))});
  for (const double h : {0.01, 1.0 / 60}) {
    const auto coarse = [&](JointStabilization stabilization) {
      return swing(context, scene, {stabilization}, h, static_cast<int>(std::lround(0.6 / h)), "coarse", false);
    };
    const HangingRun coarsePost = coarse(JointStabilization::Post), coarsePre = coarse(JointStabilization::Pre);
    outcome.alsoMeasured.push_back(
        {fmt::format("h = {:.3g} s", h),
         fmt::format("post-stabilization {} before, {} after; pre-stabilization {}", millimetres(largest(coarsePost.before)),
                     millimetres(largest(coarsePost.error)), millimetres(largest(coarsePre.error)))});
  }
  const HangingRun sweptPost = runChain(context, scene, {JointStabilization::Post, 0.2, JointSolver::Sweeps}, "post, sweeps"),
                   sweptPre = runChain(context, scene, {JointStabilization::Pre, 0.2, JointSolver::Sweeps}, "pre, sweeps");
  outcome.alsoMeasured.push_back({"joints by 10 sweeps instead of all at once (--joint-solver sweeps)",
                                  fmt::format("post-stabilization {} before, {} after; pre-stabilization {}", millimetres(largest(sweptPost.before)),
                                              millimetres(largest(sweptPost.error)), millimetres(largest(sweptPre.error)))});
}

Outcome chain(const Context& context) {
  const Scene scene = loadScene("cline-pai-chain");
  const ChainRuns runs = runChains(context, scene);
  Outcome outcome;
  plotChains(runs, outcome);
  const OtherGravities gravities = measureGravities(context, scene, outcome);
  claimChains(runs, gravities, outcome);
  measureOtherMethods(context, scene, outcome);
  return outcome;
}

// --- pendulum --------------------------------------------------------------------------------------------------

constexpr double kPendulumStep = 0.1;  // [s]
constexpr int kPendulumSteps = 1000;

struct Quarters {
  double value[4];
  bool rises() const { return value[0] < value[1] && value[1] < value[2] && value[2] < value[3]; }
  bool bounded() const { return std::max({value[1], value[2], value[3]}) <= value[0]; }
};

Quarters largestOf(const std::vector<double>& values) {
  return {{largest(values, 0, 0.25), largest(values, 0.25, 0.5), largest(values, 0.5, 0.75), largest(values, 0.75)}};
}
Quarters meansOf(const std::vector<double>& values) {
  return {{meanOf(values, 0, 0.25), meanOf(values, 0.25, 0.5), meanOf(values, 0.5, 0.75), meanOf(values, 0.75)}};
}
std::string listed(const Quarters& q, const char* unit, int digits = 3) {
  return fmt::format("{:.{}g}, {:.{}g}, {:.{}g}, {:.{}g} {} in the quarters", q.value[0], digits, q.value[1], digits, q.value[2], digits, q.value[3],
                     digits, unit);
}

// drifts: another pendulum with which the velocity projection drifts off to the end; empty: none was found.
void claimPendulum(const HangingRun& none, const HangingRun& linear, const std::string& drifts, Outcome& outcome) {
  const Quarters drift = meansOf(none.error), held = largestOf(linear.error), heldMeans = meansOf(linear.error);
  outcome.claims.push_back(
      {"velocity projection: the infeasibility drifts off (each quarter's mean is above the one before)", "drifts off", listed(drift, "m", 6),
       drift.rises(),
       drifts.empty()
           ? ""
           : "projection onto the velocities' constraint takes energy, and a rod of 1 m hangs still after 10 s of such long steps. It depends "
             "on the pendulum, which the paper does not describe: with " +
                 drifts});
  outcome.claims.push_back(
      {"linearization: it remains bounded (no quarter's largest is above the first's)", "bounded", listed(held, "m"), held.bounded(), ""});
  outcome.claims.push_back({"linearization: in fact it decreases (the last quarter's mean is below the first's)", "decreases", listed(heldMeans, "m"),
                            heldMeans.value[3] < heldMeans.value[0], ""});
  const Quarters fast = largestOf(none.speed), calm = largestOf(linear.speed);
  outcome.claims.push_back(
      {"the same read of the speed, which the paper's words have: with velocity projection it drifts off (each quarter's largest "
       "is above the one before)",
       "the velocity drifts off", listed(fast, "m/s"), fast.rises(),
       "projection takes energy in every step and the speed can only fall; what figure 2 has is the infeasibility, which is what the "
       "words must mean"});
  outcome.claims.push_back(
      {"with linearization the speed remains bounded and decreases (no quarter's largest is above the first's, the last below it)",
       "bounded, decreases", listed(calm, "m/s"), calm.bounded() && calm.value[3] < calm.value[0], ""});
}

Outcome pendulum(const Context& context) {
  const Scene rod = loadScene("pendulum");
  const auto run = [&](JointStabilization stabilization, const Scene& scene, const std::string& name, bool picture = false) {
    return swing(context, scene, {stabilization}, kPendulumStep, kPendulumSteps, name, picture);
  };
  const HangingRun none = run(JointStabilization::None, rod, "velocity projection", true),
                   linear = run(JointStabilization::AnitescuHart, rod, "linearization", true),
                   pre = run(JointStabilization::Pre, rod, "pre-stabilization", true);
  Outcome outcome;
  const auto panel = [&](const char* title, const char* y, bool logarithmic, std::vector<double> HangingRun::*what) {
    outcome.panels.push_back({title,
                              "time [s]",
                              y,
                              logarithmic,
                              {none.curve("velocity projection", none.*what, 1), linear.curve("linearization", linear.*what, 1),
                               pre.curve("ours: pre-stabilization", pre.*what, 1)}});
  };
  panel("Constraint infeasibility (figure 2)", "infeasibility [m]", true, &HangingRun::error);
  panel("Speed", "speed [m/s]", false, &HangingRun::speed);

  std::string drifts;
  const auto others = [&](const std::string& what, const Scene& scene) {
    const HangingRun otherNone = run(JointStabilization::None, scene, "none"),
                     otherLinear = run(JointStabilization::AnitescuHart, scene, "linearization"),
                     otherPre = run(JointStabilization::Pre, scene, "pre");
    const Quarters means = meansOf(otherNone.error);
    // The drift has to last until the end, not only until the rod hangs still.
    if (drifts.empty() && means.rises() && means.value[3] > 1.1 * means.value[2]) drifts = fmt::format("{}: {}", what, listed(means, "m"));
    outcome.alsoMeasured.push_back({what, fmt::format("infeasibility at most: velocity projection {}; linearization {}; pre-stabilization {}",
                                                      listed(largestOf(otherNone.error), "m"), listed(largestOf(otherLinear.error), "m"),
                                                      listed(largestOf(otherPre.error), "m"))});
  };
  others("let go at 30 degrees instead of 90", loadScene("pendulum:angle=30"));
  for (const double times : {10.0, 100.0, 1000.0}) {
    Scene slow = rod;
    slow.gravity = {0, -9.81 / times, 0};
    others(fmt::format("gravity {:.3g} m/s^2, with which the rod swings like one {:.0f} times as long", 9.81 / times, times), slow);
  }
  claimPendulum(none, linear, drifts, outcome);
  outcome.alsoMeasured.push_back({"pre-stabilization", fmt::format("infeasibility {}; largest speed {}", listed(largestOf(pre.error), "m"),
                                                                   listed(largestOf(pre.speed), "m/s"))});
  outcome.alsoMeasured.push_back(
      {"post-stabilization", fmt::format("infeasibility {}", listed(largestOf(run(JointStabilization::Post, rod, "post").error), "m"))});
  return outcome;
}

}  // namespace

std::vector<Experiment> hanging() {
  return {{"cline-pai-chain", "Cline and Pai 2003, figures 3 to 7", "A chain of six links let go, by stabilization", chain},
          {"pendulum", "Anitescu and Hart 2004, figure 2", "A pendulum over 1,000 long steps, by stabilization", pendulum}};
}

}  // namespace cairn::v0::experiments
