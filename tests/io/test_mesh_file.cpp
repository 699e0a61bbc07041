// Mesh files: there and back, other people's ways of writing them, and what is refused.
#include "src/io/mesh_text.hpp"
#include "src/render/mesh_picture.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/files.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/pixels.hpp"

#include <cairn/error.hpp>
#include <cairn/mesh.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>

namespace cairn {
namespace {

using test::boxMesh;
using test::messageOf;

using test::freshPath;

// What a text form says is wrong with a text.
std::string objMessage(const std::string& text) {
  return messageOf([&] { parseObj(text, "a.obj"); });
}
std::string stlMessage(const std::string& bytes) {
  return messageOf([&] { parseStl(bytes, "a.stl"); });
}

bool readsObj() { return objMessage("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n") == "accepted"; }

class ObjFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!readsObj()) GTEST_SKIP() << "skipped: this build has no tinyobjloader";
  }
};

TEST_F(ObjFile, ComesBackToTheSameNumbers) {
  TriangleMesh mesh = boxMesh({0.1, 1.0 / 3, 1e-7});
  mesh.vertices[2].x = 123456789.123456789;
  const std::string path = freshPath("cairn-mesh-box.obj");
  writeMesh(mesh, path);
  const TriangleMesh again = readMesh(path);
  std::filesystem::remove(path);
  ASSERT_EQ(again.vertices.size(), mesh.vertices.size());
  for (size_t i = 0; i < mesh.vertices.size(); ++i) EXPECT_TRUE(test::sameBits(again.vertices[i], mesh.vertices[i])) << i;
  EXPECT_EQ(again.triangles, mesh.triangles);
}

TEST_F(ObjFile, TakesPolygonsReferencesCommentsAndGroups) {
  const TriangleMesh mesh = parseObj(
      "# a pyramid\r\nmtllib none.mtl\r\no pyramid\nv -1 0 -1 # first\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nv 0 1.5e0 +0\nvt 0 0\nvn 0 1 0\ng all\nusemtl "
      "x\ns off\n"
      "f 1/1/1 2/1/1 3/1/1 4/1/1\nf 2//1 1//1 -1//1\nf 3/1 2/1 5/1\nf 4 \\\n3 5\nf 1 4 5\n",
      "a.obj");
  EXPECT_EQ(mesh.triangles.size(), 6u);
  const MeshReport report = inspectMesh(mesh);
  EXPECT_TRUE(report.isSolid());
  EXPECT_NEAR(report.volume, 2, 1e-14);
}

TEST_F(ObjFile, APolygonThatIsNotConvexKeepsItsArea) {
  const TriangleMesh mesh = parseObj("v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 1 2 3 4 5\n", "a.obj");
  EXPECT_EQ(mesh.triangles.size(), 3u);
  EXPECT_NEAR(inspectMesh(mesh).area, 10, 1e-14);
}

TEST_F(ObjFile, SaysWhereItIsWrong) {
  EXPECT_EQ(objMessage("v 0 0\n"), "a.obj:1: a vertex has three coordinates, this one has 2 numbers");
  EXPECT_EQ(objMessage("v 0 0 0\nv 1 x 0\n"), "a.obj:2: 'x' is no number");
  EXPECT_EQ(objMessage("v 0 0 nan\n"), "a.obj:1: coordinates must be finite and at most 1000000000000000 in size, one is nan");
  EXPECT_EQ(objMessage("v 0 0 1e400\n"), "a.obj:1: '1e400' is no number");
  EXPECT_EQ(objMessage("v 0 0 0\nf 1 2\n"), "a.obj:2: a face has three corners at least, this one has 2");
  EXPECT_EQ(objMessage("v 0 0 0\nf 1 0 1\n"), "a.obj:2: corner 0 is no vertex: there are 1 before this line");
  EXPECT_EQ(objMessage("v 0 0 0\nf 1 -2 1\n"), "a.obj:2: corner -2 is no vertex: there are 1 before this line");
  EXPECT_EQ(objMessage("v 0 0 0\nf 1 9 1\n"), "a.obj: a face has corner 9, but there are 1 vertices");
  EXPECT_EQ(objMessage("v 0 0 0\nf 1 1x 1\n"), "a.obj:2: '1x' is no corner of a face");
  EXPECT_EQ(objMessage("v 0 0 0\n"), "a.obj: has no faces");
  EXPECT_EQ(objMessage(""), "a.obj: has no faces");
  EXPECT_EQ(objMessage("solid x\n"), "a.obj:1: 'solid' is nothing that is read of an OBJ file: vertices (v) and faces (f) are");
}

TEST(StlFile, BinaryComesBackInSinglePrecision) {
  const TriangleMesh mesh = boxMesh({0.5, 0.25, 2});
  const std::string path = freshPath("cairn-mesh-box.stl");
  writeMesh(mesh, path);
  EXPECT_EQ(std::filesystem::file_size(path), 84u + 50 * 12);
  const TriangleMesh again = readMesh(path);
  std::filesystem::remove(path);
  EXPECT_EQ(again.vertices.size(), 36u);
  const MeshReport report = inspectMesh(again);
  EXPECT_TRUE(report.isSolid());
  EXPECT_NEAR(report.volume, 2, 1e-15);
}

const char* const kTetrahedron =
    "solid a name of words\n"
    " facet normal 0 0 -1\n  outer loop\n   vertex 0 0 0\n   vertex 0 1 0\n   vertex 1 0 0\n  endloop\n endfacet\n"
    " facet normal 0 -1 0\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 0 1\n  endloop\n endfacet\n"
    " facet normal -1 0 0\n  outer loop\n   vertex 0 0 0\n   vertex 0 0 1\n   vertex 0 1 0\n  endloop\n endfacet\n"
    " facet normal 1 1 1\n  outer loop\n   vertex 1 0 0\n   vertex 0 1 0\n   vertex 0 0 1\n  endloop\n endfacet\n"
    "endsolid a name of words\n";

TEST(StlFile, TextIsReadWhateverItsBlanks) {
  const MeshReport report = inspectMesh(parseStl(kTetrahedron, "a.stl"));
  EXPECT_TRUE(report.isSolid());
  EXPECT_NEAR(report.volume, 1.0 / 6, 1e-16);
  std::string other = kTetrahedron;
  for (size_t at = 0; (at = other.find('\n', at)) != std::string::npos; at += 2) other.replace(at, 1, "\r\n");
  EXPECT_EQ(parseStl(other, "a.stl").triangles.size(), 4u);
}

TEST(StlFile, BinaryThatBeginsWithTheWordOfTextIsBinary) {
  std::string bytes = stlBytes(boxMesh({1, 1, 1}));
  bytes.replace(0, 5, "solid");
  EXPECT_EQ(parseStl(bytes, "a.stl").triangles.size(), 12u);
}

TEST(StlFile, SaysWhereItIsWrong) {
  const std::string binary = stlBytes(boxMesh({1, 1, 1}));
  EXPECT_EQ(stlMessage(binary.substr(0, 300)), "a.stl: has 12 triangles by its own count, which take 684 bytes, and is 300 bytes long");
  EXPECT_EQ(stlMessage(binary + "x"), "a.stl: has 12 triangles by its own count, which take 684 bytes, and is 685 bytes long");
  EXPECT_EQ(stlMessage("x"), "a.stl: is no STL file: it neither begins with 'solid' nor has the 84 bytes that a binary one begins with");
  EXPECT_EQ(stlMessage(""), "a.stl: is no STL file: it neither begins with 'solid' nor has the 84 bytes that a binary one begins with");
  std::string empty(84, '\0');
  EXPECT_EQ(stlMessage(empty), "a.stl: has no triangles");
  std::string bad = binary;
  const float infinite = std::numeric_limits<float>::infinity();
  std::memcpy(&bad[84 + 50 + 12], &infinite, 4);
  EXPECT_EQ(stlMessage(bad), "a.stl: triangle 1: coordinates must be finite and at most 1000000000000000 in size, one is inf");
  EXPECT_EQ(stlMessage("solid\nfacet\nouter loop\nvertex 1 2 3\n\n"), "a.stl:5: the file ends where vertex should stand");
  EXPECT_EQ(stlMessage("solid\nfacet\nouter lop\n"), "a.stl:3: must be outer loop, is 'outer'");
  EXPECT_EQ(stlMessage("solid\nfacet\nouter loop\nvertex 1 2\n"), "a.stl:4: must be vertex and three coordinates, is 'vertex'");
  EXPECT_EQ(stlMessage("solid\n"), "a.stl:1: the file ends where facet or endsolid should stand");
  EXPECT_EQ(stlMessage("solid\nendsolid\n"), "a.stl: has no triangles");
}

TEST(MeshFile, SaysWhatCannotBeReadOrWritten) {
  EXPECT_EQ(messageOf([] { readMesh("box.ply"); }), "box.ply: is no mesh file: their names end in .obj or .stl");
  EXPECT_EQ(messageOf([] { readMesh("/no/such/file.stl"); }), "/no/such/file.stl: cannot be opened: No such file or directory");
  EXPECT_EQ(messageOf([] { writeMesh(boxMesh({1, 1, 1}), "/no/such/file.stl"); }).substr(0, 36), "/no/such/file.stl: cannot be written");
  EXPECT_EQ(messageOf([] { writeMesh({}, "file.stl"); }), "mesh/triangles: must be one at least, are none");
}

TEST(HullFromFile, IsThatOfTheMeshInTheFolderOfTheScene) {
  const std::string path = freshPath("cairn-mesh-rock.stl"), name = std::filesystem::path(path).filename().string();
  writeMesh(boxMesh({50, 100, 25}), path);
  const std::string scene = freshPath("cairn-mesh-scene.json");
  const auto parse = [&](const std::string& shape) { return parseScene("{\"bodies\": [{\"shapes\": [" + shape + "]}]}", scene); };
  const Scene read = parse("{\"type\": \"hull\", \"file\": \"" + name + "\", \"scale\": 0.01, \"density\": 500}");
  EXPECT_EQ(read.bodies[0].shapes[0].points.size(), 8u);
  EXPECT_NEAR(massProperties(read.bodies[0]).mass, 500 * 1.0 * 2 * 0.5, 1e-4);
  EXPECT_EQ(messageOf([&] { parse("{\"type\": \"hull\", \"file\": \"none.stl\"}"); }),
            scene + ": /bodies/0/shapes/0/file: " + std::filesystem::path(path).replace_filename("none.stl").string() +
                ": cannot be opened: No such file or directory");
  EXPECT_EQ(messageOf([&] { parse("{\"type\": \"hull\", \"file\": \"" + name + "\", \"scale\": 0}"); }),
            scene + ": /bodies/0/shapes/0/scale: must be a number > 0 and at most 1000000000000000, is 0");
  EXPECT_EQ(messageOf([&] { parse("{\"type\": \"hull\", \"file\": \"" + name + "\", \"points\": []}"); }),
            scene + ": /bodies/0/shapes/0/points: there is a file already: a hull has either");
  std::filesystem::remove(path);
}

// As meshHull has it: such vertices stand in files for points that lines refer to.
TEST(HullFromFile, LeavesVerticesOfNoTriangleOut) {
  const std::string path = freshPath("cairn-mesh-loose.obj"), name = std::filesystem::path(path).filename().string();
  TriangleMesh mesh = boxMesh({1, 1, 1});
  mesh.vertices.push_back({0, 50, 0});
  writeMesh(mesh, path);
  const Scene read =
      parseScene("{\"bodies\": [{\"shapes\": [{\"type\": \"hull\", \"file\": \"" + name + "\"}]}]}", freshPath("cairn-mesh-loose.json"));
  EXPECT_EQ(read.bodies[0].shapes[0].points.size(), 8u);
  EXPECT_EQ(meshHull(mesh).points.size(), 8u);
  std::filesystem::remove(path);
}

TEST(MeshFromFile, IsAShapeOfABodyThatIsNotDynamic) {
  const std::string path = freshPath("cairn-mesh-shape.stl"), name = std::filesystem::path(path).filename().string();
  writeMesh(boxMesh({50, 100, 25}), path);
  const std::string scene = freshPath("cairn-mesh-shape.json");
  const auto parse = [&](const std::string& file) {
    return parseScene("{\"bodies\": [{\"type\": \"static\", \"shapes\": [{\"type\": \"mesh\", \"scale\": 0.01, \"file\": \"" + file + "\"}]}]}",
                      scene);
  };
  const ShapeDef shape = parse(name).bodies[0].shapes[0];
  EXPECT_EQ(shape.type, ShapeType::Mesh);
  EXPECT_EQ(shape.triangles->triangles.size(), 12u);
  const MeshReport report = inspectMesh(*shape.triangles);
  EXPECT_NEAR(report.high.y, 1, 1e-6);
  EXPECT_EQ(messageOf([&] { parse("none.stl"); }),
            scene + ": /bodies/0/shapes/0/file: " + std::filesystem::path(path).replace_filename("none.stl").string() +
                ": cannot be opened: No such file or directory");
  std::filesystem::remove(path);
}

// Pixels by what they show.
struct Seen {
  int red = 0, green = 0, violet = 0, ochre = 0;
};
Seen look(const TriangleMesh& mesh) {
  const std::string path = freshPath("cairn-mesh.png");
  PictureSettings settings;
  settings.width = 160;
  settings.height = 120;
  settings.edgeRays = 0;
  writeMeshPicture(mesh, inspectMesh(mesh), path, settings);
  const test::Pixels pixels = test::readPng(path);
  std::filesystem::remove(path);
  Seen seen;
  for (size_t i = 0; i + 2 < pixels.rgb.size(); i += 3) {
    const int r = pixels.rgb[i], g = pixels.rgb[i + 1], b = pixels.rgb[i + 2];
    seen.red += r > 2 * g && r > 2 * b ? 1 : 0;
    seen.green += g > r + 40 && g > b + 40 ? 1 : 0;
    seen.violet += b > g + 25 && r > g + 10 ? 1 : 0;
    seen.ochre += r > g && g > b + 20 ? 1 : 0;
  }
  return seen;
}

TEST(MeshPicture, HasAColourForEachFlaw) {
  const TriangleMesh box = boxMesh({1, 1, 1});
  const Seen sound = look(box);
  EXPECT_GT(sound.ochre, 160 * 120 / 5);
  EXPECT_EQ(sound.red + sound.green + sound.violet, 0);
  TriangleMesh open = box;
  open.triangles.erase(open.triangles.begin() + 6, open.triangles.begin() + 8);  // without its lid
  EXPECT_GT(look(open).green, 20);
  EXPECT_GT(look(open).violet, 300);
  EXPECT_GT(look(test::together(box, box, {0.7, 0.6, 0.5})).red, 300);
  EXPECT_EQ(messageOf([&] { writeMeshPicture(box, inspectMesh(box), "/no/such/box.png"); }), "/no/such/box.png: cannot be written");
}

}  // namespace
}  // namespace cairn
