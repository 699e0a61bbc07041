// The results of a step, as numbers. JSON keys: docs/report.md.
#pragma once

#include <cairn/export.hpp>
#include <cairn/math.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cairn {
inline namespace v0 {

struct StageTime {
  std::string stage;
  double milliseconds;
};

// Where a step's energy came from and went: kineticChange + potentialChange = forceWork + dampingWork + jointWork +
// contactWork.
struct EnergyBalance {
  bool known = false;          // not before the first step, nor once bodies or joints were added, removed or moved from outside; then all are 0
  double kineticChange = 0;    // from the beginning of the step to its end [J]
  double potentialChange = 0;  // in the scene's gravity [J]
  double forceWork = 0;        // by what applyForce gave; forces and torques count as constant in the step [J]
  double dampingWork = 0;      // by the damping of bodies, <= 0 [J]
  double jointWork = 0;        // by motors, springs, damping, friction, limits and gears of joints: impulses times speeds, substep by substep [J]
  double contactWork = 0;      // the rest: contacts, kinematic bodies behind them, and what the method itself loses or gains [J]
};

struct StepReport {
  long step = 0;    // steps done since the World was made
  double time = 0;  // simulated [s]

  // Counts of the last step.
  int bodies = 0;  // all that are in the world
  int dynamicBodies = 0;
  int shapes = 0;
  int candidatePairs = 0;  // overlapping bounds
  int manifolds = 0;       // shape pairs in contact; a pair with a mesh counts once for each direction in which it touches
  int contactPoints = 0;   // rows' points: all within the envelope, separated ones too
  int activePoints = 0;    // with a normal impulse, but for those of bodies that sleep
  int sleepingBodies = 0;  // in the last step, if nothing has woken all of them since
  int joints = 0;
  int colours = 0;
  int maxDegree = 0;        // most constraints on one dynamic body
  int tailConstraints = 0;  // solved by mass splitting because no colour was left
  int sweeps = 0;           // over all substeps

  // Residual of the last substep's contact problem (formulas.md 2.3; scaled as eta_scl of the contact-problem format).
  double residualMax = 0;       // [-]
  int residualMaxContact = -1;  // index in World::contacts() of the worst; -1: none
  double residualRms = 0;       // [-]

  double penetrationMax = 0;   // [m]
  double penetrationMean = 0;  // over contact points, separated ones count as 0 [m]

  double jointErrorMax = 0;         // largest distance of a joint from what it allows: offset [m]
  double jointAngularErrorMax = 0;  // and turn [rad]
  // How far what a joint holds of a body, its anchor and the axes that it locks, swings about the body's centre of mass within a substep, at the
  // bodies' velocities; the largest of all joints that are not broken. Up to 0.5 energy is kept to 1 % (docs/units-and-limits.md); take more
  // substeps where it is more [rad].
  double jointSwingMax = 0;

  double kineticEnergy = 0;               // [J]
  double potentialEnergy = 0;             // in the scene's gravity, 0 at the origin [J]
  Vec3<double> linearMomentum{0, 0, 0};   // [kg m/s]
  Vec3<double> angularMomentum{0, 0, 0};  // about the origin [kg m^2/s]
  double maxSpeed = 0;                    // [m/s]
  double rmsSpeed = 0;                    // sqrt(2 kinetic energy / mass) of the dynamic bodies: what a settled scene still jitters with [m/s]
  EnergyBalance energyBalance;            // of the last step

  std::vector<StageTime> stages;  // of the last step, in its order; none unless WorldSettings::stageTimes asks for them
  size_t memoryBytes = 0;         // held by the World's buffers now
  size_t peakMemoryBytes = 0;     // at most so far
};

// The same of one environment of a World that has several; contacts are those of the last step.
struct EnvironmentReport {
  double kineticEnergy = 0;    // [J]
  double potentialEnergy = 0;  // in the environment's gravity, 0 at the origin [J]
  double maxSpeed = 0;         // of its dynamic bodies [m/s]
  int contactPoints = 0;       // rows' points, separated ones too
  double penetrationMax = 0;   // [m]
  double residualMax = 0;      // of the last substep's contact problem, scaled by the environment's own speeds [-]
};

// One JSON object with the keys of docs/report.md.
CAIRN_API std::string toJson(const StepReport& report);

}  // namespace v0
}  // namespace cairn
