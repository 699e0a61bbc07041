// The program as a user meets it: exit status, one line of error, no half-written files, JSON keys.
#include "kernels/runtime/runtime.hpp"
#include "src/io/recording_reader.hpp"
#include "tests/cli/program.hpp"

#include <cairn/scene.hpp>
#include <cairn/version.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn_test_paths.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;
using namespace cairn::test;

TEST_F(Program, RefusesBadInputWithStatusTwoAndOneLine) {
  std::ofstream(file("broken.json")) << "{\"bodies\": [";
  std::ofstream(file("negative.json")) << R"({"bodies": [{"shapes": [{"type": "sphere", "radius": -1}]}]})";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "a command is missing"},
      {"run", "scene"},
      {"run nowhere", "nowhere"},
      {"run missing.json", "missing.json"},
      {"run " + file("broken.json"), "broken.json"},
      {"run " + file("negative.json"), "radius"},
      {"run pyramid:base=0", "base"},
      {"run pyramid:size=3", "size"},
      {"run pile:shape=cone", "shape"},
      {"run pile:count=1000000000000", "memory"},
      {"run tower --dt 0", "dt"},
      {"run tower --substeps 0 --report " + file("left.json"), "substeps"},
      {"run tower --iterations -3", "iterations"},
      {"run tower --solver magic", "--solver"},
      {"run tower --precision half", "--precision"},
      {"run tower --backend tpu", "--backend"},
      {"run tower --steps 0", "--steps"},
      {"run tower --unknown", "--unknown"},
      {"run tower --report /nonexistent/r.json", "/nonexistent/r.json"},
      {"run tower --picture /nonexistent/p.png", "/nonexistent/p.png"},
      {"run tower --record /nonexistent/t.h5", "/nonexistent/t.h5"},
      {"run tower --report .", "directory"},
      {"run tower --record /dev/null", "/dev/null"},
      {"run tower --record " + file("x") + " --picture " + file("x"), "--record"},
      {"run tower --record-every 0", "--record-every"},
      {"run tower --save /nonexistent/s.snapshot", "/nonexistent/s.snapshot"},
      {"run tower --save " + file("s.json"), "--save"},
      {"run tower --resume missing.snapshot", "missing.snapshot"},
      {"run tower --resume " + file("broken.json"), "is none of Cairn's"},
      {"run tower --resume missing.snapshot --dt 0.01", "--dt: cannot be given with --resume"},
      {"run tower --replicate 0", "--replicate"},
      {"run tower --replicate 2 --tolerance 1e-3", "tolerance"},
      {"run tower --replicate 2 --resume missing.snapshot", "--replicate: cannot be given with --resume"},
      {"run tower --max-colours 65", "--max-colours"},
      {"run tower --dt nan", "--dt"},
      {"run tower --threads two", "--threads"},
      {"bench --suite none", "stacks, joints, box3d, large"},
      {"bench nowhere", "nowhere"},
      {"verify nowhere", "nowhere"},
      {"settings nowhere", "nowhere"},
  };
  const size_t before = filesLeft();
  for (const auto& [arguments, names] : cases) {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << arguments << ": " << result.error;
    EXPECT_NE(result.error.find(names), std::string::npos) << arguments << ": " << result.error;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(filesLeft(), before) << arguments;
  }
}

TEST_F(Program, RefusesCudaWhereThereIsNone) {
  if (cairn::cudaUsable()) GTEST_SKIP() << "skipped: there is a CUDA device";
  for (const char* command : {"run tower", "bench tower", "verify tower:height=2"}) {
    const Result result = run(std::string(command) + " --backend cuda");
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    EXPECT_NE(result.error.find("cuda"), std::string::npos) << result.error;
  }
}

TEST_F(Program, SaysWhyAutoLeavesADeviceAlone) {
  if (!cairn::cudaUsable() || cairn::cudaDeviceName().rfind("emulated", 0) != 0) GTEST_SKIP() << "skipped: no emulated device";
  setenv("EMULATED_CAPABILITY", "75", 1);
  const Result without = run("run tower:height=2 --steps 1");
  unsetenv("EMULATED_CAPABILITY");
  EXPECT_EQ(without.status, 0);
  EXPECT_EQ(without.error, "cairn: this build has no code for device 0 (emulated device 0, sm_75): the CPU it is\n");
  EXPECT_EQ(run("run tower:height=2 --steps 1").error, "");
}

// A body so fast that it leaves the numbers: the run fails, says who it was, and does not touch the files of an earlier run.
TEST_F(Program, StopsAtANonFiniteStateAndWritesNothing) {
  std::ofstream(file("fast.json"))
      << R"({"gravity": [1e15, 0, 0], "bodies": [{"name": "comet", "gravity_scale": 1e15, "shapes": [{"type": "sphere", "radius": 1}]}]})";
  std::ofstream(file("r.json")) << "of an earlier run";
  const std::string outputs = " --report " + file("r.json") + " --record " + file("t.h5") + " --picture " + file("p.png");
  const Result result = run("run " + file("fast.json") + " --dt 100 --steps 500" + outputs);
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  EXPECT_NE(result.error.find("'comet'"), std::string::npos) << result.error;
  EXPECT_EQ(filesLeft(), 2u);
  EXPECT_EQ(readFile(file("r.json")), "of an earlier run");

  std::ofstream(file("still.json")) << R"({"gravity": [0, 0, 0], "bodies": [{"shapes": [{"type": "sphere", "radius": 1}]}]})";
  const Result bench = run("bench " + file("fast.json") + " " + file("still.json") + " --dt 100 --steps 500 --json -");
  EXPECT_EQ(bench.status, 1);
  const auto rows = nlohmann::json::parse(bench.out)["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NE(rows[0]["status"].get<std::string>().find("'comet'"), std::string::npos);
  EXPECT_EQ(rows[1]["status"], "ok");
}

TEST_F(Program, ADashIsStandardOutputAndNothingElseIsThere) {
  for (const char* command : {"run tower:height=2 --steps 5 --report -", "bench tower:height=2 --steps 5 --json -",
                              "verify tower:height=2 --steps 5 --json -", "scenes --json"}) {
    const Result result = run(command);
    EXPECT_EQ(result.status, 0) << command << result.error;
    EXPECT_TRUE(nlohmann::json::accept(result.out)) << command << result.out;
  }
  EXPECT_EQ(filesLeft(), 0u);
  EXPECT_EQ(run("run tower:height=2 --steps 5 --report /dev/null").status, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Program, ProgressIsForTerminals) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) GTEST_SKIP() << "skipped: no pseudo terminal";
  // Held open, or what the program wrote would be lost with its end.
  const std::string name = ptsname(master);
  const int slave = open(name.c_str(), O_RDWR | O_NOCTTY);
  ASSERT_GE(slave, 0);
  const std::string command = program() + " run tower:height=2 --steps 20 2>" + name + " >" + file("out");
  EXPECT_EQ(std::system(command.c_str()), 0);
  // A terminal hands on what was written bit by bit, on a busy machine also after the program has ended.
  std::string shown;
  const std::string wiped = "\033[K";
  pollfd ready{master, POLLIN, 0};
  while ((shown.size() < wiped.size() || shown.substr(shown.size() - wiped.size()) != wiped) && poll(&ready, 1, 5000) > 0) {
    std::array<char, 4096> buffer;
    const ssize_t n = read(master, buffer.data(), buffer.size());
    if (n <= 0) break;
    shown.append(buffer.data(), static_cast<size_t>(n));
  }
  ASSERT_GE(shown.size(), wiped.size());
  EXPECT_NE(shown.find("tower:height=2, step 1/20"), std::string::npos) << shown;
  EXPECT_EQ(shown.substr(shown.size() - wiped.size()), wiped);  // wiped off at the end
  EXPECT_EQ(readFile(file("out")).find("1/20"), std::string::npos);
  close(slave);
  close(master);
}

TEST_F(Program, RecordsEveryFewSteps) {
  const Result result = run("run tower:height=2 --backend cpu --steps 10 --record-every 4 --record " + file("t.h5") + " --report " + file("r.json"));
  ASSERT_EQ(result.status, 0) << result.error;
  const cairn::RecordingReader recording(file("t.h5"));
  ASSERT_EQ(recording.frameCount(), 3u);  // the start, 4, 8
  EXPECT_EQ(recording.stepsPerFrame(), 4);
  EXPECT_DOUBLE_EQ(recording.time(2), 8 / 60.0);
  EXPECT_EQ(recording.names().size(), 3u);
  // The scene in it is the scene that was run.
  std::ofstream(file("again.json")) << recording.sceneJson();
  const Result again = run("run " + file("again.json") + " --backend cpu --steps 10 --report -");
  EXPECT_EQ(nlohmann::json::parse(again.out)["state_hash"], nlohmann::json::parse(readFile(file("r.json")))["state_hash"]);
}

TEST_F(Program, RunWritesReportRecordingAndPicture) {
  const Result result =
      run("run tower:height=4 --backend cpu --steps 20 --report " + file("r.json") + " --record " + file("t.h5") + " --picture " + file("p.png"));
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.error, "");  // no progress in a pipe
  EXPECT_EQ(filesLeft(), 3u);
  const auto json = nlohmann::json::parse(readFile(file("r.json")));
  for (const char* key : {"scene",
                          "backend",
                          "threads",
                          "precision",
                          "solver",
                          "iterations",
                          "substeps",
                          "dt_s",
                          "steps",
                          "bodies",
                          "contact_points",
                          "joints",
                          "colours",
                          "step_ms",
                          "stage_ms",
                          "penetration_max_m",
                          "penetration_mean_m",
                          "residual_max",
                          "residual_rms",
                          "joint_error_max_m",
                          "kinetic_energy_j",
                          "max_speed_m_s",
                          "drift_max_m",
                          "height_ratio_min",
                          "escaped_bodies",
                          "state_hash",
                          "peak_memory_bytes",
                          "status"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["contact_points"], 16);
  EXPECT_EQ(json["status"], "ok");
  EXPECT_TRUE(json["step_ms"].contains("median") && json["step_ms"].contains("p95"));
}

TEST_F(Program, RunsManyEnvironments) {
  const std::string common = "run tower:height=2 --backend cpu --steps 3 --replicate 3";
  const Result result = run(common + " --record " + file("many.h5") + " --save " + file("many.snapshot") + " --report " + file("many.json"));
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_NE(result.out.find("environments  3,"), std::string::npos) << result.out;
  const auto report = nlohmann::json::parse(readFile(file("many.json")));
  EXPECT_EQ(report["bodies"], 3 * cairn::loadScene("tower:height=2").bodies.size());
  EXPECT_EQ(run("run tower:height=2 --steps 3 --resume " + file("many.snapshot")).status, 0);
}

TEST_F(Program, TheSameRunGivesTheSameHash) {
  const auto hash = [&](const std::string& options) {
    return nlohmann::json::parse(run("run pile:count=200,shape=mixed --backend cpu --steps 30 --report - " + options).out)["state_hash"];
  };
  EXPECT_EQ(hash("--threads 1"), hash("--threads 2"));
  EXPECT_NE(hash("--threads 1"), hash("--threads 1 --substeps 4"));
}

TEST_F(Program, BenchJudgesTheSuitesScenes) {
  const Result good = run("bench tower:height=20 --backend cpu --steps 30 --json " + file("b.json"));
  EXPECT_EQ(good.status, 0) << good.out;
  EXPECT_EQ(nlohmann::json::parse(readFile(file("b.json")))["rows"][0]["status"], "ok");
  // A step this long and no stabilization: the tower sinks, and the check says so.
  const Result bad =
      run("bench tower:height=20 --backend cpu --steps 60 --dt 0.2 --substeps 1 --relaxations 0 --normal-stabilization none --no-warm-start");
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.out.find("failed: "), std::string::npos);
}

TEST_F(Program, StagesAreTimedUnlessTheyAreToldNotToBe) {
  const auto stages = [&](const std::string& options) { return nlohmann::json::parse(run(options + " -").out); };
  const std::string bench = "bench tower:height=2 --backend cpu --steps 5 ", timed = bench + "--json", untimed = bench + "--no-stage-times --json";
  EXPECT_FALSE(stages(timed)["rows"][0]["stage_ms"].empty());
  EXPECT_TRUE(stages(untimed)["rows"][0]["stage_ms"].empty());
  const auto report = stages("run tower:height=2 --backend cpu --steps 2 --report");
  EXPECT_FALSE(report["stage_ms"].empty());
  EXPECT_FALSE(report["report"]["stage_ms"].empty());
}

TEST_F(Program, VerifyComparesAndTheControlDiffers) {
  const Result result = run("verify tower:height=3 --steps 20 --json -");
  EXPECT_EQ(result.status, 0) << result.error;
  const auto row = nlohmann::json::parse(result.out)["rows"][0];
  EXPECT_EQ(row["identical"], true);
  EXPECT_GE(row["runs"].size(), 3u);
  EXPECT_EQ(row["runs"][0]["state_hash"], row["runs"][1]["state_hash"]);
  EXPECT_NE(row["runs"][0]["state_hash"], row["perturbed_state_hash"]);
  EXPECT_EQ(row["status"], "ok");
}

TEST_F(Program, VerifyKeepsToOneBackendAndToTheThreadsAsked) {
  const Result result = run("verify tower:height=3 --steps 5 --backend cpu --threads 3 --precision double --json -");
  EXPECT_EQ(result.status, 0) << result.error;
  const auto row = nlohmann::json::parse(result.out)["rows"][0];
  ASSERT_EQ(row["runs"].size(), 3u);
  EXPECT_EQ(row["runs"][1]["threads"], 3);
  EXPECT_EQ(row["precision"], "double");
  // Nothing to perturb: the runs are compared all the same.
  std::ofstream(file("still.json")) << R"({"bodies": [{"type": "static", "shapes": [{"type": "sphere", "radius": 1}]}]})";
  const Result still = run("verify " + file("still.json") + " --json -");
  EXPECT_EQ(still.status, 0) << still.error;
  EXPECT_TRUE(nlohmann::json::parse(still.out)["rows"][0]["perturbed_state_hash"].is_null());
}

// Lemke's problems have no rows for them: what is compared is the bits alone.
TEST_F(Program, VerifyComparesScenesWithRollingFriction) {
  std::ofstream(file("rolls.json")) << R"({"materials": {"tyre": {"rolling_friction": 0.01}}, "bodies": [
      {"type": "static", "shapes": [{"type": "half_space"}]},
      {"position": [0, 0.5, 0], "shapes": [{"type": "sphere", "radius": 0.5, "material": "tyre"}]}]})";
  const Result result = run("verify " + file("rolls.json") + " --steps 5 --json -");
  EXPECT_EQ(result.status, 0) << result.error;
  const auto row = nlohmann::json::parse(result.out)["rows"][0];
  EXPECT_EQ(row["status"], "ok");
  EXPECT_TRUE(row["lemke_velocity_error"].is_null());
}

TEST_F(Program, PicturesOfTheBenchAreNamedAfterTheScenes) {
  const Result result = run("bench tower:height=2 --steps 5 --pictures " + file("pictures/of/scenes"));
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_TRUE(fs::exists(file("pictures/of/scenes/tower-height-2.png")));
}

TEST_F(Program, SolvesTheProblemThatARunLeft) {
  for (const char* ending : {".json", ".hdf5"}) {
    const std::string problem = file(std::string("tower") + ending), solved = file(std::string("solved") + ending);
    ASSERT_EQ(run("run tower:height=3 --steps 20 --backend cpu --problem " + problem).status, 0);
    const Result result = run("solve " + problem + " --json - --output " + solved);
    ASSERT_EQ(result.status, 0) << result.error;
    const nlohmann::json json = nlohmann::json::parse(result.out);
    for (const char* key : {"problem", "contacts", "solver", "status", "residual", "residual_scaled", "iterations", "time_ms", "open", "sticking",
                            "sliding", "impulses_n_s", "velocities_m_s"}) {
      EXPECT_TRUE(json.contains(key)) << key;
    }
    EXPECT_EQ(json["status"], "solved");
    EXPECT_EQ(json["contacts"], 12);
    EXPECT_LE(json["residual"].get<double>(), 1e-8);
    EXPECT_EQ(json["impulses_n_s"].size(), 36u);
    for (const char* solver : {"pgs", "jacobi", "nncg", "newton", "lemke"})
      EXPECT_EQ(run("solve " + solved + " --solver " + solver).status, 0) << solver;
    EXPECT_EQ(run("solve " + problem + " --max-iterations 1 --tolerance 1e-14").status, 1) << "the tolerance is not reached";
  }
}

TEST_F(Program, SolveRefusesBadProblems) {
  ASSERT_EQ(run("run tower:height=3 --steps 20 --backend cpu --problem " + file("good.json")).status, 0);
  const std::string good = readFile(file("good.json"));
  std::ofstream(file("cut.json")) << good.substr(0, good.size() / 2);
  nlohmann::json changed = nlohmann::json::parse(good);
  changed["mu"][1] = -1;
  std::ofstream(file("friction.json")) << changed;
  changed = nlohmann::json::parse(good);
  changed["M"]["values"][0] = -1;
  std::ofstream(file("indefinite.json")) << changed;
  const std::vector<std::pair<std::string, std::string>> cases = {{"solve", "problem"},
                                                                  {"solve " + file("nowhere.json"), "no such file"},
                                                                  {"solve " + file("good.txt"), "must end in"},
                                                                  {"solve " + file("cut.json"), "cut.json"},
                                                                  {"solve " + file("friction.json"), "/mu/1"},
                                                                  {"solve " + file("indefinite.json"), "/M"},
                                                                  {"solve " + file("good.json") + " --tolerance 0", "--tolerance"},
                                                                  {"solve " + file("good.json") + " --solver best", "--solver"},
                                                                  {"solve " + file("good.json") + " --time-limit -1", "--time-limit"},
                                                                  {"solve " + file("good.json") + " --output " + file("out.txt"), "--output"},
                                                                  {"solve " + file("good.json") + " --json /nowhere/out.json", "--json"},
                                                                  {"run tower:height=3 --problem " + file("out.txt"), "--problem"},
                                                                  {"run tower:height=20 --steps 2 --solver lemke", "60 contact points"}};
  const size_t before = filesLeft();
  for (const auto& [arguments, word] : cases) {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << arguments << ": " << result.error;
    EXPECT_NE(result.error.find(word), std::string::npos) << arguments << ": " << result.error;
    EXPECT_EQ(filesLeft(), before) << arguments;
  }
}

TEST_F(Program, PaperListsItsExperiments) {
  const Result listed = run("paper --list");
  EXPECT_EQ(listed.status, 0);
  for (const char* name : {"ellipse", "cannonball", "normal-stabilization", "friction-stabilization", "rectangle", "five-bodies", "cline-pai-chain",
                           "pendulum", "magnets", "net", "bridge", "rings", "skeletons", "tank"}) {
    EXPECT_NE(listed.out.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(run("paper").out, listed.out);
}

TEST_F(Program, PaperWritesTablesAndClaims) {
  const Result result = run("paper rectangle --backend cpu --threads 1 --out " + file("paper") + " --json " + file("claims.json"));
  ASSERT_EQ(result.status, 0) << result.error;
  const auto json = nlohmann::json::parse(readFile(file("claims.json")));
  ASSERT_EQ(json["experiments"].size(), 1u);
  EXPECT_EQ(json["experiments"][0]["experiment"], "rectangle");
  EXPECT_FALSE(json["experiments"][0]["claims"].empty());
  for (const auto& claim : json["experiments"][0]["claims"]) {
    for (const char* key : {"claim", "paper", "ours", "holds"}) EXPECT_TRUE(claim.contains(key)) << key;
  }
  EXPECT_FALSE(json["experiments"][0]["also_measured"].empty());
  for (const auto& each : json["experiments"][0]["also_measured"]) EXPECT_TRUE(each.contains("what") && each.contains("measured"));
  const std::string table = readFile(folder_ / "paper" / "rectangle.csv");
  EXPECT_NE(table.find("\npanel,curve,x,y\n"), std::string::npos);
  EXPECT_GT(std::count(table.begin(), table.end(), '\n'), 20000);
  EXPECT_TRUE(fs::exists(folder_ / "paper" / "rectangle-with-post-stabilization.png"));
  EXPECT_EQ(run("paper rectangle --backend cpu --threads 2 --plots SVG --out " + file("again")).status, 0);
  EXPECT_EQ(fs::exists(folder_ / "again" / "rectangle.svg"), fs::exists(folder_ / "paper" / "rectangle.png")) << "where there is Matplotlib";
  EXPECT_EQ(readFile(folder_ / "again" / "rectangle.csv"), table) << "the same numbers, whatever the threads";
}

TEST_F(Program, PaperRunsSeveral) {
  // In the order of the list, each once. Pendulum and chain have nothing that is neither held nor explained.
  const Result result =
      run("paper pendulum cline-pai-chain pendulum --backend cpu --threads 1 --out " + file("paper") + " --json " + file("claims.json"));
  ASSERT_EQ(result.status, 0) << result.error;
  const auto json = nlohmann::json::parse(readFile(file("claims.json")));
  ASSERT_EQ(json["experiments"].size(), 2u);
  EXPECT_EQ(json["experiments"][0]["experiment"], "cline-pai-chain");
  EXPECT_EQ(json["experiments"][1]["experiment"], "pendulum");
  for (const char* name : {"pendulum", "cline-pai-chain"}) EXPECT_TRUE(fs::exists(folder_ / "paper" / (std::string(name) + ".csv")));
}

TEST_F(Program, PaperRefusesWhatItDoesNotKnow) {
  for (const std::string arguments : {"paper rectangle --plots gif", "paper sphere", "paper rectangle sphere", "paper rectangle --out /dev/null/x",
                                      "paper rectangle --json /nowhere/x.json", "paper rectangle --backend abacus"}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  }
  EXPECT_NE(run("paper sphere").error.find("ellipse, cannonball"), std::string::npos);
}

// An alias sets what its option sets, and help and manual name both.
TEST_F(Program, OptionsHaveTheFieldsNamesAsAliases) {
  const std::string help = run("run --help").out, manual = run("settings --markdown").out;
  for (const auto& [option, alias, value] : {std::array{"--error-reduction", "--erp", "0.25"},
                                             {"--force-mixing", "--relative-cfm", "0.125"},
                                             {"--joint-error-reduction", "--joint-erp", "0.5"},
                                             {"--envelope", "--contact-margin", "0.03125"},
                                             {"--grow-envelope", "--grow-contact-margin", "off"}}) {
    const auto settings = [this, value = value](const char* name) {
      const Result result = run(std::string("run tower:height=2 --steps 1 --backend cpu --report - ") + name + " " + value);
      EXPECT_EQ(result.status, 0) << name << ": " << result.error;
      return nlohmann::json::parse(result.out)["settings"];
    };
    EXPECT_EQ(settings(option), settings(alias)) << alias;
    EXPECT_NE(settings(option), nlohmann::json::parse(run("run tower:height=2 --steps 1 --backend cpu --report -").out)["settings"]) << option;
    EXPECT_NE(help.find(std::string(option) + "," + alias), std::string::npos) << alias;
    EXPECT_NE(manual.find("`" + std::string(option) + "`, `" + alias + "`"), std::string::npos) << alias;
  }
  EXPECT_NE(run("run tower --erp 2").error.find("--error-reduction: must be a number from 0 to 1, is 2"), std::string::npos);
}

TEST_F(Program, ListsItsSettings) {
  const auto json = nlohmann::json::parse(run("settings --json").out);
  for (const auto& setting : json)
    for (const char* key : {"field", "options", "key", "type", "choices", "unit", "min", "max", "default", "meaning"})
      EXPECT_TRUE(setting.contains(key)) << setting << key;
  const std::string text = run("settings").out;
  for (const auto& setting : json) EXPECT_NE(text.find(setting["options"][0].get<std::string>()), std::string::npos) << setting;
  EXPECT_NE(run("settings solve").out.find("--time-limit"), std::string::npos);
  EXPECT_EQ(run("settings bench").status, 2);
}

TEST_F(Program, ResumedRunsEndWhereWholeOnesDo) {
  const auto hash = [this](const std::string& report) { return nlohmann::json::parse(std::ifstream(file(report))).at("state_hash"); };
  EXPECT_EQ(run("run tower:height=4 --substeps 3 --steps 50 --report " + file("whole.json")).status, 0);
  EXPECT_EQ(run("run tower:height=4 --substeps 3 --steps 20 --save " + file("part.snapshot")).status, 0);
  EXPECT_EQ(run("run tower:height=4 --resume " + file("part.snapshot") + " --threads 2 --steps 30 --report " + file("rest.json")).status, 0);
  EXPECT_EQ(hash("rest.json"), hash("whole.json"));
  EXPECT_NE(run("run tower:height=5 --resume " + file("part.snapshot")).error.find("is not of the scene 'tower:height=5'"), std::string::npos);
}

TEST_F(Program, ManualHasTheSettings) {
  const std::string page = readFile(fs::path(CAIRN_SOURCE_DIR) / "docs" / "program.md");
  if (page.empty()) GTEST_SKIP() << "skipped: the pages are not here";
  for (const std::string command : {"run", "solve"}) {
    const std::string begin = "<!-- cairn settings " + command + " --markdown -->\n", end = "\n<!-- end -->\n";
    const size_t from = page.find(begin), to = page.find(end, from);
    ASSERT_NE(to, std::string::npos) << command;
    EXPECT_EQ(page.substr(from + begin.size(), to - from - begin.size()), run("settings " + command + " --markdown").out)
        << "what `cairn settings " << command << " --markdown` prints belongs between its marks in docs/program.md";
  }
}

TEST_F(Program, PageOfManIsWhatTheProgramSays) {
  const std::string printed = run("manual").out;
  const std::string page = readFile(fs::path(CAIRN_SOURCE_DIR) / "docs" / "cairn.1");
  if (page.empty()) GTEST_SKIP() << "skipped: the pages are not here";
  EXPECT_EQ(page, printed) << "what `cairn manual` prints belongs into docs/cairn.1";
  for (const char* word : {".TH CAIRN 1", "\n\\fB\\-\\-dt\\fR\n", "\\fB\\-\\-time\\-limit\\fR", "\n\\fB\\-\\-record\\-every\\fR \\fIN\\fR\n"})
    EXPECT_NE(printed.find(word), std::string::npos) << word;
  // Every option of every command is there.
  const std::string completion = run("completion fish").out;
  for (size_t at = 0; (at = completion.find(" -l ", at)) != std::string::npos;) {
    const size_t end = completion.find('\n', at);
    std::string option = "--" + completion.substr(at + 4, end - at - 4), roff;
    if (option == "--help") option = "--version";  // of each command; said once
    for (const char c : option) roff += c == '-' ? "\\-" : std::string(1, c);
    EXPECT_NE(printed.find(roff + "\\fR"), std::string::npos) << option;
    at = end;
  }
}

TEST_F(Program, PageOfManIsGoodRoff) {
  if (std::system("groff --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "skipped: no groff";
  const std::string command = program() + " manual | groff -man -ww -Tascii -z 2>" + file("warnings");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(readFile(file("warnings")), "");
}

TEST_F(Program, ScenesAreListed) {
  const auto json = nlohmann::json::parse(run("scenes --json").out);
  size_t parameters = 0;
  for (const auto& generator : json)
    for (const auto& parameter : generator["parameters"]) {
      for (const char* key : {"name", "meaning", "default", "range"}) EXPECT_TRUE(parameter.contains(key)) << generator["name"] << key;
      ++parameters;
    }
  EXPECT_GT(parameters, 30u);
  std::vector<std::string> names;
  for (const auto& generator : json) names.push_back(generator["name"]);
  for (const cairn::SceneGenerator& generator : cairn::sceneGenerators()) {
    EXPECT_NE(std::find(names.begin(), names.end(), generator.name), names.end()) << generator.name;
  }
}

TEST_F(Program, NamesWhatMayHaveBeenMeant) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"runn tower", "cairn: runn: is no command; did you mean run?\n"},
      {"run pyramid --step 10", "cairn: run: --step: is no option; did you mean --steps?\n"},
      {"run --hlep", "cairn: run: --hlep: is no option; did you mean --help?\n"},
      {"--steps 3 run tower", "cairn: --steps: comes after its command: run, bench, view, verify, export\n"},
      {"run", "cairn: run: scene is required; cairn run --help says more\n"},
      {"run tower a b", "cairn: run: 'a' 'b' is more than it takes; cairn run --help says more\n"},
      {"run tower --steps", "cairn: run: --steps: its value is missing\n"},
      {"run tower --steps ten", "cairn: run: --steps: must be a whole number from 1 to 1000000000, is 'ten'\n"},
      {"run tower --substeps 2.5", "cairn: run: --substeps: must be a whole number, is '2.5'\n"},
      {"run tower --dt 1/x", "cairn: run: --dt: must be a number, is '1/x'\n"},
      {"bench --suite stack", "cairn: --suite: must be one of stacks, joints, box3d, large, shapes, is 'stack'; did you mean stacks?\n"},
      {"scenes pyramd", "cairn: pyramd: is no generator of scenes; did you mean pyramid?\n"},
      {"completion tcsh", "cairn: shell: must be one of bash, zsh, fish, is 'tcsh'\n"},
  };
  for (const auto& [arguments, message] : cases) {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.error.substr(0, std::string(message).size()), message);
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  }
  EXPECT_NE(run("").error.find("a command is missing"), std::string::npos);
}

TEST_F(Program, TakesWordsAsUsersWriteThem) {
  const std::string plain = run("run pyramid:base=4 --steps 5 --dt 0.016666666666666666 --solver pgs --backend cpu").out;
  const std::string hash = plain.substr(plain.find("  state"));
  for (const char* arguments : {"run pyramid:base=4 --steps 5 --dt 1/60 --solver PGS --backend CPU", "run PYRAMID:BASE=4 --steps=5 --backend cpu"}) {
    const std::string out = run(arguments).out;
    ASSERT_NE(out.find("  state"), std::string::npos) << arguments;
    EXPECT_EQ(out.substr(out.find("  state")), hash) << arguments;
  }
  for (const char* arguments : {"run tower --dt 1/0", "run tower --dt 1/x", "run tower --dt /60"}) EXPECT_EQ(run(arguments).status, 2) << arguments;
  EXPECT_EQ(run("version").out, run("--version").out);
  EXPECT_EQ(run("-v").out, run("--version").out);
  setenv("CAIRN_CPU", "baseline", 1);
  EXPECT_EQ(run("-v").out, "cairn " + std::string(CAIRN_VERSION_STRING) + ", CPU code: baseline\n");
  setenv("CAIRN_CPU", "sse9", 1);
  const Result unknown = run("run tower --steps 1 --backend cpu");
  unsetenv("CAIRN_CPU");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.error, "cairn: CAIRN_CPU: must be baseline, avx2 or avx512, is 'sse9'\n");
  EXPECT_EQ(run("help run").out, run("run --help").out);
  EXPECT_EQ(run("help").out, run("--help").out);
  EXPECT_EQ(run("help help").out, run("--help").out);
  EXPECT_EQ(run("scenes PYRAMID").out, run("scenes pyramid").out);
  EXPECT_EQ(run("settings SOLVE").out, run("settings solve").out);
  EXPECT_EQ(run("completion FISH").out, run("completion fish").out);
}

TEST_F(Program, RefusesEndingsOfOtherFormats) {
  for (const char* arguments : {"--picture x.jpg", "--picture -", "--record x.json", "--record -", "--problem x.txt"}) {
    const Result result = run(std::string("run tower:height=2 --steps 1 ") + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.error.find("must end in"), std::string::npos) << result.error;
  }
  EXPECT_EQ(run("run tower:height=2 --steps 1 --report x.h5").error, "cairn: --report x.h5: is JSON, which .h5 is not\n");
  const std::string large = " --record " + file("T.H5") + " --picture " + file("P.PNG") + " --problem " + file("C.JSON");
  EXPECT_EQ(run("run tower:height=2 --steps 1" + large).error, "");
  EXPECT_EQ(run("solve " + file("C.JSON")).status, 0);
}

TEST_F(Program, HelpHasTheSettingsInGroups) {
  const std::string help = run("run --help").out;
  for (const char* group : {"Target and method:", "Time step and sweeps:", "Penetration:", "Joints:", "Contacts and limits:"}) {
    EXPECT_NE(help.find(group), std::string::npos) << group;
  }
}

TEST_F(Program, CompletesWords) {
  const std::string bash = run("completion bash").out;
  for (const char* word : {"run)", "help)", "--substeps", "pyramid", "complete -o filenames -F _cairn cairn"})
    EXPECT_NE(bash.find(word), std::string::npos) << word;
  const fs::path script = folder_ / "completion";
  std::ofstream(script) << bash << "COMP_WORDS=(cairn run --subs); COMP_CWORD=2; _cairn; echo ${COMPREPLY[@]}\n";
  FILE* pipe = popen(("bash " + script.string()).c_str(), "r");
  char line[64] = "";
  EXPECT_NE(fgets(line, sizeof line, pipe), nullptr);
  pclose(pipe);
  EXPECT_STREQ(line, "--substeps\n");
  EXPECT_NE(run("completion fish").out.find("-l substeps"), std::string::npos);
}

}  // namespace
