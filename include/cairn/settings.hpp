// The settings of a World. Defaults are chosen by measurement: docs/defaults.md. Ranges, options and names in JSON: docs/program.md.
#pragma once

#include <cairn/export.hpp>

#include <limits>
#include <string>

namespace cairn {
inline namespace v0 {

enum class Backend { Auto, Cpu, Cuda };  // Auto: CUDA where the build has code for the device, else the CPU
enum class Precision { Float, Double };  // of the state and of all kernels
// Coloured projected Gauss-Seidel; mass-split Jacobi; nonsmooth nonlinear conjugate gradients around the former (Silcowitz, Niebe and Erleben 2010);
// the reference (Lemke, on the host in double, friction as an octagon), for at most 60 contact points.
enum class Solver { Pgs, Jacobi, Nncg, Lemke };

// The normal rows of a substep at a gap or penetration phi (docs/stabilization.md):
//   None          gaps may just close; penetrations stay what they are
//   Baumgarte     removes the fraction errorReduction of a penetration; forceMixing makes rows compliant (Cline and Pai 2003, section V)
//   AnitescuHart  gamma phi / h for all contacts, gaps too: the linearised end of the substep is free of penetration (Anitescu and Hart 2004, 2.12)
//   Silcowitz     contacts go to half the envelope, from both sides, restitution considered (Silcowitz, Niebe and Erleben, section 2)
//   Soft          a damped spring, integrated implicitly (Catto 2011)
enum class NormalStabilization { None, Baumgarte, AnitescuHart, Silcowitz, Soft };

// The treatment of a joint's error (docs/joints.md):
//   None          velocities alone are kept; positions drift
//   Baumgarte     removes the fraction jointErrorReduction in a substep, by velocities (Cline and Pai 2003, section V, where they
//                 stay: relaxations 0)
//   AnitescuHart  removes all of it, in the linearised end of the substep (Anitescu and Hart 2004)
//   Post          positions are put right after they have moved, velocities stay (Cline and Pai 2003, section V)
//   Pre           impulses such that the bodies arrive on target, then velocities are put right (Weinstein, Teran and Fedkiw 2006)
enum class JointStabilization { None, Baumgarte, AnitescuHart, Post, Pre };

// Direct: all locked axes are solved at once, loops too; components of joined bodies whose factor would be too large by sweeps (docs/joints.md).
// Sweeps: all joints by sweeps, with the contacts. Joints in sweeps remove 0.2 of their error a substep and are compliant by forceMixing.
enum class JointSolver { Direct, Sweeps };

struct WorldSettings {
  Backend backend = Backend::Auto;
  int threads = 0;  // CPU threads, 1 to 1024; 0: as many as the machine has. No influence on the results
  int device = -1;  // on CUDA: its number, as CUDA counts them; -1: the one that is current in the thread that makes the World. Ignored on the CPU
  // On CUDA: a cudaStream_t of that device, on which everything of the World is queued, in order with the caller's own work; null: the World makes
  // one of its own. The caller's, who destroys it after the World. Ignored on the CPU
  void* stream = nullptr;
  // On CUDA: steps that repeat each other launch by launch are recorded as a CUDA graph, and launched as a whole. No influence on the results. They
  // have no stage times; the reference solver, callbacks, a tolerance are never recorded.
  bool cudaGraph = false;
  Precision precision = Precision::Float;
  // Take the time of each stage of a step, for StepReport::stages and World::stageTimes: by reading a clock on the CPU, by events between the
  // launches on CUDA. Without it a step does neither. `cairn bench` and `cairn run --report` ask for them. No influence on the results
  bool stageTimes = false;

  double dt = 1.0 / 60;  // time step [s], > 0
  int substeps = 7;      // >= 1; rows to integration are repeated this often within dt. More: stiffer stacks (with the square), cost in proportion
  int iterations = 1;    // >= 1; sweeps over all contacts a substep with stabilization. More: smaller residual
  int relaxations = 2;   // >= 0; sweeps without stabilization after the positions have moved: they take the correction's speed out again
  // >= 0; relaxations are at least so many, if there are any, where several bodies that move are not convex: a load that goes through hundreds of
  // links needs them (docs/defaults.md). 0: as many as elsewhere
  int solidRelaxations = 4;
  int normalPasses = 1;       // >= 1; how often a sweep goes over the normal rows of one manifold before its friction rows
  double overRelaxation = 1;  // of the normal impulses in all sweeps [-], > 0, < 2; 1: none. Above 1.3 pyramids slide
  // Pgs, from the third substep of a step on: contacts begin from their impulses plus this part of what these have changed since the substep before
  // [-], >= 0, < 1 (Polyak's heavy ball, 1964, section 2); 0: none. Slow modes of stacks are damped as by 1/(1 - impulseMomentum) times as many
  // sweeps; above 0.4 walls and houses of cards begin to tremble
  double impulseMomentum = 0.4;
  double tolerance = 0;  // [-], >= 0; > 0: sweep on until the scaled residual (report) is below it, at most maxIterations sweeps a substep
  int maxIterations = 1000;
  Solver solver = Solver::Pgs;
  bool warmStart = true;  // start from the last step's impulses of the same feature

  NormalStabilization normalStabilization = NormalStabilization::Baumgarte;
  double errorReduction = 0.15;  // ERP. Baumgarte: fraction of the distance from the resting depth that a substep removes [-], 0..1
  // CFM relative to a row's diagonal. Baumgarte, AnitescuHart, Silcowitz: fraction of its impulse that a point loses a sweep [-], 0 (rigid: the
  // papers) to below 1. From (1 - impulseMomentum) (fraction of the error removed) / (iterations + relaxations) on stacks come to rest with few
  // sweeps (docs/defaults.md): 0.3 for the latter two. More: deeper contacts.
  double forceMixing = 0.035;
  double slop = 0.0003;             // None, Baumgarte, Soft: depth that contacts rest at [m], >= 0; keeps them in touch
  double gamma = 1;                 // AnitescuHart: fraction of a penetration that a substep removes, and of a gap that it may close [-], > 0, <= 1
  double maxCorrectionSpeed = 3.0;  // largest speed that stabilization asks for [m/s], > 0; bodies that overlap at the start part with it
  double softFrequency = 30;        // Soft: natural frequency of the contact spring [Hz], > 0; capped at a quarter of the substep rate
  double softDamping = 10;          // Soft: damping ratio [-], >= 0

  // Points that stuck keep where they did on both bodies, and are pulled back there (Silcowitz, Niebe and Erleben, section 3).
  bool frictionStabilization = false;
  double slipTolerance = 1e-5;  // smaller slips stay [m], >= 0
  double slipReduction =
      0.2;  // k_t: fraction of the slip that a substep takes back [-], 0..1. The paper: 0.8, with many sweeps; here as errorReduction

  // Position post-stabilization (Cline and Pai 2003, section V): after a step, penetrations beyond the slop are taken out of the positions,
  // velocities stay. Not with Soft, whose springs need their depth.
  int positionCorrections = 0;          // how often it is repeated, >= 0; 0: off. A repeat that makes the largest penetration worse is undone
  int positionSweeps = 10;              // sweeps of each, >= 1
  double maxPositionCorrection = 0.02;  // largest part of a penetration that one removes [m], > 0; no body turns by more than 0.1 rad

  JointStabilization jointStabilization = JointStabilization::Pre;
  double jointErrorReduction = 0.2;  // Baumgarte: fraction of a joint's error that a substep removes [-], 0..2: above 1 it overshoots
  JointSolver jointSolver = JointSolver::Direct;
  int jointSweeps = 0;  // >= 0; sweeps over the joints alone after those over contacts and joints (Weinstein, Teran and Fedkiw 2006, section VI)
  // Contacts once more, level by level from the ground up, a lower level's bodies as good as immovable for those above (Guendelman, Bridson and
  // Fedkiw 2003); joints are processed with their bodies' true masses.
  bool shockPropagation = false;

  double envelope = 0.02;  // contact margin [m], > 0: gaps up to this are rows too. Silcowitz: bodies rest at half. docs/units-and-limits.md: sizes
  // Envelopes grow by a body's motion within a step, by half its smallest extent at most. Bodies that move or turn further are swept, and end no step
  // beyond what they went through: from 1 cm and plates of 2 mm on, at 300 m/s and 100 rad/s (docs/units-and-limits.md, fast bodies). Off: contacts
  // are those at a step's beginning, as the papers choose them.
  bool growEnvelope = true;
  // Which contacts begin, persist and end in a step, and which of them are hits, for World::contactEvents (docs/events.md). Costs some passes over
  // the contacts a step, and memory for those that touch. No influence on the results
  bool contactEvents = false;
  // Normal impulse over a step above which a contact is a hit [N s], >= 0; infinity: none is. A load at rest gives m g dt.
  double hitThreshold = std::numeric_limits<double>::infinity();
  double restitutionThreshold = 0.5;                                 // approach speed below which restitution is off [m/s], >= 0
  double maxLinearSpeed = std::numeric_limits<double>::infinity();   // [m/s], > 0; off by default
  double maxAngularSpeed = std::numeric_limits<double>::infinity();  // [rad/s], > 0; off by default
  int maxColours = 64;                                               // 0..64; further constraints overflow: they are solved by mass splitting

  // Bodies that have been slow for a while sleep, islands of bodies that touch each other together, until something stirs them (docs/sleeping.md).
  // Their contacts are found and kept, but not solved.
  bool sleeping = false;
  double sleepSpeed = 0.01;  // what is slow: linear speed and that of the turn at the radius of gyration, together [m/s], > 0
  double sleepTime = 0.5;    // how long all bodies of an island must have been slow [s], >= 0; one step at least
};

// Throws InvalidInput naming the setting, its value and the allowed range.
CAIRN_API void validate(const WorldSettings& settings);

}  // namespace v0
}  // namespace cairn
