// cairn export: files for other programs, and what is refused.
#include "tests/cli/program.hpp"

#include <cstdlib>

namespace cairn {
namespace {

class ProgramExport : public test::Program {
 protected:
  void expectRefused(const std::string& arguments, const std::string& reason) {
    const size_t before = filesLeft();
    const test::Result result = run("export " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_NE(result.error.find(reason), std::string::npos) << result.error;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    EXPECT_EQ(filesLeft(), before) << arguments;
  }
};

TEST_F(ProgramExport, OfAScene) {
  EXPECT_EQ(run("export tower:height=3 --out " + file("tower.glb")).status, 0);
  EXPECT_EQ(test::readFile(file("tower.glb")).compare(0, 4, "glTF"), 0);
  EXPECT_EQ(run("export tower:height=3 --backend cpu --steps 3 --out " + file("tower.ply")).status, 0);
  EXPECT_NE(test::readFile(file("tower.ply")).find("element vertex 12\n"), std::string::npos);
}

// The end of a recording is what the run ended with; contacts have the forces of the run.
TEST_F(ProgramExport, OfARecordingIsThatOfTheRun) {
  const std::string recording = file("tower.h5");
  const std::string settings = " --backend cpu --threads 1 --substeps 4 --dt 0.01";
  EXPECT_EQ(run("run tower:height=3 --steps 5 --record " + recording + " --record-with contacts,exact" + settings).status, 0);
  EXPECT_EQ(run("export " + recording + " --out " + file("a.gltf")).status, 0);
  EXPECT_EQ(run("export tower:height=3 --steps 5 --out " + file("b.gltf") + settings).status, 0);
  EXPECT_EQ(test::readFile(file("a.gltf")), test::readFile(file("b.gltf")));
  EXPECT_EQ(run("export " + recording + " --out " + file("a.ply")).status, 0);
  EXPECT_EQ(run("export tower:height=3 --steps 5 --out " + file("b.ply") + settings).status, 0);
  const auto numbers = [&](const char* name) {
    const std::string bytes = test::readFile(file(name));
    return bytes.substr(bytes.find("end_header"));
  };
  EXPECT_EQ(numbers("a.ply"), numbers("b.ply"));
  expectRefused(recording + " --time 3 --out " + file("c.glb"), "must be within 0..0.05 s");
  expectRefused(recording + " --steps 3 --out " + file("c.glb"), "is of scenes");
  expectRefused(recording + " --time 0 --out " + file("c.usda"), "USD has all frames");
}

TEST_F(ProgramExport, RefusesWhatItCannotWrite) {
  run("run tower:height=2 --backend cpu --steps 1 --record " + file("plain.h5"));
  std::ofstream(file("text.h5")) << "no recording";
  expectRefused("tower --out " + file("a.obj"), "must end in .glb, .gltf, .ply, .usda or .usdc");
  expectRefused("tower --out " + file("no/a.glb"), "cannot be written");
  expectRefused("towr --out " + file("a.glb"), "tower");
  expectRefused("tower --time 1 --out " + file("a.glb"), "--time: is of recordings");
  expectRefused("tower --out " + file("a.ply"), "--steps: must be at least 1");
  expectRefused("tower --out " + file("a.usda"), "USD is made of recordings");
  expectRefused(file("nowhere.h5") + " --out " + file("a.glb"), "nowhere.h5");
  expectRefused(file("text.h5") + " --out " + file("a.usda"), "text.h5");
  expectRefused(file("plain.h5") + " --out " + file("a.ply"), "has no contacts");
  expectRefused(file("plain.h5") + " --out " + file("plain.h5"), "is the SOURCE that is read");
  if (std::system("python3 -c 'import cairn, h5py, pxr' >/dev/null 2>&1") != 0 &&
      std::system("/usr/bin/python3 -c 'import cairn, h5py, pxr' >/dev/null 2>&1") != 0) {
    expectRefused(file("plain.h5") + " --out " + file("a.usda"), "USD is written by Python 3 with the packages cairn, usd-core and h5py");
  }
}

}  // namespace
}  // namespace cairn
