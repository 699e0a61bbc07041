// Files for other programs, read as those programs read them.
#include "src/io/export_gltf.hpp"
#include "src/io/export_ply.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace cairn {
namespace {

using nlohmann::json;

uint32_t wordAt(const std::string& bytes, size_t at) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

struct Glb {
  json document;
  std::string numbers;
};

// The chunks, by the letter of the format.
Glb read(const std::string& bytes) {
  EXPECT_EQ(wordAt(bytes, 0), 0x46546c67u);
  EXPECT_EQ(wordAt(bytes, 4), 2u);
  EXPECT_EQ(wordAt(bytes, 8), bytes.size());
  const uint32_t size = wordAt(bytes, 12);
  EXPECT_EQ(wordAt(bytes, 16), 0x4e4f534au);
  Glb glb{json::parse(bytes.substr(20, size)), {}};
  if (20 + size < bytes.size()) {
    EXPECT_EQ(wordAt(bytes, 24 + size), 0x004e4942u);
    glb.numbers = bytes.substr(28 + size);
    EXPECT_EQ(wordAt(bytes, 20 + size), glb.numbers.size());
  }
  EXPECT_EQ(size % 4, 0u);
  EXPECT_EQ(glb.numbers.size() % 4, 0u);
  return glb;
}

// Every number that names something names something that is there, and no corner is beyond its points.
void expectWhole(const Glb& glb) {
  const json& d = glb.document;
  EXPECT_EQ(d["buffers"][0]["byteLength"].get<size_t>(), glb.numbers.size());
  for (const json& view : d["bufferViews"]) {
    EXPECT_LE(view["byteOffset"].get<size_t>() + view["byteLength"].get<size_t>(), glb.numbers.size());
    EXPECT_EQ(view["byteOffset"].get<size_t>() % 4, 0u);
  }
  for (const json& mesh : d["meshes"]) {
    const json& primitive = mesh["primitives"][0];
    const json &positions = d["accessors"][primitive["attributes"]["POSITION"].get<size_t>()],
               &normals = d["accessors"][primitive["attributes"]["NORMAL"].get<size_t>()],
               &corners = d["accessors"][primitive["indices"].get<size_t>()];
    EXPECT_EQ(positions["count"], normals["count"]);
    EXPECT_LT(primitive["material"].get<size_t>(), d["materials"].size());
    const json& view = d["bufferViews"][corners["bufferView"].get<size_t>()];
    ASSERT_EQ(corners["componentType"], 5123);
    for (size_t k = 0; k < corners["count"].get<size_t>(); ++k) {
      uint16_t corner = 0;
      std::memcpy(&corner, glb.numbers.data() + view["byteOffset"].get<size_t>() + 2 * k, sizeof corner);
      ASSERT_LT(corner, positions["count"].get<size_t>());
    }
  }
  std::set<size_t> reached;
  for (const json& node : d["nodes"]) {
    EXPECT_LT(node.value("mesh", size_t(0)), d["meshes"].size());
    for (const json& child : node.value("children", json::array()))
      EXPECT_TRUE(reached.insert(child.get<size_t>()).second) << "a node with two parents";
  }
  EXPECT_EQ(reached.size() + 1, d["nodes"].size());  // all but the root
}

std::vector<BodyState> startOf(const Scene& scene) {
  std::vector<BodyState> states(scene.bodies.size());
  for (size_t i = 0; i < states.size(); ++i) states[i].pose = scene.bodies[i].pose;
  return states;
}

TEST(Gltf, SharesMeshesAndNamesBodies) {
  const Scene scene = loadScene("pyramid:base=8");
  const std::vector<BodyState> states = startOf(scene);
  const Glb glb = read(gltfOf({scene, states, 0.5}, true));
  expectWhole(glb);
  const json& d = glb.document;
  EXPECT_LT(d["meshes"].size(), 12u);        // of 37 bodies: a box in nine colours, and the ground
  EXPECT_EQ(d["accessors"].size(), 3u * 2);  // box and ground, whatever their colours
  EXPECT_EQ(d["scenes"][0]["extras"]["time_s"], 0.5);
  const auto node = std::find_if(d["nodes"].begin(), d["nodes"].end(), [](const json& one) { return one["name"] == "body-7"; });
  ASSERT_NE(node, d["nodes"].end());
  const Vec3d p = states[7].pose.p;
  EXPECT_EQ((*node)["translation"], json::array({p.x, p.y, p.z}));
}

TEST(Gltf, TextHasTheSameNumbers) {
  const Scene scene = loadScene("tower:height=2");
  const std::vector<BodyState> states = startOf(scene);
  const json text = json::parse(gltfOf({scene, states, 0}, false));
  const std::string uri = text["buffers"][0]["uri"], head = "data:application/octet-stream;base64,";
  ASSERT_EQ(uri.substr(0, head.size()), head);
  const std::string numbers = read(gltfOf({scene, states, 0}, true)).numbers;
  EXPECT_EQ(uri.size() - head.size(), (numbers.size() + 2) / 3 * 4);
}

// Gravity along -z: z is up, and +y there.
TEST(Gltf, IsTurnedUp) {
  Scene scene;
  scene.gravity = {0, 0, -9.81};
  BodyDef body;
  body.pose.p = {0, 0, 3};
  body.shapes = {ShapeDef::sphere(0.5)};
  scene.add(body);
  const json root = read(gltfOf({scene, startOf(scene), 0}, true)).document["nodes"].back();
  const json& q = root["rotation"];
  const Vec3d up = rotate(Quatd{q[0], q[1], q[2], q[3]}, Vec3d{0, 0, 1});
  EXPECT_NEAR(up.y, 1, 1e-12);
}

TEST(Gltf, OfNothingIsAFileWithoutMeshes) {
  const Glb glb = read(gltfOf({Scene{}, {}, 0}, true));
  EXPECT_FALSE(glb.document.contains("meshes"));
  EXPECT_TRUE(glb.numbers.empty());
}

TEST(Ply, HasForcesThatCarryTheWeight) {
  WorldSettings settings;
  settings.backend = Backend::Cpu;
  settings.threads = 1;
  World world(loadScene("tower:height=1"), settings);
  world.step(60);
  const std::vector<RecordedContact> contacts = contactsOf(world);
  ASSERT_EQ(contacts.size(), 4u);
  const std::string bytes = contactsPly(contacts, settings.dt / settings.substeps, "a tower");
  const std::string end = "end_header\n";
  const size_t body = bytes.find(end) + end.size(), each = 12 * 4 + 4 * 4 + 3;
  ASSERT_EQ(bytes.size(), body + 4 * each);
  EXPECT_EQ(bytes.compare(0, 4, "ply\n"), 0);
  EXPECT_NE(bytes.find("comment a tower\n"), std::string::npos);
  double weight = 0;
  for (size_t k = 0; k < 4; ++k) {
    float force = 0;
    std::memcpy(&force, bytes.data() + body + k * each + 7 * 4, sizeof force);  // force_y
    weight += std::abs(double(force));
  }
  EXPECT_NEAR(weight, 1000 * 9.81, 100);  // a box of a cubic metre
}

}  // namespace
}  // namespace cairn
