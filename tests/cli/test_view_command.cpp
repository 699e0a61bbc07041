// cairn view as a user starts it.
#include "tests/cli/program.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace cairn {
namespace {

using test::Result;

class ViewProgram : public test::Program {
 protected:
  void expectRefused(const std::string& arguments, const std::string& words) {
    const Result result = run("view " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    EXPECT_NE(result.error.find(words), std::string::npos) << result.error;
    EXPECT_EQ(result.out, "");
  }
  std::string text(const std::string& path) {
    std::ostringstream out;
    out << std::ifstream(path).rdbuf();
    return out.str();
  }
};

TEST_F(ViewProgram, WritesAPageOfAScene) {
  const std::string page = file("page.html");
  const Result result = run("view tower:height=3 --steps 6 --every 2 --out " + page);
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.out.rfind(page + ": 4 frames", 0), 0u) << result.out;
  const std::string html = text(page);
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_NE(html.find("<title>tower:height=3</title>"), std::string::npos);
  EXPECT_NE(html.find("class=\"frames\" data-count=\"4\""), std::string::npos);
  EXPECT_EQ(html.find("<!-- "), std::string::npos);  // everything has been put in its place
  EXPECT_EQ(filesLeft(), 1u);
}

TEST_F(ViewProgram, WritesAPageOfARecording) {
  const std::string recording = file("tower.h5"), page = file("page.html");
  EXPECT_EQ(run("run tower:height=3 --steps 8 --record " + recording).status, 0);
  const Result result = run("view " + recording + " --every 4 --out " + page);
  EXPECT_EQ(result.status, 0) << result.error;
  EXPECT_EQ(result.out.rfind(page + ": 3 frames", 0), 0u) << result.out;
  // What a run that was killed has left, too.
  std::filesystem::rename(recording, recording + ".partial");
  const Result partial = run("view " + recording + ".partial --out " + page),
               exported = run("export " + recording + ".partial --out " + file("tower.glb"));
  EXPECT_EQ(partial.status, 0) << partial.error;
  EXPECT_EQ(partial.out.rfind(page + ": 9 frames", 0), 0u) << partial.out;
  EXPECT_EQ(exported.status, 0) << exported.error;
}

TEST_F(ViewProgram, BadInputIsOneLineAndLeavesNothing) {
  expectRefused("tower:height=3 --out " + file("page.txt"), "must end in .html");
  expectRefused("tower:height=3 --out " + file("no/such/page.html"), "cannot be written");
  expectRefused(file("none.h5") + " --out " + file("page.html"), "none.h5");
  std::ofstream(file("text.h5")) << "no recording";
  expectRefused(file("text.h5") + " --out " + file("page.html"), "text.h5");
  expectRefused("no-such-scene --out " + file("page.html"), "no-such-scene");
  expectRefused("tower --steps 0", "--steps");
  expectRefused("tower --port 8080", "needs --live");
  expectRefused("tower --open", "needs --live");
  expectRefused("tower --live --out " + file("page.html"), "--live");
  expectRefused("tower --live --port 70000", "--port");
  EXPECT_EQ(filesLeft(), 1u);  // the text
}

}  // namespace
}  // namespace cairn
