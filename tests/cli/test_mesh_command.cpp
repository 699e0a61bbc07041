// cairn mesh as a user starts it.
#include "tests/cli/program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace cairn {
namespace {

using test::Program;
using test::Result;

using MeshProgram = Program;

TEST_F(MeshProgram, SaysWhatASolidIs) {
  const Result result = run("mesh torus --hull 16 --cell 0.02");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.error, "");
  for (const char* words : {"torus: 1300 triangles, a solid", "650, 650 different", "1, 1 handle", "flaws          none",
                            "volume         1.20891 m^3", "cells of 0.02 m", "16 corners"})
    EXPECT_NE(result.out.find(words), std::string::npos) << words << "\n" << result.out;
}

TEST_F(MeshProgram, RunsScenesOnMeshesAndSaysWhatIsLeftOut) {
  const std::string scene = file("ramp.json");
  std::ofstream(scene) << R"({"bodies": [{"type": "static", "shapes": [{"type": "mesh", "vertices": [[-9, 0, -9], [9, 0, -9], [0, 0, 9], [0, 0, 0]],
    "triangles": [[0, 2, 1], [0, 0, 1], [3, 3, 3]]}]}, {"position": [0, 1, 0], "shapes": [{"type": "sphere", "radius": 0.5}]}]})";
  const Result result = run("run " + scene + " --steps 100");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.error, "cairn: " + scene + ": 2 of its triangles have no area, left out\n");
  EXPECT_NE(result.out.find("1 points in 1 manifolds"), std::string::npos) << result.out;
  std::ofstream(scene) << R"({"bodies": [{"shapes": [{"type": "mesh", "generator": "torus"}]}]})";
  const Result refused = run("run " + scene);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(std::count(refused.error.begin(), refused.error.end(), '\n'), 1) << refused.error;
}

TEST_F(MeshProgram, WritesMeshPictureAndJson) {
  const std::string mesh = file("ring.stl");
  EXPECT_EQ(run("mesh torus:around=8,tube=6 --out " + mesh).status, 0);
  const Result result = run("mesh " + mesh + " --json - --picture " + file("ring.png"));
  EXPECT_EQ(result.status, 0) << result.error;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["command"], "mesh");
  EXPECT_EQ(json["triangles"], 96);
  EXPECT_EQ(json["vertices"], 288);
  EXPECT_EQ(json["welded_vertices"], 48);
  EXPECT_EQ(json["genus"], 1);
  EXPECT_TRUE(json["solid"].get<bool>());
  EXPECT_GT(std::filesystem::file_size(file("ring.png")), 1000u);
  EXPECT_EQ(filesLeft(), 2u);
}

TEST_F(MeshProgram, AnOpenMeshHasABorderAndNoVolume) {
  const Result result = run("mesh terrain:cells=4 --json -");
  EXPECT_EQ(result.status, 0);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_FALSE(json["closed"].get<bool>());
  EXPECT_TRUE(json["volume_m3"].is_null());
  ASSERT_EQ(json["holes"].size(), 1u);
  EXPECT_EQ(json["holes"][0]["edges"], 16);
  EXPECT_NE(run("mesh terrain:cells=4").out.find("1 border, 16 edges"), std::string::npos);
}

TEST_F(MeshProgram, RefusesInOneLineAndWritesNothing) {
  std::ofstream(file("bad.stl")) << "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n";
  const auto refused = [&](const std::string& arguments) {
    const Result result = run("mesh " + arguments);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    return result.error;
  };
  EXPECT_EQ(refused(file("bad.stl")), "cairn: " + file("bad.stl") + ":4: 'zero' is no number\n");
  EXPECT_NE(refused("none.obj").find("none.obj: cannot be opened"), std::string::npos);
  EXPECT_NE(refused("toros").find("did you mean torus"), std::string::npos);
  EXPECT_NE(refused("torus --cell 0").find("--cell: must be a number > 0, is 0"), std::string::npos);
  EXPECT_NE(refused("torus --cell 1e-9").find("cell: must be larger"), std::string::npos);
  EXPECT_NE(refused("torus --weld -1").find("--weld: must be a number >= 0, is -1"), std::string::npos);
  EXPECT_NE(refused("torus --hull 65 --out " + file("a.obj")).find("max_vertices: must be a whole number from 4 to 64, is 65"), std::string::npos);
  EXPECT_NE(refused("torus --out " + file("a.ply")).find("must end in .obj or .stl"), std::string::npos);
  EXPECT_NE(refused("torus --picture " + file("a.jpg")).find("must end in .png"), std::string::npos);
  EXPECT_EQ(filesLeft(), 1u);
}

}  // namespace
}  // namespace cairn
