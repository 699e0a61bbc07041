// Golden hashes: the bits that scenes and contact problems give, on any compiler, any number of threads and either backend, pinned as data in
// tests/data/golden_hashes.json. A change that is not meant to change results leaves them alone; one that is says in its commit which defect changed
// which of them, and writes them anew:  CAIRN_GOLDEN_UPDATE=1 build/cpu/tests/cairn_golden
//
// Only the public interface is used here, so that the cases outlive any restructuring behind it.
#include <cairn/cairn.hpp>
#include <cairn/contact_problem.hpp>
#include <cairn/reference.hpp>

#include <gtest/gtest.h>
#include <cairn_test_paths.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace cairn {
namespace {

using Json = nlohmann::ordered_json;

std::string dataPath() { return std::string(CAIRN_SOURCE_DIR) + "/tests/data/golden_hashes.json"; }
bool updates() { return std::getenv("CAIRN_GOLDEN_UPDATE") != nullptr; }

Json readData() {
  std::ifstream file(dataPath());
  return file ? Json::parse(file) : Json::object();
}

class Fnv1a {
 public:
  template <class Value> void add(const Value& value) {
    const auto* byte = reinterpret_cast<const unsigned char*>(&value);
    for (size_t i = 0; i < sizeof value; ++i) hash_ = (hash_ ^ byte[i]) * 0x100000001b3ull;
  }
  void add(const Vec3d& value) {
    for (const double x : {value.x, value.y, value.z}) add(x);
  }
  void add(const Sym3<double>& value) {
    for (const double x : {value.xx, value.yy, value.zz, value.xy, value.xz, value.yz}) add(x);
  }
  template <class Value> void addAll(const std::vector<Value>& values) {
    for (const Value& value : values) add(value);
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325ull;
};

std::string hex(uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// Contacts in their order with their impulses, and the report's numbers that kernels compute: what a step answers beside the state.
uint64_t answersHash(const World& world) {
  Fnv1a hash;
  for (const Contact& c : world.contacts()) {
    for (const int id : {c.bodyA.index, c.bodyB.index, c.shapeA, c.shapeB}) hash.add(id);
    hash.add(c.feature);
    for (const Vec3d& v : {c.point, c.normal, c.frictionImpulse}) hash.add(v);
    hash.add(c.separation);
    hash.add(c.normalImpulse);
  }
  const StepReport report = world.report();
  for (const double x : {report.residualMax, report.residualRms, report.penetrationMax, report.penetrationMean, report.kineticEnergy,
                         report.potentialEnergy, report.linearMomentum.x, report.angularMomentum.z}) {
    hash.add(x);
  }
  for (const int n : {report.contactPoints, report.manifolds, report.colours, report.tailConstraints, report.sweeps, report.residualMaxContact})
    hash.add(n);
  for (const JointState& joint : world.jointStates()) {
    for (const Vec3d& v : {joint.force, joint.torque}) hash.add(v);
    hash.add(joint.broken);
  }
  return hash.value();
}

struct Outcome {
  std::string state, answers;
};
Outcome outcomeOf(const World& world) { return {hex(world.stateHash()), hex(answersHash(world))}; }

WorldSettings settingsFor(Precision precision) {
  WorldSettings settings;
  settings.precision = precision;
  settings.threads = 1;
  return settings;
}

struct Case {
  std::string name;
  std::function<Outcome(WorldSettings)> run;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

using Change = std::function<void(WorldSettings&)>;

Case sceneCase(const std::string& name, const std::string& scene, int steps, const Change& change = {}) {
  return {name, [=](WorldSettings settings) {
            if (change) change(settings);
            World world(loadScene(scene), settings);
            world.step(steps);
            return outcomeOf(world);
          }};
}

// Bodies, shapes of all kinds, joints and motors that come and go, forces, velocities and poses from outside, joints that break.
Outcome comingAndGoing(const WorldSettings& settings) {
  World world(loadScene("pile:count=120,shape=mixed"), settings);
  std::vector<BodyId> own;
  std::vector<JointId> joints;
  for (int k = 0; k < 40; ++k) {
    world.step();
    const std::vector<BodyId> bodies = world.bodies();
    if (k % 3 == 0) world.removeBody(bodies[bodies.size() - 1 - static_cast<size_t>(k % 7)]);
    own.erase(std::remove_if(own.begin(), own.end(),
                             [&](BodyId id) {
                               const std::vector<BodyId> alive = world.bodies();
                               return std::find(alive.begin(), alive.end(), id) == alive.end();
                             }),
              own.end());
    BodyDef body;
    body.pose.p = {0.3 * (k % 5), 8 + 0.4 * k, 0.2 * (k % 3)};
    if (k % 4 == 0) body.shapes = {ShapeDef::capsule(0.2, 0.3)};
    if (k % 4 == 1) body.shapes = {ShapeDef::box({0.25, 0.25, 0.25})};
    if (k % 4 == 2) body.shapes = {ShapeDef::ellipsoid({0.3, 0.2, 0.25})};
    if (k % 4 == 3) body.shapes = {ShapeDef::sphere(0.2), ShapeDef::box({0.1, 0.3, 0.1})};
    own.push_back(world.addBody(body));
    if (own.size() >= 2 && k % 2 == 1) {
      JointDef joint;
      joint.type = k % 4 == 1 ? JointType::Hinge : JointType::Point;
      joint.frameA.p = {0, 0.2, 0};
      joint.frameB.p = {0, -0.2, 0};
      if (k % 8 == 3) joint.breakImpulse = 2;
      joints.push_back(world.addJoint(own[own.size() - 2], own.back(), joint));
      if (joint.type == JointType::Hinge) world.setMotor(joints.back(), 3, JointMotor::Velocity, 2, 50);
    }
    if (!own.empty()) world.applyForce(own.front(), {10, 5, 0}, {0, 1, 0});
    if (k == 20) world.setVelocity(own.back(), {0, -3, 0}, {1, 2, 3});
    if (k == 25) world.setPose(own.back(), {{0, 20, 0}, {0, 0, 0.6, 0.8}});
  }
  return outcomeOf(world);
}

// Joints are moved and driven while nothing touches anything: rows of the last step are kept, and must be dropped in time.
Outcome drivenJoints(const WorldSettings& settings) {
  World world(loadScene("pendulum:links=6,joint=hinge,angle=60"), settings);
  const std::vector<JointId> joints = world.joints();
  for (int k = 0; k < 60; ++k) {
    world.step();
    if (k == 10) world.setMotor(joints[1], 3, JointMotor::Velocity, 3, 20);
    if (k == 20) world.setMotor(joints[1], 3, JointMotor::Velocity, -3, 20);
    if (k == 30) world.setVelocity(world.bodies().back(), {1, 0, 0}, {0, 0, 1});
    if (k == 40) world.removeJoint(joints.back());
    if (k == 45) world.applyForce(world.bodies()[1], {0, 30, 0});
  }
  return outcomeOf(world);
}

Outcome ellipsoids(const WorldSettings& settings, int count) {
  Scene scene = loadScene("pile:shape=box,count=" + std::to_string(count));
  int k = 0;
  for (BodyDef& body : scene.bodies) {
    if (body.type == BodyType::Dynamic) body.shapes = {ShapeDef::ellipsoid({0.25, 0.15 + 0.01 * (k++ % 8), 0.2})};
  }
  World world(scene, settings);
  world.step(60);
  return outcomeOf(world);
}

// Joints whose allowed pose a callback chooses: spherical pendulums, one of them over a box that it hits.
Outcome blackBoxes(const WorldSettings& settings) {
  Scene scene;
  for (int k = 0; k < 5; ++k) {
    BodyDef post, body;
    post.type = BodyType::Static;
    post.pose.p = {3.0 * k, 0, 0};
    body.pose.p = {3.0 * k + 0.8, 0, 0.1 * k};
    body.shapes = {ShapeDef::box({0.1, 0.15, 0.2})};
    if (k == 2) post.shapes = {ShapeDef::box({0.3, 0.5, 0.3})};
    const int a = scene.add(post), b = scene.add(body);
    JointDef joint = scene.joint(JointType::BlackBox, a, b, {{3.0 * k, 0, 0}, {0, 0, 0, 1}});
    const double radius = 0.8 + 0.02 * k;
    joint.projection = [radius](const JointPose& p) -> JointPose {
      const Vec3d x = p.offset;
      const double scale = radius / std::sqrt(x.x * x.x + x.y * x.y + x.z * x.z);
      return {{scale * x.x, scale * x.y, scale * x.z}, p.rotation};
    };
    joint.collide = true;
    scene.joints.push_back(joint);
  }
  World world(scene, settings);
  world.step(60);
  return outcomeOf(world);
}

// Boxes that fall on each other, of which some bounce and others lie: lanes that bounce beside lanes that do not, with constraints that have no
// colour. `joined`: some of them two and two, by joints that are swept along.
Outcome bouncingHeap(WorldSettings settings, bool joined) {
  settings.maxColours = 4;
  Scene scene;
  BodyDef ground, box;
  ground.type = BodyType::Static;
  ground.shapes = {ShapeDef::halfSpace()};
  ground.shapes[0].material.restitution = 0.6;
  scene.add(ground);
  box.shapes = {ShapeDef::box({0.25, 0.25, 0.25})};
  for (int k = 0; k < 60; ++k) {
    box.pose.p = {0.45 * (k % 4), 0.3 + 0.55 * (k / 12), 0.5 * (k / 4 % 3)};
    box.linearVelocity = {0, k < 12 ? 0 : -1.0, 0};
    box.shapes[0].material.restitution = 0.2 * (k % 3);
    const int added = scene.add(box);
    if (joined && k % 6 == 5) scene.joints.push_back(scene.joint(JointType::Hinge, added - 1, added, {box.pose.p, {0, 0, 0, 1}}));
  }
  World world(scene, settings);
  world.step(40);
  return outcomeOf(world);
}

// Kinematic bodies that carry, turn and drag others: by friction with its stabilization, by joints, one of them with locked axes.
Outcome kinematicBodies(WorldSettings settings) {
  settings.frictionStabilization = true;
  Scene scene;
  BodyDef belt, table, box;
  belt.type = table.type = BodyType::Kinematic;
  belt.shapes = {ShapeDef::box({20, 0.5, 1})};
  belt.pose.p = {0, -0.5, 0};
  belt.linearVelocity = {1, 0, 0};
  table.shapes = {ShapeDef::box({1, 0.5, 1})};
  table.pose.p = {0, -0.5, 4};
  table.angularVelocity = {0, 2, 0};
  scene.add(belt);
  scene.add(table);
  box.shapes = {ShapeDef::box({0.25, 0.2, 0.3})};
  for (int k = 0; k < 6; ++k) {
    box.pose.p = {0.1 * k, 0.2 + 0.4 * (k / 2), k % 2 == 0 ? 0.0 : 4.2};
    scene.add(box);
  }
  BodyDef dragged = box;
  dragged.pose.p = {-1, 0.5, 0.5};
  dragged.lockTranslation = {false, false, true};
  dragged.lockRotation = {true, true, false};
  const int end = scene.add(dragged);
  scene.joints.push_back(scene.joint(JointType::Hinge, 0, end, {{-0.5, 0.5, 0.5}, {0, -std::sqrt(0.5), 0, std::sqrt(0.5)}}));
  dragged = box;
  dragged.pose.p = {0, 1.5, 5.5};
  const int rider = scene.add(dragged);
  scene.joints.push_back(scene.joint(JointType::Point, 1, rider, {{0, 1.5, 5}, {0, 0, 0, 1}}));
  World world(scene, settings);
  world.step(60);
  return outcomeOf(world);
}

// The answers of a World without a step: the next substep's problem, accelerations at contacts, levels and rays.
Outcome exports(const WorldSettings& settings) {
  World world(loadScene("pile:count=60,shape=mixed"), settings);
  world.step(70);
  Fnv1a state, answers;
  const ContactProblem problem = world.contactProblem();
  for (const std::vector<double>& values : {problem.friction, problem.f, problem.w, problem.M.values, problem.H.values}) state.addAll(values);
  const reference::AccelerationProblem accelerations = world.accelerationProblem(0.1);
  answers.add(accelerations.approaching);
  for (const reference::AccelerationBody& body : accelerations.bodies) {
    for (const Vec3d& v : {body.v, body.w, body.invMass, body.force, body.torque}) answers.add(v);
    answers.add(body.inertia);
    answers.add(body.invInertia);
  }
  for (const reference::AccelerationContact& c : accelerations.contacts) {
    for (const Vec3d& v : {c.normal, c.rA, c.rB, c.edgeA, c.edgeB}) answers.add(v);
    for (const double x : {c.friction, c.radiusA, c.radiusB, static_cast<double>(c.owner)}) answers.add(x);
  }
  answers.addAll(world.contactLevels());
  std::vector<Ray> rays;
  for (int k = 0; k < 100; ++k) rays.push_back({{0.1 * (k % 10) - 0.5, 10, 0.1 * (k / 10) - 0.5}, {0.02 * (k % 7), -1, 0.01 * (k % 3)}});
  for (const RayHit& hit : world.castRays(rays)) {
    answers.add(hit.body.index);
    answers.add(hit.distance);
    answers.add(hit.normal);
  }
  return {hex(state.value()), hex(answers.value())};
}

Outcome problemOutcome(const std::string& file, ProblemSolver solver, Precision precision, bool condense) {
  ContactProblem problem = readContactProblem(std::string(CAIRN_SOURCE_DIR) + "/tests/data/problems/" + file + ".json");
  if (condense && problem.form == ContactProblem::Form::Global) problem = condensed(problem);
  ContactSolverSettings settings;
  settings.backend = Backend::Cpu;
  settings.threads = 1;
  settings.precision = precision;
  settings.solver = solver;
  settings.maxIterations = 300;
  settings.tolerance = precision == Precision::Float ? 1e-4 : 1e-8;
  const ContactSolveResult result = solve(problem, settings);
  Fnv1a impulses, answers;
  for (const double r : result.solution.r) impulses.add(r);
  for (const double u : result.solution.u) answers.add(u);
  for (const double v : result.solution.v) answers.add(v);
  answers.add(result.iterations);
  answers.add(result.residual.etaSic);
  return {hex(impulses.value()), hex(answers.value())};
}

Case problemCase(const std::string& name, const std::string& file, ProblemSolver solver, bool condense = false) {
  return {name, [=](const WorldSettings& settings) { return problemOutcome(file, solver, settings.precision, condense); }};
}

std::vector<Case> cases() {
  const auto normal = [](NormalStabilization choice) { return [=](WorldSettings& s) { s.normalStabilization = choice; }; };
  const auto joint = [](JointStabilization choice) { return [=](WorldSettings& s) { s.jointStabilization = choice; }; };
  const auto bySweeps = [](WorldSettings& s) { s.jointSolver = JointSolver::Sweeps; };
  const auto paper = [](WorldSettings& s) {
    s.normalStabilization = NormalStabilization::Silcowitz;
    s.frictionStabilization = true;
    s.forceMixing = 0;
    s.substeps = 1;
    s.iterations = 20;
    s.relaxations = 0;
  };
  return {
      sceneCase("tower", "tower:height=12", 60),
      sceneCase("pyramid", "pyramid:base=10", 60),
      sceneCase("wall", "wall:width=8,height=8", 40),
      sceneCase("mass_ratio_shock", "mass-ratio", 60, [](WorldSettings& s) { s.shockPropagation = true; }),
      sceneCase("pile_boxes", "pile:count=300,shape=box", 60),
      sceneCase("pile_mixed", "pile:count=300,shape=mixed", 60),
      sceneCase("pile_spheres", "pile:count=300,shape=sphere", 60),
      sceneCase("pile_capsules", "pile:count=200,shape=capsule", 60),
      {"pile_ellipsoids", [](const WorldSettings& settings) { return ellipsoids(settings, 200); }},
      {"pile_ellipsoids_anchored",
       [](WorldSettings settings) {
         settings.frictionStabilization = true;
         return ellipsoids(settings, 120);
       }},
      sceneCase("ellipse", "ellipse", 60),
      sceneCase("rubble", "rubble:count=200", 70),
      sceneCase("drum", "drum:count=150", 60),
      sceneCase("billiard_break", "billiard-break", 40),
      sceneCase("newton_cradle", "newton-cradle", 60),
      sceneCase("arch", "arch", 40),
      sceneCase("dominoes", "dominoes:count=12", 60),
      sceneCase("pyramid_nncg", "pyramid:base=8", 40,
                [](WorldSettings& s) {
                  s.solver = Solver::Nncg;
                  s.iterations = 6;
                }),
      sceneCase("pile_jacobi", "pile:count=150,shape=box", 50, [](WorldSettings& s) { s.solver = Solver::Jacobi; }),
      sceneCase("pile_overflow", "pile:count=150,shape=mixed", 50, [](WorldSettings& s) { s.maxColours = 3; }),
      sceneCase("tower_lemke", "tower:height=3", 6,
                [](WorldSettings& s) {
                  s.solver = Solver::Lemke;
                  s.substeps = 2;
                }),
      sceneCase("skeleton_chain_lemke", "cline-pai-chain:links=4", 10,
                [](WorldSettings& s) {
                  s.solver = Solver::Lemke;
                  s.substeps = 2;
                }),
      sceneCase("pyramid_none", "pyramid:base=6", 40, normal(NormalStabilization::None)),
      sceneCase("pyramid_anitescu_hart", "pyramid:base=6", 40, normal(NormalStabilization::AnitescuHart)),
      sceneCase("pyramid_soft", "pyramid:base=6", 40, normal(NormalStabilization::Soft)),
      sceneCase("wall_silcowitz", "wall:width=6,height=6", 40, paper),
      sceneCase("pyramid_position_corrections", "pyramid:base=6", 40, [](WorldSettings& s) { s.positionCorrections = 2; }),
      sceneCase("pile_to_tolerance", "pile:count=60,shape=box", 40,
                [](WorldSettings& s) {
                  s.tolerance = 1e-3;
                  s.maxIterations = 60;
                }),
      sceneCase("wall_without_warm_start", "wall:width=6,height=6", 30, [](WorldSettings& s) { s.warmStart = false; }),
      sceneCase("cannonball", "cannonball:rows=4", 30),
      sceneCase("skeletons", "skeletons:count=2", 90),
      sceneCase("skeletons_overflow", "skeletons:count=2", 60, [](WorldSettings& s) { s.maxColours = 2; }),
      sceneCase("skeletons_sweeps", "skeletons:count=1", 60, bySweeps),
      sceneCase("skeletons_shock", "skeletons:count=1", 70, [](WorldSettings& s) { s.shockPropagation = true; }),
      sceneCase("chain_across", "chain:links=40,end-mass-ratio=100,direction=across", 60),
      sceneCase("chain_down_sweeps", "chain:links=20", 60, bySweeps),
      sceneCase("chain_nncg", "chain:links=10", 30,
                [](WorldSettings& s) {
                  s.jointSolver = JointSolver::Sweeps;
                  s.solver = Solver::Nncg;
                  s.iterations = 5;
                }),
      sceneCase("double_pendulum_baumgarte", "double-pendulum", 60, joint(JointStabilization::Baumgarte)),
      sceneCase("cline_pai_post", "cline-pai-chain:links=6", 60, joint(JointStabilization::Post)),
      sceneCase("joints_anitescu_hart", "double-pendulum", 60, joint(JointStabilization::AnitescuHart)),
      sceneCase("joints_none", "double-pendulum", 60, joint(JointStabilization::None)),
      sceneCase("joint_sweeps", "bridge", 20, [](WorldSettings& s) { s.jointSweeps = 2; }),
      sceneCase("motor", "motor", 60),
      sceneCase("limits", "limits", 60),
      sceneCase("net", "net:meshes=5,boxes=2", 50),
      sceneCase("bridge", "bridge", 40),
      sceneCase("rings", "rings:rings=10,poles=2", 60),
      sceneCase("magnets", "magnets:letters=12", 40),
      sceneCase("tank", "tank", 30),
      sceneCase("joints_file", std::string(CAIRN_SOURCE_DIR) + "/scenes/joints.json", 60),
      sceneCase("materials_file", std::string(CAIRN_SOURCE_DIR) + "/scenes/materials.json", 60),
      sceneCase("skeletons_jacobi", "skeletons:count=1", 60, [](WorldSettings& s) { s.solver = Solver::Jacobi; }),
      sceneCase("bridge_sweeps_overflow", "bridge:load=blocks", 20,
                [](WorldSettings& s) {
                  s.jointSolver = JointSolver::Sweeps;
                  s.maxColours = 3;
                }),
      sceneCase("skeletons_to_tolerance", "skeletons:count=1", 50,
                [](WorldSettings& s) {
                  s.tolerance = 1e-3;
                  s.maxIterations = 40;
                }),
      sceneCase("skeletons_without_warm_start", "skeletons:count=1", 50, [](WorldSettings& s) { s.warmStart = false; }),
      sceneCase("skeletons_position_corrections", "skeletons:count=1", 50, [](WorldSettings& s) { s.positionCorrections = 1; }),
      sceneCase("tank_one_substep", "tank", 20,
                [](WorldSettings& s) {
                  s.substeps = 1;
                  s.iterations = 8;
                }),
      sceneCase("wall_nncg_friction_stabilization", "wall:width=6,height=6", 30,
                [](WorldSettings& s) {
                  s.solver = Solver::Nncg;
                  s.iterations = 5;
                  s.frictionStabilization = true;
                }),
      sceneCase("skeletons_nncg_silcowitz", "skeletons:count=1", 50,
                [](WorldSettings& s) {
                  s.solver = Solver::Nncg;
                  s.iterations = 4;
                  s.normalStabilization = NormalStabilization::Silcowitz;
                }),
      sceneCase("pile_jacobi_friction_stabilization", "pile:count=80,shape=mixed", 50,
                [](WorldSettings& s) {
                  s.solver = Solver::Jacobi;
                  s.frictionStabilization = true;
                }),
      sceneCase("pile_shock_overflow", "pile:count=80,shape=box", 50,
                [](WorldSettings& s) {
                  s.shockPropagation = true;
                  s.maxColours = 3;
                }),
      {"bouncing_heap", [](const WorldSettings& s) { return bouncingHeap(s, false); }},
      {"bouncing_heap_joined", [](const WorldSettings& s) { return bouncingHeap(s, true); }},
      {"kinematic_bodies", kinematicBodies},
      {"exports", exports},
      {"coming_and_going", comingAndGoing},
      {"driven_joints", drivenJoints},
      {"black_boxes", blackBoxes},
      problemCase("problem_pgs", "Capsules-i101-404", ProblemSolver::Pgs),
      problemCase("problem_jacobi", "Rover1040", ProblemSolver::Jacobi),
      problemCase("problem_nncg", "Confeti-ex03-Fc3D-SBM", ProblemSolver::Nncg),
      problemCase("problem_newton", "OneObject-i1028-138", ProblemSolver::Newton),
      problemCase("problem_lemke", "NESpheres_10_1", ProblemSolver::Lemke),
      problemCase("problem_auto", "KaplasTower-i1061-4", ProblemSolver::Auto),
      problemCase("problem_bodies_pgs", "Box_Stacks-i0122-82-5", ProblemSolver::Pgs),
      problemCase("problem_bodies_nncg", "Spheres-i099-356-679", ProblemSolver::Nncg),
      problemCase("problem_condensed", "LMGC_GFC3D-i00501-4-00000", ProblemSolver::Nncg, true),
  };
}

class Golden : public ::testing::TestWithParam<Case> {};

TEST_P(Golden, BitsAreThePinnedOnes) {
  const Json data = readData();
  Json own = Json::object();
  for (const Precision precision : {Precision::Float, Precision::Double}) {
    const std::string key = precision == Precision::Float ? "float" : "double";
    const Outcome outcome = GetParam().run(settingsFor(precision));
    own[key] = {{"state", outcome.state}, {"answers", outcome.answers}};
    if (updates()) continue;
    ASSERT_TRUE(data.contains(GetParam().name)) << "no hashes for it in " << dataPath();
    EXPECT_EQ(outcome.state, data[GetParam().name][key]["state"].get<std::string>()) << "state in " << key;
    EXPECT_EQ(outcome.answers, data[GetParam().name][key]["answers"].get<std::string>()) << "contacts and report in " << key;
  }
  if (!updates()) return;
  Json all = readData();
  all[GetParam().name] = own;
  std::ofstream(dataPath()) << all.dump(1) << '\n';
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(cases()), [](const auto& each) { return each.param.name; });

// Threads, with the same hashes: some of every kind of work that they share out.
TEST(GoldenThreads, ThreeGiveThePinnedBits) {
  const std::vector<std::string> names{"pile_mixed", "wall_silcowitz",  "pile_overflow",    "pyramid_nncg",     "skeletons",
                                       "bridge",     "rings",           "coming_and_going", "kinematic_bodies", "pile_ellipsoids_anchored",
                                       "exports",    "skeletons_jacobi"};
  const Json data = readData();
  size_t run = 0;
  for (const Case& each : cases()) {
    if (std::find(names.begin(), names.end(), each.name) == names.end()) continue;
    SCOPED_TRACE(each.name);
    WorldSettings settings = settingsFor(Precision::Float);
    settings.threads = 3;
    const Outcome outcome = each.run(settings);
    EXPECT_EQ(outcome.state, data[each.name]["float"]["state"].get<std::string>());
    EXPECT_EQ(outcome.answers, data[each.name]["float"]["answers"].get<std::string>());
    ++run;
  }
  EXPECT_EQ(run, names.size());
}

// A net that catches: another start gives other hashes.
TEST(GoldenNet, AChangedStartChangesStateAndAnswers) {
  Scene scene = loadScene("pyramid:base=4");
  World world(scene, settingsFor(Precision::Float));
  scene.bodies.back().pose.p.x += 1e-5;
  World other(scene, settingsFor(Precision::Float));
  world.step(10);
  other.step(10);
  const Outcome a = outcomeOf(world), b = outcomeOf(other);
  EXPECT_NE(a.state, b.state);
  EXPECT_NE(a.answers, b.answers);
}

}  // namespace
}  // namespace cairn
