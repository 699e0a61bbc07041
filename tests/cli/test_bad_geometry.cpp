// Hulls and meshes that are none, as a user of the program meets them.
#include "tests/cli/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace {

using namespace cairn::test;

// What is wrong with hulls and meshes is said with the file that has them.
TEST_F(Program, RefusesBadGeometryWithStatusTwoAndOneLine) {
  const std::string corners = R"("vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])";
  const auto mesh = [&](const std::string& rest) { return R"({"type": "mesh", )" + corners + ", " + rest + "}"; };
  std::ofstream(file("few.obj")) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  std::ofstream(file("corner.obj")) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n";
  std::ofstream(file("nan.obj")) << "v 0 0 0\nv 1 0 0\nv 0 1 nan\nf 1 2 3\n";
  const std::pair<std::string, std::string> cases[] = {
      {R"({"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]})", "/points: must be four at least, are 3 (body 'thing')"},
      {R"({"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]})",
       "/points: must not lie in one plane, or nearly so: the 4 have no hull (body 'thing')"},
      {R"({"type": "hull", "file": "few.obj"})", "/file: points: must be four at least, are 3"},
      {R"({"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, NaN]]})", "syntax error"},
      {mesh(R"("solid": true, "triangles": [[0, 2, 1], [0, 1, 9]])"), "/triangles: must have corners from 0 to 3, number 1 has 9 (body 'thing')"},
      {mesh(R"("triangles": [[0, 2, 1], [0, 1, -1]])"), "/triangles/1/2: must be the number of a vertex, is -1"},
      {R"({"type": "mesh", "file": "corner.obj"})", "corner.obj: a face has corner 7, but there are 3 vertices"},
      {R"({"type": "mesh", "file": "nan.obj"})", "nan.obj:3: coordinates must be finite"},
      {mesh(R"("triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])"), "/solid: must be true of a mesh on a dynamic body"},
      {mesh(R"("solid": true, "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2]])"),
       "/triangles: must enclose what is inside of a solid mesh; the mesh is open: 3 of its edges have one triangle (body 'thing')"},
      {mesh(R"("solid": true, "cell": 1e-6, "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])"),
       "/cell: must be larger: the field of the mesh would take more than 256 MB with cells of 1e-06 m (body 'thing')"},
  };
  const std::string path = file("scene.json"), outputs = " --report " + file("r.json") + " --picture " + file("p.png");
  for (const auto& [shape, names] : cases) {
    std::ofstream(path) << R"({"bodies": [{"name": "thing", "shapes": [)" << shape << "]}]}";
    const size_t before = filesLeft();
    for (const std::string& command : {"run " + path + outputs, "bench " + path + " --steps 1",
                                       "verify " + path + " --steps 1 --json " + file("v.json"), "view " + path + " --live"}) {
      const Result result = run(command);
      if (result.error.find("is not in this build") != std::string::npos) continue;  // --live without Boost.Beast
      EXPECT_EQ(result.status, 2) << command << shape;
      EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
      EXPECT_EQ(result.error.rfind("cairn: " + path, 0), 0u) << result.error;
      EXPECT_NE(result.error.find(names), std::string::npos) << result.error;
      EXPECT_EQ(filesLeft(), before) << command << shape;
    }
  }
}

}  // namespace
