// What `cairn bench` reports of time against work.
#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>

namespace cairn {
namespace {

class ProgramBench : public test::Program {};

// The keys of time against work, there and documented; what depends on nobody's clock is what the counts say.
TEST_F(ProgramBench, SaysWhatItsTimeWasSpentOn) {
  const auto row = nlohmann::json::parse(run("bench tower:height=5 --backend cpu --threads 1 --steps 20 --json -").out)["rows"][0];
  const auto& throughput = row["throughput"];
  const std::string page = test::readFile(std::filesystem::path(CAIRN_SOURCE_DIR) / "docs" / "report.md");
  for (const char* key : {"ns_per_point", "ns_per_point_and_sweep", "sweep_bytes", "copy_bandwidth_bytes_per_s", "fraction_of_copy_bandwidth"}) {
    EXPECT_TRUE(throughput.contains(key)) << key;
  }
  for (const auto& [key, value] : throughput.items()) {
    EXPECT_TRUE(page.empty() || page.find("`" + key + "`") != std::string::npos) << "docs/report.md does not have " << key;
  }
  const double points = row["contact_points"], manifolds = row["report"]["manifolds"], sweeps = row["report"]["sweeps"];
  EXPECT_EQ(throughput["sweep_bytes"].get<double>(), sweeps * (252 * manifolds + 44 * points));
  const double median = row["step_ms"]["median"], solve = row["stage_ms"]["solve"], bandwidth = throughput["copy_bandwidth_bytes_per_s"];
  EXPECT_NEAR(throughput["ns_per_point_and_sweep"]["solve"].get<double>(), 1e6 * solve / (points * sweeps), 1e-9 * solve * 1e6);
  EXPECT_GT(bandwidth, 1e8);
  EXPECT_NEAR(throughput["fraction_of_copy_bandwidth"]["step"].get<double>() * median * 1e-3 * bandwidth,
              1.0 * throughput["sweep_bytes"].get<double>(), 1);
  const auto free = nlohmann::json::parse(run("bench pendulum --backend cpu --steps 4 --no-stage-times --json -").out)["rows"][0]["throughput"];
  EXPECT_TRUE(free["ns_per_point"].is_null() && free["ns_per_point_and_sweep"]["solve"].is_null());
}

TEST_F(ProgramBench, ListsEachArray) {
  const std::string json = file("memory.json");
  EXPECT_EQ(run("bench tower:height=5 --memory --backend cpu --threads 1 --steps 3 --json " + json).status, 0);
  const auto row = nlohmann::json::parse(test::readFile(json))["rows"][0];
  double sum = 0;
  for (const auto& array : row["arrays"]) sum += array["bytes_a_body"].get<double>();
  EXPECT_NEAR(sum, row["bytes_a_body"].get<double>(), 1e-6 * sum);
  EXPECT_GT(sum, 1000);
}

}  // namespace
}  // namespace cairn
