// What the experiments with many joints share: a run with its curves, and the share of a step's time that joints take.
#pragma once

#include "src/experiments/experiment.hpp"

#include <array>

namespace cairn::experiments {

constexpr double kStill = 0.005;  // [m/s] rms of bodies that have come to rest, as in Silcowitz's experiments

// Of a body's poses apart from where the joint allows them: offset [m], angle [rad].
struct JointMiss {
  double offset = 0, angle = 0;
};
JointMiss largestMiss(const Scene& scene, const std::vector<BodyState>& states);

// Of dynamic bodies from the first to before the last, of their linear velocities [m/s].
double rmsSpeed(const Scene& scene, const std::vector<BodyState>& states, size_t first, size_t last);

struct Followed {
  std::vector<double> time, miss, angle, speed;  // [s], of joints [m] and [rad], rms [m/s]
  double jointsStage = 0;                        // share of the stage 'joints' in the steps' time [-]
  double milliseconds = 0;                       // a step

  Curve missCurve(const std::string& name) const;  // [mm]
  Curve speedCurve(const std::string& name) const;
};

struct Following {
  std::string name;
  int steps;
  std::vector<int> picturesAfter;                                   // steps
  size_t first = 0, last = 1000000000;                              // bodies whose speed is followed
  std::function<void(int step)> before;                             // each step; may be empty
  std::function<void(int, const std::vector<BodyState>&)> watched;  // after it; may be empty
};
Followed follow(const Context& context, World& world, const Scene& scene, const Following& how);

// The share of joints in a step's time, of bodies in these states: two Worlds do the same step, one of them without the joints. What its solve takes
// less is the joints', after scaling by the contact points: bodies that a joint joined touch without it. Plus the stage 'joints'.
struct JointShare {
  double share;          // [-]
  double with, without;  // the whole step [ms]
  int points, pointsWithout;
};
JointShare jointShare(const Context& context, const Scene& scene, const std::vector<BodyState>& states);
Measured sharesText(const Followed& run, const JointShare& share);

// Visible: a joint that is off by 2 % of a part's length, as 20 mm of boxes of 1 m are in Silcowitz's experiments: its place by that, or its axes by
// as much at the part's other end. With the same run solved harder: where that holds, it is the explanation.
constexpr double kVisibleShare = 0.02;
struct Harder {
  std::string how;  // "10 sweeps over the joints alone (--joint-sweeps 10)"
  const Followed* run;
  std::string why = "the default sweeps leave this of joints that close loops";
};
Claim jointsHold(const std::string& subject, const std::string& paper, const Followed& run, double partLength, const Harder& harder = {"", nullptr});
Measured solvedHarder(const Harder& harder);

// With the same run of joints that have friction [N m] about every axis that they leave free: where that comes to rest, it is the explanation.
struct Rubbing {
  double torque;
  const Followed* run;
};
Claim comesToRest(const std::string& subject, const std::string& paper, const Followed& run, const Rubbing& rubbing = {0, nullptr});
Measured rubbed(const Rubbing& rubbing);
Scene withFriction(Scene scene, double torque);
Measured speedsText(const Followed& run);  // how the speed falls

// Bodies on two point joints each can turn about the line through the two, whatever the rest does.
struct LineTurns {
  double middles = 0;  // speed in the middle between the two joints, rms [m/s]
  double share = 0;    // of these bodies' kinetic energy that the turns about the line have [-]
  double energy = 0;   // of these turns [J]
};
LineTurns lineTurns(const Scene& scene, const std::vector<BodyState>& states);

// Bodies whose name begins with this, by position in the scene.
std::vector<size_t> namedBodies(const Scene& scene, const std::string& beginning);

}  // namespace cairn::experiments
