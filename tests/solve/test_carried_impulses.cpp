// Carried impulses: what contacts have done to bodies is done again, to the bits the same with the forces and after them, and what is none of the
// contacts' is left out.
#include "kernels/solve/carried_impulses.hpp"

#include "kernels/state/body_drive.hpp"
#include "kernels/state/integrate_body.hpp"
#include "tests/runtime/on_each_target.hpp"

#include <cairn/world.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace cairn {
namespace {

constexpr double kStep = 1.0 / 480, kUnlimited = std::numeric_limits<double>::infinity();

template <class T> bool sameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// Bodies of all kinds with velocities, and with those that they had before their contacts' impulses.
template <class T> struct MovingBodies {
  std::vector<BodyConstants<T>> constants;
  std::vector<BodyPose<T>> poses;
  std::vector<BodyVelocity<T>> velocities, kept;
  std::vector<BodyInertia<T>> inertias;
  std::vector<BodyMotion<T>> motions;
  std::vector<int> turning;

  explicit MovingBodies(int count) {
    std::mt19937 random(5);
    const auto number = [&] { return T(2) * T(random()) / T(random.max()) - T(1); };
    const auto vector = [&] { return Vec3<T>{number(), number(), number()}; };
    for (int i = 0; i < count; ++i) {
      BodyConstants<T> body{};
      const bool moves = i % 5 != 3;
      body.inertia = {T(0.1), T(0.2), T(0.35), T(0), T(0), T(0)};
      body.invInertia = inverse(body.inertia);
      body.mass = T(1);
      body.gravityScale = T(1);
      body.flags = kBodyAlive | (moves ? kBodyDynamic : i % 2 == 0 ? kBodyKinematic : 0);
      const T invMass = moves ? T(1) : T(0);
      constants.push_back(body);
      poses.push_back({vector(), T(0), identityQuat<T>()});
      motions.push_back({{T(0), T(0), T(0)}, driveOf(body), identityQuat<T>()});
      velocities.push_back({vector(), invMass, vector(), invMass});
      kept.push_back(velocities.back());
      // Some are touched by nothing, and some stand still.
      if (i % 4 != 0) kept.back().v = vector();
      if (i % 3 != 0) kept.back().w = vector();
      if (i % 7 == 0) velocities.back().v = kept.back().v = {T(-0.0), T(0), T(-0.0)};
      BodyInertia<T> inertia{};
      inertia.invMassZ = invMass;
      inertias.push_back(inertia);
      turning.push_back(i % 6 == 5 ? kContactsTurn : 0);
    }
  }
};

class CarriedImpulses : public test::OnEachTarget {
 protected:
  template <class T> struct Outcome { std::vector<BodyVelocity<T>> velocities, kept; };

  // With the forces, or after them; as one item a body or as the backend has it.
  template <class T> Outcome<T> carry(const MovingBodies<T>& bodies, CarryImpulses when, bool oneByOne) {
    const int n = static_cast<int>(bodies.poses.size());
    Buffer<BodyConstants<T>> c;
    Buffer<BodyPose<T>> p;
    Buffer<BodyVelocity<T>> v, kept;
    Buffer<BodyInertia<T>> i;
    Buffer<BodyMotion<T>> m;
    Buffer<int> turning;
    Queue& to = oneByOne ? cpu : queue;
    c.upload(to, bodies.constants);
    p.upload(to, bodies.poses);
    v.upload(to, bodies.velocities);
    kept.upload(to, bodies.kept);
    i.upload(to, bodies.inertias);
    m.upload(to, bodies.motions);
    turning.upload(to, bodies.turning);
    IntegrateVelocity<T> pass;
    pass.bodies = {p.data(), c.data(), m.data(), i.data(), nullptr, v.data()};
    pass.h = T(kStep);
    pass.gravity = GravityField<T>(Vec3<T>{T(0), T(-9.81), T(0)});
    pass.kept = kept.data();
    pass.turning = turning.data();
    pass.count = n;
    pass.carry = when;
    if (oneByOne) {
      for (int k = 0; k < n; ++k) pass(k);
    } else {
      integrateVelocities(to, pass);
    }
    if (when == CarryImpulses::Later) carryImpulses(to, n, CarriedBodies<T>{c.data(), turning.data(), v.data(), kept.data()});
    return {v.download(to), kept.download(to)};
  }

  template <class T> void isTheSameEitherWay() {
    const MovingBodies<T> bodies(120);
    const Outcome<T> once = carry(bodies, CarryImpulses::Now, false);
    for (const bool oneByOne : {false, true}) {
      for (const CarryImpulses when : {CarryImpulses::Now, CarryImpulses::Later}) {
        const Outcome<T> other = carry(bodies, when, oneByOne);
        EXPECT_TRUE(sameBits(once.velocities, other.velocities));
        EXPECT_TRUE(sameBits(once.kept, other.kept));
      }
    }
    const Outcome<T> without = carry(bodies, CarryImpulses::No, false);
    for (size_t k = 0; k < bodies.poses.size(); ++k) {
      const bool carried = (bodies.constants[k].flags & kBodyDynamic) != 0 && bodies.turning[k] == 0;
      const Vec3<T> dv = bodies.velocities[k].v - bodies.kept[k].v, dw = bodies.velocities[k].w - bodies.kept[k].w;
      const BodyVelocity<T>& free = without.velocities[k];
      EXPECT_EQ(length(once.velocities[k].v - (carried ? free.v + dv : free.v)), 0) << k;
      EXPECT_EQ(length(once.velocities[k].w - (carried ? free.w + dw : free.w)), 0) << k;
      EXPECT_EQ(length(once.kept[k].v - free.v), 0) << k;
    }
  }

  Queue cpu = makeCpuQueue(1);
};

TEST_P(CarriedImpulses, WithTheForcesOrAfterThemOneByOneOrInPacks) {
  isTheSameEitherWay<float>();
  isTheSameEitherWay<double>();
}

TEST_P(CarriedImpulses, ASpeedLimitIsNoneOfTheirs) {
  MovingBodies<double> bodies(40);
  const int n = 40;
  Buffer<BodyPose<double>> p;
  Buffer<BodyVelocity<double>> v, kept;
  Buffer<BodyMotion<double>> m;
  p.upload(queue, bodies.poses);
  v.upload(queue, bodies.velocities);
  kept.upload(queue, bodies.kept);
  m.upload(queue, bodies.motions);
  IntegratePosition<double> pass;
  pass.bodies = {v.data(), p.data(), m.data()};
  pass.h = kStep;
  pass.limits = {0.5, kUnlimited};
  pass.kept = kept.data();
  pass.count = n;
  integratePositions(queue, pass);
  const auto after = v.download(queue), before = kept.download(queue);
  int limited = 0;
  for (size_t k = 0; k < n; ++k) {
    const Vec3<double> was = bodies.velocities[k].v - bodies.kept[k].v, is = after[k].v - before[k].v;
    EXPECT_NEAR(length(is - was), 0, 1e-15) << k;
    const bool slower = length(after[k].v) < length(bodies.velocities[k].v);
    limited += slower ? 1 : 0;
    if (!slower) {
      EXPECT_EQ(length(before[k].v - bodies.kept[k].v), 0) << k;
    }
  }
  EXPECT_GT(limited, 10);
}

CAIRN_INSTANTIATE_TARGETS(CarriedImpulses);

// A box slides over the ground; with damping its impulses come after the forces.
TEST(CarriedImpulsesOfAWorld, SlowASlidingBoxAsFrictionDoes) {
  for (const double damping : {0.0, 0.2}) {
    WorldSettings settings;
    settings.precision = Precision::Double;
    World world(Scene{}, settings);
    BodyDef ground;
    ground.type = BodyType::Static;
    ground.shapes.push_back(ShapeDef::box({5, 0.5, 5}));
    world.addBody(ground);
    BodyDef box;
    box.pose.p = {0, 0.999, 0};
    box.linearVelocity = {2, 0, 0};
    box.linearDamping = damping;
    box.shapes.push_back(ShapeDef::box({0.5, 0.5, 0.5}));
    const BodyId id = world.addBody(box);
    const double damped = std::pow(1 + damping * settings.dt / settings.substeps, -settings.substeps);
    double expected = 2;
    for (int k = 0; k < 12; ++k) {
      world.step();
      expected = expected * damped - 0.6 * 9.81 * settings.dt;
      EXPECT_NEAR(world.state(id).linearVelocity.x, expected, 0.01) << k << ' ' << damping;
    }
  }
}

}  // namespace
}  // namespace cairn
