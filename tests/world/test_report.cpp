// Reports as JSON: every key is there, has its value, and is documented.
#include "src/io/report_json.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>
#include <cairn_test_paths.hpp>

#include <fstream>
#include <set>

namespace cairn {
namespace {

// The names in backquotes in docs/report.md.
std::set<std::string> documentedKeys() {
  std::ifstream file(std::string(CAIRN_SOURCE_DIR) + "/docs/report.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> keys;
  for (size_t begin = text.find('`'); begin != std::string::npos;) {
    const size_t end = text.find('`', begin + 1);
    if (end == std::string::npos) break;
    keys.insert(text.substr(begin + 1, end - begin - 1));
    begin = text.find('`', end + 1);
  }
  return keys;
}

void expectDocumented(const Json& object, const std::set<std::string>& documented) {
  for (const auto& [key, value] : object.items()) {
    EXPECT_TRUE(documented.count(key) != 0) << "docs/report.md does not have " << key;
    if (value.is_object() && key != "stage_ms") expectDocumented(value, documented);
  }
}

TEST(Report, EveryKeyIsDocumented) {
  const Scene scene = loadScene("tower:height=3");
  World world(scene);
  world.step(10);
  const std::set<std::string> documented = documentedKeys();
  ASSERT_GT(documented.size(), 50u);
  expectDocumented(rowJson(describeRun("tower:height=3", scene, world)), documented);
  expectDocumented(documentJson("run"), documented);
}

TEST(Report, SaysWhatTheWorldSays) {
  const Scene scene = loadScene("tower:height=3");
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.threads = 1;
  settings.precision = Precision::Double;
  settings.stageTimes = true;
  World world(scene, settings);
  world.step(30);
  const StepReport report = world.report();
  const auto json = nlohmann::json::parse(toJson(report));
  EXPECT_EQ(json["step"], 30);
  EXPECT_EQ(json["time_s"], report.time);
  EXPECT_EQ(json["bodies"], 4);
  EXPECT_EQ(json["dynamic_bodies"], 3);
  EXPECT_EQ(json["contact_points"], 12);
  EXPECT_EQ(json["residual_max"], report.residualMax);
  EXPECT_EQ(json["linear_momentum_kg_m_s"][1], report.linearMomentum.y);
  EXPECT_EQ(json["stage_ms"].size(), report.stages.size());

  const Json row = rowJson(describeRun("name", scene, world));
  EXPECT_EQ(row["scene"], "name");
  EXPECT_EQ(row["backend"], "cpu");
  EXPECT_EQ(row["threads"], 1);
  EXPECT_EQ(row["precision"], "double");
  EXPECT_EQ(row["steps"], 30);
  EXPECT_EQ(row["state_hash"], hexHash(world.stateHash()));
  EXPECT_EQ(row["status"], "ok");
  EXPECT_EQ(row["report"]["penetration_max_m"], row["penetration_max_m"]);
}

TEST(Report, HasTheTimesOfStagesOnlyWhereTheyAreAskedFor) {
  const Scene scene = loadScene("tower:height=2");
  WorldSettings settings;
  World without(scene, settings);
  without.step(2);
  EXPECT_TRUE(without.report().stages.empty());
  try {
    without.stageTimes();
    ADD_FAILURE() << "nothing says that there are no times";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("WorldSettings::stageTimes"), std::string::npos) << error.what();
  }
  settings.stageTimes = true;
  World with(scene, settings);
  EXPECT_TRUE(with.stageTimes().empty()) << "there was no step yet";
  with.step(2);
  EXPECT_GE(with.stageTimes().size(), 5u);
  EXPECT_EQ(with.report().stages.size(), with.stageTimes().size());
  EXPECT_EQ(with.stateHash(), without.stateHash());
}

TEST(Report, SettingsAreNamedAndUnlimitedIsNull) {
  WorldSettings settings;
  settings.maxLinearSpeed = 12;
  settings.normalStabilization = NormalStabilization::Soft;
  const Json json = settingsJson(settings);
  EXPECT_EQ(json["normal_stabilization"], "soft");
  EXPECT_EQ(json["max_linear_speed_m_s"], 12);
  EXPECT_TRUE(json["max_angular_speed_rad_s"].is_null());
  EXPECT_EQ(json["warm_start"], true);
}

TEST(Report, HashesHaveSixteenDigits) {
  EXPECT_EQ(hexHash(0), "0000000000000000");
  EXPECT_EQ(hexHash(0xabcull), "0000000000000abc");
  EXPECT_EQ(hexHash(~0ull), "ffffffffffffffff");
}

TEST(Report, Quantiles) {
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile({7}, 0.95), 7);
  EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(quantile({5, 4, 3, 2, 1}, 0), 1);
  EXPECT_EQ(quantile({5, 4, 3, 2, 1}, 1), 5);
}

}  // namespace
}  // namespace cairn
