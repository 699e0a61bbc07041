// Bodies that are meshes with an inside: mass by what they enclose, rest, sliding and rolling as closed forms have them, rings that hang in each
// other, heaps that come to rest, and everything that knows shapes knows them.
#include "tests/support/emulated.hpp"
#include "tests/support/every_backend.hpp"
#include "tests/support/expect.hpp"
#include "tests/support/flat_meshes.hpp"

#include <cairn/cairn.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cairn {
namespace {

using namespace test;

using Shared = std::shared_ptr<const TriangleMesh>;

Shared shared(TriangleMesh mesh) { return std::make_shared<const TriangleMesh>(std::move(mesh)); }
Shared generated(const std::string& name) { return shared(loadMesh(name)); }

constexpr double kCoarse = 0.02;  // cells of meshes about a metre wide: enough where time counts

Shared ring() { return generated("torus:major=0.4,minor=0.1,around=26,tube=16"); }
Shared jack() { return generated("jack:reach=0.4,core=0.1,cells=12"); }

// A step with each body's largest speed below this [m/s] is at rest.
double fastest(const World& world) {
  double speed = 0;
  for (const BodyState& state : world.states()) speed = std::max(speed, length(state.linearVelocity));
  return speed;
}

Scene heapOf(const std::vector<Shared>& meshes, int count, const BodyDef& on = ground()) {
  Scene scene;
  scene.add(on);
  for (int k = 0; k < count; ++k) {
    const Vec3d p{0.9 * (k % 2) + 0.03 * k - 0.5, 0.7 + 0.9 * (k / 4), 0.9 * (k / 2 % 2) - 0.02 * k - 0.4};
    BodyDef body = bodyAt(p, ShapeDef::solidMesh(meshes[static_cast<size_t>(k) % meshes.size()], kCoarse));
    body.pose.q = normalized(Quatd{0.3 * k, 0.1, 0.2 * k, 1});
    scene.add(body);
  }
  return scene;
}

// --- what they weigh -----------------------------------------------------------------------------------------------

TEST(Solids, WeighWhatTheyEnclose) {
  BodyDef box = bodyAt({0, 0, 0}, ShapeDef::box({0.3, 0.2, 0.5}));
  BodyDef mesh = bodyAt({0, 0, 0}, ShapeDef::solidMesh(exploded(boxMesh({0.3, 0.2, 0.5}))));
  for (BodyDef* const body : {&box, &mesh}) {
    body->shapes[0].density = 700;
    body->shapes[0].localPose = {{0.1, 0.2, -0.3}, normalized(Quatd{0.2, 0.1, 0.4, 1})};
  }
  const MassProperties a = massProperties(box), b = massProperties(mesh);
  EXPECT_NEAR(a.mass, b.mass, 1e-12 * a.mass);
  EXPECT_LT(length(a.centre - b.centre), 1e-13);
  for (const auto& [x, y] : {std::pair{a.inertia.xx, b.inertia.xx}, {a.inertia.yy, b.inertia.yy}, {a.inertia.xy, b.inertia.xy}})
    EXPECT_NEAR(x, y, 1e-12 * a.inertia.xx);
  // Pappus for a ring of many segments.
  const MassProperties torus = massProperties(bodyAt({0, 0, 0}, ShapeDef::solidMesh(generated("torus:major=1,minor=0.3,around=300,tube=200"))));
  const double volume = 2 * kPi * kPi * 0.09;
  EXPECT_NEAR(torus.mass, 1000 * volume, 5e-4 * torus.mass);
  EXPECT_NEAR(torus.inertia.yy, 1000 * volume * (1 + 0.75 * 0.09), 1e-3 * torus.inertia.yy);
}

TEST(Solids, AreRefusedWhereTheyEncloseNothing) {
  Scene scene;
  scene.add(bodyAt({0, 0, 0}, ShapeDef::solidMesh(boxMesh({0.5, 0.5, 0.5}))));
  const std::string place = "body 0: shapes/0/";
  const auto refuse = [&](const std::string& end, const std::function<void(ShapeDef&)>& change) {
    Scene changed = scene;
    change(changed.bodies[0].shapes[0]);
    const std::string message = messageOf([&] { validate(changed); });
    EXPECT_NE(message.find(end), std::string::npos) << message;
    EXPECT_EQ(message, messageOf([&] { World world(changed, onCpu()); }));
  };
  refuse("solid: must be true of a mesh on a dynamic body, is false: a surface alone has no inside and no mass",
         [](ShapeDef& s) { s.solid = false; });
  refuse("triangles: must enclose what is inside of a solid mesh; the mesh is open: 3 of its edges have one triangle", [](ShapeDef& s) {
    TriangleMesh open = boxMesh({1, 1, 1});
    open.triangles.pop_back();
    s.triangles = shared(open);
  });
  refuse("the mesh is inside out", [](ShapeDef& s) { s.triangles = shared(turnedOver(boxMesh({1, 1, 1}))); });
  refuse("the mesh is not oriented: triangles at 3 edges disagree on what is outside", [](ShapeDef& s) {
    TriangleMesh mesh = boxMesh({1, 1, 1});
    std::swap(mesh.triangles[0][1], mesh.triangles[0][2]);
    s.triangles = shared(mesh);
  });
  refuse("two_sided: must be false of a solid mesh", [](ShapeDef& s) { s.twoSided = true; });
  refuse("cell: must be a finite number >= 0, is -1", [](ShapeDef& s) { s.cell = -1; });
  refuse("density: must be", [](ShapeDef& s) { s.density = 0; });
  Scene large = scene;
  large.bodies[0].shapes[0] = ShapeDef::solidMesh(boxMesh({0.5, 0.5, 0.5}), 1e-6);
  const std::string tooLarge = "shapes/0/cell: must be larger: the field of the mesh would take more than 256 MB with cells of 1e-06 m";
  EXPECT_EQ(messageOf([&] { World world(large, onCpu()); }), "scene: /bodies/0/" + tooLarge + " (body 'body-0')");
  EXPECT_EQ(messageOf([&] { World world(large, 2, onCpu()); }), "scene: /bodies/0/" + tooLarge + " (body 'body-0@0')");
  World world(scene, onCpu());
  large.bodies[0].name = "another";
  EXPECT_EQ(messageOf([&] { world.addBody(large.bodies[0]); }), "body 'another': /" + tooLarge);
  EXPECT_EQ(world.bodyCount(), int(scene.bodies.size()));
}

// --- closed forms --------------------------------------------------------------------------------------------------

// On a half-space, on a surface of triangles, on a convex box, and on another solid.
TEST(Solids, ACubeRestsOnEverything) {
  BodyDef solid = bodyAt({0, -1, 0}, ShapeDef::solidMesh(boxMesh({2, 1, 2})));
  BodyDef box = bodyAt({0, -1, 0}, ShapeDef::box({2, 1, 2}));
  solid.type = box.type = BodyType::Static;
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    for (const BodyDef& on : {ground(), meshBody(flatPatch(4, 7)), box, solid}) {
      Scene scene;
      scene.add(on);
      BodyDef cube = bodyAt({0.1, 0.32, -0.2}, ShapeDef::solidMesh(boxMesh({0.4, 0.3, 0.5})));
      cube.pose.q = normalized(Quatd{0, 0.2, 0, 1});
      scene.add(cube);
      World world(scene, onCpu(precision));
      world.step(240);
      const BodyState state = world.states()[1];
      const double depth = 0.3 - state.pose.p.y;
      EXPECT_GT(depth, -1e-3);
      EXPECT_LT(depth, 2e-3);
      EXPECT_LT(length(state.linearVelocity), 1e-4);
      EXPECT_GT(rotate(state.pose.q, Vec3d{0, 1, 0}).y, 1 - 1e-6);
      EXPECT_LT(std::hypot(state.pose.p.x - 0.1, state.pose.p.z + 0.2), 2e-3);
    }
  }
}

TEST(Solids, ACubeSlidesAsCoulombHasIt) {
  for (const BodyDef& on : {ground({0.3, 0}), meshBody(flatPatch(8, 30), {0.3, 0})}) {
    Scene scene;
    scene.add(on);
    BodyDef cube = bodyAt({-3, 0.2, 0}, ShapeDef::solidMesh(boxMesh({0.3, 0.2, 0.3})), {3, 0, 0});
    cube.shapes[0].material.friction = 0.3;
    scene.add(cube);
    World world(scene, onCpu());
    world.step(180);
    const BodyState state = world.states()[1];
    EXPECT_NEAR(state.pose.p.x, -3 + 9 / (2 * 0.3 * kGravity), 0.03);
    EXPECT_NEAR(state.pose.p.z, 0, 0.01);
    EXPECT_LT(length(state.linearVelocity), 1e-4);
  }
}

// It lies on its flat side, at half its tube's height.
TEST(Solids, ARingLiesDown) {
  Scene scene;
  scene.add(ground());
  BodyDef body = bodyAt({0, 0.5, 0}, ShapeDef::solidMesh(ring(), kCoarse));
  body.pose.q = normalized(Quatd{0.2, 0, 0.1, 1});
  scene.add(body);
  World world(scene, onCpu());
  world.step(300);
  const BodyState state = world.states()[1];
  EXPECT_LT(length(state.linearVelocity), 1e-3);
  EXPECT_GT(std::abs(rotate(state.pose.q, Vec3d{0, 1, 0}).y), 1 - 1e-5);
  EXPECT_NEAR(state.pose.p.y, 0.1, 3e-3);
}

// A ball in the hole of a ring, as wide as to touch it all around half way up.
TEST(Solids, ABallSitsInARing) {
  Scene scene;
  scene.add(ground());
  BodyDef body = bodyAt({0, 0.1, 0}, ShapeDef::solidMesh(generated("torus:major=0.4,minor=0.1,around=100,tube=50"), kCoarse));
  scene.add(body);
  scene.add(bodyAt({0.01, 0.6, 0}, ShapeDef::sphere(0.4)));
  World world(scene, onCpu());
  world.step(300);
  // The ball's middle is above the ring's by the third side of the triangle with the ring's radius and the sum of both others.
  EXPECT_NEAR(world.states()[2].pose.p.y, 0.1 + std::sqrt(0.25 - 0.16), 6e-3);
  EXPECT_NEAR(world.states()[2].pose.p.x, world.states()[1].pose.p.x, 6e-3);
  EXPECT_LT(fastest(world), 2e-3);
}

// Rings linked in a chain, hung from a fixed one: none comes off, and each hangs by its tube in the one above.
// Few triangles, large ones, on shapes that are far wider and thicker than the body, or thinner: contacts lead out of the near side alone, whichever
// of its faces, edges and corners strikes, and ends that come down fast about another do not come through.
TEST(Solids, AnAngleComesToRestOnWideShapes) {
  std::mt19937 random(31);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const double thick : {0.03, 0.1, 1.0}) {
    const Vec3d half{3, thick, 3};
    for (const ShapeDef& shape : {ShapeDef::box(half), ShapeDef::hull(cornersOfBox(half)), ShapeDef::cylinder(3, thick)}) {
      for (const Precision precision : {Precision::Float, Precision::Double}) {
        Scene scene;
        scene.add(bodyAt({0, -thick, 0}, shape));
        scene.bodies[0].type = BodyType::Static;
        BodyDef angle = bodyAt({0, 0.12, 0}, ShapeDef::solidMesh(angleMesh(0.14, 0.04), 0.01), {0.3 * uniform(random), 0, 0.3 * uniform(random)});
        angle.pose.q = normalized(Quatd{uniform(random), uniform(random), uniform(random), uniform(random)});
        angle.angularVelocity = 3.0 * Vec3d{uniform(random), uniform(random), uniform(random)};
        scene.add(angle);
        World world(scene, onCpu(precision));
        const StepReport start = world.report();
        double deepest = 0, most = -1e300;
        for (int k = 0; k < 150; ++k) {
          world.step();
          const StepReport report = world.report();
          deepest = std::max(deepest, report.penetrationMax);
          most = std::max(most, report.kineticEnergy + report.potentialEnergy - start.kineticEnergy - start.potentialEnergy);
        }
        EXPECT_LT(most, 0.01 * (start.kineticEnergy + start.potentialEnergy)) << nameOf(shape.type) << ' ' << thick;
        EXPECT_LT(deepest, 0.02) << nameOf(shape.type) << ' ' << thick;
        EXPECT_GT(world.states()[1].pose.p.y, 0.015) << nameOf(shape.type) << ' ' << thick;
        EXPECT_LT(fastest(world), 0.05) << nameOf(shape.type) << ' ' << thick;
      }
    }
  }
}

TEST(Solids, RingsHangInEachOther) {
  Scene scene;
  const Shared mesh = ring();
  constexpr int kRings = 6;
  for (int k = 0; k < kRings; ++k) {
    BodyDef body = bodyAt({0, -0.6 * k, 0}, ShapeDef::solidMesh(mesh, kCoarse));
    if (k == 0) body.type = BodyType::Static;
    const double half = std::sqrt(0.5);
    body.pose.q = k % 2 == 0 ? Quatd{half, 0, 0, half} : normalized(Quatd{0.5, 0.5, -0.5, 0.5});
    body.linearDamping = body.angularDamping = 1;
    scene.add(body);
  }
  World world(scene, onCpu());
  world.step(400);
  for (int k = 1; k < kRings; ++k) {
    const Vec3d p = world.states()[static_cast<size_t>(k)].pose.p;
    EXPECT_NEAR(p.y, -0.6 * k, 0.02 * k) << k;
    EXPECT_LT(std::hypot(p.x, p.z), 0.05) << k;
  }
  EXPECT_LT(fastest(world), 0.05);
}

// A nut on a standing bolt: with little friction it turns down, as far as the thread has it; with more it settles and stays.
TEST(Solids, ANutTurnsDownItsBoltWhereFrictionIsLow) {
  constexpr double kPitch = 0.015;
  const std::string thread = ":diameter=0.1,pitch=0.015,flats=0.16,around=72,rows=16";
  const Shared bolt = generated("bolt" + thread + ",head=0.064,turns=8"), nut = generated("nut" + thread + ",turns=4,clearance=0.001");
  for (const double friction : {0.005, 0.6}) {
    Scene scene;
    BodyDef fixed = bodyAt({0, 0, 0}, ShapeDef::solidMesh(bolt, 0.002)), turning = bodyAt({0, 5 * kPitch, 0}, ShapeDef::solidMesh(nut, 0.002));
    fixed.type = BodyType::Static;
    fixed.shapes[0].material.friction = turning.shapes[0].material.friction = friction;
    scene.bodies = {fixed, turning};
    World world(scene, onCpu());
    world.step(60);  // until it hangs in its thread
    const BodyState before = world.states()[1];
    world.step(friction < 0.1 ? 160 : 240);  // before it lands on the head, where it may turn within its clearance
    const BodyState after = world.states()[1];
    const double fallen = (before.pose.p.y - after.pose.p.y) / kPitch;
    const Vec3d was = rotate(before.pose.q, Vec3d{1, 0, 0}), is = rotate(after.pose.q, Vec3d{1, 0, 0});
    const double turned = std::atan2(is.z * was.x - is.x * was.z, dot(is, was)) / (2 * kPi);  // as seen from above, clockwise
    record(friction < 0.1 ? "fallen" : "fallen, held", fallen);
    record(friction < 0.1 ? "turned" : "turned, held", turned);
    if (friction < 0.1) {
      // Without friction it would fall as fast as its turning allows, at g / (1 + (2 pi k / pitch)^2) with a radius of gyration k of 68 mm: by five
      // pitches in these seconds.
      EXPECT_GT(fallen, 1);
      EXPECT_LT(fallen, 5);
      EXPECT_NEAR(turned - std::round(turned - fallen), fallen, 0.05);  // whole turns are not seen
    } else {
      // It settles within its clearance, which is 7 % of the pitch.
      EXPECT_NEAR(fallen, 0, 0.1);
      EXPECT_NEAR(turned, 0, 0.1);
      EXPECT_LT(fastest(world), 1e-6);
      EXPECT_LT(world.report().penetrationMax, 0.8e-3);
    }
  }
}

// --- heaps ---------------------------------------------------------------------------------------------------------

TEST(Solids, HeapsComeToRest) {
  for (const bool hills : {false, true}) {
    const BodyDef on = hills ? meshBody(loadMesh("terrain:size=8,height=0.8,cells=24")) : ground();
    World world(heapOf({jack(), ring(), shared(boxMesh({0.3, 0.2, 0.3}))}, 12, on), onCpu());
    world.step(480);
    EXPECT_LT(fastest(world), 5e-3) << hills;
    EXPECT_LT(world.report().penetrationMax, 5e-3) << hills;
    for (const BodyState& state : world.states()) EXPECT_GT(state.pose.p.y, hills ? -0.6 : -1e-3) << hills;
  }
}

TEST(Solids, HooksInABowlComeToRest) {
  World world(loadScene("hooks:count=16"), onCpu());
  world.step(600);
  EXPECT_LT(fastest(world), 0.01);
  EXPECT_LT(world.report().penetrationMax, 3e-3);
}

// They lie on the floor and each other in heaps of joined bones, some of them a few centimetres long. Those of compounds stir less.
TEST(Solids, SkeletonsOfMeshesComeToRest) {
  World world(loadScene("skeletons:count=4,shape=mesh"), onCpu());
  world.step(600);
  EXPECT_LT(fastest(world), 0.03);
  EXPECT_LT(world.report().penetrationMax, 2e-3);
}

// Some fall so far into each other that what keeps bodies from passing each other holds them.
TEST(Solids, HooksThatFellIntoEachOtherComeOut) {
  World world(loadScene("hooks:count=60"), onCpu());
  world.step(600);
  EXPECT_LT(fastest(world), 5e-3);
  EXPECT_LT(world.report().penetrationMax, 2e-3);
}

// Rings in point contact swing on for long; none comes off, and no pair gives way.
// Most of them fall on others that were stopped within the same step. A few go on to creep now and then.
TEST(Solids, HundredsOfHooksComeToRest) {
  World world(loadScene("hooks:count=500"), onCpu());
  world.step(900);
  double squares = 0;
  for (const BodyState& state : world.states()) squares += dot(state.linearVelocity, state.linearVelocity);
  EXPECT_LT(std::sqrt(squares / 500), 1e-3);
  EXPECT_LT(fastest(world), 0.01);
  EXPECT_LT(world.report().penetrationMax, 2e-3);
}

TEST(Solids, AHangingChainOfRingsGainsNoEnergy) {
  World world(loadScene("links:rings=4"), onCpu());
  world.step(60);
  const StepReport settled = world.report();
  world.step(180);
  const StepReport end = world.report();
  EXPECT_LT(fastest(world), 5e-3);
  EXPECT_LT(end.kineticEnergy + end.potentialEnergy, settled.kineticEnergy + settled.potentialEnergy + 0.01);
}

TEST(Solids, AChainOfRingsHolds) {
  Scene scene = loadScene("links:rings=8");
  for (BodyDef& body : scene.bodies) body.linearDamping = body.angularDamping = 1;
  World world(scene, onCpu());
  world.step(600);
  for (size_t k = 0; k < scene.bodies.size(); ++k) EXPECT_NEAR(world.states()[k].pose.p.y, -0.15 * double(k), 0.004 * double(k) + 1e-9) << k;
  EXPECT_LT(world.report().penetrationMax, 3e-3);
}

// With two relaxations it has come apart by now.
TEST(Solids, AChainOfHundredsOfRingsHangs) {
  World world(loadScene("links:rings=200"), onCpu());
  world.step(300);
  EXPECT_LT(fastest(world), 0.5);
  EXPECT_LT(world.report().penetrationMax, 5e-3);
  const double last = world.states().back().pose.p.y;
  EXPECT_NEAR(last, -0.15 * double(world.states().size() - 1), 0.02 * -last);
}

TEST(Solids, RelaxMoreOftenThanOtherBodies) {
  const auto hash = [](const char* scene, int relaxations, int ofSolids) {
    WorldSettings settings = onCpu();
    settings.relaxations = relaxations;
    settings.solidRelaxations = ofSolids;
    return hashAfter(loadScene(scene), settings, 20);
  };
  const char* const rings = "links:rings=4";
  EXPECT_EQ(hash(rings, 2, WorldSettings{}.solidRelaxations), hash(rings, 4, 0));
  EXPECT_EQ(hash(rings, 5, 4), hash(rings, 5, 0)) << "more are as many as were asked for";
  EXPECT_NE(hash(rings, 2, 4), hash(rings, 2, 0));
  EXPECT_EQ(hash(rings, 0, 4), hash(rings, 0, 0)) << "none are none";
  EXPECT_EQ(hash("tower:height=3", 2, 4), hash("tower:height=3", 2, 0));
  EXPECT_EQ(hash("links:rings=1", 2, 4), hash("links:rings=1", 2, 0)) << "one on a fixed one";
}

// The load goes through all of them: with two relaxations it stirs at ten centimetres a second.
TEST(Solids, ALongChainOfRingsHangsStillWithMoreRelaxations) {
  WorldSettings settings = onCpu();
  settings.relaxations = 8;
  World world(loadScene("links:rings=20"), settings);
  world.step(240);
  EXPECT_LT(fastest(world), 5e-3);
  EXPECT_LT(world.report().penetrationMax, 1e-3);
}

// Loops of six jointed pieces on a pole: as meshes they come to lie where they lie as compounds of capsules.
TEST(Solids, RingsOfMeshesLieAsThoseOfCompoundsDo) {
  double heights[2] = {0, 0};
  for (const bool meshes : {false, true}) {
    World world(loadScene(std::string("rings:rings=2,poles=1") + (meshes ? ",shape=mesh" : "")), onCpu());
    world.step(600);  // they swing on the pole for some seconds
    EXPECT_LT(fastest(world), 0.05) << meshes;
    EXPECT_LT(world.report().penetrationMax, 4e-3) << meshes;
    for (const BodyState& state : world.states()) heights[meshes] += state.pose.p.y / double(world.states().size());
  }
  EXPECT_NEAR(heights[1], heights[0], 0.03);
}

// Solids among all other shapes.
TEST(Solids, LieAmongAllShapes) {
  Scene scene = heapOf({jack(), ring()}, 6);
  const std::vector<ShapeDef> others{ShapeDef::box({0.2, 0.2, 0.2}),
                                     ShapeDef::sphere(0.2),
                                     ShapeDef::capsule(0.1, 0.2),
                                     ShapeDef::ellipsoid({0.3, 0.2, 0.2}),
                                     ShapeDef::cylinder(0.15, 0.2),
                                     ShapeDef::cone(0.2, 0.2),
                                     ShapeDef::hull(gem(3, 14, {0.25, 0.2, 0.25}))};
  for (size_t k = 0; k < others.size(); ++k) {
    BodyDef body = bodyAt({0.3 * double(k % 3) - 0.3, 2.6 + 0.5 * double(k), 0.1 * double(k % 2)}, others[k]);
    body.shapes[0].material.rollingFriction = 0.02;
    scene.add(body);
  }
  World world(scene, onCpu());
  world.step(600);
  EXPECT_LT(fastest(world), 0.05);
  for (const BodyState& state : world.states()) EXPECT_GT(state.pose.p.y, -0.01);
}

// --- fast ones -----------------------------------------------------------------------------------------------------

TEST(Solids, NoneIsShotThroughAPlateAFloorOrARing) {
  const double half = std::sqrt(0.5);
  BodyDef plate = bodyAt({0, 0, 0}, ShapeDef::box({0.05, 3, 3})), solidPlate = bodyAt({0, 0, 0}, ShapeDef::solidMesh(boxMesh({0.05, 3, 3})));
  BodyDef wall = meshBody(flatPatch(6, 9));
  wall.pose.q = {0, 0, half, half};  // up is towards -x
  plate.type = solidPlate.type = BodyType::Static;
  for (const double speed : {20.0, 90.0, 300.0}) {
    for (const BodyDef& target : {plate, solidPlate, wall}) {
      for (int turn = 0; turn < 3; ++turn) {
        Scene scene;
        scene.gravity = {0, 0, 0};
        scene.add(target);
        BodyDef missile = bodyAt({-3, 0.1, 0.2}, ShapeDef::solidMesh(turn % 2 == 0 ? jack() : ring(), kCoarse), {speed, 0, 0});
        missile.pose.q = normalized(Quatd{0.3 * turn, 0.2, 0.5 * turn, 1});
        missile.angularVelocity = {0, 3.0 * turn, 5.0 * turn};
        scene.add(missile);
        World world(scene, onCpu());
        world.step(60);
        EXPECT_LT(world.states()[1].pose.p.x, 0.3) << speed << ' ' << turn << ' ' << nameOf(target.shapes[0].type) << ' ' << target.shapes[0].solid;
      }
    }
  }
}

// A thin solid plate, turning, against another: neither comes through, at speeds of up to a hundred times what they are thick in a step.
TEST(Solids, NoPlateIsShotThroughAnother) {
  for (const double speed : {5.0, 30.0, 200.0}) {
    for (int turn = 0; turn < 4; ++turn) {
      Scene scene;
      scene.gravity = {0, 0, 0};
      BodyDef target = bodyAt({0, 0, 0}, ShapeDef::solidMesh(boxMesh({0.03, 2, 2}), kCoarse));
      target.type = BodyType::Static;
      scene.add(target);
      BodyDef missile = bodyAt({-2, 0.2, 0.1}, ShapeDef::solidMesh(boxMesh({0.5, 0.03, 0.4}), kCoarse), {speed, 0, 0});
      missile.pose.q = normalized(Quatd{0.1, 0.2 * turn, 0.4 * turn, 1});
      missile.angularVelocity = {2.0 * turn, 7.0 * turn, 3.0 * turn};
      scene.add(missile);
      World world(scene, onCpu());
      world.step(60);
      EXPECT_LT(world.states()[1].pose.p.x, 0.3) << speed << ' ' << turn;
    }
  }
}

// --- everything that knows shapes ----------------------------------------------------------------------------------

TEST(Solids, AreHitByRaysAndCasts) {
  Scene scene;
  BodyDef body = bodyAt({1, 0, 0}, ShapeDef::solidMesh(ring(), kCoarse));
  body.gravityScale = 0;
  scene.add(body);
  World world(scene, onCpu());
  world.step();
  Ray ray;
  ray.origin = {1.4, 5, 0};
  ray.direction = {0, -1, 0};
  ray.maxDistance = 20;
  const RayHit hit = world.castRays({ray})[0];
  ASSERT_EQ(hit.body.index, 0);
  EXPECT_NEAR(hit.distance, 4.9, 2e-3);
  ray.origin.x = 1;
  EXPECT_EQ(world.castRays({ray})[0].body.index, -1) << "through the hole";
  ray.origin = {1.43, 0.02, 0};
  EXPECT_EQ(world.castRays({ray})[0].distance, 0) << "from inside";
  ShapeCast cast;
  cast.shape = ShapeDef::sphere(0.35);
  cast.pose.p = {1, 5, 0};
  cast.direction = {0, -1, 0};
  cast.maxDistance = 20;
  EXPECT_EQ(world.castShapes({cast})[0].body.index, 0);
  cast.shape = ShapeDef::sphere(0.25);
  EXPECT_EQ(world.castShapes({cast})[0].body.index, -1);
  std::vector<OverlapQuery> queries(2);
  queries[0].shape = queries[1].shape = ShapeDef::sphere(0.02);
  queries[0].pose.p = {1.4, 0, 0};
  queries[1].pose.p = {1, 0, 0};
  const QueryHits<Overlap> found = world.overlapShapes(queries);
  EXPECT_EQ(found.offsets[1], 1u) << "inside";
  EXPECT_EQ(found.offsets[2], 1u) << "in the hole";
}

TEST(Solids, GoOnFromSnapshotsWithTheSameBits) {
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    World world(heapOf({jack(), ring()}, 6), onCpu(precision));
    world.step(60);
    const Snapshot snapshot = world.save();
    World resumed(snapshot, onCpu());
    EXPECT_EQ(resumed.save().bytes, snapshot.bytes);
    world.step(60);
    resumed.step(60);
    EXPECT_EQ(world.stateHash(), resumed.stateHash());
    // The geometry is known again: the same mesh and cells need no more room.
    BodyDef another = bodyAt({0, 9, 0}, ShapeDef::solidMesh(jack(), kCoarse));
    another.name = "again";
    resumed.addBody(another);
    world.addBody(another);
    EXPECT_EQ(world.save().bytes.size(), resumed.save().bytes.size());
  }
}

TEST(Solids, ComeBackFromTheirText) {
  const Scene scene = heapOf({jack(), ring()}, 3);
  const std::string text = writeScene(scene);
  const Scene again = parseScene(text, "again.json");
  EXPECT_EQ(writeScene(again), text);
  EXPECT_EQ(hashAfter(again, onCpu(), 20), hashAfter(scene, onCpu(), 20));
}

TEST(Solids, ChangeTheirType) {
  Scene scene = heapOf({jack()}, 2);
  World world(scene, onCpu());
  world.step(30);
  const BodyId body = world.bodies()[1];
  world.setType(body, BodyType::Static);
  world.step(30);
  world.setType(body, BodyType::Dynamic);
  world.step(300);
  EXPECT_LT(fastest(world), 0.01);
}

TEST(Solids, EnvironmentsHaveTheBitsOfOne) {
  const Scene scene = heapOf({jack(), ring()}, 5);
  World one(scene, 1, onCpu()), many(scene, 3, onCpu());
  one.step(90);
  many.step(90);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(many.stateHashOf(k), one.stateHashOf(0)) << k;
}

TEST(Solids, CudaAndThreadsGiveTheCpusBits) {
  Scene scene = heapOf({jack(), ring(), shared(boxMesh({0.3, 0.2, 0.3}))}, 9, meshBody(loadMesh("terrain:size=8,height=0.8,cells=16")));
  scene.add(bodyAt({0.4, 5, 0.2}, ShapeDef::box({0.2, 0.3, 0.2}), {0, -30, 0}));
  scene.add(bodyAt({-0.2, 6, 0.2}, ShapeDef::solidMesh(jack(), kCoarse), {0, -60, 0}));
  expectTheSameBitsEverywhere(scene, test::deviceIsEmulated() ? 40 : 80);
}

TEST(Solids, ATurningNutHasTheSameBitsEverywhere) {
  const std::string thread = ":diameter=0.1,pitch=0.015,flats=0.16,around=36,rows=16";
  Scene scene;
  BodyDef bolt = bodyAt({0, 0, 0}, ShapeDef::solidMesh(generated("bolt" + thread + ",head=0.064,turns=8"), 0.002));
  BodyDef nut = bodyAt({0, 0.075, 0}, ShapeDef::solidMesh(generated("nut" + thread + ",turns=4,clearance=0.001"), 0.002));
  bolt.type = BodyType::Static;
  bolt.shapes[0].material.friction = nut.shapes[0].material.friction = 0.005;
  nut.angularVelocity = {0, 6, 0};
  scene.bodies = {bolt, nut};
  expectTheSameBitsEverywhere(scene, 40);
}

}  // namespace
}  // namespace cairn
