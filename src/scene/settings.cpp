// Ranges of the settings.
#include <cairn/error.hpp>
#include <cairn/settings.hpp>

#include "src/scene/enum_names.hpp"
#include "src/scene/text.hpp"

#include <cmath>

namespace cairn {

namespace {

template <class Value> void require(bool holds, const char* name, const char* range, Value value) {
  if (!holds) throw InvalidInput(std::string("settings.") + name, text("must be {}, is {}", range, value));
}

void requirePositive(const char* name, double value) { require(std::isfinite(value) && value > 0, name, "a finite number > 0", value); }
void requireNotNegative(const char* name, double value) { require(std::isfinite(value) && value >= 0, name, "a finite number >= 0", value); }
void requireAtLeast(const char* name, int least, int value) {
  require(value >= least, name, least == 0 ? "a whole number >= 0" : "a whole number >= 1", value);
}
template <class Enum> void requireNamed(const char* name, Enum value) {
  require(std::string(nameOf(value)) != "?", name, ("one of " + nameList<Enum>()).c_str(), int(value));
}

// Settings that are each in range but make no sense together.
void requireSensible(const WorldSettings& s) {
  if (s.solver == Solver::Nncg && s.iterations < 2 && !(s.tolerance > 0)) {
    throw InvalidInput("settings.iterations", "must be at least 2 with the solver nncg: one sweep has no conjugate direction");
  }
  if (s.jointStabilization == JointStabilization::Post && s.normalStabilization == NormalStabilization::Soft) {
    throw InvalidInput("settings.jointStabilization", "must not be post with soft contacts: their springs carry by the depth that it removes");
  }
  if (s.jointStabilization == JointStabilization::Post && s.solver == Solver::Lemke) {
    throw InvalidInput("settings.jointStabilization", "must not be post with the solver lemke: its position problem has no joints");
  }
  if (s.shockPropagation && s.solver == Solver::Lemke) {
    throw InvalidInput("settings.shockPropagation", "must be off with the solver lemke: it would change the reference's answer");
  }
  if (s.positionCorrections > 0 && s.normalStabilization == NormalStabilization::Soft) {
    throw InvalidInput("settings.positionCorrections", "must be 0 with soft contacts: their springs carry by the depth that it removes");
  }
}

}  // namespace

void validate(const WorldSettings& s) {
  requireNamed("backend", s.backend);
  requireAtLeast("threads", 0, s.threads);
  requireNamed("precision", s.precision);
  requirePositive("dt", s.dt);
  requireAtLeast("substeps", 1, s.substeps);
  requireAtLeast("iterations", 1, s.iterations);
  requireAtLeast("relaxations", 0, s.relaxations);
  requireAtLeast("normalPasses", 1, s.normalPasses);
  require(s.overRelaxation > 0 && s.overRelaxation < 2, "overRelaxation", "a number > 0 and < 2", s.overRelaxation);
  requireNotNegative("tolerance", s.tolerance);
  requireAtLeast("maxIterations", 1, s.maxIterations);
  requireNamed("solver", s.solver);
  requireNamed("normalStabilization", s.normalStabilization);
  require(s.errorReduction >= 0 && s.errorReduction <= 1, "errorReduction", "a number from 0 to 1", s.errorReduction);
  require(s.forceMixing >= 0 && s.forceMixing < 1, "forceMixing", "a number >= 0 and < 1", s.forceMixing);
  requireNotNegative("slop", s.slop);
  require(s.gamma > 0 && s.gamma <= 1, "gamma", "a number > 0 and <= 1", s.gamma);
  requireNotNegative("slipTolerance", s.slipTolerance);
  require(s.slipReduction >= 0 && s.slipReduction <= 1, "slipReduction", "a number from 0 to 1", s.slipReduction);
  requireAtLeast("positionCorrections", 0, s.positionCorrections);
  requireAtLeast("positionSweeps", 1, s.positionSweeps);
  requirePositive("maxPositionCorrection", s.maxPositionCorrection);
  requireNamed("jointStabilization", s.jointStabilization);
  requireNamed("jointSolver", s.jointSolver);
  require(s.jointErrorReduction >= 0 && s.jointErrorReduction <= 2, "jointErrorReduction", "a number from 0 to 2", s.jointErrorReduction);
  requireAtLeast("jointSweeps", 0, s.jointSweeps);
  requirePositive("maxCorrectionSpeed", s.maxCorrectionSpeed);
  requirePositive("softFrequency", s.softFrequency);
  requireNotNegative("softDamping", s.softDamping);
  requirePositive("envelope", s.envelope);
  requireNotNegative("restitutionThreshold", s.restitutionThreshold);
  require(s.maxLinearSpeed > 0, "maxLinearSpeed", "a number > 0 or infinity", s.maxLinearSpeed);
  require(s.maxAngularSpeed > 0, "maxAngularSpeed", "a number > 0 or infinity", s.maxAngularSpeed);
  require(s.maxColours >= 0 && s.maxColours <= 64, "maxColours", "a whole number from 0 to 64", s.maxColours);
  requireSensible(s);
}

}  // namespace cairn
