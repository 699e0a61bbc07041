#include "src/problems/solver_settings.hpp"

#include "src/scene/setting_values.hpp"

namespace cairn::v0 {
namespace {

using S = ContactSolverSettings;
using Table = SettingsTable<ContactSolverSettings, ContactSolverSettingField>;

constexpr SettingGroup kGroup{"Solver", "contact-problems.md"};

Table makeTable() {
  Table table;
  table.add(kGroup, &S::solver, "solver", "Method").note("auto: NNCG, and where it stalls Newton steps and Gauss-Seidel by turns");
  table.add(kGroup, &S::tolerance, "tolerance", "Of the residual").above(0);
  table.add(kGroup, &S::maxIterations, "maxIterations", "Most sweeps, steps or pivots").from(1);
  table.add(kGroup, &S::timeLimit, "timeLimit", "")
      .unit("s")
      .above(0)
      .orInfinity()
      .words("a number > 0")
      .note("When it is over, the best solution so far is returned");
  table.add(kGroup, &S::backend, "backend", "Where sweeps run").note("auto: CUDA where there is a device");
  table.add(kGroup, &S::threads, "threads", "CPU threads").from(0).to(kMostThreads).zero("all").note("no influence on the results");
  table.add(kGroup, &S::precision, "precision", "Of the sweeps").note("residuals are always computed in double");
  // Checked by Lemke's method alone: the others do not look at it.
  table.add(kGroup, &S::directions, "directions", "Lemke: directions of the friction polygon").note("even, at least 4");
  table.add(kGroup, &S::force, "force", "Lemke: also beyond 60 contacts").form(OptionForm::Flag);
  return table;
}

}  // namespace

const std::vector<ContactSolverSetting>& contactSolverSettings() {
  static const Table table = makeTable();
  return table.rows();
}

std::vector<SettingInfo> settingInfos(const ContactSolverSettings& settings) { return infosOf(contactSolverSettings(), settings); }

void setSetting(ContactSolverSettings& settings, const std::string& name, const SettingValue& value) {
  setByName(contactSolverSettings(), settings, name, value);
}

}  // namespace cairn::v0
