#include "src/scene/settings_table.hpp"

#include <algorithm>

namespace cairn::v0 {
namespace {

using W = WorldSettings;
using Table = SettingsTable<WorldSettings, WorldSettingField>;

constexpr SettingGroup kTarget{"Target and method", ""};
constexpr SettingGroup kSweeps{"Time step and sweeps", ""};
constexpr SettingGroup kNormals{"Penetration", "stabilization.md"};
constexpr SettingGroup kFriction{"Friction stabilization", "stabilization.md"};
constexpr SettingGroup kPositions{"Corrections of positions after a step", "stabilization.md"};
constexpr SettingGroup kJoints{"Joints", "joints.md"};
constexpr SettingGroup kContacts{"Contacts and limits", ""};
constexpr SettingGroup kEvents{"Contact events", "events.md"};

void addSweeps(Table& table) {
  table.add(kTarget, &W::backend, "backend", "Where to run").note("auto: CUDA where the build has code for the device");
  table.add(kTarget, &W::threads, "threads", "CPU threads").from(0).to(kMostThreads).zero("all").note("no influence on the results");
  table.add(kTarget, &W::device, "device", "CUDA device").from(-1).note("-1: the current one; another one must be there, and have code");
  table.add(kTarget, &W::cudaGraph, "cudaGraph", "Launch steps that repeat each other as a CUDA graph").note("no influence on the results");
  table.add(kTarget, &W::precision, "precision", "Of state and kernels");
  table.add(kTarget, &W::stageTimes, "stageTimes", "Take the times of a step's stages")
      .form(OptionForm::FlagPair)
      .note("on in `bench` and `run`, for their reports; no influence on the results");
  table.add(kSweeps, &W::dt, "dt", "Time step").unit("s").above(0);
  table.add(kSweeps, &W::substeps, "substeps", "Substeps of a step").from(1);
  table.add(kSweeps, &W::iterations, "iterations", "Stabilized sweeps a substep").from(1);
  table.add(kSweeps, &W::relaxations, "relaxations", "Sweeps without stabilization a substep").from(0);
  table.add(kSweeps, &W::solidRelaxations, "solidRelaxations", "At least so many relaxations where several bodies that move are not convex")
      .from(0)
      .zero("as many as elsewhere")
      .note("none without relaxations");
  table.add(kSweeps, &W::normalPasses, "normalPasses", "Passes over a manifold's normals a sweep").from(1);
  table.add(kSweeps, &W::overRelaxation, "overRelaxation", "Of normal impulses").above(0).below(2);
  table.add(kSweeps, &W::impulseMomentum, "impulseMomentum", "Momentum of contacts' warm starts within a step").from(0).below(1).zero("none");
  table.add(kSweeps, &W::tolerance, "tolerance", "Sweep until the scaled residual is below it").from(0).zero("fixed sweeps");
  table.add(kSweeps, &W::maxIterations, "maxIterations", "Most sweeps with a tolerance").from(1);
  table.add(kTarget, &W::solver, "solver", "Contact solver")
      .note("lemke: the reference, on the host in double, for at most 60 contact points and joints that only lock axes; to compare with");
  table.add(kSweeps, &W::warmStart, "warmStart", "Start from the last step's impulses").form(OptionForm::FlagPair);
}

void addStabilization(Table& table) {
  table.add(kNormals, &W::normalStabilization, "normalStabilization", "Treatment of penetration");
  table.add(kNormals, &W::errorReduction, "errorReduction", "Baumgarte: part of the error removed a substep").from(0).to(1).alias("--erp");
  table.add(kNormals, &W::forceMixing, "forceMixing", "Relative constraint force mixing of contact points (softness)")
      .from(0)
      .below(1)
      .alias("--relative-cfm");
  table.add(kNormals, &W::slop, "slop", "Depth that contacts rest at").unit("m").from(0);
  table.add(kNormals, &W::gamma, "gamma", "Anitescu-Hart: part of a gap or penetration that a substep closes").above(0).to(1);
  table.add(kNormals, &W::maxCorrectionSpeed, "maxCorrectionSpeed", "Largest speed of the correction").unit("m/s").above(0);
  table.add(kNormals, &W::softFrequency, "softFrequency", "Soft: natural frequency").unit("Hz").above(0);
  table.add(kNormals, &W::softDamping, "softDamping", "Soft: damping ratio").from(0);
  table.add(kFriction, &W::frictionStabilization, "frictionStabilization", "Pull points that stuck back to where they did");
  table.add(kFriction, &W::slipTolerance, "slipTolerance", "Friction stabilization: slip that is let be").unit("m").from(0);
  table.add(kFriction, &W::slipReduction, "slipReduction", "Friction stabilization: part of the slip taken back a substep").from(0).to(1);
  table.add(kPositions, &W::positionCorrections, "positionCorrections", "Position post-stabilizations after a step").from(0).zero("off");
  table.add(kPositions, &W::positionSweeps, "positionSweeps", "Sweeps of each").from(1);
  table.add(kPositions, &W::maxPositionCorrection, "maxPositionCorrection", "Most of a penetration that one takes out").unit("m").above(0);
}

void addJoints(Table& table) {
  table.add(kJoints, &W::jointStabilization, "jointStabilization", "Treatment of joints' errors");
  table.add(kJoints, &W::jointSolver, "jointSolver", "Joints: all at once, or by sweeps like contacts");
  table.add(kJoints, &W::jointErrorReduction, "jointErrorReduction", "Baumgarte: part of a joint's error removed a substep")
      .from(0)
      .to(2)
      .alias("--joint-erp");
  table.add(kJoints, &W::jointSweeps, "jointSweeps", "Sweeps over the joints alone after the others").from(0);
}

void addContacts(Table& table) {
  table.add(kContacts, &W::shockPropagation, "shockPropagation", "Contacts once more, level by level from the ground up");
  table.add(kContacts, &W::envelope, "envelope", "Largest gap of a contact").unit("m").above(0).alias("--contact-margin");
  table.add(kContacts, &W::growEnvelope, "growEnvelope", "Envelopes grow by a body's motion, and fast bodies are swept")
      .alias("--grow-contact-margin");
  table.add(kEvents, &W::contactEvents, "contactEvents", "Find the contacts that begin, persist and end").note("no influence on the results");
  table.add(kEvents, &W::hitThreshold, "hitThreshold", "Normal impulse over a step above which a contact is a hit").unit("N s").from(0).orInfinity();
  table.add(kContacts, &W::restitutionThreshold, "restitutionThreshold", "Approach speed below which nothing bounces").unit("m/s").from(0);
  table.add(kContacts, &W::maxLinearSpeed, "maxLinearSpeed", "").unit("m/s").above(0).orInfinity().note("Faster bodies are slowed down to it");
  table.add(kContacts, &W::maxAngularSpeed, "maxAngularSpeed", "").unit("rad/s").above(0).orInfinity().note("Faster bodies are slowed down to it");
  table.add(kContacts, &W::sleeping, "sleeping", "Islands that have been slow for a while are passed over");
  table.add(kContacts, &W::sleepSpeed, "sleepSpeed", "Sleep: what is slow").unit("m/s").above(0);
  table.add(kContacts, &W::sleepTime, "sleepTime", "Sleep: how long all of an island must have been slow").unit("s").from(0);
  table.add(kContacts, &W::maxColours, "maxColours", "Constraints beyond overflow and are solved by mass splitting").from(0).to(64);
}

Table makeTable() {
  Table table;
  addSweeps(table);
  addStabilization(table);
  addJoints(table);
  addContacts(table);
  return table;
}

}  // namespace

const std::vector<WorldSetting>& worldSettings() {
  static const Table table = makeTable();
  return table.rows();
}

const std::vector<SettingsConflict>& worldSettingsConflicts() {
  static const std::vector<SettingsConflict> conflicts{
      {"iterations", "must be at least 2 with the solver nncg: one sweep has no conjugate direction",
       [](const W& s) { return s.solver != Solver::Nncg || s.iterations >= 2 || s.tolerance > 0; }},
      {"jointStabilization", "must not be post with soft contacts: their springs carry by the depth that it removes",
       [](const W& s) { return s.jointStabilization != JointStabilization::Post || s.normalStabilization != NormalStabilization::Soft; }},
      {"jointStabilization", "must not be post with the solver lemke: its position problem has no joints",
       [](const W& s) { return s.jointStabilization != JointStabilization::Post || s.solver != Solver::Lemke; }},
      {"shockPropagation", "must be off with the solver lemke: it would change the reference's answer",
       [](const W& s) { return !s.shockPropagation || s.solver != Solver::Lemke; }},
      {"sleeping", "must be off with the solver lemke: its problem has all contacts",
       [](const W& s) { return !s.sleeping || s.solver != Solver::Lemke; }},
      {"sleeping", "must be off without warmStart: what wakes goes on from the impulses that it slept with",
       [](const W& s) { return !s.sleeping || s.warmStart; }},
      {"positionCorrections", "must be 0 with soft contacts: their springs carry by the depth that it removes",
       [](const W& s) { return s.positionCorrections == 0 || s.normalStabilization != NormalStabilization::Soft; }},
  };
  return conflicts;
}

bool isExecution(const std::string& setting) {
  constexpr const char* kNames[] = {"backend", "threads", "device", "cudaGraph", "stageTimes"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](const char* name) { return setting == name; });
}

}  // namespace cairn::v0
