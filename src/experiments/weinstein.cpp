// Weinstein, Teran and Fedkiw, "Dynamic Simulation of Articulated Rigid Bodies with Contact and Collision", 2006, section VII: magnets, net, bridge,
// rings and skeletons with the paper's numbers of bodies and joints, default settings. The paper's bodies are meshes, not convex; here they are
// compounds of convex shapes. The tank is in tank_experiment.cpp.
#include "src/experiments/articulated_experiment.hpp"

#include <cairn/names.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cairn::v0::experiments {
namespace {

constexpr const char* kTenSweeps = "10 sweeps more over the joints alone (--joint-sweeps 10)";
constexpr double kAboutFive = 0.075;  // 'about 5 %' of the time: half as much again

struct SceneRun {
  Trajectory run;
  std::vector<BodyState> states;
};

SceneRun runScene(const Context& context, const Scene& scene, const RunPlan& plan, Effort effort = {}) {
  WorldSettings settings = timedSettings(context);
  settings.jointSweeps = effort.jointSweeps;
  settings.substeps = effort.substeps;
  World world(scene, settings);
  SceneRun ended;
  ended.run = follow(context, world, scene, plan);
  ended.states = world.states();
  return ended;
}

void addPanels(Outcome& outcome, const std::vector<std::pair<std::string, const Trajectory*>>& runs) {
  Panel error{"Largest joint error", "time [s]", "error [mm]", true, {}}, speed{"Speed", "time [s]", "rms [m/s]", true, {}};
  for (const auto& [name, run] : runs) {
    error.curves.push_back(run->missCurve(name));
    speed.curves.push_back(run->speedCurve(name));
  }
  outcome.panels.push_back(error);
  outcome.panels.push_back(speed);
}

Claim timeClaim(const JointShare& share) {
  return {
      "joints take about 5 % of the time (7.5 % at most)", "about 5 % of the CPU time",
      fmt::format("{:.0f} % ({:.3g} ms a step with joints, {:.3g} ms without)", 100 * share.share, share.with, share.without),
      share.share <= kAboutFive,
      "the paper's bodies are meshes, 2.9 million triangles of rings, over 20 million of skeletons, whose contacts take a day and two; contacts of "
      "these few convex shapes take milliseconds a step, and the same joints are a larger part of it"};
}

Claim countClaim(const std::string& claim, const std::string& paper, const std::string& ours, bool holds) { return {claim, paper, ours, holds, ""}; }

// --- magnets ---------------------------------------------------------------------------------------------------

constexpr double kLetterHalf = 0.03;  // [m] of a letter's height

// The largest distance of a letter's corners from the plane they start in, which is parallel to the door's face; z is where the letter started.
double offTheFace(const BodyState& letter, double z) {
  const Vec3d normal = rotate(letter.pose.q, Vec3d{0, 0, 1});
  return std::abs(letter.pose.p.z - z) + kLetterHalf * std::sqrt(std::max(0.0, 1 - normal.z * normal.z));
}

Outcome magnets(const Context& context) {
  const Scene scene = loadScene("magnets");
  const size_t first = scene.bodies.size() - scene.joints.size();
  const size_t door = namedBodies(scene, "refrigerator").front();
  double off = 0;
  int beside = 0;
  RunPlan plan{"magnets", 600, first, kAllBodies, {30, 120, 600}};
  plan.after = [&](int, const std::vector<BodyState>& states) {
    beside = 0;
    for (size_t i = first; i < states.size(); ++i) {
      off = std::max(off, offTheFace(states[i], scene.bodies[i].pose.p.z));
      const ShapeDef& face = scene.bodies[door].shapes.front();
      beside += std::abs(states[i].pose.p.x - scene.bodies[door].pose.p.x) > face.halfExtents.x ? 1 : 0;
    }
  };
  const SceneRun ended = runScene(context, scene, plan);
  size_t lower = 0;
  double minFall = 1e9, maxFall = 0;
  for (size_t i = first; i < scene.bodies.size(); ++i) {
    const double fell = scene.bodies[i].pose.p.y - ended.states[i].pose.p.y;
    lower += fell > 0.01 ? 1 : 0;
    minFall = std::min(minFall, fell);
    maxFall = std::max(maxFall, fell);
  }
  Outcome outcome;
  addPanels(outcome, {{"magnets", &ended.run}});
  const size_t planar = static_cast<size_t>(std::count_if(scene.joints.begin(), scene.joints.end(), [&](const JointDef& joint) {
    return joint.type == JointType::Planar && static_cast<size_t>(joint.bodyA) == door;
  }));
  const size_t letters = scene.bodies.size() - first;
  outcome.claims.push_back(countClaim("210 magnets, each on a joint that lets it slide on the refrigerator's face and turn in its plane", "210",
                                      fmt::format("{} letters, {} planar joints", letters, planar), letters == 210 && planar == 210));
  outcome.claims.push_back({"they slide down (each by over 10 mm)", "sliding down",
                            fmt::format("{} of {}, by {:.2g} m to {:.2g} m", lower, letters, minFall, maxFall), lower == letters, ""});
  outcome.claims.push_back(
      {"they stay constrained to the face (no letter's rim ever off by 2 % of its height, 1.2 mm; all before the door at the end)",
       "constrained to the surface", fmt::format("{:.2g} mm at most, {} beside the door", 1000 * off, beside),
       off <= 2 * kVisibleShare * kLetterHalf && beside == 0,
       off <= 2 * kVisibleShare * kLetterHalf
           ? "a joint's plane has no edge: letters that others push past the edge of the door stay in the plane of its "
             "face and slide on, down to the ground"
           : ""});
  outcome.alsoMeasured.push_back({"at the end (10 s)", fmt::format("{:.2g} mm/s rms", 1000 * ended.run.speed.back())});
  outcome.alsoMeasured.push_back(sharesText(ended.run, jointShare(context, scene, ended.states)));
  return outcome;
}

Measured withoutFriction(const std::string& what, const Trajectory& run) {
  Measured speeds = speedsText(run);
  return {what, fmt::format("{}; joints off by {:.3g} mm at most", speeds.measured, 1000 * largest(run.miss))};
}

// --- net -------------------------------------------------------------------------------------------------------

Outcome net(const Context& context) {
  constexpr double kString = 0.5, kHalf = 3.75, kHeld = 1;  // [m] length; half the net's; a box is held above this height
  const Scene scene = loadScene("net"), rim = loadScene("net:hang=rim");
  const std::vector<size_t> knots = namedBodies(scene, "knot-"), strings = namedBodies(scene, "string-");
  const SceneRun corners = runScene(context, scene, {"hung up at its corners", 600, 0, kAllBodies, {60, 600}}),
                 around = runScene(context, rim, {"hung up all around", 600, 0, kAllBodies, {600}}),
                 swept = runScene(context, scene, {"more sweeps", 600}, kMoreSweeps),
                 fine = runScene(context, scene, {"more substeps", 600}, kMoreSubsteps),
                 smooth = runScene(context, loadScene("net:friction=0,damping=0"), {"no friction in joints", 600});
  const FinerRun sweeps{kTenSweeps, &swept.run}, substeps{"32 substeps instead of 8 (--substeps 32)", &fine.run};
  const auto held = [&](const Scene& of, const SceneRun& ended) {
    size_t count = 0;
    for (size_t i = of.bodies.size() - 9; i < of.bodies.size(); ++i) {
      const Vec3d p = ended.states[i].pose.p;
      count += p.y > kHeld && std::abs(p.x) < kHalf && std::abs(p.z) < kHalf ? 1 : 0;
    }
    return count;
  };
  Outcome outcome;
  addPanels(outcome, {{"hung up at its corners", &corners.run}, {"hung up all around", &around.run}});
  outcome.claims.push_back(countClaim("a lattice of 15 x 15, 736 bodies, over 960 joints", "736, over 960",
                                      fmt::format("{} knots and {} strings, {} joints", knots.size(), strings.size(), scene.joints.size()),
                                      knots.size() + strings.size() == 736 && scene.joints.size() > 960));
  outcome.claims.push_back({"it holds its boxes (all nine in it, over 1 m above the ground, at the end)", "pick up and hold boxes",
                            fmt::format("{} of 9", held(scene, corners)), held(scene, corners) == 9, ""});
  outcome.claims.push_back(jointsHold("weighed down by blocks", "maintains stability", corners.run, kString, substeps));
  outcome.claims.push_back(comesToRest("stable even when weighed down: net and boxes come", "maintains stability", corners.run));
  const LineTurns turns = lineTurns(scene, corners.states);
  outcome.alsoMeasured.push_back(speedsText(corners.run));
  outcome.alsoMeasured.push_back(
      withoutFriction("joints without friction or damping (friction=0, damping=0; the paper says nothing of either)", smooth.run));
  outcome.alsoMeasured.push_back({"at the end: strings turning about themselves, which moves nothing and is not in the speed",
                                  fmt::format("{:.3g} J, {:.0f} % of the strings' kinetic energy; rms speed of the strings' middles {:.3g} mm/s",
                                              turns.energy, 100 * turns.share, 1000 * turns.middles)});
  outcome.alsoMeasured.push_back({"hung up all around instead of at its corners",
                                  fmt::format("{} of 9 boxes held, joint error {:.3g} mm at most, {:.2g} mm/s rms at the end", held(rim, around),
                                              1000 * largest(around.run.miss), 1000 * around.run.speed.back())});
  outcome.alsoMeasured.push_back(finerRunText(sweeps));
  outcome.alsoMeasured.push_back(finerRunText(substeps));
  outcome.alsoMeasured.push_back(sharesText(corners.run, jointShare(context, scene, corners.states)));
  return outcome;
}

// --- bridge ----------------------------------------------------------------------------------------------------

// A scene that nothing drives, for 40 s. If its mean energy from 30 s to 40 s is above that from 10 s to 20 s, the solver has created energy.
struct UndrivenRun {
  double gained = 0;          // [J]
  std::vector<double> speed;  // rms [m/s] after 10, 20, 30, 40 s
  std::string text() const {
    return fmt::format("{:+.3g} J; {:.3g}, {:.3g}, {:.3g} and {:.3g} mm/s rms after 10, 20, 30 and 40 s", gained, 1000 * speed[0], 1000 * speed[1],
                       1000 * speed[2], 1000 * speed[3]);
  }
};
UndrivenRun runUndriven(const Context& context, const Scene& scene, int substeps) {
  constexpr int kSteps = 2400;
  WorldSettings settings = context.base;
  settings.substeps = substeps;
  World world(scene, settings);
  std::vector<double> energy;
  UndrivenRun run;
  for (int k = 1; k <= kSteps; ++k) {
    world.step();
    const StepReport report = world.report();
    energy.push_back(report.kineticEnergy + report.potentialEnergy);
    if (k % (kSteps / 4) == 0) run.speed.push_back(rmsSpeed(scene, world.states(), 0, scene.bodies.size()));
    context.progress("without load", k, kSteps);
  }
  run.gained = meanOf(energy, 0.75) - meanOf(energy, 0.25, 0.5);
  return run;
}

Outcome bridge(const Context& context) {
  constexpr double kRung = 0.5, kStands = 1.5;  // [m] length of a part; half the height at which the lowest rung hangs at the start
  const Scene blocks = loadScene("bridge:load=blocks"), loops = loadScene("bridge:load=loops"), bare = loadScene("bridge"),
              smooth = loadScene("bridge:friction=0");
  const size_t fixed = 3, parts = bare.bodies.size() - fixed;
  const std::vector<size_t> rungs = namedBodies(bare, "rung-");
  Outcome outcome;
  std::vector<SceneRun> ends, swinging;
  for (const auto& [scene, name] : {std::pair{&blocks, "blocks"}, std::pair{&loops, "loops"}}) {
    ends.push_back(runScene(context, *scene, {name, 600, fixed, fixed + parts, {48, 90, 600}}));
    swinging.push_back(runScene(context, loadScene(fmt::format("bridge:load={},friction=0", name)),
                                {fmt::format("{}, no friction in joints", name), 600, fixed, fixed + parts}));
  }
  addPanels(outcome, {{"81 pairs of blocks", &ends[0].run}, {"60 loops", &ends[1].run}});
  const UndrivenRun coarse = runUndriven(context, smooth, 8), fine = runUndriven(context, smooth, 32);
  const size_t pairs = blocks.joints.size() - bare.joints.size(), six = loops.joints.size() - bare.joints.size();
  outcome.claims.push_back(countClaim("102 bodies; 81 pairs of articulated blocks; 60 closed loops of 6 bodies", "102, 81, 60 of 6",
                                      fmt::format("{} bodies; {} blocks with {} joints; {} bodies with {} joints in loops", parts,
                                                  blocks.bodies.size() - bare.bodies.size(), pairs, loops.bodies.size() - bare.bodies.size(), six),
                                      parts == 102 && pairs == 81 && blocks.bodies.size() == bare.bodies.size() + 162 && six == 360 &&
                                          loops.bodies.size() == bare.bodies.size() + 360));
  for (size_t k = 0; k < 2; ++k) {
    const std::string what = k == 0 ? "under 81 pairs of blocks" : "under 60 loops";
    double lowest = 1e9;
    for (const size_t rung : rungs) lowest = std::min(lowest, ends[k].states[rung].pose.p.y);
    outcome.claims.push_back({what + ": the bridge hangs at the end (its rungs above half the height that they start at, 1.5 m)", "stability",
                              fmt::format("lowest rung at {:.3g} m", lowest), lowest > kStands, ""});
    outcome.claims.push_back(jointsHold(what, "closed loops maintain their stability", ends[k].run, kRung));
    outcome.claims.push_back(comesToRest(what + ": the bridge comes", "stability", ends[k].run));
  }
  const std::string what =
      "without load and without friction in its joints: mean energy from 30 s to 40 s less that from 10 s to 20 s; nothing drives the bridge";
  outcome.alsoMeasured.push_back({what, coarse.text()});
  outcome.alsoMeasured.push_back({"the same with 32 substeps (--substeps 32)", fine.text()});
  Scene untouched = smooth;
  for (BodyDef& body : untouched.bodies)
    for (ShapeDef& shape : body.shapes) shape.filter.group = -1;
  outcome.alsoMeasured.push_back({"the same of a bridge whose parts do not collide", runUndriven(context, untouched, 8).text()});
  outcome.alsoMeasured.push_back({"the same with 32 substeps", runUndriven(context, untouched, 32).text()});
  for (size_t k = 0; k < 2; ++k) {
    Measured shares = sharesText(ends[k].run, jointShare(context, k == 0 ? blocks : loops, ends[k].states));
    shares.what = std::string(k == 0 ? "blocks: " : "loops: ") + shares.what;
    outcome.alsoMeasured.push_back(shares);
    Measured speeds = speedsText(ends[k].run);
    speeds.what = (k == 0 ? "blocks: " : "loops: ") + speeds.what;
    outcome.alsoMeasured.push_back(speeds);
    outcome.alsoMeasured.push_back(
        withoutFriction(std::string(k == 0 ? "blocks" : "loops") + ": joints without friction (friction=0)", swinging[k].run));
  }
  return outcome;
}

// --- rings -----------------------------------------------------------------------------------------------------

// True if the middles of a ring's six pieces go around the pole, all of them below its top.
bool onPole(const std::vector<BodyState>& states, size_t firstPiece, const BodyDef& pole) {
  const ShapeDef& capsule = pole.shapes.front();
  const double top = capsule.localPose.p.y + capsule.halfHeight + capsule.radius;
  double turned = 0;
  for (size_t k = 0; k < 6; ++k) {
    const Vec3d a = states[firstPiece + k].pose.p - pole.pose.p, b = states[firstPiece + (k + 1) % 6].pose.p - pole.pose.p;
    if (a.y > top) return false;
    turned += std::atan2(a.x * b.z - a.z * b.x, a.x * b.x + a.z * b.z);
  }
  return std::abs(std::abs(turned) - 2 * kPi) < 1;
}

Outcome rings(const Context& context) {
  constexpr double kPiece = 0.5;  // [m]
  const Scene scene = loadScene("rings");
  const std::vector<size_t> poles = namedBodies(scene, "pole-");
  const size_t first = poles.back() + 1, pieces = scene.bodies.size() - first;
  double middles = 0, share = 0;  // LineTurns of the pieces in the last fifth
  RunPlan plan{"rings", 720, first, kAllBodies, {60, 180, 720}};
  plan.after = [&](int k, const std::vector<BodyState>& states) {
    if (5 * k <= 4 * plan.steps) return;
    const LineTurns turns = lineTurns(scene, states);
    middles = std::max(middles, turns.middles);
    share = turns.share;
  };
  const SceneRun ended = runScene(context, scene, plan);
  const SceneRun swept = runScene(context, scene, {"more sweeps", 720, first}, kMoreSweeps),
                 rough = runScene(context, withFriction(scene, 0.2), {"friction in joints", 720, first});
  const FrictionRun friction{0.2, &rough.run};
  const FinerRun sweeps{kTenSweeps, &swept.run};
  int stacked = 0;
  for (size_t ring = first; ring < scene.bodies.size(); ring += 6) {
    stacked += std::any_of(poles.begin(), poles.end(), [&](size_t pole) { return onPole(ended.states, ring, scene.bodies[pole]); }) ? 1 : 0;
  }
  Outcome outcome;
  addPanels(outcome, {{"rings", &ended.run}});
  outcome.claims.push_back(countClaim("360 closed loops, 2160 bodies, 2160 joints, 25 poles", "360, 2160, 2160, 25",
                                      fmt::format("{} bodies, {} joints, {} poles", pieces, scene.joints.size(), poles.size()),
                                      pieces == 2160 && scene.joints.size() == 2160 && poles.size() == 25));
  outcome.claims.push_back(comesToRest("the rings come", "come to rest", ended.run, friction));
  outcome.claims.push_back(
      {"stacked on the poles (every ring around a pole, below its top)", "stacked", fmt::format("{} of 360", stacked), stacked == 360, ""});
  outcome.claims.push_back(jointsHold("rings", "stacked", ended.run, kPiece, sweeps));
  const JointShare time = jointShare(context, scene, ended.states);
  outcome.claims.push_back(timeClaim(time));
  outcome.alsoMeasured.push_back(speedsText(ended.run));
  outcome.alsoMeasured.push_back({"what turns: pieces, about the line through their two joints",
                                  fmt::format("{:.1f} % of the kinetic energy at the end; the middles between the two joints move by {:.2g} mm/s rms "
                                              "at most in the last fifth",
                                              100 * share, 1000 * middles)});
  outcome.alsoMeasured.push_back(frictionText(friction));
  outcome.alsoMeasured.push_back(finerRunText(sweeps));
  outcome.alsoMeasured.push_back(sharesText(ended.run, time));
  return outcome;
}

// --- skeletons -------------------------------------------------------------------------------------------------

Scene withoutJoints(Scene scene) {
  scene.joints.clear();
  return scene;
}

Scene withoutLimits(Scene scene) {
  for (JointDef& joint : scene.joints)
    for (JointAxis& axis : joint.axes) axis.limits.reset();
  return scene;
}

// The joint whose axes are farthest off in a run.
struct WorstAxes {
  double angle = 0, time = 0;  // [rad], [s]
  size_t joint = 0;            // of the scene

  void observe(const Scene& scene, const std::vector<BodyState>& states, double now) {
    if (largestMiss(scene, states).angle <= angle) return;
    Scene one;
    for (size_t j = 0; j < scene.joints.size(); ++j) {
      one.joints = {scene.joints[j]};
      const double miss = largestMiss(one, states).angle;
      if (miss <= angle) continue;
      joint = j;
      angle = miss;
      time = now;
    }
  }
  Measured text(const Scene& scene) const {
    const auto name = [&](int body) { return scene.bodies[static_cast<size_t>(body)].name; };
    const JointDef& def = scene.joints[joint];
    return {"the joint whose axes are farthest off",
            fmt::format("{} and {}, {}, by {:.2g} degrees at {:.2f} s", name(def.bodyA), name(def.bodyB), nameOf(def.type), angle * 180 / kPi, time)};
  }
};

Outcome skeletons(const Context& context) {
  constexpr double kBone = 0.3;  // [m]
  const Scene scene = loadScene("skeletons");
  const size_t bones = scene.bodies.size() - 1;
  const auto followed = [&](const Scene& of, const std::string& name) { return runScene(context, of, {name, 600, 1}); };
  WorstAxes worst;
  RunPlan plan{"skeletons", 600, 1, kAllBodies, {60, 150, 600}};
  plan.after = [&](int k, const std::vector<BodyState>& states) { worst.observe(scene, states, k / 60.0); };
  const SceneRun ended = runScene(context, scene, plan), fine = runScene(context, scene, {"more substeps", 600, 1}, kMoreSubsteps);
  const FinerRun substeps{"32 substeps instead of 8 (--substeps 32)", &fine.run, "so long a substep leaves this of the landing"};
  Outcome outcome;
  addPanels(outcome, {{"skeletons", &ended.run}});
  outcome.claims.push_back(countClaim("20 skeletons of 21 bones and 19 joints: 420 bodies, 380 joints", "420, 380",
                                      fmt::format("{} bodies, {} joints", bones, scene.joints.size()), bones == 420 && scene.joints.size() == 380));
  outcome.claims.push_back(jointsHold("dropped in a pile", "robust", ended.run, kBone, substeps));
  const SceneRun rough = followed(withFriction(scene, 0.2), "friction in joints");
  outcome.claims.push_back(comesToRest("the pile comes", "stacked on top of each other", ended.run, {0.2, &rough.run}));
  const JointShare share = jointShare(context, scene, ended.states);
  outcome.claims.push_back(timeClaim(share));
  // Evidence for the cause of the motion that remains.
  const Scene single = loadScene("skeletons:count=1");
  const auto speedText = [](const SceneRun& of) {
    return fmt::format("{:.2g} mm/s rms at most in the last fifth", 1000 * largest(of.run.speed, 0.8));
  };
  outcome.alsoMeasured.push_back(worst.text(scene));
  outcome.alsoMeasured.push_back(finerRunText(substeps));
  outcome.alsoMeasured.push_back(speedsText(ended.run));
  outcome.alsoMeasured.push_back(frictionText({0.2, &rough.run}));
  outcome.alsoMeasured.push_back({"the same bones without joints", speedText(followed(withoutJoints(scene), "without joints"))});
  outcome.alsoMeasured.push_back({"the joints without limits", speedText(followed(withoutLimits(scene), "without limits"))});
  outcome.alsoMeasured.push_back({"one skeleton, with limits and without",
                                  speedText(followed(single, "one")) + "; " + speedText(followed(withoutLimits(single), "one without limits"))});
  outcome.alsoMeasured.push_back(sharesText(ended.run, share));
  return outcome;
}

}  // namespace

std::vector<Experiment> weinstein() {
  const std::string paper = "Weinstein, Teran and Fedkiw 2006, ";
  return {{"magnets", paper + "figure 1", "210 magnetic letters on a refrigerator", magnets},
          {"net", paper + "figure 2", "A net weighed down by boxes", net},
          {"bridge", paper + "figure 3", "A bridge under pairs of blocks, and under loops", bridge},
          {"rings", paper + "figure 6", "360 rings dropped on 25 poles", rings},
          {"skeletons", paper + "figure 8", "20 skeletons dropped in a pile", skeletons}};
}

}  // namespace cairn::v0::experiments
