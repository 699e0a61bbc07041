// The tank of Weinstein, Teran and Fedkiw, "Dynamic Simulation of Articulated Rigid Bodies with Contact and Collision", 2006, section VII, figures 4
// and 7: treads around gears, held to them by joints that come and go, driven straight, turned in place and dropped.
#include "src/experiments/articulated_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace cairn::v0::experiments {
namespace {

constexpr int kSides = 12, kLinks = 34;  // of a gear; of a tread
constexpr double kPitch = 0.25;          // of links [m]
constexpr double kTreadZ = 0.95, kGearHalfWidth = 0.18, kHullHalfLength = 1.45;
// Ours: how near a link's middle is to the place that it has on a gear's side, where the paper says 'proximity' [m].
constexpr double kNear = 0.03;

// The scene's polygon of pins around a gear: how far a link's middle is from the axle.
double middleRadius() { return 0.5 * kPitch / std::tan(kPi / kSides); }

struct Gear {
  BodyId id;
  std::string side;
};

// The joints between treads and driven gears. Each step: links that are near a side of a gear are found; of these, those whose neighbours on the
// tread are both near as well are attached, with a point joint from the middle of the gear's side to the link's middle. All others are released,
// which is the paper's rule: a link that is not attached unattaches its neighbours.
class Attachments {
 public:
  explicit Attachments(const World& world) {
    for (const char* side : {"left", "right"}) {
      for (int k = 1; k <= kLinks; ++k) links_[side].push_back(world.findBody(fmt::format("link-{}-{}", side, k)));
      for (const char* end : {"front", "back"}) gears_.push_back({world.findBody(fmt::format("gear-{}-{}", side, end)), side});
    }
    held_.resize(gears_.size(), std::vector<std::optional<Held>>(kLinks));
  }

  void update(World& world) {
    for (size_t g = 0; g < gears_.size(); ++g) {
      const std::vector<std::optional<int>> near = nearLinks(world, gears_[g]);
      for (int k = 0; k < kLinks; ++k) {
        const auto at = [&](int i) { return near[static_cast<size_t>((i + kLinks) % kLinks)]; };
        const bool wanted = at(k - 1) && at(k) && at(k + 1);
        std::optional<Held>& held = held_[g][static_cast<size_t>(k)];
        if (held && (!wanted || held->gearSide != *at(k))) {
          world.removeJoint(held->joint);
          held.reset();
          ++removed;
        }
        if (wanted && !held) {
          held = Held{world.addJoint(gears_[g].id, linkOf(gears_[g], k), joint(*at(k))), *at(k)};
          ++added;
        }
      }
    }
    int now = 0;
    for (const auto& of : held_) now += static_cast<int>(std::count_if(of.begin(), of.end(), [](const auto& held) { return held.has_value(); }));
    maxHeld = std::max(maxHeld, now);
    minHeld = std::min(minHeld, now);
  }

  int added = 0, removed = 0, maxHeld = 0, minHeld = 1000;

 private:
  struct Held {
    JointId joint;
    int gearSide;
  };

  BodyId linkOf(const Gear& gear, int k) const { return links_.at(gear.side)[static_cast<size_t>(k)]; }

  static Vec3d middleOf(int gearSide) {
    const double angle = 2 * kPi * (gearSide + 0.5) / kSides;
    return middleRadius() * Vec3d{std::cos(angle), std::sin(angle), 0};
  }

  // For each link the side of the gear that the link is near, if there is one.
  std::vector<std::optional<int>> nearLinks(const World& world, const Gear& gear) const {
    const Posed frame = world.state(gear.id).pose;
    std::vector<std::optional<int>> near(kLinks);
    for (int k = 0; k < kLinks; ++k) {
      const Vec3d p = inverseTransform(frame, world.state(linkOf(gear, k)).pose.p);
      const int side = static_cast<int>(std::floor(std::atan2(p.y, p.x) * kSides / (2 * kPi)));
      if (length(p - middleOf(side)) < kNear) near[static_cast<size_t>(k)] = (side + kSides) % kSides;
    }
    return near;
  }

  static JointDef joint(int gearSide) {
    JointDef joint;
    joint.type = JointType::Point;
    joint.frameA.p = middleOf(gearSide);
    return joint;
  }

  std::map<std::string, std::vector<BodyId>> links_;
  std::vector<Gear> gears_;
  std::vector<std::vector<std::optional<Held>>> held_;
};

void setTreads(World& world, double left, double right) {
  for (const auto& [side, speed] : {std::pair{"left", left}, std::pair{"right", right}})
    for (const char* end : {"front", "back"})
      world.setMotor(world.findJoint(fmt::format("axle-{}-{}", side, end)), 3, JointMotor::Velocity, speed * 2 * kPi / (kSides * kPitch), 2000);
}

// True if a closed line of points goes around a place once, in the plane x, y.
bool goesAround(const std::vector<Vec3d>& line, Vec3d place) {
  double turned = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const Vec3d a = line[i] - place, b = line[(i + 1) % line.size()] - place;
    turned += std::atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y);
  }
  return std::abs(std::abs(turned) - 2 * kPi) < 1;
}

// The positions of the treads relative to the hull.
struct Treads {
  double aside = 0;  // largest distance of a link from its tread's middle plane [m]
  int off = 0;       // steps in which a tread did not go around all of its gears

  void observe(const Scene& scene, const std::vector<BodyState>& states) {
    const Posed hull = states[namedBodies(scene, "hull").front()].pose;
    bool on = true;
    for (const char* side : {"left", "right"}) {
      std::vector<Vec3d> line;
      for (const size_t link : namedBodies(scene, fmt::format("link-{}-", side))) line.push_back(inverseTransform(hull, states[link].pose.p));
      const double middle = std::string(side) == "left" ? -kTreadZ : kTreadZ;
      for (const Vec3d& p : line) aside = std::max(aside, std::abs(p.z - middle));
      for (const size_t gear : namedBodies(scene, fmt::format("gear-{}-", side))) {
        on = on && goesAround(line, inverseTransform(hull, states[gear].pose.p));
      }
    }
    off += on ? 0 : 1;
  }
  bool stayOn() const { return off == 0 && aside <= 0.5 * kGearHalfWidth; }
  std::string text() const { return fmt::format("off in {} steps, aside by {:.2g} mm at most", off, 1000 * aside); }
};

double headingOf(const BodyState& hull) {
  const Vec3d ahead = rotate(hull.pose.q, Vec3d{1, 0, 0});
  return std::atan2(-ahead.z, ahead.x);
}

constexpr int kStraight = 300, kTurning = 480, kStop = 60;  // steps: 5 s, 8 s, 1 s
constexpr double kSpeed = 1;                                // of the treads [m/s]

struct DriveRun {
  Trajectory run;
  Treads treads;
  Curve path, heading;  // [m]; [degrees]
  Vec3d afterStraight, beforeTurning, afterTurning;
  double straightHeading = 0, turned = 0, shifted = 0;  // [rad], [rad], [m] farthest from where turning began
  int added = 0, removed = 0, maxHeld = 0, minHeld = 0;
  std::vector<BodyState> end;
};

// Drives straight on, stops, then turns with the treads running against each other.
DriveRun driveTank(const Context& context, bool attached, Effort effort = {}) {
  const Scene scene = loadScene("tank");
  WorldSettings settings = timedSettings(context);
  settings.jointSweeps = effort.jointSweeps;
  settings.substeps = effort.substeps;
  World world(scene, settings);
  Attachments attachments(world);
  const size_t hull = namedBodies(scene, "hull").front();
  DriveRun result;
  result.path.name = result.heading.name = attached ? "with attachments" : "without attachments";
  double last = 0;
  const bool plain = attached && effort.jointSweeps == kDefaultEffort.jointSweeps && effort.substeps == kDefaultEffort.substeps;
  const std::string name = plain ? "with attachments" : attached ? effort.jointSweeps > 0 ? "more sweeps" : "more substeps" : "without attachments";
  RunPlan plan{name, kStraight + kStop + kTurning};
  if (plain) plan.picturesAfter = {kStraight, kStraight + kStop + kTurning / 2, kStraight + kStop + kTurning};
  plan.before = [&](int k) {
    if (k == 1) setTreads(world, kSpeed, kSpeed);
    if (k == kStraight + 1) setTreads(world, 0, 0);
    if (k == kStraight + kStop + 1) setTreads(world, -kSpeed, kSpeed);
    if (attached) attachments.update(world);
  };
  plan.after = [&](int k, const std::vector<BodyState>& states) {
    const BodyState& state = states[hull];
    result.treads.observe(scene, states);
    const double heading = headingOf(state), change = std::remainder(heading - last, 2 * kPi);
    last = heading;
    result.path.x.push_back(state.pose.p.x);
    result.path.y.push_back(state.pose.p.z);
    if (k == kStraight) result.afterStraight = state.pose.p;
    if (k == kStraight) result.straightHeading = heading;
    if (k == kStraight + kStop) result.beforeTurning = state.pose.p;
    if (k > kStraight + kStop) {
      result.turned += change;
      result.shifted = std::max(result.shifted, length(state.pose.p - result.beforeTurning));
    }
    result.heading.x.push_back(k / 60.0);
    result.heading.y.push_back((k > kStraight + kStop ? result.turned : heading) * 180 / kPi);
    if (k == plan.steps) result.end = states;
  };
  result.run = follow(context, world, scene, plan);
  result.added = attachments.added;
  result.removed = attachments.removed;
  result.maxHeld = attachments.maxHeld;
  result.minHeld = attachments.minHeld;
  return result;
}

constexpr double kLift = 10, kFallSpeed = 4;    // [m], [m/s]
constexpr int kFalling = 78, kFallSteps = 240;  // steps: 1.3 s in the air; 4 s

struct FallRun {
  Trajectory run;
  Treads treads;
  double hullSpin = 0, gearSpin = 0;  // about the axles, forwards positive, when it is about to land [rad/s]
};

FallRun drop(const Context& context, bool attached) {
  Scene scene = loadScene("tank");
  for (BodyDef& body : scene.bodies)
    if (body.type == BodyType::Dynamic) body.pose.p.y += kLift;
  World world(scene, timedSettings(context));
  Attachments attachments(world);
  const size_t hull = namedBodies(scene, "hull").front(), gear = namedBodies(scene, "gear-left-front").front();
  FallRun fall;
  RunPlan plan{attached ? "falling with attachments" : "falling without attachments", kFallSteps};
  if (attached) plan.picturesAfter = {kFalling, kFallSteps};
  plan.before = [&](int k) {
    if (k == 1) setTreads(world, kFallSpeed, kFallSpeed);
    if (attached) attachments.update(world);
  };
  plan.after = [&](int k, const std::vector<BodyState>& states) {
    fall.treads.observe(scene, states);
    if (k == kFalling) {
      fall.hullSpin = -states[hull].angularVelocity.z;
      fall.gearSpin = -states[gear].angularVelocity.z;
    }
  };
  fall.run = follow(context, world, scene, plan);
  return fall;
}

int countJoints(const Scene& scene, JointType type, const std::string& beginning) {
  return static_cast<int>(std::count_if(scene.joints.begin(), scene.joints.end(),
                                        [&](const JointDef& joint) { return joint.type == type && joint.name.rfind(beginning, 0) == 0; }));
}

std::string driveText(const DriveRun& result) {
  return fmt::format("{:.3g} m ahead, {:.2g} m aside, heading {:.2g} degrees; then turned by {:.3g} degrees, its middle within {:.2g} m",
                     result.afterStraight.x, std::abs(result.afterStraight.z), result.straightHeading * 180 / kPi, result.turned * 180 / kPi,
                     result.shifted);
}

Outcome tank(const Context& context) {
  const Scene scene = loadScene("tank");
  const DriveRun with = driveTank(context, true), without = driveTank(context, false), swept = driveTank(context, true, kMoreSweeps),
                 fine = driveTank(context, true, kMoreSubsteps);
  const FinerRun sweeps{"10 sweeps more over the joints alone (--joint-sweeps 10)", &swept.run},
      substeps{"32 substeps instead of 8 (--substeps 32)", &fine.run};
  const FallRun fall = drop(context, true), loose = drop(context, false);
  Outcome outcome;
  outcome.panels.push_back({"Path of the hull, seen from above", "x [m]", "z, to the right [m]", false, {with.path, without.path}});
  outcome.panels.push_back({"Heading, from 0 again when turning begins", "time [s]", "heading [degrees]", false, {with.heading, without.heading}});
  outcome.panels.push_back({"Largest joint error",
                            "time [s]",
                            "error [mm]",
                            true,
                            {with.run.missCurve("with attachments"), without.run.missCurve("without attachments")}});
  outcome.panels.push_back(
      {"Falling from 10 m", "time [s]", "error [mm]", true, {fall.run.missCurve("with attachments"), loose.run.missCurve("without")}});

  const int left = countJoints(scene, JointType::Hinge, "pin-left-"), right = countJoints(scene, JointType::Hinge, "pin-right-");
  const size_t leftLinks = namedBodies(scene, "link-left-").size(), rightLinks = namedBodies(scene, "link-right-").size();
  const int middles = countJoints(scene, JointType::Twist, "axle-left-middle") + countJoints(scene, JointType::Twist, "axle-right-middle");
  const int hatch = countJoints(scene, JointType::Hinge, "hatch"), gun = countJoints(scene, JointType::Hinge, "trunnion");
  outcome.claims.push_back(
      {"treads are single closed loops of 34 links with hinge joints, middle gears on twist joints, a lid on a hinge, a gun that moves",
       "34 links each",
       fmt::format("{} and {} links, {} and {} hinges, {} twist joints, lid {}, gun {}", leftLinks, rightLinks, left, right, middles, hatch, gun),
       left == kLinks && right == kLinks && leftLinks == kLinks && rightLinks == kLinks && middles == 2 && hatch == 1 && gun == 1, ""});
  outcome.claims.push_back({"attachment joints are created and deleted by proximity while it drives", "each frame",
                            fmt::format("{} created, {} deleted in {} steps; {} to {} at a time", with.added, with.removed, with.run.time.size(),
                                        with.minHeld, with.maxHeld),
                            with.added > 0 && with.removed > 0 && with.minHeld > 0, ""});
  outcome.claims.push_back({"the treads stay on their gears (go around them, and never half the gear's half width, 90 mm, aside)",
                            "prevents slipping off", with.treads.text(), with.treads.stayOn(), ""});
  const double expected = kSpeed * kStraight / 60.0;
  outcome.claims.push_back(
      {"both treads at 1 m/s: it drives straight (5 s: four fifths of 5 m or more, at most a twentieth of the way aside and 5 degrees)",
       "control over the movement", driveText(with),
       with.afterStraight.x >= 0.8 * expected && std::abs(with.afterStraight.z) <= 0.05 * with.afterStraight.x &&
           std::abs(with.straightHeading) <= 5 * kPi / 180,
       ""});
  outcome.claims.push_back({"treads against each other: it turns in place (90 degrees or more within 8 s, its middle within half its length, 1.45 m)",
                            "turns in place", driveText(with), std::abs(with.turned) >= kPi / 2 && with.shifted <= kHullHalfLength, ""});
  outcome.claims.push_back(jointsHold("driving and turning", "good performance", with.run, kPitch, substeps));
  outcome.claims.push_back({"in the air and when it lands the treads stay on (dropped by 10 m, treads at 4 m/s)", "remain firmly attached",
                            fall.treads.text(), fall.treads.stayOn(), ""});
  outcome.claims.push_back({"falling, the treads' spin turns the tank the other way", "the opposite direction",
                            fmt::format("gears {:.3g} rad/s, hull {:.3g} rad/s after 1.3 s", fall.gearSpin, fall.hullSpin),
                            fall.gearSpin * fall.hullSpin < 0 && std::abs(fall.hullSpin) > 0.01, ""});
  outcome.alsoMeasured.push_back({"without attachment joints, driving", driveText(without) + "; treads " + without.treads.text()});
  outcome.alsoMeasured.push_back({"without attachment joints, falling", "treads " + loose.treads.text()});
  outcome.alsoMeasured.push_back({"falling: joints", fmt::format("largest error {:.3g} mm", 1000 * largest(fall.run.miss))});
  outcome.alsoMeasured.push_back(finerRunText(sweeps));
  outcome.alsoMeasured.push_back(finerRunText(substeps));
  outcome.alsoMeasured.push_back(finerRunText({"no attachment joints", &without.run}));
  outcome.alsoMeasured.push_back(sharesText(with.run, jointShare(context, scene, with.end)));
  return outcome;
}

}  // namespace

std::vector<Experiment> tankExperiments() {
  return {
      {"tank", "Weinstein, Teran and Fedkiw 2006, figures 4 and 7", "A tank whose treads are held to its gears by joints that come and go", tank}};
}

}  // namespace cairn::v0::experiments
