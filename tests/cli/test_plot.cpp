// Series of reports, and the plots of them: what is refused, and what is drawn.
#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace cairn {
namespace {

using nlohmann::json;

class ProgramPlot : public test::Program {
 protected:
  std::string series(const std::string& name, const std::string& more = "") {
    const std::string path = file(name);
    EXPECT_EQ(run("run tower:height=3 --backend cpu --threads 1 --steps 10 --report-every 4 --report " + path + " " + more).status, 0);
    return path;
  }
  std::string written(const std::string& name, const std::string& text) {
    std::ofstream(file(name)) << text;
    return file(name);
  }
  void expectRefused(const std::string& arguments, const std::string& reason) {
    const size_t before = filesLeft();
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.error.find(reason), std::string::npos) << result.error;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    EXPECT_EQ(filesLeft(), before) << arguments;
  }
  using Result = test::Result;
  static bool canPlot() {
    return std::system("python3 -c 'import matplotlib' >/dev/null 2>&1") == 0 ||
           std::system("/usr/bin/python3 -c 'import matplotlib' >/dev/null 2>&1") == 0;
  }
};

// A row after each four steps, and one after the last; each list is documented.
TEST_F(ProgramPlot, SeriesHasARowEveryFewSteps) {
  const json report = json::parse(test::readFile(series("a.json"))), series = report["series"];
  EXPECT_EQ(series["every_steps"], 4);
  EXPECT_EQ(series["step"], json::array({4, 8, 10}));
  const std::string page = test::readFile(std::filesystem::path(CAIRN_SOURCE_DIR) / "docs" / "report.md");
  for (const auto& [key, list] : series.items()) {
    EXPECT_TRUE(page.empty() || page.find("`" + key + "`") != std::string::npos) << "docs/report.md does not have " << key;
    EXPECT_EQ(list.is_array() ? list.size() : 3u, 3u) << key;
  }
  for (const char* of : {"stage_ms", "energy_balance"}) {
    EXPECT_FALSE(series[of].empty());
    for (const auto& [key, list] : series[of].items()) EXPECT_EQ(list.size(), 3u) << key;
  }
  EXPECT_EQ(series["kinetic_energy_j"].back(), report["report"]["kinetic_energy_j"]);
  EXPECT_EQ(series["linear_momentum_kg_m_s"].back(), report["report"]["linear_momentum_kg_m_s"]);
  EXPECT_EQ(series["penetration_max_m"].back(), report["penetration_max_m"]);
}

TEST_F(ProgramPlot, SeriesChangesNoBit) {
  const json with = json::parse(test::readFile(series("with.json")));
  run("run tower:height=3 --backend cpu --threads 1 --steps 10 --report " + file("without.json"));
  const json without = json::parse(test::readFile(file("without.json")));
  EXPECT_EQ(with["state_hash"], without["state_hash"]);
  EXPECT_FALSE(without.contains("series"));
}

TEST_F(ProgramPlot, RefusesWhatItCannotDraw) {
  const std::string good = series("good.json"), out = " --out " + file("plot.png");
  run("run tower:height=3 --backend cpu --steps 2 --report " + file("plain.json"));
  expectRefused("run tower --report-every 2", "needs --report");
  expectRefused("plot " + file("plain.json") + out, "--report-every N writes one");
  expectRefused("plot " + file("nowhere.json") + out, "cannot be opened");
  expectRefused("plot " + folder_.string() + out, "is a folder");
  expectRefused("plot " + written("text.json", "wall") + out, "is no JSON");
  expectRefused("plot " + written("list.json", "[1]") + out, "is no report");
  expectRefused("plot " + written("other.json", R"({"command": "verify"})") + out, "is what verify wrote");
  expectRefused("plot " + written("rows.json", R"({"command": "bench", "rows": [{"scene": "a"}]})") + out, "/rows/0/settings");
  expectRefused("plot " + good + " --out " + file("plot.jpg"), "must end in .png, .svg or .pdf");
  expectRefused("plot " + good + " --out " + file("no/plot.png"), "cannot be written");
  json cut = json::parse(test::readFile(good));
  cut["series"]["residual_max"].erase(0);
  expectRefused("plot " + written("cut.json", cut.dump()) + out, "/series/residual_max: must be a list of 3 numbers");
  const std::string rows = written(
      "compare.json", R"({"command": "compare", "rows": [{"scene": "a", "engine": "b", "ms": 1, "points": 4, "penMeanMm": 0.1, "drift": 0}]})");
  expectRefused("plot " + good + " " + rows + out, "is of another kind");
  expectRefused("plot " + rows + " --columns" + out, "is of series of runs");
  expectRefused("bench tower --beside " + rows, "needs --plot");
  expectRefused("bench tower --plot " + file("b.png") + " --memory", "is of times");
  expectRefused("bench tower --plot " + file("b.png") + " --beside " + good, "is a report of cairn run");
}

TEST_F(ProgramPlot, SaysThatMatplotlibIsMissing) {
  const std::string good = series("good.json");
  if (std::system("/usr/bin/python3 -c 'import matplotlib' >/dev/null 2>&1") == 0) GTEST_SKIP() << "the system's Python has Matplotlib";
  if (std::system("python3 -c 'import matplotlib' >/dev/null 2>&1") == 0) GTEST_SKIP() << "Python has Matplotlib";
  expectRefused("plot " + good + " --out " + file("plot.png"), "needs Python 3 with Matplotlib");
}

TEST_F(ProgramPlot, DrawsRunsAndBenchmarks) {
  if (!canPlot()) GTEST_SKIP() << "no Python with Matplotlib";
  const std::string a = series("a.json"), b = series("b.json", "--substeps 2");
  EXPECT_EQ(run("plot " + a + " " + b + " --out " + file("plot.svg")).status, 0);
  const std::string svg = test::readFile(file("plot.svg"));
  EXPECT_EQ(svg.compare(0, 5, "<?xml"), 0);
  const std::string rows = written(
      "compare.json",
      R"({"command": "compare", "rows": [{"scene": "tower:height=3", "engine": "other", "ms": 1, "points": 4, "penMeanMm": 0.1, "drift": 0}]})");
  EXPECT_EQ(run("bench tower:height=3 --backend cpu --threads 1 --steps 10 --plot " + file("bench.pdf") + " --beside " + rows).status, 0);
  EXPECT_EQ(test::readFile(file("bench.pdf")).compare(0, 5, "%PDF-"), 0);
}

}  // namespace
}  // namespace cairn
