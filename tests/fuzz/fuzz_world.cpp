// Worlds: scenes and settings made up from the bytes, extremes included, a few steps, and some calls in between. Whatever they are, a World is
// refused, or a step is (InvalidInput, NonFiniteState, CapacityError), or all goes well; a scene that is valid is written and read back, and a World
// of what was read has the same bits. Bodies, steps and sweeps are bounded, so that no case takes long.
#include "src/scene/settings_table.hpp"
#include "tests/fuzz/bytes.hpp"

#include <cairn/cairn.hpp>
#include <cairn/error.hpp>

#include <algorithm>
#include <cstdlib>

namespace cairn::fuzz {
namespace {

constexpr int kMostBodies = 100, kMostJoints = 60, kMostSteps = 6;
// Pivoting through 60 points takes a minute under sanitizers, once a substep and once a relaxation.
constexpr int kMostBodiesPivoted = 4, kMostStepsPivoted = 2, kMostSubstepsPivoted = 2;

Vec3d vector(Bytes& bytes) {
  const double x = bytes.number(), y = bytes.number();
  return {x, y, bytes.number()};
}

Posed pose(Bytes& bytes) {
  Posed out{{0, 0, 0}, {0, 0, 0, 1}};
  const int parts = bytes.below(8);
  if ((parts & 1) != 0) out.p = vector(bytes);
  if ((parts & 6) == 6) {
    const Vec3d axis = vector(bytes);
    out.q = {axis.x, axis.y, axis.z, bytes.number()};
  }
  return out;
}

ShapeDef shape(Bytes& bytes) {
  ShapeDef out;
  out.type = static_cast<ShapeType>(bytes.below(5));
  const double x = bytes.size(), y = bytes.size();
  out.halfExtents = {x, y, bytes.size()};
  out.radius = x;
  out.halfHeight = y;
  const int parts = bytes.byte();
  if ((parts & 1) != 0) out.localPose = pose(bytes);
  if ((parts & 2) != 0) out.density = bytes.size() * 1000;
  if ((parts & 4) != 0) out.material = {bytes.size(), bytes.size() / 8};
  if ((parts & 56) == 56) out.filter = {uint32_t(bytes.byte()), uint32_t(bytes.byte()), bytes.below(3) - 1};
  return out;
}

BodyDef body(Bytes& bytes) {
  BodyDef out;
  const int kind = bytes.below(16);
  out.type = kind == 0 ? BodyType::Static : kind == 1 ? BodyType::Kinematic : BodyType::Dynamic;
  out.pose = pose(bytes);
  for (int shapes = bytes.below(8) == 0 ? bytes.below(4) : 1; shapes > 0; --shapes) out.shapes.push_back(shape(bytes));
  const int parts = bytes.byte();
  const bool moves = out.type != BodyType::Static;
  if (moves && (parts & 1) != 0) out.linearVelocity = vector(bytes);
  if (moves && (parts & 2) != 0) out.angularVelocity = vector(bytes);
  if ((parts & 12) == 12) out.mass = bytes.size();
  if ((parts & 48) == 48) out.gravityScale = bytes.number();
  if ((parts & 28) == 28) out.linearDamping = bytes.size();
  if ((parts & 56) == 56) out.angularDamping = bytes.size();
  if ((parts & 192) == 192) {
    const int locks = bytes.byte();
    for (size_t k = 0; k < 3; ++k) {
      out.lockTranslation[k] = (locks >> k & 1) != 0;
      out.lockRotation[k] = (locks >> (k + 3) & 1) != 0;
    }
  }
  return out;
}

JointAxis axis(Bytes& bytes) {
  JointAxis out;
  const int parts = bytes.byte();
  if ((parts & 1) != 0) {
    const double low = bytes.number();
    out.limits = {low, low + bytes.size()};
  }
  if ((parts & 2) != 0) {
    out.motor = static_cast<JointMotor>(bytes.below(3));
    out.target = bytes.number();
    out.maxForce = bytes.size() * 1000;
  }
  if ((parts & 4) != 0) {
    out.stiffness = bytes.size() * 1000;
    out.damping = bytes.size();
    out.rest = bytes.number();
  }
  if ((parts & 8) != 0) out.friction = bytes.size();
  return out;
}

JointDef joint(Bytes& bytes, const Scene& scene) {
  const auto type = static_cast<JointType>(bytes.below(10));  // a BlackBox has code
  const int bodies = int(scene.bodies.size()), a = bytes.below(bodies + 1) - 1, b = bytes.below(bodies + 1) - 1;
  JointDef out;
  try {
    out = scene.joint(type, a, b, pose(bytes));
  } catch (const InvalidInput&) {
    out.type = type;
    out.bodyA = a;
    out.bodyB = b;
  }
  const int parts = bytes.byte();
  if ((parts & 3) == 3) out.frameB = pose(bytes);
  out.slides = 1 + bytes.below(3);
  out.maxDistance = bytes.size();
  const std::array<bool, 6> free = freeAxes(out);
  for (size_t k = 0; k < 6; ++k) {
    if (type == JointType::SixDof) out.axes[k].free = (parts >> k & 1) != 0;
    if ((free[k] || out.axes[k].free) && bytes.below(4) == 0) {
      const bool isFree = out.axes[k].free;
      out.axes[k] = axis(bytes);
      out.axes[k].free = isFree;
    }
  }
  if ((parts & 48) == 48) out.breakImpulse = bytes.size();
  out.collide = (parts & 64) != 0;
  return out;
}

Scene scene(Bytes& bytes, int mostBodies) {
  Scene out;
  if (bytes.below(4) == 0) out.gravity = vector(bytes);
  BodyDef ground;
  ground.type = BodyType::Static;
  ground.shapes = {bytes.flag() ? ShapeDef::halfSpace() : ShapeDef::box({20, 1, 20})};
  out.add(ground);
  // A body, or many of its kind side by side.
  while (!bytes.empty() && int(out.bodies.size()) < mostBodies) {
    BodyDef one = body(bytes);
    const Vec3d apart = vector(bytes);
    for (int copies = bytes.below(8) == 0 ? bytes.below(64) : 1; copies > 0 && int(out.bodies.size()) < mostBodies; --copies) {
      out.add(one);
      one.pose.p = one.pose.p + apart;
    }
    if (bytes.below(4) == 0) break;
  }
  for (int joints = bytes.below(4) == 0 ? bytes.below(kMostJoints) : bytes.below(4); joints > 0; --joints) out.joints.push_back(joint(bytes, out));
  return out;
}

struct SetAny {
  Bytes& bytes;
  void operator()(bool& value) const { value = bytes.flag(); }
  void operator()(int& value) const { value = bytes.below(8) == 0 ? int(int8_t(bytes.byte())) : bytes.below(8); }
  void operator()(double& value) const { value = bytes.flag() ? bytes.number() : bytes.size() / 8; }
  template <class Enumeration> void operator()(Enumeration& value) const { value = static_cast<Enumeration>(bytes.below(6)); }
};

WorldSettings settings(Bytes& bytes) {
  WorldSettings out;
  const auto& table = worldSettings();
  for (int changes = bytes.below(8); changes > 0; --changes) table[size_t(bytes.below(int(table.size())))].visit(out, SetAny{bytes});
  // On this machine, and soon done.
  out.backend = Backend::Cpu;
  out.threads = 1;
  for (int WorldSettings::*count : {&WorldSettings::substeps, &WorldSettings::iterations, &WorldSettings::relaxations, &WorldSettings::normalPasses,
                                    &WorldSettings::positionCorrections, &WorldSettings::positionSweeps, &WorldSettings::jointSweeps}) {
    if (out.*count > 10) out.*count = 10;
  }
  if (out.maxIterations > 30) out.maxIterations = 30;
  if (out.solver == Solver::Lemke) {
    out.substeps = std::min(out.substeps, kMostSubstepsPivoted);
    out.relaxations = std::min(out.relaxations, 1);
  }
  return out;
}

Sym3<double> inertia(Bytes& bytes) {
  const double x = bytes.size(), y = bytes.size();
  return {x, y, bytes.size(), bytes.number(), 0, bytes.number()};
}

void changeSomething(World& world, BodyId body, Bytes& bytes) {
  switch (bytes.below(4)) {
    case 0:
      return world.setType(body, static_cast<BodyType>(bytes.below(3)));
    case 1:
      return world.setInertia(body, inertia(bytes));
    case 2:
      return world.setCentreOfMass(body, vector(bytes));
    default:
      return world.setDamping(body, bytes.size(), bytes.number());
  }
}

void askAround(World& world, BodyId body, Bytes& bytes) {
  ShapeCast cast;
  cast.shape = shape(bytes);
  cast.pose = pose(bytes);
  cast.direction = vector(bytes);
  if (bytes.flag()) cast.filter.ignored = body;
  world.overlapShapes({{cast.shape, cast.pose, cast.filter}});
  world.castRaysAll({{cast.pose.p, cast.direction}});
  world.castShapes({cast, cast});
  world.castShapesAll({cast});
}

void callSomething(World& world, Bytes& bytes) {
  const std::vector<BodyId> bodies = world.bodies();
  const BodyId body = bodies.empty() ? BodyId{} : bodies[size_t(bytes.byte()) % bodies.size()];
  switch (bytes.below(12)) {
    case 0:
      return world.setPose(body, pose(bytes));
    case 1:
      return world.setVelocity(body, vector(bytes), vector(bytes));
    case 2:
      return world.applyForce(body, vector(bytes), vector(bytes));
    case 3:
      return world.removeBody(body);
    case 4:
      world.addBody(fuzz::body(bytes));
      return;
    case 5:
      world.castRays({{vector(bytes), vector(bytes), bytes.size()}});
      return;
    case 6:
      world.report();
      world.contacts();
      world.jointStates();
      return;
    case 7:
      world.contactLevels();
      return;
    case 8:
      world.contactProblem();
      return;
    case 9:
      return changeSomething(world, body, bytes);
    case 10:
      return askAround(world, body, bytes);
    default:
      return;
  }
}

void run(Bytes& bytes) {
  const WorldSettings chosen = settings(bytes);
  const bool pivots = chosen.solver == Solver::Lemke;
  const Scene made = scene(bytes, pivots ? kMostBodiesPivoted : kMostBodies);
  World world(made, chosen);
  World again(parseScene(writeScene(made), "again.json"), chosen);
  const int steps = 1 + bytes.below(pivots ? kMostStepsPivoted : kMostSteps);
  for (int step = 0; step < steps; ++step) {
    world.step();
    again.step();
    if (world.stateHash() != again.stateHash()) std::abort();
    try {
      Bytes other = bytes;
      callSomething(world, bytes);
      callSomething(again, other);
    } catch (const InvalidInput&) {
      return;  // the one World is ahead of the other
    }
  }
}

}  // namespace
}  // namespace cairn::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cairn::fuzz::Bytes bytes(data, size);
  try {
    cairn::fuzz::run(bytes);
  } catch (const cairn::Error& error) {
    if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
