// The scene generators: against the scenes that other engines were measured on, and for what each of them promises. What they do:
// test_scene_motion.cpp.
#include <cairn/error.hpp>
#include <cairn/world.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/data/peers/scenes.h"
#include "tests/support/expect.hpp"
#include "tests/support/scenes.hpp"

namespace cairn {
namespace {

std::string messageOf(const std::string& scene) {
  return test::messageOf([&] { loadScene(scene); });
}

using test::bodyNamed;

// --- boxes against each other ----------------------------------------------------------------------------------

struct PlacedBox {
  Vec3d centre, half;
  Mat3<double> axes;
};

std::vector<PlacedBox> boxesOf(const BodyDef& body) {
  std::vector<PlacedBox> boxes;
  for (const ShapeDef& shape : body.shapes) {
    EXPECT_EQ(shape.type, ShapeType::Box);
    const Posed pose = body.pose * shape.localPose;
    boxes.push_back({pose.p, shape.halfExtents, rotationMatrix(normalized(pose.q))});
  }
  return boxes;
}

// Largest separation over the fifteen axes [m]: the distance for faces and edges that face each other, negative if they overlap.
double separation(const PlacedBox& a, const PlacedBox& b) {
  double best = -1e30;
  const auto along = [&](Vec3d axis) {
    const double l = length(axis);
    if (l < 1e-6) return;
    axis = (1 / l) * axis;
    const Vec3d ea = absOf(transposeTimes(a.axes, axis)), eb = absOf(transposeTimes(b.axes, axis));
    best = std::max(best, std::abs(dot(axis, b.centre - a.centre)) - dot(ea, a.half) - dot(eb, b.half));
  };
  const Vec3d u[3] = {a.axes.c0, a.axes.c1, a.axes.c2}, v[3] = {b.axes.c0, b.axes.c1, b.axes.c2};
  for (int i = 0; i < 3; ++i) {
    along(u[i]);
    along(v[i]);
    for (int j = 0; j < 3; ++j) along(cross(u[i], v[j]));
  }
  return best;
}

double separation(const BodyDef& a, const BodyDef& b) {
  double nearest = 1e30;
  for (const PlacedBox& p : boxesOf(a))
    for (const PlacedBox& q : boxesOf(b)) nearest = std::min(nearest, separation(p, q));
  return nearest;
}

// Indices of the bodies that touch body i (within a micrometre); no pair may overlap.
std::vector<std::set<size_t>> touching(const Scene& scene) {
  std::vector<std::set<size_t>> result(scene.bodies.size());
  for (size_t i = 0; i < scene.bodies.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (scene.bodies[i].type == BodyType::Static && scene.bodies[j].type == BodyType::Static) continue;
      const double gap = separation(scene.bodies[i], scene.bodies[j]);
      EXPECT_GT(gap, -1e-9) << "bodies " << i << " and " << j;
      if (gap < 1e-6) {
        result[i].insert(j);
        result[j].insert(i);
      }
    }
  return result;
}

// --- all of them -----------------------------------------------------------------------------------------------

TEST(SceneLibrary, EveryGeneratorIsValidAtItsDefaults) {
  for (const SceneGenerator& generator : sceneGenerators()) {
    SCOPED_TRACE(generator.name);
    const Scene scene = loadScene(generator.name);
    validate(scene);
    EXPECT_EQ(scene.name, generator.name);
    EXPECT_FALSE(generator.summary.empty());
    EXPECT_TRUE(std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const BodyDef& b) { return b.type == BodyType::Dynamic; }));
  }
}

// Writing the defaults out changes nothing, so the listed defaults are the true ones.
TEST(SceneLibrary, ListedDefaultsAreTheDefaults) {
  for (const SceneGenerator& generator : sceneGenerators()) {
    std::string spelled = generator.name;
    for (size_t i = 0; i < generator.parameters.size(); ++i) {
      const SceneParameter& p = generator.parameters[i];
      EXPECT_FALSE(p.meaning.empty());
      EXPECT_FALSE(p.range.empty());
      spelled += (i == 0 ? ":" : ",") + p.name + "=" + p.defaultValue;
    }
    SCOPED_TRACE(spelled);
    Scene scene = loadScene(spelled);
    EXPECT_EQ(scene.name, spelled);
    scene.name = generator.name;
    EXPECT_EQ(writeScene(scene), writeScene(loadScene(generator.name)));
  }
}

// In the order of `cairn scenes`.
const std::string kGenerators =
    "tower, pyramid, wall, mass-ratio, pile, rubble, arch, card-house, dominoes, incline, newton-cradle, billiard-break, drum, ellipse, cannonball, "
    "rectangles, chain, chain-100, chain-100h, pendulum, double-pendulum, cline-pai-chain, motor, limits, net, bridge, rings, magnets, tank, "
    "skeletons, large_pyramid, many_pyramids, joint_grid, washer, convex_pile, kapla, logs, terrain, rain, links, hooks, bolts, compounds";

TEST(SceneLibrary, GeneratorsAreOrderedAndComplete) {
  std::string names;
  for (const SceneGenerator& generator : sceneGenerators()) names += (names.empty() ? "" : ", ") + generator.name;
  EXPECT_EQ(names, kGenerators);
}

// The number of bodies that is reckoned with beforehand is at least what is made: then the vector never grows while it is filled.
TEST(SceneLibrary, CountsAreKnownBeforehand) {
  for (const char* name : {"tower:height=7", "pyramid:base=9", "wall:width=5,height=6", "wall:width=1,height=3", "mass-ratio:count=4",
                           "pile:count=77", "rubble:count=77", "arch:stones=8", "card-house:levels=4", "dominoes:count=3", "incline",
                           "newton-cradle:balls=4", "billiard-break", "drum:count=50", "ellipse", "cannonball:rows=4", "rectangles:count=3"}) {
    const Scene scene = loadScene(name);
    EXPECT_GE(scene.bodies.capacity(), scene.bodies.size()) << name;
    EXPECT_LE(scene.bodies.capacity(), scene.bodies.size() + 2) << name;
  }
}

TEST(SceneLibrary, SmallestCounts) {
  for (const char* name : {"tower:height=1", "pyramid:base=1", "wall:width=1,height=1", "wall:width=1,height=2", "mass-ratio:count=1", "pile:count=1",
                           "rubble:count=1", "arch:stones=5", "card-house:levels=1", "dominoes:count=1", "newton-cradle:balls=2", "drum:count=1"})
    EXPECT_NO_THROW(validate(loadScene(name))) << name;
}

// --- parameters ------------------------------------------------------------------------------------------------

TEST(SceneLibrary, MistakesInNamesAndParameters) {
  const std::pair<std::string, std::string> cases[] = {
      {"piramid", "piramid: is neither a file nor a generator of scenes; did you mean pyramid?"},
      {"newton", "newton: is neither a file nor a generator of scenes; did you mean newton-cradle?"},
      {"xyzzy:base=4", "xyzzy: is neither a file nor a generator of scenes; there are " + kGenerators},
      {"", "scene: is neither a file nor a generator of scenes; there are " + kGenerators},
      {"pyra\nmid", "scene: name or path must not contain control characters"},
      {"pyramid:bsae=4", "pyramid: has no parameter 'bsae'; did you mean base?"},
      {"pile:colour=red", "pile: has no parameter 'colour'; there are count, shape"},
      {"pyramid:base=0", "pyramid: base: must be a whole number from 1 to 1000000, is '0'"},
      {"pyramid:base=-3", "pyramid: base: must be a whole number from 1 to 1000000, is '-3'"},
      {"pyramid:base=1.5", "pyramid: base: must be a whole number from 1 to 1000000, is '1.5'"},
      {"pyramid:base=", "pyramid: base: must be a whole number from 1 to 1000000, is ''"},
      {"pyramid:base=4x", "pyramid: base: must be a whole number from 1 to 1000000, is '4x'"},
      {"pyramid:base=inf", "pyramid: base: must be a whole number from 1 to 1000000, is 'inf'"},
      {"pyramid:base=1e999", "pyramid: base: must be a whole number from 1 to 1000000, is '1e999'"},
      {"incline:angle=nan", "incline: angle: must be a number from 0 to 89, is 'nan'"},
      {"incline:angle=90", "incline: angle: must be a number from 0 to 89, is '90'"},
      {"pile:shape=cube", "pile: shape: must be one of box|sphere|capsule|mixed, is 'cube'"},
      {"pyramid:", "pyramid: parameters are written name=value and parted by commas, found ''"},
      {"pyramid:40", "pyramid: parameters are written name=value and parted by commas, found '40'"},
      {"pyramid:base=4,", "pyramid: parameters are written name=value and parted by commas, found ''"},
      {"pyramid:base=4,base=5", "pyramid: base: is given twice"},
      {"arch:thickness=2", "arch: thickness: must be at most half the radius, or the stones are no wedges any more"},
      {"newton-cradle:incoming=5", "newton-cradle: incoming: must be less than balls (5), is 5"},
  };
  for (const auto& [scene, message] : cases) EXPECT_EQ(messageOf(scene), message);
}

TEST(SceneLibrary, MoreBodiesThanMemoryHoldsAreRefusedAtOnce) {
  for (const char* name : {"pile:count=100000000000", "pyramid:base=1e6", "tower:height=1e12", "drum:count=1e12", "card-house:levels=1e6"}) {
    try {
      loadScene(name);
      ADD_FAILURE() << name;
    } catch (const CapacityError& error) {
      EXPECT_EQ(std::string(error.what()).find(name), 0u) << error.what();
      EXPECT_NE(std::string(error.what()).find("bodies do not fit into memory"), std::string::npos) << error.what();
      EXPECT_GT(error.neededBytes, error.availableBytes);
    }
  }
}

// --- the scenes that other engines were measured on ------------------------------------------------------------

// Everything to the last bit but orientations: those come from another sine, and may differ by some units in the last place.
void expectPeer(const std::string& name, const std::string& peerName) {
  SCOPED_TRACE(name + " is " + peerName);
  sc::Scene peer;
  ASSERT_TRUE(sc::make(peerName, peer));
  const Scene scene = loadScene(name);
  ASSERT_EQ(scene.bodies.size(), peer.bodies.size());
  EXPECT_EQ(scene.gravity.y, -9.81);
  double largest = 0;
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    SCOPED_TRACE("body " + std::to_string(i));
    const BodyDef& ours = scene.bodies[i];
    const sc::Body& theirs = peer.bodies[i];
    ASSERT_EQ(ours.type, theirs.dynamic ? BodyType::Dynamic : BodyType::Static);
    ASSERT_EQ(ours.shapes.size(), 1u);
    const ShapeDef& shape = ours.shapes[0];
    ASSERT_EQ(shape.filter.category != 0, theirs.collide);
    ASSERT_EQ(shape.type, theirs.type == sc::Box ? ShapeType::Box : ShapeType::Sphere);
    if (shape.type == ShapeType::Box) {
      ASSERT_TRUE(shape.halfExtents.x == theirs.h[0] && shape.halfExtents.y == theirs.h[1] && shape.halfExtents.z == theirs.h[2]);
    } else {
      ASSERT_EQ(shape.radius, theirs.h[0]);
    }
    ASSERT_TRUE(ours.pose.p.x == theirs.p[0] && ours.pose.p.y == theirs.p[1] && ours.pose.p.z == theirs.p[2]);
    const Quatd q = ours.pose.q;
    largest = std::max({largest, std::abs(q.x - theirs.q[0]), std::abs(q.y - theirs.q[1]), std::abs(q.z - theirs.q[2]), std::abs(q.w - theirs.q[3])});
    ASSERT_EQ(shape.density, theirs.density);
    ASSERT_EQ(shape.material.friction, peer.mu);
    ASSERT_EQ(shape.material.restitution, 0);
    ASSERT_TRUE(length(ours.linearVelocity) == 0 && length(ours.angularVelocity) == 0 && !ours.mass);
  }
  EXPECT_LE(largest, 1e-15);
  ASSERT_EQ(scene.joints.size(), peer.joints.size());
  for (size_t i = 0; i < scene.joints.size(); ++i) {
    const JointDef& ours = scene.joints[i];
    const sc::Joint& theirs = peer.joints[i];
    ASSERT_TRUE(ours.type == JointType::Point && ours.bodyA == theirs.a && ours.bodyB == theirs.b);
    const Vec3d pivot{theirs.pivot[0], theirs.pivot[1], theirs.pivot[2]};
    ASSERT_LT(length(transform(scene.bodies[size_t(ours.bodyA)].pose, ours.frameA.p) - pivot), 1e-12);
  }
}

TEST(PeerScenes, AreTheSame) {
  expectPeer("tower", "tower-20");
  expectPeer("tower:height=100", "tower-100");
  expectPeer("pyramid", "pyramid-40");
  expectPeer("wall", "wall");
  expectPeer("mass-ratio", "mass-ratio");
  expectPeer("pile", "pile-8k");
  expectPeer("pile:shape=sphere", "spheres-8k");
  expectPeer("pile:count=64000", "pile-64k");
  expectPeer("rubble", "rubble-8k");
  expectPeer("rubble:count=64000", "rubble-64k");
  expectPeer("chain-100", "chain-100");
  expectPeer("chain-100h", "chain-100h");
}

// --- piles -----------------------------------------------------------------------------------------------------

// Every body starts inside the container and apart from the walls and from its neighbours, whatever the count.
TEST(Piles, StartWithinTheirContainer) {
  for (const std::string kind : {"pile:count=", "pile:shape=mixed,count=", "rubble:count="})
    for (const int count : {1, 2, 9, 100, 1000, 8001, 30000}) {
      const std::string name = kind + std::to_string(count);
      SCOPED_TRACE(name);
      const Scene scene = loadScene(name);
      ASSERT_EQ(scene.bodies.size(), size_t(count) + 5);
      const BodyDef& wall = bodyNamed(scene, "wall+x");
      const double half = wall.pose.p.x - wall.shapes[0].halfExtents.x;
      EXPECT_EQ(bodyNamed(scene, "wall-z").pose.p.z + bodyNamed(scene, "wall-z").shapes[0].halfExtents.z, -half);
      const double reach = kind[0] == 'r' ? 0.4331 : 0.29;  // of a body from its centre: any way round, or turned by 0.05 at most
      for (size_t i = 5; i < scene.bodies.size(); ++i) {
        const Vec3d p = scene.bodies[i].pose.p;
        ASSERT_LT(std::abs(p.x) + reach, half);
        ASSERT_LT(std::abs(p.z) + reach, half);
        ASSERT_GT(p.y - reach, 0);
      }
    }
}

TEST(Piles, MixedOnesHaveAllShapes) {
  const Scene scene = loadScene("pile:count=300,shape=mixed");
  int counts[3] = {0, 0, 0};
  for (const BodyDef& body : scene.bodies)
    if (body.type == BodyType::Dynamic) ++counts[int(body.shapes[0].type)];
  EXPECT_EQ(counts[0], 100);
  EXPECT_EQ(counts[1], 100);
  EXPECT_EQ(counts[2], 100);
}

TEST(Stacks, GroundCarriesAllOfAWidePyramid) {
  const Scene scene = loadScene("pyramid:base=300");
  const double half = bodyNamed(scene, "ground").shapes[0].halfExtents.x;
  for (const BodyDef& body : scene.bodies)
    if (body.type == BodyType::Dynamic) {
      ASSERT_LT(std::abs(body.pose.p.x) + 1, half);
    }
  EXPECT_EQ(scene.bodies.size(), 1u + 300 * 301 / 2);
}

// --- masonry ---------------------------------------------------------------------------------------------------

// Each stone touches its two neighbours and nothing else, and the boxes on both sides of a joint have the same face.
TEST(Arch, JointsAreWholeFaces) {
  for (const char* name : {"arch", "arch:stones=5", "arch:stones=60,radius=10,thickness=1.5,width=2"}) {
    SCOPED_TRACE(name);
    const Scene scene = loadScene(name);
    const size_t first = 3, count = scene.bodies.size() - first;  // after the ground and two abutments
    ASSERT_EQ(scene.bodies[1].name, "abutment-left");
    const std::vector<std::set<size_t>> neighbours = touching(scene);
    for (size_t i = 0; i < count; ++i) {
      // Stones go from +x to -x.
      const size_t before = i == 0 ? 2 : first + i - 1, after = i + 1 == count ? 1 : first + i + 1;
      EXPECT_EQ(neighbours[first + i], (std::set<size_t>{before, after})) << "stone " << i;
    }
    for (size_t i = 0; i + 1 < count; ++i) {
      // Boxes 1 (towards -x of the stone) and 0 (towards +x) of neighbours.
      const PlacedBox a = boxesOf(scene.bodies[first + i])[1], b = boxesOf(scene.bodies[first + i + 1])[0];
      EXPECT_NEAR(length((a.centre - a.half.x * a.axes.c0) - (b.centre + b.half.x * b.axes.c0)), 0, 1e-12 * length(a.centre));
      EXPECT_NEAR(dot(a.axes.c0, b.axes.c0), 1, 1e-12);
    }
  }
}

TEST(Arch, IsSymmetricAndWeighsWhatItsWedgesWeigh) {
  const Scene scene = loadScene("arch:stones=21,radius=3,thickness=0.6,width=1");
  double mass = 0, sum = 0;
  for (size_t i = 3; i < scene.bodies.size(); ++i) {
    mass += *scene.bodies[i].mass;
    sum += scene.bodies[i].pose.p.x;
    // The middle of mass is on the stone's line of symmetry.
    EXPECT_NEAR(massProperties(scene.bodies[i]).centre.x, 0, 1e-12);
  }
  EXPECT_NEAR(sum, 0, 1e-12);
  // A half ring, its circles replaced by the chords of 21 wedges: the area is sin(2b)/(2b) of the ring's, 2b a wedge's angle.
  const double pi = 3.14159265358979323846, angle = pi / 21;
  EXPECT_NEAR(mass, 1000 * 0.5 * pi * (3.3 * 3.3 - 2.7 * 2.7) * std::sin(angle) / angle, 1e-9 * mass);
}

// Every leaning card stands on something and leans on its partner; every flat card lies on two leaning ones.
TEST(CardHouse, CardsTouchAndNoneOverlap) {
  for (const char* name : {"card-house", "card-house:levels=5,angle=25", "card-house:levels=1"}) {
    SCOPED_TRACE(name);
    const Scene scene = loadScene(name);
    const std::vector<std::set<size_t>> neighbours = touching(scene);
    for (size_t i = 1; i < scene.bodies.size(); ++i) {
      const BodyDef& card = scene.bodies[i];
      const bool flat = card.shapes[0].halfExtents.x > card.shapes[0].halfExtents.y;
      int below = 0, beside = 0;
      for (const size_t j : neighbours[i]) {
        if (scene.bodies[j].pose.p.y < card.pose.p.y - 1e-6)
          ++below;
        else if (scene.bodies[j].pose.p.y < card.pose.p.y + 1e-6)
          ++beside;
      }
      EXPECT_EQ(below, flat ? 2 : 1) << "card " << i;
      EXPECT_EQ(beside, flat ? 0 : 1) << "card " << i;
    }
  }
}

// Every plank lies on something: a flat one on two spokes or more, a spoke on three flat ones or more, or on the ground. None overlap.
TEST(Kapla, PlanksLieOnPlanks) {
  for (const char* name : {"kapla:towers=1,courses=4,sectors=10", "kapla:towers=1,courses=4,sectors=18"}) {
    SCOPED_TRACE(name);
    const Scene scene = loadScene(name);
    const std::vector<std::set<size_t>> neighbours = touching(scene);
    for (size_t i = 1; i < scene.bodies.size(); ++i) {
      const double height = scene.bodies[i].pose.p.y;
      const bool flat = scene.bodies[i].shapes[0].halfExtents.y < scene.bodies[i].shapes[0].halfExtents.z;
      const auto below = [&](size_t k) { return scene.bodies[k].pose.p.y < height - 1e-6; };
      const auto supports = std::count_if(neighbours[i].begin(), neighbours[i].end(), below);
      EXPECT_GE(supports, flat ? 2 : (height < 0.1 ? 1 : 3)) << "plank " << i;
    }
  }
}

// --- motion ----------------------------------------------------------------------------------------------------

TEST(Dominoes, FirstFallsAndTouchesNone) {
  for (const char* name : {"dominoes", "dominoes:count=10,spacing=0.5"}) {
    const Scene scene = loadScene(name);
    const std::vector<std::set<size_t>> neighbours = touching(scene);
    for (size_t i = 1; i < scene.bodies.size(); ++i) EXPECT_EQ(neighbours[i], std::set<size_t>{0}) << name << ", slab " << i;
    // Its middle is beyond the edge that it stands on.
    const BodyDef& first = scene.bodies[1];
    const PlacedBox box = boxesOf(first)[0];
    const Vec3d edge = box.centre + box.half.x * box.axes.c0 - box.half.y * box.axes.c1;
    EXPECT_NEAR(edge.y, 0, 1e-12);
    EXPECT_GT(box.centre.x, edge.x + 0.01);
  }
}

TEST(Incline, BoxLiesFlushOnTheSlope) {
  for (const double degrees : {0.0, 20.0, 45.0, 89.0}) {
    const Scene scene = loadScene("incline:friction=0.3,angle=" + std::to_string(degrees));
    const BodyDef &slope = bodyNamed(scene, "slope"), &box = bodyNamed(scene, "box");
    const Vec3d normal = rotate(slope.pose.q, {0, 1, 0});
    EXPECT_NEAR(normal.y, std::cos(degrees * 3.14159265358979323846 / 180), 1e-15);
    EXPECT_LE(normal.x, 0);  // falls towards -x
    const PlacedBox placed = boxesOf(box)[0];
    EXPECT_NEAR(dot(normal, placed.centre), placed.half.y, 1e-15);
    EXPECT_NEAR(dot(normal, placed.axes.c1), 1, 1e-15);
    EXPECT_EQ(slope.shapes[0].material.friction, 0.3);
    EXPECT_EQ(box.shapes[0].material.friction, 0.3);
  }
}

TEST(NewtonCradle, BallsAreFreeAlongXOnly) {
  const Scene scene = loadScene("newton-cradle:balls=6,incoming=2,speed=3,gap=0.1");
  ASSERT_EQ(scene.bodies.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    const BodyDef& ball = scene.bodies[i];
    EXPECT_EQ(ball.linearVelocity.x, i < 2 ? 3 : 0);
    EXPECT_EQ(ball.lockTranslation, (std::array<bool, 3>{false, true, true}));
    EXPECT_EQ(ball.lockRotation, (std::array<bool, 3>{true, true, true}));
    EXPECT_EQ(ball.shapes[0].material.restitution, 1);
    if (i > 0) {
      EXPECT_NEAR(ball.pose.p.x - scene.bodies[i - 1].pose.p.x - 2 * ball.shapes[0].radius, i == 2 ? 1.1 : 0.1, 1e-12);
    }
  }
}

TEST(BilliardBreak, RackIsTightAndOnTheBed) {
  const Scene scene = loadScene("billiard-break");
  std::vector<const BodyDef*> balls;
  for (const BodyDef& body : scene.bodies)
    if (body.type == BodyType::Dynamic) balls.push_back(&body);
  ASSERT_EQ(balls.size(), 16u);
  const double radius = balls[0]->shapes[0].radius;
  int near = 0;
  for (size_t i = 0; i < balls.size(); ++i) {
    EXPECT_EQ(balls[i]->pose.p.y, radius);
    EXPECT_LT(std::abs(balls[i]->pose.p.x), 1.27 - radius);
    EXPECT_LT(std::abs(balls[i]->pose.p.z), 0.635 - radius);
    for (size_t j = 0; j < i; ++j) {
      const double gap = length(balls[i]->pose.p - balls[j]->pose.p) - 2 * radius;
      EXPECT_GT(gap, 1.9e-4);
      if (gap < 2.1e-4) ++near;
    }
  }
  EXPECT_EQ(near, 30);  // of a rack of five rows
  // The cue ball rolls: its lowest point is at rest.
  EXPECT_NEAR(balls[0]->linearVelocity.x + balls[0]->angularVelocity.z * radius, 0, 1e-12);
  // Ball on cloth.
  EXPECT_NEAR(std::sqrt(balls[0]->shapes[0].material.friction * bodyNamed(scene, "bed").shapes[0].material.friction), 0.2, 1e-12);
}

TEST(Drum, IsClosedAndBodiesStartInside) {
  for (const char* name : {"drum", "drum:count=20,shape=capsule", "drum:count=6000,shape=box,speed=-2"}) {
    SCOPED_TRACE(name);
    const Scene scene = loadScene(name);
    const BodyDef& drum = bodyNamed(scene, "drum");
    EXPECT_EQ(drum.type, BodyType::Kinematic);
    EXPECT_NE(drum.angularVelocity.z, 0);
    const std::vector<PlacedBox> parts = boxesOf(drum);
    int shown = 0;
    for (const BodyDef& body : scene.bodies) {
      if (body.type != BodyType::Dynamic) continue;
      if (++shown % 7 != 1) continue;  // a sample
      // As boxes: no shape of the body is larger than that.
      const PlacedBox box{body.pose.p, {0.1, 0.1, 0.1}, rotationMatrix(body.pose.q)};
      for (const PlacedBox& part : parts) ASSERT_GT(separation(box, part), 0);
    }
    // From the axis every way out ends at a stave or an end: neighbouring staves and planks leave no gap as wide as the thinnest body.
    const double apothem = parts[0].centre.x - parts[0].half.x;
    const double depth = parts[0].half.z;
    for (int i = 0; i < 36; ++i) {
      const PlacedBox &a = parts[size_t(i)], &b = parts[size_t((i + 1) % 36)];
      EXPECT_LT(separation(a, b), 1e-9);
      EXPECT_NEAR(length(Vec3d{a.centre.x, a.centre.y - drum.pose.p.y, 0}) - a.half.x, apothem, 1e-12);
    }
    // The end at -z is closed; through the grating at +z no ball as thin as the thinnest body (0.12 m) passes, wherever it tries.
    for (const double side : {-1.0, 1.0}) {
      std::vector<const PlacedBox*> bars;
      for (const PlacedBox& part : parts)
        if (part.centre.z * side > 0.5 * depth) bars.push_back(&part);
      for (double x = -apothem; x < apothem; x += 0.02)
        for (double y = -apothem; y < apothem; y += 0.02) {
          if (x * x + y * y > (apothem - 0.06) * (apothem - 0.06)) continue;
          double nearest = 1e30;
          for (const PlacedBox* bar : bars)
            nearest = std::min(nearest, std::hypot(std::max(0.0, std::abs(x - bar->centre.x) - bar->half.x),
                                                   std::max(0.0, std::abs(y + drum.pose.p.y - bar->centre.y) - bar->half.y)));
          ASSERT_LE(nearest, side < 0 ? 1e-9 : 0.0501) << x << ", " << y;
        }
    }
  }
}

}  // namespace
}  // namespace cairn
