// What can be tuned in a World. Defaults are chosen by measurement: docs/defaults.md.
#pragma once

#include <limits>
#include <string>

namespace cairn {

enum class Backend { Auto, Cpu, Cuda };  // Auto: CUDA where there is a device, else the CPU
enum class Precision { Float, Double };  // of the state and of all kernels
// Coloured projected Gauss-Seidel; mass-split Jacobi; the reference (Lemke, on the host in double, friction as an octagon), for at most 60 contact
// points.
enum class Solver { Pgs, Jacobi, Lemke };
enum class NormalStabilization { None, Baumgarte, Soft };

struct WorldSettings {
  Backend backend = Backend::Auto;
  int threads = 0;  // CPU threads, >= 1; 0: as many as the machine has. No influence on the results
  Precision precision = Precision::Float;

  double dt = 1.0 / 60;  // time step [s], > 0
  int substeps = 8;      // >= 1; rows to integration are repeated this often within dt. More: stiffer stacks (with the square), cost in proportion
  int iterations = 1;    // >= 1; sweeps over all contacts a substep with stabilization. More: smaller residual
  int relaxations = 3;   // >= 0; sweeps without stabilization after the positions have moved: take the correction's speed out again
  int normalPasses = 1;  // >= 1; how often a sweep goes over the normal rows of one manifold before its friction rows
  double overRelaxation = 1.1;  // of the normal impulses in the stabilized sweeps [-], > 0, < 2; 1: none. Calms tall stacks; above 1.3 pyramids slide
  double tolerance = 0;         // [-], >= 0; > 0: sweep on until the scaled residual (report) is below it, at most maxIterations sweeps a substep
  int maxIterations = 1000;
  Solver solver = Solver::Pgs;
  bool warmStart = true;  // start from the last step's impulses of the same feature

  NormalStabilization normalStabilization = NormalStabilization::Baumgarte;
  double errorReduction = 0.2;  // Baumgarte: fraction of the distance from the resting depth that a substep removes [-], 0..1
  double forceMixing = 0.06;    // Baumgarte: fraction of its impulse that a penetrating point gives up a sweep [-], 0 (rigid) to below 1. Above
                                // errorReduction / (iterations + relaxations) stacks go quiet (docs/defaults.md); more: deeper
  double slop = 0.0005;         // depth that contacts rest at [m], >= 0; keeps them in touch
  double maxCorrectionSpeed =
      3.0;                    // largest speed that stabilization asks for [m/s], > 0; what bodies that start out overlapping leave each other with
  double softFrequency = 30;  // Soft: natural frequency of the contact spring [Hz], > 0; capped at a quarter of the substep rate
  double softDamping = 10;    // Soft: damping ratio [-], >= 0

  double envelope = 0.02;             // contacts with a gap up to this are rows too [m], > 0; fast bodies get more by themselves
  double restitutionThreshold = 0.5;  // approach speed below which restitution is off [m/s], >= 0
  double maxLinearSpeed = std::numeric_limits<double>::infinity();   // [m/s], > 0; off by default
  double maxAngularSpeed = std::numeric_limits<double>::infinity();  // [rad/s], > 0; off by default
  int maxColours = 64;                                               // 0..64; constraints beyond go to the mass-split tail
};

// Throws InvalidInput naming the setting, its value and the allowed range.
void validate(const WorldSettings& settings);

}  // namespace cairn
