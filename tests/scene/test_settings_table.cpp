// The table of settings: one row a field, and validation, reports and names that follow from it.
#include "src/io/report_json.hpp"
#include "src/problems/solver_settings.hpp"
#include "src/scene/settings_table.hpp"
#include "tests/support/expect.hpp"

#include <cairn/error.hpp>
#include <cairn/setting_values.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace cairn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const WorldSetting& rowOf(const std::string& name) {
  for (const WorldSetting& row : worldSettings()) {
    if (row.name == name) return row;
  }
  throw std::out_of_range(name);
}

TEST(SettingsTable, NamesOptionsKeysAndFieldsAreUnique) {
  std::set<std::string> names, options, keys;
  std::set<const void*> fields;
  const WorldSettings settings;
  for (const WorldSetting& row : worldSettings()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(keys.insert(row.key()).second) << row.key();
    EXPECT_TRUE(options.insert(row.option()).second) << row.option();
    for (const std::string& alias : row.aliases) EXPECT_TRUE(options.insert(alias).second) << alias;
    row.visit(settings, [&](const auto& value) { EXPECT_TRUE(fields.insert(&value).second) << row.name; });
  }
}

// The bytes of a WorldSettings are those of its fields and padding: a field that the table lacks would be a gap of its own size.
TEST(SettingsTable, HasEveryField) {
  const WorldSettings settings;
  std::set<std::pair<const char*, size_t>> places;
  places.insert({reinterpret_cast<const char*>(&settings.stream), sizeof settings.stream});  // no text says what it is
  for (const WorldSetting& row : worldSettings()) {
    row.visit(settings, [&](const auto& value) { places.insert({reinterpret_cast<const char*>(&value), sizeof(value)}); });
  }
  const char* end = reinterpret_cast<const char*>(&settings);
  for (const auto& [place, size] : places) {
    const auto gap = static_cast<size_t>(place - end);
    EXPECT_LT(gap, size) << "before byte " << place - reinterpret_cast<const char*>(&settings);
    end = place + size;
  }
  EXPECT_LT(static_cast<size_t>(reinterpret_cast<const char*>(&settings + 1) - end), alignof(WorldSettings));
}

TEST(SettingsTable, MakesOptionsAndKeysFromNames) {
  EXPECT_EQ(rowOf("maxLinearSpeed").option(), "--max-linear-speed");
  EXPECT_EQ(rowOf("maxLinearSpeed").key(), "max_linear_speed_m_s");
  EXPECT_EQ(rowOf("softFrequency").key(), "soft_frequency_hz");
  EXPECT_EQ(rowOf("maxAngularSpeed").key(), "max_angular_speed_rad_s");
  EXPECT_EQ(rowOf("dt").key(), "dt_s");
  EXPECT_EQ(rowOf("hitThreshold").key(), "hit_threshold_n_s");
  EXPECT_EQ(rowOf("gamma").key(), "gamma");
}

TEST(SettingsTable, RangesAreOpenOrClosed) {
  const SettingRange gamma = rowOf("gamma").range, mixing = rowOf("forceMixing").range, speed = rowOf("maxLinearSpeed").range;
  EXPECT_FALSE(gamma.contains(0));
  EXPECT_TRUE(gamma.contains(1));
  EXPECT_TRUE(mixing.contains(0));
  EXPECT_FALSE(mixing.contains(1));
  EXPECT_TRUE(speed.contains(kInfinity));
  EXPECT_FALSE(rowOf("dt").range.contains(kInfinity));
  EXPECT_FALSE(speed.contains(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_EQ(describeRange(gamma, false), "a number > 0 and <= 1");
  EXPECT_EQ(describeRange(rowOf("maxColours").range, true), "a whole number from 0 to 64");
}

TEST(SettingsTable, DefaultsAreInRange) {
  EXPECT_NO_THROW(requireInRange(worldSettings(), WorldSettings()));
  EXPECT_NO_THROW(requireInRange(contactSolverSettings(), ContactSolverSettings()));
  for (const SettingsConflict& conflict : worldSettingsConflicts()) {
    EXPECT_TRUE(conflict.holds(WorldSettings())) << conflict.name;
    EXPECT_NO_THROW(rowOf(conflict.name));
  }
}

TEST(SettingsTable, ReportsHaveEverySettingInItsOrder) {
  const Json json = settingsJson(WorldSettings());
  ASSERT_EQ(json.size(), worldSettings().size());
  size_t i = 0;
  for (const auto& item : json.items()) EXPECT_EQ(item.key(), worldSettings()[i++].key());
  EXPECT_TRUE(json["max_linear_speed_m_s"].is_null());
  EXPECT_EQ(json["solver"], "pgs");
  EXPECT_EQ(json["substeps"], WorldSettings().substeps);
}

TEST(SettingsTable, RefusesValuesThatNoEnumerationHas) {
  WorldSettings settings;
  settings.solver = static_cast<Solver>(17);
  try {
    requireInRange(worldSettings(), settings);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "settings.solver: must be one of pgs, jacobi, nncg, lemke, is 17");
  }
}

// What is set by name arrives in the field, and in no other.
TEST(SettingsTable, SettingsAreSetByName) {
  WorldSettings byName;
  setSetting(byName, "max_linear_speed", 7.5);
  setSetting(byName, "substeps", 3L);
  setSetting(byName, "dt", 1L);
  setSetting(byName, "warm_start", false);
  setSetting(byName, "normal_stabilization", std::string("anitescu-hart"));
  WorldSettings byField;
  byField.maxLinearSpeed = 7.5;
  byField.substeps = 3;
  byField.dt = 1;
  byField.warmStart = false;
  byField.normalStabilization = NormalStabilization::AnitescuHart;
  EXPECT_EQ(settingsJson(byName), settingsJson(byField));
  EXPECT_NE(settingsJson(byName), settingsJson(WorldSettings()));

  ContactSolverSettings solver;
  setSetting(solver, "solver", std::string("lemke"));
  setSetting(solver, "max_iterations", 5000000000L);
  EXPECT_EQ(solver.solver, ProblemSolver::Lemke);
  EXPECT_EQ(solver.maxIterations, 5000000000L);
}

// Every setting can be set to what it is listed with: the list has its name and its type.
template <class Settings> void expectListedAsTheyAreSet() {
  Settings settings;
  const std::vector<SettingInfo> infos = settingInfos(settings);
  ASSERT_FALSE(infos.empty());
  for (const SettingInfo& info : infos) {
    EXPECT_NO_THROW(setSetting(settings, info.name, info.value)) << info.name;
    EXPECT_FALSE(info.allowed.empty()) << info.name;
  }
}
TEST(SettingsTable, AreListedAsTheyAreSet) {
  expectListedAsTheyAreSet<WorldSettings>();
  expectListedAsTheyAreSet<ContactSolverSettings>();
}

TEST(SettingsTable, RefusesNamesAndTypesThatItDoesNotHave) {
  WorldSettings settings;
  const auto refusal = [&](const std::string& name, const SettingValue& value) {
    return test::messageOf([&] { setSetting(settings, name, value); });
  };
  EXPECT_EQ(refusal("maxColors", 3L), "settings.maxColors: there is no such setting");
  EXPECT_EQ(refusal("substeps", 2.5), "settings.substeps: must be a whole number, is 2.5");
  EXPECT_EQ(refusal("substeps", 5000000000L), "settings.substeps: must be a whole number, is 5000000000");
  EXPECT_EQ(refusal("substeps", true), "settings.substeps: must be a whole number, is true");
  EXPECT_EQ(refusal("dt", std::string("fast")), "settings.dt: must be a number, is 'fast'");
  EXPECT_EQ(refusal("warm_start", 1L), "settings.warmStart: must be true or false, is 1");
  EXPECT_EQ(refusal("precision", 2L), "settings.precision: must be one of float, double, is 2");
  EXPECT_EQ(refusal("precision", std::string("half")), "settings.precision: must be one of float, double, is 'half'");
  EXPECT_EQ(settingsJson(settings), settingsJson(WorldSettings()));
}

}  // namespace
}  // namespace cairn
