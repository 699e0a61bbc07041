// Shared by the experiments with many joints: runs with their curves, and the share of a step's time that joints take.
#pragma once

#include "src/experiments/experiment.hpp"

#include <array>

namespace cairn::v0::experiments {

constexpr double kStill = 0.005;  // [m/s] rms of bodies that have come to rest, as in Silcowitz's experiments

// The distance of two poses from what their joint allows: offset [m], angle [rad].
struct JointMiss {
  double offset = 0, angle = 0;
};
JointMiss largestMiss(const Scene& scene, const std::vector<BodyState>& states);

// Root mean square of the linear velocities of the dynamic bodies from the first to before the last [m/s].
double rmsSpeed(const Scene& scene, const std::vector<BodyState>& states, size_t first, size_t last);

struct Trajectory {
  std::vector<double> time, miss, angle, speed;  // [s], of joints [m] and [rad], rms [m/s]
  double jointsStage = 0;                        // share of the stage 'joints' in the steps' time [-]
  double milliseconds = 0;                       // a step

  Curve missCurve(const std::string& name) const;  // [mm]
  Curve speedCurve(const std::string& name) const;
};

constexpr size_t kAllBodies = 1000000000;

struct RunPlan {
  std::string name;
  int steps = 0;
  size_t first = 0, last = kAllBodies;                              // bodies whose speed is recorded
  std::vector<int> picturesAfter{};                                 // steps
  std::function<void(int step)> before{};                           // each step; may be empty
  std::function<void(int, const std::vector<BodyState>&)> after{};  // each step; may be empty
};
// The context's settings for a World that is followed: stages are timed.
WorldSettings timedSettings(const Context& context);
Trajectory follow(const Context& context, World& world, const Scene& scene, const RunPlan& plan);

// The settings that make a run cost more and its joints more accurate; all others are defaults.
struct Effort {
  int jointSweeps = 0, substeps = 8;
};
constexpr Effort kDefaultEffort, kMoreSweeps{10, 8}, kMoreSubsteps{0, 32};

// The share of joints in a step's time, for bodies in these states. Two Worlds do the same step, one of them without the joints. Joints take the
// stage 'joints' and the difference of the two times of 'solve', where the time without joints is scaled by the contact points: jointed bodies that
// were kept from colliding touch when their joint is gone.
struct JointShare {
  double share;          // [-]
  double with, without;  // the whole step [ms]
  int points, pointsWithout;
};
JointShare jointShare(const Context& context, const Scene& scene, const std::vector<BodyState>& states);
Measured sharesText(const Trajectory& run, const JointShare& share);

// An error is visible from 2 % of a part's length on, as 20 mm of boxes of 1 m are in Silcowitz's experiments: of a joint's place, or of its axes as
// far as they move the part's other end.
constexpr double kVisibleShare = 0.02;

// The same run solved with more effort: where its joints hold, that explains a run whose joints do not.
struct FinerRun {
  std::string effort;  // "10 sweeps over the joints alone (--joint-sweeps 10)"
  const Trajectory* run;
  std::string why = "the default sweeps leave this of joints that close loops";
};
Claim jointsHold(const std::string& subject, const std::string& paper, const Trajectory& run, double partLength,
                 const FinerRun& finer = {"", nullptr});
Measured finerRunText(const FinerRun& finer);

// The same run with friction about every axis that the joints leave free: where it comes to rest, that explains a run that does not.
struct FrictionRun {
  double torque;  // [N m]
  const Trajectory* run;
};
Claim comesToRest(const std::string& subject, const std::string& paper, const Trajectory& run, const FrictionRun& friction = {0, nullptr});
Measured frictionText(const FrictionRun& friction);
Scene withFriction(Scene scene, double torque);
Measured speedsText(const Trajectory& run);  // how the speed falls

// Bodies on two point joints each can turn about the line through the two, whatever the rest does.
struct LineTurns {
  double middles = 0;  // speed in the middle between the two joints, rms [m/s]
  double share = 0;    // of the turns about the line in these bodies' kinetic energy [-]
  double energy = 0;   // of these turns [J]
};
LineTurns lineTurns(const Scene& scene, const std::vector<BodyState>& states);

// Bodies whose name begins with this, by position in the scene.
std::vector<size_t> namedBodies(const Scene& scene, const std::string& beginning);

}  // namespace cairn::v0::experiments
